//! Solutions of the place invariants in a box of markings, and reasons why there are none.

use super::FamilyFailure;
use num_traits::ToPrimitive as _;
use parikh_evidence::counting::family::{FamilyError, MarkingBox};
use parikh_net::{Net, PlaceId};
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

/// A solver for solutions of the place invariants.
pub(super) struct Solutions {
    terms: Terms,
    solver: Box<dyn SmtSolver>,
    /// The tokens of each place.
    tokens: Vec<Variable>,
}

impl Solutions {
    pub(super) fn new(
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
    pub(super) fn solution_in(
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

/// Returns multipliers for the equations such that the combined equation has no solution in the
/// box.
pub(super) fn excluding(
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
