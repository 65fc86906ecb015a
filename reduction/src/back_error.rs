//! Errors of back-translation.

use parikh_solvers::budget::ExhaustionReason;

/// The reason why a sequence has no translation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BackError {
    /// The expanded sequence has more steps than this limit.
    #[error("the sequence on the original net has more than {0} steps")]
    TooLong(usize),
    /// The budget ended during the translation.
    #[error("{0} during the back-translation of the sequence")]
    OutOfBudget(ExhaustionReason),
    /// A firing is not enabled: the sequence does not belong to the reduced net, or a rule is
    /// wrong.
    #[error("the sequence is not a firing sequence of the reduced net")]
    NotEnabled,
}
