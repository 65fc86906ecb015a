//! What an LP back-end can do, as traits, and what it answers.
//!
//! The numbers in an [`LpAnswer`] are floating point and therefore hints. What they are good for is
//! [`certify`]: [`Optimum::certify`] and [`Infeasibility::certify`] turn them into a
//! statement that was checked in exact arithmetic, or refuse.

use crate::answer::NoAnswer;
use crate::budget::Budget;
use crate::certify::{self, CertifiedBound, CertifiedInfeasible, Effort, Refused};
use crate::linear_program::{Column, Interval, LinearProgram, ProgramError, Row, Sense};

/// The answer of a back-end, in floating point.
#[derive(Clone, Debug, PartialEq)]
pub enum LpAnswer {
    /// An optimal point was found.
    Optimal(Optimum),
    /// No point satisfies all rows and bounds.
    Infeasible(Infeasibility),
    /// There are points of any objective value in the direction asked for.
    Unbounded,
    /// Nothing is known.
    NoAnswer(NoAnswer),
}

/// An optimal point as a back-end sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct Optimum {
    /// The value of the objective there.
    pub objective: f64,
    /// One value per column.
    pub point: Vec<f64>,
    /// One value y per row such that the reduced costs are c − Aᵀ·y, whichever the sense; `None`
    /// from a back-end that has no dual values.
    pub multipliers: Option<Vec<f64>>,
}

/// Infeasibility as a back-end sees it.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Infeasibility {
    /// One value per row whose combination of the rows is contradictory (a Farkas ray); `None` from
    /// a back-end that has none.
    pub multipliers: Option<Vec<f64>>,
}

impl Optimum {
    /// An exact bound on the objective of `program`, proved from the dual values.
    ///
    /// # Errors
    /// [`Refused`] when there are none, or when no rational numbers near them prove a bound.
    pub fn certify(&self, program: &LinearProgram) -> Result<CertifiedBound, Refused> {
        self.certify_with_effort(program).map(|(bound, _)| bound)
    }

    /// [`certify`](Self::certify), with what it took; for a [`certify::Tally`].
    ///
    /// # Errors
    /// As there.
    pub fn certify_with_effort(
        &self,
        program: &LinearProgram,
    ) -> Result<(CertifiedBound, Effort), Refused> {
        let multipliers = self.multipliers.as_deref().ok_or(Refused::NoMultipliers)?;
        certify::bound_near(program, multipliers, self.objective)
    }
}

impl Infeasibility {
    /// Exact proof that `program` has no solution.
    ///
    /// # Errors
    /// [`Refused`] when there is no ray, or when no rational numbers near it are a proof.
    pub fn certify(&self, program: &LinearProgram) -> Result<CertifiedInfeasible, Refused> {
        self.certify_with_effort(program).map(|(proof, _)| proof)
    }

    /// [`certify`](Self::certify), with what it took; for a [`certify::Tally`].
    ///
    /// # Errors
    /// As there.
    pub fn certify_with_effort(
        &self,
        program: &LinearProgram,
    ) -> Result<(CertifiedInfeasible, Effort), Refused> {
        certify::infeasible_near(program, self.multipliers.as_deref().unwrap_or(&[]))
    }
}

/// Solves one program after the other, each from scratch.
pub trait LpSolver {
    /// For logs: name and version of the solver.
    fn name(&self) -> String;

    /// Solves `program` within `budget`.
    fn solve(&mut self, program: &LinearProgram, budget: &Budget) -> LpAnswer;
}

/// Keeps one program and solves it again after changes, from where it stands.
pub trait IncrementalLp {
    /// The program as it is now; certificates are checked against it.
    fn program(&self) -> &LinearProgram;

    /// Replaces the objective; columns not mentioned cost nothing.
    ///
    /// # Errors
    /// A column that does not exist, or a sum beyond 64 bits.
    fn set_objective(&mut self, sense: Sense, costs: &[(Column, i64)]) -> Result<(), ProgramError>;

    /// Replaces the bounds of a row.
    ///
    /// # Errors
    /// A row that does not exist.
    fn set_row_bounds(&mut self, row: Row, bounds: Interval) -> Result<(), ProgramError>;

    /// Replaces the bounds of a column.
    ///
    /// # Errors
    /// A column that does not exist.
    fn set_column_bounds(&mut self, column: Column, bounds: Interval) -> Result<(), ProgramError>;

    /// Adds a row.
    ///
    /// # Errors
    /// As [`LinearProgram::add_row`].
    fn add_row(
        &mut self,
        bounds: Interval,
        coefficients: &[(Column, i64)],
    ) -> Result<Row, ProgramError>;

    /// Multipliers of the rows whose combination has 1 at `column` and 0 at every other basic
    /// column: the column's row of the inverse basis, right after a solution was found. `None` when
    /// the column is not basic, or the back-end has no basis to show. For cuts, which are checked.
    fn inverse_row(&mut self, column: Column) -> Option<Vec<(Row, f64)>> {
        let _ = column;
        None
    }

    /// Solves the program as it is now within `budget`.
    fn solve_again(&mut self, budget: &Budget) -> LpAnswer;
}

impl<L: IncrementalLp + ?Sized> IncrementalLp for Box<L> {
    fn program(&self) -> &LinearProgram {
        (**self).program()
    }

    fn set_objective(&mut self, sense: Sense, costs: &[(Column, i64)]) -> Result<(), ProgramError> {
        (**self).set_objective(sense, costs)
    }

    fn set_row_bounds(&mut self, row: Row, bounds: Interval) -> Result<(), ProgramError> {
        (**self).set_row_bounds(row, bounds)
    }

    fn set_column_bounds(&mut self, column: Column, bounds: Interval) -> Result<(), ProgramError> {
        (**self).set_column_bounds(column, bounds)
    }

    fn add_row(
        &mut self,
        bounds: Interval,
        coefficients: &[(Column, i64)],
    ) -> Result<Row, ProgramError> {
        (**self).add_row(bounds, coefficients)
    }

    fn inverse_row(&mut self, column: Column) -> Option<Vec<(Row, f64)>> {
        (**self).inverse_row(column)
    }

    fn solve_again(&mut self, budget: &Budget) -> LpAnswer {
        (**self).solve_again(budget)
    }
}
