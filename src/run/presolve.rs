//! The stage before the portfolio: token intervals, from arcs, from place invariants, and last from
//! the model's claim of safe units. Most goals of most models are settled here within milliseconds.

use super::shares::INVARIANTS;
use super::short_walks::short_walks;
use parikh_engine::Task;
use parikh_engine::board::Board;
use parikh_engine::intervals;
use parikh_engine::working_net::WorkingNet;
use parikh_net::printable::counted;
use parikh_net::{Facts, GoalId, MarkingGoal, Net, Provenance, SortedGoals};
use parikh_solvers::Budget;
use parikh_structure::intervals::Intervals;
use std::time::Instant;

/// Settles the goals that token intervals decide: for each place, a lower and an upper bound of its
/// tokens in all reachable markings. Returns the net with the remaining goals. Settles nothing if
/// token intervals do not support the features of the net.
///
/// Proofs come first. The model's claim of safe units is used only afterwards, if short walks do
/// not violate it.
pub(super) fn presolve<'a>(
    net: &'a Net,
    board: &Board<'_>,
    budget: &Budget,
    seed: u64,
) -> WorkingNet<'a> {
    let remaining_goals = || board.open_goals().into_iter().map(|id| (id, board.goal(id).clone()));
    let mut facts = Facts::empty(net);
    let (reach_reporter, bound_reporter) =
        (board.witness_reporter("INITIAL_STATE"), board.proof_reporter("TOPOLOGICAL"));
    fn task<'t>(
        (net, board, budget, seed): (&'t Net, &'t Board<'t>, &'t Budget, u64),
        facts: &'t Facts,
        goals: &'t [(GoalId, MarkingGoal)],
    ) -> Task<'t> {
        Task { net, goals, facts, board, budget, seed }
    }
    if !parikh_structure::intervals::SUPPORTED_FEATURES.cover(net.features()) {
        tracing::debug!("intervals: not started: the net has unsupported features");
        let token_intervals = Intervals::new(net, &facts);
        return WorkingNet::original(net, remaining_goals().collect(), facts, &token_intervals);
    }
    let goals = remaining_goals().collect::<SortedGoals>().markings;
    let context = (net, board, budget, seed);
    let mut token_intervals =
        intervals::run(&task(context, &facts, &goals), reach_reporter, bound_reporter);
    if board.open_count() > 0 {
        facts = learn_bounds(net, facts, budget);
        token_intervals.learn(net, &facts);
        intervals::settle(
            &token_intervals,
            &task(context, &facts, &goals),
            reach_reporter,
            bound_reporter,
        );
    }
    let uses_claim = board.open_count() > 0 && net.safe_units().is_some();
    if uses_claim {
        short_walks(net, seed).for_each(|walk| board.check_units_claim(&walk, u64::MAX));
    }
    if uses_claim && board.breach().is_none() {
        facts.claim_units(net);
        token_intervals.learn(net, &facts);
        intervals::settle(
            &token_intervals,
            &task(context, &facts, &goals),
            reach_reporter,
            bound_reporter,
        );
    }
    tracing::info!(
        "intervals: {} of {} still open",
        board.open_count(),
        counted(board.goals().len(), "goal")
    );
    WorkingNet::original(net, remaining_goals().collect(), facts, &token_intervals)
}

/// Adds the place bounds that follow from place invariants to `facts`, within a small share of the
/// time. Returns `facts` unchanged if the time does not suffice for the invariants.
pub(super) fn learn_bounds(net: &Net, mut facts: Facts, budget: &Budget) -> Facts {
    let start = Instant::now();
    let slice = budget.share(INVARIANTS);
    match parikh_structure::flows::place_flows(net, &slice) {
        Ok(flows) => {
            parikh_structure::bounds::place_bounds(net, &flows, &slice).write(&mut facts);
            let is_bounded = |p: &_| facts.upper_bound_within(*p, Provenance::PROVED).is_some();
            let bounded_count = net.places().filter(is_bounded).count();
            tracing::info!(
                "structure: {}, bounds for {bounded_count} of {}, {:.2?}",
                counted(flows.len(), "place invariant"),
                counted(net.place_count(), "place"),
                start.elapsed()
            );
        }
        Err(exhausted) => tracing::info!("structure: no place invariants, {exhausted}"),
    }
    facts
}
