//! The reasons why no proof was found.

use parikh_evidence::counting::family::FamilyError;

/// The reason why no proof of the numbers of markings and firings was found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FamilyFailure {
    /// The net has too many places or transitions.
    #[error("the net is too large")]
    TooLarge,
    /// In a solution other than the initial marking, no step of the search can be undone. If the
    /// steps include all single transitions, this solution is unreachable.
    #[error("in some solution of the place invariants, no step of the search can be undone")]
    Unreachable,
    /// No weights satisfy all demands.
    #[error("no weights lead all solutions back to the initial marking")]
    NoWeights,
    /// The place invariants have a rational solution in some box (a range of token counts for each
    /// place), but no integer solution.
    #[error("the place invariants exclude some markings only over the integers")]
    OnlyIntegers,
    /// No solver is available, or a solver gave no usable answer.
    #[error("no solver answered")]
    NoSolver,
    /// The checker refuses the proof, or did not finish.
    #[error(transparent)]
    Refused(#[from] FamilyError),
}

impl FamilyFailure {
    /// Returns true if a proof with counters of firings may succeed.
    pub(super) fn may_need_counters(&self) -> bool {
        matches!(
            self,
            FamilyFailure::Unreachable
                | FamilyFailure::NoWeights
                | FamilyFailure::Refused(FamilyError::Uncovered(_))
        )
    }
}
