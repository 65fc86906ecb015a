//! microlp through good_lp: the LP back-end of builds without native code.
//!
//! # Choice of microlp over minilp
//! minilp has had no release since 2020. The feature of that name in good_lp is microlp, its
//! maintained fork. On contest nets it is as fast as HiGHS for single places, and ten times slower
//! or worse for sums over many places.
//!
//! # Quirks
//! microlp returns no dual values, so certificates come from solving the dual program (a second
//! run). It can be stopped only by a time limit, so a cancelled budget takes effect only then. On
//! random degenerate programs, microlp 0.6.0 cycles forever on about one in 10,000. It calls about
//! as many programs unbounded that are not (minimise −y with y ≥ 0, x free, row y ≤ 0). Therefore
//! `patience` limits the time of a run, and "unbounded" must be confirmed by an infeasible dual. A
//! run that failed in either way is repeated with rows and columns in reverse order. microlp may
//! panic on numerically hard input, which loses only that question.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use good_lp::solvers::WithTimeLimit;
use good_lp::{
    Expression, ProblemVariables, ResolutionError, Solution, SolverModel, constraint, variable,
};

use crate::answer::NoAnswer;
use crate::budget::{Budget, ExhaustionReason};
use crate::certify;
use crate::dual_program::DualProgram;
use crate::linear_program::{Interval, LinearProgram, Sense};
use crate::lp::{Infeasibility, LpAnswer, LpSolver, Optimum};

/// The pure-Rust LP back-end.
#[derive(Clone, Debug)]
pub struct MicroLp {
    /// True if the dual is solved, too, so that answers usually have multipliers.
    has_certificates: bool,
}

impl Default for MicroLp {
    fn default() -> Self {
        MicroLp { has_certificates: true }
    }
}

impl MicroLp {
    /// Creates a solver that also solves the dual after an optimum or infeasibility is found. The
    /// answers can then usually be certified.
    pub fn new() -> Self {
        MicroLp::default()
    }

    /// Creates a solver whose answers have no multipliers: it solves the dual only to confirm an
    /// unbounded program.
    pub fn without_certificates() -> Self {
        MicroLp { has_certificates: false }
    }
}

impl LpSolver for MicroLp {
    fn name(&self) -> String {
        "microlp".to_owned()
    }

    fn solve(&mut self, program: &LinearProgram, budget: &Budget) -> LpAnswer {
        if certify::empty_interval(program).is_some() {
            return LpAnswer::Infeasible(Infeasibility::default());
        }
        let mut answer = solve_primal(program, budget);
        if self.has_certificates {
            match &mut answer {
                LpAnswer::Optimal(optimum) => {
                    optimum.multipliers = multipliers(DualProgram::of(program), budget);
                }
                LpAnswer::Infeasible(infeasibility) => {
                    infeasibility.multipliers =
                        multipliers(DualProgram::of_feasibility(program), budget);
                }
                LpAnswer::Unbounded | LpAnswer::NoAnswer(_) => {}
            }
        }
        answer
    }
}

/// Returns the multipliers that an optimal point of the dual represents. Returns `None` if there is
/// no dual program or microlp finds no such point.
fn multipliers(dual: Option<DualProgram>, budget: &Budget) -> Option<Vec<f64>> {
    let dual = dual?;
    match solve_primal(&dual.program, budget) {
        LpAnswer::Optimal(optimum) => Some(dual.multipliers(&optimum.point)),
        _ => None,
    }
}

/// Returns the time limit of a run. It is more than ten times the measured time of a run that does
/// not cycle.
fn patience(program: &LinearProgram) -> Duration {
    let (_, entries) = program.compressed_rows();
    let size = entries.len() + program.columns().len() + program.rows().len();
    // No program has 2³² entries and an answer within reasonable time.
    Duration::from_millis(300) + Duration::from_millis(2) * u32::try_from(size).unwrap_or(u32::MAX)
}

/// The order in which columns and rows are passed to microlp.
#[derive(Clone, Copy)]
enum ColumnOrder {
    AsGiven,
    Reversed,
}

/// Solves a program with its rows and columns in the given order. Tries the reverse order if
/// microlp gives no answer, or if it reports an unbounded program whose dual is not found to be
/// infeasible.
fn solve_primal(program: &LinearProgram, budget: &Budget) -> LpAnswer {
    let mut no_answer =
        NoAnswer::Unknown("microlp reports a bounded program as unbounded".to_owned());
    for order in [ColumnOrder::AsGiven, ColumnOrder::Reversed] {
        match attempt(program, order, budget) {
            LpAnswer::Unbounded if !is_dual_infeasible(program, budget) => {}
            LpAnswer::NoAnswer(NoAnswer::Exhausted(_)) => {
                no_answer = NoAnswer::Unknown("microlp does not terminate".to_owned());
            }
            LpAnswer::NoAnswer(reason) => no_answer = reason,
            answer => return answer,
        }
    }
    // If the budget of the caller is exhausted, this reason is reported rather than the outcome of
    // an attempt.
    LpAnswer::NoAnswer(budget.exhausted().map_or(no_answer, NoAnswer::from))
}

