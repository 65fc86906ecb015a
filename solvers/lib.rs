//! Solvers of Parikh: budgets now, terms and linear programs with their back-ends beside them.
//!
//! This crate never sees a place or a transition: it is handed terms and linear programs as plain
//! data, and hands back answers that say how far they may be trusted.

pub mod budget;

pub use budget::{Budget, Exhausted};
