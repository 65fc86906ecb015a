//! Parikh verifies Petri nets and produces evidence that can be checked.
//!
//! The entry point is [`check()`]. It takes a [`Model`], from [`input`] or a text, and questions
//! ([`run::Questions`]), and returns answers. Within a run, [`board`] holds the goals and their
//! results. The engines under [`engine`] settle goals. [`evidence`] checks every result before the
//! board accepts it. See ARCHITECTURE.md.

pub mod about;
pub mod answer;
pub mod board;
mod check;
pub mod cli;
pub mod draw;
pub mod engine;
pub mod evidence_files;
pub mod extended;
pub mod formula;
pub mod graph;
pub mod ground;
pub mod input;
pub mod layout;
pub mod mcc;
pub mod model;
pub mod names;
pub mod plot;
pub mod png;
pub mod reduction;
pub mod report;
pub mod run;
pub mod structure;
pub mod systems;
pub mod unfold;
pub mod verdicts;

pub use check::{Answers, check};
pub use model::Model;

/// Compiles the programs in the guide as tests.
#[cfg(doctest)]
mod guide {
    #[doc = include_str!("../docs/library.md")]
    struct Library;
    #[doc = include_str!("../docs/extending.md")]
    struct Extending;
}

pub use parikh_encodings as encodings;
pub use parikh_evidence as evidence;
pub use parikh_net as net;
pub use parikh_solvers as solvers;
