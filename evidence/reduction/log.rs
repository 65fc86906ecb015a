//! The log of a reduction: what was applied where, in an order that anybody can go through again.
//!
//! An entry is a rule and its candidate; the change follows from them and the net at that point, and so
//! do the conditions. [`redo`](super::redo()) starts from the original net, checks every condition of
//! every entry from scratch, and must end at the same reduced net. In its file form nodes go by name:
//! composed transitions as `#1`, `#2`, … in the order they came to be, the virtual place that
//! counts the firings of a protected transition `t` as `fired t`. Where the net has such names
//! itself, more `#` and more `fired` keep them apart.

use super::conditions::Candidate;
use super::fingerprint::Fingerprint;
use super::needs::{Needs, Preserve};
use super::rules;
use parikh_net::{Net, PlaceId, TransitionId, closest};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

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

    /// The log for a file. `net` is the one that was reduced, for `needs`, to `reduced`.
    pub fn to_file(&self, net: &Net, needs: &Needs, reduced: &Net) -> LogFile {
        let made_up = MadeUp::of(net);
        let place = |p: PlaceId| match p.index().checked_sub(net.place_count()) {
            None => net.place_name(p).to_owned(),
            Some(at) => {
                format!("{}{}", made_up.fired, net.transition_name(needs.protected[at]))
            }
        };
        let transition = |t: TransitionId| match t.index().checked_sub(net.transition_count()) {
            None => net.transition_name(t).to_owned(),
            Some(at) => format!("{}{}", made_up.composed, at + 1),
        };
        let needed = CLASSES.iter().filter(|(class, _)| needs.preserve.covers(*class));
        let step = |(rule, candidate): (&'static str, Candidate)| LogStep {
            rule: rule.to_owned(),
            places: candidate.places.into_iter().map(place).collect(),
            transitions: candidate.transitions.into_iter().map(transition).collect(),
            weights: candidate.weights,
        };
        LogFile {
            format: FORMAT.to_owned(),
            net: Fingerprint::of(net),
            reduced: Fingerprint::of(reduced),
            preserves: needed.map(|&(_, name)| name.to_owned()).collect(),
            support: needs.support.iter().map(|&p| place(p)).collect(),
            protected: needs.protected.iter().map(|&t| transition(t)).collect(),
            steps: self.steps().map(step).collect(),
        }
    }
}

/// The format of log files.
const FORMAT: &str = "parikh-reduction-log-1";

const CLASSES: [(Preserve, &str); 4] = [
    (Preserve::REACHABILITY, "reachability"),
    (Preserve::DEADLOCK, "deadlock"),
    (Preserve::LIVENESS, "liveness"),
    (Preserve::STUTTERING, "stuttering"),
];

/// How nodes are called that the net does not have: what goes before a number or a name.
struct MadeUp {
    composed: String,
    fired: String,
}

impl MadeUp {
    fn of(net: &Net) -> MadeUp {
        let mut made_up = MadeUp { composed: "#".to_owned(), fired: "fired ".to_owned() };
        let taken = |prefix: &str, name: &str| name.starts_with(prefix);
        while net.transitions().any(|t| taken(&made_up.composed, net.transition_name(t))) {
            made_up.composed.push('#');
        }
        while net.places().any(|p| taken(&made_up.fired, net.place_name(p))) {
            made_up.fired.push_str("fired ");
        }
        made_up
    }
}

/// A log in names, for a JSON file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogFile {
    /// Name and version of the format.
    pub format: String,
    /// The net that was reduced.
    pub net: Fingerprint,
    /// The net that came out.
    pub reduced: Fingerprint,
    /// The classes of questions preserved.
    pub preserves: Vec<String>,
    /// The places asked for.
    pub support: Vec<String>,
    /// The transitions asked for.
    pub protected: Vec<String>,
    /// The applications in order.
    pub steps: Vec<LogStep>,
}

/// One application, in names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogStep {
    /// The rule; its conditions are numbered in its documentation.
    pub rule: String,
    /// Places of the candidate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<String>,
    /// Transitions of the candidate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub transitions: Vec<String>,
    /// Multiplicities of the places; without them, all are 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weights: Vec<u32>,
}

