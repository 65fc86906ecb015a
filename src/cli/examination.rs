//! Examinations on the command line: by name, capitals or alias, in any case, with hyphens or
//! without, and completed by shells.

use crate::mcc::Examination;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Command};
use std::ffi::OsStr;

/// Reads the name of an examination.
#[derive(Clone, Copy)]
pub(super) struct ByName {
    /// Whether StateSpace is among those that are listed.
    pub(super) with_state_space: bool,
}

impl ByName {
    fn listed(self) -> impl Iterator<Item = PossibleValue> {
        let is_listed =
            move |it: &Examination| self.with_state_space || *it != Examination::StateSpace;
        Examination::ALL.into_iter().filter(is_listed).map(|examination| {
            let value = PossibleValue::new(examination.name()).help(examination.asks());
            value.alias(examination.abbreviation()).aliases(examination.aliases())
        })
    }
}

impl TypedValueParser for ByName {
    type Value = Examination;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Examination, clap::Error> {
        // Behind a comma there may be a blank.
        if let Some(Ok(examination)) = value.to_str().map(|name| name.trim().parse()) {
            return Ok(examination);
        }
        // Which has the words of a refusal, with what is near.
        let listed = PossibleValuesParser::new(self.listed());
        let name = listed.parse_ref(command, arg, value)?;
        name.parse().map_err(|_| clap::Error::new(clap::error::ErrorKind::InvalidValue))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.listed()))
    }
}
