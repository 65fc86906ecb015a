//! Solvers of Parikh: terms, linear programs and clauses as plain data, and the back-ends that
//! answer questions about them.
//!
//! This crate never sees a place or a transition: it is handed terms and linear programs as plain
//! data, and hands back answers that say how far they may be trusted.
//!
//! - Questions: [`linear_program`], [`term`], [`cnf`]; written to files by [`dump`].
//!   [`linear_terms`] makes programs of terms without choices, [`bits`] sums of bit-vectors of
//!   those that compare numbers of so many bits.
//! - What back-ends can do and what they answer: [`lp`], [`smt`], [`sat`]. Unknown, error and
//!   timeout are all [`NoAnswer`].
//! - Back-ends, one file each: `lp_highs` and `smt_z3` (features `highs` and `z3`), [`lp_microlp`],
//!   [`sat_batsat`], and [`smt_command`], any SMT solver that is a command.
//! - Native ones may run in processes of their own: [`guest`]; [`lp_chosen`] and [`smt_chosen`] are
//!   what engines use.
//! - Trust: [`certify`] re-checks LP answers in exact arithmetic, [`rational`] guesses what it
//!   checks, [`model`] evaluates terms; proofs of SAT back-ends are for a checker outside.

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
pub mod term;

pub use answer::NoAnswer;
pub use budget::{Budget, Exhausted};
