//! The capabilities of LP back-ends, as traits, and their answers.
//!
//! The numbers in an [`LpAnswer`] are floating point and therefore only hints. [`Optimum::certify`]
//! and [`Infeasibility::certify`] turn them into statements checked in exact arithmetic, or refuse.

use crate::answer::NoAnswer;
use crate::budget::Budget;
use crate::certify::{self, CertifiedBound, CertifiedInfeasible, Effort, RefusalReason};
use crate::linear_program::{Column, Interval, LinearProgram, ProgramError, Row, Sense};

/// The answer of a back-end, in floating point.
#[derive(Clone, Debug, PartialEq)]
pub enum LpAnswer {
    /// An optimal point was found.
    Optimal(Optimum),
    /// No point satisfies all rows and bounds.
    Infeasible(Infeasibility),
    /// The objective is unbounded in the direction of the sense.
    Unbounded,
    /// The back-end has no answer.
    NoAnswer(NoAnswer),
}

/// An optimal point in floating point.
#[derive(Clone, Debug, PartialEq)]
pub struct Optimum {
    /// The value of the objective at the point.
    pub objective: f64,
    /// Values, indexed by column.
    pub point: Vec<f64>,
    /// One dual value y per row, such that the reduced costs are c − Aᵀ·y for either sense. `None`
    /// if the back-end provides no dual values.
    pub multipliers: Option<Vec<f64>>,
}

/// Infeasibility in floating point.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Infeasibility {
    /// One value per row, perhaps all with reversed sign, whose combination of the rows is
    /// contradictory (a Farkas ray). `None` if the back-end provides no ray.
    pub multipliers: Option<Vec<f64>>,
}

impl Optimum {
    /// Returns an exact bound on the objective of `program`, proved from the dual values.
    ///
    /// # Errors
    /// Returns [`RefusalReason`] if there are no dual values, or if no rational numbers near them
    /// prove a bound.
    pub fn certify(&self, program: &LinearProgram) -> Result<CertifiedBound, RefusalReason> {
        self.certify_with_effort(program).map(|(bound, _)| bound)
    }

    /// Calls [`certify`](Self::certify) and also returns the effort, for a [`certify::Tally`].
    ///
    /// # Errors
    /// The errors of [`certify`](Self::certify).
    pub fn certify_with_effort(
        &self,
        program: &LinearProgram,
    ) -> Result<(CertifiedBound, Effort), RefusalReason> {
        let multipliers = self.multipliers.as_deref().ok_or(RefusalReason::NoMultipliers)?;
        certify::bound_near(program, multipliers, self.objective)
    }
}

impl Infeasibility {
    /// Returns an exact proof that `program` has no solution.
    ///
    /// # Errors
    /// Returns [`RefusalReason`] if there is no empty interval, and neither rational numbers near
    /// the ray nor a single row are a proof.
    pub fn certify(&self, program: &LinearProgram) -> Result<CertifiedInfeasible, RefusalReason> {
        self.certify_with_effort(program).map(|(proof, _)| proof)
    }

    /// Calls [`certify`](Self::certify) and also returns the effort, for a [`certify::Tally`].
    ///
    /// # Errors
    /// The errors of [`certify`](Self::certify).
    pub fn certify_with_effort(
        &self,
        program: &LinearProgram,
    ) -> Result<(CertifiedInfeasible, Effort), RefusalReason> {
        certify::infeasible_near(program, self.multipliers.as_deref().unwrap_or(&[]))
    }
}

/// A solver that solves each program from scratch.
pub trait LpSolver {
    /// Returns the solver's name and version, for logs.
    fn name(&self) -> String;

    /// Solves `program` within `budget`.
    fn solve(&mut self, program: &LinearProgram, budget: &Budget) -> LpAnswer;
}

/// A solver that keeps one program and solves it again after changes. Back-ends that can do so
/// start from the last basis.
pub trait IncrementalLp {
    /// Returns the current program. Certificates are checked against it.
    fn program(&self) -> &LinearProgram;

    /// Replaces the objective. Columns without an entry get cost 0.
    ///
    /// # Errors
    /// Returns an error for a column that does not exist, or if the costs of a column sum to more
    /// than 64 bits.
    fn set_objective(&mut self, sense: Sense, costs: &[(Column, i64)]) -> Result<(), ProgramError>;

    /// Replaces the bounds of a row.
    ///
    /// # Errors
    /// Returns an error if the row does not exist.
    fn set_row_bounds(&mut self, row: Row, bounds: Interval) -> Result<(), ProgramError>;

    /// Replaces the bounds of a column.
    ///
    /// # Errors
    /// Returns an error if the column does not exist.
    fn set_column_bounds(&mut self, column: Column, bounds: Interval) -> Result<(), ProgramError>;

    /// Adds a row.
    ///
    /// # Errors
    /// The errors of [`LinearProgram::add_row`].
    fn add_row(
        &mut self,
        bounds: Interval,
        coefficients: &[(Column, i64)],
    ) -> Result<Row, ProgramError>;

    /// Returns the column's row of the inverse basis, as multipliers of the rows. Their combination
    /// has coefficient 1 at `column` and 0 at every other basic column. Call it right after a
    /// solve. Returns `None` if the column is not basic or the basis is not available. For example,
    /// a worker process may not answer within the budget of the last solve. The result is used for
    /// cuts, which are checked.
    fn inverse_row(&mut self, column: Column) -> Option<Vec<(Row, f64)>> {
        let _ = column;
        None
    }

    /// Solves the current program within `budget`.
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