/// Why a log is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LogError {
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
    /// No class of questions is named, so anything would do.
    #[error("the log says of nothing that it is preserved")]
    NothingPreserved,
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
    /// The rule does not preserve what was asked for.
    #[error("step {step}: rule `{rule}` does not preserve what is needed")]
    NotPreserved {
        /// From 1.
        step: usize,
        /// The rule.
        rule: String,
    },
    /// A condition of the rule does not hold there.
    #[error("step {step}: the conditions of rule `{rule}` do not hold")]
    ConditionFails {
        /// From 1.
        step: usize,
        /// The rule.
        rule: String,
    },
    /// The log ends at another net than it is said to.
    #[error("the log leads to another net")]
    OtherNet,
    /// Told to stop.
    #[error("not gone through to the end")]
    Stopped,
}

fn place_of(step: usize) -> String {
    if step == 0 { "head of the log".to_owned() } else { format!("step {step}") }
}

fn guess(hint: Option<&str>) -> String {
    hint.map_or(String::new(), |name| format!("; did you mean `{name}`?"))
}

impl LogFile {
    /// The log and the needs it was made for, in ids of `net`.
    ///
    /// # Errors
    /// When the log belongs to another net, or a name is not known.
    pub fn resolve(&self, net: &Net) -> Result<(Needs, Log), LogError> {
        if self.format != FORMAT {
            return Err(LogError::OtherFormat(self.format.clone()));
        }
        let found = Fingerprint::of(net);
        if found != self.net {
            let expected = Box::new(self.net.clone());
            return Err(LogError::OtherModel { expected, found: Box::new(found) });
        }
        let made_up = MadeUp::of(net);
        let unknown = |step: usize, name: &str, hint: Option<&str>| LogError::Unknown {
            step,
            name: name.to_owned(),
            hint: hint.map(str::to_owned),
        };
        let original = |step: usize, name: &str| {
            let names = || net.transitions().map(|t| net.transition_name(t));
            net.transition_named(name).ok_or_else(|| unknown(step, name, closest(name, names())))
        };
        let transition = |step: usize, name: &str| {
            let number = name.strip_prefix(&made_up.composed).and_then(|n| n.parse::<u32>().ok());
            let id = number.filter(|&n| n > 0).map(|n| net.transition_count() + n as usize - 1);
            match id.filter(|&id| u32::try_from(id).is_ok()) {
                // Whether there are so many is found out where the step is redone.
                Some(id) => Ok(TransitionId::new(id)),
                None => original(step, name),
            }
        };
        let mut needs = Needs::default();
        for name in &self.preserves {
            let class = CLASSES.iter().find(|(_, class)| class == name);
            let names = || CLASSES.iter().map(|&(_, name)| name);
            let class = class.ok_or_else(|| unknown(0, name, closest(name, names())))?.0;
            needs.preserve = needs.preserve | class;
        }
        if needs.preserve == Preserve::NOTHING {
            return Err(LogError::NothingPreserved);
        }
        let place = |step: usize, name: &str| {
            let names = || net.places().map(|p| net.place_name(p));
            net.place_named(name).ok_or_else(|| unknown(step, name, closest(name, names())))
        };
        for name in &self.support {
            needs.support.push(place(0, name)?);
        }
        for name in &self.protected {
            needs.protected.push(original(0, name)?);
        }
        let needs = needs.normalised();
        let counters: HashMap<TransitionId, PlaceId> = (net.place_count()..)
            .map(PlaceId::new)
            .zip(&needs.protected)
            .map(|(p, &t)| (t, p))
            .collect();
        let place = |step: usize, name: &str| {
            let fired = name.strip_prefix(&made_up.fired).and_then(|t| net.transition_named(t));
            match fired.and_then(|t| counters.get(&t)) {
                Some(&counter) => Ok(counter),
                None => place(step, name),
            }
        };
        let mut log = Log::default();
        for (at, step) in self.steps.iter().enumerate() {
            let names = || rules::ALL.iter().map(|rule| rule.name);
            let rule = rules::named(&step.rule);
            let rule =
                rule.ok_or_else(|| unknown(at + 1, &step.rule, closest(&step.rule, names())))?;
            let places = step.places.iter().map(|name| place(at + 1, name));
            let transitions = step.transitions.iter().map(|name| transition(at + 1, name));
            let candidate = Candidate {
                places: places.collect::<Result<_, _>>()?,
                transitions: transitions.collect::<Result<_, _>>()?,
                weights: step.weights.clone(),
            };
            log.push(rule.name, &candidate);
        }
        Ok((needs, log))
    }
}
