//! The lines of an evidence file, as they are read: see [`crate::file`] for the format. Of a line that others
//! may refer to, only its id is read at first.

use crate::file::{Answer, Header};
use serde::Deserialize;
use serde::de::IgnoredAny;

/// Any line, of which as much is read as is needed to find it again.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Line {
    /// The first line.
    Evidence(Header),
    /// The second line, about a coloured model; whoever made the net has read it.
    Unfolding(IgnoredAny),
    Trace(Named),
    Pump(Named),
    Reduction(Named),
    Document(Named),
    Answer(Box<Answer>),
}

/// Something to be referred to.
#[derive(Debug, Deserialize)]
pub(super) struct Named {
    pub(super) id: String,
}

/// Transitions by name, and how often each fires in a row.
pub(super) type Steps = Vec<(String, u64)>;

/// A firing sequence from the initial marking.
#[derive(Debug, Deserialize)]
pub(super) struct Trace {
    pub(super) steps: Steps,
}

/// A firing sequence from the initial marking, and what can repeat for ever after it.
#[derive(Debug, Deserialize)]
pub(super) struct Pump {
    pub(super) prefix: Steps,
    pub(super) pump: Steps,
}
