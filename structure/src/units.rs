//! Nested units (NUPN): the claims of the model that flows prove.
//!
//! A unit-safe model makes three claims: every place holds at most one token; the own places of a
//! unit exclude each other; and a unit's places exclude those of its ancestors. Parikh treats such
//! claims as *assumed* unless they are proved. The proofs here are semiflows. If y ≥ 0, y·m = c and
//! y(p) + y(q) > c, then p and q are never marked together; 2·y(p) > c implies that p never holds
//! two tokens. All places with 2·y(p) > c of one semiflow exclude each other.
//!
//! An unproved claim is not refuted: a basis does not contain all semiflows.

use super::bounds::PlaceBounds;
use super::flows::PlaceFlow;
use super::integer::Integer;
use parikh_net::{Net, PlaceId, UnitId, Units};
use parikh_solvers::Budget;
use std::collections::HashMap;

/// The proved claims about one unit of a nested-unit net (NUPN). Claims that are not proved are
/// assumed. An own place belongs to the unit itself, not to a subunit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnitProof {
    /// The unit.
    pub unit: UnitId,
    /// True if it is proved that every own place holds at most one token.
    pub one_safe: bool,
    /// True if it is proved that at most one own place is marked at a time.
    pub exclusive: bool,
    /// True if it is proved that no own place is marked together with a place of an ancestor unit.
    pub excludes_ancestors: bool,
}

impl UnitProof {
    /// Returns true if all claims about the unit are proved.
    pub fn is_complete(&self) -> bool {
        self.one_safe && self.exclusive && self.excludes_ancestors
    }
}

/// Returns the proved claims for every unit, or `None` if the model does not claim that its units
/// are safe. `flows` must be P-flows of the net, and `bounds` must be proved, not claimed. After
/// the end of the budget, claims that need a proof for each pair of places are not proved.
pub fn prove_units(
    net: &Net,
    flows: &[PlaceFlow],
    bounds: &PlaceBounds,
    budget: &Budget,
) -> Option<Vec<UnitProof>> {
    let units = net.safe_units()?;
    let exclusions = Exclusions::new(net, flows);
    let prove = |(unit, _)| {
        let own_places = &units.get(unit).places;
        let ancestors = places_of_ancestors(units, unit);
        let excludes_all = |p: &PlaceId, other_places: &[PlaceId]| {
            !budget.is_exhausted()
                && other_places.iter().all(|q| p == q || exclusions.are_exclusive(*p, *q))
        };
        UnitProof {
            unit,
            one_safe: own_places.iter().all(|&p| bounds.upper(p).is_some_and(|tokens| tokens <= 1)),
            exclusive: exclusions.are_all_exclusive(own_places)
                || own_places.iter().all(|p| excludes_all(p, own_places)),
            excludes_ancestors: own_places.iter().all(|p| excludes_all(p, &ancestors)),
        }
    };
    Some(units.iter().map(prove).collect())
}

/// Returns the places whose bound of 1 depends on the model's claim alone, ascending. Evidence that
/// uses such a bound must name the claim. Returns no places if the model makes no claim.
pub fn assumed_one_safe(net: &Net, bounds: &PlaceBounds) -> Vec<PlaceId> {
    let is_claimed = net.safe_units().is_some();
    let is_proved = |p: PlaceId| bounds.upper(p).is_some_and(|tokens| tokens <= 1);
    net.places().filter(|&p| is_claimed && !is_proved(p)).collect()
}

/// Returns the places of all ancestors of a unit.
fn places_of_ancestors(units: &Units, unit: UnitId) -> Vec<PlaceId> {
    let first_ancestor = units.get(unit).parent;
    let chain = std::iter::successors(first_ancestor, |&unit| units.get(unit).parent);
    chain.flat_map(|unit| units.get(unit).places.iter().copied()).collect()
}

