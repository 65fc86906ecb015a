//! Weights that decrease on the way from every solution of the place invariants back to the initial
//! marking.
//!
//! The weights are found by counterexamples. The checker's search stops at a box of markings in
//! which no backward step is possible. If the box has a solution m, then the weights must increase
//! along some transition that can be undone in m. An SMT solver finds weights that satisfy all
//! these demands. If the box has no solution over the rationals, a combination of the equations
//! shows it, and is added for the search.

use num_bigint::BigInt;
use num_traits::ToPrimitive as _;
use parikh_evidence::counting::family::{
    BackwardSearch, Coverage, FamilyError, FamilyProof, InvariantSystem, MarkingBox,
};
use parikh_net::{Net, PlaceId, TransitionId};
use parikh_solvers::Budget;
use parikh_solvers::certify::Contradiction;
use parikh_solvers::guest::Program;
use parikh_solvers::linear_expression::{LinearExpression, Variable};
use parikh_solvers::linear_program::{Interval, LinearProgram, Sense};
use parikh_solvers::lp::LpAnswer;
use parikh_solvers::lp_chosen::incremental_lp;
use parikh_solvers::smt::{SmtAnswer, SmtSolver};
use parikh_solvers::smt_chosen::smt_solver;
use parikh_solvers::term::{Term, Terms};

/// The largest number of counterexamples.
const MAX_ROUNDS: usize = 500;

/// Limits on the weights, in magnitude, which are tried in this order.
const WEIGHT_LIMITS: [i64; 2] = [20, 10_000];

/// The reason why no proof was found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FamilyFailure {
    /// The net has too many places or transitions.
    #[error("the net is too large")]
    TooLarge,
    /// No transition can be undone in a solution other than the initial marking, so this solution
    /// is not reachable.
    #[error("some solutions of the place invariants are unreachable")]
    Unreachable,
    /// No weights satisfy all demands.
    #[error("no weights lead all solutions back to the initial marking")]
    NoWeights,
    /// A box has no integer solution, but a rational one.
    #[error("the place invariants exclude some markings only over the integers")]
    OnlyIntegers,
    /// No solver is available, or a solver gave no usable answer.
    #[error("no solver answered")]
    NoSolver,
    /// The checker refuses the proof, or did not finish.
    #[error(transparent)]
    Refused(#[from] FamilyError),
}

/// Searches for weights. Returns a proof without growth.
///
/// # Errors
/// The reason why no weights were found.
pub(super) fn search(
    net: &Net,
    equations: Vec<Vec<(PlaceId, i64)>>,
    command: Option<&Program>,
    budget: &Budget,
) -> Result<FamilyProof, FamilyFailure> {
    let system = InvariantSystem::new(net, &equations)?;
    let mut solutions = Solutions::new(net, &equations, command)?;
    let mut demands = Demands::new(net, command)?;
    let mut proof = FamilyProof {
        equations,
        weights: Vec::new(),
        sequences: Vec::new(),
        combinations: Vec::new(),
        growth: None,
    };
    for round in 0..MAX_ROUNDS {
        let FamilyProof { weights, sequences, combinations, .. } = &proof;
        let mut search = BackwardSearch::new(net, &system, weights, sequences, combinations)?;
        let Coverage::Stuck(stuck) = search.run(&mut || !budget.is_exhausted())? else {
            tracing::debug!("weights after {round} counterexamples: {:?}", proof.weights);
            return Ok(proof);
        };
        match solutions.solution_in(&stuck, budget)? {
            Some(marking) => proof.weights = demands.satisfy_at(net, &marking, budget)?,
            None => proof.combinations.push(excluding(&proof.equations, net, &stuck, budget)?),
        }
    }
    Err(FamilyFailure::NoWeights)
}

/// A solver for solutions of the place invariants.
struct Solutions {
    terms: Terms,
    solver: Box<dyn SmtSolver>,
    /// The tokens of each place.
    tokens: Vec<Variable>,
}

impl Solutions {
    fn new(
        net: &Net,
        equations: &[Vec<(PlaceId, i64)>],
        command: Option<&Program>,
    ) -> Result<Solutions, FamilyFailure> {
        let mut terms = Terms::new();
        let solver = smt_solver(command).map_err(|_| FamilyFailure::NoSolver)?;
        let tokens: Vec<Variable> =
            net.places().map(|p| terms.integer(&format!("m{}", p.index()))).collect();
        let mut solutions = Solutions { terms, solver, tokens };
        for equation in equations {
            let (mut sum, mut value) = (LinearExpression::new(), LinearExpression::new());
            for &(p, weight) in equation {
                sum.add(weight, solutions.tokens[p.index()]);
                value.add_product(weight, net.initial()[p]);
            }
            let equation = solutions.terms.equal(sum, value);
            solutions.assert(equation)?;
        }
        Ok(solutions)
    }

    fn assert(&mut self, term: Term) -> Result<(), FamilyFailure> {
        self.solver.assert(&self.terms, term).map_err(|_| FamilyFailure::NoSolver)
    }

