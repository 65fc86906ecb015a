//! Predicates in files: places and transitions are given by name.
//!
//! ```json
//! "true"
//! {"comparison": {"sum": [["in1", 1], ["in2", 1]], "bound": 1}}
//! {"and": [{"enabled": "enter1"}, {"disabled": "leave1"}, "not_dead"]}
//! ```

use crate::certificate::{Flaw, NamedComparison, comparison};
use parikh_net::{Atom, Net, PlaceId, Predicate, TransitionId};
use serde::{Deserialize, Serialize};

/// A predicate with the names of places and transitions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NamedPredicate {
    /// Holds at every marking.
    True,
    /// Holds at no marking.
    False,
    /// The weighted sum of the tokens is at most the bound.
    Comparison(NamedComparison),
    /// The transition is enabled.
    Enabled(String),
    /// The transition is not enabled.
    Disabled(String),
    /// No transition is enabled.
    Dead,
    /// A transition is enabled.
    NotDead,
    /// The conjunction of the predicates.
    And(Vec<NamedPredicate>),
    /// The disjunction of the predicates.
    Or(Vec<NamedPredicate>),
}

impl NamedPredicate {
    /// Writes a predicate of `net` with names.
    pub fn of(net: &Net, predicate: &Predicate) -> NamedPredicate {
        let name = |t: TransitionId| net.transition_name(t).to_owned();
        let all = |parts: &[Predicate]| parts.iter().map(|part| Self::of(net, part)).collect();
        match predicate {
            Predicate::True => NamedPredicate::True,
            Predicate::False => NamedPredicate::False,
            Predicate::Atom(Atom { sum, bound }) => {
                let term = |&(place, a): &(PlaceId, i64)| (net.place_name(place).to_owned(), a);
                let sum = sum.terms().iter().map(term).collect();
                NamedPredicate::Comparison(NamedComparison { sum, bound: *bound })
            }
            Predicate::Enabled(t) => NamedPredicate::Enabled(name(*t)),
            Predicate::Disabled(t) => NamedPredicate::Disabled(name(*t)),
            Predicate::Dead => NamedPredicate::Dead,
            Predicate::NotDead => NamedPredicate::NotDead,
            Predicate::And(parts) => NamedPredicate::And(all(parts)),
            Predicate::Or(parts) => NamedPredicate::Or(all(parts)),
        }
    }

    /// Returns the predicate with the ids of `net`. The operands of conjunctions and disjunctions
    /// are not sorted.
    ///
    /// # Errors
    /// When a name is not known, or the numbers of a comparison are too large.
    pub fn resolve(&self, net: &Net) -> Result<Predicate, Flaw> {
        let transition = |name: &String| {
            let t = net.transition_named(name);
            t.ok_or_else(|| Flaw::NoSuchName("transition", name.clone()))
        };
        let all = |parts: &[Self]| parts.iter().map(|part| part.resolve(net)).collect();
        Ok(match self {
            NamedPredicate::True => Predicate::True,
            NamedPredicate::False => Predicate::False,
            NamedPredicate::Comparison(named) => {
                let Atom { sum, bound } = comparison(named, net)?;
                Predicate::at_most(sum, bound)
            }
            NamedPredicate::Enabled(name) => Predicate::Enabled(transition(name)?),
            NamedPredicate::Disabled(name) => Predicate::Disabled(transition(name)?),
            NamedPredicate::Dead => Predicate::Dead,
            NamedPredicate::NotDead => Predicate::NotDead,
            NamedPredicate::And(parts) => {
                let parts: Result<Vec<_>, Flaw> = all(parts);
                Predicate::and(parts?)
            }
            NamedPredicate::Or(parts) => {
                let parts: Result<Vec<_>, Flaw> = all(parts);
                Predicate::or(parts?)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_generate::{Shape, random, random_predicate};

    #[test]
    fn written_predicates_are_read_back_unchanged() {
        for seed in 0..200 {
            let net = random(seed, &Shape::small(seed));
            let mut rng = fastrand::Rng::with_seed(seed);
            let predicate = random_predicate(&mut rng, &net, 3);
            let line = serde_json::to_string(&NamedPredicate::of(&net, &predicate)).unwrap();
            let named: NamedPredicate = serde_json::from_str(&line).unwrap();
            assert_eq!(named.resolve(&net), Ok(predicate), "{line}");
        }
    }
}
