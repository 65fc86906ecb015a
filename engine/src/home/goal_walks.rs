//! Walks from a marking that see as many goals as possible. A walk *sees* a goal if one of its
//! markings satisfies the goal's predicate.
//!
//! Random walks of growing length see most goals. Each walk is truncated after the last goal that
//! it was the first to see.

use super::enabled_transitions;
use super::recording_walk::RecordingWalk;
use parikh_evidence::home::ways_back::CountedFirings;
use parikh_net::{GoalId, Marking, Net, Predicate, TransitionId};
use parikh_solvers::Budget;
use std::collections::HashMap;

/// Binary logarithm of the length of the first walk.
const FIRST_LENGTH_LOG2: u32 = 5;

/// Limit on consecutive walks since a walk last saw a new goal. The walk that sees the new goal
/// counts as the first of these walks.
const MAX_WALKS_WITHOUT_GOAL: u32 = 12;

/// The result of the walks: the walks that saw a new goal, and the goals seen and not seen.
pub(super) struct WalkFindings {
    /// Firing sequences from the start marking of the walks. Each goal in `seen_goals` holds at the
    /// start marking or after some prefix of one of these sequences.
    pub(super) sequences: Vec<CountedFirings<TransitionId>>,
    /// The goals whose predicate holds in a marking of a walk.
    pub(super) seen_goals: Vec<GoalId>,
    /// The goals whose predicate holds in no marking of any walk.
    pub(super) unseen_goals: Vec<GoalId>,
}

/// Walks from `start` repeatedly and tests the predicates of the goals in each marking. The longest
/// walks have about 2^`max_length_log` firings. Ends when all goals are seen, when the budget is
/// exhausted, or after [`MAX_WALKS_WITHOUT_GOAL`] walks since the last new goal. The walk that sees
/// the new goal counts as the first of these walks.
pub(super) fn search_goals(
    net: &Net,
    start: &Marking,
    goals: &[(GoalId, &Predicate)],
    max_length_log: u32,
    (seed, budget): (u64, &Budget),
) -> WalkFindings {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut findings =
        WalkFindings { sequences: Vec::new(), seen_goals: Vec::new(), unseen_goals: Vec::new() };
    // For each transition, the indices of the goals that hold if the transition is enabled. Goals
    // of another form are tested after each firing.
    let mut goals_of_transition: HashMap<TransitionId, Vec<usize>> = HashMap::new();
    let mut other_goals: Vec<usize> = Vec::new();
    for (goal_index, (_, predicate)) in goals.iter().enumerate() {
        match enabled_transitions(predicate) {
            Some(transitions) => transitions
                .into_iter()
                .for_each(|t| goals_of_transition.entry(t).or_default().push(goal_index)),
            None => other_goals.push(goal_index),
        }
    }
    let mut is_unseen = vec![true; goals.len()];
    let mut unseen_count = goals.len();
    let mut walks_without_goal = 0;
    for length_log2 in (FIRST_LENGTH_LOG2..max_length_log).chain(std::iter::repeat(max_length_log))
    {
        if unseen_count == 0
            || walks_without_goal == MAX_WALKS_WITHOUT_GOAL
            || budget.is_exhausted()
        {
            break;
        }
        let mut recording_walk = RecordingWalk::new(net, start, rng.u64(..));
        let mut firings: CountedFirings<TransitionId> = Vec::new();
        let mut kept_firings = 0;
        let mut has_new_goal = false;
        loop {
            for t in recording_walk.take_newly_enabled() {
                for &goal_index in goals_of_transition.get(&t).into_iter().flatten() {
                    has_new_goal |= std::mem::replace(&mut is_unseen[goal_index], false);
                }
            }
            for &goal_index in &other_goals {
                if is_unseen[goal_index] && goals[goal_index].1.holds(net, recording_walk.marking())
                {
                    (is_unseen[goal_index], has_new_goal) = (false, true);
                }
            }
            if std::mem::take(&mut has_new_goal) {
                kept_firings = firings.len();
                walks_without_goal = 0;
                unseen_count = is_unseen.iter().filter(|is_unseen| **is_unseen).count();
                if unseen_count == 0 {
                    break;
                }
            }
            if firings.len() >> length_log2 > 0
                || firings.len() % 1024 == 1023 && budget.is_exhausted()
            {
                break;
            }
            match recording_walk.walk(1).steps().first() {
                Some(step) => firings.push((step.transition, 1)),
                None => break,
            }
        }
        walks_without_goal += 1;
        firings.truncate(kept_firings);
        if kept_firings > 0 {
            findings.sequences.push(firings);
        }
    }
    for (is_unseen, &(goal, _)) in is_unseen.into_iter().zip(goals) {
        if is_unseen { findings.unseen_goals.push(goal) } else { findings.seen_goals.push(goal) }
    }
    findings
}