/// Returns true if microlp finds the dual infeasible, which is necessary for a program with points
/// to be unbounded. Returns false as well if there is no dual program or no answer.
fn is_dual_infeasible(program: &LinearProgram, budget: &Budget) -> bool {
    DualProgram::of(program).is_some_and(|dual| {
        matches!(attempt(&dual.program, ColumnOrder::AsGiven, budget), LpAnswer::Infeasible(_))
    })
}

/// Solves a program once within the time limit `patience`, and turns a panic into a failure.
fn attempt(program: &LinearProgram, order: ColumnOrder, budget: &Budget) -> LpAnswer {
    if let Some(exhausted) = budget.exhausted() {
        return LpAnswer::NoAnswer(exhausted.into());
    }
    let slice = budget.slice(patience(program));
    // A panic leaves no inconsistent state, because the closure changes none of our data.
    let answer = catch_unwind(AssertUnwindSafe(|| run(program, order, &slice)));
    answer.unwrap_or_else(|_| LpAnswer::NoAnswer(NoAnswer::Failed("microlp panicked".to_owned())))
}

/// Solves a program once.
fn run(program: &LinearProgram, order: ColumnOrder, budget: &Budget) -> LpAnswer {
    let mut problem = ProblemVariables::new();
    let mut is_used: Vec<bool> = program.objective().iter().map(|&cost| cost != 0).collect();
    let (_, entries) = program.compressed_rows();
    entries.iter().for_each(|(column, _)| is_used[column.index()] = true);
    let mut add_column = |(bounds, is_used): (&Interval, &bool)| {
        // An unused column may have any value, and a free column confuses microlp.
        let some_value = Interval::exactly(bounds.lower.or(bounds.upper).unwrap_or(0));
        let bounds = if *is_used { *bounds } else { some_value };
        let lower = bounds.lower.map_or(f64::NEG_INFINITY, |lower| lower as f64);
        let upper = bounds.upper.map_or(f64::INFINITY, |upper| upper as f64);
        problem.add(variable().min(lower).max(upper))
    };
    let columns: Vec<_> = match order {
        ColumnOrder::AsGiven => {
            program.columns().iter().zip(&is_used).map(&mut add_column).collect()
        }
        ColumnOrder::Reversed => {
            let mut columns: Vec<_> =
                program.columns().iter().zip(&is_used).rev().map(&mut add_column).collect();
            columns.reverse();
            columns
        }
    };
    let costs = program.objective().iter().zip(&columns).filter(|&(&cost, _)| cost != 0);
    let mut objective = Expression::with_capacity(costs.clone().count());
    for (&cost, &column) in costs {
        objective.add_mul(cost as f64, column);
    }
    let problem = match program.sense() {
        Sense::Minimise => problem.minimise(objective),
        Sense::Maximise => problem.maximise(objective),
    };
    let mut model = problem.using(good_lp::solvers::microlp::microlp);
    let mut rows: Vec<_> = program.iter_rows().collect();
    if matches!(order, ColumnOrder::Reversed) {
        rows.reverse();
    }
    for (_, entries, bounds) in rows {
        let sum = || {
            let mut sum = Expression::with_capacity(entries.len());
            for &(column, a) in entries {
                sum.add_mul(a as f64, columns[column.index()]);
            }
            sum
        };
        match (bounds.lower, bounds.upper) {
            (Some(lower), Some(upper)) if lower == upper => {
                model.add_constraint(constraint::eq(sum(), lower as f64));
            }
            (lower, upper) => {
                if let Some(lower) = lower {
                    model.add_constraint(constraint::geq(sum(), lower as f64));
                }
                if let Some(upper) = upper {
                    model.add_constraint(constraint::leq(sum(), upper as f64));
                }
            }
        }
    }
    if let Some(time) = budget.remaining() {
        model = model.with_time_limit(time.as_secs_f64());
    }
    match model.solve() {
        Ok(solution) => {
            // Programs have no integer variables, so microlp returns no point when it stops early.
            let point: Vec<f64> = columns.iter().map(|&column| solution.value(column)).collect();
            let costs = program.objective().iter().zip(&point);
            let objective = costs.map(|(&cost, value)| cost as f64 * value).sum();
            LpAnswer::Optimal(Optimum { objective, point, multipliers: None })
        }
        Err(ResolutionError::Infeasible) => LpAnswer::Infeasible(Infeasibility::default()),
        Err(ResolutionError::Unbounded) => LpAnswer::Unbounded,
        // The slice of this run or the whole budget is exhausted.
        Err(_) if budget.is_exhausted() => LpAnswer::NoAnswer(ExhaustionReason::Time.into()),
        Err(error) => LpAnswer::NoAnswer(NoAnswer::Failed(error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spent_budget_is_no_answer() {
        let mut program = LinearProgram::new(Sense::Maximise);
        program.add_column(Interval::between(0, 1)).unwrap();
        let answer = MicroLp::new().solve(&program, &Budget::lasting(Duration::ZERO));
        assert_eq!(answer, LpAnswer::NoAnswer(NoAnswer::Exhausted(ExhaustionReason::Time)));
    }
}
