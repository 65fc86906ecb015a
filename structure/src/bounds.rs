//! Bounds on the tokens of places that follow from the structure, each with its derivation step.
//!
//! A P-flow y relates the bounds of its places: y·m = y·m₀ = c in every reachable marking, so
//!
//! ```text
//! m(p) <= ⌊(c − Σ_{q≠p} least value of y(q)·m(q)) / y(p)⌋   when y(p) > 0, and dually,
//! ```
//!
//! where the least values come from known bounds. A semiflow needs only m ≥ 0, and gives at most ⌊c
//! / y(p)⌋. Mixed flows carry bounds from place to place. In addition:
//!
//! * A place that no transition adds to never exceeds m₀. A place that no transition takes from
//!   never falls below it.
//! * The places of an initially empty siphon stay at 0.
//! * Traps are not used here: a trap bounds a sum, not a single place.
//!
//! Semiflows come first, then all flows in rounds until nothing changes. The number of rounds is
//! limited, because real bounds may converge in ever smaller steps.
//!
//! All arithmetic is exact. A bound above 2⁶⁴ − 1 tokens is dropped. So is a bound from a flow
//! whose coefficients have magnitudes that add up to more than 2⁶³ − 1: a derivation step cannot
//! hold this flow.
//!
//! # Source
//! G. Memmi, G. Roucairol, *Linear algebra in net theory*, LNCS 84, 1980 (bounds by semiflows);
//! interval propagation is folklore of constraint solving.

use super::flows::PlaceFlow;
use super::integer::Integer;
use super::siphons::unmarked_siphon;
use parikh_net::{Facts, LinearSum, Net, PlaceId};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

pub use parikh_net::facts::{DerivedBound, Reason};
use parikh_solvers::Budget;

/// Structural bounds on the tokens of each place in every reachable marking.
#[derive(Clone, Debug)]
pub struct PlaceBounds {
    /// The known lower bounds, by place index.
    lower: Vec<u64>,
    /// The known upper bounds, by place index. `None` if no bound is known.
    upper: Vec<Option<u64>>,
    /// The derivation of the bounds, in order.
    steps: Vec<DerivedBound>,
    /// The flows used in derivation steps, by their index in the list given to [`place_bounds`].
    flows: BTreeMap<usize, LinearSum>,
}

impl PlaceBounds {
    /// Returns a lower bound on the tokens of `p`, at least 0.
    pub fn lower(&self, p: PlaceId) -> u64 {
        self.lower[p.index()]
    }

    /// Returns an upper bound on the tokens of `p`, if known.
    pub fn upper(&self, p: PlaceId) -> Option<u64> {
        self.upper[p.index()]
    }

    /// Returns the derivation: every improvement of a bound, in order.
    pub fn steps(&self) -> &[DerivedBound] {
        &self.steps
    }

    /// Returns the places whose lower and upper bound are equal, ascending. Their tokens never
    /// change.
    pub fn constant_places(&self) -> Vec<PlaceId> {
        let places = (0..self.upper.len()).map(PlaceId::new);
        places.filter(|p| self.upper(*p) == Some(self.lower(*p))).collect()
    }

    /// Adds the bounds to the facts of the net, with their derivations and flows.
    pub fn write(&self, facts: &mut Facts) {
        let position: BTreeMap<usize, usize> =
            self.flows.keys().enumerate().map(|(position, &flow)| (flow, position)).collect();
        let flows: Vec<LinearSum> = self.flows.values().cloned().collect();
        let renumber = |step: &DerivedBound| match step.reason {
            Reason::Flow { flow, earlier_bounds: using } => {
                let flow = position[&flow];
                DerivedBound { reason: Reason::Flow { flow, earlier_bounds: using }, ..*step }
            }
            _ => *step,
        };
        let derived: Vec<DerivedBound> = self.steps.iter().map(renumber).collect();
        facts.add_derived(&derived, &flows);
    }

    /// Returns true if the step improves the current bound.
    fn is_better(&self, step: &DerivedBound) -> bool {
        let place_index = step.place.index();
        match step.is_upper {
            true => self.upper[place_index].is_none_or(|upper_bound| step.tokens < upper_bound),
            false => step.tokens > self.lower[place_index],
        }
    }

    /// Records the step if it improves the current bound.
    fn improve(&mut self, step: DerivedBound) {
        if !self.is_better(&step) {
            return;
        }
        let place_index = step.place.index();
        match step.is_upper {
            true => self.upper[place_index] = Some(step.tokens),
            false => self.lower[place_index] = step.tokens,
        }
        self.steps.push(step);
    }
}

