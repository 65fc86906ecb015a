//! Checks the upper bounds on the tokens of places that justify the translation of a net with
//! inhibitor or reset arcs into a place/transition net.

use crate::file::{NamedBecause, NamedBound, NamedTranslation};
use parikh_net::printable::Quoted;
use parikh_net::{ExtendedNet, Marking, PlaceId, TransitionId};
use std::collections::{BTreeMap, BTreeSet};

/// Returns the successor by the firing rule with inhibitor and reset arcs, or `None` if the
/// transition is not enabled or a number overflows.
fn successor(net: &ExtendedNet, marking: &[u64], t: TransitionId) -> Option<Vec<u64>> {
    let core = net.core();
    let inhibited = net.inhibitors(t).iter().any(|arc| marking[arc.place.index()] >= arc.weight);
    if inhibited {
        return None;
    }
    let mut next = marking.to_vec();
    for arc in core.pre(t) {
        next[arc.place.index()] = next[arc.place.index()].checked_sub(arc.weight)?;
    }
    for place in net.resets(t) {
        next[place.index()] = 0;
    }
    for arc in core.post(t) {
        next[arc.place.index()] = next[arc.place.index()].checked_add(arc.weight)?;
    }
    Some(next)
}

/// The checked bounds and caps of a translation. A cap is a number of tokens up to which the
/// translated net is exact; the place may hold more tokens.
pub struct CheckedBounds {
    /// The bound or cap of each place that has one.
    pub bounds: BTreeMap<PlaceId, u64>,
    /// The places with caps.
    pub caps: BTreeSet<PlaceId>,
    /// For each transition that some marking enables, the combinations of tokens on its reset
    /// places in the markings that enable it. `None` unless the translation copies transitions only
    /// for these combinations.
    pub combinations: Option<ResetCombinations>,
}

/// For each transition, the combinations of tokens on its reset places, in the order of
/// [`ExtendedNet::resets`].
pub type ResetCombinations = BTreeMap<TransitionId, BTreeSet<Vec<u64>>>;

