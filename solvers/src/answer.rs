//! The ways in which any back-end fails to give an answer.

use crate::budget::ExhaustionReason;

/// The reason for a missing answer. It says nothing about the question.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoAnswer {
    /// The budget ran out, or a limit that the solver derived from it.
    #[error(transparent)]
    Exhausted(#[from] ExhaustionReason),
    /// The solver gave up. The text gives the reason.
    #[error("the solver gave up: {0}")]
    Unknown(String),
    /// The solver failed, panicked, or returned an impossible answer.
    #[error("the solver failed: {0}")]
    Failed(String),
}
