//! Numbers of markings and firings from place invariants, for nets with very many tokens.
//!
//! [`prove`] searches for the data of a [`FamilyProof`]; [`parikh_evidence::counting::family`] has
//! the theory and the checker. The search has three parts:
//!
//! - `equations` chooses independent place invariants with positive weights. If they do not
//!   describe the reachable markings, `counters` adds places that count firings.
//! - `weights` finds weights that decrease on the way from every solution back to the initial
//!   marking. `steps` lists candidates for the steps of this way.
//! - `growth` guesses how the initial marking depends on one number n.
//!
//! No marking is visited, so the numbers of tokens hardly matter.

mod counters;
mod demands;
mod equations;
mod failure;
pub mod growth;
mod solutions;
mod steps;
mod weights;

pub use failure::FamilyFailure;

use parikh_evidence::counting::family::{
    CountedNet, FamilyError, FamilyFigures, FamilyProof, FiringCounter,
};
use parikh_net::{Features, Net};
use parikh_solvers::Budget;
use parikh_solvers::guest::Program;

/// The technique's name in answers.
pub const TECHNIQUE: &str = "PLACE_INVARIANTS";

/// The largest number of places or transitions. Larger nets rarely have so simple markings.
const MAX_NODES: usize = 1_000;

/// Searches for a proof of the numbers of markings and firings, and checks it. `smt_solver` is the
/// SMT solver to use; `None` stands for the built-in one. `budget` limits the search for the proof
/// that all solutions are reachable. `count_budget` limits the check with the count of solutions.
///
/// # Errors
/// The reason why no proof was found.
pub fn prove(
    net: &Net,
    smt_solver: Option<&Program>,
    (budget, count_budget): (&Budget, &Budget),
) -> Result<(FamilyProof, FamilyFigures), FamilyFailure> {
    if net.place_count().max(net.transition_count()) > MAX_NODES {
        return Err(FamilyFailure::TooLarge);
    }
    if !Features::WEIGHTS.cover(net.features()) {
        return Err(FamilyError::Features.into());
    }
    let plain = reachability(net, Vec::new(), smt_solver, &budget.share(0.5));
    let mut proof = match plain {
        Err(failure) if failure.may_need_counters() => {
            let counters = counters::determined(net, &budget.share(0.2));
            if counters.is_empty() {
                return Err(failure);
            }
            reachability(net, counters, smt_solver, &budget.share(0.5))?
        }
        plain => plain?,
    };
    tracing::info!("every solution of {} place invariants is reachable", proof.equations.len());
    let mut failure = FamilyError::TooManySums;
    // The last attempt counts the solutions directly.
    let candidates = growth::candidates(net.initial()).into_iter().map(Some);
    for candidate in candidates.chain([None]) {
        proof.growth = candidate;
        let slice = count_budget.share(0.5);
        match proof.check(net, &mut || !slice.is_exhausted()) {
            Ok(figures) => return Ok((proof, figures)),
            Err(error) => {
                tracing::debug!("{:?}: {error}", proof.growth);
                failure = error;
            }
        }
    }
    Err(failure.into())
}

/// Searches for a proof that the solutions of the place invariants are the reachable markings of
/// the net with these counters. Returns a proof without growth.
fn reachability(
    net: &Net,
    counters: Vec<FiringCounter>,
    smt_solver: Option<&Program>,
    budget: &Budget,
) -> Result<FamilyProof, FamilyFailure> {
    let counted = CountedNet::new(net, &counters)?;
    let mut equations = equations::independent(counted.net(), budget)?;
    // The weights of the counters follow from the others.
    let places = counted.original_places().len();
    equations.iter_mut().for_each(|terms| terms.retain(|it| it.0.index() < places));
    let mut proof = FamilyProof {
        counters,
        equations,
        weights: Vec::new(),
        sequences: Vec::new(),
        combinations: Vec::new(),
        growth: None,
    };
    weights::search(&counted, &mut proof, smt_solver, budget)?;
    Ok(proof)
}
