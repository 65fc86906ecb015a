//! Unbounded maxima: self-covering sequences along a walk.
//!
//! Suppose a walk passes a marking m and later a marking with at least as many tokens on every
//! place. Then the firings in between can be repeated forever, and whatever they increased grows
//! without bound (the easy half of R. Karp, R. Miller, *Parallel program schemata*, 1969). A random
//! walk seldom covers an earlier marking, because a part of the net with many states hardly returns
//! to the same state. So the walk is directed back. It first walks at random and remembers its
//! marking. Then it targets this marking with one token more in the sum that should grow: one
//! target interval per marked place, by plans and by distance.
//!
//! ```text
//! place free 1 · place busy · place done
//! transition take: free -> busy            remembered  free 1, done 0
//! transition give: busy -> free + done     target      free ≥ 1, done ≥ 1     pump  take, give
//! ```
//!
//! Transitions that decrease no place need no walk: each is a self-covering sequence while it is
//! enabled.

use super::machine::{WatchedMarking, random_below};
use super::strategy::blind::Uniform;
use super::strategy::directed::DistanceStrategy;
use super::strategy::relaxed_plan::RelaxedPlanStrategy;
use super::walker::{WalkEnd, Walker};
use super::{Strategy, WalkConfig, run};
use crate::Task;
use crate::board::{Board, Knowledge};
use parikh_net::{Facts, FiringSequence, GoalId, LinearSum, MarkingGoal, Net};
use parikh_solvers::Budget;

/// Number of attempts to cover an earlier marking before the walk restarts.
const MAX_ATTEMPTS: usize = 12;

/// Searches for a firing sequence and a second one that can repeat forever after it and adds tokens
/// each time. If found, the net is unbounded. Returns `None` if none was found within the budget
/// and about `work` firings, which proves nothing.
pub fn find_self_covering_sequence(
    net: &Net,
    budget: &Budget,
    seed: u64,
    work: u64,
) -> Option<(FiringSequence, FiringSequence)> {
    let total = LinearSum::new(net.places().map(|place| (place, 1))).ok()?;
    let goal = MarkingGoal::Maximise(total);
    let board = Board::new(net, vec![goal.clone().into()]);
    let task = Task {
        net,
        goals: &[(GoalId::new(0), goal)],
        facts: &Facts::empty(net),
        board: &board,
        budget,
        seed,
    };
    let config = WalkConfig {
        strategies: Some(vec![Strategy::Pump]),
        max_work: work,
        ..WalkConfig::default()
    };
    run(&task, board.witness_reporter("RANDOM_WALK"), &config);
    match board.knowledge(GoalId::new(0)) {
        Some(Knowledge::Maximum(maximum)) => {
            maximum.unbounded.map(|(pumping, _)| (pumping.last.prefix, pumping.last.pump))
        }
        _ => None,
    }
}

/// Runs one slice: random walks, each continued by directed walks that try to cover an earlier
/// marking of the walk. The first random part of a walk has at most `longest_walk` steps.
pub(super) fn run_slice(walker: &mut Walker<'_>, longest_walk: u64) {
    let mut directed = DistanceStrategy::new(&walker.machine);
    let mut plan = RelaxedPlanStrategy::new(&walker.machine);
    plan.max_plans_without_progress = 24;
    let free = free_classes(&walker.machine);
    let is_maximum = |goal: &MarkingGoal| matches!(goal, MarkingGoal::Maximise(_));
    let mut length = 1;
    let acceleration = walker.acceleration;
    while !walker.is_slice_over()
        && let Some(goal) = walker.draw_goal(is_maximum)
    {
        walker.restart();
        let first_length = random_below(&mut walker.resources.rng, length) as u64;
        length = (length * 2).min(1 << 14);
        // Many firings in one step would accumulate tokens in few places, which makes it hard to
        // cover an earlier marking.
        walker.acceleration.set_chance(0);
        let mut end = walker.walk(&mut Uniform, first_length.min(longest_walk));
        for attempt in 0..MAX_ATTEMPTS {
            if end == WalkEnd::SliceOver
                || walker.is_slice_over()
                || walker.machine.is_unwatched(goal)
            {
                break;
            }
            report_free_classes(walker, &free);
            let checkpoint = Checkpoint::new(walker);
            walker.resources.work += walker.machine.compiled.cell_count() as u64 / 16;
            let detour_length = random_below(&mut walker.resources.rng, 2 << attempt) as u64;
            end = walker.walk(&mut Uniform, detour_length);
            if end == WalkEnd::SliceOver {
                break;
            }
            let Some(record) = record_of(&walker.machine, goal) else { break };
            let growing_cell = walker.machine.compiled.records[record].cell;
            end = if attempt % 3 == 2 {
                directed.begin_covering(
                    &walker.machine,
                    &checkpoint.values,
                    growing_cell,
                    &mut walker.resources,
                );
                walker.walk(&mut directed, 512)
            } else {
                plan.begin_covering(
                    &walker.machine,
                    &checkpoint.values,
                    growing_cell,
                    &mut walker.resources,
                );
                walker.walk(&mut plan, 2048)
            };
            checkpoint.report(walker);
        }
    }
    walker.acceleration = acceleration;
}

