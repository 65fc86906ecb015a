//! Candidates of the forms that searches find.

use parikh_evidence::reduction::Candidate;
use parikh_net::{PlaceId, TransitionId};

/// One place.
pub fn place(p: PlaceId) -> Candidate {
    places([p])
}

/// These places.
pub fn places(places: impl Into<Vec<PlaceId>>) -> Candidate {
    Candidate { places: places.into(), ..Candidate::default() }
}

/// These transitions.
pub fn transitions(transitions: impl Into<Vec<TransitionId>>) -> Candidate {
    Candidate { transitions: transitions.into(), ..Candidate::default() }
}

/// One place, and transitions.
pub fn around(p: PlaceId, transitions: impl Into<Vec<TransitionId>>) -> Candidate {
    Candidate { transitions: transitions.into(), ..place(p) }
}

/// Places with multiplicities, and transitions.
pub fn weighted(
    places: impl IntoIterator<Item = (PlaceId, u32)>,
    transitions: impl Into<Vec<TransitionId>>,
) -> Candidate {
    let (places, mut weights): (Vec<_>, Vec<_>) = places.into_iter().unzip();
    if weights.iter().all(|&weight| weight == 1) {
        weights.clear();
    }
    Candidate { places, transitions: transitions.into(), weights }
}
