//! Traps: sets of places that stay marked once they are marked, because each transition that
//! consumes from the set also produces into it.

use super::flaw::{Flaw, check_places};
use parikh_net::{Net, PlaceId, TransitionId};

/// Checks that a set Q of places is a trap (every t with an input in Q has an output in Q) and is
/// marked initially. Then Σ_{p∈Q} m(p) ≥ 1 in every reachable marking m. `index` is the number of
/// the trap, for messages.
pub(crate) fn check_trap(net: &Net, index: usize, trap: &[PlaceId]) -> Result<(), Flaw> {
    check_places(net, trap.iter().copied())?;
    if let Some(t) = emptying(net, trap) {
        return Err(Flaw::CanEmptyTrap(index, t));
    }
    let marked = trap.iter().any(|&place| net.initial()[place] > 0);
    if marked { Ok(()) } else { Err(Flaw::Unmarked(index)) }
}

/// Returns a transition that consumes from the set of places and produces nothing into it, or
/// `None` if the set is a trap.
pub(super) fn emptying(net: &Net, places: &[PlaceId]) -> Option<TransitionId> {
    let mut is_inside = vec![false; net.place_count()];
    places.iter().for_each(|place| is_inside[place.index()] = true);
    let mut consuming =
        places.iter().flat_map(|&place| net.consumers(place)).map(|arc| arc.transition);
    consuming.find(|&t| !net.post(t).iter().any(|arc| is_inside[arc.place.index()]))
}
