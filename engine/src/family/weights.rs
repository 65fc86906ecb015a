//! Weights that decrease on the way from every solution of the place invariants back to the initial
//! marking.
//!
//! The weights are found by counterexamples. The checker's search stops at a box of markings in
//! which no backward step is possible. If the box has a solution m, then the weights must increase
//! along some step that is possible in m. An SMT solver finds weights that satisfy all these
//! demands. If the box has no solution over the rationals, a combination of the equations shows it,
//! and is added for the search.
//!
//! At first, only single transitions are steps. If no weights satisfy the demands, sequences of
//! transitions are steps, too (`steps`). The markings of the demands are kept.

use super::FamilyFailure;
use super::demands::Demands;
use super::solutions::{Solutions, excluding};
use super::steps::StepLibrary;
use parikh_evidence::counting::family::{
    BackwardSearch, CountedNet, Coverage, FamilyProof, InvariantSystem,
};
use parikh_solvers::Budget;
use parikh_solvers::guest::Program;

/// The largest number of counterexamples.
const MAX_ROUNDS: usize = 1_000;

/// Limits on the steps, that is, single transitions and sequences of transitions, with which the
/// search tries to increase the weighted sum.
struct Effort {
    /// The number of listed steps. If it is 0, only single transitions are listed.
    steps: usize,
    /// The largest number of steps that are considered in one marking.
    options: usize,
}

/// The limits, which are tried in this order until weights are found.
const EFFORTS: [Effort; 3] = [
    Effort { steps: 0, options: usize::MAX },
    Effort { steps: 500, options: 40 },
    Effort { steps: 4_000, options: 400 },
];

/// Searches for weights and sequences. `proof` has counters and equations.
///
/// # Errors
/// The reason why no weights were found.
pub(super) fn search(
    counted: &CountedNet,
    proof: &mut FamilyProof,
    command: Option<&Program>,
    budget: &Budget,
) -> Result<(), FamilyFailure> {
    let net = counted.net();
    let equations = proof.equations.iter().map(|weights| counted.equation(weights));
    let equations: Vec<_> = equations.collect::<Result<_, _>>()?;
    let system = InvariantSystem::new(net, &equations)?;
    let mut solutions = Solutions::new(net, &equations, command)?;
    let mut efforts = EFFORTS.iter();
    let mut next_demands = || -> Result<Demands, FamilyFailure> {
        let effort = efforts.next().ok_or(FamilyFailure::NoWeights)?;
        let library = match effort.steps {
            0 => StepLibrary::singles(net),
            limit => StepLibrary::compositions(net, limit, &budget.share(0.2)),
        };
        tracing::debug!("{} steps", library.steps.len());
        let places = counted.original_places().collect();
        Demands::new(places, library, effort.options, command)
    };
    let mut demands = next_demands()?;
    for round in 0..MAX_ROUNDS {
        let FamilyProof { weights, sequences, combinations, .. } = &*proof;
        let mut search = BackwardSearch::new(net, &system, weights, sequences, combinations)?;
        let Coverage::Stuck(stuck) = search.run(&mut || !budget.is_exhausted())? else {
            tracing::debug!("weights after {round} counterexamples: {weights:?}, {sequences:?}");
            return Ok(());
        };
        let Some(marking) = solutions.solution_in(&stuck, budget)? else {
            proof.combinations.push(excluding(&equations, net, &stuck, budget)?);
            continue;
        };
        let mut added = demands.add(vec![marking], budget);
        while let Err(FamilyFailure::NoWeights) = added {
            let markings = demands.into_markings();
            demands = next_demands()?;
            added = demands.add(markings, budget);
        }
        added?;
        proof.weights = demands.weights().to_vec();
        proof.sequences = demands.sequences();
    }
    Err(FamilyFailure::NoWeights)
}

#[cfg(test)]
mod tests {
    use super::super::prove;
    use super::*;
    use parikh_net::text;

    #[test]
    fn clients_and_resources_are_proved_for_large_numbers() {
        let net = text::parse(
            "place idle 100000\nplace waiting\nplace working\nplace free 50001\n\
             transition ask: idle -> waiting\ntransition start: waiting + free -> working\n\
             transition stop: working -> idle + free",
        )
        .unwrap();
        let (proof, found) = prove(&net, None, &Budget::unlimited()).unwrap();
        assert_eq!(proof.growth.as_ref().map(|it| it.n), Some(50_000));
        // Σ over the k ≤ 50001 clients that work of the 100001 − k ways to divide the others.
        let states: u64 = (0..=50_001).map(|k| 100_001 - k).sum();
        assert_eq!(found.figures.states, states.into());
    }

    #[test]
    fn an_unreachable_solution_is_found() {
        // With a = 1, the markings of p and q are reachable, but not both tokens on q.
        let net =
            text::parse("place p 2\nplace q\nplace a\nplace b 1\ntransition t: p + b -> q + a")
                .unwrap();
        let failure = prove(&net, None, &Budget::unlimited()).map(|_| ());
        assert_eq!(failure, Ok(()));
        let net = text::parse("place p 2\nplace q\ntransition t: p + q -> 2*q").unwrap();
        let failure = prove(&net, None, &Budget::unlimited()).map(|_| ());
        assert_eq!(failure, Err(FamilyFailure::Unreachable));
    }
}
