//! Finds place weights such that the weighted sum of tokens decreases on the way back to a home
//! marking. The search is guided by counterexamples.
//!
//! ```text
//! weights ─▶ the transitions that lower them ─▶ do they end elsewhere? ─▶ no: found
//!    ▲                                                │ in m
//!    └──────── with one that is enabled in m ◀────────┘
//! ```
//!
//! At first, each place that is empty in the home marking weighs more than the products of its best
//! consumer. So a token returns on the shortest way. If decreasing firings end in another marking
//! m, some transition enabled in m must decrease the sum as well. The first transition of a path
//! home, found by a short search, is tried first. A linear program decides if weights exist that a
//! given set of transitions decreases ([`finite_firings`](super::finite_firings)). They do not
//! exist if firings of these transitions together can reproduce a marking.

use super::finite_firings::decreasing_weights;
use parikh_evidence::home::ways_back::decreasing_transitions;
use parikh_net::{Marking, Net, PlaceId, TransitionId};
use parikh_solvers::Budget;
use std::collections::{HashMap, VecDeque};

/// Place weights. 0 for places not listed.
pub(super) type DecreasingWeights = Vec<(PlaceId, u64)>;

/// Maximum number of corrections of the weights. Each counterexample marking adds one transition
/// that must decrease the weighted sum.
const MAX_ROUNDS: usize = 60;

/// Maximum weight of a place in the initial weights. Corrected weights may be larger.
const MAX_WEIGHT: u64 = 1 << 40;

/// Number of visited markings beyond which a search for a path to the home marking is given up.
const MAX_MARKINGS: usize = 3000;

/// Searches for place weights with the following property. Firing transitions that decrease the
/// weighted sum, as long as possible, always ends in a marking that covers `home`. The function
/// `find_counterexample` gets the weights and their decreasing transitions. It returns a marking
/// that lacks tokens of `home` and enables no decreasing transition. It must return `None` only if
/// no reachable marking is of this kind. Returns `None` if no such weights are found within the
/// limits.
///
/// # Errors
/// Returns an error of `find_counterexample`.
pub(super) fn find_decreasing_weights<E>(
    net: &Net,
    home: &Marking,
    (budget, rng): (&Budget, &mut fastrand::Rng),
    mut find_counterexample: impl FnMut(
        &DecreasingWeights,
        &[TransitionId],
    ) -> Result<Option<Marking>, E>,
) -> Result<Option<DecreasingWeights>, E> {
    let mut weights = initial_weights(net, home, budget);
    let mut required_decreasing: Vec<TransitionId> = Vec::new();
    for _ in 0..MAX_ROUNDS {
        let Ok(decreasing) = decreasing_transitions(net, &weights) else { return Ok(None) };
        let Some(end) = find_counterexample(&weights, &decreasing)? else {
            return Ok(Some(weights));
        };
        let mut enabled: Vec<TransitionId> = net
            .transitions()
            .filter(|&t| !net.delta(t).is_empty() && net.is_enabled(&end, t))
            .collect();
        rng.shuffle(&mut enabled);
        if let Some(first) = first_firing_home(net, &end, home, budget) {
            enabled.insert(0, first);
        }
        let weights_with = |base: &[TransitionId], t: TransitionId| {
            let extended: Vec<TransitionId> = base.iter().copied().chain([t]).collect();
            (!budget.is_exhausted()).then(|| decreasing_weights(net, &extended, budget)).flatten()
        };
        // The new transition must decrease the sum together with all transitions that decrease it
        // now. If this is impossible, only the transitions required by earlier counterexamples are
        // kept.
        let found = [&decreasing[..], &required_decreasing[..]].into_iter().find_map(|base| {
            enabled.iter().take(8).find_map(|&t| Some((t, weights_with(base, t)?)))
        });
        let Some((t, better_weights)) = found else { return Ok(None) };
        required_decreasing.push(t);
        weights = better_weights;
    }
    Ok(None)
}

