//! Examinations on the command line: by name, capitals or alias, in any case, and completed by
//! shells.

use crate::mcc::Examination;
use clap::ValueEnum;
use clap::builder::PossibleValue;

impl ValueEnum for Examination {
    fn value_variants<'a>() -> &'a [Self] {
        &Examination::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let value = PossibleValue::new(self.name()).help(self.asks());
        Some(value.alias(self.abbreviation()).aliases(self.aliases()))
    }
}
