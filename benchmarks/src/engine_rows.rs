//! Engines of Parikh as rows of the comparison of encodings: one engine, alone, on a single goal.
//!
//! The engine works on the net as it was read: without reductions, without token intervals, and
//! without the model's claim about units. It gets the proved bounds of places. The board replays
//! its witnesses and checks its certificates, and the time includes this.

use crate::measurement::EncodingOutcome;
use parikh::board::{Board, Knowledge, ReachKnowledge};
use parikh::engine::{Assignment, Engine, SliceProgress};
use parikh::structure::intervals::Intervals;
use parikh::working_net::WorkingNet;
use parikh_net::{Facts, Goal, GoalId, Net, Predicate};
use parikh_solvers::Budget;

/// The engines that can be rows of the table: those that search backwards from the goal.
pub const ENGINES: [&str; 2] = ["pdr", "k-induction"];

/// Runs an engine on a goal until the goal is settled, the engine has nothing more to try, or the
/// budget is used up.
pub(crate) fn outcome(
    engine: &Engine,
    net: &Net,
    goal: &Predicate,
    facts: &Facts,
    budget: &Budget,
) -> EncodingOutcome {
    let (id, goal) = (GoalId::new(0), Goal::Reach(goal.clone()));
    let board = Board::new(net, vec![goal.clone()]).with_budget(budget).certified_only();
    let intervals = Intervals::new(net, facts);
    let working_net = WorkingNet::original(net, vec![(id, goal)], facts.clone(), &intervals);
    let Ok(mut session) = (engine.start)(Assignment::new(&working_net, &board, 1)) else {
        return EncodingOutcome::NotAsked;
    };
    while session.slice(budget) == SliceProgress::Finished && board.is_open(id) && session.deepen()
    {
    }
    match board.knowledge(id) {
        Some(Knowledge::Reach(ReachKnowledge::Reached { .. })) => EncodingOutcome::Reached,
        Some(Knowledge::Reach(ReachKnowledge::Unreachable { .. })) => EncodingOutcome::Refuted,
        _ => EncodingOutcome::GaveUp,
    }
}
