//! The log of a reduction: its applications in packed form, and as a file.
//!
//! The form of a step, its representation in names and its replay belong to the checker:
//! [`parikh_evidence::reduction::log`]. A file also identifies the nets at the start and the end of
//! the log, so that it is not used with other nets.

use super::fingerprint::Fingerprint;
use parikh_evidence::reduction::log::CLASS_NAMES;
use parikh_evidence::reduction::{
    Candidate, LogError, LogStep, NamePrefixes, NamedLog, Needs, rules,
};
use parikh_net::{Net, PlaceId, TransitionId, closest};
use serde::{Deserialize, Serialize};

/// The rule applications of a reduction, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Log {
    /// The rule of each application, with the sizes of its candidate.
    entries: Vec<LogEntry>,
    /// The data of all candidates, one after another: the indices of places, the indices of
    /// transitions, and the multiplicities.
    numbers: Vec<u32>,
}

/// The rule of an application, with the numbers of places, transitions and multiplicities of its
/// candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LogEntry {
    /// The rule's name.
    rule: &'static str,
    /// Number of places of the candidate.
    places: u32,
    /// Number of transitions of the candidate.
    transitions: u32,
    /// Number of multiplicities of the candidate.
    weights: u32,
}

impl Log {
    /// Appends an application.
    pub fn push(&mut self, rule: &'static str, candidate: &Candidate) {
        self.numbers.extend(candidate.places.iter().map(|p| p.index() as u32));
        self.numbers.extend(candidate.transitions.iter().map(|t| t.index() as u32));
        self.numbers.extend(&candidate.weights);
        let (places, transitions) =
            (candidate.places.len() as u32, candidate.transitions.len() as u32);
        let weights = candidate.weights.len() as u32;
        self.entries.push(LogEntry { rule, places, transitions, weights });
    }

    /// Returns the number of applications.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns true if nothing was applied.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Iterates over the rule and the candidate of each application.
    pub fn steps(&self) -> impl Iterator<Item = (&'static str, Candidate)> {
        let mut remaining = &self.numbers[..];
        self.entries.iter().map(move |entry| {
            let (places, tail) = remaining.split_at(entry.places as usize);
            let (transitions, tail) = tail.split_at(entry.transitions as usize);
            let (weights, tail) = tail.split_at(entry.weights as usize);
            remaining = tail;
            let candidate = Candidate {
                places: places.iter().map(|&p| PlaceId::new(p as usize)).collect(),
                transitions: transitions.iter().map(|&t| TransitionId::new(t as usize)).collect(),
                weights: weights.to_vec(),
            };
            (entry.rule, candidate)
        })
    }

    /// Returns the log with the names of nodes in place of their indices. `net` is the net that was
    /// reduced for `needs`.
    pub fn in_names(&self, net: &Net, needs: &Needs) -> NamedLog {
        let prefixes = NamePrefixes::of(net);
        let place = |p: PlaceId| match p.index().checked_sub(net.place_count()) {
            None => net.place_name(p).to_owned(),
            Some(protected_index) => format!(
                "{}{}",
                prefixes.fired,
                net.transition_name(needs.protected[protected_index])
            ),
        };
        let transition = |t: TransitionId| match t.index() < net.transition_count() {
            true => net.transition_name(t).to_owned(),
            false => prefixes.composed(t, net.transition_count()),
        };
        let needed = CLASS_NAMES.iter().filter(|(class, _)| needs.preserve.covers(*class));
        let step = |(rule, candidate): (&'static str, Candidate)| LogStep {
            rule: rule.to_owned(),
            places: candidate.places.into_iter().map(place).collect(),
            transitions: candidate.transitions.into_iter().map(transition).collect(),
            weights: candidate.weights,
        };
        NamedLog {
            preserves: needed.map(|&(_, name)| name.to_owned()).collect(),
            support: needs.support.iter().map(|&p| place(p)).collect(),
            protected: needs.protected.iter().map(|&t| transition(t)).collect(),
            steps: self.steps().map(step).collect(),
        }
    }

    /// Returns the contents of the log file of a reduction of `net` to `reduced` for `needs`.
    pub fn to_file(&self, net: &Net, needs: &Needs, reduced: &Net) -> LogFile {
        LogFile {
            format: FORMAT.to_owned(),
            net: Fingerprint::of(net),
            reduced: Fingerprint::of(reduced),
            log: self.in_names(net, needs),
        }
    }
}

