//! Attempts at computing the reachable set, spread over the time slices of an engine.
//!
//! Orders of levels are tried as in [`explore`](super::explore), each for a longer and longer time.
//! A try that the end of a slice interrupted is repeated when more time is available than before.
//! If places are not known to be bounded, there may be infinitely many markings. Then only one
//! order is continued after the first short tries.

use super::level_groups::LevelGroups;
use super::{
    MAX_LEVELS, ORDERING_SHARE, ReachableSet, TryLog, groups_and_orders, order, saturate, tries,
};
use crate::SliceProgress;
use parikh_net::{Facts, Net};
use parikh_solvers::Budget;
use parikh_symbolic::order::LevelOrder;
use parikh_symbolic::{LevelTouch, Stop};
use std::time::{Duration, Instant};

/// Share of the remaining memory for diagrams, in [0, 1]. It is not larger because other engines
/// search at the same time.
const MEMORY_SHARE: f64 = 0.5;

/// Limit on the time of each try with any order but the first, if places are not known to be
/// bounded. Longer tries with other orders are left out, since the number of markings may be
/// infinite.
const LONGEST_UNBOUNDED: Duration = Duration::from_secs(1);

/// Limit on the time of each try in a special first slice ([`Attempts::of_groups`]).
const LONGEST_FIRST_TRY: Duration = Duration::from_millis(500);

/// Maximum number of orders that are tried in a special first slice.
const ORDERS_IN_FIRST_SLICE: usize = 6;

/// Number of slices without enough time for another try, none much longer than the ones before,
/// after which the engine gives up.
const MAX_SHORT_SLICES: u32 = 3;

/// Result of using the reachable set to settle goals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QuestionsAnswered {
    /// No goal lacked time. Each is settled, or more time would not help.
    All,
    /// Some goals are settled, and others lacked time. The same set must be computed again for the
    /// others.
    Part,
    /// Time ran out, and the next use of the same set needs more time than this use.
    None,
}

/// Times of a completed try.
#[derive(Clone, Copy)]
struct AttemptTimes {
    /// Time until the set was complete.
    until_set: Duration,
    /// Time until the end of the set's use.
    total: Duration,
}

/// The places that each level represents, and the transitions on these levels.
#[derive(Debug)]
struct Levels {
    groups: LevelGroups,
    transitions: Vec<Vec<LevelTouch>>,
}

/// The orders of the levels, and the state of the tries to compute the reachable set with each
/// order.
#[derive(Debug, Default)]
pub(super) struct Attempts {
    /// True if a level may represent a group of places.
    has_groups: bool,
    /// The levels. `None` until they are computed.
    levels: Option<Levels>,
    /// The orders of levels, the most promising first. Empty until they are computed, and for a net
    /// with too many places.
    orders: Vec<LevelOrder>,
    /// The remaining tries, in reverse: the index of an order and its time slice. `None` is
    /// unlimited time.
    tries: Vec<(usize, Option<Duration>)>,
    /// The time of the last try if this try must be repeated, and zero otherwise. It counts until
    /// the interruption, until the set was complete, or until the end of the set's use. No try
    /// starts if at most this time is left in a slice.
    interrupted_time: Duration,
    /// Number of slices with too little time to repeat the interrupted try, since the longest of
    /// them.
    short_slices: u32,
    /// Duration of the longest slice with too little time.
    longest_short_slice: Duration,
    /// Share of the first slice for each try, in [0, 1]. `None` after the first slice, or if there
    /// is no special first slice. After an unsuccessful first slice, other engines run first.
    first_slice_share: Option<f64>,
    /// The time that the methods for orders had, if it was too short for some of them. `None` if
    /// all methods finished.
    cut_ordering_time: Option<Duration>,
    /// True if the reachable set was completed with some order.
    has_completed_set: bool,
    /// Number of tries so far.
    pub(super) attempt_count: u64,
}

/// Smallest ratio of the time for orders to the time at the last call, if not all methods for
/// orders finished then. With less time, the old orders stay.
const MIN_ORDERING_RATIO: u32 = 4;

impl Attempts {
    /// Creates the state for levels that may represent groups of places. Each try of the first
    /// slice gets this share of the slice, in [0, 1], but at most [`LONGEST_FIRST_TRY`].
    pub(super) fn of_groups(first_slice_share: f64) -> Self {
        let first_slice_share = Some(first_slice_share);
        Attempts { has_groups: true, first_slice_share, ..Attempts::default() }
    }

    /// Computes the levels, their orders and the list of tries at the first call. Computes them
    /// again if some methods for orders had too little time and there is much more now. Leaves the
    /// orders and the tries empty if the net has too many places.
    fn prepare(&mut self, net: &Net, facts: &Facts, budget: &Budget) {
        let ordering = budget.share(ORDERING_SHARE);
        let available = ordering.remaining().unwrap_or(Duration::MAX);
        let may_find_more = self.cut_ordering_time.is_some_and(|cut| {
            available >= cut.saturating_mul(MIN_ORDERING_RATIO) && !self.has_completed_set
        });
        if net.place_count() > MAX_LEVELS || !(self.orders.is_empty() || may_find_more) {
            return;
        }
        let (groups, orders) = match self.has_groups {
            true => groups_and_orders(net, &ordering),
            false => (LevelGroups::of_places(net), order::candidates(net, &ordering)),
        };
        self.orders = orders;
        self.levels = Some(Levels { transitions: groups.transitions(net), groups });
        self.cut_ordering_time = ordering.is_exhausted().then_some(available);
        self.interrupted_time = Duration::ZERO;
        self.tries = tries(self.orders.len());
        if !net.places().all(|p| facts.upper_bound(p).is_some()) {
            let is_short = |time: Option<Duration>| time.is_some_and(|it| it <= LONGEST_UNBOUNDED);
            self.tries.retain(|&(order, time)| order == 0 || is_short(time));
        }
        self.tries.reverse();
    }

