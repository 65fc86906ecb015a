//! Traps: sets of places that stay marked once they are, because a firing that takes from one puts
//! into it.

use super::flaw::{Flaw, check_places};
use parikh_net::{Net, PlaceId, TransitionId};

/// Accepts that a set Q of places is a trap, so that every t with an input in Q has an output in Q,
/// and is marked initially. Then it stays so: Σ_{p∈Q} m(p) ≥ 1 in every reachable marking.
pub(crate) fn check_trap(net: &Net, index: usize, trap: &[PlaceId]) -> Result<(), Flaw> {
    check_places(net, trap.iter().copied())?;
    if let Some(t) = emptying(net, trap) {
        return Err(Flaw::Empties(index, t));
    }
    let marked = trap.iter().any(|&place| net.initial()[place] > 0);
    if marked { Ok(()) } else { Err(Flaw::Unmarked(index)) }
}

/// A transition that takes from a set of places and puts nothing into it; none of a trap.
pub(super) fn emptying(net: &Net, places: &[PlaceId]) -> Option<TransitionId> {
    let mut inside = vec![false; net.place_count()];
    places.iter().for_each(|place| inside[place.index()] = true);
    let mut takers =
        places.iter().flat_map(|&place| net.consumers(place)).map(|arc| arc.transition);
    takers.find(|&t| !net.post(t).iter().any(|arc| inside[arc.place.index()]))
}