/// Computes bounds from the net and from `flows`, which must be P-flows of the net. When the budget
/// ends, returns the bounds found so far, which are valid.
pub fn place_bounds(net: &Net, flows: &[PlaceFlow], budget: &Budget) -> PlaceBounds {
    /// Limit on the number of rounds. Most nets need two. A chain of flows with coefficients of
    /// both signs may need more if its order is unfavourable.
    const ROUNDS: usize = 16;
    let count = net.place_count();
    let mut bounds = PlaceBounds {
        lower: vec![0; count],
        upper: vec![None; count],
        steps: Vec::new(),
        flows: BTreeMap::new(),
    };
    add_monotone_bounds(net, &mut bounds);
    for place in unmarked_siphon(net) {
        bounds.improve(DerivedBound {
            place,
            is_upper: true,
            tokens: 0,
            reason: Reason::UnmarkedSiphon,
        });
    }
    let constants: Vec<Integer> = flows.iter().map(|flow| flow.constant(net.initial())).collect();
    let mut order: Vec<usize> = (0..flows.len()).collect();
    order.sort_by_key(|&flow_index| {
        (!flows[flow_index].is_semiflow(), flows[flow_index].terms().len())
    });
    let mut flows_of_place: Vec<Vec<usize>> = vec![Vec::new(); count];
    for &flow_index in &order {
        flows[flow_index]
            .terms()
            .iter()
            .for_each(|(p, _)| flows_of_place[p.index()].push(flow_index));
    }
    // True for each flow to process in this round. The next round processes the flows through
    // places with improved bounds.
    let mut is_due = vec![true; flows.len()];
    for _ in 0..ROUNDS {
        let queue: Vec<usize> =
            order.iter().copied().filter(|&flow_index| is_due[flow_index]).collect();
        is_due.fill(false);
        for flow_index in queue {
            if budget.is_exhausted() {
                return bounds;
            }
            for place in
                propagate(&flows[flow_index], &constants[flow_index], flow_index, &mut bounds)
            {
                flows_of_place[place.index()].iter().for_each(|&flow| is_due[flow] = true);
            }
        }
        if !is_due.contains(&true) {
            break;
        }
    }
    bounds
}

/// Adds the bounds of places whose tokens no firing increases, or no firing decreases.
fn add_monotone_bounds(net: &Net, bounds: &mut PlaceBounds) {
    let (mut grows, mut shrinks) = (vec![false; net.place_count()], vec![false; net.place_count()]);
    for change in net.effect_classes().flat_map(|class| net.effect(class)) {
        let side = if change.delta > 0 { &mut grows } else { &mut shrinks };
        side[change.place.index()] = true;
    }
    for place in net.places() {
        let tokens = net.initial()[place];
        if !grows[place.index()] {
            bounds.improve(DerivedBound {
                place,
                is_upper: true,
                tokens,
                reason: Reason::NeverChanges,
            });
        }
        if !shrinks[place.index()] {
            bounds.improve(DerivedBound {
                place,
                is_upper: false,
                tokens,
                reason: Reason::NeverChanges,
            });
        }
    }
}

/// The sum of a flow's terms, each replaced by a bound, without the unbounded terms.
struct PartialSum {
    /// The sum of the bounded terms.
    sum: Integer,
    /// Number of unbounded terms.
    unbounded_terms: usize,
}

impl PartialSum {
    fn new() -> Self {
        PartialSum { sum: Integer::ZERO, unbounded_terms: 0 }
    }

    /// Adds a term; `None` stands for an unbounded term.
    fn add(&mut self, term: Option<Integer>) {
        match term {
            Some(term) => self.sum = &self.sum + &term,
            None => self.unbounded_terms += 1,
        }
    }

    /// Returns the sum without one of its terms. Returns `None` if another term is unbounded.
    fn sum_without(&self, term: Option<&Integer>) -> Option<Integer> {
        match (term, self.unbounded_terms) {
            (Some(term), 0) => Some(&self.sum - term),
            (None, 1) => Some(self.sum.clone()),
            _ => None,
        }
    }
}

