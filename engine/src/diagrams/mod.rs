//! Reachable sets as decision diagrams: sets too large to enumerate often have a small symbolic
//! description.
//!
//! The engine in [`goals`] answers goals about single markings from such a set. The engine in
//! [`trees`] answers CTL formulas and refutes LTL properties. Other modules use the set for
//! counting (`run/counting.rs`) and for home properties (`engine/home`).
//!
//! A diagram has one level per place. For counts, and for CTL and LTL, a level may represent a
//! group of places ([`level_groups`]). A diagram depends on the order of levels. Several orders are
//! computed ([`order`]). The best orders are tried in growing time slices, on several threads in
//! parallel. The first complete diagram is used. If it is not too large, the checker itself
//! verifies that no reachable marking is missing ([`confirm`]). The converse, that each marking in
//! the diagram is reachable, is not checked and rests on the search.
//!
//! Saturation, the fixpoint computation on diagrams, does not terminate for infinitely many
//! markings. So a caller must either know that the state space is finite, or limit the time.

mod alarm;
mod attempts;
mod branching;
pub mod confirm;
mod course;
mod cycles;
pub mod figures;
mod forward;
mod goals;
pub(crate) mod level_groups;
mod linear;
pub mod order;
mod order_threads;
mod place_levels;
mod satisfying;
pub mod sums;
mod trees;

pub use course::{OrderTry, TryEntry, TryLog};
pub use goals::ENGINE;
pub use order_threads::OrderThreads;
pub use trees::ENGINE as TREES;

use alarm::DiagramDeadline;
use level_groups::LevelGroups;
use parikh_net::{Marking, Net, PlaceId, TransitionId};
use parikh_solvers::Budget;
use parikh_solvers::budget::ExhaustionReason;
use parikh_solvers::locked;
use parikh_symbolic::order::{LevelOrder, candidates};
use parikh_symbolic::{
    DiagramFigures, Diagrams, LevelInterval, LevelTerm, LevelTouch, Limits, Set, Stop,
    TransitionRelation, with_stack,
};
use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Time slice of each try in the first round of tries with different orders of places. In each
/// later round it is four times as long. With a good order, many sets are complete within a few
/// hundredths of a second, while other orders need minutes or more.
const FIRST_SLICE: Duration = Duration::from_millis(100);

/// Share of the time for computing orders, in [0, 1]. If an engine works in slices, the share is
/// taken from its first slice.
const ORDERING_SHARE: f64 = 0.2;

/// Maximum number of orders of places tried in each round of time slices. Slices grow by a factor
/// of four from round to round, so later rounds try fewer orders.
const ORDERS_PER_SLICE: [usize; 5] = [12, 8, 5, 3, 1];

/// Share of the remaining memory for diagrams, in [0, 1]. A try divides it by the number of threads
/// that work when the try starts. If threads join later, the limit of the budget ends all tries
/// that together need too much.
const MEMORY_SHARE: f64 = 0.7;

/// Limit on the number of levels of a diagram. Saturation recurses over the levels, so the stack
/// grows with them.
const MAX_LEVELS: usize = 400_000;

