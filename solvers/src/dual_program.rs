//! The dual of a linear program as a linear program, for back-ends without dual values. A point of
//! the dual is a proof about the primal, so solving the dual yields the certificate.
//!
//! For maximise c·x, rows in [L, U], columns in [l, u], with y = p − q and c − Aᵀ·y = s − t:
//!
//! > minimise Σ U·p − L·q + Σ u·s − l·t  subject to  Aᵀ·(p − q) + s − t = c,  p, q, s, t ≥ 0
//!
//! A variable whose bound does not exist is left out. A minimising primal is first turned into one
//! that maximises −c, and the signs of the multipliers are changed back.

use crate::linear_program::{Column, Interval, LinearProgram, ProgramError, Row, Sense};

/// A dual program with the mapping back to multipliers of the primal rows.
pub(crate) struct DualProgram {
    pub(crate) program: LinearProgram,
    /// For each of the first columns of `program`: its primal row, and its factor (1 or −1) in the
    /// multiplier of this row.
    origins: Vec<(Row, f64)>,
    /// Number of rows of the primal.
    rows: usize,
}

impl DualProgram {
    /// Builds the dual of `primal`, whose optimum proves the optimum of `primal`. Returns `None` if
    /// a number does not fit 64 bits or there are too many columns.
    pub(crate) fn of(primal: &LinearProgram) -> Option<Self> {
        let is_minimised = primal.sense() == Sense::Minimise;
        let costs: Option<Vec<i64>> = primal
            .objective()
            .iter()
            .map(|&cost| if is_minimised { cost.checked_neg() } else { Some(cost) })
            .collect();
        let sign = if is_minimised { -1.0 } else { 1.0 };
        Self::build(primal, &costs?, sign, None).ok()?
    }

    /// Builds the dual of `primal` with objective 0 and p, q ≤ 1. If no column of `primal` has an
    /// empty interval, the optimum is negative if and only if `primal` has no points. The optimal
    /// point is then a Farkas ray. Returns `None` in the same cases as [`of`](Self::of).
    pub(crate) fn of_feasibility(primal: &LinearProgram) -> Option<Self> {
        Self::build(primal, &vec![0; primal.columns().len()], 1.0, Some(1)).ok()?
    }

    /// Builds the dual for the given costs. `sign` is −1 for a primal that is minimised. With
    /// `limit`, the dual variables of rows are at most `limit`.
    fn build(
        primal: &LinearProgram,
        costs: &[i64],
        sign: f64,
        limit: Option<i64>,
    ) -> Result<Option<Self>, ProgramError> {
        let mut program = LinearProgram::new(Sense::Minimise);
        let mut origins = Vec::new();
        let mut objective = Vec::new();
        // Coefficients of the dual rows, one row per primal column.
        let mut transposed: Vec<Vec<(Column, i64)>> = vec![Vec::new(); costs.len()];
        for (row, entries, bounds) in primal.iter_rows() {
            for (bound, is_upper) in [(bounds.upper, true), (bounds.lower, false)] {
                let Some(bound) = bound else { continue };
                let y = program.add_column(Interval { lower: Some(0), upper: limit })?;
                origins.push((row, if is_upper { sign } else { -sign }));
                let Some(cost) = signed(bound, is_upper) else { return Ok(None) };
                objective.push((y, cost));
                for &(column, a) in entries {
                    let Some(a) = signed(a, is_upper) else { return Ok(None) };
                    transposed[column.index()].push((y, a));
                }
            }
        }
        for ((bounds, entries), &cost) in primal.columns().iter().zip(&mut transposed).zip(costs) {
            if *bounds == Interval::NON_NEGATIVE {
                // The most common column: t costs nothing, so it becomes the slack of the row.
                program.add_row(Interval::at_least(cost), entries.drain(..))?;
                continue;
            }
            for (bound, is_upper) in [(bounds.upper, true), (bounds.lower, false)] {
                let Some(bound) = bound else { continue };
                let reduced = program.add_column(Interval::NON_NEGATIVE)?;
                let Some(price) = signed(bound, is_upper) else { return Ok(None) };
                objective.push((reduced, price));
                entries.push((reduced, if is_upper { 1 } else { -1 }));
            }
            program.add_row(Interval::exactly(cost), entries.drain(..))?;
        }
        program.set_objective(Sense::Minimise, objective)?;
        Ok(Some(DualProgram { program, origins, rows: primal.rows().len() }))
    }

    /// Returns the multipliers that a point of the dual represents, one per primal row.
    pub(crate) fn multipliers(&self, point: &[f64]) -> Vec<f64> {
        let mut multipliers = vec![0.0; self.rows];
        for (&(row, sign), value) in self.origins.iter().zip(point) {
            multipliers[row.index()] += sign * value;
        }
        multipliers
    }
}

/// Returns `value` if `is_positive`, otherwise −`value`. Returns `None` if −`value` does not fit 64
/// bits.
fn signed(value: i64, is_positive: bool) -> Option<i64> {
    if is_positive { Some(value) } else { value.checked_neg() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dual_of_a_wedge_is_the_textbook_one() {
        let mut primal = LinearProgram::new(Sense::Maximise);
        let x = primal.add_column(Interval::NON_NEGATIVE).unwrap();
        let y = primal.add_column(Interval::between(-1, 5)).unwrap();
        primal.add_row(Interval::at_most(4), [(x, 2), (y, 1)]).unwrap();
        primal.add_row(Interval::between(1, 3), [(x, 1)]).unwrap();
        primal.set_objective(Sense::Maximise, [(x, 7), (y, 1)]).unwrap();
        let dual = DualProgram::of(&primal).unwrap();
        assert_eq!(dual.program.objective(), [4, 3, -1, 5, 1]);
        let columns: Vec<Column> = (0..5).map(Column).collect();
        assert_eq!(dual.program.row(Row(0)), [(columns[0], 2), (columns[1], 1), (columns[2], -1)]);
        assert_eq!(dual.program.row(Row(1)), [(columns[0], 1), (columns[3], 1), (columns[4], -1)]);
        assert_eq!(dual.program.rows(), [Interval::at_least(7), Interval::exactly(1)]);
        assert_eq!(dual.multipliers(&[1.0, 2.0, 0.5, 0.0, 0.0]), [1.0, 1.5]);
    }
}
