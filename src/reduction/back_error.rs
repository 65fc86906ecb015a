//! Why a firing sequence does not come back.

use crate::solvers::budget::Exhausted;

/// Why a sequence has no translation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BackError {
    /// Written out it has more steps than the limit.
    #[error("the sequence of the original net has more than {0} steps")]
    TooLong(usize),
    /// The budget was spent on the way.
    #[error("{0} while the sequence was carried back")]
    OutOfBudget(Exhausted),
    /// A firing is not possible; the sequence is not one of the reduced net, or a rule is wrong.
    #[error("the sequence is not one of the reduced net")]
    NotEnabled,
}
