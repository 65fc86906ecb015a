//! The contest's formula language: its syntax trees with names resolved to a net's places and
//! transitions, and what a tree asks of the reachable markings.

mod closest;
mod error;
mod linear;
mod lower;
mod syntax;

pub use error::{FormulaError, FormulaProblem};
pub use lower::{Question, Unsupported, lower};
pub use syntax::{Expression, Formula, MAX_DEPTH, Relation};
