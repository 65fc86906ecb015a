//! HiGHS: one model that is kept and solved again after small changes.
//!
//! # Settings and reasons
//! Presolve is off, because it would discard the basis. HiGHS uses one thread, because the
//! portfolio owns the cores. If only costs changed, the last basis is still primal feasible and the
//! primal simplex continues from it. If bounds or rows changed, the basis is dual feasible and the
//! dual simplex continues. Without a basis, the primal simplex starts if the point with all columns
//! at their lower bounds is feasible and not optimal; otherwise the dual simplex starts. On contest
//! nets this is 3.7 to 8.4 times faster than starting from scratch.
//!
//! # Quirks (HiGHS 1.15.0)
//! The option `time_limit` counts from the creation of the model, so it is not used. The interrupt
//! callback runs at every iteration and checks the budget, including cancellation and memory. A
//! failed call leaves the model in an unknown state; the program is loaded again before the next
//! run.

#![allow(non_upper_case_globals, reason = "constants of the C header in patterns")]

mod c_api;

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;

use crate::answer::NoAnswer;
use crate::budget::Budget;
use crate::certify;
use crate::linear_program::{Column, Interval, LinearProgram, ProgramError, Row, Sense};
use crate::lp::{IncrementalLp, Infeasibility, LpAnswer, LpSolver, Optimum};

use c_api::*;

/// An LP solver that solves each program from scratch, in a new model.
#[derive(Clone, Copy, Debug, Default)]
pub struct Highs;

impl LpSolver for Highs {
    fn name(&self) -> String {
        name()
    }

    fn solve(&mut self, program: &LinearProgram, budget: &Budget) -> LpAnswer {
        HighsModel::new(program.clone()).solve_again(budget)
    }
}

fn name() -> String {
    // SAFETY: the library returns a static, zero-terminated string.
    let version = unsafe { CStr::from_ptr(Highs_version()) };
    format!("HiGHS {}", version.to_string_lossy())
}

/// A program inside HiGHS that keeps its basis between runs.
#[derive(Debug)]
pub struct HighsModel {
    /// The exact program; HiGHS holds a copy in floating point.
    program: LinearProgram,
    /// The model inside HiGHS.
    model: Handle,
    /// True if HiGHS holds a current copy of `program`. Otherwise the next run loads the program.
    is_loaded: bool,
    /// The kind of changes since the last run.
    change_kind: ChangeKind,
    /// Called at every iteration of the simplex method, if set.
    pub(crate) pulse: Option<fn()>,
}

/// The data passed to the callback.
struct CallbackData<'b> {
    /// The budget of the run.
    budget: &'b Budget,
    /// Called at every iteration of the simplex method, if set.
    pulse: Option<fn()>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ChangeKind {
    /// Only the objective has changed, so the last basis is primal feasible. This variant also
    /// continues a run of the primal method that was interrupted.
    Costs,
    /// Bounds or rows have changed, so the last basis may not be primal feasible. This variant also
    /// follows a run that found infeasibility, and continues a run of the dual method that was
    /// interrupted.
    Other,
    /// There is no basis to start from.
    Everything,
}

impl ChangeKind {
    /// Returns true if the primal simplex method should run, rather than the dual one.
    fn calls_for_primal(self, program: &LinearProgram) -> bool {
        match self {
            ChangeKind::Costs => true,
            ChangeKind::Other => false,
            ChangeKind::Everything => starts_feasible(program),
        }
    }
}

/// The owner of a HiGHS object; null if HiGHS could not create it.
#[derive(Debug)]
struct Handle(*mut c_void);

// SAFETY: a HiGHS object is not bound to a thread, and `&mut self` ensures exclusive use.
unsafe impl Send for Handle {}

impl Drop for Handle {
    fn drop(&mut self) {
        if !self.0.is_null() {
            // SAFETY: `Highs_create` made the object, and only this function destroys it.
            unsafe { Highs_destroy(self.0) };
        }
    }
}

impl HighsModel {
    /// Takes over `program` without solving it.
    pub fn new(program: LinearProgram) -> Self {
        // SAFETY: no preconditions.
        let model = Handle(unsafe { Highs_create() });
        HighsModel {
            program,
            model,
            is_loaded: false,
            change_kind: ChangeKind::Everything,
            pulse: None,
        }
    }

    /// Handles the status of a call. After a failed call, the copy of the program inside HiGHS
    /// counts as outdated and is loaded again. A warning counts as success.
    fn record_status(&mut self, status: HighsInt) {
        if status == kHighsStatusError {
            self.is_loaded = false;
        }
    }

