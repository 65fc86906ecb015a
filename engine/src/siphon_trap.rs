//! Excludes deadlocks by siphons and traps.
//!
//! In a dead marking every transition lacks a token on some input place. So the places without
//! enough tokens form a siphon that meets every preset. Suppose that each such siphon contains an
//! initially marked trap. A trap stays marked, so no such siphon becomes empty, and no marking is
//! dead. [`parikh_structure::commoner`] decides this condition as a SAT query. This engine builds a
//! certificate from the traps, has it checked, and settles the goal.
//!
//! # Conditions
//! 1. The goal is exactly "a dead marking is reachable".
//! 2. The traps yield a certificate: a lemma for each trap, and a propositional refutation of a
//!    dead marking, which is computed anew. The solver that found the traps is not trusted.
//!
//! # Sources
//! F. Commoner, *Deadlocks in Petri nets*, 1972; M. Hack, *Analysis of production schemata by Petri
//! nets*, 1972.

use super::{Engine, ResultKinds, Role, SupportedGoals, stateless_session};
use super::{Task, state_equation};
use crate::board::{Argument, Proof, ProofReporter};
use parikh_evidence::Document;
use parikh_evidence::certificate::Lemma;
use parikh_net::printable::counted;
use parikh_net::{Atom, LinearSum, MarkingGoal, Net, PlaceId, Predicate};
use parikh_solvers::Budget;
use parikh_structure::commoner::{SiphonTrap, SiphonTrapProperty, siphon_trap};
use std::sync::Arc;

/// The registry entry of the engine.
pub const ENGINE: Engine = Engine {
    name: "siphon-trap",
    technique: "SIPHON_TRAP",
    result_kinds: ResultKinds::Proofs,
    role: Role::Once { share: 0.15 },
    supported: SupportedGoals::PREDICATES,
    start: |work| {
        stateless_session(move |budget| {
            let proof_reporter = work.board.proof_reporter("SIPHON_TRAP").on(work.working_net);
            run(&Task::on(work.working_net, work.board, budget, work.seed), proof_reporter)
        })
    },
};

/// Settles the deadlock goals of `task` if possible. Returns a summary for the log.
pub fn run(task: &Task<'_>, proof_reporter: ProofReporter<'_>) -> String {
    let is_deadlock = |goal: &MarkingGoal| *goal == MarkingGoal::Reach(Predicate::Dead);
    let open_deadlock_goals =
        || task.goals.iter().filter(|(id, goal)| is_deadlock(goal) && task.board.is_open(*id));
    if open_deadlock_goals().next().is_none() {
        return "nothing to do".to_owned();
    }
    match siphon_trap(task.net, SiphonTrapProperty::DeadMarkings, task.budget) {
        Ok(SiphonTrap::Holds(property)) => {
            let traps = property.traps.len();
            let Some(document) = deadlock_certificate(task.net, &property.traps, task.budget)
            else {
                return "the property holds, but no certificate was found".to_owned();
            };
            let document = Arc::new(document);
            let proof_reporter = proof_reporter.with_certificate(&document);
            for (id, _) in open_deadlock_goals() {
                let proof = Proof::new(Argument::Traps { traps }, Some(document.clone()));
                proof_reporter.report_unreachable(*id, proof);
            }
            format!("{traps} marked traps exclude deadlocks")
        }
        Ok(SiphonTrap::Fails(siphon)) => {
            format!("a siphon of {} may become empty", counted(siphon.len(), "place"))
        }
        Err(exhausted) => exhausted.to_string(),
    }
}

/// Returns a certificate that no reachable marking is dead, from initially marked traps. It has a
/// lemma for each trap: the trap's places are never all empty. In a dead marking, all places of
/// some trap would be empty. Returns `None` if this is false or not shown in time.
pub fn deadlock_certificate(
    net: &Net,
    traps: &[Vec<PlaceId>],
    budget: &Budget,
) -> Option<Document> {
    let mut places: Vec<PlaceId> = traps.iter().flatten().copied().collect();
    places.sort_unstable();
    places.dedup();
    let lemma = |(index, trap): (usize, &Vec<PlaceId>)| Lemma {
        atoms: trap.iter().filter_map(|p| Some((places.binary_search(p).ok()?, 1))).collect(),
        traps: vec![(index, 1)],
        ..Lemma::default()
    };
    let lemmas: Vec<Lemma> = traps.iter().enumerate().map(lemma).collect();
    let lemmas: Vec<&Lemma> = lemmas.iter().collect();
    let atom = |index: usize| Atom { sum: LinearSum::place(places[index]), bound: 0 };
    let dead = &Predicate::Dead;
    let certificate = state_equation::certificate(net, dead, &lemmas, &atom, traps, budget)?;
    Some(Document::Linear(certificate))
}
