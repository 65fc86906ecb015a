//! What comes before the portfolio: token intervals, from arcs, place invariants, and last the model's
//! own claim that its units are safe. Most goals of most models end here, in milliseconds.

use super::short_walks::short_walks;
use crate::board::Board;
use crate::engine::Task;
use crate::engine::intervals::{self, Basis};
use crate::ground::Ground;
use crate::structure;
use parikh_net::{Facts, Goal, GoalId, Net};
use parikh_solvers::Budget;
use std::time::{Duration, Instant};

/// Settles what token intervals decide. The ground of the net that was read, with the goals that are
/// left.
///
/// What can be proved is proved first; only then is the model's claim of safe units believed, if short
/// walks do not break it.
pub(super) fn presolve<'a>(
    net: &'a Net,
    board: &Board<'_>,
    budget: &Budget,
    seed: u64,
) -> Ground<'a> {
    let goals: Vec<(GoalId, Goal)> = board.ids().map(|id| (id, board.goal(id).clone())).collect();
    let mut facts = Facts::none(net);
    let (under, over) = (board.under("INITIAL_STATE"), board.over("TOPOLOGICAL"));
    fn task<'t>(
        (net, board, budget, seed): (&'t Net, &'t Board<'t>, &'t Budget, u64),
        facts: &'t Facts,
        goals: &'t [(GoalId, Goal)],
    ) -> Task<'t> {
        Task { net, goals, facts, board, budget, seed }
    }
    let run = (net, board, budget, seed);
    let mut basis = Basis::default();
    let mut proved = intervals::run(&task(run, &facts, &goals), under, over, basis);
    if board.open_count() > 0 {
        facts = learn_bounds(net, facts, budget);
        basis.uses_flows = true;
        proved = intervals::run(&task(run, &facts, &goals), under, over, basis);
    }
    let claims = board.open_count() > 0 && net.units().is_some_and(|units| units.safe());
    if claims {
        short_walks(net, seed).for_each(|walk| board.check_claim(&walk, u64::MAX));
    }
    if claims && board.breach().is_none() {
        net.places().for_each(|place| facts.bound(place, 1));
        basis.assumes_units = true;
        intervals::run(&task(run, &facts, &goals), under, over, basis);
    }
    let (all, mut open) = (goals.len(), goals);
    open.retain(|(id, _)| board.is_open(*id));
    tracing::info!("intervals: {} of {all} goals are left", open.len());
    Ground::original(net, open, facts, &proved)
}

/// Adds the bounds that place invariants give to what is known, in at most a tenth of the time.
pub(super) fn learn_bounds(net: &Net, mut facts: Facts, budget: &Budget) -> Facts {
    let start = Instant::now();
    let slice = budget.slice(budget.remaining().map_or(Duration::from_secs(60), |left| left / 10));
    match structure::flows::place_flows(net, &slice) {
        Ok(flows) => {
            structure::bounds::place_bounds(net, &flows, &slice).write(&mut facts);
            let bounded = net.places().filter(|&p| facts.upper_bound(p).is_some()).count();
            tracing::info!(
                "structure: {} place invariants bound {bounded} of {} places, {:.2?}",
                flows.len(),
                net.place_count(),
                start.elapsed()
            );
        }
        Err(exhausted) => tracing::info!("structure: no place invariants, {exhausted}"),
    }
    facts
}