    /// Works for one time slice. Tries orders of places until the reachable set is complete with
    /// one order, and calls `use_set` with the set. Stops earlier if no goal is open, if all tries
    /// failed, or if the time is over or too short for the next try. `is_done` returns true if no
    /// goal is open.
    pub(super) fn slice(
        &mut self,
        (net, facts): (&Net, &Facts),
        budget: &Budget,
        is_done: &dyn Fn() -> bool,
        use_set: &(dyn Fn(ReachableSet<'_, '_>) -> Result<QuestionsAnswered, Stop> + Sync),
    ) -> SliceProgress {
        if is_done() {
            return SliceProgress::Finished;
        }
        self.prepare(net, facts, budget);
        if let Some(share) = self.first_slice_share.take() {
            return self.run_first_slice((net, facts), budget, share, use_set);
        }
        while let Some(&(order, time)) = self.tries.last() {
            if is_done() {
                return SliceProgress::Finished;
            }
            if budget.is_exhausted() {
                return SliceProgress::Unfinished;
            }
            if let Some(left) = budget.remaining().filter(|&left| left <= self.interrupted_time) {
                if left > self.longest_short_slice.mul_f64(1.5) {
                    // Slices grow, so there may be enough time later.
                    (self.longest_short_slice, self.short_slices) = (left, 0);
                }
                self.short_slices += 1;
                return match self.short_slices < MAX_SHORT_SLICES {
                    true => SliceProgress::Unfinished,
                    false => SliceProgress::Finished,
                };
            }
            self.short_slices = 0;
            let slice = time.map_or_else(|| budget.child(), |time| budget.slice(time));
            let start = Instant::now();
            match self.attempt(net, order, (&slice, budget), use_set) {
                Ok(outcome) if self.is_enough(order, outcome) => break,
                Ok(_) => return SliceProgress::Unfinished,
                Err(Stop::Requested) if budget.is_exhausted() => {
                    self.interrupted_time = start.elapsed();
                    return SliceProgress::Unfinished;
                }
                Err(_) => {
                    self.interrupted_time = Duration::ZERO;
                    self.tries.pop();
                }
            }
        }
        SliceProgress::Finished
    }

    /// Runs the first slice, in which the most promising orders get a short time each. This finds
    /// simple sets at once. Only one order is tried if places are not known to be bounded.
    fn run_first_slice(
        &mut self,
        (net, facts): (&Net, &Facts),
        budget: &Budget,
        share: f64,
        use_set: &(dyn Fn(ReachableSet<'_, '_>) -> Result<QuestionsAnswered, Stop> + Sync),
    ) -> SliceProgress {
        let try_time = budget.remaining().map_or(LONGEST_FIRST_TRY, |left| left.mul_f64(share));
        // With infinitely many markings no order may terminate, so one order is as informative as
        // all.
        let is_bounded = net.places().all(|p| facts.upper_bound(p).is_some());
        let orders = if is_bounded { self.orders.len().min(ORDERS_IN_FIRST_SLICE) } else { 1 };
        for order in 0..orders.min(self.orders.len()) {
            let slice = budget.slice(try_time.min(LONGEST_FIRST_TRY));
            if let Ok(outcome) = self.attempt(net, order, (&slice, budget), use_set) {
                return match self.is_enough(order, outcome) {
                    true => SliceProgress::Finished,
                    false => SliceProgress::Unfinished,
                };
            }
        }
        match self.tries.is_empty() {
            true => SliceProgress::Finished,
            false => SliceProgress::Unfinished,
        }
    }

    /// Runs one try with the order at this index. `budget` limits the computation of the set.
    /// `use_budget` limits its use. Returns the result of `use_set`, and the times.
    fn attempt(
        &mut self,
        net: &Net,
        order: usize,
        (budget, use_budget): (&Budget, &Budget),
        use_set: &(dyn Fn(ReachableSet<'_, '_>) -> Result<QuestionsAnswered, Stop> + Sync),
    ) -> Result<(QuestionsAnswered, AttemptTimes), Stop> {
        let bytes = (use_budget.memory_left() as f64 * MEMORY_SHARE) as usize;
        self.attempt_count += 1;
        let start = Instant::now();
        let timed_use = |reached: ReachableSet<'_, '_>| {
            let until_set = start.elapsed();
            Ok((use_set(reached)?, until_set))
        };
        let limits = (bytes, budget, use_budget);
        let Some(Levels { groups, transitions }) = &self.levels else {
            return Err(Stop::Requested);
        };
        let net = (net, groups, &transitions[..]);
        let (outcome, until_set) =
            saturate(net, &self.orders[order], limits, &TryLog::default(), &timed_use)?;
        Ok((outcome, AttemptTimes { until_set, total: start.elapsed() }))
    }

    /// Decides after a use of the set if more tries are needed. Returns true if no goal lacked
    /// time, and drops the remaining tries. Otherwise replaces them by a try of this order without
    /// a time limit.
    fn is_enough(
        &mut self,
        order: usize,
        (outcome, times): (QuestionsAnswered, AttemptTimes),
    ) -> bool {
        self.has_completed_set = true;
        (self.tries, self.interrupted_time) = match outcome {
            QuestionsAnswered::All => (Vec::new(), Duration::ZERO),
            QuestionsAnswered::Part => (vec![(order, None)], times.until_set),
            QuestionsAnswered::None => (vec![(order, None)], times.total),
        };
        outcome == QuestionsAnswered::All
    }
}