    fn set_option(&self, option: &CStr, value: &CStr) {
        // SAFETY: the model is alive, and both strings are zero-terminated.
        unsafe { Highs_setStringOptionValue(self.model.0, option.as_ptr(), value.as_ptr()) };
    }

    /// Records that the last basis may no longer be primal feasible.
    fn mark_infeasible_basis(&mut self) {
        if self.change_kind == ChangeKind::Costs {
            self.change_kind = ChangeKind::Other;
        }
    }

    /// Passes the whole program to HiGHS. Returns true on success.
    fn load(&mut self) -> bool {
        let program = &self.program;
        let (starts, entries) = program.compressed_rows();
        let (Ok(columns), Ok(rows), Ok(nonzeros)) = (
            HighsInt::try_from(program.columns().len()),
            HighsInt::try_from(program.rows().len()),
            HighsInt::try_from(entries.len()),
        ) else {
            return false;
        };
        if self.model.0.is_null() {
            return false;
        }
        let costs = costs(program);
        let (column_lower, column_upper) = bound_arrays(program.columns());
        let (row_lower, row_upper) = bound_arrays(program.rows());
        // The casts are lossless: the number of entries fits, and columns are fewer than
        // HighsInt::MAX.
        let starts: Vec<HighsInt> = starts.iter().map(|&start| start as HighsInt).collect();
        let index: Vec<HighsInt> = entries.iter().map(|(column, _)| column.0 as HighsInt).collect();
        let value: Vec<f64> = entries.iter().map(|&(_, a)| a as f64).collect();
        self.set_option(c"parallel", c"off");
        self.set_option(c"solver", c"simplex");
        // SAFETY: the model is alive; every array has the length given by the counts before it
        // (`starts` has one entry more than rows).
        let status = unsafe {
            Highs_setBoolOptionValue(self.model.0, c"output_flag".as_ptr(), 0);
            Highs_setIntOptionValue(self.model.0, c"threads".as_ptr(), 1);
            Highs_clearModel(self.model.0);
            Highs_passLp(
                self.model.0,
                columns,
                rows,
                nonzeros,
                kHighsMatrixFormatRowwise,
                sense(program),
                0.0,
                costs.as_ptr(),
                column_lower.as_ptr(),
                column_upper.as_ptr(),
                row_lower.as_ptr(),
                row_upper.as_ptr(),
                starts.as_ptr(),
                index.as_ptr(),
                value.as_ptr(),
            )
        };
        self.is_loaded = status != kHighsStatusError;
        self.change_kind = ChangeKind::Everything;
        self.is_loaded
    }

    /// Runs the simplex method once within `budget`, and returns the model status.
    fn run(&mut self, is_primal: bool, budget: &Budget) -> HighsInt {
        const DUAL_SIMPLEX: HighsInt = 1;
        const PRIMAL_SIMPLEX: HighsInt = 4;
        let strategy = if is_primal { PRIMAL_SIMPLEX } else { DUAL_SIMPLEX };
        let highs = self.model.0;
        let callback_data = CallbackData { budget, pulse: self.pulse };
        let data_pointer = std::ptr::from_ref(&callback_data).cast_mut().cast();
        // SAFETY: the model is alive. The callback and its data are used only during `Highs_run`:
        // the callback is stopped and removed right after it.
        unsafe {
            Highs_setIntOptionValue(highs, c"simplex_strategy".as_ptr(), strategy);
            Highs_setCallback(highs, Some(ask_budget), data_pointer);
            Highs_startCallback(highs, kHighsCallbackSimplexInterrupt);
            let status = Highs_run(highs);
            Highs_stopCallback(highs, kHighsCallbackSimplexInterrupt);
            Highs_setCallback(highs, None, ptr::null_mut());
            if status == kHighsStatusError {
                return kHighsModelStatusSolveError;
            }
            Highs_getModelStatus(highs)
        }
    }

    /// Returns the point and the dual values of the last run.
    fn optimum(&self) -> Optimum {
        let (columns, rows) = (self.program.columns().len(), self.program.rows().len());
        let mut point = vec![0.0; columns];
        let mut multipliers = vec![0.0; rows];
        // SAFETY: the model is alive and has this many columns and rows; HiGHS does not write to
        // null.
        let objective = unsafe {
            Highs_getSolution(
                self.model.0,
                point.as_mut_ptr(),
                ptr::null_mut(),
                ptr::null_mut(),
                multipliers.as_mut_ptr(),
            );
            Highs_getObjectiveValue(self.model.0)
        };
        Optimum { objective, point, multipliers: Some(multipliers) }
    }

