//! What may be wrong with an argument about what stays reachable.

use crate::certificate::Flaw;
use crate::replay::ReplayError;
use parikh_net::TransitionId;

/// Why nothing is shown.
#[derive(Debug, thiserror::Error)]
pub enum HomeFlaw {
    /// The sequence does not fire.
    #[error("the firing sequence: {0}")]
    Sequence(#[from] ReplayError),
    /// What is to be lost is there, or something else can still happen.
    #[error("at the end of the sequence something is enabled, or what is lost is there")]
    NotLost,
    /// The document about what comes after the sequence, or of the ways back.
    #[error(transparent)]
    After(#[from] Flaw),
    /// A place, or the effect of a transition, is beyond the net or 127 bits.
    #[error("weights of places that do not exist, or beyond 127 bits")]
    Weights,
    /// A firing raises the weighted sum, or one that is to be finite does not lower it.
    #[error("the weighted sum does not bound the firings of {0:?}")]
    Raises(TransitionId),
    /// The question is not about the enabledness of transitions.
    #[error("it is not about the liveness of a transition")]
    NotLiveness,
    /// The net is not of the class.
    #[error("the inputs of {0:?} are no asymmetric choice, or an arc into it weighs more than 1")]
    Class(TransitionId),
    /// A set is no marked trap, or the refutation is none.
    #[error("some siphon may contain no marked trap")]
    Siphons,
    /// A firing lowers a sum that is said to stay.
    #[error("the weighted sum falls when {0:?} fires")]
    Lowers(TransitionId),
    /// The question is not whether some marking stays coverable, or the net cannot be closed.
    #[error("it is not about covering a marking for ever")]
    NotCovering,
    /// The ways back are not as they should be.
    #[error("the ways back: {0}")]
    Way(&'static str),
    /// Does not undo it.
    #[error("what is said to undo {0:?} does not")]
    NotUndone(TransitionId),
}