/// An index of semiflows that prove exclusion between places.
struct Exclusions<'f> {
    /// The semiflows with their constants.
    semiflows: Vec<(&'f PlaceFlow, Integer)>,
    /// For each place, its semiflows (by index, ascending) with the coefficient there.
    semiflows_of_place: HashMap<PlaceId, Vec<(usize, &'f Integer)>>,
}

impl<'f> Exclusions<'f> {
    fn new(net: &Net, flows: &'f [PlaceFlow]) -> Self {
        let semiflows: Vec<_> = flows
            .iter()
            .filter(|flow| flow.is_semiflow())
            .map(|flow| (flow, flow.constant(net.initial())))
            .collect();
        let mut semiflows_of_place: HashMap<PlaceId, Vec<_>> = HashMap::new();
        for (index, (flow, _)) in semiflows.iter().enumerate() {
            for (place, value) in flow.terms() {
                semiflows_of_place.entry(*place).or_default().push((index, value));
            }
        }
        Exclusions { semiflows, semiflows_of_place }
    }

    fn semiflows_of(&self, p: PlaceId) -> &[(usize, &'f Integer)] {
        self.semiflows_of_place.get(&p).map_or(&[], Vec::as_slice)
    }

    /// Returns true if a single semiflow proves that these places exclude each other.
    fn are_all_exclusive(&self, places: &[PlaceId]) -> bool {
        let Some((first, others)) = places.split_first() else { return true };
        self.semiflows_of(*first).iter().any(|&(index, value)| {
            let (flow, constant) = &self.semiflows[index];
            let exceeds_half = |value: &Integer| value + value > *constant;
            exceeds_half(value) && others.iter().all(|&p| exceeds_half(&flow.coefficient(p)))
        })
    }

    /// Returns true if a semiflow proves that p and q are never marked together.
    fn are_exclusive(&self, p: PlaceId, q: PlaceId) -> bool {
        let (of_p, of_q) = (self.semiflows_of(p), self.semiflows_of(q));
        of_p.iter().any(|&(index, value)| {
            let position = of_q.binary_search_by_key(&index, |entry| entry.0);
            position.is_ok_and(|position| value + of_q[position].1 > self.semiflows[index].1)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::bounds::place_bounds;
    use super::super::flows::place_flows;
    use super::*;
    use parikh_net::NetBuilder;
    use parikh_net::units::Unit;

    /// A token on a ring of three places: p and q are own places of the root unit, r belongs to its
    /// subunit. Without `ring`, the transition from q to r puts no token.
    fn net(ring: bool) -> Net {
        let mut builder = NetBuilder::new("n");
        let [p, q, r] =
            [("p", 1), ("q", 0), ("r", 0)].map(|(id, tokens)| builder.place(id, tokens).unwrap());
        let [a, b, c] = ["a", "b", "c"].map(|id| builder.transition(id).unwrap());
        for (t, from, to) in [(a, p, q), (b, q, r), (c, r, p)] {
            builder.take(t, from, 1).unwrap();
            if ring || t != b {
                builder.put(t, to, 1).unwrap();
            }
        }
        let unit = |name: &str, places: &[PlaceId], parent| Unit {
            name: name.into(),
            places: places.to_vec(),
            parent,
        };
        let root = UnitId::new(0);
        let tree = vec![unit("root", &[p, q], None), unit("below", &[r], Some(root))];
        let units = Units::new(tree, root, true, &builder.initial(), |_| "").unwrap();
        builder.set_units(units);
        builder.build().unwrap()
    }

    fn proofs(net: &Net) -> Vec<bool> {
        let flows = place_flows(net, &Budget::unlimited()).unwrap();
        let bounds = place_bounds(net, &flows, &Budget::unlimited());
        prove_units(net, &flows, &bounds, &Budget::unlimited())
            .unwrap()
            .iter()
            .map(UnitProof::is_complete)
            .collect()
    }

    #[test]
    fn a_ring_proves_its_units_and_an_open_chain_does_not() {
        assert_eq!(proofs(&net(true)), [true, true]);
        assert_eq!(proofs(&net(false)), [false, false]);
        let chain = net(false);
        let bounds = place_bounds(&chain, &[], &Budget::unlimited());
        // No transition produces tokens on r, so its emptiness needs no flow and no claim.
        assert_eq!(assumed_one_safe(&chain, &bounds), [0, 1].map(PlaceId::new));
    }

    #[test]
    fn without_a_claim_there_is_nothing_to_prove() {
        let net = parikh_net::text::parse("place p").unwrap();
        let bounds = place_bounds(&net, &[], &Budget::unlimited());
        assert_eq!(prove_units(&net, &[], &bounds, &Budget::unlimited()), None);
    }
}
