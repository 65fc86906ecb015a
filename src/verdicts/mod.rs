//! Verdicts: what is known of a model, key by key, in the contest's XML and by our own computation.
//!
//! ```text
//! <toolspecific tool="propertiesverdict" version="2.0">
//!   <modelreference modelname="AirplaneLD"/>
//!   <verdict category="GENERIC" reference="SAFE" value="true">
//!     <explanation>stated by CAESARBDD version 2.6 on all 9 instances</explanation>
//!     <statedby tool="MCC" version="2021"/>
//!   </verdict>
//! </toolspecific>
//! ```
//!
//! [`read`] takes versions 1.0 and 2.0 of the format, [`VerdictFile::print`] writes 2.0; both
//! versions become the same [`VerdictFile`]. A [`KeyNet`] finds the 21 keys of a model by structure
//! and search, and [`compare`] compares a file with them.
//!
//! Files are hints for people, never facts for engines: nothing of a file reaches a computation.

mod compare;
mod compute;
mod date;
mod key_net;
mod property;
mod read;
mod write;

pub use compare::{Comparison, Standing, compare, is_about};
pub(crate) use compute::say_unbounded;
pub use compute::{Computed, Findings};
pub use date::now;
pub use key_net::KeyNet;
pub use property::Property;
pub use read::{InvalidVerdicts, Problem, read, read_from};
pub use write::firing_sequence;

use crate::input::Element;
use crate::mcc::Examination;
use serde::Serialize;
use std::fmt;

/// A verdict file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerdictFile {
    /// The version of the format that it was in.
    pub version: Version,
    /// The model that it is about; instances of a model have longer names.
    pub model: String,
    /// What it says, in its order; not empty in a valid file.
    pub verdicts: Vec<Verdict>,
}

/// A version of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// With `QUASI_LIVE`, the opposite of the later `DEAD_TRANSITIONS`.
    V1,
    /// With `DEAD_PLACES` and `DEAD_TRANSITIONS`.
    V2,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Version::V1 => "1.0",
            Version::V2 => "2.0",
        })
    }
}

/// One verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// What kind of property it is about.
    pub category: Category,
    /// The property: a key, or the id of a formula.
    pub reference: String,
    /// What holds.
    pub value: Value,
    /// The instances it is about; all of the model when empty.
    pub instances: Vec<String>,
    /// Why, for people.
    pub explanation: Option<String>,
    /// Who says so.
    pub stated_by: Option<StatedBy>,
    /// The contest's names of how it was found; not empty when there.
    pub techniques: Vec<String>,
    /// Something to check it by: one element of any form.
    pub trace: Option<Element>,
}

/// What kind of property a verdict is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Category {
    /// One of the 21 keys of a model form.
    Generic,
    /// A formula or figure of an examination.
    Examination(Examination),
    /// Something else.
    Other(String),
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Category::Generic => f.write_str("GENERIC"),
            Category::Examination(examination) => examination.fmt(f),
            Category::Other(name) => f.write_str(name),
        }
    }
}

/// The value of a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Of a key.
    Truth(Truth),
    /// Of anything else.
    Text(String),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Truth(truth) => truth.fmt(f),
            Value::Text(text) => f.write_str(text),
        }
    }
}

/// Whether a model has a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Truth {
    /// It has.
    True,
    /// It has not.
    False,
    /// Nobody could say, or its instances differ.
    Unknown,
}

impl Truth {
    /// The opposite of what is known.
    fn negated(self) -> Self {
        match self {
            Truth::True => Truth::False,
            Truth::False => Truth::True,
            Truth::Unknown => Truth::Unknown,
        }
    }
}

impl From<bool> for Truth {
    fn from(holds: bool) -> Self {
        if holds { Truth::True } else { Truth::False }
    }
}

impl fmt::Display for Truth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Truth::True => "true",
            Truth::False => "false",
            Truth::Unknown => "unknown",
        })
    }
}

/// Who states a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatedBy {
    /// A tool, or the contest itself.
    pub tool: String,
    /// Its version.
    pub version: String,
    /// When, as `2018-01-01T10:00:05Z`.
    pub date: Option<String>,
    /// A page about it, `http://…` or `https://…`.
    pub reference: Option<String>,
}

pub use crate::mcc::techniques::TECHNIQUES;
