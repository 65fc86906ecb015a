//! Formulas: syntax trees over the places and transitions of a net, the textual languages, and the
//! translation into goals.

mod cases;
mod declare;
mod error;
mod linear;
mod lower;
mod named;
mod print;
mod proposition;
mod raise;
mod reading;
mod runs;
mod state;
mod syntax;
pub mod text;
mod trees;
mod unsupported;

pub use cases::of_cases;
pub use error::{FormulaError, FormulaProblem};
pub use linear::linear_sum;
pub use lower::{TemporalLogic, lower, lower_in};
pub use named::{NamedNodes, nodes_of_text, place_of_text, split_names};
pub use parikh_net::closest;
pub use print::PrintedFormula;
pub use proposition::{Proposition, Query};
pub use runs::run_property;
pub use state::lower_state;
pub use syntax::{Expression, Formula, MAX_DEPTH, NumberRelation};
pub use trees::tree_property;
pub use unsupported::UnsupportedFormula;
