//! Liveness by siphons and traps: in an asymmetric-choice net with input weights 1, all transitions
//! are live if every siphon contains an initially marked trap.
//!
//! [`parikh_structure::commoner`] decides the condition, with a certificate. Marked graphs and
//! extended free-choice nets are asymmetric-choice nets. The proof and its sources are in the
//! checker, [`parikh_evidence::home`].
//!
//! # Conditions
//! 1. Arcs into transitions have weight 1. If two places have a common consumer, one of their sets
//!    of consumers includes the other.
//! 2. Every siphon contains a marked trap.

use super::open_goals;
use crate::{Assignment, Engine, ResultKinds, Role, SupportedGoals, stateless_session};
use parikh_evidence::home::HomeArgument;
use parikh_evidence::home::commoner::is_asymmetric_choice;
use parikh_net::printable::counted;
use parikh_solvers::Budget;
use parikh_structure::commoner::{SiphonTrap, SiphonTrapProperty, siphon_trap};
use std::sync::Arc;

/// The registry entry of the engine.
pub const ENGINE: Engine = Engine {
    name: "commoner",
    technique: "SIPHON_TRAP",
    result_kinds: ResultKinds::Proofs,
    role: Role::Homes,
    supported: SupportedGoals::HOMES,
    start: |work| stateless_session(move |budget| run(&work, budget)),
};

/// Runs the engine and returns a one-line summary.
fn run(assignment: &Assignment<'_>, budget: &Budget) -> String {
    let net = assignment.working_net.net();
    // Condition 1 of the module documentation: the net is an asymmetric-choice net.
    if let Some(t) = net.transitions().find(|&t| !is_asymmetric_choice(net, t)) {
        return format!("the inputs of `{}` violate asymmetric choice", net.transition_name(t));
    }
    match siphon_trap(net, SiphonTrapProperty::EverySiphon, budget) {
        // Condition 2 of the module documentation: every siphon contains an initially marked trap.
        Ok(SiphonTrap::Holds(condition)) => {
            let traps = condition.traps.len();
            let refutation = condition.refutation;
            let structure = Arc::new(HomeArgument::Commoner { traps: condition.traps, refutation });
            let goals: Vec<_> =
                open_goals(assignment.working_net, assignment.board).map(|(id, _)| id).collect();
            assignment.board.home_reporter("SIPHON_TRAP").report_all_live(&goals, &structure);
            format!("{traps} marked traps keep all transitions live")
        }
        Ok(SiphonTrap::Fails(siphon)) => {
            format!("a siphon of {} contains no marked trap", counted(siphon.len(), "place"))
        }
        Err(exhausted) => exhausted.to_string(),
    }
}
