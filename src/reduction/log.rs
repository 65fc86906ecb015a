//! The log of a reduction: what was applied where, packed; and as a file.
//!
//! What a step is, how it reads in names and how it is gone through again is the checker's:
//! [`parikh_evidence::reduction::log`]. A file says besides which net the log begins and ends with,
//! so that it is not used with others.

use super::fingerprint::Fingerprint;
use parikh_evidence::reduction::log::CLASSES;
use parikh_evidence::reduction::{Candidate, LogError, LogStep, MadeUp, NamedLog, Needs, rules};
use parikh_net::{Net, PlaceId, TransitionId, closest};
use serde::{Deserialize, Serialize};

/// The applications in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Log {
    entries: Vec<Entry>,
    /// The places, transitions and multiplicities of all candidates, one after the other.
    nodes: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    rule: &'static str,
    places: u32,
    transitions: u32,
    weights: u32,
}

impl Log {
    /// Appends an application.
    pub fn push(&mut self, rule: &'static str, candidate: &Candidate) {
        self.nodes.extend(candidate.places.iter().map(|p| p.index() as u32));
        self.nodes.extend(candidate.transitions.iter().map(|t| t.index() as u32));
        self.nodes.extend(&candidate.weights);
        let (places, transitions) =
            (candidate.places.len() as u32, candidate.transitions.len() as u32);
        let weights = candidate.weights.len() as u32;
        self.entries.push(Entry { rule, places, transitions, weights });
    }

    /// The number of applications.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether nothing was applied.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Rule and candidate of each application.
    pub fn steps(&self) -> impl Iterator<Item = (&'static str, Candidate)> {
        let mut rest = &self.nodes[..];
        self.entries.iter().map(move |entry| {
            let (places, more) = rest.split_at(entry.places as usize);
            let (transitions, more) = more.split_at(entry.transitions as usize);
            let (weights, more) = more.split_at(entry.weights as usize);
            rest = more;
            let candidate = Candidate {
                places: places.iter().map(|&p| PlaceId::new(p as usize)).collect(),
                transitions: transitions.iter().map(|&t| TransitionId::new(t as usize)).collect(),
                weights: weights.to_vec(),
            };
            (entry.rule, candidate)
        })
    }

    /// The log in names. `net` is the one that was reduced for `needs`.
    pub fn in_names(&self, net: &Net, needs: &Needs) -> NamedLog {
        let made_up = MadeUp::of(net);
        let place = |p: PlaceId| match p.index().checked_sub(net.place_count()) {
            None => net.place_name(p).to_owned(),
            Some(at) => format!("{}{}", made_up.fired, net.transition_name(needs.protected[at])),
        };
        let transition = |t: TransitionId| match t.index() < net.transition_count() {
            true => net.transition_name(t).to_owned(),
            false => made_up.composed(t, net.transition_count()),
        };
        let needed = CLASSES.iter().filter(|(class, _)| needs.preserve.covers(*class));
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

    /// The log for a file. `net` is the one that was reduced, for `needs`, to `reduced`.
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
    /// The net that was reduced.
    pub net: Fingerprint,
    /// The net that came out.
    pub reduced: Fingerprint,
    /// The rest.
    #[serde(flatten)]
    pub log: NamedLog,
}

/// Why a log in a file is not one of a net.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LogFileError {
    /// The file is of another version.
    #[error("the log has the format `{0}`, expected `{FORMAT}`")]
    OtherFormat(String),
    /// The log was written for another net.
    #[error("the log belongs to another net: it was written for {expected}; this is {found}")]
    OtherModel {
        /// That of the log.
        expected: Box<Fingerprint>,
        /// That of the net at hand.
        found: Box<Fingerprint>,
    },
    /// A name is no rule, class or node.
    #[error("{}: `{name}` is not known{}", place_of(*step), guess(hint.as_deref()))]
    Unknown {
        /// From 1; 0 is the head of the file.
        step: usize,
        /// The name.
        name: String,
        /// What was probably meant.
        hint: Option<String>,
    },
    /// Nothing is preserved.
    #[error(transparent)]
    Log(LogError),
}

fn place_of(step: usize) -> String {
    if step == 0 { "head of the log".to_owned() } else { format!("step {step}") }
}

fn guess(hint: Option<&str>) -> String {
    hint.map_or(String::new(), |name| format!("; did you mean `{name}`?"))
}

/// The error, with what was probably meant.
fn hinted(net: &Net, error: LogError) -> LogFileError {
    let LogError::Unknown { step, name } = error else { return LogFileError::Log(error) };
    let classes = CLASSES.iter().map(|&(_, name)| name);
    let rules = rules::ALL.iter().map(|rule| rule.name);
    let places = net.places().map(|p| net.place_name(p));
    let transitions = net.transitions().map(|t| net.transition_name(t));
    let known = classes.chain(rules).chain(places).chain(transitions);
    let hint = closest(&name, known).map(str::to_owned);
    LogFileError::Unknown { step, name, hint }
}

impl LogFile {
    /// The log and the needs it was made for, in ids of `net`.
    ///
    /// # Errors
    /// When the log belongs to another net, or a name is not known.
    pub fn resolve(&self, net: &Net) -> Result<(Needs, Log), LogFileError> {
        if self.format != FORMAT {
            return Err(LogFileError::OtherFormat(self.format.clone()));
        }
        let found = Fingerprint::of(net);
        if found != self.net {
            let expected = Box::new(self.net.clone());
            return Err(LogFileError::OtherModel { expected, found: Box::new(found) });
        }
        self.in_ids(net).map_err(|error| hinted(net, error))
    }

    fn in_ids(&self, net: &Net) -> Result<(Needs, Log), LogError> {
        let needs = self.log.needs(net)?;
        let mut log = Log::default();
        for (step, named) in (1..).zip(self.log.steps(net, &needs)) {
            let (name, candidate) = named?;
            let unknown = || LogError::Unknown { step, name: name.to_owned() };
            log.push(rules::named(name).ok_or_else(unknown)?.name, &candidate);
        }
        Ok((needs, log))
    }
}
