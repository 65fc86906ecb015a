//! Encodings: (net, goal, facts) → terms or linear programs, as plain data.
//!
//! An encoding never calls a solver and never loops over answers: it says what is to be asked, and
//! engines ask it.

pub mod state_equation;

pub use state_equation::StateEquation;
