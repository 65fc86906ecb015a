//! Constructors for candidates.

use parikh_evidence::reduction::Candidate;
use parikh_net::{PlaceId, TransitionId};

/// Returns the candidate for a rule application on a single place.
pub fn place(p: PlaceId) -> Candidate {
    places([p])
}

/// Returns the candidate for a rule application on the given places.
pub fn places(places: impl Into<Vec<PlaceId>>) -> Candidate {
    Candidate { places: places.into(), ..Candidate::default() }
}

/// Returns the candidate for a rule application on the given transitions.
pub fn transitions(transitions: impl Into<Vec<TransitionId>>) -> Candidate {
    Candidate { transitions: transitions.into(), ..Candidate::default() }
}

/// Returns the candidate for a rule application on one place and the given transitions.
pub fn place_and_transitions(p: PlaceId, transitions: impl Into<Vec<TransitionId>>) -> Candidate {
    Candidate { transitions: transitions.into(), ..place(p) }
}

/// Returns the candidate for a rule application on the given places, each with its multiplicity,
/// and the given transitions. If every multiplicity is 1, the list of multiplicities is left empty.
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
