//! Lower bounds: rows of the program that state how many tokens always remain.
//!
//! ```text
//! place stock 2                                # stock >= 2, as a firing leaves 2 tokens at least
//! place taken                                  # stock + taken - given = 2 by the state equation,
//! place given                                  # so taken <= given
//! transition take: 3*stock -> 2*stock + taken
//! transition give: stock -> 2*stock + given
//! ```
//!
//! Two kinds of lower bounds become rows. The lower bounds of token intervals are known from the
//! beginning. A *weighted* lower bound w·m ≥ k is searched when a solution m* has w·m* < k. It
//! generalises a trap: [`largest_lower_bound`] gives the best k for weights w, and
//! [`find_violated`] searches for weights.
//!
//! # Search for weights
//! The search begins with weight 1 on one place. A transition that lowers w·m and leaves less than
//! k = ⌊w·m*⌋ + 1 needs more weight on an output. The output that adds least to w·m* gets the
//! weight, and k is computed again. The search ends when no such transition remains, or w·m₀ < k.
//! If the output would need a fraction of a weight, a first search rounds it up, and a second
//! search multiplies all weights by the denominator.
//!
//! # Soundness
//! Every row has a proof. The certificate lists each lower bound that a lemma uses, with the place
//! bounds that its proof needs. The checker verifies the list
//! ([`LowerBound`] has the argument).

use super::Engine;
use super::point::{SolutionPoint, TOLERANCE};
use crate::intervals;
use num_integer::Integer as _;
use parikh_evidence::certificate::{BoundsCertificate, LowerBound};
use parikh_net::{Facts, Net, PlaceId, TransitionId};
use parikh_solvers::Budget;
use parikh_structure::intervals::{Intervals, ProvenanceIntervals};
use parikh_structure::traps::small_marked_traps;
use std::collections::BTreeMap;

/// Limit on the number of places from which the search for weights starts, for one solution.
const MAX_SEEDS: usize = 64;
/// Limit on the number of places with a nonzero weight in a weighted lower bound w·m ≥ k.
const MAX_TERMS: usize = 40;
/// Limit on the size of a weight.
const MAX_WEIGHT: u64 = 1 << 20;

/// Weights by place. Places without an entry have weight 0.
type LowerBoundWeights = BTreeMap<PlaceId, u64>;

/// Proved token intervals of the places. The proofs of weighted lower bounds may use them.
pub(super) struct LowerBoundPremises {
    facts: Facts,
    /// The token intervals that follow from `facts`.
    intervals: ProvenanceIntervals,
}

impl LowerBoundPremises {
    /// Returns the token intervals that follow from `facts`, and the positive lower bounds of
    /// single places. Both follow from the arcs of the net alone if a certificate cannot derive the
    /// lower bounds from the facts.
    pub(super) fn new(net: &Net, facts: &Facts) -> (LowerBoundPremises, Vec<LowerBound>) {
        let from_facts = LowerBoundPremises::from_facts(net, facts.clone());
        let lower = from_facts.positive_lower_bounds(net);
        if lower.is_empty() || from_facts.derivation(net, &lower, &Budget::unlimited()).is_some() {
            return (from_facts, lower);
        }
        // A certificate cannot derive some of the facts. Bounds that follow from the arcs alone can
        // always be derived.
        let by_arcs = LowerBoundPremises::from_facts(net, Facts::empty(net));
        let lower = by_arcs.positive_lower_bounds(net);
        (by_arcs, lower)
    }

    /// Computes the intervals that follow from `facts`.
    fn from_facts(net: &Net, facts: Facts) -> LowerBoundPremises {
        let intervals = Intervals::new(net, &facts).proved().clone();
        LowerBoundPremises { facts, intervals }
    }

    /// Returns the places that always have a token, each with its lower bound.
    fn positive_lower_bounds(&self, net: &Net) -> Vec<LowerBound> {
        let lower_bounds = net.places().map(|place| (place, self.intervals.low(place)));
        let lower_bounds = lower_bounds.filter(|&(_, tokens)| tokens > 0);
        lower_bounds
            .map(|(place, tokens)| LowerBound { weights: vec![(place, 1)], tokens })
            .collect()
    }