/// The reason why the reachable set was not computed, or could not be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DiagramError {
    /// The budget is exhausted.
    #[error(transparent)]
    BudgetExhausted(#[from] ExhaustionReason),
    /// No order led to a complete diagram, or the use of a diagram stopped early. The field is the
    /// reason of the last try.
    #[error(transparent)]
    Stopped(#[from] Stop),
    /// The checker refused the set: an internal error.
    #[error("internal error: {0}")]
    Refused(#[from] parikh_evidence::certificate::closed_set::ClosedSetFlaw),
    /// The checker counts another number of markings in the set: an internal error.
    #[error("internal error: the checker counts another number of markings")]
    Miscounted,
    /// The net has too many places.
    #[error("the net has too many places for diagrams")]
    TooLarge,
    /// A marking of a reduced net stands for a number of original markings that cannot be computed.
    #[error(transparent)]
    Weight(#[from] parikh_evidence::counting::WeightError),
}

/// The reachable markings of a net as a set of vectors of token counts, stored as a decision
/// diagram.
pub struct ReachableSet<'r, 'd> {
    /// The diagram store of the set.
    pub diagrams: &'r mut Diagrams<'d>,
    /// The reachable markings. The set is [kept](Diagrams::protect), so garbage collection does not
    /// remove it.
    pub set: Set,
    /// The order of the groups in the diagram.
    pub order: &'r LevelOrder,
    /// The net.
    net: &'r Net,
    /// The places that each level represents. For a caller of [`explore`], each level represents
    /// one place, and the groups are in the order of the places.
    groups: &'r LevelGroups,
    /// The level of a group in the diagram, by index of the group. If each level represents one
    /// place, this is the level of a place, by index of the place.
    pub level_of: &'r [u32],
    /// The conditions and effects of the transitions on the levels that they touch. If each level
    /// represents one place, they are indexed by [`TransitionId`]. Otherwise some are merged or
    /// left out ([`LevelGroups::transitions`]).
    pub transitions: &'r [Vec<LevelTouch>],
    /// The transitions of the net as one relation, prepared for firing on sets.
    pub relation: &'r TransitionRelation,
    /// The log entry of the try that computed the set, where a caller can record the number of
    /// markings.
    pub log_entry: TryEntry<'r>,
    /// Deadline for computations with the set. It may be earlier than the end of the budget.
    deadline: &'r DiagramDeadline,
}

impl<'r> ReachableSet<'r, '_> {
    /// Returns a reachable marking as values of levels. Level 0 is the top level of the diagram. If
    /// each level represents one place, the values are token counts.
    pub fn vector(&self, marking: &Marking) -> Vec<u64> {
        let mut vector = vec![0; self.level_of.len()];
        for (group, &level) in self.groups.groups.iter().zip(self.level_of) {
            vector[level as usize] = group.value(|place| marking[place]);
        }
        vector
    }

    /// Returns the terms of a weighted sum of tokens, by level.
    pub(crate) fn terms(&self, sum: &[(PlaceId, i64)]) -> HashMap<u32, LevelTerm<'r>> {
        let mut by_group: BTreeMap<u32, Vec<(usize, i64)>> = BTreeMap::new();
        for &(place, weight) in sum {
            let (group, index) = self.groups.location(place);
            by_group.entry(group).or_default().push((index, weight));
        }
        let groups = self.groups;
        let term = |(group, weights): (u32, Vec<(usize, i64)>)| {
            let level = self.level_of[group as usize];
            (level, groups.groups[group as usize].term(weights))
        };
        by_group.into_iter().map(term).collect()
    }

    /// Returns the values of levels with which a transition is enabled, by ascending level. Returns
    /// `None` if no reachable marking enables it, because of an invariant of a group of places.
    pub(crate) fn conditions(&self, t: TransitionId) -> Option<Vec<LevelInterval>> {
        let touches = self.touches(t)?;
        let conditions = touches.iter().map(|touch| touch.condition());
        Some(conditions.filter(|condition| !condition.is_trivial()).collect())
    }

    /// Returns the conditions and effects of a transition on the levels, by ascending level.
    /// Returns `None` if no reachable marking enables it, because of an invariant of a group.
    pub(crate) fn touches(&self, t: TransitionId) -> Option<Vec<LevelTouch>> {
        let mut touches = self.groups.touches(self.net, t)?;
        touches.iter_mut().for_each(|touch| touch.level = self.level_of[touch.level as usize]);
        touches.sort_unstable_by_key(|touch| touch.level);
        Some(touches)
    }
}

/// Computes the reachable set of `net` and calls `use_set` with it. Returns the result of
/// `use_set`. The diagram is freed when `use_set` returns. Several orders are tried in parallel on
/// `threads` threads, so `use_set` may be called more than once.
///
/// Returns an error if the net has too many places. Also returns an error if no order led to a
/// diagram and a result of `use_set` within the budget.
pub fn explore<T: Send>(
    net: &Net,
    threads: usize,
    budget: &Budget,
    use_set: impl Fn(ReachableSet<'_, '_>) -> Result<T, Stop> + Sync,
) -> Result<T, DiagramError> {
    explore_logged(net, &OrderThreads::new(threads), budget, &TryLog::default(), use_set)
}

/// Like [`explore`], and records in `log` how each diagram grew and how each try ended.
///
/// # Errors
/// Returns an error in the same cases as [`explore`].
pub fn explore_logged<T: Send>(
    net: &Net,
    threads: &OrderThreads,
    budget: &Budget,
    log: &TryLog,
    use_set: impl Fn(ReachableSet<'_, '_>) -> Result<T, Stop> + Sync,
) -> Result<T, DiagramError> {
    let groups = LevelGroups::of_places(net);
    if groups.groups.len() > MAX_LEVELS {
        return Err(DiagramError::TooLarge);
    }
    let orders = order::candidates(net, &budget.share(ORDERING_SHARE));
    explore_orders((net, &groups, &orders), threads, budget, log, use_set)
}

/// Like [`explore_logged`], with diagrams whose levels represent groups of places
/// ([`level_groups`]).
///
/// # Errors
/// Returns an error in the same cases as [`explore`].
fn explore_groups<T: Send>(
    net: &Net,
    threads: &OrderThreads,
    budget: &Budget,
    log: &TryLog,
    use_set: impl Fn(ReachableSet<'_, '_>) -> Result<T, Stop> + Sync,
) -> Result<T, DiagramError> {
    let (groups, orders) = groups_and_orders(net, &budget.share(ORDERING_SHARE));
    if groups.groups.len() > MAX_LEVELS {
        return Err(DiagramError::TooLarge);
    }
    explore_orders((net, &groups, &orders), threads, budget, log, use_set)
}

/// Returns groups of places for levels, and orders of these groups, the most promising first.
/// Returns no order if there are too many groups.
fn groups_and_orders(net: &Net, budget: &Budget) -> (LevelGroups, Vec<LevelOrder>) {
    let (shape, flows) = order::shape(net, budget);
    let groups = LevelGroups::by_flows(net, &flows);
    let orders = match groups.groups.len() {
        0..=MAX_LEVELS => candidates(&groups.shape(&shape), &|| budget.is_exhausted()),
        _ => Vec::new(),
    };
    (groups, orders)
}

/// Computes the reachable set with several orders of `groups`, as [`explore_logged`] does.
fn explore_orders<T: Send>(
    (net, groups, orders): (&Net, &LevelGroups, &[LevelOrder]),
    threads: &OrderThreads,
    budget: &Budget,
    log: &TryLog,
    use_set: impl Fn(ReachableSet<'_, '_>) -> Result<T, Stop> + Sync,
) -> Result<T, DiagramError> {
    for order in orders {
        tracing::debug!("diagrams: order {} scores {:.1}", order.method, order.score);
    }
    let transitions = groups.transitions(net);
    let (levels, touching) = (groups.groups.len(), transitions.len());
    tracing::debug!("diagrams: {levels} levels, {touching} transitions");
    let tries = tries(orders.len());
    let next_try = AtomicUsize::new(0);
    let result: Mutex<Option<T>> = Mutex::new(None);
    let last_stop: Mutex<Option<Stop>> = Mutex::new(None);
    let shared_budget = budget.child();
    let run_worker = || {
        while !shared_budget.is_exhausted() {
            let Some((order, slice)) = tries.get(next_try.fetch_add(1, Ordering::Relaxed)) else {
                break;
            };
            let order = &orders[*order];
            let slice =
                slice.map_or_else(|| shared_budget.child(), |slice| shared_budget.slice(slice));
            let bytes =
                (shared_budget.memory_left() as f64 * MEMORY_SHARE) as usize / threads.current();
            match saturate(
                (net, groups, &transitions),
                order,
                (bytes, &slice, &shared_budget),
                log,
                &use_set,
            ) {
                Ok(value) => {
                    *locked(&result) = Some(value);
                    shared_budget.cancel();
                }
                Err(stop) => {
                    *locked(&last_stop) = Some(stop);
                }
            }
        }
    };
    let is_over =
        || shared_budget.is_exhausted() || next_try.load(Ordering::Relaxed) >= tries.len();
    let run_worker = &run_worker;
    std::thread::scope(|scope| {
        for thread in 1..threads.max() {
            scope.spawn(move || {
                if threads.wait_for(thread, &is_over) {
                    run_worker();
                }
            });
        }
        run_worker();
    });
    let into_value = |poisoned: std::sync::PoisonError<Option<T>>| poisoned.into_inner();
    if let Some(value) = result.into_inner().unwrap_or_else(into_value) {
        return Ok(value);
    }
    match budget.exhausted() {
        Some(spent) => Err(spent.into()),
        None => Err(last_stop.into_inner().ok().flatten().unwrap_or(Stop::Requested).into()),
    }
}

/// Limit on the time for computing the orders that [`try_each_order`] compares.
const COMPARED_ORDERS_TIME: Duration = Duration::from_secs(60);

/// Computes the reachable set of `net` with each order of places alone, on one thread, for at most
/// `time` each. Returns the tries. This is a measurement: see `parikh-bench orders`.
pub fn try_each_order(net: &Net, time: Duration, budget: &Budget) -> Vec<OrderTry> {
    let log = TryLog::default();
    let (groups, orders) = groups_and_orders(net, &budget.slice(COMPARED_ORDERS_TIME));
    let transitions = groups.transitions(net);
    for order in orders {
        let slice = budget.slice(time);
        let bytes = (budget.memory_left() as f64 * MEMORY_SHARE) as usize;
        // The log has the outcome.
        let _ =
            saturate((net, &groups, &transitions), &order, (bytes, &slice, &slice), &log, &|_| {
                Ok(())
            });
    }
    log.tries()
}

/// Returns the sequence of tries for this number of orders. A try is the index of an order and a
/// time slice, where `None` is unlimited time.
fn tries(orders: usize) -> Vec<(usize, Option<Duration>)> {
    let mut tries = Vec::new();
    let mut slice = FIRST_SLICE;
    for order_count in ORDERS_PER_SLICE {
        tries.extend((0..order_count.min(orders)).map(|order| (order, Some(slice))));
        slice *= 4;
    }
    // The two best orders get unlimited time. With one thread, the second of them runs only if the
    // first is stopped by another limit than the time, such as memory.
    tries.extend((0..orders.min(2)).map(|order| (order, None)));
    tries
}

/// Tries one order of groups: computes the reachable set with at most `bytes` bytes of memory, and
/// calls `use_set` with it. `transitions` are those of [`LevelGroups::transitions`]. `budget`
/// limits the construction of the diagram, and `use_budget` limits `use_set`. Records the try in
/// `log`.
fn saturate<T: Send>(
    (net, groups, transitions): (&Net, &LevelGroups, &[Vec<LevelTouch>]),
    order: &LevelOrder,
    (bytes, budget, use_budget): (usize, &Budget, &Budget),
    log: &TryLog,
    use_set: &(impl Fn(ReachableSet<'_, '_>) -> Result<T, Stop> + Sync),
) -> Result<T, Stop> {
    let levels = order.places.len();
    let mut level_of = vec![0; levels];
    for (level, &group) in (0..).zip(&order.places) {
        level_of[group as usize] = level;
    }
    let mut transitions = transitions.to_vec();
    for touches in &mut transitions {
        touches.iter_mut().for_each(|touch| touch.level = level_of[touch.level as usize]);
        touches.sort_unstable();
    }
    let values = groups.initial(net);
    let initial: Vec<u64> = order.places.iter().map(|&group| values[group as usize]).collect();
    let entry_index = log.begin(order.method, order.score);
    let stop = |figures: &DiagramFigures| {
        log.sample(entry_index, figures);
        budget.is_exhausted()
    };
    let deadline = DiagramDeadline::new();
    let stop_using = |_: &DiagramFigures| use_budget.is_exhausted() || deadline.has_passed();
    let start = std::time::Instant::now();
    let attempt = || {
        let relation = TransitionRelation::new(levels as u32, &transitions)?;
        let mut diagrams = Diagrams::new(Limits { bytes, stop: &stop });
        let initial_set = diagrams.single(&initial)?;
        let result = diagrams.reachable(&relation, initial_set);
        let figures = diagrams.figures();
        tracing::debug!(
            "diagrams: order {}: {} in {:.2?}, {} nodes at most, {} collections",
            order.method,
            result.map_or_else(|stop| stop.to_string(), |_| "all markings".to_owned()),
            start.elapsed(),
            figures.peak,
            figures.collections
        );
        log.finish_try(entry_index, &figures, result.map(|_| ()));
        let set = result?;
        diagrams.protect(set);
        diagrams.set_limits(Limits { bytes, stop: &stop_using });
        let (level_of, transitions, relation) = (&level_of[..], &transitions[..], &relation);
        let (diagrams, tried, deadline) =
            (&mut diagrams, TryEntry { log, index: entry_index }, &deadline);
        use_set(ReachableSet {
            diagrams,
            set,
            net,
            order,
            groups,
            level_of,
            transitions,
            relation,
            log_entry: tried,
            deadline,
        })
    };
    // If the system refuses a thread with such a large stack, memory is short as well.
    with_stack(levels, attempt).unwrap_or(Err(Stop::Memory))
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_generate::{Shape, random, random_parts};

    /// Returns a random net. With an odd seed, the net has invariants for groups of places.
    pub(super) fn random_net(seed: u64) -> Net {
        match seed % 2 {
            0 => random(seed, &Shape::small(seed)),
            _ => random_parts(&mut fastrand::Rng::with_seed(seed)),
        }
    }

    /// Computes the reachable set and calls `use_set` with it. With an odd seed, levels represent
    /// groups of places.
    pub(super) fn explore_by_seed<T: Send>(
        seed: u64,
        net: &Net,
        budget: &Budget,
        use_set: impl Fn(ReachableSet<'_, '_>) -> Result<T, Stop> + Sync,
    ) -> Result<T, DiagramError> {
        match seed % 2 {
            0 => explore(net, 1, budget, use_set),
            _ => explore_groups(net, &OrderThreads::new(1), budget, &TryLog::default(), use_set),
        }
    }
}
