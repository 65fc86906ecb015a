//! Attempts at the set of all markings, in slices of time.
//!
//! Orders are tried as in [`explore`](super::explore), in slices that grow; a try that was cut
//! short begins again when it has more time than before. Where places are not known to be bounded,
//! markings may be infinitely many, and after the first short tries only one order is gone on with.

use super::{Course, FIRST_SLICE, MOST_LEVELS, ORDERING, Reached, TRIED, order, saturate, tries};
use crate::engine::Progress;
use parikh_net::{Facts, Net};
use parikh_solvers::Budget;
use parikh_symbolic::Stop;
use parikh_symbolic::order::LevelOrder;
use std::time::{Duration, Instant};

/// The part of the memory that is left which diagrams may take: others search beside.
const MEMORY: f64 = 0.5;

/// The longest try of any order but the first where markings may be infinitely many.
const LONGEST_UNBOUNDED: Duration = Duration::from_secs(2);

/// So many slices without enough time for another try, and there will not be any with more.
const TOO_SHORT: u32 = 3;

/// What came of the set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// Everything that was wanted.
    All,
    /// A part, for lack of time: the rest is to be had from the same set again.
    Part,
    /// Nothing yet: more time is needed than there was.
    Nothing,
}

/// How long a try took.
#[derive(Clone, Copy)]
struct Times {
    until_set: Duration,
    all: Duration,
}

/// What is tried, and what was.
#[derive(Debug, Default)]
pub(super) struct Attempts {
    /// Once they were looked for, the most promising first.
    orders: Vec<LevelOrder>,
    /// What is still to be tried: an order, and for how long.
    tries: Vec<(usize, Option<Duration>)>,
    /// How long the next one was tried, if it was cut short.
    cut: Duration,
    /// How many slices had no more time than that.
    too_short: u32,
    /// Of the first slice the share, in [0, 1], that a try has; nothing where a try has its own
    /// time. After such a slice, without a set, others have their turn first.
    first: Option<f64>,
    /// How many tries there were.
    pub(super) made: u64,
}

impl Attempts {
    /// In the first slice each order has this share of the time, in [0, 1].
    pub(super) fn after_a_look(share: f64) -> Self {
        Attempts { first: Some(share), ..Attempts::default() }
    }

    /// Finds orders, once.
    fn prepare(&mut self, net: &Net, facts: &Facts, budget: &Budget) {
        if !self.orders.is_empty() || net.place_count() > MOST_LEVELS {
            return;
        }
        self.orders = order::candidates(net, &budget.share(ORDERING));
        self.tries = tries(self.orders.len());
        if !net.places().all(|p| facts.upper_bound(p).is_some()) {
            let is_short = |time: Option<Duration>| time.is_some_and(|it| it <= LONGEST_UNBOUNDED);
            self.tries.retain(|&(order, time)| order == 0 || is_short(time));
        }
        self.tries.reverse();
    }

    /// Tries orders until one leads to the set, and has something done with it. `is_done` tells
    /// when nothing is asked any more.
    pub(super) fn slice(
        &mut self,
        (net, facts): (&Net, &Facts),
        budget: &Budget,
        is_done: &dyn Fn() -> bool,
        use_set: &(dyn Fn(Reached<'_, '_>) -> Result<Use, Stop> + Sync),
    ) -> Progress {
        if is_done() {
            return Progress::Finished;
        }
        self.prepare(net, facts, budget);
        if let Some(share) = self.first.take() {
            return self.look((net, facts), budget, share, use_set);
        }
        while let Some(&(order, time)) = self.tries.last() {
            if is_done() {
                return Progress::Finished;
            }
            if budget.is_exhausted() {
                return Progress::Unfinished;
            }
            if budget.remaining().is_some_and(|left| left <= self.cut) {
                self.too_short += 1;
                return match self.too_short < TOO_SHORT {
                    true => Progress::Unfinished,
                    false => Progress::Finished,
                };
            }
            let slice = time.map_or_else(|| budget.child(), |time| budget.slice(time));
            let began = Instant::now();
            match self.attempt(net, order, (&slice, budget), use_set) {
                Ok(used) if self.is_enough(order, used) => break,
                Ok(_) => return Progress::Unfinished,
                Err(Stop::Asked) if budget.is_exhausted() => {
                    self.cut = began.elapsed();
                    return Progress::Unfinished;
                }
                Err(_) => {
                    self.cut = Duration::ZERO;
                    self.tries.pop();
                }
            }
        }
        Progress::Finished
    }

    /// The first slice: each order for a moment. A set that is simple is there at once.
    fn look(
        &mut self,
        (net, facts): (&Net, &Facts),
        budget: &Budget,
        share: f64,
        use_set: &(dyn Fn(Reached<'_, '_>) -> Result<Use, Stop> + Sync),
    ) -> Progress {
        let moment = budget.remaining().map_or(FIRST_SLICE, |left| left.mul_f64(share));
        // Where markings may be infinitely many, no order may end: one tells as much as all.
        let bounded = net.places().all(|p| facts.upper_bound(p).is_some());
        let orders = if bounded { self.orders.len().min(TRIED[0]) } else { 1 };
        for order in 0..orders.min(self.orders.len()) {
            let slice = budget.slice(moment.min(FIRST_SLICE));
            if let Ok(used) = self.attempt(net, order, (&slice, budget), use_set) {
                return match self.is_enough(order, used) {
                    true => Progress::Finished,
                    false => Progress::Unfinished,
                };
            }
        }
        match self.tries.is_empty() {
            true => Progress::Finished,
            false => Progress::Unfinished,
        }
    }

    /// One try, with so much time for the set, and for what is done with it.
    fn attempt(
        &mut self,
        net: &Net,
        order: usize,
        (budget, after): (&Budget, &Budget),
        use_set: &(dyn Fn(Reached<'_, '_>) -> Result<Use, Stop> + Sync),
    ) -> Result<(Use, Times), Stop> {
        let bytes = (after.memory_left() as f64 * MEMORY) as usize;
        self.made += 1;
        let began = Instant::now();
        let use_it = |reached: Reached<'_, '_>| {
            let until_set = began.elapsed();
            Ok((use_set(reached)?, until_set))
        };
        let limits = (bytes, budget, after);
        let (used, until_set) =
            saturate(net, &self.orders[order], limits, &Course::default(), &use_it)?;
        Ok((used, Times { until_set, all: began.elapsed() }))
    }

    /// Whether nothing is to be done any more. Else this order is the one that is gone on with.
    fn is_enough(&mut self, order: usize, (used, times): (Use, Times)) -> bool {
        (self.tries, self.cut) = match used {
            Use::All => (Vec::new(), Duration::ZERO),
            Use::Part => (vec![(order, None)], times.until_set),
            Use::Nothing => (vec![(order, None)], times.all),
        };
        used == Use::All
    }
}
