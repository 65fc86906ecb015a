//! Cuts: sums of firings that are broken in a solution, and whole in whatever really happens.
//!
//! A vertex with a broken count x_j comes with multipliers y of the rows whose combination reads
//! x_j plus other columns that are 0 there. Multipliers may be changed by whole numbers, since rows
//! of whole counts have whole values: made negative where a row is at its lower end and positive
//! where it is at its upper end, they prove Σ (y·a_e)·x_e ≤ y·ends, and rounding the coefficients
//! down leaves a sum S of whole numbers with the same value in the vertex, a broken one. So S ≤ ⌊S⌋
//! holds of all solutions in whole numbers and not of the vertex.
//!
//! Nothing here is trusted, and nothing is added as a row: the sum is one to *split* on. That
//! S ≥ ⌊S⌋ + 1 is impossible is then found, and written down, like any other refutation.
//!
//! # Sources
//! R. Gomory, *Outline of an algorithm for integer solutions to linear programs*, Bull. AMS 64,
//! 1958; V. Chvátal, *Edmonds polytopes and a hierarchy of combinatorial problems*, Discrete Math.
//! 4, 1973.

use super::{Point, Relaxation, TOLERANCE, counter};
use parikh_net::{EffectId, LinearSum};
use parikh_solvers::linear_program::Row;
use std::collections::BTreeMap;

/// Broken counts looked at for one solution.
const ROWS: usize = 12;
/// The longest sums worth splitting on.
const TERMS: usize = 300;
/// The largest coefficients.
const LARGEST: f64 = 1e6;

impl Relaxation<'_> {
    /// Sums of firings that are broken in `point`, each with its value rounded down, shortest
    /// first; at most so many. `point` must be the solution found last.
    pub(in super::super) fn cuts(&mut self, point: &Point, most: usize) -> Vec<(LinearSum, i64)> {
        let distance = |count: f64| (count - count.round()).abs();
        let mut broken: Vec<(f64, EffectId)> = Vec::new();
        for effect in self.net.effect_classes() {
            let Some(column) = self.equation.column(effect) else { continue };
            let count = point.firings.get(column.index()).copied().unwrap_or(0.0);
            if distance(count) > 100.0 * TOLERANCE {
                broken.push((distance(count), effect));
            }
        }
        broken.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut cuts: Vec<(LinearSum, i64)> = Vec::new();
        for &(_, effect) in broken.iter().take(ROWS) {
            let cut = self.cut(point, effect);
            cuts.extend(cut.filter(|cut| !cuts.contains(cut)));
        }
        cuts.sort_by_key(|(sum, _)| sum.terms().len());
        cuts.truncate(most);
        cuts
    }

    fn cut(&mut self, point: &Point, effect: EffectId) -> Option<(LinearSum, i64)> {
        let column = self.equation.column(effect)?;
        let multipliers = self.lp.inverse_row(column)?;
        let program = self.lp.program();
        let mut gains: BTreeMap<u32, f64> = BTreeMap::new();
        for (row, y) in multipliers {
            let Some(y) = self.fraction(point, row, y) else { continue };
            for &(column, a) in program.row(row) {
                *gains.entry(column.0).or_default() += y * a as f64;
            }
        }
        let mut terms = Vec::new();
        let mut value = 0.0;
        for effect in self.net.effect_classes() {
            let Some(column) = self.equation.column(effect) else { continue };
            let Some(gain) = gains.get(&column.0) else { continue };
            let coefficient = (gain + TOLERANCE).floor();
            if coefficient.abs() > LARGEST {
                return None;
            }
            if coefficient != 0.0 {
                terms.push((counter(self.net, effect), coefficient as i64));
                value += coefficient * point.firings[column.index()];
            }
        }
        let broken = value.abs() < 1e9 && (value - value.round()).abs() > 100.0 * TOLERANCE;
        if terms.is_empty() || terms.len() > TERMS || !broken {
            return None;
        }
        Some((LinearSum::new(terms).ok()?, value.floor() as i64))
    }

    /// A multiplier of a row less a whole number, with the sign that suits the row's end at
    /// `point`.
    fn fraction(&self, point: &Point, row: Row, y: f64) -> Option<f64> {
        if (y - y.round()).abs() < TOLERANCE {
            return None;
        }
        let program = self.lp.program();
        let terms = program.row(row).iter();
        let value: f64 = terms.map(|&(c, a)| a as f64 * point.firings[c.index()]).sum();
        let at = |end: Option<i64>| end.is_some_and(|end| (value - end as f64).abs() < 1e-4);
        let interval = program.rows()[row.index()];
        match (at(interval.lower), at(interval.upper)) {
            (true, _) => Some(y - y.ceil()),
            (false, true) => Some(y - y.floor()),
            // A row with slack is basic and has no part in this, but for noise.
            (false, false) => None,
        }
    }
}
