//! A builder for generators. They number their nodes and keep weights small, so that the errors of
//! [`NetBuilder`] cannot occur.

use parikh_net::Net;
use parikh_net::NetBuilder;
use parikh_net::{PlaceId, TransitionId};

/// A net under construction.
pub(super) struct Sketch(NetBuilder);

impl Sketch {
    pub(super) fn new(name: String) -> Self {
        Sketch(NetBuilder::new(name))
    }

    /// Adds a place. Ids must be distinct and not empty.
    pub(super) fn place(&mut self, id: &str, tokens: u32) -> PlaceId {
        self.0
            .place(id, u64::from(tokens))
            .expect("generators give distinct ids, and a u32 is below 2^63")
    }

    /// Adds a transition with its inputs and outputs as (place, weight). Arcs of weight 0 are left
    /// out; several arcs between the same nodes add up.
    pub(super) fn transition(
        &mut self,
        id: &str,
        inputs: &[(PlaceId, u32)],
        outputs: &[(PlaceId, u32)],
    ) -> TransitionId {
        let t = self.0.transition(id).expect("generators give distinct ids");
        for &(place, weight) in inputs.iter().filter(|&&(_, weight)| weight > 0) {
            self.0.take(t, place, u64::from(weight)).expect("0 < weight < 2^32");
        }
        for &(place, weight) in outputs.iter().filter(|&&(_, weight)| weight > 0) {
            self.0.put(t, place, u64::from(weight)).expect("0 < weight < 2^32");
        }
        t
    }

    pub(super) fn build(self) -> Net {
        self.0.build().expect("few parallel arcs of u32 weights stay below 2^63")
    }
}