/// Returns initial weights from shortest paths to places that `home` marks, which have weight 0.
/// For each other place, some consumer decreases the sum: the tokens that it adds weigh less than
/// the tokens that it removes. A place without such a consumer gets weight 0.
fn initial_weights(net: &Net, home: &Marking, budget: &Budget) -> DecreasingWeights {
    let mut weight: Vec<Option<u64>> = net.places().map(|p| (home[p] > 0).then_some(0)).collect();
    let mut queue: VecDeque<TransitionId> = net.transitions().collect();
    let mut is_queued = vec![true; net.transition_count()];
    while let Some(t) = queue.pop_front() {
        is_queued[t.index()] = false;
        if budget.is_exhausted() {
            break;
        }
        let increases = net.delta(t).iter().filter(|change| change.delta > 0);
        let product_weight = increases
            .map(|change| weight[change.place.index()]?.checked_mul(change.delta.unsigned_abs()));
        let product_weight = product_weight
            .sum::<Option<u64>>()
            .and_then(|product_weight| product_weight.checked_add(1));
        let Some(product_weight) =
            product_weight.filter(|&product_weight| product_weight <= MAX_WEIGHT)
        else {
            continue;
        };
        for change in net.delta(t).iter().filter(|change| change.delta < 0) {
            let value = product_weight.div_ceil(change.delta.unsigned_abs());
            let current_weight = &mut weight[change.place.index()];
            if current_weight.is_none_or(|current_weight| value < current_weight) {
                *current_weight = Some(value);
                for arc in net.producers(change.place) {
                    if !std::mem::replace(&mut is_queued[arc.transition.index()], true) {
                        queue.push_back(arc.transition);
                    }
                }
            }
        }
    }
    let weights = net.places().zip(weight);
    weights.filter_map(|(p, weight)| Some((p, weight.filter(|&w| w > 0)?))).collect()
}

/// Returns the first firing on a path from `start` to a marking that covers `home`. Returns `None`
/// if a short search finds no such path.
fn first_firing_home(
    net: &Net,
    start: &Marking,
    home: &Marking,
    budget: &Budget,
) -> Option<TransitionId> {
    let mut first_firings: HashMap<Marking, Option<TransitionId>> =
        HashMap::from([(start.clone(), None)]);
    let mut queue = VecDeque::from([start.clone()]);
    while let Some(marking) = queue.pop_front() {
        let first_firing = first_firings[&marking];
        for t in net.transitions().filter(|&t| net.is_enabled(&marking, t)) {
            let mut next = marking.clone();
            if net.fire(&mut next, t).is_err() || first_firings.contains_key(&next) {
                continue;
            }
            let first_of_path = first_firing.or(Some(t));
            if covers(&next, home) {
                return first_of_path;
            }
            first_firings.insert(next.clone(), first_of_path);
            queue.push_back(next);
        }
        if first_firings.len() > MAX_MARKINGS || budget.is_exhausted() {
            return None;
        }
    }
    None
}

/// Returns true if `marking` has at least as many tokens as `required_marking` on every place.
pub(super) fn covers(marking: &Marking, required_marking: &Marking) -> bool {
    marking
        .tokens()
        .iter()
        .zip(required_marking.tokens())
        .all(|(count, required)| count >= required)
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    #[test]
    fn a_counterexample_adds_a_decreasing_transition() {
        // The short way back from b needs d, which may be empty.
        let net = text::parse(
            "place a 1\nplace b\nplace c\nplace d\nplace e 1\ntransition go: a -> b\n\
             transition back: b + d -> a + d\ntransition on: b -> c\ntransition done: c -> a\n\
             transition free: d -> e\ntransition bind: e -> d",
        )
        .unwrap();
        let named = |name: &str| net.transition_named(name).unwrap();
        let mut call_count = 0;
        let ends = |_: &DecreasingWeights, decreasing: &[TransitionId]| {
            call_count += 1;
            let end = Marking::new(vec![0, 1, 0, 0, 1]);
            Ok::<_, ()>((!decreasing.contains(&named("on"))).then_some(end))
        };
        let budget = Budget::unlimited();
        let mut rng = fastrand::Rng::with_seed(1);
        let found = find_decreasing_weights(&net, net.initial(), (&budget, &mut rng), ends)
            .unwrap()
            .unwrap();
        let falling = decreasing_transitions(&net, &found).unwrap();
        assert!(["on", "done", "free"].iter().all(|name| falling.contains(&named(name))));
        assert!(!["go", "bind"].iter().any(|name| falling.contains(&named(name))));
        assert_eq!(call_count, 2);
    }
}
