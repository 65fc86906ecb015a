//! The lasso engine: searches for runs with the open properties, one property after the other, in
//! three rounds with growing time.

use super::{RunGraph, UndecidedReason};
use crate::{Assignment, Engine, ResultKinds, Role, Session, SupportedGoals, stateless_session};
use parikh_net::printable::counted;
use parikh_net::{GoalId, RunProperty};
use parikh_solvers::Budget;
use std::collections::HashSet;

/// The engine for runs with a property. See the [module documentation](super).
pub const ENGINE: Engine = Engine {
    name: "lasso",
    technique: "EXPLICIT",
    result_kinds: ResultKinds::Both,
    role: Role::Runs,
    supported: SupportedGoals::RUNS,
    start,
};

/// Share of the remaining time for each of the three rounds, in [0, 1]. A round searches for runs
/// with the open properties, one property after the other.
const ROUND_SHARES: [f64; 3] = [0.1, 0.3, 1.0];

fn start(assignment: Assignment<'_>) -> Result<Box<dyn Session + '_>, String> {
    stateless_session(move |budget| run(&assignment, budget))
}

/// Runs the engine and returns a one-line summary.
fn run(assignment: &Assignment<'_>, budget: &Budget) -> String {
    let (mut found_count, mut expanded) = (0, 0);
    let (mut without_run, mut untranslated): (HashSet<GoalId>, HashSet<GoalId>) =
        Default::default();
    let mut given_up: HashSet<GoalId> = HashSet::new();
    for (round, share) in (1..).zip(ROUND_SHARES) {
        let open_properties: Vec<&(GoalId, RunProperty)> = assignment
            .working_net
            .run_goals()
            .iter()
            .filter(|(id, _)| assignment.board.is_open(*id))
            .collect();
        let round_budget = budget.share(share);
        for (index, (id, property)) in open_properties.iter().enumerate() {
            let is_done = || {
                [&without_run, &untranslated, &given_up].iter().any(|it| it.contains(id))
                    || !assignment.board.is_open(*id)
            };
            if budget.is_exhausted() || is_done() {
                continue;
            }
            let slice = round_budget.share(1.0 / (open_properties.len() - index) as f64);
            let (net, facts) = (assignment.working_net.net(), assignment.working_net.facts());
            let single_property = std::slice::from_ref(property);
            let seed = assignment.seed.wrapping_add(round - 1);
            let Ok(mut run_graph) = RunGraph::new(net, facts, single_property, seed, &slice) else {
                continue;
            };
            let run_reporter =
                assignment.board.run_reporter(ENGINE.technique).on(assignment.working_net);
            match run_graph.find(property) {
                Ok(Some(run)) => {
                    run_reporter.report_run(*id, run);
                    let is_accepted = !assignment.board.is_open(*id);
                    found_count += u64::from(is_accepted);
                    if !is_accepted && assignment.working_net.parent().is_some() {
                        // The board did not accept the run: it does not translate to a run of the
                        // original net with the property. The next search on the reduced net would
                        // find the same run.
                        untranslated.insert(*id);
                    }
                }
                Ok(None) => {
                    without_run.insert(*id);
                    run_reporter.report_searched(*id, run_graph.expanded().into());
                }
                Err(reason @ (UndecidedReason::Automaton(_) | UndecidedReason::Fairness(_))) => {
                    assignment.board.record_given_up(*id, ENGINE.name, &reason.to_string());
                    given_up.insert(*id);
                }
                Err(UndecidedReason::Incomplete(_)) => {}
            }
            expanded += u64::from(run_graph.expanded());
        }
    }
    let excluded = without_run.len();
    let (expanded, found_count) = (counted(expanded, "marking"), counted(found_count, "run"));
    format!(
        "{expanded} expanded, {found_count} found, {} without runs",
        counted(excluded, "property")
    )
}
