//! Solvers of Parikh: terms, linear programs and clauses as plain data, and back-ends that answer
//! questions about them.
//!
//! This crate never sees a place or a transition. It receives terms and linear programs as plain
//! data, and returns answers that state how far they can be trusted.
//!
//! - Questions: [`linear_program`], [`term`], [`cnf`]. [`dump`] writes them to files, and
//!   [`lp_format`] writes linear programs. [`linear_terms`] turns terms without disjunctions into
//!   linear programs. [`bits`] turns constraints over bounded numbers into sums of bit-vectors.
//!   [`symbols`] turns names into symbols of SMT-LIB and names in LP format.
//! - Capabilities and answers of back-ends: [`lp`], [`smt`], [`sat`]. Unknown, error and timeout
//!   are all [`NoAnswer`].
//! - Back-ends, one per file: `lp_highs` and `smt_z3` (features `highs` and `z3`), [`lp_microlp`],
//!   [`sat_batsat`], and [`smt_command`] for any SMT solver that runs as a command.
//! - Native back-ends can run in worker processes: [`guest`]. Engines use [`lp_chosen`] and
//!   [`smt_chosen`].
//! - Trust: [`certify`] checks LP answers in exact arithmetic, [`rational`] proposes the rational
//!   numbers to check, [`model`] evaluates terms. An external checker verifies the proofs of SAT
//!   back-ends.

pub mod answer;
pub mod bits;
pub mod budget;
pub mod certify;
pub mod cnf;
mod dual_program;
pub mod dump;
mod exact;
pub mod guest;
pub mod linear_expression;
pub mod linear_program;
pub mod linear_terms;
pub mod lp;
pub mod lp_chosen;
pub mod lp_cold;
pub mod lp_format;
#[cfg(feature = "highs")]
pub mod lp_highs;
pub mod lp_microlp;
pub mod model;
pub mod multipliers;
pub mod rational;
pub mod sat;
pub mod sat_batsat;
pub mod smt;
pub mod smt_chosen;
pub mod smt_command;
pub mod smt_lib;
#[cfg(feature = "z3")]
pub mod smt_z3;
pub mod symbols;
pub mod term;

pub use answer::NoAnswer;
pub use budget::{Budget, ExhaustionReason};

/// Locks a mutex. The data is valid even if a thread panicked while it held the lock.
pub fn locked<T: ?Sized>(mutex: &std::sync::Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
