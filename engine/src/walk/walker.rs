//! The walk loop: choose, fire, record, and check the clock from time to time.
//!
//! The loop is compiled once per strategy. Its cost is counted in units of *work*: one unit per
//! firing, plus the cost of choosing as counted by the strategy. Slices and the intervals between
//! clock checks are measured in work. So a single-threaded run that no time limit ends depends only
//! on its seed.

use super::acceleration::{Acceleration, max_repetitions};
use super::compiled::CompiledNet;
use super::journal::{Journal, RepeatedFiring};
use super::machine::WatchedMarking;
use super::watch::RECORD_FLAG;
use super::{Strategy, WalkStatistics};
use crate::Task;
use crate::board::WitnessReporter;
use fastrand::Rng;
use parikh_net::{GoalId, MarkingGoal};
use std::time::{Duration, Instant};

/// The random number generator and the count of work, which strategies use for a choice.
pub(super) struct Resources {
    /// The random number generator.
    pub(super) rng: Rng,
    /// Work since the start of the run, in units of about one firing. Strategies add the cost of
    /// choosing.
    pub(super) work: u64,
    /// The work after which the run ends.
    limit: u64,
}

impl Resources {
    /// Creates the resources for a run with this limit on work.
    pub(super) fn new(seed: u64, limit: u64) -> Self {
        Resources { rng: Rng::with_seed(seed), work: 0, limit }
    }
}

/// A strategy for choosing the next firing.
pub(super) trait FiringStrategy {
    /// Returns an enabled effect class to fire, or `None` to end the walk. At least one class with
    /// an effect is enabled when this function is called.
    fn choose(
        &mut self,
        machine: &mut WatchedMarking<'_>,
        resources: &mut Resources,
    ) -> Option<u32>;

    /// Returns how often the chosen class should fire in a row. If fewer firings are possible, the
    /// walker fires the class less often. `None` leaves the number to the walker.
    #[inline]
    fn wanted_repetitions(&self) -> Option<u64> {
        None
    }

    /// Called after a class was fired `count` times. `firings` is the total since the initial
    /// marking.
    fn after_firing(&mut self, machine: &WatchedMarking<'_>, class: u32, count: u64, firings: u64) {
        let _ = (machine, class, count, firings);
    }
}

/// The reason why a walk ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WalkEnd {
    /// The walk is over: no class with an effect is enabled, the step limit is reached, or the
    /// strategy ended the walk. Also after too many overflows in a row, or if the journal cannot
    /// record a firing.
    WalkOver,
    /// The slice is over, the budget or the limit on work is exhausted, or no watched goal is open.
    SliceOver,
}

/// Work between two checks of the clock.
const WORK_BETWEEN_CLOCK_CHECKS: u64 = 2048;
/// Time between two checks for goals settled by other engines.
const TIME_BETWEEN_REFRESHES: Duration = Duration::from_millis(50);
/// The maximum number of consecutive firings of a walk that may be refused because a number would
/// overflow. One more refusal ends the walk.
const MAX_REFUSALS: u32 = 64;

/// A walker: the current marking, the journal of firings that led to it, and the board to which
/// reached goals are reported.
pub(super) struct Walker<'a> {
    /// The current marking with derived data.
    pub(super) machine: WatchedMarking<'a>,
    /// The firings since the initial marking.
    pub(super) journal: Journal,
    /// The random number generator and the count of work.
    pub(super) resources: Resources,
    /// Choice of the number of repeated firings.
    pub(super) acceleration: Acceleration,
    /// Statistics so far.
    pub(super) statistics: WalkStatistics,
    /// The task, with its board and budget.
    task: &'a Task<'a>,
    witness_reporter: WitnessReporter<'a>,
    /// The board's ids of the watched goals, by position of the goal.
    goal_ids: Vec<GoalId>,
    /// Number of watched goals that are open.
    open_goals: usize,
    /// Version of the board at the last check for settled goals.
    board_version: u64,
    /// Time of the last check for settled goals.
    last_refresh: Instant,
    /// Work at which the clock is checked next.
    next_clock_check: u64,
    /// Work at which the current slice ends.
    slice_end: u64,
    /// The part of `machine.update_count` that is already counted as work.
    counted_updates: u64,
    /// The strategy of the current slice.
    strategy: Strategy,
}

impl<'a> Walker<'a> {
    /// Creates a walker at the initial marking. The goals that hold there must have been reported
    /// already.
    pub(super) fn new(
        task: &'a Task<'a>,
        witness_reporter: WitnessReporter<'a>,
        compiled: CompiledNet<'a>,
        resources: Resources,
        statistics: WalkStatistics,
    ) -> Self {
        let goal_ids: Vec<GoalId> = compiled.goals.iter().map(|watched| watched.id).collect();
        let mut machine = WatchedMarking::new(compiled);
        for record in &mut machine.compiled.records {
            // Other engines may have seen larger values.
            let seen = record
                .goals
                .iter()
                .filter_map(|&goal| witness_reporter.largest_seen(goal_ids[goal as usize]));
            let seen = seen.min().and_then(|seen| i64::try_from(seen).ok()).unwrap_or(i64::MIN);
            record.best = record.best.max(seen);
        }
        Walker {
            journal: Journal::new(machine.compiled.records.len()),
            acceleration: Acceleration::new(&machine),
            open_goals: goal_ids.len(),
            next_clock_check: resources.work,
            slice_end: u64::MAX,
            counted_updates: machine.update_count,
            machine,
            resources,
            statistics,
            task,
            witness_reporter,
            goal_ids,
            board_version: task.board.version().wrapping_sub(1),
            last_refresh: Instant::now(),
            strategy: Strategy::Uniform,
        }
    }

