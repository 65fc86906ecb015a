//! Certificates that no reachable marking satisfies a predicate, and their checkers.
//!
//! There are five kinds, each plain data with its own checker. [`Document`] is the sum type of all
//! kinds:
//!
//! - bounds on the tokens of places ([`bounds`]);
//! - sums of inequalities ([`linear`]);
//! - inductive invariants ([`induction`]);
//! - the number of reachable markings ([`markings`]);
//! - a set of markings that is closed under firing ([`closed_set`]).
//!
//! A document does not say which predicates it refutes. [`Document::check`] checks its steps once.
//! Then [`CheckedDocument::refutes`] decides for any predicate whether its unreachability follows
//! from the steps.
//!
//! # Trusted
//! A net, integer arithmetic (`i128`, every operation checked) and unit propagation: no LP, SMT or
//! SAT solver, no code of the engines, and no content of a certificate.

pub mod bounds;
pub mod closed_set;
mod counters;
pub(crate) mod derivation;
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
pub(crate) mod smtlib;
mod sum;
mod traps;

pub use bounds::BoundsCertificate;
pub use counters::count;
pub use document::{CheckedDocument, Document};
pub use flaw::{Flaw, check_names};
pub use induction::Induction;
pub use lemma::Lemma;
pub use linear::LinearCertificate;
pub use lower_bound::LowerBound;
pub(crate) use names::comparison;
pub use names::{NamedComparison, NamedDocument};
pub use precedence::Precedence;
pub(crate) use traps::check_trap;
