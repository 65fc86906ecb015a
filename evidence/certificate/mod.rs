//! Certificates of the impossible, and their checkers.
//!
//! There are five kinds, all of them plain data with a checker of their own, which [`Document`]
//! puts under one roof: bounds on the tokens of places ([`bounds`]), sums of inequalities
//! ([`linear`]), inductive invariants ([`induction`]), the number of all markings ([`markings`]),
//! and a set of markings that no firing leaves ([`closed_set`]).
//!
//! A document does not say what it proves. [`Document::check`] goes through its steps once, and
//! [`CheckedDocument::refutes`] says of any predicate whether no reachable marking satisfies it, as
//! far as that follows from them.
//!
//! # Trusted
//! A net, integer arithmetic (`i128`, every operation checked) and unit propagation: no LP, SMT or
//! SAT solver and none of the engines' code; nothing in a certificate.

pub mod bounds;
pub mod closed_set;
mod counters;
mod document;
mod flaw;
pub mod induction;
mod lemma;
pub mod linear;
mod lower_bound;
pub mod markings;
mod names;
mod precedence;
mod propagation;
mod skeleton;
mod sum;
mod traps;

pub use bounds::Bounds;
pub use counters::count;
pub use document::{CheckedDocument, Document};
pub use flaw::{Flaw, check_names};
pub use induction::Induction;
pub use lemma::Lemma;
pub use linear::LinearCertificate;
pub use lower_bound::LowerBound;
pub(crate) use names::comparison;
pub use names::{Comparison, NamedDocument};
pub use precedence::Precedence;
pub(crate) use traps::check_trap;
