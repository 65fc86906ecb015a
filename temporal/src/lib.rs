//! Temporal logic: formulas of LTL and CTL, and automata for LTL.
//!
//! A formula refers to *atoms*, which are numbers here. Callers determine the truth values of
//! atoms: a [`Letter`] is the set of atoms that are true at one point of a run. This crate knows no
//! net, no marking and no search; search engines use it.
//!
//! ```text
//! text ──parse_ltl──▶ formula ──rewritten──▶ formula ──LinearTableau::new──▶ automaton with obligations
//!                                                                         │ check_complete, check_sound
//!                                            smaller automaton ◀─simplified─┘
//! ```
//!
//! | file | contents |
//! |---|---|
//! | `atom` | atoms, literals, letters |
//! | `paths`, `formula`, `subformulas` | hash-consed formulas in negation normal form |
//! | `text` | formulas as text, in the syntax of the tool Spot |
//! | `lasso`, `prefix` | simple evaluators: LTL on ultimately periodic words and on prefixes |
//! | `rewrite` | rules that simplify formulas to equivalent ones |
//! | `linear_form`, `linear_bounds` | formulas of CTL that are equivalent to a formula of LTL, or implied by one and implying another |
//! | `value` | three-valued evaluation of formulas with partial information |
//! | `automaton` | generalised Büchi automata: translation, checker, simplification |
//! | `components` | strongly connected components of any graph |
//!
//! **Runs that end.** An LTL formula is about an infinite word: a run to a dead marking repeats its
//! last letter forever ([`Lasso::stuttering`]). A CTL formula is about maximal paths, which may be
//! finite: at a state without successor, EX φ is false, AX φ is true, and EG φ, AF φ and φ are
//! equivalent.
//!
//! The evaluators, and one of CTL on graphs in `tests/generate`, are the oracle of all tests: an
//! automaton, a rule or an answer is correct if it agrees with them.

#![forbid(unsafe_code)]

mod atom;
mod automaton;
pub mod components;
mod formula;
mod lasso;
mod linear_bounds;
mod linear_form;
mod paths;
mod prefix;
mod rewrite;
mod subformulas;
mod text;
mod value;

pub use atom::{AtomId, Letter, Literal};
pub use automaton::check::TableauRefusal;
pub use automaton::classes::Strength;
pub use automaton::cube::Cube;
pub use automaton::translate::LinearTableau;
pub use automaton::{Automaton, AutomatonEdge, AutomatonLimits, AutomatonTooLarge, Marks};
pub use formula::{Ctl, Formula, Formulas, Ltl, Node};
pub use lasso::Lasso;
pub use linear_bounds::LinearBounds;
pub use paths::{Linear, Paths, Quantifier};
pub use rewrite::{BRANCHING_RULES, LINEAR_RULES, RewriteRule, RewriteStep};
pub use subformulas::PartValues;
pub use text::{AtomNames, ParseError, parse_ctl, parse_ltl};
pub use value::PartialTruth;
