//! Proves that a process can always be completed, by the structure of the net closed to a cycle.
//! The closed net has an additional transition that consumes the final tokens f and produces the
//! initial marking. If the closed net is live, a marking that covers f always remains reachable in
//! the original net. The proof is in the checker, [`parikh_evidence::home`]. Free-choice workflow
//! nets of any size are settled in this way.
//!
//! ```text
//! i ──▶ … ──▶ o          asked: does m(o) ≥ 1 stay reachable?
//! ▲           │
//! └── again ◀─┘          live, by siphons and traps
//! ```
//!
//! # Conditions
//! 1. The goal is that m ≥ f always remains reachable.
//! 2. The closed net is live, under the conditions of [`super::commoner`].
//!
//! # Sources
//! W. van der Aalst, *Verification of workflow nets*, 1997 (soundness is liveness and boundedness
//! of the closed net); M. Hack, *Analysis of production schemata by Petri nets*, 1972.

use super::open_goals;
use crate::{Assignment, Engine, ResultKinds, Role, SupportedGoals, stateless_session};
use parikh_evidence::home::HomeArgument;
use parikh_evidence::home::commoner::{covered_marking, is_asymmetric_choice};
use parikh_net::counted::with_restart;
use parikh_net::printable::counted;
use parikh_solvers::Budget;
use parikh_structure::commoner::{SiphonTrap, SiphonTrapProperty, siphon_trap};
use std::sync::Arc;

/// The registry entry of the engine.
pub const ENGINE: Engine = Engine {
    name: "closed net",
    technique: "SIPHON_TRAP",
    result_kinds: ResultKinds::Proofs,
    role: Role::Homes,
    supported: SupportedGoals::HOMES,
    start: |work| stateless_session(move |budget| run(&work, budget)),
};

/// Limit on the number of goals that are tried. Each has its own closed net.
const MAX_GOALS: usize = 4;

/// Runs the engine and returns a one-line summary.
fn run(assignment: &Assignment<'_>, budget: &Budget) -> String {
    let net = assignment.working_net.net();
    // Condition 1 of the module documentation: the goal is to cover a marking.
    let covering = open_goals(assignment.working_net, assignment.board)
        .filter_map(|(id, predicate)| covered_marking(net, predicate).map(|covered| (id, covered)));
    let mut summary = "nothing to do".to_owned();
    for (goal, covered) in covering.take(MAX_GOALS) {
        let Ok(closed) = with_restart(net, &covered) else { continue };
        if let Some(t) = closed.transitions().find(|&t| !is_asymmetric_choice(&closed, t)) {
            let t = closed.transition_name(t);
            summary = format!("the inputs of `{t}` violate asymmetric choice");
            continue;
        }
        // Condition 2 of the module documentation: the closed net is live.
        summary = match siphon_trap(&closed, SiphonTrapProperty::EverySiphon, budget) {
            Ok(SiphonTrap::Holds(condition)) => {
                let (traps, refutation) = (condition.traps, condition.refutation);
                let count = traps.len();
                let structure = Arc::new(HomeArgument::Closed { traps, refutation });
                assignment
                    .board
                    .home_reporter(ENGINE.technique)
                    .report_kept_closed(goal, &structure);
                format!("{count} marked traps keep the closed net live")
            }
            Ok(SiphonTrap::Fails(siphon)) => {
                format!("a siphon of {} contains no marked trap", counted(siphon.len(), "place"))
            }
            Err(exhausted) => exhausted.to_string(),
        };
    }
    summary
}
