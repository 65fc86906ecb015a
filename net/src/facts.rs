//! Facts about a net that engines may rely on: bounds on places, place invariants and traps.
//!
//! Facts are about one net *with its initial marking*: bounds hold in the markings reachable from
//! there. So facts are not part of a [`Net`], and the same net with another initial marking starts
//! with [`Facts::empty`]. Flows and traps follow from the arcs alone and stay valid.
//!
//! Some bounds are proved, others are claims of the model. An answer that rests on a claim must say
//! so, and is withdrawn if the claim proves false. So every bound is stored with its
//! [`Provenance`]. An access returns the provenance, or is limited to a given provenance.

use crate::id::PlaceId;
use crate::net::Net;
use crate::sum::LinearSum;

/// The provenance of a fact, that is, the kind of premises from which it follows, from the
/// strongest to the weakest. A fact that follows from several facts has the weakest of their
/// provenances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Provenance {
    /// The arcs and the initial marking alone, without place invariants and claims.
    #[default]
    Arcs,
    /// Place invariants, besides the arcs and the initial marking. Such facts are proved, too.
    Flows,
    /// The model's claim that its units are safe (NUPN), which is not proved.
    UnitsClaimed,
}

impl Provenance {
    /// The provenances, strongest first.
    pub const ALL: [Provenance; 3] =
        [Provenance::Arcs, Provenance::Flows, Provenance::UnitsClaimed];

    /// The weakest provenance that still means proved.
    pub const PROVED: Provenance = Provenance::Flows;

    /// Returns true for facts that are proved only under the model's claim that its units are safe.
    pub fn assumes_units(self) -> bool {
        self > Provenance::PROVED
    }
}

/// A bound on the tokens of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaceBound {
    /// The number of tokens.
    pub tokens: u64,
    /// The provenance of the bound, that is, the kind of premises from which it follows.
    pub rests_on: Provenance,
}

/// A bound with its reason, which may use earlier bounds of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DerivedBound {
    /// The bounded place.
    pub place: PlaceId,
    /// True for an upper bound, false for a lower bound.
    pub is_upper: bool,
    /// The number of tokens.
    pub tokens: u64,
    /// The reason.
    pub reason: Reason,
}

/// The reason why a bound holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// No transition increases the place (upper bound) or decreases it (lower bound).
    NeverChanges,
    /// The place is in a siphon that is empty initially.
    UnmarkedSiphon,
    /// A place invariant, with bounds on its other places, allows no more tokens on the place (or
    /// no fewer, for a lower bound).
    Flow {
        /// The index of the invariant in the list of place invariants.
        flow: usize,
        /// The number of bounds, from the beginning of the list of derived bounds, that the
        /// argument may use for the other places. They come before this bound.
        earlier_bounds: usize,
    },
}

impl Reason {
    /// Returns the provenance of a bound with this reason.
    pub fn provenance(self) -> Provenance {
        match self {
            Reason::NeverChanges | Reason::UnmarkedSiphon => Provenance::Arcs,
            Reason::Flow { .. } => Provenance::Flows,
        }
    }
}

/// The known facts about one net with its initial marking. Bounds hold in every reachable marking.
#[derive(Clone, Debug)]
pub struct Facts {
    places: usize,
    /// The best known bounds of each provenance, indexed by [`Provenance`].
    bounds: [ProvenanceBounds; 3],
    /// The bounds whose reasons are recorded here, in the order of derivation. An invariant in a
    /// reason is an index in `flows`.
    derived: Vec<DerivedBound>,
    /// Place invariants, if they were requested. Users can verify each by multiplying it with the
    /// incidence matrix.
    pub flows: Vec<LinearSum>,
    /// Traps, if they were requested, marked initially or not. Users can verify that each is a
    /// trap.
    pub traps: Vec<Vec<PlaceId>>,
}

/// The best known bounds of one provenance. Each list is empty as long as it has no bound.
#[derive(Clone, Debug, Default)]
struct ProvenanceBounds {
    /// The largest known lower bound of each place, indexed by place.
    lower: Vec<u64>,
    /// The smallest known upper bound of each place, indexed by place. `None` for a place without a
    /// known upper bound.
    upper: Vec<Option<u64>>,
}

impl Facts {
    /// Makes an empty collection.
    pub fn empty(net: &Net) -> Self {
        let (places, bounds) = (net.place_count(), Default::default());
        Facts { places, bounds, derived: Vec::new(), flows: Vec::new(), traps: Vec::new() }
    }

    /// Makes a collection of the model's own claims only; see [`claim_units`](Self::claim_units).
    pub fn claimed_by_model(net: &Net) -> Self {
        let mut facts = Facts::empty(net);
        facts.claim_units(net);
        facts
    }

    /// Adds the model's claim about this net: if its units are said to be safe (NUPN), every place
    /// in a unit holds at most one token. Returns true if there is such a claim.
    pub fn claim_units(&mut self, net: &Net) -> bool {
        let Some(units) = net.safe_units() else { return false };
        for place in net.places().filter(|&place| units.covers(place)) {
            self.bound_above(place, 1, Provenance::UnitsClaimed);
        }
        true
    }

    /// Returns true if there is a bound with exactly this provenance.
    pub fn has_bounds_by(&self, rests_on: Provenance) -> bool {
        let ProvenanceBounds { lower, upper } = &self.bounds[rests_on as usize];
        !lower.is_empty() || !upper.is_empty()
    }

