//! Engines: each settles goals from one side, on one net, within a budget.
//!
//! An engine sees goals, never examinations. It is handed a [`Task`] and reports on its side (see
//! [`crate::board`]), looks at its budget in every loop, and drops goals that others settle. Which
//! engines there are, and when they have their turn, is in the [`registry`].

pub mod bmc;
pub mod coloured_walk;
pub mod coverability;
pub mod diagrams;
pub mod explicit;
pub mod home;
pub mod intervals;
pub mod lasso;
pub mod loops;
pub mod pdr;
pub mod ranking;
pub mod registry;
pub mod runs;
pub mod shrink;
pub mod siphon_trap;
pub mod smt;
pub mod state_equation;
pub mod walk;

use crate::board::Board;
use parikh_net::{Facts, Goal, GoalId, Net};
use parikh_solvers::Budget;

/// What an engine works on.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// The net to work on.
    pub net: &'a Net,
    /// The goals to settle, as they read on `net`, with their ids on the board.
    pub goals: &'a [(GoalId, Goal)],
    /// What is known of the net already.
    pub facts: &'a Facts,
    /// Where others' settlements show.
    pub board: &'a Board<'a>,
    /// How long, how much.
    pub budget: &'a Budget,
    /// Same seed, same run.
    pub seed: u64,
}
