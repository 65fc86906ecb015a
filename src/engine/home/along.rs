//! Firings from a marking along which all is seen that should be.
//!
//! Random walks see most of it, longer and longer ones; each is cut off after what it was the first
//! to see.

use super::one_of;
use super::roam::Roam;
use crate::evidence::home::returning::Firings;
use parikh_net::{GoalId, Marking, Net, Predicate, TransitionId};
use parikh_solvers::Budget;
use std::collections::HashMap;

/// The length of the first walk, as a power of two.
const FIRST: u32 = 5;

/// Walks one after the other that see nothing new before this is given up.
const IDLE: u32 = 12;

/// What was seen.
pub(super) struct WalkFindings {
    /// Firings from the marking, each list from there; what is seen is seen after one of the
    /// firings, or at once.
    pub(super) along: Vec<Firings<TransitionId>>,
    /// What was.
    pub(super) goals: Vec<GoalId>,
    /// What was not.
    pub(super) unseen: Vec<GoalId>,
}

/// Walks from `from` and looks for the goals; the longest walks are 2 to the power of `longest`.
pub(super) fn walk(
    net: &Net,
    from: &Marking,
    goals: &[(GoalId, &Predicate)],
    longest: u32,
    (seed, budget): (u64, &Budget),
) -> WalkFindings {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut seen = WalkFindings { along: Vec::new(), goals: Vec::new(), unseen: Vec::new() };
    // By transition, the goals that ask for it; the others are looked at after each firing.
    let mut asking: HashMap<TransitionId, Vec<usize>> = HashMap::new();
    let mut others: Vec<usize> = Vec::new();
    for (at, (_, wanted)) in goals.iter().enumerate() {
        match one_of(wanted) {
            Some(asked) => asked.into_iter().for_each(|t| asking.entry(t).or_default().push(at)),
            None => others.push(at),
        }
    }
    let mut open = vec![true; goals.len()];
    let mut left = goals.len();
    let mut idle = 0;
    for length in (FIRST..longest).chain(std::iter::repeat(longest)) {
        if left == 0 || idle == IDLE || budget.is_exhausted() {
            break;
        }
        let mut roam = Roam::new(net, from, rng.u64(..));
        let mut firings: Firings<TransitionId> = Vec::new();
        let mut cut = 0;
        let mut new = false;
        loop {
            for t in roam.take_fresh() {
                for &at in asking.get(&t).into_iter().flatten() {
                    new |= std::mem::replace(&mut open[at], false);
                }
            }
            for &at in &others {
                if open[at] && goals[at].1.holds(net, roam.marking()) {
                    (open[at], new) = (false, true);
                }
            }
            if std::mem::take(&mut new) {
                cut = firings.len();
                idle = 0;
                left = open.iter().filter(|open| **open).count();
                if left == 0 {
                    break;
                }
            }
            if firings.len() >> length > 0 || firings.len() % 1024 == 1023 && budget.is_exhausted()
            {
                break;
            }
            match roam.walk(1).steps().first() {
                Some(step) => firings.push((step.transition, 1)),
                None => break,
            }
        }
        idle += 1;
        firings.truncate(cut);
        if cut > 0 {
            seen.along.push(firings);
        }
    }
    for (open, &(goal, _)) in open.into_iter().zip(goals) {
        if open { seen.unseen.push(goal) } else { seen.goals.push(goal) }
    }
    seen
}
