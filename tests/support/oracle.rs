//! The second enumerator: obvious code that every rule, encoding and engine is tested against.
//!
//! It knows nothing of the explicit engine and shares nothing with it but the net: a set of
//! markings, a queue, [`Net::is_enabled`] and [`Net::fire`]. It is slow, and that is the point.
//!
//! ```text
//! let Some(space) = oracle::explore(&net, oracle::Limits::default()) else { return };
//! assert_eq!(space.reaches(&phi), engine_says);
//! ```

#![allow(dead_code, reason = "each test binary that includes this module uses its own part of it")]

use parikh_net::{FireError, Goal, LinearSum, Marking, Net, Predicate, TransitionId};
use std::collections::{HashSet, VecDeque};

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
}

/// All reachable markings by breadth first search, or `None` when there are more than the limits
/// allow (in particular when there are infinitely many).
pub(crate) fn explore(net: &Net, limits: Limits) -> Option<StateSpace<'_>> {
    let mut seen: HashSet<Marking> = HashSet::new();
    let mut markings: Vec<Marking> = Vec::new();
    let mut queue: VecDeque<Marking> = VecDeque::new();
    seen.insert(net.initial().clone());
    queue.push_back(net.initial().clone());
    while let Some(marking) = queue.pop_front() {
        if seen.len() > limits.states || marking.largest() > limits.tokens {
            return None;
        }
        for t in net.transitions() {
            if net.is_enabled(&marking, t) {
                let mut next = marking.clone();
                match net.fire(&mut next, t) {
                    Ok(()) => {}
                    Err(FireError::Overflow(_)) => return None,
                    Err(FireError::NotEnabled(p)) => panic!("{t:?} is enabled, yet {p:?} lacks"),
                }
                if seen.insert(next.clone()) {
                    queue.push_back(next);
                }
            }
        }
        markings.push(marking);
    }
    Some(StateSpace { net, markings })
}

impl StateSpace<'_> {
    /// The reachable markings, the initial one first, then by distance.
    pub(crate) fn markings(&self) -> &[Marking] {
        &self.markings
    }

    /// Whether `marking` is reachable.
    pub(crate) fn contains(&self, marking: &Marking) -> bool {
        self.markings.contains(marking)
    }

    /// The number of reachable markings.
    pub(crate) fn states(&self) -> usize {
        self.markings.len()
    }

    /// The number of pairs of a reachable marking and a transition enabled in it.
    pub(crate) fn firings(&self) -> usize {
        let enabled =
            |m: &Marking| self.net.transitions().filter(|&t| self.net.is_enabled(m, t)).count();
        self.markings.iter().map(enabled).sum()
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
        }
    }

    /// Whether from every reachable marking every transition can be enabled again.
    pub(crate) fn live(&self) -> bool {
        self.net.transitions().all(|t| self.stays(&Predicate::Enabled(t)))
    }

    /// Whether from every reachable marking one with the predicate can be reached. Quadratic.
    pub(crate) fn stays(&self, predicate: &Predicate) -> bool {
        // Grown backwards until nothing is added.
        let holds = |marking: &&Marking| predicate.holds(self.net, marking);
        let mut good: HashSet<&Marking> = self.markings.iter().filter(holds).collect();
        loop {
            let before = good.len();
            for marking in &self.markings {
                let leads_there = self.successors(marking).any(|next| good.contains(&next));
                if leads_there {
                    good.insert(marking);
                }
            }
            if good.len() == before {
                return good.len() == self.markings.len();
            }
        }
    }

    /// The markings from which `last` can be reached.
    pub(crate) fn completing(&self, last: &Marking) -> HashSet<Marking> {
        let mut completing = HashSet::from([last.clone()]);
        loop {
            let leads = |m: &&Marking| self.successors(m).any(|next| completing.contains(&next));
            let more: Vec<Marking> = self.markings.iter().filter(leads).cloned().collect();
            let before = completing.len();
            completing.extend(more);
            if completing.len() == before {
                return completing;
            }
        }
    }

    fn successors(&self, marking: &Marking) -> impl Iterator<Item = Marking> {
        self.net.transitions().filter_map(move |t| {
            let mut next = marking.clone();
            self.net.fire(&mut next, t).ok().map(|()| next)
        })
    }
}
