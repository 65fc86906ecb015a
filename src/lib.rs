//! Parikh verifies Petri nets and produces evidence that can be checked.
//!
//! The entry point is [`check()`]. It takes a [`Model`], from [`input`] or a text, and questions
//! ([`run::Questions`]), and returns answers. Within a run, [`board`] holds the goals and their
//! results. The engines under [`engine`] settle goals. [`evidence`] checks every result before the
//! board accepts it. See ARCHITECTURE.md.

pub mod answer;
mod check;
pub mod evidence_files;
pub mod mcc;
pub mod run;
pub mod systems;
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
pub use parikh_engine::{self as engine, board, working_net};
pub use parikh_evidence as evidence;
pub use parikh_formula as formula;
pub use parikh_input::{self as input, about, extended, model};
pub use parikh_net as net;
pub use parikh_reduction as reduction;
pub use parikh_solvers as solvers;
pub use parikh_structure::{self as structure, graph};
pub use parikh_unfolding as unfold;
