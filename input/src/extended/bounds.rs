//! Bounds on places with inhibitor or reset arcs, each with a justification that a checker can
//! verify.
//!
//! A small net is explored completely, by the firing rule with all arcs, which gives exact bounds.
//! For a larger net, each place with such arcs gets the smaller of two bounds, where they exist:
//!
//! * The first is the bound of a place semiflow of the core, the net without inhibitor and reset
//!   arcs. The semiflow stays an upper bound: an inhibitor arc only forbids firings, and a reset
//!   arc only lowers a sum with nonnegative coefficients.
//! * The second is a capacity: every transition that adds tokens to the place has an inhibitor arc
//!   from this place.
//!
//! If a place has no bound, the net is explored again with a larger limit. If this exploration
//! fails, too, the place may have a cap instead (`cap`).

use super::TranslationError;
use parikh_net::extended::bound_by_inhibitors;
use parikh_net::translation::{BoundReason, TranslationBound};
use parikh_net::{ExtendedNet, Marking, PlaceId, TransitionId};
use parikh_solvers::Budget;
use parikh_structure::semiflows::place_semiflows;
use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};
use std::time::Duration;

/// Limit on the markings in the first exploration, before semiflows and inhibitor arcs are used to
/// find bounds.
const FIRST_VISIT_MARKINGS: u64 = 10_000;

/// Limit on the explored markings if no other method gives bounds. The checker explores the
/// markings again.
pub const MAX_VISITED_MARKINGS: u64 = 200_000;

/// Limit on the stored numbers of tokens during the exploration, for all markings together.
const MAX_CELLS: u64 = 1 << 26;

/// Limit on the number of intermediate semiflows that their computation stores at a time.
const MAX_FLOWS: usize = 5_000;

/// The room of a cap, that is, of an assumed bound on a place. The cap is the room plus the largest
/// number among the initial tokens, the arc weights at the place, and 1.
#[derive(Clone, Copy, Debug)]
pub struct CapRooms {
    /// The room on a place with inhibitor arcs only. The default is 100. Runs that need more tokens
    /// are not found, and engines that visit markings meet every number of tokens up to the cap.
    pub inhibiting: u64,
    /// The room on a place with reset arcs, where each number of tokens needs a copy of a
    /// transition. The default is 32, and less if there would be too many copies.
    pub emptied: u64,
}

impl Default for CapRooms {
    fn default() -> Self {
        CapRooms { inhibiting: 100, emptied: 32 }
    }
}

/// Time limit for the computation of semiflows.
const FLOW_TIME: Duration = Duration::from_secs(5);

/// The bounds of places with inhibitor or reset arcs, sorted by place.
pub(super) struct TranslationBounds {
    pub(super) bounds: Vec<TranslationBound>,
    /// The error for the first arc whose place has no bound. `None` if all places have bounds.
    pub(super) missing: Option<TranslationError>,
}

/// Finds bounds for the places with inhibitor or reset arcs.
pub(super) fn find(net: &ExtendedNet, most_visited: u64, budget: &Budget) -> TranslationBounds {
    let complete = |known| TranslationBounds { bounds: known, missing: None };
    let wanted = tested_places(net);
    if let Some(bounds) = visit_bounds(net, &wanted, FIRST_VISIT_MARKINGS.min(most_visited), budget)
    {
        return complete(bounds);
    }
    let flows = place_semiflows(net.core(), MAX_FLOWS, &budget.slice(FLOW_TIME)).flows;
    let sums: Vec<_> = flows.iter().filter_map(|flow| flow.to_sum()).collect();
    let mut bounds = BTreeMap::new();
    for &place in &wanted {
        let by_flow = sums.iter().filter_map(|sum| {
            let factor = sum.terms().iter().find(|&&(p, _)| p == place)?.1;
            let total = u64::try_from(sum.value(net.core().initial())).ok()?;
            let factor = u64::try_from(factor).ok().filter(|&factor| factor > 0)?;
            Some((total / factor, sum))
        });
        let by_flow = by_flow.min_by_key(|(most, sum)| (*most, sum.terms().len()));
        let bound = match (by_flow, bound_by_inhibitors(net, place)) {
            (Some((most, sum)), capacity_bound)
                if capacity_bound.is_none_or(|capacity_bound| most <= capacity_bound) =>
            {
                let terms = sum.terms().iter();
                let weights = terms.map(|&(p, factor)| (p, factor.unsigned_abs())).collect();
                TranslationBound { place, max_tokens: most, reason: BoundReason::Weights(weights) }
            }
            (_, Some(most)) => {
                TranslationBound { place, max_tokens: most, reason: BoundReason::Capacity }
            }
            _ => continue,
        };
        bounds.insert(place, bound);
    }
    if wanted.iter().all(|place| bounds.contains_key(place)) {
        return complete(bounds.into_values().collect());
    }
    match visit_bounds(net, &wanted, most_visited, budget) {
        Some(bounds) => complete(bounds),
        None => {
            let missing = Some(unbounded(net, &bounds));
            TranslationBounds { bounds: bounds.into_values().collect(), missing }
        }
    }
}