    /// Returns the derivation of the place bounds that the proofs of the lower bounds in `used`
    /// need. Returns `None` if some place bound cannot be derived, or the budget is exhausted.
    pub(super) fn derivation(
        &self,
        net: &Net,
        used: &[LowerBound],
        budget: &Budget,
    ) -> Option<BoundsCertificate> {
        let mut bounds_needed = Vec::new();
        for LowerBound { weights, tokens } in used {
            match weights[..] {
                [(place, 1)] if self.intervals.low(place) >= *tokens => {
                    bounds_needed.push((place, false))
                }
                _ => {
                    let takers = weights.iter().flat_map(|&(place, _)| net.consumers(place));
                    let dead = takers.map(|arc| arc.transition).filter(|&t| !self.may_fire(t));
                    bounds_needed
                        .extend(dead.filter_map(|t| Some((self.short_input(net, t)?, true))));
                }
            }
        }
        if bounds_needed.is_empty() {
            return Some(BoundsCertificate::default());
        }
        bounds_needed.sort_unstable();
        bounds_needed.dedup();
        intervals::bounds(net, &self.facts, &self.intervals, bounds_needed.into_iter(), budget)
    }

    /// Returns true if the intervals do not exclude that `t` fires.
    fn may_fire(&self, t: TransitionId) -> bool {
        self.intervals.is_possible(t)
    }

    /// Returns an input place of `t` whose upper bound is below the arc weight, so that `t` can
    /// never fire. Returns `None` if there is no such place.
    fn short_input(&self, net: &Net, t: TransitionId) -> Option<PlaceId> {
        let short =
            |arc: &&parikh_net::Arc| self.intervals.high(arc.place).is_some_and(|n| n < arc.weight);
        net.pre(t).iter().find(short).map(|arc| arc.place)
    }
}

/// Returns the largest k for which the argument of [`LowerBound`] shows that w·m ≥ k in every
/// reachable marking. Returns `None` if k exceeds 63 bits.
fn largest_lower_bound(
    net: &Net,
    weights: &LowerBoundWeights,
    premises: &LowerBoundPremises,
) -> Option<u64> {
    let initial_value = weights.iter().map(|(&p, &w)| u128::from(w) * u128::from(net.initial()[p]));
    let mut min_value: u128 = initial_value.sum();
    for t in decreasing_transitions(net, weights, premises) {
        min_value = min_value.min(weighted_sum(weights, net.post(t)));
    }
    u64::try_from(min_value).ok().filter(|min_value| i64::try_from(*min_value).is_ok())
}

/// Returns the transitions that may fire and decrease w·m. Repetitions are possible.
fn decreasing_transitions<'a>(
    net: &'a Net,
    weights: &'a LowerBoundWeights,
    premises: &'a LowerBoundPremises,
) -> impl Iterator<Item = TransitionId> + 'a {
    let takers = weights.keys().flat_map(|&place| net.consumers(place)).map(|arc| arc.transition);
    takers.filter(|&t| {
        premises.may_fire(t)
            && weighted_sum(weights, net.post(t)) < weighted_sum(weights, net.pre(t))
    })
}

/// Returns w·pre(t) or w·post(t), given the arcs. Weights and arcs are small enough for 128 bits.
fn weighted_sum(weights: &LowerBoundWeights, arcs: &[parikh_net::Arc]) -> u128 {
    let weight = |arc: &parikh_net::Arc| weights.get(&arc.place).copied().unwrap_or(0);
    arcs.iter().map(|arc| u128::from(weight(arc)) * u128::from(arc.weight)).sum()
}

