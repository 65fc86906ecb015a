//! One walk at a time: choose, fire, note, and look up now and then.
//!
//! The loop is compiled once per strategy. What it costs is counted in *work*: one unit per firing,
//! plus whatever a strategy adds for looking around; slices and the pauses between two looks at the
//! clock are measured in it, so that a run with one thread depends on its seed alone.

use super::acceleration::{Acceleration, most};
use super::compiled::Compiled;
use super::journal::{Journal, Run};
use super::machine::Machine;
use super::watch::RECORD;
use super::{Statistics, Strategy};
use crate::board::Under;
use crate::engine::Task;
use fastrand::Rng;
use parikh_net::{GoalId, MarkingGoal};
use std::time::{Duration, Instant};

/// What a strategy may use while it chooses.
pub(super) struct Resources {
    /// Chance.
    pub(super) rng: Rng,
    /// Units of work done since the start of the run; strategies add what choosing costs.
    pub(super) work: u64,
    /// The work after which the run ends.
    limit: u64,
}

impl Resources {
    /// For a run of so much work.
    pub(super) fn new(seed: u64, limit: u64) -> Self {
        Resources { rng: Rng::with_seed(seed), work: 0, limit }
    }
}

/// A way to choose what fires next.
pub(super) trait Choose {
    /// A class among those enabled, of which there is at least one; `None` to end the walk.
    fn choose(&mut self, machine: &mut Machine<'_>, resources: &mut Resources) -> Option<u32>;

    /// How often the class just chosen should fire in a row, if it can; `None` leaves it to the
    /// walker.
    #[inline]
    fn wanted(&self) -> Option<u64> {
        None
    }

    /// The class has been fired `count` times, `firings` are done since the initial marking.
    fn fired(&mut self, machine: &Machine<'_>, class: u32, count: u64, firings: u64) {
        let _ = (machine, class, count, firings);
    }
}

/// Why a walk ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Nothing more to fire, the limit of steps, or the strategy had enough.
    Walk,
    /// The slice is over, the budget spent, or no goal is left.
    Slice,
}

/// Between two looks at the clock.
const WORK_BETWEEN_LOOKS: u64 = 2048;
/// Between two looks at the goals that others may have settled.
const TIME_BETWEEN_REFRESHES: Duration = Duration::from_millis(50);
/// Firings refused in a row, because a number would not fit, after which a walk is given up.
const PATIENCE: u32 = 64;

/// A machine on its way, its journal, and the board it reports to.
pub(super) struct Walker<'a> {
    /// Where we are.
    pub(super) machine: Machine<'a>,
    /// How we got there.
    pub(super) journal: Journal,
    /// Chance and work.
    pub(super) resources: Resources,
    /// How often to fire at once.
    pub(super) acceleration: Acceleration,
    /// What happened so far.
    pub(super) statistics: Statistics,
    task: &'a Task<'a>,
    report: Under<'a>,
    ids: Vec<GoalId>,
    /// Watched goals that still want an answer.
    open: usize,
    version: u64,
    refreshed: Instant,
    next_look: u64,
    slice_end: u64,
    /// What of the machine's turns is counted as work already.
    flipped: u64,
    strategy: Strategy,
}

impl<'a> Walker<'a> {
    /// At the initial marking, which has been reported already.
    pub(super) fn new(
        task: &'a Task<'a>,
        report: Under<'a>,
        compiled: Compiled<'a>,
        resources: Resources,
        statistics: Statistics,
    ) -> Self {
        let ids: Vec<GoalId> = compiled.goals.iter().map(|watched| watched.id).collect();
        let mut machine = Machine::new(compiled);
        for record in &mut machine.compiled.records {
            // Others may have seen more.
            let seen = record.goals.iter().filter_map(|&goal| report.seen(ids[goal as usize]));
            let seen = seen.min().and_then(|seen| i64::try_from(seen).ok()).unwrap_or(i64::MIN);
            record.best = record.best.max(seen);
        }
        Walker {
            journal: Journal::new(machine.compiled.records.len()),
            acceleration: Acceleration::new(&machine),
            open: ids.len(),
            next_look: resources.work,
            slice_end: u64::MAX,
            flipped: machine.flipped,
            machine,
            resources,
            statistics,
            task,
            report,
            ids,
            version: task.board.version().wrapping_sub(1),
            refreshed: Instant::now(),
            strategy: Strategy::Uniform,
        }
    }

