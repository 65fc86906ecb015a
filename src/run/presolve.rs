//! The stage before the portfolio: token intervals, from arcs, from place invariants, and last from
//! the model's claim of safe units. Most goals of most models are settled here within milliseconds.

use super::shares::INVARIANTS;
use super::short_walks::short_walks;
use crate::board::Board;
use crate::engine::Task;
use crate::engine::intervals;
use crate::ground::Ground;
use crate::structure::{self, intervals::Intervals};
use parikh_net::printable::counted;
use parikh_net::{Facts, GoalId, MarkingGoal, Net, Provenance, SortedGoals};
use parikh_solvers::Budget;
use std::time::Instant;

/// Settles the goals that token intervals decide. Returns the net with the remaining goals.
///
/// Proofs come first. The model's claim of safe units is used only afterwards, if short walks do
/// not violate it.
pub(super) fn presolve<'a>(
    net: &'a Net,
    board: &Board<'_>,
    budget: &Budget,
    seed: u64,
) -> Ground<'a> {
    let open = || board.open_goals().into_iter().map(|id| (id, board.goal(id).clone()));
    let mut facts = Facts::none(net);
    let (under, over) = (board.under("INITIAL_STATE"), board.over("TOPOLOGICAL"));
    fn task<'t>(
        (net, board, budget, seed): (&'t Net, &'t Board<'t>, &'t Budget, u64),
        facts: &'t Facts,
        goals: &'t [(GoalId, MarkingGoal)],
    ) -> Task<'t> {
        Task { net, goals, facts, board, budget, seed }
    }
    if !structure::intervals::TAKES.cover(net.features()) {
        tracing::debug!("intervals: not started: the net has unsupported features");
        let known = Intervals::new(net, &facts);
        return Ground::original(net, open().collect(), facts, &known);
    }
    let goals = open().collect::<SortedGoals>().markings;
    let run = (net, board, budget, seed);
    let mut known = intervals::run(&task(run, &facts, &goals), under, over);
    if board.open_count() > 0 {
        facts = learn_bounds(net, facts, budget);
        known.learn(net, &facts);
        intervals::settle(&known, &task(run, &facts, &goals), under, over);
    }
    let claims = board.open_count() > 0 && net.safe_units().is_some();
    if claims {
        short_walks(net, seed).for_each(|walk| board.check_claim(&walk, u64::MAX));
    }
    if claims && board.breach().is_none() {
        facts.claim_units(net);
        known.learn(net, &facts);
        intervals::settle(&known, &task(run, &facts, &goals), under, over);
    }
    tracing::info!(
        "intervals: {} of {} still open",
        board.open_count(),
        counted(board.goals().len(), "goal")
    );
    Ground::original(net, open().collect(), facts, &known)
}

/// Adds the bounds that follow from place invariants, within a small share of the time.
pub(super) fn learn_bounds(net: &Net, mut facts: Facts, budget: &Budget) -> Facts {
    let start = Instant::now();
    let slice = budget.share(INVARIANTS);
    match structure::flows::place_flows(net, &slice) {
        Ok(flows) => {
            structure::bounds::place_bounds(net, &flows, &slice).write(&mut facts);
            let proved = |p: &_| facts.upper_bound_within(*p, Provenance::PROVED).is_some();
            let bounded = net.places().filter(proved).count();
            tracing::info!(
                "structure: {}, bounds for {bounded} of {}, {:.2?}",
                counted(flows.len(), "place invariant"),
                counted(net.place_count(), "place"),
                start.elapsed()
            );
        }
        Err(exhausted) => tracing::info!("structure: no place invariants, {exhausted}"),
    }
    facts
}