    /// Returns the ray of the last run as multipliers. Without a ray, the result has no
    /// multipliers.
    fn infeasibility(&self) -> Infeasibility {
        let mut has_ray: HighsInt = 0;
        let mut ray = vec![0.0; self.program.rows().len()];
        // SAFETY: the model is alive and has this many rows.
        let status = unsafe { Highs_getDualRay(self.model.0, &mut has_ray, ray.as_mut_ptr()) };
        let is_usable = status != kHighsStatusError && has_ray != 0;
        Infeasibility { multipliers: is_usable.then_some(ray) }
    }
}

impl IncrementalLp for HighsModel {
    fn program(&self) -> &LinearProgram {
        &self.program
    }

    fn set_objective(&mut self, sense: Sense, costs: &[(Column, i64)]) -> Result<(), ProgramError> {
        self.program.set_objective(sense, costs.iter().copied())?;
        let column_count = self.program.columns().len();
        if self.is_loaded && column_count > 0 {
            let costs = self::costs(&self.program);
            // SAFETY: the model is alive and has as many columns as there are costs.
            let status = unsafe {
                Highs_changeObjectiveSense(self.model.0, self::sense(&self.program));
                Highs_changeColsCostByRange(
                    self.model.0,
                    0,
                    column_count as HighsInt - 1,
                    costs.as_ptr(),
                )
            };
            self.record_status(status);
        }
        Ok(())
    }

    fn set_row_bounds(&mut self, row: Row, bounds: Interval) -> Result<(), ProgramError> {
        self.program.set_row_bounds(row, bounds)?;
        self.mark_infeasible_basis();
        if self.is_loaded {
            let (lower, upper) = bound_values(bounds);
            // SAFETY: the model is alive and has the row, as the program does.
            let status =
                unsafe { Highs_changeRowBounds(self.model.0, row.0 as HighsInt, lower, upper) };
            self.record_status(status);
        }
        Ok(())
    }

    fn set_column_bounds(&mut self, column: Column, bounds: Interval) -> Result<(), ProgramError> {
        self.program.set_column_bounds(column, bounds)?;
        self.mark_infeasible_basis();
        if self.is_loaded {
            let (lower, upper) = bound_values(bounds);
            // SAFETY: the model is alive and has the column, as the program does.
            let status =
                unsafe { Highs_changeColBounds(self.model.0, column.0 as HighsInt, lower, upper) };
            self.record_status(status);
        }
        Ok(())
    }

    fn add_row(
        &mut self,
        bounds: Interval,
        coefficients: &[(Column, i64)],
    ) -> Result<Row, ProgramError> {
        let row = self.program.add_row(bounds, coefficients.iter().copied())?;
        self.mark_infeasible_basis();
        if self.is_loaded {
            let entries = self.program.row(row);
            let index: Vec<HighsInt> = entries.iter().map(|(c, _)| c.0 as HighsInt).collect();
            let value: Vec<f64> = entries.iter().map(|&(_, a)| a as f64).collect();
            let (lower, upper) = bound_values(bounds);
            let count = index.len() as HighsInt;
            // SAFETY: the model is alive; both arrays have `count` entries.
            let status = unsafe {
                Highs_addRow(self.model.0, lower, upper, count, index.as_ptr(), value.as_ptr())
            };
            self.record_status(status);
        }
        Ok(row)
    }

    fn inverse_row(&mut self, column: Column) -> Option<Vec<(Row, f64)>> {
        let count = self.program.rows().len();
        if !self.is_loaded || count == 0 {
            return None;
        }
        let mut basic_variables: Vec<HighsInt> = vec![0; count];
        // SAFETY: the model is alive and has as many rows as the array has entries.
        let status = unsafe { Highs_getBasicVariables(self.model.0, basic_variables.as_mut_ptr()) };
        if status != kHighsStatusOk {
            return None;
        }
        let position =
            basic_variables.iter().position(|&variable| variable == column.0 as HighsInt)?;
        let mut values = vec![0.0; count];
        let mut index: Vec<HighsInt> = vec![0; count];
        let mut nonzeros: HighsInt = 0;
        // SAFETY: as above; the position is a row index.
        let status = unsafe {
            Highs_getBasisInverseRow(
                self.model.0,
                position as HighsInt,
                values.as_mut_ptr(),
                &mut nonzeros,
                index.as_mut_ptr(),
            )
        };
        if status != kHighsStatusOk {
            return None;
        }
        let nonzero_rows = index.iter().take(usize::try_from(nonzeros).ok()?);
        nonzero_rows
            .map(|&row| Some((Row(u32::try_from(row).ok()?), *values.get(row as usize)?)))
            .collect()
    }

