//! Parikh.

pub mod formula;
pub mod input;
