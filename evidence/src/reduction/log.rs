//! The log of a reduction: its applications in order, which a checker can check again.
//!
//! A step is a rule and its candidate. The change follows from these and from the current net, and
//! so does the truth of the conditions. [`redo`](super::redo()) starts from the original net and
//! checks every condition of every step. Places and transitions are given by name. Composed
//! transitions are called `#1`, `#2`, … in the order of their creation. The virtual place that
//! counts the firings of a protected transition `t` is called `fired t`. If the net already uses
//! such names, more `#` or `fired` are put in front.

use super::conditions::Candidate;
use super::needs::{Needs, Preserve};
use parikh_net::printable::Quoted;
use parikh_net::{BuildError, Net, PlaceId, TransitionId};
use serde::{Deserialize, Serialize};

/// The names of the classes of questions.
pub const CLASS_NAMES: [(Preserve, &str); 4] = [
    (Preserve::REACHABILITY, "reachability"),
    (Preserve::DEADLOCK, "deadlock"),
    (Preserve::LIVENESS, "liveness"),
    (Preserve::MARKINGS, "markings"),
];

/// The prefixes with which a log names composed transitions and virtual places. No name of the net
/// begins with them.
#[derive(Clone, Debug)]
pub struct NamePrefixes {
    /// The prefix of composed transitions. The number of the transition follows.
    pub composed: String,
    /// The prefix of virtual places. The name of the protected transition follows.
    pub fired: String,
}

impl NamePrefixes {
    /// Returns a prefix for composed transitions with which no name of `net` begins, and a prefix
    /// for virtual places with which no name of a place begins.
    pub fn of(net: &Net) -> NamePrefixes {
        let places = || net.places().map(|p| net.place_name(p));
        let names = places().chain(net.transitions().map(|t| net.transition_name(t)));
        NamePrefixes {
            composed: unused_prefix("#", names),
            fired: unused_prefix("fired ", places()),
        }
    }

    /// Returns the name of the composed transition `t`, for a net with `original` original
    /// transitions.
    pub fn composed(&self, t: TransitionId, original: usize) -> String {
        format!("{}{}", self.composed, t.index() + 1 - original)
    }

    /// Returns the place with this name in the working net of `net` for `needs`. The prefix `fired`
    /// stands for the virtual place of a protected transition. Returns `None` if there is no such
    /// place.
    fn place(&self, net: &Net, needs: &Needs, name: &str) -> Option<PlaceId> {
        let fired = name.strip_prefix(&*self.fired).and_then(|t| net.transition_named(t));
        match fired.and_then(|t| needs.protected.binary_search(&t).ok()) {
            Some(index) => Some(PlaceId::new(net.place_count() + index)),
            None => net.place_named(name),
        }
    }

    /// Returns the transition with this name: a composed transition or a transition of `net`.
    /// Returns `None` if `net` has no transition with the name, or if the number of a composed
    /// transition is too large for an id. The existence of a composed transition is checked when
    /// the step is redone.
    fn transition(&self, net: &Net, name: &str) -> Option<TransitionId> {
        let number = name.strip_prefix(&*self.composed).and_then(|n| n.parse::<u32>().ok());
        match number.and_then(|n| n.checked_sub(1)) {
            Some(index) => {
                let id = net.transition_count() + index as usize;
                u32::try_from(id).is_ok().then(|| TransitionId::new(id))
            }
            None => net.transition_named(name),
        }
    }
}

/// Returns the shortest repetition of `mark` with which none of the names begins.
fn unused_prefix<'n>(mark: &str, names: impl Iterator<Item = &'n str>) -> String {
    let marks = |name: &str| (name.len() - name.trim_start_matches(mark).len()) / mark.len();
    mark.repeat(1 + names.map(marks).max().unwrap_or(0))
}

/// A reduction, with names instead of ids.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedLog {
    /// The preserved classes of questions.
    pub preserves: Vec<String>,
    /// The places of the support, that is, those whose tokens matter to the questions.
    pub support: Vec<String>,
    /// The protected transitions, that is, those whose firing or liveness matters to the questions.
    pub protected: Vec<String>,
    /// The applications of rules, in order.
    pub steps: Vec<LogStep>,
}