/// Adds a cap, that is, an assumed bound, for each place with inhibitor or reset arcs that has no
/// known bound. The cap is the room plus the largest of the initial tokens, the arc weights at the
/// place, and 1. Returns all bounds, with the known ones.
pub(super) fn cap(
    net: &ExtendedNet,
    known: &[TranslationBound],
    rooms: CapRooms,
) -> Vec<TranslationBound> {
    let core = net.core();
    let mut bounds: BTreeMap<_, _> = known.iter().map(|it| (it.place, it.clone())).collect();
    for place in tested_places(net) {
        let inhibits = core.transitions().filter_map(|t| net.inhibitor_weight(t, place));
        let arcs = core.producers(place).iter().chain(core.consumers(place));
        let moves = arcs.map(|arc| arc.weight);
        let largest_number =
            inhibits.chain(moves).chain([core.initial()[place], 1]).max().unwrap_or(1);
        let is_emptied = core.transitions().any(|t| net.resets(t).contains(&place));
        let room = if is_emptied { rooms.emptied } else { rooms.inhibiting };
        let cap = TranslationBound {
            place,
            max_tokens: largest_number.saturating_add(room),
            reason: BoundReason::Cap,
        };
        bounds.entry(place).or_insert(cap);
    }
    bounds.into_values().collect()
}

/// Returns the places with inhibitor or reset arcs.
fn tested_places(net: &ExtendedNet) -> BTreeSet<PlaceId> {
    let transitions = || net.core().transitions();
    let inhibiting_places = transitions().flat_map(|t| net.inhibitors(t)).map(|arc| arc.place);
    inhibiting_places.chain(transitions().flat_map(|t| net.resets(t)).copied()).collect()
}

/// For each transition, the tokens of the places that it resets, in all reachable markings that
/// enable it.
pub(super) type ResetVectors = BTreeMap<TransitionId, BTreeSet<Vec<u64>>>;

/// Explores the net. Returns the bounds of places with inhibitor or reset arcs, and the token
/// vectors of reset places. Returns `None` if the net has more than `limit` markings, needs too
/// much memory, exceeds the range of numbers, or if `budget` is exhausted.
pub(super) fn visit_with_vectors(
    net: &ExtendedNet,
    limit: u64,
    budget: &Budget,
) -> Option<(Vec<TranslationBound>, ResetVectors)> {
    let mut seen = ResetVectors::new();
    let mut collect = |marking: &Marking, t: TransitionId| {
        let held = net.resets(t).iter().map(|&p| marking[p]).collect();
        seen.entry(t).or_default().insert(held);
    };
    let mut bounds = visit(net, &tested_places(net), limit, budget, &mut collect)?;
    for bound in &mut bounds {
        if let BoundReason::Visited(markings) = bound.reason {
            bound.reason = BoundReason::VisitedResetCounts(markings);
        }
    }
    Some((bounds, seen))
}

/// Explores the net and returns bounds of the places `wanted`. Returns `None` under the conditions
/// of [`visit_with_vectors`].
fn visit_bounds(
    net: &ExtendedNet,
    wanted: &BTreeSet<PlaceId>,
    limit: u64,
    budget: &Budget,
) -> Option<Vec<TranslationBound>> {
    visit(net, wanted, limit, budget, &mut |_, _| {})
}

/// Explores the net as [`visit_bounds`] does. Calls `firing` with each reachable marking and each
/// transition that the marking enables.
fn visit(
    net: &ExtendedNet,
    wanted: &BTreeSet<PlaceId>,
    limit: u64,
    budget: &Budget,
    firing: &mut dyn FnMut(&Marking, TransitionId),
) -> Option<Vec<TranslationBound>> {
    let core = net.core();
    let places = core.place_count().max(1) as u64;
    let limit = limit.min(MAX_CELLS / places);
    let mut max_tokens = core.initial().clone();
    let mut seen_markings: HashSet<Marking> = HashSet::from([core.initial().clone()]);
    let mut queue = VecDeque::from([core.initial().clone()]);
    while let Some(marking) = queue.pop_front() {
        if budget.is_exhausted() {
            return None;
        }
        for t in core.transitions().filter(|&t| net.is_enabled(&marking, t)) {
            firing(&marking, t);
            let mut next = marking.clone();
            net.fire(&mut next, t).ok()?;
            if seen_markings.contains(&next) {
                continue;
            }
            if seen_markings.len() as u64 >= limit {
                return None;
            }
            core.places().for_each(|p| max_tokens[p] = max_tokens[p].max(next[p]));
            seen_markings.insert(next.clone());
            queue.push_back(next);
        }
    }
    let because = BoundReason::Visited(seen_markings.len() as u64);
    let bound =
        |&place| TranslationBound { place, max_tokens: max_tokens[place], reason: because.clone() };
    Some(wanted.iter().map(bound).collect())
}

/// Returns the error for the first inhibitor or reset arc whose place has no bound.
fn unbounded(net: &ExtendedNet, bounds: &BTreeMap<PlaceId, TranslationBound>) -> TranslationError {
    let core = net.core();
    let mut arcs = core.transitions().flat_map(|t| {
        let inhibitor_arcs =
            net.inhibitors(t).iter().map(move |arc| (arc.place, t, "inhibits", "inhibitor"));
        let reset_arcs = net.resets(t).iter().map(move |&p| (p, t, "is emptied by", "reset"));
        inhibitor_arcs.chain(reset_arcs)
    });
    let (place, t, role, arcs) = match arcs.find(|(p, ..)| !bounds.contains_key(p)) {
        Some((p, t, role, arcs)) => (core.place_name(p), core.transition_name(t), role, arcs),
        None => ("", "", "is at", "inhibitor or reset"),
    };
    let (place, transition) = (place.to_owned(), t.to_owned());
    TranslationError::Unbounded { place, role, transition, arcs }
}
