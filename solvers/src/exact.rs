//! Multipliers from the equations that the floating-point multipliers nearly solve.
//!
//! The multipliers at a vertex make the reduced costs of some columns zero. This gives linear
//! equations with integer coefficients, whose solution may have denominators that no rounding
//! finds. The floating-point numbers still show which rows have a multiplier and which columns have
//! reduced cost zero. The equations are therefore solved again in integers. Unknowns that the
//! equations leave free keep their rounded values.
//!
//! As in [`rational`](crate::rational), verdicts do not depend on this code: the result is a guess,
//! and [`certify`](crate::certify) checks it.
//!
//! # Sources
//! D. Applegate, W. Cook, S. Dash, D. Espinoza: Exact solutions to linear programming problems,
//! Operations Research Letters 35, 2007.

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use std::collections::BTreeMap;

use crate::linear_program::{LinearProgram, Row};
use crate::multipliers::Multipliers;
use crate::rational::{NOISE_FRACTION, largest, nearest};

/// A reduced cost counts as zero up to this fraction of its size. The size is the absolute cost of
/// the column or the sum of the absolute values of the other terms, whichever is larger. It is also
/// the tolerance when a multiplier is rounded to a fraction.
const ZERO_TOLERANCE: f64 = 1e-7;

/// Limit on the work of the elimination, counted in coefficients of combined equations. Beyond it
/// the system counts as too large.
const MAX_COMBINED_COEFFICIENTS: usize = 1_000_000;

/// Limit on the bits of a coefficient; beyond it the system counts as too large.
const MAX_COEFFICIENT_BITS: u64 = 2048;

/// Σ coefficient · unknown = constant.
struct Equation {
    /// The coefficient of each unknown, without zeros.
    terms: BTreeMap<usize, BigInt>,
    /// The right side.
    constant: BigInt,
}

/// Returns exact multipliers near `values` (one per row) that make zero every reduced cost that is
/// nearly zero for `values`. `costs` are the costs of the columns. Without `costs`, `values` is a
/// ray, and all costs are 0. Returns `None` if the equations are contradictory or too large. Also
/// returns `None` if `values` has an infinite value, or no number other than 0.
pub(crate) fn multipliers(
    program: &LinearProgram,
    values: &[f64],
    costs: Option<&[i64]>,
) -> Option<Multipliers> {
    let largest = largest(values);
    if !largest.is_finite() || largest == 0.0 {
        return None;
    }
    // For a ray, only the direction matters.
    let scale = if costs.is_some() { 1.0 } else { 1.0 / largest };
    let significant = values.iter().enumerate().filter(|(_, y)| y.abs() > largest * NOISE_FRACTION);
    let unknowns: Vec<(Row, f64)> = significant
        .map(|(row, &y)| Some((Row(u32::try_from(row).ok()?), y * scale)))
        .collect::<Option<_>>()?;
    let solved = solve(equations(program, &unknowns, costs))?;
    let mut fractions: Vec<BigRational> = Vec::with_capacity(unknowns.len());
    for &(_, y) in &unknowns {
        fractions.push(nearest(y, 10_000, ZERO_TOLERANCE).or_else(|| BigRational::from_float(y))?);
    }
    // Any other unknown in an equation is free, or belongs to a later equation.
    for (unknown, equation) in solved.into_iter().rev() {
        let mut remainder = BigRational::from(equation.constant);
        for (other, a) in equation.terms.iter().filter(|&(&other, _)| other != unknown) {
            remainder -= &fractions[*other] * a;
        }
        fractions[unknown] = remainder / equation.terms.get(&unknown)?;
    }
    let denominator =
        fractions.iter().fold(BigInt::one(), |lcm_so_far, one| lcm_so_far.lcm(one.denom()));
    let numerator = |fraction: &BigRational| fraction.numer() * (&denominator / fraction.denom());
    let numerators = unknowns.iter().zip(&fractions).map(|(&(row, _), y)| (row, numerator(y)));
    let numerators = numerators.filter(|(_, y)| !y.is_zero()).collect();
    Some(Multipliers { denominator, numerators })
}

/// The combination of the rows, weighted by the unknown multipliers, in one column.
#[derive(Default)]
struct Combination {
    /// Pairs of an unknown and its coefficient in the column.
    terms: Vec<(usize, BigInt)>,
    /// The value of the combination at the floating-point multipliers.
    sum: f64,
    /// The sum of the absolute values of the terms.
    absolute_sum: f64,
}

/// Returns an equation for each column whose reduced cost is nearly zero, short equations first.
/// Columns without an entry in a row of an unknown are left out.
fn equations(
    program: &LinearProgram,
    unknowns: &[(Row, f64)],
    costs: Option<&[i64]>,
) -> Vec<Equation> {
    let mut columns: BTreeMap<usize, Combination> = BTreeMap::new();
    for (unknown, &(row, y)) in unknowns.iter().enumerate() {
        for &(column, a) in program.row(row) {
            let combined = columns.entry(column.index()).or_default();
            combined.terms.push((unknown, a.into()));
            combined.sum += y * a as f64;
            combined.absolute_sum += (y * a as f64).abs();
        }
    }
    let equation = |(column, combined): (usize, Combination)| {
        let cost = costs.map_or(0, |costs| costs[column]);
        let size = combined.absolute_sum.max((cost as f64).abs());
        let is_nearly_zero = (cost as f64 - combined.sum).abs() <= ZERO_TOLERANCE * size;
        let terms = combined.terms.into_iter().collect();
        is_nearly_zero.then_some(Equation { terms, constant: cost.into() })
    };
    let mut equations: Vec<Equation> = columns.into_iter().filter_map(equation).collect();
    equations.sort_by_key(|equation| equation.terms.len());
    equations
}