/// Searches for a weighted lower bound that the point violates. The search starts from single
/// places that have fewer tokens at the point than initially. Returns `None` if no search succeeds.
fn find_violated(
    net: &Net,
    point: &SolutionPoint,
    premises: &LowerBoundPremises,
) -> Option<LowerBound> {
    let fewer =
        |place: &PlaceId| (point.marking[place.index()] + TOLERANCE) < net.initial()[*place] as f64;
    net.places().filter(fewer).take(MAX_SEEDS).find_map(|seed| {
        [Fraction::RoundUp, Fraction::MultiplyAll]
            .into_iter()
            .find_map(|fraction| extend_weights(net, seed, point, premises, fraction))
    })
}

/// The treatment of a fraction by which a weight should increase.
#[derive(Clone, Copy)]
enum Fraction {
    /// The weight increases by the fraction, rounded up.
    RoundUp,
    /// All weights are multiplied by the denominator of the fraction, so that the increase is an
    /// integer.
    MultiplyAll,
}

/// Starts with weight 1 on the place `seed` and adds weights until they give a lower bound that the
/// point violates, as the module documentation explains. Returns `None` if the initial marking has
/// too little weight, if a limit is reached, or if no output place can get more weight.
fn extend_weights(
    net: &Net,
    seed: PlaceId,
    point: &SolutionPoint,
    premises: &LowerBoundPremises,
    fraction: Fraction,
) -> Option<LowerBound> {
    let mut weights = LowerBoundWeights::from([(seed, 1)]);
    for _ in 0..2 * MAX_TERMS {
        let value: f64 = weights.iter().map(|(p, &w)| w as f64 * point.marking[p.index()]).sum();
        let needed = (value + TOLERANCE).floor() + 1.0;
        let initially: f64 =
            weights.iter().map(|(&p, &w)| w as f64 * net.initial()[p] as f64).sum();
        if initially < needed || needed > 1e15 || weights.len() > MAX_TERMS {
            return None;
        }
        let needed = needed as u128;
        let violating = decreasing_transitions(net, &weights, premises)
            .find(|&t| weighted_sum(&weights, net.post(t)) < needed);
        let Some(t) = violating else {
            let tokens = largest_lower_bound(net, &weights, premises)?;
            let weights = weights.into_iter().collect();
            return Some(LowerBound { weights, tokens });
        };
        let (before, after) =
            (weighted_sum(&weights, net.pre(t)), weighted_sum(&weights, net.post(t)));
        // Returns the increase of an output place's weight after which the firing of `t` no longer
        // decreases the sum. If the firing gains no token on this place, it must leave at least the
        // needed value instead. Returns `None` if a number exceeds `MAX_WEIGHT`.
        let weight_increase = |arc: &parikh_net::Arc| -> Option<WeightIncrease> {
            let gained = u128::from(arc.weight.saturating_sub(net.pre_weight(t, arc.place)));
            let lost = before - after;
            let (factor, increase) = match (gained, fraction) {
                (0, _) => (1, (needed - after).div_ceil(arc.weight.into())),
                (gained, Fraction::RoundUp) => (1, lost.div_ceil(gained)),
                (gained, Fraction::MultiplyAll) => {
                    let divisor = lost.gcd(&gained);
                    (gained / divisor, lost / divisor)
                }
            };
            let within_limit = |it: u128| u64::try_from(it).ok().filter(|&it| it <= MAX_WEIGHT);
            let (factor, increase) = (within_limit(factor)?, within_limit(increase)?);
            let cost = increase as f64 / factor as f64 * point.marking[arc.place.index()];
            Some(WeightIncrease { place: arc.place, factor, increase, cost })
        };
        let choices = net.post(t).iter().filter_map(weight_increase);
        let chosen =
            choices.min_by(|a, b| a.cost.total_cmp(&b.cost).then(a.increase.cmp(&b.increase)))?;
        for weight in weights.values_mut() {
            *weight = weight.checked_mul(chosen.factor).filter(|&weight| weight <= MAX_WEIGHT)?;
        }
        let weight = weights.entry(chosen.place).or_default();
        *weight = weight.checked_add(chosen.increase).filter(|&weight| weight <= MAX_WEIGHT)?;
    }
    None
}

