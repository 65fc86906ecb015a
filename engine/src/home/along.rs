//! Walks from a marking that see as many goals as possible.
//!
//! Random walks of growing length see most goals. Each walk is truncated after the last goal that
//! it was the first to see.

use super::enabled_transitions;
use super::roam::RecordingWalk;
use parikh_evidence::home::returning::CountedFirings;
use parikh_net::{GoalId, Marking, Net, Predicate, TransitionId};
use parikh_solvers::Budget;
use std::collections::HashMap;

/// Length of the first walk, as a power of two.
const FIRST: u32 = 5;

/// Limit on consecutive walks without a new goal.
const IDLE: u32 = 12;

/// The goals seen, with their walks.
pub(super) struct WalkFindings {
    /// Firing sequences from the start. Each goal seen holds at the start or after some firing of a
    /// sequence.
    pub(super) along: Vec<CountedFirings<TransitionId>>,
    /// The goals seen on a walk.
    pub(super) goals: Vec<GoalId>,
    /// The goals not seen on any walk.
    pub(super) unseen: Vec<GoalId>,
}

/// Walks from `from` and tests the goals. The longest walks have 2 to the power of `longest`
/// firings.
pub(super) fn walk(
    net: &Net,
    from: &Marking,
    goals: &[(GoalId, &Predicate)],
    longest: u32,
    (seed, budget): (u64, &Budget),
) -> WalkFindings {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut seen = WalkFindings { along: Vec::new(), goals: Vec::new(), unseen: Vec::new() };
    // By transition, the goals satisfied by its enabledness. The other goals are tested after each
    // firing.
    let mut asking: HashMap<TransitionId, Vec<usize>> = HashMap::new();
    let mut others: Vec<usize> = Vec::new();
    for (at, (_, wanted)) in goals.iter().enumerate() {
        match enabled_transitions(wanted) {
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
        let mut roam = RecordingWalk::new(net, from, rng.u64(..));
        let mut firings: CountedFirings<TransitionId> = Vec::new();
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
