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

/// Share of the run's remaining time for the proof that all solutions are reachable.
const SEARCH_SHARE: f64 = 0.1;

/// Share of the run's remaining time for the check with the count of solutions, after such a proof
/// was found.
const COUNT_SHARE: f64 = 0.4;

/// Searches for a proof of the numbers of markings and firings, and checks it. `smt_solver` is the
/// SMT solver to use; `None` stands for the built-in one. `budget` is the budget of the whole run,
/// of which the search takes a share.
///
/// # Errors
/// The reason why no proof was found.
pub fn prove(
    net: &Net,
    smt_solver: Option<&Program>,
    budget: &Budget,
) -> Result<(FamilyProof, FamilyFigures), FamilyFailure> {
    if net.place_count().max(net.transition_count()) > MAX_NODES {
        return Err(FamilyFailure::TooLarge);
    }
    if !Features::WEIGHTS.cover(net.features()) {
        return Err(FamilyError::Features.into());
    }
    let mut proof = reachable_solutions(net, smt_solver, &budget.share(SEARCH_SHARE))?;
    tracing::info!("every solution of {} place invariants is reachable", proof.equations.len());
    let mut failure = FamilyError::TooManySums;
    let budget = budget.share(COUNT_SHARE);
    // The last attempt counts the solutions directly.
    let candidates = growth::candidates(net.initial()).into_iter().map(Some).chain([None]);
    for candidate in candidates {
        let slice = budget.share(if candidate.is_some() { 0.5 } else { 1.0 });
        proof.growth = candidate;
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

/// Searches for a proof that the solutions of the place invariants are the reachable markings, with
/// counters if necessary. Returns a proof without growth.
fn reachable_solutions(
    net: &Net,
    smt_solver: Option<&Program>,
    budget: &Budget,
) -> Result<FamilyProof, FamilyFailure> {
    match reachability(net, Vec::new(), smt_solver, &budget.share(0.5)) {
        Err(failure) if failure.may_need_counters() => {
            let counters = counters::determined(net, &budget.share(0.2));
            match counters.is_empty() {
                true => Err(failure),
                false => reachability(net, counters, smt_solver, &budget.share(0.5)),
            }
        }
        plain => plain,
    }
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
