//! Evidence: the data that makes an answer checkable, and the checkers.
//!
//! This crate knows nets, temporal formulas, transition systems and file formats: no solver, no
//! engine, no floating point. A *witness* is a firing sequence; the crate replays it on the
//! original net. A *document* ([`certificate`]) proves that no reachable marking satisfies some
//! predicates; the crate checks it in exact integer arithmetic. Further modules check runs
//! ([`lasso`], [`no_run`]), labellings of markings ([`tree`]), home spaces ([`home`]), counts
//! ([`counting`]), logs of reductions ([`reduction`]), quotients of coloured nets ([`abstraction`])
//! and answers about transition systems ([`systems`]). Other crates produce and write the evidence.

#![forbid(unsafe_code)]

pub mod abstraction;
pub mod audit;
pub mod certificate;
pub mod coloured;
pub mod counting;
pub mod depending;
pub mod description;
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

pub use certificate::{CheckedDocument, Document, Flaw, LinearCertificate};
pub use pumping::{PumpGrowth, check_pumping};
pub use replay::{PumpError, ReplayError, Replayer, check_pump, net_after, pump_grows, replay};
pub use unit_claim::first_breach;

/// The text of `parikh-certify --help`. The crate `parikh-cli` makes the manual page from it.
pub const AUDITOR_HELP: &str = include_str!("bin/parikh-certify/help.txt");
