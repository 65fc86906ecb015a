//! The lines of an evidence file, format `parikh-evidence-1`: one JSON object each.
//!
//! The first says what the file is about; every line that another refers to comes before it. Names and
//! ids are strings, a step is a transition and how often it fires in a row. Fields that only people
//! read (`because`, `searched` in words) may come and go; nothing depends on them.

use serde::Deserialize;

/// What this version of the format is called.
pub const FORMAT: &str = "parikh-evidence-1";

/// Any line, of which as much is read as is needed to find it again.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Line {
    /// The first line.
    Evidence(Header),
    Trace(Named),
    Pump(Named),
    Reduction(Named),
    Document(Named),
    Answer(Answer),
}

/// What the file is about.
#[derive(Debug, Deserialize)]
pub(super) struct Header {
    pub(super) format: String,
    pub(super) net: String,
    pub(super) places: usize,
    pub(super) transitions: usize,
    pub(super) examination: String,
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

/// An answer and the list of what shows it.
#[derive(Debug, Deserialize)]
pub(super) struct Answer {
    pub(super) id: String,
    pub(super) value: String,
    #[serde(default)]
    pub(super) assumes: Vec<String>,
    #[serde(default)]
    pub(super) searched: Option<Searched>,
    #[serde(default)]
    pub(super) shown_by: Vec<Shown>,
}

/// An exhaustive search, whose word is all there is.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Searched {
    pub(super) markings: u64,
    /// Whether markings were left out that cannot matter to the question.
    pub(super) stubborn: bool,
}

/// A reference to evidence.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case", untagged)]
pub(super) enum Shown {
    Trace {
        trace: String,
        /// The number of firings after which to look; nothing for all along the trace.
        #[serde(default)]
        after: Option<u64>,
    },
    Pump {
        pump: String,
    },
    Document {
        document: String,
    },
}