    fn solve_again(&mut self, budget: &Budget) -> LpAnswer {
        if let Some(exhausted) = budget.exhausted() {
            return LpAnswer::NoAnswer(exhausted.into());
        }
        // For an empty interval, some versions of HiGHS report an error and others infeasibility.
        if certify::empty_interval(&self.program).is_some() {
            self.is_loaded = false;
            return LpAnswer::Infeasible(Infeasibility::default());
        }
        // After a failed run from a basis, the second run starts from scratch. About one random
        // program in 10,000 (only unbounded ones were seen) is solved only with presolve.
        let mut status = kHighsModelStatusNotset;
        for presolve in [c"off", c"off", c"on"] {
            if !self.is_loaded && !self.load() {
                return LpAnswer::NoAnswer(NoAnswer::Failed(
                    "HiGHS rejected the linear program".to_owned(),
                ));
            }
            self.set_option(c"presolve", presolve);
            let is_primal = self.change_kind.calls_for_primal(&self.program);
            status = self.run(is_primal, budget);
            match status {
                // HiGHS reports this status for every program without columns, even if 0 violates
                // the bounds of a row.
                kHighsModelStatusModelEmpty
                    if !self.program.rows().iter().all(|bounds| bounds.contains(0)) =>
                {
                    return LpAnswer::Infeasible(Infeasibility::default());
                }
                kHighsModelStatusOptimal | kHighsModelStatusModelEmpty => {
                    self.change_kind = ChangeKind::Costs;
                    return LpAnswer::Optimal(self.optimum());
                }
                kHighsModelStatusInfeasible => {
                    self.change_kind = ChangeKind::Other;
                    return LpAnswer::Infeasible(self.infeasibility());
                }
                kHighsModelStatusUnbounded => {
                    self.change_kind = ChangeKind::Costs;
                    return LpAnswer::Unbounded;
                }
                // The next run continues from the current basis with the same method.
                kHighsModelStatusInterrupt if is_primal => self.change_kind = ChangeKind::Costs,
                kHighsModelStatusInterrupt => self.change_kind = ChangeKind::Other,
                _ => self.is_loaded = false,
            }
            if let Some(exhausted) = budget.exhausted() {
                return LpAnswer::NoAnswer(exhausted.into());
            }
        }
        LpAnswer::NoAnswer(NoAnswer::Unknown(format!("HiGHS ended with model status {status}")))
    }
}

