//! Temporal logic.

mod atom;
mod automaton;
mod formula;
mod graph;
mod lasso;
mod parts;
mod paths;
mod rewrite;
mod text;
mod value;

pub use atom::{Atom, Letter, Literal};
pub use automaton::check::Refusal;
pub use automaton::classes::Strength;
pub use automaton::cube::Cube;
pub use automaton::stutter::{Insensitivity, lengthened};
pub use automaton::translate::Tableau;
pub use automaton::{Automaton, Edge, Limits, Marks, TooLarge};
pub use formula::{Ctl, Formula, Formulas, Ltl, Node};
pub use graph::Graph;
pub use lasso::Lasso;
pub use parts::Values;
pub use paths::{Linear, Paths, Quantifier};
pub use rewrite::{BRANCHING_RULES, LINEAR_RULES, Rule, Step};
pub use text::{Names, ParseError, parse_ctl, parse_ltl};
pub use value::Value;
