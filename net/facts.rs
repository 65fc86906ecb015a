//! Facts about a net that engines may rely on: plain data, each with what it rests on.
//!
//! Facts are about one net *with its initial marking*: bounds hold of what can be reached from
//! there. So they are no part of a [`Net`], and a net that is begun elsewhere starts again with
//! [`Facts::none`]. Flows and traps follow from the arcs alone, and would be the same there.
//!
//! Some facts are proved, others are what the model says of itself. Both make engines faster, but
//! an answer that rests on a claim must say so, and be taken back when the claim turns out to be
//! false. So no fact is stored without its [`Provenance`], and nobody gets one without saying how
//! much may be assumed.

use crate::id::PlaceId;
use crate::net::Net;
use crate::sum::LinearSum;

/// What a fact rests on, from the firmest ground to the least firm. Each includes those before it:
/// what follows from several facts rests on their [`join`](Provenance::join).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Provenance {
    /// The arcs and the initial marking alone.
    #[default]
    Arcs,
    /// Place invariants too. Proved, like what the arcs say.
    Flows,
    /// The model's own claim that its units are safe (NUPN), which nobody has proved.
    UnitsClaimed,
}

impl Provenance {
    /// All of them, ascending.
    pub const ALL: [Provenance; 3] =
        [Provenance::Arcs, Provenance::Flows, Provenance::UnitsClaimed];

    /// The least firm ground on which everything is proved.
    pub const PROVED: Provenance = Provenance::Flows;

    /// What something rests on that follows from facts of both kinds.
    #[must_use]
    pub fn join(self, other: Provenance) -> Provenance {
        self.max(other)
    }

    /// Whether it is true only if the model's units are safe.
    pub fn assumes_units(self) -> bool {
        self > Provenance::PROVED
    }
}

/// A bound on the tokens of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// Tokens.
    pub tokens: u64,
    /// What it rests on.
    pub rests_on: Provenance,
}

/// A bound with the reason why it holds; it may use those that stand before it in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DerivedBound {
    /// The place that is bounded.
    pub place: PlaceId,
    /// Whether from above.
    pub upper: bool,
    /// Tokens.
    pub tokens: u64,
    /// Why.
    pub reason: Reason,
}

/// Why a bound holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// No transition adds to the place (upper) or takes from it on balance (lower).
    OneWay,
    /// The place is in a siphon that is empty initially.
    UnmarkedSiphon,
    /// A sum that no firing changes leaves no more (no less) for the place.
    Flow {
        /// Its position among the flows.
        flow: usize,
        /// How many of the bounds, from the first one on, it takes for its other places.
        using: usize,
    },
}

impl Reason {
    /// What a bound rests on that holds for this reason.
    pub fn provenance(self) -> Provenance {
        match self {
            Reason::OneWay | Reason::UnmarkedSiphon => Provenance::Arcs,
            Reason::Flow { .. } => Provenance::Flows,
        }
    }
}

/// What is known of every marking that is reachable from the initial marking of one net.
#[derive(Clone, Debug)]
pub struct Facts {
    places: usize,
    /// By provenance.
    bounds: [Bounds; 3],
    /// Those that come with their reasons. Flows are positions in `flows`.
    derived: Vec<DerivedBound>,
    /// Sums that no firing changes, as far as somebody asked for them. Whoever uses one can see for
    /// himself that it is one, by multiplying it with the net.
    pub flows: Vec<LinearSum>,
    /// Sets of places that stay marked once they are, as far as somebody asked for them, marked
    /// initially or not. Whoever uses one can see for himself that it is one.
    pub traps: Vec<Vec<PlaceId>>,
}

/// The bounds with one provenance; empty lists while there are none.
#[derive(Clone, Debug, Default)]
struct Bounds {
    lower: Vec<u64>,
    upper: Vec<Option<u64>>,
}

impl Facts {
    /// Nothing but the net.
    pub fn none(net: &Net) -> Self {
        let (places, bounds) = (net.place_count(), Default::default());
        Facts { places, bounds, derived: Vec::new(), flows: Vec::new(), traps: Vec::new() }
    }

    /// What the model itself says, and nothing else; see [`claim_units`](Self::claim_units).
    pub fn claimed_by_model(net: &Net) -> Self {
        let mut facts = Facts::none(net);
        facts.claim_units(net);
        facts
    }

    /// Takes over what the model claims of this net: where its units are said to be safe (NUPN),
    /// every place in them holds one token at most. Whether it claims anything.
    pub fn claim_units(&mut self, net: &Net) -> bool {
        let Some(units) = net.safe_units() else { return false };
        for place in net.places().filter(|&place| units.covers(place)) {
            self.bound_above(place, 1, Provenance::UnitsClaimed);
        }
        true
    }

