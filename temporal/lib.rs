//! Temporal logic: formulas of LTL and CTL, and automata for LTL.
//!
//! A formula speaks of *atoms*, which are numbers here. What is true of an atom is for others to
//! say: a [`Letter`] is the set of the atoms that are true at one point of a run. This crate knows
//! no net, no marking and no search; it is what those need who search.
//!
//! ```text
//! text ──parse_ltl──▶ formula ──rewritten──▶ formula ──Tableau::new──▶ automaton with obligations
//!                                                                   │ check_complete, check_sound
//!                                      smaller automaton ◀─simplified─┘
//! ```
//!
//! | file | what |
//! |---|---|
//! | `atom` | atoms, literals, letters |
//! | `paths`, `formula`, `parts` | formulas in negation normal form, each made once |
//! | `text` | formulas as text, in the spelling of the tool Spot |
//! | `lasso`, `prefix`, `graph` | simple evaluators: of LTL on words that repeat, of CTL on graphs |
//! | `rewrite` | equal formulas that are simpler, one rule at a time |
//! | `linear_form`, `linear_bounds` | formulas of CTL that say the same as one of LTL, or lie between two |
//! | `value` | what is known of a formula where little is known |
//! | `automaton` | generalised Büchi automata: translation, its checker, and so on |
//!
//! **Where runs end.** An LTL formula is about an infinite word: a run to a dead marking repeats
//! its last letter for ever ([`Lasso::stuttering`]). A CTL formula is about maximal paths, which
//! may be finite: where a state has no successor, EX φ is false, AX φ true, and EG φ, AF φ and φ
//! are the same.
//!
//! The two evaluators are the oracle of everything else, here (`tests/oracle`) and for those who
//! search: an automaton, a rule or an answer is right if it says what they say.

#![forbid(unsafe_code)]

mod atom;
mod automaton;
mod formula;
mod graph;
mod lasso;
mod linear_bounds;
mod linear_form;
mod parts;
mod paths;
mod prefix;
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
pub use linear_bounds::LinearBounds;
pub use parts::Values;
pub use paths::{Linear, Paths, Quantifier};
pub use rewrite::{BRANCHING_RULES, LINEAR_RULES, Rule, Step};
pub use text::{Names, ParseError, parse_ctl, parse_ltl};
pub use value::Value;
