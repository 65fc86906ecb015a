//! Verdicts on the keys of a model, read from the contest's XML and computed.
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
//! [`mod@read`] reads versions 1.0 and 2.0 of the format into the same [`VerdictFile`], and
//! [`VerdictFile::print`] writes version 2.0. A [`KeyNet`] computes the 21 keys of a model by
//! structure and search, and [`mod@compare`] compares a file with the computed keys.
//!
//! Verdict files are information for people. No computation uses their contents.

mod compare;
mod compute;
mod date;
mod key_net;
mod property;
mod read;
mod write;

pub use compare::{ComparisonResult, KeyComparison, compare, is_about};
pub use compute::say_unbounded;
pub use compute::{ComputedKey, KeyFindings};
pub use date::now;
pub use key_net::KeyNet;
pub use property::KeyProperty;
pub use read::{InvalidVerdicts, VerdictProblem, read, read_from};
pub use write::firing_sequence;

use crate::mcc::Examination;
use parikh_input::Element;
use serde::Serialize;
use std::fmt;

/// The contents of a verdict file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerdictFile {
    /// The version of the format of the file.
    pub version: FormatVersion,
    /// The name of the model, or of an instance. The names of a model's instances begin with its
    /// name.
    pub model: String,
    /// The verdicts, in the order of the file. Not empty in a valid file.
    pub verdicts: Vec<KeyVerdict>,
}

/// A version of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormatVersion {
    /// The version with `QUASI_LIVE`, the opposite of the later `DEAD_TRANSITIONS`.
    V1,
    /// The version with `DEAD_PLACES` and `DEAD_TRANSITIONS`.
    V2,
}

impl fmt::Display for FormatVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FormatVersion::V1 => "1.0",
            FormatVersion::V2 => "2.0",
        })
    }
}

/// A verdict on a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyVerdict {
    /// The kind of property.
    pub category: Category,
    /// The property: a key, or the id of a formula.
    pub reference: String,
    /// The value of the property.
    pub value: VerdictValue,
    /// The instances concerned. If empty, all instances of the model.
    pub instances: Vec<String>,
    /// An explanation, which programs ignore.
    pub explanation: Option<String>,
    /// The author of the verdict.
    pub stated_by: Option<StatedBy>,
    /// The contest's names of the techniques used. Empty if the file names none.
    pub techniques: Vec<String>,
    /// Evidence for the verdict: an element of any form.
    pub trace: Option<Element>,
}

/// The kind of property of a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Category {
    /// A key, that is, a yes/no property from the contest's form about a model.
    Generic,
    /// A formula or figure of an examination.
    Examination(Examination),
    /// Another category, by its name in the file.
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
pub enum VerdictValue {
    /// The value of a verdict in [`Category::Generic`]: whether the model has one of the 21
    /// properties.
    Truth(Truth),
    /// The value of a verdict in another category than [`Category::Generic`], as text.
    Text(String),
}

impl fmt::Display for VerdictValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VerdictValue::Truth(truth) => truth.fmt(f),
            VerdictValue::Text(text) => f.write_str(text),
        }
    }
}

/// The value of a key, that is, of one of the 21 properties of a model form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Truth {
    /// The model has the property.
    True,
    /// The model does not have the property.
    False,
    /// The value is unknown, or differs between the instances.
    Unknown,
}

impl Truth {
    /// Returns the opposite value. The opposite of unknown is unknown.
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

/// The author of a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatedBy {
    /// The name of a tool, or of the contest itself.
    pub tool: String,
    /// The version of the tool.
    pub version: String,
    /// The date, as `2018-01-01T10:00:05Z`.
    pub date: Option<String>,
    /// A URL with details, `http://…` or `https://…`.
    pub reference: Option<String>,
}

pub use crate::mcc::techniques::TECHNIQUES;
