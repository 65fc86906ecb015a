//! What stays reachable wherever the net goes: engines for goals that ask so, one technique a file.
//!
//! | file | says | by |
//! |---|---|---|
//! | [`finitely`] | lost | weights that bound how often a transition fires, by a linear program |
//! | [`commoner`] | kept | siphons and traps of nets with asymmetric choice |
//! | [`closed`] | kept | the same of the net closed to a cycle: processes that can always be completed |
//! | [`undone`] | kept | firings that can be undone wherever they happen |
//! | [`downhill`] | kept | firings that lower a weighted sum and end at the initial marking |
//! | [`regions`] | lost | a walk somewhere, and a proof from there |
//! | [`described`] | both | the terminal components of the set of all markings, as decision diagrams |
//! | [`graph`] | both | the terminal components of the whole reachability graph |
//!
//! They work on the net that was read, whose dead ends and dead transitions other engines look for
//! at the same time. Sources are with each.

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

use crate::board::Board;
use crate::engine::Assignment;
use crate::engine::reduced;
use crate::evidence::home::liveness::one_of;
use crate::ground::Ground;
use parikh_net::{GoalId, Predicate};
use parikh_solvers::Budget;

/// The open goals of `ground` that ask what stays reachable, each with what it asks for.
fn open<'g>(
    ground: &'g Ground<'g>,
    board: &'g Board<'g>,
) -> impl Iterator<Item = (GoalId, &'g Predicate)> + Clone {
    let homes = ground.homes().iter().filter(|(id, _)| board.is_open(*id));
    homes.map(|(id, wanted)| (*id, wanted))
}

/// The net that was read, reduced for the liveness of what is asked for, where that is smaller.
fn reduced_for<'g>(work: &Assignment<'g>, budgets: (&Budget, &Budget)) -> Option<Ground<'g>> {
    let live =
        open(work.ground, work.board).filter(|(_, wanted)| matches!(wanted, Predicate::Enabled(_)));
    let live: Vec<GoalId> = live.map(|(id, _)| id).collect();
    reduced::reduce(work.ground, &live, work.board, budgets, |_, facts| facts)
}