/// Calls the pulse function, if any. Stops the simplex method when the budget behind `watch` is
/// exhausted.
///
/// # Safety
/// `watch` points to a [`CallbackData`] that lives through the call; `input` is null or writable.
unsafe extern "C" fn ask_budget(
    _kind: c_int,
    _message: *const c_char,
    _output: *const HighsCallbackDataOut,
    input: *mut HighsCallbackDataIn,
    watch: *mut c_void,
) {
    if input.is_null() || watch.is_null() {
        return;
    }
    // SAFETY: guaranteed by the caller; see `HighsModel::run`.
    let watch = unsafe { &*watch.cast::<CallbackData<'_>>() };
    if let Some(pulse) = watch.pulse {
        pulse();
    }
    // SAFETY: guaranteed by the caller.
    unsafe { (*input).user_interrupt = c_int::from(watch.budget.is_exhausted()) };
}

/// Returns true if the point with all columns at their lower bounds satisfies all rows, and raising
/// some column would improve the objective. A column without a lower bound is at 0. Upper bounds of
/// columns are not compared. For maxima over contest nets, the primal method then takes a second
/// where the dual one takes more than ten.
fn starts_feasible(program: &LinearProgram) -> bool {
    let start_value =
        |column: Column| i128::from(program.columns()[column.index()].lower.unwrap_or(0));
    let is_improvable = program.objective().iter().any(|&cost| match program.sense() {
        Sense::Minimise => cost < 0,
        Sense::Maximise => cost > 0,
    });
    is_improvable
        && program.iter_rows().all(|(_, entries, bounds)| {
            let value = entries.iter().try_fold(0i128, |sum, &(column, a)| {
                sum.checked_add(i128::from(a).checked_mul(start_value(column))?)
            });
            value.is_some_and(|value| bounds.contains(value))
        })
}

fn sense(program: &LinearProgram) -> HighsInt {
    match program.sense() {
        Sense::Minimise => kHighsObjSenseMinimize,
        Sense::Maximise => kHighsObjSenseMaximize,
    }
}

fn costs(program: &LinearProgram) -> Vec<f64> {
    program.objective().iter().map(|&cost| cost as f64).collect()
}

fn bound_arrays(intervals: &[Interval]) -> (Vec<f64>, Vec<f64>) {
    intervals.iter().map(|&interval| bound_values(interval)).unzip()
}

fn bound_values(interval: Interval) -> (f64, f64) {
    let lower = interval.lower.map_or(f64::NEG_INFINITY, |lower| lower as f64);
    let upper = interval.upper.map_or(f64::INFINITY, |upper| upper as f64);
    (lower, upper)
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigInt;

    #[test]
    fn a_model_answers_repeatedly_after_changes() {
        let mut program = LinearProgram::new(Sense::Maximise);
        let x = program.add_column(Interval::NON_NEGATIVE).unwrap();
        let y = program.add_column(Interval::NON_NEGATIVE).unwrap();
        let first = program.add_row(Interval::at_most(4), [(x, 2), (y, 1)]).unwrap();
        program.add_row(Interval::at_most(4), [(x, 1), (y, 2)]).unwrap();
        let mut model = HighsModel::new(program);
        let budget = Budget::unlimited();
        let bound = |model: &mut HighsModel| match model.solve_again(&budget) {
            LpAnswer::Optimal(optimum) => optimum.certify(model.program()).unwrap().integer_bound(),
            other => panic!("{other:?}"),
        };
        model.set_objective(Sense::Maximise, &[(x, 3), (y, 3)]).unwrap();
        assert_eq!(bound(&mut model), BigInt::from(8));
        model.set_objective(Sense::Maximise, &[(x, 1)]).unwrap();
        assert_eq!(bound(&mut model), BigInt::from(2));
        model.set_row_bounds(first, Interval::at_most(7)).unwrap();
        assert_eq!(bound(&mut model), BigInt::from(3));
        model.add_row(Interval::at_most(1), &[(x, 1)]).unwrap();
        assert_eq!(bound(&mut model), BigInt::from(1));
        model.set_column_bounds(x, Interval::at_least(2)).unwrap();
        let LpAnswer::Infeasible(infeasibility) = model.solve_again(&budget) else { panic!() };
        infeasibility.certify(model.program()).unwrap();
        model.set_column_bounds(x, Interval::between(1, 0)).unwrap();
        let LpAnswer::Infeasible(infeasibility) = model.solve_again(&budget) else { panic!() };
        infeasibility.certify(model.program()).unwrap();
        model.set_column_bounds(x, Interval::NON_NEGATIVE).unwrap();
        model.set_objective(Sense::Minimise, &[(x, -5), (y, -1)]).unwrap();
        assert_eq!(bound(&mut model), BigInt::from(-6));
    }

    #[test]
    fn a_program_without_rows_or_columns_is_answered() {
        let mut model = HighsModel::new(LinearProgram::new(Sense::Maximise));
        assert!(matches!(model.solve_again(&Budget::unlimited()), LpAnswer::Optimal(_)));
        let mut program = LinearProgram::new(Sense::Maximise);
        let x = program.add_column(Interval::NON_NEGATIVE).unwrap();
        program.set_objective(Sense::Maximise, [(x, 1)]).unwrap();
        assert_eq!(Highs.solve(&program, &Budget::unlimited()), LpAnswer::Unbounded);
        let mut program = LinearProgram::new(Sense::Maximise);
        program.add_row(Interval::at_least(1), []).unwrap();
        let LpAnswer::Infeasible(infeasibility) = Highs.solve(&program, &Budget::unlimited())
        else {
            panic!()
        };
        infeasibility.certify(&program).unwrap();
    }

    #[test]
    fn a_cancelled_budget_is_no_answer() {
        let budget = Budget::unlimited();
        budget.cancel();
        let mut model = HighsModel::new(LinearProgram::new(Sense::Maximise));
        assert!(matches!(model.solve_again(&budget), LpAnswer::NoAnswer(NoAnswer::Exhausted(_))));
    }
}