/// Returns the index of the record, that is, the maximised cell, that belongs to the goal. Returns
/// `None` if the goal is no watched maximum.
fn record_of(machine: &WatchedMarking<'_>, goal: u32) -> Option<usize> {
    machine.compiled.records.iter().position(|record| record.goals.contains(&goal))
}

/// Returns the effect classes that decrease no place and increase at least one place.
fn free_classes(machine: &WatchedMarking<'_>) -> Vec<u32> {
    let is_free = |&class: &u32| {
        let changes = machine.compiled.changes_of(class);
        let mut places =
            changes.iter().filter(|c| (c.cell as usize) < machine.compiled.place_count);
        !changes.is_empty() && places.all(|change| change.delta > 0)
    };
    (0..machine.compiled.net.effect_count() as u32).filter(is_free).collect()
}

/// Reports as unbounded every open maximum that grows with an enabled class from `free_classes`.
fn report_free_classes(walker: &mut Walker<'_>, free_classes: &[u32]) {
    for &class in free_classes {
        if !walker.machine.is_enabled(class) {
            continue;
        }
        let changes = walker.machine.compiled.changes_of(class).iter();
        let growing: Vec<u32> = changes.filter(|c| c.delta > 0).map(|c| c.cell).collect();
        let transition = walker.machine.first_member(class);
        let mut pump = FiringSequence::new();
        pump.push(parikh_net::TransitionId::new(transition as usize), 1);
        let firings = walker.journal.firings();
        report_unbounded(walker, firings, &pump, |cell| growing.contains(&cell));
    }
}

/// Reports as unbounded every open maximum for whose cell `has_grown` is true. The firings of
/// `pump` raise these cells and can repeat forever after the first `firings` firings of the walk.
fn report_unbounded(
    walker: &mut Walker<'_>,
    firings: u64,
    pump: &FiringSequence,
    has_grown: impl Fn(u32) -> bool,
) {
    let records = walker.machine.compiled.records.iter();
    let growing_goals: Vec<u32> = records
        .filter(|record| has_grown(record.cell))
        .flat_map(|record| record.goals.iter().copied())
        .filter(|&goal| !walker.machine.is_unwatched(goal))
        .collect();
    if growing_goals.is_empty() {
        return;
    }
    let prefix = walker.journal.prefix(firings);
    for goal in growing_goals {
        let id = walker.machine.compiled.goals[goal as usize].id;
        walker.reporter().report_unbounded(id, prefix.clone(), pump.clone());
        walker.record_unbounded(goal);
    }
}

/// An earlier marking of the current walk.
struct Checkpoint {
    /// The values of the cells, by cell index.
    values: Vec<i64>,
    /// Number of firings from the initial marking.
    firings: u64,
}

impl Checkpoint {
    /// Stores the current marking of the walker.
    fn new(walker: &Walker<'_>) -> Self {
        let cells = 0..walker.machine.compiled.cell_count() as u32;
        let values = cells.map(|cell| walker.machine.value(cell)).collect();
        Checkpoint { values, firings: walker.journal.firings() }
    }

    /// Reports as unbounded the maxima that have grown since this marking, if the current marking
    /// covers it.
    fn report(&self, walker: &mut Walker<'_>) {
        let current_tokens = walker.machine.tokens();
        if current_tokens
            .zip(&self.values)
            .any(|(current_tokens, &earlier)| current_tokens < earlier)
        {
            return;
        }
        let pump = walker.journal.firings_between(self.firings, walker.journal.firings());
        let cells = 0..self.values.len() as u32;
        let has_grown: Vec<bool> =
            cells.map(|cell| walker.machine.value(cell) > self.values[cell as usize]).collect();
        report_unbounded(walker, self.firings, &pump, |cell| has_grown[cell as usize]);
    }
}
