//! What an audit found.

use super::OutOf;
use parikh_net::Assumption;

/// What became of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The evidence shows it: by what.
    Confirmed(String),
    /// It rests on a search that was not made again: why not.
    Searched(String),
    /// The question is of a kind that this program does not know.
    Beyond(String),
    /// There was not enough time or memory to look at the evidence to its end.
    Stopped(OutOf),
    /// The evidence does not show it: why not.
    Refused(String),
}

/// One answer with its verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// The file it stands in.
    pub file: String,
    /// Its line, from 1.
    pub line: u64,
    /// What was asked: an examination, and of its questions the one with this `id`.
    pub examination: String,
    /// The id of the question.
    pub id: String,
    /// The question as it was read, in words; empty where the examination says it.
    pub question: String,
    /// The value as the file has it.
    pub value: String,
    /// What became of it.
    pub verdict: Verdict,
    /// Whether it assumes that the units of the model are safe.
    pub assumes_units: bool,
    /// Everything else that is assumed about the model, found in the model.
    pub assumptions: Vec<Assumption>,
}

/// Why a file cannot be read on. The answers before that line have their verdicts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {what}")]
pub struct Broken {
    /// The file.
    pub file: String,
    /// The line, from 1; 0 for the file as a whole.
    pub line: u64,
    /// What is wrong.
    pub what: String,
}

/// A file about a state space that says nothing of some of its figures.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}: of the state space there is nothing about {}", missing.join(", "))]
pub struct Incomplete {
    /// The file.
    pub file: String,
    /// The figures, in the contest's words, by name.
    pub missing: Vec<String>,
}

/// What an audit found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The verdicts, in the order of the files.
    pub judged: Vec<Judged>,
    /// How many questions of the query files had no answer.
    pub unanswered: usize,
    /// The files about a state space without all of its figures.
    pub incomplete: Vec<Incomplete>,
    /// The files that end in the middle of a line, as an interrupted run leaves them. All that
    /// could be read was read; nothing refers to what could not.
    pub cut_short: Vec<Broken>,
    /// Files that are not what a run leaves behind that went well: named after another examination,
    /// with two answers to one question, or without some of the answers that were printed.
    pub irregular: Vec<Broken>,
    /// Where the audit stopped for want of time or memory; nothing after that was looked at.
    pub stopped: Option<(Broken, OutOf)>,
}

impl Report {
    /// Adds what another audit found.
    pub fn extend(&mut self, other: Report) {
        self.judged.extend(other.judged);
        self.unanswered += other.unanswered;
        self.incomplete.extend(other.incomplete);
        self.cut_short.extend(other.cut_short);
        self.irregular.extend(other.irregular);
        self.stopped = self.stopped.take().or(other.stopped);
    }
}
