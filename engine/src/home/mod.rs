//! Home properties: engines that decide if a predicate remains reachable from every reachable
//! marking, one technique per file.
//!
//! | file | result | method |
//! |---|---|---|
//! | [`finite_firings`] | refuted | weights that bound the number of firings of a transition, by a linear program |
//! | [`commoner`] | proved | siphons and traps of asymmetric-choice nets |
//! | [`closed_net`] | proved | the same for the net closed to a cycle: processes that can always be completed |
//! | [`undoable_firings`] | proved | firings that can be undone wherever they happen |
//! | [`return_by_weights`] | proved | firings that decrease a weighted sum and end at the initial marking |
//! | [`walk_and_refute`] | refuted | a walk, and an unreachability proof from its end |
//! | [`symbolic_components`] | both | the terminal components of the set of all markings, as decision diagrams |
//! | [`explicit_components`] | both | the terminal components of the explicit reachability graph |
//!
//! The engines work on the original net. [`explicit_components`] and [`symbolic_components`] also
//! use a net reduced for liveness. Other engines search deadlocks and dead transitions at the same
//! time. Each file lists its sources.

pub mod closed_net;
pub mod commoner;
pub mod explicit_components;
pub mod finite_firings;
mod goal_walks;
mod recording_walk;
pub mod return_by_weights;
pub mod symbolic_components;
pub mod undoable_firings;
pub mod walk_and_refute;
mod weight_search;

use crate::Assignment;
use crate::board::Board;
use crate::reduced;
use crate::working_net::WorkingNet;
use parikh_evidence::home::liveness::enabled_transitions;
use parikh_net::{GoalId, Predicate};
use parikh_solvers::Budget;

/// Returns the home goals of `working_net` that are open on `board`, with their predicates.
fn open_goals<'g>(
    working_net: &'g WorkingNet<'g>,
    board: &'g Board<'g>,
) -> impl Iterator<Item = (GoalId, &'g Predicate)> + Clone {
    let homes = working_net.home_goals().iter().filter(|(id, _)| board.is_open(*id));
    homes.map(|(id, predicate)| (*id, predicate))
}

/// Returns the original net, reduced such that the liveness of transitions with an open goal "t is
/// enabled" is preserved. Returns `None` if there is no such goal or nothing can be reduced. The
/// first of `budgets` limits the reduction, the second one the later back-translation.
fn reduced_net_for_liveness<'g>(
    assignment: &Assignment<'g>,
    budgets: (&Budget, &Budget),
) -> Option<WorkingNet<'g>> {
    let liveness_goals = open_goals(assignment.working_net, assignment.board)
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
