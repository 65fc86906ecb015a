//! Home properties: engines that decide if a predicate always remains reachable, one technique per
//! file.
//!
//! | file | result | method |
//! |---|---|---|
//! | [`finitely`] | refuted | weights that bound the number of firings of a transition, by a linear program |
//! | [`commoner`] | proved | siphons and traps of asymmetric-choice nets |
//! | [`closed`] | proved | the same for the net closed to a cycle: processes that can always be completed |
//! | [`undone`] | proved | firings that can be undone wherever they happen |
//! | [`downhill`] | proved | firings that decrease a weighted sum and end at the initial marking |
//! | [`regions`] | refuted | a walk, and an unreachability proof from its end |
//! | [`described`] | both | the terminal components of the set of all markings, as decision diagrams |
//! | [`graph`] | both | the terminal components of the explicit reachability graph |
//!
//! They work on the original net. Other engines search its deadlocks and dead transitions at the
//! same time. Each file lists its sources.

mod along;
pub mod closed;
pub mod commoner;
pub mod described;
pub mod downhill;
pub mod finitely;
pub mod graph;
pub mod regions;
mod roam;
mod slope;
pub mod undone;

use crate::Assignment;
use crate::board::Board;
use crate::reduced;
use crate::working_net::WorkingNet;
use parikh_evidence::home::liveness::enabled_transitions;
use parikh_net::{GoalId, Predicate};
use parikh_solvers::Budget;

/// Returns the open home goals of `working_net` with their predicates.
fn open<'g>(
    working_net: &'g WorkingNet<'g>,
    board: &'g Board<'g>,
) -> impl Iterator<Item = (GoalId, &'g Predicate)> + Clone {
    let homes = working_net.homes().iter().filter(|(id, _)| board.is_open(*id));
    homes.map(|(id, predicate)| (*id, predicate))
}

/// Returns the original net, reduced for the liveness of the open goals, if the reduced net is
/// smaller.
fn reduced_for<'g>(
    assignment: &Assignment<'g>,
    budgets: (&Budget, &Budget),
) -> Option<WorkingNet<'g>> {
    let liveness_goals = open(assignment.working_net, assignment.board)
        .filter(|(_, predicate)| matches!(predicate, Predicate::Enabled(_)));
    let liveness_goals: Vec<GoalId> = liveness_goals.map(|(id, _)| id).collect();
    reduced::reduce(
        assignment.working_net,
        &liveness_goals,
        assignment.board,
        budgets,
        |_, facts| facts,
    )
}