/// An application of a rule, with names instead of ids.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogStep {
    /// The name of the rule. Its file documents the conditions.
    pub rule: String,
    /// Places of the candidate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<String>,
    /// Transitions of the candidate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub transitions: Vec<String>,
    /// Multiplicities of the places. If absent, all are 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weights: Vec<u32>,
}

/// The reason that a reduction is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LogError {
    /// The log names no class of questions, so it would permit every change.
    #[error("the log preserves no property")]
    NothingPreserved,
    /// A name that is no rule, class, place or transition.
    #[error("step {step} (0 is the head): {} is unknown", Quoted(.name))]
    Unknown {
        /// The number of the step from 1. It is 0 if the name is in the lists before the steps:
        /// preserved classes, support, and protected transitions.
        step: usize,
        /// The name.
        name: String,
    },
    /// The rule does not preserve a needed class of questions.
    #[error("step {step}: rule `{rule}` does not preserve the required properties")]
    NotPreserved {
        /// The number of the step, from 1.
        step: usize,
        /// The rule.
        rule: &'static str,
    },
    /// The rule cannot be applied at the candidate. A condition does not hold, the candidate is
    /// malformed, a number overflows, or too many transitions would result. Also used if the rule
    /// does not support the features of the net.
    #[error("step {step}: the conditions of rule `{rule}` are violated")]
    ConditionFails {
        /// The number of the step, from 1.
        step: usize,
        /// The rule.
        rule: &'static str,
    },
    /// The reduced net differs from the stated one.
    #[error("the steps of the log lead to another net")]
    OtherNet,
    /// The reduced net cannot be built.
    #[error("the reduced net cannot be built: {0}")]
    NotBuilt(#[from] BuildError),
    /// `goes_on` returned false before the end.
    #[error("the log was not replayed in time")]
    Stopped,
}

impl NamedLog {
    /// Returns the requirements on the reduction that the log states, in ids of `net`.
    ///
    /// # Errors
    /// When a name is not known, or no class is preserved.
    pub fn needs(&self, net: &Net) -> Result<Needs, LogError> {
        let unknown = |name: &str| LogError::Unknown { step: 0, name: name.to_owned() };
        let mut needs = Needs::default();
        for name in &self.preserves {
            let class = CLASS_NAMES.iter().find(|(_, class)| class == name);
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

    /// Iterates over the steps: the name of the rule, and its candidate in ids of the working net
    /// of `net` for `needs`. An item is an error if the step has an unknown name.
    pub fn steps<'a>(
        &'a self,
        net: &'a Net,
        needs: &'a Needs,
    ) -> impl Iterator<Item = Result<(&'a str, Candidate), LogError>> {
        let prefixes = NamePrefixes::of(net);
        self.steps.iter().zip(1..).map(move |(step, number)| {
            let unknown = |name: &str| LogError::Unknown { step: number, name: name.to_owned() };
            let place =
                |name: &String| prefixes.place(net, needs, name).ok_or_else(|| unknown(name));
            let transition =
                |name: &String| prefixes.transition(net, name).ok_or_else(|| unknown(name));
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
    fn generated_names_differ_from_the_names_of_the_net() {
        let made_up = |places: &[&str], transitions: &[&str]| {
            let mut net = NetBuilder::new("");
            places.iter().for_each(|name| _ = net.place(name, 0).unwrap());
            transitions.iter().for_each(|name| _ = net.transition(name).unwrap());
            let NamePrefixes { composed, fired } = NamePrefixes::of(&net.build().unwrap());
            [composed, fired]
        };
        assert_eq!(made_up(&["p"], &["t"]), ["#", "fired "]);
        assert_eq!(made_up(&["p", "##1"], &["#x"]), ["###", "fired "]);
        assert_eq!(made_up(&["fired t", "x#"], &["fired fired t", "#"]), ["##", "fired fired "]);
        assert_eq!(made_up(&["fired fired ", "fired"], &["t"]), ["#", "fired fired fired "]);
    }
}