/// Improves bounds by one flow, which has index `position`. Returns the places with improved
/// bounds.
fn propagate(
    flow: &PlaceFlow,
    constant: &Integer,
    position: usize,
    bounds: &mut PlaceBounds,
) -> Vec<PlaceId> {
    // The smallest and largest value of each term y(q)·m(q).
    let term_range = |(place, value): &(PlaceId, Integer), bounds: &PlaceBounds| {
        let at_lower = Some(value * &Integer::from(bounds.lower(*place)));
        let at_upper = bounds.upper(*place).map(|tokens| value * &Integer::from(tokens));
        if value.is_positive() { (at_lower, at_upper) } else { (at_upper, at_lower) }
    };
    let (mut min_sum, mut max_sum) = (PartialSum::new(), PartialSum::new());
    for term in flow.terms() {
        let (low, high) = term_range(term, bounds);
        min_sum.add(low);
        max_sum.add(high);
    }
    let mut improved = Vec::new();
    let using = bounds.steps.len();
    for term in flow.terms() {
        let (place, value) = term;
        // Bounds found for earlier terms are not used for later terms. The sums describe the state
        // before, which is sound. The next round uses the new bounds.
        let (low, high) = term_range(term, bounds);
        let low_rest = min_sum.sum_without(low.as_ref());
        let high_rest = max_sum.sum_without(high.as_ref());
        // From the flow: y(p)·m(p) = c − rest.
        let largest = low_rest.map(|rest| constant - &rest);
        let smallest = high_rest.map(|rest| constant - &rest);
        let (upper, lower) = if value.is_positive() {
            (largest.map(|x| x.div_floor(value)), smallest.map(|x| x.div_ceil(value)))
        } else {
            (smallest.map(|x| x.div_floor(value)), largest.map(|x| x.div_ceil(value)))
        };
        let reason = Reason::Flow { flow: position, earlier_bounds: using };
        for (is_upper, bound) in [(true, upper), (false, lower)] {
            let tokens = bound.and_then(|bound| bound.to_u64());
            let step =
                tokens.map(|tokens| DerivedBound { place: *place, is_upper, tokens, reason });
            let Some(step) = step.filter(|step| bounds.is_better(step)) else { continue };
            if let Entry::Vacant(vacant_entry) = bounds.flows.entry(position) {
                // A derivation step cannot hold this flow, because its coefficients are too large.
                let Some(sum) = flow.to_sum() else { return improved };
                vacant_entry.insert(sum);
            }
            bounds.improve(step);
            improved.push(*place);
        }
    }
    improved
}

#[cfg(test)]
mod tests {
    use super::super::flows::place_flows;
    use super::*;
    use parikh_net::Provenance;
    use parikh_net::text;

    fn bounds_of(text: &str) -> (Net, PlaceBounds) {
        let net = text::parse(text).unwrap();
        let flows = place_flows(&net, &Budget::unlimited()).unwrap();
        let bounds = place_bounds(&net, &flows, &Budget::unlimited());
        (net, bounds)
    }

    #[test]
    fn bounds_from_semiflows_are_rounded() {
        let (net, bounds) = bounds_of(
            "place idle 5\nplace busy\ntransition a: 2*idle -> busy\ntransition b: busy -> 2*idle",
        );
        let uppers: Vec<_> = net.places().map(|p| bounds.upper(p)).collect();
        assert_eq!(uppers, [Some(5), Some(2)]);
        // idle = 5 − 2·busy ≥ 1.
        assert_eq!(bounds.lower(PlaceId::new(0)), 1);
        let mut facts = Facts::empty(&net);
        bounds.write(&mut facts);
        let busy = facts.upper_bound(PlaceId::new(1)).unwrap();
        assert_eq!((busy.tokens, busy.rests_on), (2, Provenance::Flows));
        assert_eq!(facts.lower_bound(PlaceId::new(0)).tokens, 1);
    }

    #[test]
    fn mixed_flows_carry_bounds() {
        // log − done = 3, and done ≤ 2 because todo + done = 2.
        let (net, bounds) =
            bounds_of("place todo 2\nplace done\nplace log 3\ntransition t: todo -> done + log");
        let log = net.place_named("log").unwrap();
        assert_eq!((bounds.lower(log), bounds.upper(log)), (3, Some(5)));
    }

    #[test]
    fn unmarked_siphons_and_unchanged_places_are_constant() {
        let (net, bounds) = bounds_of(
            "place p\nplace q\nplace c 4\nplace sink\n\
             transition a: p -> q + sink\ntransition b: q + c -> p + c",
        );
        // Only transitions that can never fire produce tokens on `sink`, so it belongs to the
        // siphon.
        let constant: Vec<&str> =
            bounds.constant_places().iter().map(|&p| net.place_name(p)).collect();
        assert_eq!(constant, ["p", "q", "c", "sink"]);
        let siphon = |step: &&DerivedBound| step.reason == Reason::UnmarkedSiphon;
        assert_eq!(bounds.steps().iter().filter(siphon).count(), 3);
    }

    #[test]
    fn bounds_beyond_64_bits_are_none() {
        let w = i64::MAX;
        let (_, bounds) = bounds_of(&format!("place p {w}\nplace q\ntransition t: p -> {w}*q"));
        assert_eq!(bounds.upper(PlaceId::new(0)), Some(w as u64));
        assert_eq!(bounds.upper(PlaceId::new(1)), None);
    }
}
