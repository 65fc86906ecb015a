//! Search for weights by counterexamples. Each marking that is added *demands* that the weighted
//! sum of tokens increases along some step that is possible there.

use super::FamilyFailure;
use super::steps::{Step, StepLibrary};
use num_bigint::BigInt;
use num_traits::ToPrimitive as _;
use parikh_net::{PlaceId, TransitionId};
use parikh_solvers::Budget;
use parikh_solvers::guest::Program;
use parikh_solvers::linear_expression::{LinearExpression, Variable};
use parikh_solvers::smt::{SmtAnswer, SmtSolver};
use parikh_solvers::smt_chosen::smt_solver;
use parikh_solvers::term::Terms;
use std::collections::HashSet;

/// Limits on the weights, in magnitude, which are tried in this order.
const WEIGHT_LIMITS: [i64; 2] = [20, 10_000];

/// A solver for weights, with the markings whose demands the weights must satisfy.
pub(super) struct Demands {
    /// The places that may have a weight.
    places: Vec<PlaceId>,
    library: StepLibrary,
    /// The largest number of steps that are considered in one marking.
    max_options: usize,
    markings: Vec<Vec<u64>>,
    terms: Terms,
    solver: Box<dyn SmtSolver>,
    /// The weight of each of the places.
    variables: Vec<Variable>,
    /// Weights that satisfy the demands of all markings so far.
    weights: Vec<(PlaceId, i64)>,
}

impl Demands {
    /// Starts without markings. Weights are 0.
    pub(super) fn new(
        places: Vec<PlaceId>,
        library: StepLibrary,
        max_options: usize,
        command: Option<&Program>,
    ) -> Result<Demands, FamilyFailure> {
        let mut terms = Terms::new();
        let solver = smt_solver(command).map_err(|_| FamilyFailure::NoSolver)?;
        let variables = places.iter().map(|p| terms.integer(&format!("v{}", p.index()))).collect();
        let (markings, weights) = (Vec::new(), Vec::new());
        Ok(Demands { places, library, max_options, markings, terms, solver, variables, weights })
    }

    /// Adds markings with their demands, and finds weights that satisfy all demands so far.
    ///
    /// # Errors
    /// [`FamilyFailure::Unreachable`] if no step is possible in a marking, or
    /// [`FamilyFailure::NoWeights`].
    pub(super) fn add(
        &mut self,
        markings: Vec<Vec<u64>>,
        budget: &Budget,
    ) -> Result<(), FamilyFailure> {
        let mut is_satisfied = true;
        for marking in &markings {
            let (increases, increases_now) = self.demand(marking);
            if increases.is_empty() {
                return Err(FamilyFailure::Unreachable);
            }
            is_satisfied &= increases_now;
            let increases: Vec<_> =
                increases.into_iter().map(|it| self.terms.at_least(it, 1)).collect();
            let some_increases = self.terms.or(increases);
            self.solver.assert(&self.terms, some_increases).map_err(|_| FamilyFailure::NoSolver)?;
        }
        self.markings.extend(markings);
        match is_satisfied {
            true => Ok(()),
            false => self.solve(budget),
        }
    }

    /// Returns the increases of the weighted sum along the useful steps in a marking. Also returns
    /// true if one of them is positive for the present weights.
    fn demand(&self, marking: &[u64]) -> (Vec<LinearExpression>, bool) {
        let (mut effects, mut increases) = (HashSet::new(), Vec::new());
        let mut is_satisfied = false;
        for step in self.options(marking).filter(|step| effects.insert(&step.effect)) {
            let mut increase = LinearExpression::new();
            for &(p, tokens) in &step.effect {
                if let Some(at) = self.places.iter().position(|it| it.index() == p) {
                    increase.add(-tokens, self.variables[at]);
                }
            }
            increases.push(increase);
            is_satisfied |= gain(step, &self.weights) > 0;
        }
        (increases, is_satisfied)
    }

    /// Returns the markings that were added to the solver.
    pub(super) fn into_markings(self) -> Vec<Vec<u64>> {
        self.markings
    }

    /// Returns weights that satisfy all demands.
    pub(super) fn weights(&self) -> &[(PlaceId, i64)] {
        &self.weights
    }

    /// Returns the sequences of several transitions that the weights rely on. For each marking,
    /// this is the first step along which the weighted sum increases, if the step is no single
    /// transition.
    pub(super) fn sequences(&self) -> Vec<Vec<TransitionId>> {
        let mut sequences: Vec<Vec<TransitionId>> = Vec::new();
        for marking in &self.markings {
            let mut options = self.options(marking);
            let increasing = options.find(|step| gain(step, &self.weights) > 0);
            if let Some(step) = increasing
                && step.sequence.len() > 1
                && !sequences.contains(&step.sequence)
            {
                sequences.push(step.sequence.clone());
            }
        }
        sequences
    }

    /// Returns the useful steps in a marking.
    fn options<'d>(&'d self, marking: &'d [u64]) -> impl Iterator<Item = &'d Step> {
        let useful = self.library.steps.iter().filter(|step| step.is_useful_in(marking));
        useful.take(self.max_options)
    }

    /// Finds weights that satisfy the demands of all markings so far.
    fn solve(&mut self, budget: &Budget) -> Result<(), FamilyFailure> {
        for limit in WEIGHT_LIMITS {
            let mut bounds = Vec::with_capacity(2 * self.variables.len());
            for &weight in &self.variables {
                bounds.push(self.terms.at_least(weight, -limit));
                bounds.push(self.terms.at_most(weight, limit));
            }
            match self.solver.check(&self.terms, &bounds, budget) {
                Ok(SmtAnswer::Satisfiable(model)) => {
                    let weight = |(&p, &it): (&PlaceId, &Variable)| {
                        Some((p, model.integer(it).as_ref().and_then(BigInt::to_i64)?))
                    };
                    let weights = self.places.iter().zip(&self.variables).map(weight);
                    let weights: Option<Vec<_>> = weights.collect();
                    self.weights = weights.ok_or(FamilyFailure::NoSolver)?;
                    self.weights.retain(|it| it.1 != 0);
                    return Ok(());
                }
                Ok(SmtAnswer::Unsatisfiable { .. }) => {}
                Ok(SmtAnswer::NoAnswer(_)) | Err(_) => return Err(FamilyFailure::NoSolver),
            }
        }
        Err(FamilyFailure::NoWeights)
    }
}

/// Returns the increase of the weighted sum by the firings of a step.
fn gain(step: &Step, weights: &[(PlaceId, i64)]) -> i128 {
    let weight = |p: usize| weights.iter().find(|it| it.0.index() == p).map_or(0, |it| it.1);
    step.effect.iter().map(|&(p, tokens)| -i128::from(weight(p)) * i128::from(tokens)).sum()
}