    /// The work done and the figures so far, for the walker that comes next.
    pub(super) fn into_parts(self) -> (Resources, Statistics) {
        (self.resources, self.statistics)
    }

    /// Where it reports.
    pub(super) fn report(&self) -> Under<'a> {
        self.report
    }

    /// How many watched goals still want an answer.
    pub(super) fn open(&self) -> usize {
        self.open
    }

    /// How many goals are watched, answered or not.
    pub(super) fn watched(&self) -> usize {
        self.ids.len()
    }

    /// A watched goal that still wants an answer and that `wanted` likes, drawn at random.
    pub(super) fn draw(&mut self, wanted: impl Fn(&MarkingGoal) -> bool) -> Option<u32> {
        let mut chosen = None;
        let mut seen = 0;
        self.resources.work += 1 + self.ids.len() as u64 / 64;
        for (position, watched) in self.machine.compiled.goals.iter().enumerate() {
            if !self.machine.is_gone(position as u32) && wanted(watched.goal) {
                seen += 1;
                if super::machine::below(&mut self.resources.rng, seen) == 0 {
                    chosen = Some(position as u32);
                }
            }
        }
        chosen
    }

    /// Begins a slice of this much work.
    pub(super) fn begin_slice(&mut self, strategy: Strategy, work: u64) {
        self.strategy = strategy;
        self.slice_end = self.resources.work + work;
        self.statistics.of_mut(strategy).slices += 1;
    }

    /// Whether the slice is over, or everything is.
    pub(super) fn slice_is_over(&mut self) -> bool {
        self.resources.work >= self.slice_end || self.is_over()
    }

    /// Reports what waits and drops the goals that were settled meanwhile. Whether all is over.
    pub(super) fn end_slice(&mut self) -> bool {
        self.flush();
        self.refresh();
        self.is_over()
    }

    fn is_over(&self) -> bool {
        self.open == 0
            || self.resources.work >= self.resources.limit
            || self.task.budget.is_exhausted()
    }

    /// Back to the initial marking; what was seen is reported first.
    pub(super) fn restart(&mut self) {
        self.flush();
        let (runs, cells) = (self.journal.runs(), self.machine.compiled.cells());
        // A few changes per run; and never free, or walks that end at once would go on for ever.
        if runs.len() * 8 < cells {
            self.resources.work += 1 + runs.len() as u64 / 4;
            self.machine.restart_after(runs.iter().map(|run| run.transition));
        } else {
            self.resources.work += 1 + cells as u64 / 64;
            self.machine.restart();
        }
        self.journal.restart();
        self.statistics.restarts += 1;
    }

    /// Restarts and fires `runs`, which were fired from the initial marking before.
    pub(super) fn resume(&mut self, runs: &[Run]) {
        self.restart();
        for &Run { transition, count } in runs {
            let class = self.machine.class_of(transition);
            if !self.machine.fire_many(class, i64::from(count)) {
                return;
            }
            self.journal.push(transition, u64::from(count));
            self.note_news();
        }
        self.resources.work += runs.len() as u64;
        self.statistics.firings += self.journal.firings();
    }

    /// Walks on from here for at most `limit` steps.
    pub(super) fn walk<S: Choose>(&mut self, strategy: &mut S, limit: u64) -> End {
        self.statistics.of_mut(self.strategy).walks += 1;
        let firings = self.journal.firings();
        let work = self.resources.work;
        let (end, steps) = self.walk_on(strategy, limit);
        // Transitions with crowded places in common cost more to fire.
        self.resources.work += (self.machine.flipped - self.flipped) / 8;
        self.flipped = self.machine.flipped;
        let figures = self.statistics.of_mut(self.strategy);
        figures.steps += steps;
        figures.work += self.resources.work - work;
        self.statistics.firings += self.journal.firings() - firings;
        end
    }

    fn walk_on<S: Choose>(&mut self, strategy: &mut S, limit: u64) -> (End, u64) {
        let mut refused = 0;
        for step in 0..limit {
            if self.resources.work >= self.next_look && self.look() {
                return (End::Slice, step);
            }
            if self.machine.enabled().is_empty() {
                return (End::Walk, step);
            }
            let Some(class) = strategy.choose(&mut self.machine, &mut self.resources) else {
                return (End::Walk, step);
            };
            self.resources.work += 1;
            let transition = self.machine.representative(class, &mut self.resources.rng);
            let count = match strategy.wanted() {
                Some(1) => 1,
                Some(wanted) => (most(&self.machine, class, transition).max(1) as u64).min(wanted),
                None if self.acceleration.is_on() => self.acceleration.count(
                    &self.machine,
                    class,
                    transition,
                    &mut self.resources.rng,
                ),
                None => 1,
            };
            let done = match count {
                1 => self.machine.fire(class),
                // Counts are below 2⁴⁰.
                count => self.machine.fire_many(class, count as i64),
            };
            if !done || !self.journal.has_room_for(count) {
                refused += 1;
                if refused > PATIENCE || done {
                    return (End::Walk, step);
                }
                continue;
            }
            refused = 0;
            self.journal.push(transition, count);
            if !self.machine.news.is_empty() {
                self.note_news();
            }
            strategy.fired(&self.machine, class, count, self.journal.firings());
        }
        (End::Walk, limit)
    }

    /// A maximum was shown to be infinite.
    pub(super) fn settled_elsewhere(&mut self, goal: u32) {
        self.machine.forget(goal);
        self.open -= 1;
        self.statistics.unbounded += 1;
        self.statistics.reached += 1;
        self.statistics.of_mut(self.strategy).reached += 1;
    }

    /// Looks at the clock and at the board. Whether to stop.
    #[cold]
    fn look(&mut self) -> bool {
        self.next_look = self.resources.work + WORK_BETWEEN_LOOKS;
        self.journal.report_now_and_then(&self.report, &self.machine.compiled.records, &self.ids);
        if self.refreshed.elapsed() >= TIME_BETWEEN_REFRESHES {
            self.refresh();
        }
        self.slice_is_over()
    }

    fn flush(&mut self) {
        self.journal.report(&self.report, &self.machine.compiled.records, &self.ids);
    }

    /// Forgets the goals that somebody settled, when there may be some.
    fn refresh(&mut self) {
        self.refreshed = Instant::now();
        let version = self.task.board.version();
        if version == self.version {
            return;
        }
        self.version = version;
        for goal in 0..self.ids.len() {
            if !self.machine.is_gone(goal as u32) && !self.task.board.is_open(self.ids[goal]) {
                self.machine.forget(goal as u32);
                self.open -= 1;
            }
        }
    }

    #[cold]
    fn note_news(&mut self) {
        let mut news = std::mem::take(&mut self.machine.news);
        for new in news.drain(..) {
            if new & RECORD != 0 {
                self.journal.saw_best(new & !RECORD);
                self.statistics.improvements += 1;
                continue;
            }
            // True half-way through the firing is not enough.
            if !self.machine.is_gone(new) && self.machine.holds(new) {
                self.machine.forget(new);
                self.open -= 1;
                self.journal.saw(self.ids[new as usize]);
                self.statistics.reached += 1;
                self.statistics.of_mut(self.strategy).reached += 1;
            }
        }
        self.machine.news = news;
    }
}
