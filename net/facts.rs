//! Facts about a net that engines may rely on: plain data, each with where it comes from.

use crate::id::PlaceId;
use crate::net::Net;

/// What is known of every reachable marking.
#[derive(Clone, Debug)]
pub struct Facts {
    /// For each place an upper bound on its tokens, where one is known.
    upper_bounds: Vec<Option<u64>>,
}

impl Facts {
    /// What the model itself says: in a unit-safe net (NUPN) every place is bounded by 1.
    pub fn from_model(net: &Net) -> Self {
        let safe = net.units().is_some_and(|units| units.safe());
        Facts { upper_bounds: vec![safe.then_some(1); net.place_count()] }
    }

    /// Nothing but the net.
    pub fn none(net: &Net) -> Self {
        Facts { upper_bounds: vec![None; net.place_count()] }
    }

    /// The most tokens `place` ever holds, where known.
    pub fn upper_bound(&self, place: PlaceId) -> Option<u64> {
        self.upper_bounds[place.index()]
    }

    /// Adds a proved bound; the smaller one stays.
    pub fn bound(&mut self, place: PlaceId, tokens: u64) {
        let slot = &mut self.upper_bounds[place.index()];
        *slot = Some(slot.map_or(tokens, |known| known.min(tokens)));
    }
}