    /// Returns a solution in the box, or `None` if there is none.
    fn solution_in(
        &mut self,
        marking_box: &MarkingBox,
        budget: &Budget,
    ) -> Result<Option<Vec<u64>>, FamilyFailure> {
        let mut bounds = Vec::with_capacity(2 * self.tokens.len());
        for (p, &tokens) in self.tokens.iter().enumerate() {
            let (lower, upper) = (marking_box.lower[p].to_i64(), marking_box.upper[p].to_i64());
            let (Some(lower), Some(upper)) = (lower, upper) else {
                return Err(FamilyError::TooLarge.into());
            };
            bounds.push(self.terms.at_least(tokens, lower));
            bounds.push(self.terms.at_most(tokens, upper));
        }
        match self.solver.check(&self.terms, &bounds, budget) {
            Ok(SmtAnswer::Satisfiable(model)) => {
                let tokens = self.tokens.iter().map(|&it| model.integer(it)?.to_u64());
                tokens.collect::<Option<_>>().map(Some).ok_or(FamilyFailure::NoSolver)
            }
            Ok(SmtAnswer::Unsatisfiable { .. }) => Ok(None),
            Ok(SmtAnswer::NoAnswer(_)) | Err(_) => Err(FamilyFailure::NoSolver),
        }
    }
}

/// An SMT solver with one integer variable per place, its weight. The demands on the weights are
/// its assertions.
struct Demands {
    terms: Terms,
    solver: Box<dyn SmtSolver>,
    /// The weight of each place.
    weights: Vec<Variable>,
}

impl Demands {
    fn new(net: &Net, command: Option<&Program>) -> Result<Demands, FamilyFailure> {
        let mut terms = Terms::new();
        let solver = smt_solver(command).map_err(|_| FamilyFailure::NoSolver)?;
        let weights = net.places().map(|p| terms.integer(&format!("v{}", p.index()))).collect();
        Ok(Demands { terms, solver, weights })
    }

    /// Demands that the weights increase along some transition that can be undone in the marking.
    /// Returns weights that satisfy all demands so far.
    fn satisfy_at(
        &mut self,
        net: &Net,
        marking: &[u64],
        budget: &Budget,
    ) -> Result<Vec<(PlaceId, i64)>, FamilyFailure> {
        let can_be_undone = |t: &TransitionId| {
            let mut arcs = net.post(*t).iter();
            !net.delta(*t).is_empty() && arcs.all(|arc| marking[arc.place.index()] >= arc.weight)
        };
        let mut increases = Vec::new();
        for t in net.transitions().filter(can_be_undone) {
            let mut change = LinearExpression::new();
            for it in net.delta(t) {
                change.add(it.delta, self.weights[it.place.index()]);
            }
            increases.push(self.terms.at_least(change, 1));
        }
        if increases.is_empty() {
            return Err(FamilyFailure::Unreachable);
        }
        let some_increases = self.terms.or(increases);
        self.solver.assert(&self.terms, some_increases).map_err(|_| FamilyFailure::NoSolver)?;
        for limit in WEIGHT_LIMITS {
            let mut bounds = Vec::with_capacity(2 * self.weights.len());
            for &weight in &self.weights {
                bounds.push(self.terms.at_least(weight, -limit));
                bounds.push(self.terms.at_most(weight, limit));
            }
            match self.solver.check(&self.terms, &bounds, budget) {
                Ok(SmtAnswer::Satisfiable(model)) => {
                    let weight = |(p, &it): (PlaceId, &Variable)| {
                        Some((p, model.integer(it).as_ref().and_then(BigInt::to_i64)?))
                    };
                    let weights = net.places().zip(&self.weights).map(weight);
                    let weights: Option<Vec<_>> = weights.collect();
                    let mut weights = weights.ok_or(FamilyFailure::NoSolver)?;
                    weights.retain(|it| it.1 != 0);
                    return Ok(weights);
                }
                Ok(SmtAnswer::Unsatisfiable { .. }) => {}
                Ok(SmtAnswer::NoAnswer(_)) | Err(_) => return Err(FamilyFailure::NoSolver),
            }
        }
        Err(FamilyFailure::NoWeights)
    }
}

/// Returns multipliers of the equations whose combination excludes the box.
fn excluding(
    equations: &[Vec<(PlaceId, i64)>],
    net: &Net,
    marking_box: &MarkingBox,
    budget: &Budget,
) -> Result<Vec<i64>, FamilyFailure> {
    let too_large = |_| FamilyFailure::Refused(FamilyError::TooLarge);
    let mut program = LinearProgram::new(Sense::Minimise);
    let mut columns = Vec::with_capacity(net.place_count());
    for (lower, upper) in marking_box.lower.iter().zip(&marking_box.upper) {
        let (Some(lower), Some(upper)) = (lower.to_i64(), upper.to_i64()) else {
            return Err(FamilyError::TooLarge.into());
        };
        let column = program.add_column(Interval::between(lower, upper));
        columns.push(column.map_err(too_large)?);
    }
    for equation in equations {
        let value: i128 = equation
            .iter()
            .map(|&(p, weight)| i128::from(weight) * i128::from(net.initial()[p]))
            .sum();
        let value = value.to_i64().ok_or(FamilyError::TooLarge)?;
        let terms = equation.iter().map(|&(p, weight)| (columns[p.index()], weight));
        program.add_row(Interval::exactly(value), terms).map_err(too_large)?;
    }
    let mut solver = incremental_lp(program);
    let infeasible = match solver.solve_again(budget) {
        LpAnswer::Infeasible(infeasible) => infeasible.certify(solver.program()),
        LpAnswer::NoAnswer(_) => return Err(FamilyFailure::NoSolver),
        LpAnswer::Optimal(_) | LpAnswer::Unbounded => return Err(FamilyFailure::OnlyIntegers),
    };
    let infeasible = infeasible.map_err(|_| FamilyFailure::NoSolver)?;
    let Contradiction::Combination(combination) = infeasible.contradiction() else {
        return Err(FamilyFailure::NoSolver);
    };
    let mut multipliers = vec![0; equations.len()];
    for (row, numerator) in &combination.numerators {
        multipliers[row.index()] = numerator.to_i64().ok_or(FamilyError::TooLarge)?;
    }
    Ok(multipliers)
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