    /// Returns the smallest upper bound of `place` of any provenance, if one is known. Of equal
    /// bounds, it is the one with the strongest provenance.
    pub fn upper_bound(&self, place: PlaceId) -> Option<PlaceBound> {
        let bound = |rests_on: Provenance| {
            let tokens = self.bounds[rests_on as usize].upper.get(place.index()).copied()??;
            Some(PlaceBound { tokens, rests_on })
        };
        // `min_by_key` returns the first of equal elements.
        Provenance::ALL.into_iter().filter_map(bound).min_by_key(|bound| bound.tokens)
    }

    /// Returns the smallest upper bound of `place` whose provenance is `within` or stronger, if one
    /// is known.
    pub fn upper_bound_within(&self, place: PlaceId, within: Provenance) -> Option<u64> {
        let bounds = self.bounds[..=within as usize].iter();
        bounds.filter_map(|bounds| bounds.upper.get(place.index()).copied()?).min()
    }

    /// Returns the largest lower bound of `place` of any provenance; 0 if none is known. Of equal
    /// bounds, it is the one with the strongest provenance.
    pub fn lower_bound(&self, place: PlaceId) -> PlaceBound {
        let mut best = PlaceBound { tokens: 0, rests_on: Provenance::Arcs };
        for rests_on in Provenance::ALL {
            let tokens = self.bounds[rests_on as usize].lower.get(place.index());
            if let Some(&tokens) = tokens.filter(|&&tokens| tokens > best.tokens) {
                best = PlaceBound { tokens, rests_on };
            }
        }
        best
    }

    /// Returns the largest lower bound of `place` whose provenance is `within` or stronger; 0 if
    /// none is known.
    pub fn lower_bound_within(&self, place: PlaceId, within: Provenance) -> u64 {
        let bounds = self.bounds[..=within as usize].iter();
        bounds.filter_map(|bounds| bounds.lower.get(place.index()).copied()).max().unwrap_or(0)
    }

    /// Returns the derived bounds in order.
    pub fn derived(&self) -> &[DerivedBound] {
        &self.derived
    }

    /// Adds the bounds `derived` with their reasons, and the invariants `flows`. Indices in the
    /// reasons refer to `derived` and `flows`. They are adapted to the lists of this collection.
    pub fn add_derived(&mut self, derived: &[DerivedBound], flows: &[LinearSum]) {
        let (derived_before, flows_before) = (self.derived.len(), self.flows.len());
        self.flows.extend_from_slice(flows);
        for bound in derived {
            let reason = match bound.reason {
                Reason::Flow { flow, earlier_bounds: using } => Reason::Flow {
                    flow: flow + flows_before,
                    earlier_bounds: using + derived_before,
                },
                reason => reason,
            };
            let &DerivedBound { place, is_upper, tokens, .. } = bound;
            match is_upper {
                true => self.bound_above(place, tokens, reason.provenance()),
                false => self.bound_below(place, tokens, reason.provenance()),
            }
            self.derived.push(DerivedBound { reason, ..*bound });
        }
    }

    /// Adds an upper bound without recording a reason for it. Of several bounds of one provenance,
    /// the smallest is kept.
    pub fn bound_above(&mut self, place: PlaceId, tokens: u64, rests_on: Provenance) {
        let upper = &mut self.bounds[rests_on as usize].upper;
        upper.resize(self.places, None);
        let slot = &mut upper[place.index()];
        *slot = Some(slot.map_or(tokens, |known| known.min(tokens)));
    }

    /// Adds a lower bound without recording a reason for it. Of several bounds of one provenance,
    /// the largest is kept.
    pub fn bound_below(&mut self, place: PlaceId, tokens: u64, rests_on: Provenance) {
        let lower = &mut self.bounds[rests_on as usize].lower;
        lower.resize(self.places, 0);
        let slot = &mut lower[place.index()];
        *slot = tokens.max(*slot);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_respect_the_requested_provenance() {
        let net = crate::text::parse("place p 1\nplace q").unwrap();
        let [p, q] = [0, 1].map(PlaceId::new);
        let mut facts = Facts::empty(&net);
        assert_eq!((facts.upper_bound(p), facts.lower_bound(p).tokens), (None, 0));
        facts.bound_above(p, 1, Provenance::UnitsClaimed);
        facts.bound_above(p, 3, Provenance::Flows);
        let bound = |tokens, rests_on| PlaceBound { tokens, rests_on };
        assert_eq!(facts.upper_bound(p), Some(bound(1, Provenance::UnitsClaimed)));
        assert_eq!(facts.upper_bound_within(p, Provenance::PROVED), Some(3));
        assert_eq!(facts.upper_bound_within(p, Provenance::Arcs), None);
        facts.bound_above(p, 1, Provenance::Flows);
        assert_eq!(facts.upper_bound(p), Some(bound(1, Provenance::Flows)));
        assert_eq!(facts.upper_bound(q), None);
        facts.bound_below(q, 2, Provenance::Arcs);
        facts.bound_below(q, 2, Provenance::Flows);
        assert_eq!(facts.lower_bound(q), bound(2, Provenance::Arcs));
        facts.bound_below(q, 3, Provenance::UnitsClaimed);
        assert_eq!(facts.lower_bound_within(q, Provenance::PROVED), 2);
        assert!(facts.lower_bound(q).rests_on.assumes_units());
    }

    #[test]
    fn only_the_weakest_provenance_assumes_the_claim_of_the_model() {
        assert_eq!(Provenance::ALL.map(Provenance::assumes_units), [false, false, true]);
    }
}
