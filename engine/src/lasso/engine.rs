//! The engine: treats the open properties in turn, short ones first.

use super::{Lassos, UndecidedReason};
use crate::{Assignment, Engine, Role, Session, Sides, Takes, each_slice_anew};
use parikh_net::printable::counted;
use parikh_net::{GoalId, RunProperty};
use parikh_solvers::Budget;
use std::collections::HashSet;

/// The engine for runs with a property. See the [module documentation](super).
pub const ENGINE: Engine = Engine {
    name: "lasso",
    technique: "EXPLICIT",
    sides: Sides::Both,
    role: Role::Runs,
    takes: Takes::RUNS,
    start,
};

/// Share of the remaining time for each round over all open properties, in [0, 1].
const LOOKS: [f64; 3] = [0.1, 0.3, 1.0];

fn start(assignment: Assignment<'_>) -> Result<Box<dyn Session + '_>, String> {
    each_slice_anew(move |budget| run(&assignment, budget))
}

/// Runs the engine and returns a one-line summary.
fn run(work: &Assignment<'_>, budget: &Budget) -> String {
    let (mut found, mut expanded) = (0, 0);
    let (mut without, mut missed): (HashSet<GoalId>, HashSet<GoalId>) = Default::default();
    for (round, share) in (1..).zip(LOOKS) {
        let open: Vec<&(GoalId, RunProperty)> =
            work.working_net.runs().iter().filter(|(id, _)| work.board.is_open(*id)).collect();
        let end = budget.share(share);
        for (at, (id, property)) in open.iter().enumerate() {
            let is_done =
                || [&without, &missed].iter().any(|it| it.contains(id)) || !work.board.is_open(*id);
            if budget.is_exhausted() || is_done() {
                continue;
            }
            let slice = end.share(1.0 / (open.len() - at) as f64);
            let (net, facts) = (work.working_net.net(), work.working_net.facts());
            let asked = std::slice::from_ref(property);
            let seed = work.seed.wrapping_add(round - 1);
            let Ok(mut lassos) = Lassos::new(net, facts, asked, seed, &slice) else { continue };
            let runs = work.board.runs(ENGINE.technique).on(work.working_net);
            match lassos.find(property) {
                Ok(Some(run)) => {
                    found += 1;
                    runs.exists(*id, run);
                    if work.board.is_open(*id) && work.working_net.parent().is_some() {
                        // On a reduced net the search would find the same run again.
                        missed.insert(*id);
                    }
                }
                Ok(None) => {
                    without.insert(*id);
                    runs.searched(*id, lassos.expanded().into());
                }
                Err(why @ (UndecidedReason::Automaton(_) | UndecidedReason::Fairness(_))) => {
                    work.board.gave_up(*id, ENGINE.name, &why.to_string());
                }
                Err(UndecidedReason::Incomplete(_)) => {}
            }
            expanded += u64::from(lassos.expanded());
        }
    }
    let excluded = without.len();
    let (expanded, found) = (counted(expanded, "marking"), counted(found, "run"));
    format!("{expanded} expanded, {found} found, {} without runs", counted(excluded, "property"))
}
