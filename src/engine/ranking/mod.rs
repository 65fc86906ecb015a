//! That no run has a property, by rankings: linear programs say that no fair cycle exists.
//!
//! A run with the property goes along an accepting run of its automaton, and what it meets again and
//! again, pairs of a transition and an edge, is a component with all marks
//! ([`NoRun`](crate::evidence::no_run)). Counted along such a cycle, the firings x ≥ 0 of pairs leave
//! no place with fewer tokens, and every state is left as often as it is entered. Where no such x has
//! a pair, weights y ≥ 0 of places and values z of states exist by duality along which the pair
//! falls and no other grows. One program for a component finds the weights for all such pairs at
//! once: maximise Σ s subject to C·(s + r) ≥ 0, flow kept in each state by s + r, 0 ≤ s ≤ 1, 0 ≤ r.
//! The dual values of its rows are the weights. They are made whole numbers, and checked as such.
//! What falls is taken away, and the components that are left have their turn.
//!
//! # Conditions
//! Those of the checker, which has the last word.
//!
//! # Sources
//! See the checker; J. Farkas, *Theorie der einfachen Ungleichungen*, 1902.

mod program;

use crate::board::{Board, Knowledge, Reach};
use crate::engine::{Assignment, Engine, Role, Session, Sides, Takes, each_slice_anew};
use crate::evidence::no_run::pairs::Pairs;
use crate::evidence::no_run::premises::Premises;
use crate::evidence::no_run::{Movers, NoRun, NoRunFlaw, Reason, Refuted};
use parikh_net::run_property::RunProperty;
use parikh_net::{Goal, GoalId, Net, Predicate};
use parikh_solvers::Budget;
use parikh_temporal::{Limits, Tableau, TooLarge};
use std::collections::HashMap;

/// See the module.
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
                work.board.runs(ENGINE.technique).excluded(*id, argument, given);
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

/// Steps that are gone through one by one, from few to many.
const OPENINGS: [usize; 3] = [0, 1, 2];

/// Why there is no argument.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The property has no automaton of a size that is worth it.
    #[error(transparent)]
    Automaton(#[from] TooLarge),
    /// The checker does not accept what is there.
    #[error(transparent)]
    Refused(#[from] NoRunFlaw),
}

/// An argument that no run of `net` has the property, which the checker has accepted. No reachable
/// marking satisfies any of `never`; those that it uses are its premises.
///
/// # Errors
/// When there is none of this kind, or the budget ends.
pub fn argue(
    net: &Net,
    property: &RunProperty,
    never: &[Predicate],
    budget: &Budget,
) -> Result<NoRun, Failure> {
    let formulas = property.formulas();
    let tableau = Tableau::new(formulas, property.formula(), Limits::default())?;
    let goes_on = &mut || !budget.is_exhausted();
    let mut pairs =
        Pairs::new(net, property, &tableau.automaton, goes_on).map_err(NoRunFlaw::from)?;
    let (given, refuted) = excluded(property, &tableau, never);
    refuted.iter().for_each(|it| pairs.take_edge(it.edge.0, it.edge.1));
    let mut rankings = Vec::new();
    // Whatever the run begins with, it ends in some component.
    let everywhere = vec![true; tableau.automaton.states.len()];
    let mut given_up = Vec::new();
    while let Some(state) = pairs.accepting_state(&everywhere, &given_up)
        && !budget.is_exhausted()
    {
        let ranking = program::ranking(net, &pairs, state, budget);
        match ranking.filter(|it| pairs.rank(net, it, goes_on).is_ok_and(|taken| taken > 0)) {
            Some(ranking) => rankings.push(ranking),
            None => given_up.push(state),
        }
    }
    let mut argument =
        NoRun { tableau, opening: 0, documents: Vec::new(), given, refuted, rankings };
    let mut last = None;
    for opening in OPENINGS {
        argument.opening = opening;
        match argument.check(net, property, goes_on) {
            Ok(()) => return Ok(argument),
            Err(flaw) => last = Some(flaw),
        }
    }
    Err(last.unwrap_or(NoRunFlaw::Opening).into())
}

/// The edges that one of `never` excludes, and those of `never` that do.
fn excluded(
    property: &RunProperty,
    tableau: &Tableau,
    never: &[Predicate],
) -> (Vec<Predicate>, Vec<Refuted>) {
    let premises = Premises::new(property, never);
    let (mut given, mut numbers, mut refuted) = (Vec::new(), HashMap::new(), Vec::new());
    for (state, edges) in tableau.automaton.states.iter().enumerate() {
        for (at, edge) in edges.iter().enumerate() {
            let Some(premise) = premises.excluding(&edge.cube) else { continue };
            let number = *numbers.entry(premise).or_insert_with(|| {
                given.push(never[premise].clone());
                given.len() - 1
            });
            let (edge, by) = ((state, at), Reason::Given(number));
            refuted.push(Refuted { edge, movers: Movers::All, by });
        }
    }
    (given, refuted)
}

#[cfg(test)]
mod tests;
