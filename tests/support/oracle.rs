//! The second enumerator: simple code that every rule, encoding and engine is tested against.
//!
//! It is independent of the explicit engine, and shares only the net with it: [`Net::is_enabled`]
//! and [`Net::fire`]. Markings are stored in the order of discovery. Simplicity matters more than
//! speed.
//!
//! ```text
//! let Some(space) = oracle::explore(&net, oracle::OracleLimits::default()) else { return };
//! assert_eq!(space.reaches(&phi), engine_says);
//! ```

#![allow(dead_code, reason = "each test binary that includes this module uses its own part of it")]

use parikh_net::{FireError, Goal, LinearSum, Marking, Net, Predicate, TransitionId};
use std::collections::{HashMap, HashSet};

/// Limits of the exploration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OracleLimits {
    /// Maximal number of markings.
    pub(crate) states: usize,
    /// Maximal number of tokens on a place; beyond it, the net counts as unbounded.
    pub(crate) tokens: u64,
}

impl Default for OracleLimits {
    /// Returns limits of 20 000 markings and 1 000 tokens on a place. Small random nets stay within
    /// them, and other nets exceed them in well under a second.
    fn default() -> Self {
        OracleLimits { states: 20_000, tokens: 1_000 }
    }
}

/// The reachability graph of a net.
pub(crate) struct StateSpace<'n> {
    net: &'n Net,
    /// The markings in the order of discovery, beginning with the initial marking.
    markings: Vec<Marking>,
    /// The indices of the markings.
    numbers: HashMap<Marking, usize>,
    /// The indices of each marking's successors.
    successors: Vec<Vec<usize>>,
}

/// The true answer to a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GoalTruth {
    /// For a `Reach`: true if such a marking is reachable.
    Reachable(bool),
    /// For a `Home`: true if such a marking is reachable from every reachable marking.
    Stays(bool),
    /// For a `Maximise`: the largest value.
    Maximum(i128),
    /// For a `Run`: true if such a run exists. For a `Tree`: true if the tree of all runs has the
    /// property.
    Exists(bool),
}

/// Explores all reachable markings by breadth-first search. Returns `None` if the limits are
/// exceeded, in particular if there are infinitely many markings.
pub(crate) fn explore(net: &Net, limits: OracleLimits) -> Option<StateSpace<'_>> {
    let mut markings = vec![net.initial().clone()];
    let mut numbers = HashMap::from([(net.initial().clone(), 0)]);
    let mut successors = Vec::new();
    while successors.len() < markings.len() {
        let marking = markings[successors.len()].clone();
        if markings.len() > limits.states || marking.largest() > limits.tokens {
            return None;
        }
        let mut row = Vec::new();
        for t in net.transitions() {
            if net.is_enabled(&marking, t) {
                let mut next = marking.clone();
                match net.fire(&mut next, t) {
                    Ok(()) => {}
                    Err(FireError::Overflow(_)) => return None,
                    Err(FireError::NotEnabled(p)) => panic!("{t:?} is enabled, yet {p:?} lacks"),
                }
                let new = markings.len();
                let number = *numbers.entry(next).or_insert_with_key(|next| {
                    markings.push(next.clone());
                    new
                });
                row.push(number);
            }
        }
        successors.push(row);
    }
    Some(StateSpace { net, markings, numbers, successors })
}

