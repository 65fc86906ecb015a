//! The log of a reduction: what was applied where, in an order that anybody can go through again.
//!
//! An entry is a rule and its focus; the change follows from them and the net at that point, and so
//! do the conditions. [`recheck`] starts from the original net, checks every condition of every
//! entry from scratch, and must end at the same reduced net. In its file form nodes go by name:
//! composed transitions as `#1`, `#2`, … in the order they came to be, the virtual place that
//! counts the firings of a protected transition `t` as `fired t`.

use super::needs::{Needs, Preserve};
use super::rebuild::rebuild;
use super::rule::Focus;
use super::rules;
use crate::net::{Net, PlaceId, TransitionId};
use serde::{Deserialize, Serialize};

/// The applications in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Log {
    entries: Vec<Entry>,
    /// The nodes of all foci, one after the other.
    nodes: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    rule: &'static str,
    places: u32,
    transitions: u32,
}

impl Log {
    pub(super) fn push(&mut self, rule: &'static str, focus: &Focus) {
        self.nodes.extend(focus.places.iter().map(|p| p.index() as u32));
        self.nodes.extend(focus.transitions.iter().map(|t| t.index() as u32));
        let (places, transitions) = (focus.places.len() as u32, focus.transitions.len() as u32);
        self.entries.push(Entry { rule, places, transitions });
    }

    /// The number of applications.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether nothing was applied.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Rule and focus of each application.
    pub fn steps(&self) -> impl Iterator<Item = (&'static str, Focus)> {
        let mut rest = &self.nodes[..];
        self.entries.iter().map(move |entry| {
            let (places, more) = rest.split_at(entry.places as usize);
            let (transitions, more) = more.split_at(entry.transitions as usize);
            rest = more;
            let focus = Focus {
                places: places.iter().map(|&p| PlaceId::new(p as usize)).collect(),
                transitions: transitions.iter().map(|&t| TransitionId::new(t as usize)).collect(),
            };
            (entry.rule, focus)
        })
    }

    /// The log for a file. `net` is the one that was reduced, for `needs`.
    pub fn to_file(&self, net: &Net, needs: &Needs) -> LogFile {
        let place = |p: PlaceId| match p.index().checked_sub(net.place_count()) {
            None => net.place_name(p).to_owned(),
            Some(at) => format!("fired {}", net.transition_name(needs.protected[at])),
        };
        let transition = |t: TransitionId| match t.index().checked_sub(net.transition_count()) {
            None => net.transition_name(t).to_owned(),
            Some(at) => format!("#{}", at + 1),
        };
        let classes = [
            (Preserve::REACHABILITY, "reachability"),
            (Preserve::DEADLOCK, "deadlock"),
            (Preserve::LIVENESS, "liveness"),
            (Preserve::STUTTERING, "stuttering"),
        ];
        let needed = classes.iter().filter(|(class, _)| needs.preserve.covers(*class));
        let step = |(rule, focus): (&'static str, Focus)| LogStep {
            rule: rule.to_owned(),
            places: focus.places.into_iter().map(place).collect(),
            transitions: focus.transitions.into_iter().map(transition).collect(),
        };
        LogFile {
            net: net.name().to_owned(),
            preserves: needed.map(|&(_, name)| name.to_owned()).collect(),
            support: needs.support.iter().map(|&p| place(p)).collect(),
            protected: needs.protected.iter().map(|&t| transition(t)).collect(),
            steps: self.steps().map(step).collect(),
        }
    }
}

/// A log in names, for a JSON file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogFile {
    /// Name of the net.
    pub net: String,
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
    /// Places of the focus.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<String>,
    /// Transitions of the focus.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub transitions: Vec<String>,
}

/// Why a log is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LogError {
    /// A name is no rule, class or node.
    #[error("step {step}: `{name}` is not known")]
    Unknown {
        /// From 1; 0 is the head of the file.
        step: usize,
        /// The name.
        name: String,
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
}

impl LogFile {
    /// The log and the needs it was made for, in ids of `net`.
    ///
    /// # Errors
    /// When a name is not known.
    pub fn resolve(&self, net: &Net) -> Result<(Needs, Log), LogError> {
        let unknown = |step: usize, name: &str| LogError::Unknown { step, name: name.to_owned() };
        let transition = |step, name: &str| {
            let composed = name.strip_prefix('#').and_then(|number| number.parse::<u32>().ok());
            let id = net.transition_named(name).or_else(|| match composed {
                Some(number @ 1..) => {
                    Some(TransitionId::new(net.transition_count() + number as usize - 1))
                }
                _ => None,
            });
            id.ok_or_else(|| unknown(step, name))
        };
        let mut needs = Needs::default();
        for name in &self.preserves {
            let class = match name.as_str() {
                "reachability" => Preserve::REACHABILITY,
                "deadlock" => Preserve::DEADLOCK,
                "liveness" => Preserve::LIVENESS,
                "stuttering" => Preserve::STUTTERING,
                _ => return Err(unknown(0, name)),
            };
            needs.preserve = needs.preserve | class;
        }
        for name in &self.support {
            needs.support.push(net.place_named(name).ok_or_else(|| unknown(0, name))?);
        }
        for name in &self.protected {
            needs.protected.push(transition(0, name)?);
        }
        let place = |step, name: &str| {
            let counter = || {
                let t = net.transition_named(name.strip_prefix("fired ")?)?;
                let at = needs.protected.iter().position(|&other| other == t)?;
                Some(PlaceId::new(net.place_count() + at))
            };
            net.place_named(name).or_else(counter).ok_or_else(|| unknown(step, name))
        };
        let mut log = Log::default();
        for (at, step) in self.steps.iter().enumerate() {
            let rule = rules::NAMES.iter().find(|name| **name == step.rule);
            let rule = rule.ok_or_else(|| unknown(at + 1, &step.rule))?;
            let places = step.places.iter().map(|name| place(at + 1, name));
            let transitions = step.transitions.iter().map(|name| transition(at + 1, name));
            let focus = Focus {
                places: places.collect::<Result<_, _>>()?,
                transitions: transitions.collect::<Result<_, _>>()?,
            };
            log.push(rule, &focus);
        }
        Ok((needs, log))
    }
}

/// Goes through a log from the original net and checks every condition again. The net it leads to
/// has to be `reduced`.
///
/// # Errors
/// With the first step that does not hold.
pub fn recheck(net: &Net, needs: &Needs, log: &Log, reduced: &Net) -> Result<(), LogError> {
    let rebuilt = rebuild(net, needs, log)?;
    let same = crate::net::text::print(&rebuilt.net) == crate::net::text::print(reduced);
    if same { Ok(()) } else { Err(LogError::OtherNet) }
}
