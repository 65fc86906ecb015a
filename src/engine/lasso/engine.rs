//! The engine: each open property has its turns, short ones first.

use super::{Lassos, Unknown};
use crate::engine::{Assignment, Engine, Role, Session, Sides, Takes, each_slice_anew};
use parikh_net::{GoalId, RunProperty};
use parikh_solvers::Budget;

/// See the [module](super).
pub const ENGINE: Engine = Engine {
    name: "lasso",
    technique: "EXPLICIT",
    sides: Sides::Both,
    role: Role::Runs,
    takes: Takes::RUNS,
    start,
};

/// The share of the time left, in [0, 1], of each round of looks at all open properties.
const LOOKS: [f64; 3] = [0.1, 0.3, 1.0];

fn start(assignment: Assignment<'_>) -> Result<Box<dyn Session + '_>, String> {
    each_slice_anew(move |budget| run(&assignment, budget))
}

/// What was done, in a line.
fn run(work: &Assignment<'_>, budget: &Budget) -> String {
    let (mut found, mut excluded, mut expanded) = (0, 0, 0);
    for (round, share) in (1..).zip(LOOKS) {
        let open: Vec<&(GoalId, RunProperty)> =
            work.ground.runs().iter().filter(|(id, _)| work.board.is_open(*id)).collect();
        let end = budget.share(share);
        for (at, (id, property)) in open.iter().enumerate() {
            if budget.is_exhausted() || !work.board.is_open(*id) {
                continue;
            }
            let slice = end.share(1.0 / (open.len() - at) as f64);
            let (net, facts) = (work.ground.net(), work.ground.facts());
            let asked = std::slice::from_ref(property);
            let seed = work.seed.wrapping_add(round - 1);
            let Ok(mut lassos) = Lassos::new(net, facts, asked, seed, &slice) else { continue };
            let runs = work.board.runs(ENGINE.technique);
            match lassos.find(property) {
                Ok(Some(run)) => {
                    found += 1;
                    runs.exists(*id, run);
                }
                Ok(None) => {
                    excluded += 1;
                    runs.searched(*id, lassos.expanded().into());
                }
                Err(why @ (Unknown::Automaton(_) | Unknown::Fairness(_))) => {
                    work.board.gave_up(*id, ENGINE.name, &why.to_string());
                }
                Err(Unknown::Incomplete(_)) => {}
            }
            expanded += u64::from(lassos.expanded());
        }
    }
    format!("{expanded} markings expanded, {found} runs found, {excluded} properties without")
}