impl StateSpace<'_> {
    /// Returns the net of the state space.
    pub(crate) fn net(&self) -> &Net {
        self.net
    }

    /// Returns the firings from the marking with this index: the index of the next marking, and
    /// the transition. The transition is always `Some`; a caller adds `None` for dead markings.
    pub(crate) fn fired_from(
        &self,
        marking: usize,
    ) -> impl Iterator<Item = (usize, Option<TransitionId>)> {
        let enabled = self.net.transitions();
        let enabled = enabled.filter(move |&t| self.net.is_enabled(&self.markings[marking], t));
        self.successors[marking].iter().copied().zip(enabled.map(Some))
    }

    /// Returns the reachable markings, sorted by distance from the initial marking.
    pub(crate) fn markings(&self) -> &[Marking] {
        &self.markings
    }

    /// Returns true if `marking` is reachable.
    pub(crate) fn contains(&self, marking: &Marking) -> bool {
        self.numbers.contains_key(marking)
    }

    /// Returns the number of reachable markings.
    pub(crate) fn states(&self) -> usize {
        self.markings.len()
    }

    /// Returns the number of pairs of a reachable marking and a transition enabled in it.
    pub(crate) fn firings(&self) -> usize {
        self.successors.iter().map(Vec::len).sum()
    }

    /// Returns the most tokens on a place in a reachable marking.
    pub(crate) fn most_in_place(&self) -> u64 {
        self.markings.iter().map(Marking::largest).max().unwrap_or(0)
    }

    /// Returns the most tokens of a reachable marking.
    pub(crate) fn most_in_marking(&self) -> u128 {
        self.markings.iter().map(Marking::total).max().unwrap_or(0)
    }

    /// Returns true if a dead marking is reachable.
    pub(crate) fn deadlock(&self) -> bool {
        self.reaches(&Predicate::Dead)
    }

    /// Returns true if some reachable marking enables `t`.
    pub(crate) fn fires(&self, t: TransitionId) -> bool {
        self.markings.iter().any(|marking| self.net.is_enabled(marking, t))
    }

    /// Returns true if some place holds its initial tokens in every reachable marking.
    pub(crate) fn stable_place(&self) -> bool {
        let initial = self.net.initial();
        self.net.places().any(|p| self.markings.iter().all(|marking| marking[p] == initial[p]))
    }

    /// Returns true if some reachable marking satisfies `predicate`.
    pub(crate) fn reaches(&self, predicate: &Predicate) -> bool {
        self.markings.iter().any(|marking| predicate.holds(self.net, marking))
    }

    /// Returns the largest value of `sum` in a reachable marking.
    pub(crate) fn maximum(&self, sum: &LinearSum) -> i128 {
        let values = self.markings.iter().map(|marking| sum.value(marking));
        values.max().expect("the initial marking is reachable")
    }

    /// Returns the true answer to `goal`.
    pub(crate) fn answer(&self, goal: &Goal) -> GoalTruth {
        match goal {
            Goal::Home(predicate) => GoalTruth::Stays(self.stays(predicate)),
            Goal::Reach(predicate) => GoalTruth::Reachable(self.reaches(predicate)),
            Goal::Maximise(sum) => GoalTruth::Maximum(self.maximum(sum)),
            Goal::Run(property) => GoalTruth::Exists(super::runs::exists(self, property)),
            Goal::Tree(property) => GoalTruth::Exists(super::trees::holds(self, property)),
        }
    }

    /// Returns true if every transition can be enabled again from every reachable marking.
    pub(crate) fn live(&self) -> bool {
        self.net.transitions().all(|t| self.stays(&Predicate::Enabled(t)))
    }

    /// Returns true if a marking satisfying the predicate is reachable from every reachable
    /// marking.
    pub(crate) fn stays(&self, predicate: &Predicate) -> bool {
        let good = self.markings.iter().map(|marking| predicate.holds(self.net, marking));
        self.leading_to(good.collect()).into_iter().all(|good| good)
    }

    /// Returns the markings from which `last` is reachable.
    pub(crate) fn completing(&self, last: &Marking) -> HashSet<Marking> {
        let is_last = self.markings.iter().map(|marking| marking == last);
        let completing = self.leading_to(is_last.collect());
        let members = self.markings.iter().zip(completing).filter(|(_, completes)| *completes);
        members.map(|(marking, _)| marking.clone()).collect()
    }

    /// For each marking, computes if it is good or can reach a good marking. A naive backward
    /// fixpoint of quadratic cost.
    fn leading_to(&self, mut good: Vec<bool>) -> Vec<bool> {
        loop {
            let mut grows = false;
            for (at, row) in self.successors.iter().enumerate().rev() {
                if !good[at] && row.iter().any(|&next| good[next]) {
                    good[at] = true;
                    grows = true;
                }
            }
            if !grows {
                return good;
            }
        }
    }
}
