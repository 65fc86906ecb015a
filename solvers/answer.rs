//! What every back-end may say instead of an answer.

use crate::budget::Exhausted;

/// Why there is no answer. None of these says anything about the question.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoAnswer {
    /// The budget ran out, or a limit derived from it inside the solver.
    #[error(transparent)]
    Exhausted(#[from] Exhausted),
    /// The solver gave up by itself, in its own words.
    #[error("the solver gave up: {0}")]
    Unknown(String),
    /// The solver failed, panicked, or said something that cannot be.
    #[error("the solver failed: {0}")]
    Failed(String),
}
