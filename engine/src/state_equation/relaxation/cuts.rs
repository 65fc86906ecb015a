//! Cuts: sums of firing counts that are fractional in a solution, and integral in every firing
//! sequence.
//!
//! A vertex with a fractional count x_j comes with multipliers y of the rows. Their combination is
//! x_j plus other columns that are 0 at the vertex. The multipliers may be changed by integers,
//! because rows over integral counts have integral values. They are made negative for rows at their
//! lower bound and positive for rows at their upper bound. Then they prove Σ (y·a_e)·x_e ≤
//! y·bounds. Rounding the coefficients down gives a sum S with integral coefficients. Its value v
//! at the vertex is the same and fractional. So S ≤ ⌊v⌋ holds for all integral solutions, but not
//! for the vertex.
//!
//! Nothing here is trusted, and no row is added: the sum is used for a *split*. The side S ≥ ⌊v⌋ +
//! 1 is then refuted and certified like any other proposal.
//!
//! # Sources
//! R. Gomory, *Outline of an algorithm for integer solutions to linear programs*, Bull. AMS 64,
//! 1958; V. Chvátal, *Edmonds polytopes and a hierarchy of combinatorial problems*, Discrete Math.
//! 4, 1973.

use super::{Relaxation, SolutionPoint, TOLERANCE, firing_counter};
use parikh_net::{EffectId, LinearSum};
use parikh_solvers::linear_program::Row;
use std::collections::BTreeMap;

/// Limit on the number of fractional firing counts that are considered for one solution.
const MAX_FRACTIONAL_COUNTS: usize = 12;
/// Limit on the number of terms of a cut. The row of a longer cut would make the linear program too
/// dense.
const MAX_TERMS: usize = 300;
/// Limit on the absolute value of a cut's coefficients.
const MAX_COEFFICIENT: f64 = 1e6;

impl Relaxation<'_> {
    /// Returns at most `max_cuts` sums of firings with fractional values in `point`, each with its
    /// value rounded down, the shortest first. `point` must be the solution found last.
    pub(in super::super) fn cuts(
        &mut self,
        point: &SolutionPoint,
        max_cuts: usize,
    ) -> Vec<(LinearSum, i64)> {
        let distance_to_integer = |count: f64| (count - count.round()).abs();
        let mut fractional: Vec<(f64, EffectId)> = Vec::new();
        for effect in self.net.effect_classes() {
            let Some(column) = self.equation.column(effect) else { continue };
            let count = point.firings.get(column.index()).copied().unwrap_or(0.0);
            if distance_to_integer(count) > 100.0 * TOLERANCE {
                fractional.push((distance_to_integer(count), effect));
            }
        }
        fractional.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut cuts: Vec<(LinearSum, i64)> = Vec::new();
        for &(_, effect) in fractional.iter().take(MAX_FRACTIONAL_COUNTS) {
            let cut = self.cut_for(point, effect);
            cuts.extend(cut.filter(|cut| !cuts.contains(cut)));
        }
        cuts.sort_by_key(|(sum, _)| sum.terms().len());
        cuts.truncate(max_cuts);
        cuts
    }

    /// Returns the cut from the row of the basis in which the firing count of `effect` is basic.
    /// Returns `None` if the solver gives no such row, or if the cut is too large or has an
    /// integral value.
    fn cut_for(&mut self, point: &SolutionPoint, effect: EffectId) -> Option<(LinearSum, i64)> {
        let column = self.equation.column(effect)?;
        let multipliers = self.lp.inverse_row(column)?;
        let program = self.lp.program();
        let mut coefficients: BTreeMap<u32, f64> = BTreeMap::new();
        for (row, y) in multipliers {
            let Some(y) = self.signed_fraction(point, row, y) else { continue };
            for &(column, a) in program.row(row) {
                *coefficients.entry(column.0).or_default() += y * a as f64;
            }
        }
        let mut terms = Vec::new();
        let mut value = 0.0;
        for effect in self.net.effect_classes() {
            let Some(column) = self.equation.column(effect) else { continue };
            let Some(sum) = coefficients.get(&column.0) else { continue };
            let coefficient = (sum + TOLERANCE).floor();
            if coefficient.abs() > MAX_COEFFICIENT {
                return None;
            }
            if coefficient != 0.0 {
                terms.push((firing_counter(self.net, effect), coefficient as i64));
                value += coefficient * point.firings[column.index()];
            }
        }
        let is_fractional = value.abs() < 1e9 && (value - value.round()).abs() > 100.0 * TOLERANCE;
        if terms.is_empty() || terms.len() > MAX_TERMS || !is_fractional {
            return None;
        }
        Some((LinearSum::new(terms).ok()?, value.floor() as i64))
    }

    /// Returns the fractional part of the row's multiplier `y`. It is negative if the row is at its
    /// lower bound at `point`, and positive if it is at its upper bound. Returns `None` for an
    /// integral multiplier, and for a row that is at neither bound.
    fn signed_fraction(&self, point: &SolutionPoint, row: Row, y: f64) -> Option<f64> {
        if (y - y.round()).abs() < TOLERANCE {
            return None;
        }
        let program = self.lp.program();
        let terms = program.row(row).iter();
        let value: f64 = terms.map(|&(c, a)| a as f64 * point.firings[c.index()]).sum();
        let is_active =
            |bound: Option<i64>| bound.is_some_and(|bound| (value - bound as f64).abs() < 1e-4);
        let interval = program.rows()[row.index()];
        match (is_active(interval.lower), is_active(interval.upper)) {
            (true, _) => Some(y - y.ceil()),
            (false, true) => Some(y - y.floor()),
            // A row that is at neither bound is basic, so its exact multiplier is 0 and `y` is only
            // numerical noise.
            (false, false) => None,
        }
    }
}