/// A change of the weights in the search: all weights are multiplied by a factor, then the weight
/// of one place increases.
struct WeightIncrease {
    /// The place whose weight is increased.
    place: PlaceId,
    /// The factor by which all weights are multiplied.
    factor: u64,
    /// The number added to the weight of `place`.
    increase: u64,
    /// The value that the increase adds to the weighted sum at the point, divided by `factor`.
    cost: f64,
}

impl Engine<'_> {
    /// Adds rows for marked traps that the point violates, at most `traps_at_once`. If no trap is
    /// added, searches for a weighted lower bound that the point violates, and adds its row.
    /// Returns true if a row was added.
    pub(super) fn exclude_by_lower_bounds(&mut self, point: &SolutionPoint) -> bool {
        let known = self.relaxation.learned();
        let is_empty_place = |place: &PlaceId| point.marking[place.index()] < TOLERANCE;
        let empty: Vec<PlaceId> = self.net.places().filter(is_empty_place).collect();
        for trap in small_marked_traps(self.net, &empty, self.config.traps_at_once) {
            if !point.marks_trap(&trap) {
                self.relaxation.add_trap(trap);
            }
        }
        if self.relaxation.learned() == known
            && let Some(bound) = find_violated(self.net, point, &self.premises)
            && self.has_premises(&bound)
        {
            self.relaxation.add_lower_bound(bound);
        }
        let has_learned = self.relaxation.learned() != known;
        if has_learned {
            let relaxation = &self.relaxation;
            self.recent_points.retain(|point| relaxation.allows(point, Default::default()));
        }
        has_learned
    }

    /// Returns true if the place bounds that the lower bound needs can be derived.
    fn has_premises(&self, bound: &LowerBound) -> bool {
        let used = std::slice::from_ref(bound);
        self.premises.derivation(self.net, used, &Budget::unlimited()).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;
    use std::cell::OnceCell;

    fn point(marking: &[f64]) -> SolutionPoint {
        SolutionPoint {
            firings: Vec::new(),
            marking: marking.to_vec(),
            is_ordered_integral: OnceCell::new(),
        }
    }

    #[test]
    fn lower_ends_of_intervals_are_initial_rows() {
        let net = text::parse("place p 5\nplace q\ntransition t: 3*p -> 2*p + q").unwrap();
        let (_, lower) = LowerBoundPremises::new(&net, &Facts::empty(&net));
        let p = net.place_named("p").unwrap();
        assert_eq!(lower, [LowerBound { weights: vec![(p, 1)], tokens: 2 }]);
    }

    #[test]
    fn weights_are_found_if_no_set_of_places_suffices() {
        // p + 3·q never falls below 3: `t` does not lower the sum, and `u` leaves a token on q.
        let net = text::parse("place p 3\nplace q\ntransition t: 3*p -> q\ntransition u: 2*q -> q")
            .unwrap();
        let (premises, lower) = LowerBoundPremises::new(&net, &Facts::empty(&net));
        assert_eq!(lower, []);
        let [p, q] = [0, 1].map(PlaceId::new);
        let found = find_violated(&net, &point(&[1.0, 0.0]), &premises);
        assert_eq!(found, Some(LowerBound { weights: vec![(p, 1), (q, 3)], tokens: 3 }));
        assert_eq!(find_violated(&net, &point(&[0.0, 1.0]), &premises), None);
    }

    #[test]
    fn a_fraction_of_a_weight_multiplies_the_other_weights() {
        // 2·a + b never falls below 2. With weight 1 on `a`, `t` asks for the weight 1/2 on `b`.
        let net = text::parse(
            "place a 1\nplace b\ntransition t: a -> 2*b\ntransition u: 2*a -> a + b
            transition v: 3*b -> a",
        )
        .unwrap();
        let (premises, _) = LowerBoundPremises::new(&net, &Facts::empty(&net));
        let [a, b] = [0, 1].map(PlaceId::new);
        let found = find_violated(&net, &point(&[0.0, 1.0]), &premises);
        assert_eq!(found, Some(LowerBound { weights: vec![(a, 2), (b, 1)], tokens: 2 }));
    }
}
