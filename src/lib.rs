//! Parikh proves things about Petri nets, and hands over the evidence.
//!
//! The way of the data is the order of the modules: [`board`] holds the goals of a run and what is
//! known of them, engines under [`engine`] settle goals, [`evidence`] re-checks every claim on the
//! original net before the board takes it. See ARCHITECTURE.md.

pub mod answer;
pub mod board;
mod check;
pub mod cli;
pub mod draw;
pub mod engine;
pub mod evidence_files;
pub mod formula;
pub mod ground;
pub mod input;
pub mod mcc;
pub mod reduction;
pub mod run;
pub mod structure;
pub mod unfold;
pub mod verdicts;

pub use check::{Answers, check};
pub use parikh_encodings as encodings;
pub use parikh_evidence as evidence;
pub use parikh_net as net;
pub use parikh_solvers as solvers;