/// Checks each bound of a translation, and returns the bounds and caps. For bounds that a visit
/// justifies, all markings of the net are visited, at most `most_visited`.
///
/// # Errors
/// When a bound is not proved, is missing, is given twice or is for an unknown place. When a cap is
/// too low, or stands beside a bound that is justified by visited combinations. When the visit
/// reaches a limit or is stopped.
pub fn check_bounds(
    net: &ExtendedNet,
    named: &NamedTranslation,
    most_visited: u64,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<CheckedBounds, String> {
    let core = net.core();
    let (mut bounds, mut caps) = (BTreeMap::new(), BTreeSet::new());
    let mut visited = BTreeMap::new();
    for bound in &named.bounds {
        let name = Quoted(&bound.place);
        let place = core.place_named(&bound.place);
        let place = place.ok_or_else(|| format!("the model has no place {name}"))?;
        if bounds.insert(place, bound.most).is_some() {
            return Err(format!("two bounds on place {name}"));
        }
        let is_proved = match &bound.because {
            NamedBecause::Visited(_) | NamedBecause::Seen(_) => {
                visited.insert(place, bound.most);
                true
            }
            NamedBecause::Cap => {
                caps.insert(place);
                is_cap(net, place, bound.most)
            }
            NamedBecause::Capacity => is_capacity(net, place, bound.most),
            NamedBecause::Weights(weights) => is_bound_by_weights(net, place, bound.most, weights)?,
        };
        if !is_proved {
            return Err(match bound.because {
                NamedBecause::Cap => format!("{} is too low for a cap of place {name}", bound.most),
                _ => format!("place {name} may hold more than {}", bound.most),
            });
        }
    }
    if let Some(missing) = bounded_places(net).find(|place| !bounds.contains_key(place)) {
        return Err(format!("no bound on place {}", Quoted(core.place_name(missing))));
    }
    let is_seen = |bound: &NamedBound| matches!(bound.because, NamedBecause::Seen(_));
    let mut combinations = named.bounds.iter().any(is_seen).then(ResetCombinations::new);
    if combinations.is_some() && !caps.is_empty() {
        return Err("a cap for a place with a proved bound".to_owned());
    }
    if !visited.is_empty() {
        visit(net, &visited, &mut combinations, most_visited, goes_on)?;
    }
    Ok(CheckedBounds { bounds, caps, combinations })
}

/// Returns true if a place may have this cap: it initially holds no more, and no arc at it has a
/// larger weight. The cap must be at least 1 and less than [`Marking::MAX_TOKENS`]. A cap is no
/// claim that the place holds no more.
fn is_cap(net: &ExtendedNet, place: PlaceId, cap: u64) -> bool {
    let core = net.core();
    let fits = |t: TransitionId| {
        let weights = [core.pre_weight(t, place), core.post_weight(t, place)];
        let inhibitor = net.inhibitors(t).iter().find(|arc| arc.place == place);
        weights.into_iter().chain(inhibitor.map(|arc| arc.weight)).all(|weight| weight <= cap)
    };
    let is_number = (1..Marking::MAX_TOKENS).contains(&cap);
    core.initial()[place] <= cap && is_number && core.transitions().all(fits)
}

/// Iterates over the places with an inhibitor or reset arc. A place with several such arcs occurs
/// several times.
pub(super) fn bounded_places(net: &ExtendedNet) -> impl Iterator<Item = PlaceId> {
    let transitions = || net.core().transitions();
    let inhibit = transitions().flat_map(|t| net.inhibitors(t).iter().map(|arc| arc.place));
    inhibit.chain(transitions().flat_map(|t| net.resets(t).iter().copied()))
}

/// Returns true if `place` initially holds at most `bound` tokens, and no firing leads above
/// `bound`. Every transition that increases `place` must leave at most `bound` tokens there,
/// because `place` inhibits it or it resets `place`.
fn is_capacity(net: &ExtendedNet, place: PlaceId, bound: u64) -> bool {
    let core = net.core();
    let keeps_bound = |t: TransitionId| {
        let (takes, puts) = (core.pre_weight(t, place), core.post_weight(t, place));
        if net.resets(t).contains(&place) {
            return puts <= bound;
        }
        let inhibitor = net.inhibitors(t).iter().find(|arc| arc.place == place);
        match (puts.checked_sub(takes), inhibitor) {
            (None | Some(0), _) => true,
            (Some(more), Some(arc)) => {
                (arc.weight - 1).checked_add(more).is_some_and(|it| it <= bound)
            }
            (Some(_), None) => false,
        }
    };
    core.initial()[place] <= bound && core.transitions().all(keeps_bound)
}

/// Returns true if a sum with non-negative weights that no transition increases proves that `place`
/// holds at most `bound` tokens. Returns false also if a number overflows, and an error for an
/// unknown place. The sum ignores inhibitor and reset arcs. This is sound: an inhibitor arc only
/// forbids firings, and a reset arc only removes further tokens.
fn is_bound_by_weights(
    net: &ExtendedNet,
    place: PlaceId,
    bound: u64,
    weights: &[(String, u64)],
) -> Result<bool, String> {
    let core = net.core();
    let mut factor = vec![0i128; core.place_count()];
    for (name, weight) in weights {
        let p = core.place_named(name);
        let p = p.ok_or_else(|| format!("the model has no place {}", Quoted(name)))?;
        factor[p.index()] = i128::from(*weight);
    }
    let times = |p: PlaceId, tokens: u64| factor[p.index()].checked_mul(i128::from(tokens));
    let sum = |arcs: &[parikh_net::Arc]| {
        arcs.iter().try_fold(0i128, |sum, arc| sum.checked_add(times(arc.place, arc.weight)?))
    };
    for t in core.transitions() {
        match (sum(core.pre(t)), sum(core.post(t))) {
            (Some(taken), Some(put)) if put <= taken => {}
            _ => return Ok(false),
        }
    }
    let mut marked = core.initial().marked();
    let initial_sum = marked.try_fold(0i128, |sum, (p, n)| sum.checked_add(times(p, n)?));
    // With more than `bound` tokens on the place the sum would exceed its initial value.
    let exceeding_sum =
        times(place, bound).and_then(|least| least.checked_add(factor[place.index()]));
    Ok(factor[place.index()] > 0
        && matches!((initial_sum, exceeding_sum), (Some(all), Some(more)) if all < more))
}

/// Visits the reachable markings, at most `limit`, and checks that no place exceeds its bound. If
/// `combinations` is given, adds for each enabled transition the tokens on its reset places.
/// Returns a message as error if a bound fails, or if the visit cannot be completed.
fn visit(
    net: &ExtendedNet,
    bounds: &BTreeMap<PlaceId, u64>,
    combinations: &mut Option<ResetCombinations>,
    limit: u64,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<(), String> {
    let initial: Vec<u64> = net.core().initial().tokens().to_vec();
    let mut visited: BTreeSet<Vec<u64>> = BTreeSet::from([initial.clone()]);
    let mut worklist = vec![initial];
    while let Some(marking) = worklist.pop() {
        if !goes_on() {
            return Err("the markings could not be visited in time".to_owned());
        }
        if let Some((place, _)) = bounds.iter().find(|(p, bounds)| marking[p.index()] > **bounds) {
            let name = Quoted(net.core().place_name(*place));
            return Err(format!("place {name} holds more than {} in a marking", bounds[place]));
        }
        for t in net.core().transitions() {
            let Some(next) = successor(net, &marking, t) else { continue };
            if let Some(combinations) = combinations {
                let held = net.resets(t).iter().map(|p| marking[p.index()]).collect();
                combinations.entry(t).or_default().insert(held);
            }
            if next.iter().any(|&tokens| tokens > Marking::MAX_TOKENS) {
                return Err("the markings have too many tokens to count".to_owned());
            }
            if visited.len() as u64 >= limit && !visited.contains(&next) {
                return Err(format!("more than {limit} markings must be visited (--visit)"));
            }
            if visited.insert(next.clone()) {
                worklist.push(next);
            }
        }
    }
    Ok(())
}
