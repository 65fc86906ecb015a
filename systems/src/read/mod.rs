//! Parsers for systems and properties.

mod aut;
mod branching;
mod dot;
mod error;
mod promela;
mod properties;
mod tokens;

pub use aut::{aut, fsm};
pub use branching::{branching, is_branching};
pub use dot::dot;
pub use error::ReadError;
pub use promela::promela;
pub use properties::{PropertyLine, properties};
