//! Certificates of the impossible, and their checkers.
//!
//! There are four kinds, all of them plain data with a checker of their own, which [`Document`]
//! puts under one roof: bounds on the tokens of places ([`bounds`]), sums of inequalities
//! ([`linear`]), the number of all markings ([`markings`]), and a reduction with a certificate about
//! the reduced net ([`reduced`]).
//!
//! A document lists claims, for its readers. What it is asked to prove is given to it:
//! [`Document::check_steps`] goes through its derivation once, and [`Checked::proves`] says of any
//! claim whether it follows, whatever else stands in the document.
//!
//! # Trusted
//! A net, integer arithmetic (`i128`, every operation checked) and unit propagation: no LP, SMT or SAT
//! solver and none of the engines' code; nothing in a certificate.

pub mod bounds;
mod claim;
mod counters;
pub mod document;
mod document_file;
mod lemma;
pub mod linear;
mod linear_file;
pub mod markings;
pub mod reduced;
mod skeleton;
mod splits;
mod text;
mod trap;

pub use bounds::{Bounds, BoundsFlaw};
pub use claim::{Claim, NoSuchNode};
pub use document::{Checked, Document, DocumentFlaw};
pub use lemma::Lemma;
pub use linear::{Flaw, LinearCertificate};
pub use markings::{Markings, MarkingsFlaw};
pub use reduced::{Reduced, ReducedFlaw};
pub use text::FileError;
pub(crate) use trap::check as check_trap;
