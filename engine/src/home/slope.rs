//! Finds place weights that decrease on the way back, guided by counterexamples.
//!
//! ```text
//! weights ─▶ the transitions that lower them ─▶ do they end elsewhere? ─▶ no: found
//!    ▲                                                │ in m
//!    └──────── with one that is enabled in m ◀────────┘
//! ```
//!
//! At first, each place that is empty in the home marking weighs more than the products of its best
//! consumer: so a token returns on the shortest way. If decreasing firings end in a marking m, some
//! transition enabled in m must decrease the sum as well, preferably the first one of a path home
//! found by a short search. A linear program decides if weights exist that a given set of
//! transitions decreases ([`finitely`](super::finitely)). They do not exist if these transitions
//! together can form a cycle.

use super::finitely::weights_falling;
use parikh_evidence::home::returning::decreasing_transitions;
use parikh_net::{Marking, Net, PlaceId, TransitionId};
use parikh_solvers::Budget;
use std::collections::{HashMap, VecDeque};

/// Place weights. 0 for places not listed.
pub(super) type DecreasingWeights = Vec<(PlaceId, u64)>;

/// Limit on the number of added transitions.
const ROUNDS: usize = 60;

/// Limit on the size of weights.
const HEAVIEST: u64 = 1 << 40;

/// Limit on the number of markings in a search for a path home.
const LOOKED_AT: usize = 3000;

/// Searches for weights such that decreasing firings end only at `home`. The function `ends`
/// returns a counterexample: a marking that lacks tokens of `home` and enables no decreasing
/// transition, or `None` if it knows none.
///
/// # Errors
/// Returns an error of `ends`.
pub(super) fn find<E>(
    net: &Net,
    home: &Marking,
    (budget, rng): (&Budget, &mut fastrand::Rng),
    mut ends: impl FnMut(&DecreasingWeights, &[TransitionId]) -> Result<Option<Marking>, E>,
) -> Result<Option<DecreasingWeights>, E> {
    let mut weights = shortest(net, home, budget);
    let mut required: Vec<TransitionId> = Vec::new();
    for _ in 0..ROUNDS {
        let Ok(falling) = decreasing_transitions(net, &weights) else { return Ok(None) };
        let Some(end) = ends(&weights, &falling)? else { return Ok(Some(weights)) };
        let mut enabled: Vec<TransitionId> = net
            .transitions()
            .filter(|&t| !net.delta(t).is_empty() && net.is_enabled(&end, t))
            .collect();
        rng.shuffle(&mut enabled);
        if let Some(first) = way_home(net, &end, home, budget) {
            enabled.insert(0, first);
        }
        let with = |others: &[TransitionId], t: TransitionId| {
            let all: Vec<TransitionId> = others.iter().copied().chain([t]).collect();
            (!budget.is_exhausted()).then(|| weights_falling(net, &all, budget)).flatten()
        };
        // The new transition is combined with all currently decreasing ones, or only with the ones
        // added so far.
        let found = [&falling[..], &required[..]]
            .into_iter()
            .find_map(|others| enabled.iter().take(8).find_map(|&t| Some((t, with(others, t)?))));
        let Some((t, better)) = found else { return Ok(None) };
        required.push(t);
        weights = better;
    }
    Ok(None)
}

/// Returns initial weights from shortest paths: the weight of a place exceeds the total weight of
/// the products of one of its consumers.
fn shortest(net: &Net, home: &Marking, budget: &Budget) -> DecreasingWeights {
    let mut weight: Vec<Option<u64>> = net.places().map(|p| (home[p] > 0).then_some(0)).collect();
    let mut open: VecDeque<TransitionId> = net.transitions().collect();
    let mut is_open = vec![true; net.transition_count()];
    while let Some(t) = open.pop_front() {
        is_open[t.index()] = false;
        if budget.is_exhausted() {
            break;
        }
        let gain = net.delta(t).iter().filter(|change| change.delta > 0);
        let made = gain
            .map(|change| weight[change.place.index()]?.checked_mul(change.delta.unsigned_abs()));
        let made = made.sum::<Option<u64>>().and_then(|made| made.checked_add(1));
        let Some(made) = made.filter(|&made| made <= HEAVIEST) else { continue };
        for change in net.delta(t).iter().filter(|change| change.delta < 0) {
            let value = made.div_ceil(change.delta.unsigned_abs());
            let known = &mut weight[change.place.index()];
            if known.is_none_or(|known| value < known) {
                *known = Some(value);
                for arc in net.producers(change.place) {
                    if !std::mem::replace(&mut is_open[arc.transition.index()], true) {
                        open.push_back(arc.transition);
                    }
                }
            }
        }
    }
    let weights = net.places().zip(weight);
    weights.filter_map(|(p, weight)| Some((p, weight.filter(|&w| w > 0)?))).collect()
}

/// Returns the first firing on a path from one marking to a marking that covers another, if a short
/// search finds one.
fn way_home(net: &Net, from: &Marking, home: &Marking, budget: &Budget) -> Option<TransitionId> {
    let mut first: HashMap<Marking, Option<TransitionId>> = HashMap::from([(from.clone(), None)]);
    let mut open = VecDeque::from([from.clone()]);
    while let Some(marking) = open.pop_front() {
        let came = first[&marking];
        for t in net.transitions().filter(|&t| net.is_enabled(&marking, t)) {
            let mut next = marking.clone();
            if net.fire(&mut next, t).is_err() || first.contains_key(&next) {
                continue;
            }
            let begun = came.or(Some(t));
            if covers(&next, home) {
                return begun;
            }
            first.insert(next.clone(), begun);
            open.push_back(next);
        }
        if first.len() > LOOKED_AT || budget.is_exhausted() {
            return None;
        }
    }
    None
}

/// Returns true if a marking covers another.
pub(super) fn covers(marking: &Marking, other: &Marking) -> bool {
    marking.tokens().iter().zip(other.tokens()).all(|(more, less)| more >= less)
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    #[test]
    fn a_transition_that_has_to_go_on_is_added() {
        // The short way back from b needs d, which may be empty.
        let net = text::parse(
            "place a 1\nplace b\nplace c\nplace d\nplace e 1\ntransition go: a -> b\n\
             transition back: b + d -> a + d\ntransition on: b -> c\ntransition done: c -> a\n\
             transition free: d -> e\ntransition bind: e -> d",
        )
        .unwrap();
        let named = |name: &str| net.transition_named(name).unwrap();
        let mut asked = 0;
        let ends = |_: &DecreasingWeights, falling: &[TransitionId]| {
            asked += 1;
            let end = Marking::new(vec![0, 1, 0, 0, 1]);
            Ok::<_, ()>((!falling.contains(&named("on"))).then_some(end))
        };
        let budget = Budget::unlimited();
        let mut rng = fastrand::Rng::with_seed(1);
        let found = find(&net, net.initial(), (&budget, &mut rng), ends).unwrap().unwrap();
        let falling = decreasing_transitions(&net, &found).unwrap();
        assert!(["on", "done", "free"].iter().all(|name| falling.contains(&named(name))));
        assert!(!["go", "bind"].iter().any(|name| falling.contains(&named(name))));
        assert_eq!(asked, 2);
    }
}