/// Solves the equations by Gaussian elimination. Returns the independent equations, each with one
/// of its unknowns that no later equation contains. Returns `None` if the equations are
/// contradictory or too large.
fn solve(equations: Vec<Equation>) -> Option<Vec<(usize, Equation)>> {
    let mut solved: Vec<(usize, Equation)> = Vec::new();
    let mut work = 0;
    for mut equation in equations {
        for (unknown, solved_equation) in &solved {
            let Some(factor) = equation.terms.get(unknown).cloned() else { continue };
            work += solved_equation.terms.len() + equation.terms.len();
            let pivot = solved_equation.terms.get(unknown)?;
            let common = factor.gcd(pivot);
            equation.combine(&(pivot / &common), solved_equation, &(factor / common));
        }
        work += equation.terms.len();
        equation.shorten();
        if work > MAX_COMBINED_COEFFICIENTS
            || equation.terms.values().any(|a| a.bits() > MAX_COEFFICIENT_BITS)
        {
            return None;
        }
        match equation.terms.iter().min_by_key(|(_, a)| a.bits()) {
            Some((&unknown, _)) => solved.push((unknown, equation)),
            None if equation.constant.is_zero() => {}
            None => return None,
        }
    }
    Some(solved)
}

impl Equation {
    /// Replaces this equation by `own_factor` times this equation minus `factor` times `other`.
    fn combine(&mut self, own_factor: &BigInt, other: &Equation, factor: &BigInt) {
        self.terms.values_mut().for_each(|a| *a *= own_factor);
        for (&unknown, a) in &other.terms {
            *self.terms.entry(unknown).or_default() -= a * factor;
        }
        self.terms.retain(|_, a| !a.is_zero());
        self.constant = &self.constant * own_factor - &other.constant * factor;
    }

    /// Divides the equation by the greatest common divisor of its numbers.
    fn shorten(&mut self) {
        let common = self.terms.values().fold(self.constant.abs(), |common, a| common.gcd(a));
        if common > BigInt::one() {
            self.terms.values_mut().for_each(|a| *a /= &common);
            self.constant /= common;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certify::{Effort, bound_near, infeasible_near};
    use crate::linear_program::{Column, Interval, Sense};

    const LENGTH: u32 = 15;

    /// Maximise the last x, where x₀ ≤ 1 and 7·xᵢ₊₁ ≤ 5·xᵢ + 1: the multipliers are powers of 5/7.
    fn chain() -> (LinearProgram, Vec<f64>, BigRational) {
        let mut program = LinearProgram::new(Sense::Maximise);
        let columns: Vec<Column> =
            (0..=LENGTH).map(|_| program.add_column(Interval::NON_NEGATIVE).unwrap()).collect();
        program.add_row(Interval::at_most(1), [(columns[0], 1)]).unwrap();
        let fraction = |a: i64, b: i64| BigRational::new(a.into(), b.into());
        let mut optimum = fraction(1, 1);
        for pair in columns.windows(2) {
            program.add_row(Interval::at_most(1), [(pair[1], 7), (pair[0], -5)]).unwrap();
            optimum = optimum * fraction(5, 7) + fraction(1, 7);
        }
        program.set_objective(Sense::Maximise, [(columns[LENGTH as usize], 1)]).unwrap();
        let below = |row: u32| (5.0f64 / 7.0).powi((LENGTH - row) as i32);
        let values = (0..=LENGTH).map(|row| below(row) / if row == 0 { 1.0 } else { 7.0 });
        (program, values.collect(), optimum)
    }

    #[test]
    fn fractions_with_large_denominators_are_solved_from_equations() {
        let (program, values, optimum) = chain();
        let noisy: Vec<f64> = values.iter().zip(1..).map(|(y, k)| y + 1e-12 * k as f64).collect();
        let expected = optimum.numer().to_string().len();
        assert!(expected > 9, "{optimum}");
        let (bound, effort) = bound_near(&program, &noisy, 0.5).unwrap();
        assert_eq!((bound.bound(), effort), (&optimum, Effort::SolvedExactly));
    }

    #[test]
    fn rays_of_any_length_and_sign_are_solved() {
        let (mut program, values, optimum) = chain();
        // A bound above the optimum by less than a thousandth.
        let scale = 10_000;
        let above = (optimum * BigInt::from(scale)).ceil().to_integer();
        let last = Column(LENGTH);
        let above = i64::try_from(above).unwrap();
        program.add_row(Interval::at_least(above), [(last, scale)]).unwrap();
        program.set_objective(Sense::Maximise, []).unwrap();
        for factor in [3e4, -0.01] {
            let mut ray: Vec<f64> = values.iter().map(|y| y * factor).collect();
            ray.push(-factor / scale as f64);
            let (_, effort) = infeasible_near(&program, &ray).unwrap();
            assert_eq!(effort, Effort::SolvedExactly, "{factor}");
        }
    }

    #[test]
    fn equations_that_contradict_each_other_have_no_solution() {
        let mut program = LinearProgram::new(Sense::Maximise);
        let columns = [0, 1].map(|_| program.add_column(Interval::NON_NEGATIVE).unwrap());
        program.add_row(Interval::at_most(1), columns.map(|column| (column, 1))).unwrap();
        let guess = |second| multipliers(&program, &[1e9], Some(&[1_000_000_000, second]));
        assert_eq!(guess(1_000_000_001), None);
        let same = guess(1_000_000_000).unwrap();
        assert_eq!(same.numerators, [(Row(0), BigInt::from(1_000_000_000))]);
        assert_eq!(multipliers(&program, &[0.0], None), None);
        assert_eq!(multipliers(&program, &[f64::NAN], None), None);
    }
}
