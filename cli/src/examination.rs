//! Names of examinations on the command line: full names, capitals and aliases, in upper or lower
//! case, with or without hyphens. Shells complete the names.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Command};
use parikh::mcc::Examination;
use std::ffi::OsStr;

/// A parser for the name of an examination.
#[derive(Clone, Copy)]
pub(super) struct ExaminationParser {
    /// True if the list of values includes StateSpace.
    pub(super) with_state_space: bool,
}

impl ExaminationParser {
    fn listed(self) -> impl Iterator<Item = PossibleValue> {
        let is_listed =
            move |it: &Examination| self.with_state_space || *it != Examination::StateSpace;
        Examination::ALL.into_iter().filter(is_listed).map(|examination| {
            let value = PossibleValue::new(examination.name()).help(examination.question_text());
            value.alias(examination.abbreviation()).aliases(examination.aliases())
        })
    }
}

impl TypedValueParser for ExaminationParser {
    type Value = Examination;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Examination, clap::Error> {
        // A blank may follow a comma.
        if let Some(Ok(examination)) = value.to_str().map(|name| name.trim().parse()) {
            return Ok(examination);
        }
        // The list of values gives the error message, with similar names.
        let listed = PossibleValuesParser::new(self.listed());
        let name = listed.parse_ref(command, arg, value)?;
        name.parse().map_err(|_| clap::Error::new(clap::error::ErrorKind::InvalidValue))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.listed()))
    }
}
