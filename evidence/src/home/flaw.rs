//! The flaws of arguments about predicates that are reachable from every reachable marking.

use crate::certificate::Flaw;
use crate::replay::ReplayError;
use parikh_net::TransitionId;

/// The reason that an argument about home spaces is rejected.
#[derive(Debug, thiserror::Error)]
pub enum HomeFlaw {
    /// The sequence does not replay, for example because a firing is not enabled.
    #[error("the firing sequence: {0}")]
    Sequence(#[from] ReplayError),
    /// At the end of the sequence the predicate holds, or a transition is enabled.
    #[error("at the end of the sequence a transition is enabled, or the goal holds")]
    NotLost,
    /// A flaw of a document, a closed set or a search of the markings. Also a stop of any check of
    /// an argument.
    #[error(transparent)]
    Document(#[from] Flaw),
    /// A place does not exist or has two weights, or a weighted sum exceeds 127 bits.
    #[error("weights of places that do not exist, or beyond 127 bits")]
    Weights,
    /// A firing increases the weighted sum, or a transition that should fire finitely often does
    /// not decrease it.
    #[error("the weighted sum does not bound the firings of {0:?}")]
    MayFireForever(TransitionId),
    /// The predicate is not about the enabledness of transitions.
    #[error("the goal is not the liveness of a transition")]
    NotLiveness,
    /// The net is not an asymmetric choice net with weights 1.
    #[error("the inputs of {0:?} violate asymmetric choice, or an input arc has a weight above 1")]
    NotAsymmetricChoice(TransitionId),
    /// A set is no marked trap, or the refutation is wrong.
    #[error("some siphon may contain no marked trap")]
    Siphons,
    /// A firing decreases a sum that must never decrease.
    #[error("a firing of {0:?} decreases the weighted sum")]
    DecreasesSum(TransitionId),
    /// The predicate does not have the form m ≥ f, or the closed net cannot be built. The closed
    /// net has one more transition, from f back to the initial marking.
    #[error("the goal is not the coverability of a marking")]
    NotCovering,
    /// The sequences back to the home marking have a wrong form, as the text says.
    #[error("the sequences back: {0}")]
    Returning(&'static str),
    /// The proof does not show that each firing of the transition can be undone.
    #[error("the given firings do not undo {0:?}")]
    NotUndone(TransitionId),
}
