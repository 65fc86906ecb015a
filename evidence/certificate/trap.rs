//! Traps: sets of places that stay marked once they are.

use parikh_net::{Net, PlaceId, TransitionId};

/// Why a set of places says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TrapFlaw {
    /// A firing of the transition takes from it and puts nothing back.
    #[error("it is none, {0:?} empties it")]
    Empties(TransitionId),
    /// It is empty in the initial marking.
    #[error("it is not marked initially")]
    Unmarked,
}

/// A set Q is a trap when •-taking transitions give back: every t with an input in Q has an output
/// in Q. Marked once, it stays marked: Σ_{p∈Q} m(p) ≥ 1 in every reachable marking.
pub(crate) fn check(net: &Net, trap: &[PlaceId]) -> Result<(), TrapFlaw> {
    let mut inside = vec![false; net.place_count()];
    trap.iter().for_each(|place| inside[place.index()] = true);
    for &place in trap {
        for taker in net.consumers(place) {
            if !net.post(taker.transition).iter().any(|arc| inside[arc.place.index()]) {
                return Err(TrapFlaw::Empties(taker.transition));
            }
        }
    }
    let marked = trap.iter().any(|&place| net.initial()[place] > 0);
    if marked { Ok(()) } else { Err(TrapFlaw::Unmarked) }
}
