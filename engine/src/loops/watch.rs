//! Tests the open goals after every step of a walk.

use super::machine::LoopMarking;
use crate::board::{Board, WitnessReporter};
use parikh_evidence::depending::GoalIndex;
use parikh_evidence::loops::{holds, value};
use parikh_net::{GoalId, MarkingGoal, Net};
use parikh_solvers::Budget;
use std::time::{Duration, Instant};

/// Limits on the share of the time spent on reports, in which the board replays the trace. A number
/// n stands for the share 1/n: the first number applies during a walk, the second one at its end.
const REPORT_SHARES: (u32, u32) = (20, 4);

/// The goals that were open at the start of the slice, with the results of this engine.
pub(super) struct LoopWatch<'n> {
    /// The net of the walks.
    net: &'n Net,
    /// The board of the goals.
    board: &'n Board<'n>,
    /// The reporter of runs with loops.
    witness_reporter: WitnessReporter<'n>,
    /// The goals with the results so far.
    goals: Vec<LoopGoal<'n>>,
    /// For each place, the goals that depend on it.
    goals_of_place: GoalIndex,
    /// Goals seen at some step of the walk but not reported yet, in the order of the steps.
    pending: Vec<LoopSighting>,
    /// Time of the last report.
    last_report: Instant,
    /// Duration of the last report.
    last_report_time: Duration,
    /// True if every goal seen is reported, regardless of the time that reports take.
    pub(super) is_thorough: bool,
    /// True if some sighting of the current walk was dropped without a report.
    pub(super) has_missed: bool,
    /// Number of goals reached in this slice.
    pub(super) reached: usize,
}

/// A sighting of a goal: a step of the walk after which a predicate held or a maximum was raised.
struct LoopSighting {
    /// Number of the step of the walk.
    step: u64,
    /// Index of the goal.
    goal: usize,
    /// For a maximum, the largest value seen before, if any. `None` for a predicate.
    old_best: Option<i128>,
}

/// A goal with the results of this engine.
struct LoopGoal<'n> {
    /// The goal's id on the board.
    id: GoalId,
    /// The goal.
    goal: &'n MarkingGoal,
    /// True if the goal is a predicate that held after some step of a walk, and this sighting was
    /// not dropped.
    was_seen: bool,
    /// For a maximum, the largest value seen in this slice, or by any engine before. `None` if
    /// there is no such value.
    best: Option<i128>,
}

impl<'n> LoopWatch<'n> {
    pub(super) fn new(
        net: &'n Net,
        board: &'n Board<'n>,
        witness_reporter: WitnessReporter<'n>,
        goals: &'n [(GoalId, MarkingGoal)],
    ) -> Self {
        let mut goals_of_place = GoalIndex::new(net.place_count());
        let mut watched = Vec::new();
        for (id, goal) in goals.iter().filter(|(id, _)| board.is_open(*id)) {
            match goal {
                MarkingGoal::Reach(predicate) => {
                    goals_of_place.add(watched.len(), predicate.support(net))
                }
                MarkingGoal::Maximise(sum) => {
                    goals_of_place.add(watched.len(), sum.terms().iter().map(|&(place, _)| place));
                }
            }
            watched.push(LoopGoal {
                id: *id,
                goal,
                was_seen: false,
                best: board.largest_seen(*id),
            });
        }
        LoopWatch {
            net,
            board,
            witness_reporter,
            goals: watched,
            goals_of_place,
            pending: Vec::new(),
            last_report: Instant::now(),
            last_report_time: Duration::ZERO,
            is_thorough: false,
            has_missed: false,
            reached: 0,
        }
    }

    /// Returns true if some goal is open.
    pub(super) fn has_open_goal(&self) -> bool {
        self.goals.iter().any(|watched| self.board.is_open(watched.id))
    }

    /// Tests the goals that depend on places changed in this step, and records a sighting of each
    /// goal that holds or whose maximum is raised.
    pub(super) fn test_goals(&mut self, machine: &mut LoopMarking<'_>, step: u64) {
        let LoopWatch { net, board, goals, goals_of_place, pending: news, .. } = self;
        for place in machine.take_changed() {
            // After a sighting was dropped, a goal that is still open must be seen again.
            goals_of_place.note_change(place, |goal_index| board.is_open(goals[goal_index].id));
        }
        let marking = machine.marking();
        goals_of_place.evaluate_changed(|goal_index| {
            let watched = &mut goals[goal_index];
            if watched.was_seen {
                return;
            }
            match watched.goal {
                MarkingGoal::Reach(predicate) if holds(net, predicate, marking) => {
                    watched.was_seen = true;
                    news.push(LoopSighting { step, goal: goal_index, old_best: None });
                }
                MarkingGoal::Maximise(sum) => {
                    let value = i128::try_from(value(sum, marking)).ok();
                    if value > watched.best {
                        news.push(LoopSighting { step, goal: goal_index, old_best: watched.best });
                        watched.best = value;
                    }
                }
                MarkingGoal::Reach(_) => {}
            }
        });
    }

    /// Reports the sightings of a walk at its end if it is the best so far or the budget is
    /// exhausted. Also reports them if `may_report` permits it. Otherwise drops the sightings.
    /// Later walks may see these goals again, since walks differ in few choices.
    pub(super) fn end_walk(&mut self, machine: &LoopMarking<'_>, is_best: bool, budget: &Budget) {
        match is_best || budget.is_exhausted() || self.may_report(REPORT_SHARES.1) {
            true => self.report(machine, budget),
            false => self.drop_sightings(0),
        }
    }

    /// Called before the walk backtracks to `step`, which removes later steps from the trace. If
    /// there are sightings after `step`, reports all sightings if `may_report` permits it, and
    /// otherwise drops these later ones. Dropped goals can be seen again.
    pub(super) fn before_backtracking(
        &mut self,
        machine: &LoopMarking<'_>,
        step: u64,
        budget: &Budget,
    ) {
        if self.pending.last().is_some_and(|news| news.step > step) {
            match self.may_report(REPORT_SHARES.0) {
                true => self.report(machine, budget),
                false => self.drop_sightings(step),
            }
        }
    }

    /// Returns true if the time since the last report is at least `share` times its duration. Also
    /// returns true if every sighting must be reported.
    fn may_report(&self, share: u32) -> bool {
        self.is_thorough || self.last_report.elapsed() >= self.last_report_time * share
    }

    /// Reports the trace as a run if there are sightings. The board replays the run for all open
    /// goals.
    fn report(&mut self, machine: &LoopMarking<'_>, budget: &Budget) {
        if self.pending.is_empty() {
            return;
        }
        let start_time = Instant::now();
        self.reached += self.witness_reporter.report_along_loops(machine.trace_as_run(), budget);
        self.pending.clear();
        (self.last_report, self.last_report_time) = (Instant::now(), start_time.elapsed());
    }

    /// Drops the sightings after the given step, so that their goals can be seen again.
    fn drop_sightings(&mut self, step: u64) {
        while let Some(LoopSighting { goal, old_best: before, .. }) =
            self.pending.pop_if(|news| news.step > step)
        {
            (self.goals[goal].was_seen, self.goals[goal].best) = (false, before);
            self.has_missed = true;
        }
    }
}