    /// Whether there is a bound with this very provenance.
    pub fn has_bounds_by(&self, rests_on: Provenance) -> bool {
        let Bounds { lower, upper } = &self.bounds[rests_on as usize];
        !lower.is_empty() || !upper.is_empty()
    }

    /// The most tokens `place` ever holds, where known; of equal bounds the firmest.
    pub fn upper_bound(&self, place: PlaceId) -> Option<Bound> {
        let bound = |rests_on: Provenance| {
            let tokens = self.bounds[rests_on as usize].upper.get(place.index()).copied()??;
            Some(Bound { tokens, rests_on })
        };
        // The first of the smallest.
        Provenance::ALL.into_iter().filter_map(bound).min_by_key(|bound| bound.tokens)
    }

    /// The most tokens `place` ever holds as far as it is known from what rests on no more than
    /// `within`.
    pub fn upper_bound_within(&self, place: PlaceId, within: Provenance) -> Option<u64> {
        let bounds = self.bounds[..=within as usize].iter();
        bounds.filter_map(|bounds| bounds.upper.get(place.index()).copied()?).min()
    }

    /// The least tokens `place` ever holds; of equal bounds the firmest.
    pub fn lower_bound(&self, place: PlaceId) -> Bound {
        let mut best = Bound { tokens: 0, rests_on: Provenance::Arcs };
        for rests_on in Provenance::ALL {
            let tokens = self.bounds[rests_on as usize].lower.get(place.index());
            if let Some(&tokens) = tokens.filter(|&&tokens| tokens > best.tokens) {
                best = Bound { tokens, rests_on };
            }
        }
        best
    }

    /// The least tokens `place` ever holds as far as it is known from what rests on no more than
    /// `within`.
    pub fn lower_bound_within(&self, place: PlaceId, within: Provenance) -> u64 {
        let bounds = self.bounds[..=within as usize].iter();
        bounds.filter_map(|bounds| bounds.lower.get(place.index()).copied()).max().unwrap_or(0)
    }

    /// The bounds that were derived from the net, in order.
    pub fn derived(&self) -> &[DerivedBound] {
        &self.derived
    }

    /// Adds a list of bounds, each with its reason, which refers to this list and to `flows`.
    pub fn derive(&mut self, derived: &[DerivedBound], flows: &[LinearSum]) {
        let (before, flows_before) = (self.derived.len(), self.flows.len());
        self.flows.extend_from_slice(flows);
        for bound in derived {
            let reason = match bound.reason {
                Reason::Flow { flow, using } => {
                    Reason::Flow { flow: flow + flows_before, using: using + before }
                }
                reason => reason,
            };
            let &DerivedBound { place, upper, tokens, .. } = bound;
            match upper {
                true => self.bound_above(place, tokens, reason.provenance()),
                false => self.bound_below(place, tokens, reason.provenance()),
            }
            self.derived.push(DerivedBound { reason, ..*bound });
        }
    }

    /// Adds that `place` holds at most so many tokens, for a reason that is known elsewhere; the
    /// smallest bound of each provenance stays.
    pub fn bound_above(&mut self, place: PlaceId, tokens: u64, rests_on: Provenance) {
        let upper = &mut self.bounds[rests_on as usize].upper;
        upper.resize(self.places, None);
        let slot = &mut upper[place.index()];
        *slot = Some(slot.map_or(tokens, |known| known.min(tokens)));
    }

    /// Adds that `place` holds at least so many tokens, for a reason that is known elsewhere; the
    /// largest bound of each provenance stays.
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
    fn of_equal_bounds_the_firmest_is_named_and_nobody_gets_more_than_asked_for() {
        let net = crate::text::parse("place p 1\nplace q").unwrap();
        let [p, q] = [0, 1].map(PlaceId::new);
        let mut facts = Facts::none(&net);
        assert_eq!((facts.upper_bound(p), facts.lower_bound(p).tokens), (None, 0));
        facts.bound_above(p, 1, Provenance::UnitsClaimed);
        facts.bound_above(p, 3, Provenance::Flows);
        let bound = |tokens, rests_on| Bound { tokens, rests_on };
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
    fn what_follows_from_several_facts_rests_on_all_of_them() {
        let [arcs, flows, units] = Provenance::ALL;
        assert_eq!((arcs.join(flows), units.join(flows)), (flows, units));
        assert_eq!(Provenance::ALL.map(Provenance::assumes_units), [false, false, true]);
    }
}
