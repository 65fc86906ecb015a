//! Deadlocks excluded by siphons and traps.
//!
//! In a dead marking every transition lacks a token on some input place, so the places that lack
//! form a siphon that meets every preset. If each such set contains a trap that is marked
//! initially, it is never empty, and no marking is dead. [`structure::commoner`] asks exactly that
//! as a SAT question; here its answer settles the goal, after its certificate was checked.
//!
//! # Conditions
//! 1. The goal is a dead marking, nothing else.
//! 2. The certificate passes [`structure::commoner::Certificate::check`], which trusts no solver.
//!
//! # Sources
//! F. Commoner, *Deadlocks in Petri nets*, 1972; M. Hack, *Analysis of production schemata by Petri
//! nets*, 1972.

use super::Task;
use super::registry::{Engine, Role, Sides, each_slice_anew};
use crate::board::Over;
use crate::evidence::Proof;
use crate::structure::commoner::{Question, SiphonTrap, siphon_trap};
use parikh_net::{Goal, Predicate};

/// In the registry.
pub const ENGINE: Engine = Engine {
    name: "siphon-trap",
    technique: "SIPHON_TRAP",
    sides: Sides::Over,
    role: Role::Once { share: 0.15 },
    start: |work| {
        each_slice_anew(move |budget| {
            let over = work.ground.over(work.board, "SIPHON_TRAP");
            run(&work.ground.task(work.board, budget, work.seed), over)
        })
    },
};

/// Settles the deadlock goals of `task` if it can; what came of it, for the log.
pub fn run(task: &Task<'_>, over: Over<'_>) -> String {
    let is_deadlock = |goal: &Goal| *goal == Goal::Reach(Predicate::Dead);
    let wanted =
        || task.goals.iter().filter(|(id, goal)| is_deadlock(goal) && task.board.is_open(*id));
    if wanted().next().is_none() {
        return "nothing to do".to_owned();
    }
    match siphon_trap(task.net, Question::DeadMarkings, task.budget) {
        Ok(SiphonTrap::Holds(certificate)) => match certificate.check(task.net, task.budget) {
            Ok(()) if certificate.excludes_deadlocks(task.net) => {
                let traps = certificate.traps.len();
                for (id, _) in wanted() {
                    over.unreachable(*id, Proof::SiphonTrap { traps });
                }
                format!("{traps} marked traps exclude deadlocks")
            }
            Ok(()) => "holds, but says nothing of deadlocks here".to_owned(),
            Err(error) => format!("the certificate was not accepted: {error}"),
        },
        Ok(SiphonTrap::Fails(siphon)) => {
            format!("a siphon of {} places may run empty", siphon.len())
        }
        Err(exhausted) => exhausted.to_string(),
    }
}