    /// Returns the resources and statistics for the next walker.
    pub(super) fn into_parts(self) -> (Resources, WalkStatistics) {
        (self.resources, self.statistics)
    }

    /// Returns the reporter of witnesses to the board.
    pub(super) fn reporter(&self) -> WitnessReporter<'a> {
        self.witness_reporter
    }

    /// Returns the number of watched goals that are open.
    pub(super) fn open_goal_count(&self) -> usize {
        self.open_goals
    }

    /// Returns the number of watched goals, open or settled.
    pub(super) fn watched_goal_count(&self) -> usize {
        self.goal_ids.len()
    }

    /// Returns the position of a random open watched goal that satisfies `is_wanted`, or `None` if
    /// there is none.
    pub(super) fn draw_goal(&mut self, is_wanted: impl Fn(&MarkingGoal) -> bool) -> Option<u32> {
        let mut chosen = None;
        let mut matching = 0;
        self.resources.work += 1 + self.goal_ids.len() as u64 / 64;
        for (position, watched) in self.machine.compiled.goals.iter().enumerate() {
            if !self.machine.is_unwatched(position as u32) && is_wanted(watched.goal) {
                matching += 1;
                if super::machine::random_below(&mut self.resources.rng, matching) == 0 {
                    chosen = Some(position as u32);
                }
            }
        }
        chosen
    }

    /// Begins a slice of this strategy with this much work, in units of about one firing.
    pub(super) fn begin_slice(&mut self, strategy: Strategy, work: u64) {
        self.strategy = strategy;
        self.slice_end = self.resources.work + work;
        self.statistics.statistics_of_mut(strategy).slices += 1;
    }

    /// Returns true if the slice or the whole run is over.
    pub(super) fn is_slice_over(&mut self) -> bool {
        self.resources.work >= self.slice_end || self.is_over()
    }

    /// Reports reached goals and raised maxima that are still unreported, and stops watching goals
    /// settled by any engine. Returns true if the run is over.
    pub(super) fn end_slice(&mut self) -> bool {
        self.report_pending();
        self.drop_settled();
        self.is_over()
    }

    /// Returns true if no goal is open or the run has used its work or its budget.
    fn is_over(&self) -> bool {
        self.open_goals == 0
            || self.resources.work >= self.resources.limit
            || self.task.budget.is_exhausted()
    }

    /// Reports the goals reached and maxima raised that are still unreported, and returns to the
    /// initial marking.
    pub(super) fn restart(&mut self) {
        self.report_pending();
        let (repeated_firings, cells) =
            (self.journal.repeated_firings(), self.machine.compiled.cell_count());
        // Resetting only the cells that the fired transitions change touches a few cells per
        // journal entry. It is cheaper than resetting all cells if there are few entries. Each
        // restart counts as some work, since otherwise walks that end at once would repeat forever.
        if repeated_firings.len() * 8 < cells {
            self.resources.work += 1 + repeated_firings.len() as u64 / 4;
            self.machine.restart_after(repeated_firings.iter().map(|run| run.transition));
        } else {
            self.resources.work += 1 + cells as u64 / 64;
            self.machine.restart();
        }
        self.journal.restart();
        self.statistics.restarts += 1;
    }

    /// Restarts and repeats these firings, which were fired from the initial marking before. Stops
    /// early if a number would overflow.
    pub(super) fn resume(&mut self, repeated_firings: &[RepeatedFiring]) {
        self.restart();
        for &RepeatedFiring { transition, count } in repeated_firings {
            let class = self.machine.class_of(transition);
            if !self.machine.fire_many(class, i64::from(count)) {
                return;
            }
            self.journal.push(transition, u64::from(count));
            self.record_news();
        }
        self.resources.work += repeated_firings.len() as u64;
        self.statistics.firings += self.journal.firings();
    }

    /// Walks from the current marking for at most `limit` steps, and updates the statistics.
    /// Returns the reason for the end.
    pub(super) fn walk<S: FiringStrategy>(&mut self, strategy: &mut S, limit: u64) -> WalkEnd {
        self.statistics.statistics_of_mut(self.strategy).walks += 1;
        let firings_before = self.journal.firings();
        let work_before = self.resources.work;
        let (end, steps) = self.take_steps(strategy, limit);
        // Firings that examine many waiting transitions or update many goals cost additional work.
        self.resources.work += (self.machine.update_count - self.counted_updates) / 8;
        self.counted_updates = self.machine.update_count;
        let strategy_statistics = self.statistics.statistics_of_mut(self.strategy);
        strategy_statistics.steps += steps;
        strategy_statistics.work += self.resources.work - work_before;
        self.statistics.firings += self.journal.firings() - firings_before;
        end
    }

    /// Takes at most `limit` steps. Returns the reason for the end, and the number of steps.
    fn take_steps<S: FiringStrategy>(&mut self, strategy: &mut S, limit: u64) -> (WalkEnd, u64) {
        let mut refusals = 0;
        for step in 0..limit {
            if self.resources.work >= self.next_clock_check && self.check_clock() {
                return (WalkEnd::SliceOver, step);
            }
            if self.machine.enabled().is_empty() {
                return (WalkEnd::WalkOver, step);
            }
            let Some(class) = strategy.choose(&mut self.machine, &mut self.resources) else {
                return (WalkEnd::WalkOver, step);
            };
            self.resources.work += 1;
            let transition = self.machine.representative(class, &mut self.resources.rng);
            let count = match strategy.wanted_repetitions() {
                Some(1) => 1,
                Some(max_count) => {
                    (max_repetitions(&self.machine, class, transition).max(1) as u64).min(max_count)
                }
                None if self.acceleration.is_on() => self.acceleration.count(
                    &self.machine,
                    class,
                    transition,
                    &mut self.resources.rng,
                ),
                None => 1,
            };
            let has_fired = match count {
                1 => self.machine.fire(class),
                // Counts are below 2⁴⁰, so the conversion to a signed number is exact.
                count => self.machine.fire_many(class, count as i64),
            };
            // A refused firing leaves the marking unchanged, so the walk may choose another class.
            // A firing that the journal cannot record ends the walk, since the marking no longer
            // fits the journal.
            if !has_fired || !self.journal.can_record(count) {
                refusals += 1;
                if refusals > MAX_REFUSALS || has_fired {
                    return (WalkEnd::WalkOver, step);
                }
                continue;
            }
            refusals = 0;
            self.journal.push(transition, count);
            if !self.machine.news.is_empty() {
                self.record_news();
            }
            strategy.after_firing(&self.machine, class, count, self.journal.firings());
        }
        (WalkEnd::WalkOver, limit)
    }

    /// Records that the maximum of an open watched goal was shown to be infinite, and stops
    /// watching the goal.
    pub(super) fn record_unbounded(&mut self, goal: u32) {
        self.machine.stop_watching(goal);
        self.open_goals -= 1;
        self.statistics.unbounded += 1;
        self.statistics.reached += 1;
        self.statistics.statistics_of_mut(self.strategy).reached += 1;
    }

    /// Reports unreported goals and maxima if the pause since the last report is over. If 50
    /// milliseconds have passed since the last check for settled goals, stops watching these goals.
    /// Returns true if the slice or the whole run is over.
    #[cold]
    fn check_clock(&mut self) -> bool {
        self.next_clock_check = self.resources.work + WORK_BETWEEN_CLOCK_CHECKS;
        self.journal.report_if_due(
            &self.witness_reporter,
            &self.machine.compiled.records,
            &self.goal_ids,
        );
        if self.last_refresh.elapsed() >= TIME_BETWEEN_REFRESHES {
            self.drop_settled();
        }
        self.is_slice_over()
    }

    /// Reports the goals reached and the maxima raised that are still unreported.
    fn report_pending(&mut self) {
        self.journal.report(&self.witness_reporter, &self.machine.compiled.records, &self.goal_ids);
    }

    /// Stops watching the goals that have been settled, if the board has changed since the last
    /// call.
    fn drop_settled(&mut self) {
        self.last_refresh = Instant::now();
        let version = self.task.board.version();
        if version == self.board_version {
            return;
        }
        self.board_version = version;
        for goal in 0..self.goal_ids.len() {
            if !self.machine.is_unwatched(goal as u32)
                && !self.task.board.is_open(self.goal_ids[goal])
            {
                self.machine.stop_watching(goal as u32);
                self.open_goals -= 1;
            }
        }
    }

    /// Records the goals reached and the maxima raised by the last firing.
    #[cold]
    fn record_news(&mut self) {
        let mut news = std::mem::take(&mut self.machine.news);
        for item in news.drain(..) {
            if item & RECORD_FLAG != 0 {
                self.journal.record_best(item & !RECORD_FLAG);
                self.statistics.improvements += 1;
                continue;
            }
            // The goal may have become true in the middle of the firing and false at its end.
            if !self.machine.is_unwatched(item) && self.machine.holds(item) {
                self.machine.stop_watching(item);
                self.open_goals -= 1;
                self.journal.record_goal(self.goal_ids[item as usize]);
                self.statistics.reached += 1;
                self.statistics.statistics_of_mut(self.strategy).reached += 1;
            }
        }
        self.machine.news = news;
    }
}