/// The format of log files.
const FORMAT: &str = "parikh-reduction-log-2";

/// A log in names, for a JSON file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogFile {
    /// Name and version of the format.
    pub format: String,
    /// The fingerprint of the original net.
    pub net: Fingerprint,
    /// The fingerprint of the reduced net.
    pub reduced: Fingerprint,
    /// The reduction in names instead of ids: the questions that it preserves, and the applied
    /// rules in order.
    #[serde(flatten)]
    pub log: NamedLog,
}

/// The reason why a log file cannot be used with a net.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LogFileError {
    /// The file has another format version.
    #[error("the log has the format `{0}`, expected `{FORMAT}`")]
    OtherFormat(String),
    /// The log was written for another net.
    #[error("the log belongs to another net: it was written for {expected}; this is {found}")]
    OtherModel {
        /// The fingerprint in the log.
        expected: Box<Fingerprint>,
        /// The fingerprint of the given net.
        found: Box<Fingerprint>,
    },
    /// The log contains a name that the net or the rules do not have: no rule, class of questions,
    /// place or transition of the expected kind has this name.
    #[error("{}: `{name}` is unknown{}", place_of(*step), hint_text(hint.as_deref()))]
    Unknown {
        /// The step, counted from 1. 0 means the lists before the steps: preserved classes of
        /// questions, support and protected transitions.
        step: usize,
        /// The unknown name.
        name: String,
        /// The most similar known name; `None` if no known name is similar.
        hint: Option<String>,
    },
    /// The log preserves no question.
    #[error(transparent)]
    Log(LogError),
}

/// Returns the position of an error in the file: the header or a step.
fn place_of(step: usize) -> String {
    if step == 0 { "head of the log".to_owned() } else { format!("step {step}") }
}

/// Returns the hint as the end of an error message.
fn hint_text(hint: Option<&str>) -> String {
    hint.map_or(String::new(), |name| format!("; did you mean `{name}`?"))
}

/// Converts an error. To the error for an unknown name, adds the most similar known name.
fn with_hint(net: &Net, error: LogError) -> LogFileError {
    let LogError::Unknown { step, name } = error else { return LogFileError::Log(error) };
    let classes = CLASS_NAMES.iter().map(|&(_, name)| name);
    let rules = rules::ALL.iter().map(|rule| rule.name);
    let places = net.places().map(|p| net.place_name(p));
    let transitions = net.transitions().map(|t| net.transition_name(t));
    let known_names = classes.chain(rules).chain(places).chain(transitions);
    let hint = closest(&name, known_names).map(str::to_owned);
    LogFileError::Unknown { step, name, hint }
}

impl LogFile {
    /// Returns the needs, that is, the questions that the reduction preserves, and the log in ids
    /// of `net`. The conditions of the steps are not checked.
    ///
    /// # Errors
    /// Returns an error if the file has another format, or if the log belongs to another net. Also
    /// returns an error if a name is unknown or the log preserves no question.
    pub fn resolve(&self, net: &Net) -> Result<(Needs, Log), LogFileError> {
        if self.format != FORMAT {
            return Err(LogFileError::OtherFormat(self.format.clone()));
        }
        let found = Fingerprint::of(net);
        if found != self.net {
            let expected = Box::new(self.net.clone());
            return Err(LogFileError::OtherModel { expected, found: Box::new(found) });
        }
        self.in_ids(net).map_err(|error| with_hint(net, error))
    }

    /// Returns the needs, that is, the questions that the reduction preserves, and the log in ids
    /// of `net`. The caller has checked that the log belongs to `net`.
    fn in_ids(&self, net: &Net) -> Result<(Needs, Log), LogError> {
        let needs = self.log.needs(net)?;
        let mut log = Log::default();
        for (step, named) in (1..).zip(self.log.steps(net, &needs)) {
            let (name, candidate) = named?;
            let unknown = || LogError::Unknown { step, name: name.to_owned() };
            log.push(rules::rule_named(name).ok_or_else(unknown)?.name, &candidate);
        }
        Ok((needs, log))
    }
}
