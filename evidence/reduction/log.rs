//! A reduction written down: what was applied where, in an order that anybody can go through again.
//!
//! A step is a rule and its candidate; the change follows from them and the net at that point, and
//! so do the conditions. [`redo`](super::redo()) starts from the original net and checks every
//! condition of every step from scratch. Nodes go by name: composed transitions as `#1`, `#2`, … in
//! the order they came to be, the virtual place that counts the firings of a protected transition
//! `t` as `fired t`. Where the net has such names itself, more `#` and more `fired` keep them
//! apart.

use super::conditions::Candidate;
use super::needs::{Needs, Preserve};
use parikh_net::printable::Quoted;
use parikh_net::{Net, PlaceId, TransitionId};
use serde::{Deserialize, Serialize};

/// The names of the classes.
pub const CLASSES: [(Preserve, &str); 4] = [
    (Preserve::REACHABILITY, "reachability"),
    (Preserve::DEADLOCK, "deadlock"),
    (Preserve::LIVENESS, "liveness"),
    (Preserve::MARKINGS, "markings"),
];

/// How nodes are called that the net does not have: what goes before a number or a name.
#[derive(Clone, Debug)]
pub struct MadeUp {
    /// Before the number of a composed transition.
    pub composed: String,
    /// Before the name of a protected transition.
    pub fired: String,
}

impl MadeUp {
    /// Names that `net` does not have.
    pub fn of(net: &Net) -> MadeUp {
        let places = || net.places().map(|p| net.place_name(p));
        let names = places().chain(net.transitions().map(|t| net.transition_name(t)));
        MadeUp { composed: beyond("#", names), fired: beyond("fired ", places()) }
    }

    /// The name of the composed transition `t` of a net that had so many.
    pub fn composed(&self, t: TransitionId, original: usize) -> String {
        format!("{}{}", self.composed, t.index() + 1 - original)
    }

    /// The place of this name in the working net of `net` for `needs`.
    fn place(&self, net: &Net, needs: &Needs, name: &str) -> Option<PlaceId> {
        let fired = name.strip_prefix(&*self.fired).and_then(|t| net.transition_named(t));
        match fired.and_then(|t| needs.protected.binary_search(&t).ok()) {
            Some(at) => Some(PlaceId::new(net.place_count() + at)),
            None => net.place_named(name),
        }
    }

    /// The transition of this name. Whether there are so many composed ones is found out where the
    /// step is redone.
    fn transition(&self, net: &Net, name: &str) -> Option<TransitionId> {
        let number = name.strip_prefix(&*self.composed).and_then(|n| n.parse::<u32>().ok());
        match number.and_then(|n| n.checked_sub(1)) {
            Some(at) => {
                let id = net.transition_count() + at as usize;
                u32::try_from(id).is_ok().then(|| TransitionId::new(id))
            }
            None => net.transition_named(name),
        }
    }
}

/// The first of `mark`, `mark` twice, … with which none of the names begins.
fn beyond<'n>(mark: &str, names: impl Iterator<Item = &'n str>) -> String {
    let marks = |name: &str| (name.len() - name.trim_start_matches(mark).len()) / mark.len();
    mark.repeat(1 + names.map(marks).max().unwrap_or(0))
}

/// A reduction in names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedLog {
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

/// Why a reduction is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LogError {
    /// No class of questions is named, so anything would do.
    #[error("the log says of nothing that it is preserved")]
    NothingPreserved,
    /// A name is no rule, class or node.
    #[error("step {step} (0 is the head): {} is not known", Quoted(.name))]
    Unknown {
        /// From 1; 0 is the head of the log.
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
        rule: &'static str,
    },
    /// A condition of the rule does not hold there.
    #[error("step {step}: the conditions of rule `{rule}` do not hold")]
    ConditionFails {
        /// From 1.
        step: usize,
        /// The rule.
        rule: &'static str,
    },
    /// The log ends at no net, or another one than it is said to.
    #[error("the log leads to another net")]
    OtherNet,
    /// Told to stop.
    #[error("not gone through to the end")]
    Stopped,
}

impl NamedLog {
    /// What the reduction was made for, in ids of `net`.
    ///
    /// # Errors
    /// When a name is not known, or nothing is preserved.
    pub fn needs(&self, net: &Net) -> Result<Needs, LogError> {
        let unknown = |name: &str| LogError::Unknown { step: 0, name: name.to_owned() };
        let mut needs = Needs::default();
        for name in &self.preserves {
            let class = CLASSES.iter().find(|(_, class)| class == name);
            needs.preserve = needs.preserve.and(class.ok_or_else(|| unknown(name))?.0);
        }
        if needs.preserve == Preserve::NOTHING {
            return Err(LogError::NothingPreserved);
        }
        for name in &self.support {
            needs.support.push(net.place_named(name).ok_or_else(|| unknown(name))?);
        }
        for name in &self.protected {
            needs.protected.push(net.transition_named(name).ok_or_else(|| unknown(name))?);
        }
        Ok(needs.normalised())
    }

    /// The applications, in ids of the working net of `net` for `needs`.
    pub fn steps<'a>(
        &'a self,
        net: &'a Net,
        needs: &'a Needs,
    ) -> impl Iterator<Item = Result<(&'a str, Candidate), LogError>> {
        let made_up = MadeUp::of(net);
        self.steps.iter().zip(1..).map(move |(step, number)| {
            let unknown = |name: &str| LogError::Unknown { step: number, name: name.to_owned() };
            let place =
                |name: &String| made_up.place(net, needs, name).ok_or_else(|| unknown(name));
            let transition =
                |name: &String| made_up.transition(net, name).ok_or_else(|| unknown(name));
            let candidate = Candidate {
                places: step.places.iter().map(place).collect::<Result<_, _>>()?,
                transitions: step.transitions.iter().map(transition).collect::<Result<_, _>>()?,
                weights: step.weights.clone(),
            };
            Ok((&*step.rule, candidate))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::NetBuilder;

    #[test]
    fn made_up_names_are_none_of_the_net() {
        let made_up = |places: &[&str], transitions: &[&str]| {
            let mut net = NetBuilder::new("");
            places.iter().for_each(|name| _ = net.place(name, 0).unwrap());
            transitions.iter().for_each(|name| _ = net.transition(name).unwrap());
            let MadeUp { composed, fired } = MadeUp::of(&net.build().unwrap());
            [composed, fired]
        };
        assert_eq!(made_up(&["p"], &["t"]), ["#", "fired "]);
        assert_eq!(made_up(&["p", "##1"], &["#x"]), ["###", "fired "]);
        assert_eq!(made_up(&["fired t", "x#"], &["fired fired t", "#"]), ["##", "fired fired "]);
        assert_eq!(made_up(&["fired fired ", "fired"], &["t"]), ["#", "fired fired fired "]);
    }
}
