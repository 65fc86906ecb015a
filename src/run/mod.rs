//! Analyses: questions about a model in, answers out.
//!
//! ```text
//! model, questions ──▶ views ─┬─▶ net: one net by a portfolio of engines ────────────┬─▶ answers
//!                             └─▶ coloured: a coloured net as it is, by walks on it ─┘
//!                                           and by runs on nets with fewer colours
//! ```
//!
//! The calling thread receives results from the board ([`team`]). It reports every answer as soon
//! as it is decided, abandons goals that no question needs any more, and stops the workers when no
//! question is open. A worker that panics loses its own goals, never an answer.

mod coloured;
mod config;
mod counting;
mod event;
mod figures;
mod groups;
mod net;
mod open;
mod portfolio;
mod presolve;
mod question_tracker;
mod questions;
pub mod schedule;
mod shares;
mod short_walks;
mod state_space;
mod team;
mod views;
mod worker;

pub use coloured::{quotient, run_coloured};
pub use config::{RunConfig, engine_name, engine_names, engines_named};
pub use counting::{CountMethod, CountResult, ReducedCount};
pub use event::{CountEvidence, EngineAtWork, EngineTurn, Event, MaximumRange, RunReport};
pub use figures::FIGURES;
pub use net::run_net;
pub use open::{KnownRange, OpenCause, OpenGoals, OpenQuestion, OpenReason, PartialKnowledge};
pub use parikh_engine::diagrams::{OrderTry, TryLog};
pub use questions::{Questions, QuestionsOnNet};
pub use schedule::Schedule;
pub use state_space::state_space;
pub use views::{figures, run};
