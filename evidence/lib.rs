//! Evidence: what makes a claim checkable, and the checks.
//!
//! This crate knows nets and file formats only: no solver, no engine, no floating point. A
//! *witness* is a firing sequence, replayed on the original net; a *document* ([`certificate`])
//! refutes predicates, and is re-checked down to the last integer. Whatever makes or writes
//! evidence is elsewhere.

#![forbid(unsafe_code)]

pub mod abstraction;
pub mod audit;
pub mod certificate;
pub mod coloured;
pub mod counting;
pub mod depending;
pub mod extended;
pub mod file;
pub mod home;
pub mod kind;
pub mod lasso;
pub mod loops;
mod named_formula;
pub mod no_run;
pub mod predicate;
mod pumping;
pub mod question;
pub mod reader;
pub mod reduction;
pub mod refutation;
mod replay;
pub mod systems;
pub mod tree;
mod unit_claim;
pub mod words;

pub use certificate::{CheckedDocument, Document, Flaw, LinearCertificate};
pub use pumping::{Growth, check_pumping};
pub use replay::{PumpError, ReplayError, Replayer, begun_after, check_pump, pump_grows, replay};
pub use unit_claim::first_breach;
