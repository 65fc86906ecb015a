//! The second enumerator: obvious code that every rule, encoding and engine is tested against.
//!
//! It knows nothing of the explicit engine and shares nothing with it but the net: markings in the
//! order they are found, [`Net::is_enabled`] and [`Net::fire`]. It is slow, and that is the point.
//!
//! ```text
//! let Some(space) = oracle::explore(&net, oracle::Limits::default()) else { return };
//! assert_eq!(space.reaches(&phi), engine_says);
//! ```

#![allow(dead_code, reason = "each test binary that includes this module uses its own part of it")]

use parikh_net::{FireError, Goal, LinearSum, Marking, Net, Predicate, TransitionId};
use std::collections::{HashMap, HashSet};

/// Where exploring gives up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The most markings.
    pub(crate) states: usize,
    /// The most tokens on one place: beyond it the net is taken for unbounded.
    pub(crate) tokens: u64,
}

impl Default for Limits {
    /// 20 000 markings, 1 000 tokens on a place: enough for the small random nets, and given up
    /// in well under a second.
    fn default() -> Self {
        Limits { states: 20_000, tokens: 1_000 }
    }
}

/// All reachable markings of a net.
pub(crate) struct StateSpace<'n> {
    net: &'n Net,
    /// In the order they were found, the initial one first.
    markings: Vec<Marking>,
    /// Where each marking stands in the order.
    numbers: HashMap<Marking, usize>,
    /// By marking the markings that its firings lead to.
    successors: Vec<Vec<usize>>,
}

/// What the truth about a goal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Truth {
    /// Of a `Reach`: whether such a marking is reachable.
    Reachable(bool),
    /// Of a `Home`: whether such a marking can be reached from every reachable one.
    Stays(bool),
    /// Of a `Maximise`: the largest value.
    Maximum(i128),
    /// Of a `Run`: whether there is one.
    Exists(bool),
}

/// All reachable markings by breadth first search, or `None` when there are more than the limits
/// allow (in particular when there are infinitely many).
pub(crate) fn explore(net: &Net, limits: Limits) -> Option<StateSpace<'_>> {
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
    /// The net whose markings these are.
    pub(crate) fn net(&self) -> &Net {
        self.net
    }

    /// Where the firings from a marking lead, by its number, and what fires.
    pub(crate) fn fired_from(
        &self,
        marking: usize,
    ) -> impl Iterator<Item = (usize, Option<TransitionId>)> {
        let enabled = self.net.transitions();
        let enabled = enabled.filter(move |&t| self.net.is_enabled(&self.markings[marking], t));
        self.successors[marking].iter().copied().zip(enabled.map(Some))
    }

    /// The reachable markings, the initial one first, then by distance.
    pub(crate) fn markings(&self) -> &[Marking] {
        &self.markings
    }

    /// Whether `marking` is reachable.
    pub(crate) fn contains(&self, marking: &Marking) -> bool {
        self.numbers.contains_key(marking)
    }

    /// The number of reachable markings.
    pub(crate) fn states(&self) -> usize {
        self.markings.len()
    }

    /// The number of pairs of a reachable marking and a transition enabled in it.
    pub(crate) fn firings(&self) -> usize {
        self.successors.iter().map(Vec::len).sum()
    }

    /// The most tokens on one place in a reachable marking.
    pub(crate) fn most_in_place(&self) -> u64 {
        self.markings.iter().map(Marking::largest).max().unwrap_or(0)
    }

    /// The most tokens of one reachable marking.
    pub(crate) fn most_in_marking(&self) -> u128 {
        self.markings.iter().map(Marking::total).max().unwrap_or(0)
    }

    /// Whether a marking that enables nothing is reachable.
    pub(crate) fn deadlock(&self) -> bool {
        self.reaches(&Predicate::Dead)
    }

    /// Whether some reachable marking enables `t`.
    pub(crate) fn fires(&self, t: TransitionId) -> bool {
        self.markings.iter().any(|marking| self.net.is_enabled(marking, t))
    }

    /// Whether some place holds its initial tokens in every reachable marking.
    pub(crate) fn stable_place(&self) -> bool {
        let initial = self.net.initial();
        self.net.places().any(|p| self.markings.iter().all(|marking| marking[p] == initial[p]))
    }

    /// Whether some reachable marking satisfies `predicate`.
    pub(crate) fn reaches(&self, predicate: &Predicate) -> bool {
        self.markings.iter().any(|marking| predicate.holds(self.net, marking))
    }

    /// The largest value of `sum` in a reachable marking.
    pub(crate) fn maximum(&self, sum: &LinearSum) -> i128 {
        let values = self.markings.iter().map(|marking| sum.value(marking));
        values.max().expect("the initial marking is reachable")
    }

    /// The truth about `goal`.
    pub(crate) fn answer(&self, goal: &Goal) -> Truth {
        match goal {
            Goal::Home(predicate) => Truth::Stays(self.stays(predicate)),
            Goal::Reach(predicate) => Truth::Reachable(self.reaches(predicate)),
            Goal::Maximise(sum) => Truth::Maximum(self.maximum(sum)),
            Goal::Run(property) => Truth::Exists(super::runs::exists(self, property)),
            Goal::Tree(property) => Truth::Exists(super::trees::holds(self, property)),
        }
    }

    /// Whether from every reachable marking every transition can be enabled again.
    pub(crate) fn live(&self) -> bool {
        self.net.transitions().all(|t| self.stays(&Predicate::Enabled(t)))
    }

    /// Whether from every reachable marking one with the predicate can be reached.
    pub(crate) fn stays(&self, predicate: &Predicate) -> bool {
        let good = self.markings.iter().map(|marking| predicate.holds(self.net, marking));
        self.leading_to(good.collect()).into_iter().all(|good| good)
    }

    /// The markings from which `last` can be reached.
    pub(crate) fn completing(&self, last: &Marking) -> HashSet<Marking> {
        let is_last = self.markings.iter().map(|marking| marking == last);
        let completing = self.leading_to(is_last.collect());
        let members = self.markings.iter().zip(completing).filter(|(_, completes)| *completes);
        members.map(|(marking, _)| marking.clone()).collect()
    }

    /// By marking whether it is good, or its firings lead to a good one. Quadratic: grown backwards
    /// until nothing is added.
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
