//! The results of an audit.

use super::ExhaustedLimit;
use parikh_net::Assumption;

/// The verdict on an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AuditVerdict {
    /// The evidence shows the answer. Contains a description of the evidence.
    Confirmed(String),
    /// The answer relies on a search that was not repeated to its end. Contains the reason.
    Searched(String),
    /// The auditor cannot judge the answer, because it does not support or cannot read the
    /// question. Or rebuilding the unfolding, or a proof from place invariants, exceeds a limit.
    /// Contains the reason.
    Unsupported(String),
    /// The auditor ran out of time or memory.
    Stopped(ExhaustedLimit),
    /// The evidence does not show the answer. Contains the reason.
    Refused(String),
}

/// An audited answer: its position in the evidence file, and the verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditedAnswer {
    /// The evidence file.
    pub file: String,
    /// The line of the answer, from 1.
    pub line: u64,
    /// The examination of the question, or `property` for a property of a parallel system.
    pub examination: String,
    /// The id of the question.
    pub id: String,
    /// The question in words; empty if it was not read.
    pub question: String,
    /// The value as written in the file.
    pub value: String,
    /// The verdict.
    pub verdict: AuditVerdict,
    /// True if the checked evidence assumes that the units of the model are safe. If all evidence
    /// was checked, also true if the answer states this assumption.
    pub assumes_units: bool,
    /// Assumptions about the model besides safe units, derived from the model.
    pub assumptions: Vec<Assumption>,
}

/// A problem with a file or with one of its lines. If it stops the reading of the file, the answers
/// before that line have verdicts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {what}")]
pub struct EvidenceFileError {
    /// The file.
    pub file: String,
    /// The line, from 1; 0 for the whole file.
    pub line: u64,
    /// The problem.
    pub what: String,
}

/// A file about a state space without some of its figures.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}: the evidence about the state space lacks {}", missing.join(", "))]
pub struct MissingFigures {
    /// The file.
    pub file: String,
    /// The names of the missing figures, as in the contest, sorted.
    pub missing: Vec<String>,
}

/// The results of an audit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditReport {
    /// The verdicts, file by file.
    pub judged: Vec<AuditedAnswer>,
    /// The number of questions of the audited files that have no answer. A file in which the audit
    /// stopped does not count.
    pub unanswered: usize,
    /// The files about a state space without all figures.
    pub incomplete: Vec<MissingFigures>,
    /// The files that are empty or end in the middle of a line, as after an interrupted run. The
    /// complete lines were read.
    pub cut_short: Vec<EvidenceFileError>,
    /// Files that no successful run leaves behind. A file may be named after another examination,
    /// have two answers to one question, or lack answers that were printed.
    pub irregular: Vec<EvidenceFileError>,
    /// The position where the audit stopped for lack of time or memory, after which nothing is
    /// checked. `None` if the audit ran to the end, and in audits of parallel systems.
    pub stopped: Option<(EvidenceFileError, ExhaustedLimit)>,
}

impl AuditReport {
    /// Adds the results of another audit.
    pub fn extend(&mut self, other: AuditReport) {
        self.judged.extend(other.judged);
        self.unanswered += other.unanswered;
        self.incomplete.extend(other.incomplete);
        self.cut_short.extend(other.cut_short);
        self.irregular.extend(other.irregular);
        self.stopped = self.stopped.take().or(other.stopped);
    }
}
