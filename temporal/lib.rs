//! Temporal logic.

mod atom;
mod formula;
mod graph;
mod lasso;
mod parts;
mod paths;
mod text;

pub use atom::{Atom, Letter, Literal};
pub use formula::{Ctl, Formula, Formulas, Ltl, Node};
pub use graph::Graph;
pub use lasso::Lasso;
pub use parts::Values;
pub use paths::{Linear, Paths, Quantifier};
pub use text::{Names, ParseError, parse_ctl, parse_ltl};
