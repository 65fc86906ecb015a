//! The engine: an argument for each open property, from what is known by then.

use super::argue::argue;
use crate::board::{Board, Knowledge, Reach};
use crate::engine::{Assignment, Engine, Role, Session, Sides, Takes, each_slice_anew};
use parikh_net::{Goal, GoalId, Predicate};
use parikh_solvers::Budget;

/// See the [module](super).
pub const ENGINE: Engine = Engine {
    name: "ranking",
    technique: "STATE_EQUATION",
    sides: Sides::Over,
    role: Role::RunProofs,
    takes: Takes::RUNS,
    start,
};

fn start(assignment: Assignment<'_>) -> Result<Box<dyn Session + '_>, String> {
    each_slice_anew(move |budget| run(&assignment, budget))
}

/// What was done, in a line.
fn run(work: &Assignment<'_>, budget: &Budget) -> String {
    let open = work.ground.runs().iter().filter(|(id, _)| work.board.is_open(*id));
    let (never, goals) = unreachable(work.board);
    let (mut tried, mut argued) = (0, 0);
    for (id, property) in open {
        if budget.is_exhausted() {
            break;
        }
        tried += 1;
        match argue(work.ground.net(), property, &never, budget) {
            Ok(argument) => {
                argued += 1;
                let goal_of = |premise: &Predicate| {
                    never.iter().position(|it| it == premise).map(|at| goals[at])
                };
                let given = argument.given.iter().filter_map(goal_of).collect();
                work.board.runs(ENGINE.technique).on(work.ground).excluded(*id, argument, given);
            }
            Err(why) => tracing::debug!("ranking: {id:?}: {why}"),
        }
    }
    let facts = never.len();
    format!("{argued} of {tried} properties are without runs, given {facts} facts")
}

/// What is known to be unreachable, and the goals that say so.
fn unreachable(board: &Board<'_>) -> (Vec<Predicate>, Vec<GoalId>) {
    let known = board.ids().filter_map(|id| match (board.goal(id), board.knowledge(id)?) {
        (Goal::Reach(predicate), Knowledge::Reach(Reach::Unreachable { .. })) => {
            Some((predicate.clone(), id))
        }
        _ => None,
    });
    known.unzip()
}
