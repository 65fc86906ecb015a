//! Wraps any [`LpSolver`] as an [`IncrementalLp`] that solves from scratch every time.
//!
//! Builds without HiGHS and runs with `PARIKH_LP=microlp` use it. Changes cost nothing; every solve
//! has the full cost.

use crate::budget::Budget;
use crate::linear_program::{Column, Interval, LinearProgram, ProgramError, Row, Sense};
use crate::lp::{IncrementalLp, LpAnswer, LpSolver};

/// A program and the solver that receives the whole program for each solve.
#[derive(Clone, Debug)]
pub struct ScratchLp<S> {
    /// The solver of single programs.
    solver: S,
    program: LinearProgram,
}

impl<S: LpSolver> ScratchLp<S> {
    /// Takes over `program` without solving it.
    pub fn new(solver: S, program: LinearProgram) -> Self {
        ScratchLp { solver, program }
    }
}

impl<S: LpSolver> IncrementalLp for ScratchLp<S> {
    fn program(&self) -> &LinearProgram {
        &self.program
    }

    fn set_objective(&mut self, sense: Sense, costs: &[(Column, i64)]) -> Result<(), ProgramError> {
        self.program.set_objective(sense, costs.iter().copied())
    }

    fn set_row_bounds(&mut self, row: Row, bounds: Interval) -> Result<(), ProgramError> {
        self.program.set_row_bounds(row, bounds)
    }

    fn set_column_bounds(&mut self, column: Column, bounds: Interval) -> Result<(), ProgramError> {
        self.program.set_column_bounds(column, bounds)
    }

    fn add_row(
        &mut self,
        bounds: Interval,
        coefficients: &[(Column, i64)],
    ) -> Result<Row, ProgramError> {
        self.program.add_row(bounds, coefficients.iter().copied())
    }

    fn solve_again(&mut self, budget: &Budget) -> LpAnswer {
        self.solver.solve(&self.program, budget)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lp_microlp::MicroLp;

    #[test]
    fn changes_show_in_the_next_answer() {
        let mut program = LinearProgram::new(Sense::Maximise);
        let x = program.add_column(Interval::NON_NEGATIVE).unwrap();
        let row = program.add_row(Interval::at_most(4), [(x, 2)]).unwrap();
        let mut lp = ScratchLp::new(MicroLp::new(), program);
        let value = |lp: &mut ScratchLp<MicroLp>| match lp.solve_again(&Budget::unlimited()) {
            LpAnswer::Optimal(optimum) => optimum.objective,
            other => panic!("{other:?}"),
        };
        lp.set_objective(Sense::Maximise, &[(x, 1)]).unwrap();
        assert_eq!(value(&mut lp), 2.0);
        lp.set_row_bounds(row, Interval::at_most(6)).unwrap();
        assert_eq!(value(&mut lp), 3.0);
        lp.add_row(Interval::at_most(1), &[(x, 1)]).unwrap();
        assert_eq!(value(&mut lp), 1.0);
        lp.set_column_bounds(x, Interval::at_least(2)).unwrap();
        assert!(matches!(lp.solve_again(&Budget::unlimited()), LpAnswer::Infeasible(_)));
    }
}
