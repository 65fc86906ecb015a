//! Rows of traps and of lower bounds: sums of tokens that never fall below a number.

use super::{LearnedRows, Relaxation, RowForm, SolutionPoint, TOLERANCE};
use parikh_encodings::StateEquation;
use parikh_evidence::certificate::LowerBound;
use parikh_net::{LinearSum, PlaceId};
use parikh_solvers::linear_program::{Interval, LinearProgram, ProgramError};

/// For each lower bound of a single place, raises the lower bound of the place's own row.
pub(super) fn add(
    program: &mut LinearProgram,
    lower_bounds: &[LowerBound],
    initially: impl Fn(PlaceId) -> u64,
) -> Result<(), ProgramError> {
    for bound in lower_bounds {
        let [(place, 1)] = bound.weights[..] else { continue };
        let row = StateEquation::row(place);
        // Both token counts are below 2⁶³.
        let lower = Some(bound.tokens as i64 - initially(place) as i64);
        program.set_row_bounds(row, Interval { lower, ..program.rows()[row.index()] })?;
    }
    Ok(())
}

impl Relaxation<'_> {
    /// Returns the numbers of traps and of lower bounds found so far.
    pub(in super::super) fn learned(&self) -> LearnedRows {
        LearnedRows { traps: self.traps.len(), lower_bounds: self.lower_bounds.len() }
    }

    /// Returns the traps found so far. Lemmas refer to the traps by these indices.
    pub(in super::super) fn traps(&self) -> &[Vec<PlaceId>] {
        &self.traps
    }

    /// Returns the lower bounds found so far. Lemmas refer to the bounds by these indices.
    pub(in super::super) fn lower_bounds(&self) -> &[LowerBound] {
        &self.lower_bounds
    }

    /// Returns true if the point satisfies all traps and lower bounds learned after `since`.
    pub(in super::super) fn allows(&self, point: &SolutionPoint, since: LearnedRows) -> bool {
        let satisfies = |bound: &LowerBound| {
            let terms = bound.weights.iter();
            let value: f64 = terms.map(|&(p, w)| w as f64 * point.marking[p.index()]).sum();
            value >= bound.tokens as f64 - TOLERANCE * (bound.tokens as f64).max(1.0)
        };
        self.traps[since.traps..].iter().all(|trap| point.marks_trap(trap))
            && self.lower_bounds[since.lower_bounds..].iter().all(satisfies)
    }

    /// Adds a row for a marked trap: the sum of its places is at least 1. Does nothing if the trap
    /// is known, if a number does not fit 64 bits, or if the program refuses the row.
    pub(in super::super) fn add_trap(&mut self, trap: Vec<PlaceId>) {
        let weights = trap.iter().map(|&place| (place, 1)).collect();
        let form = RowForm::Trap(self.traps.len());
        if !self.traps.contains(&trap) && self.add_at_least_row(weights, 1, form) {
            self.traps.push(trap);
        }
    }

    /// Adds a row for a weighted sum with a lower bound. Does nothing if the bound is known, if a
    /// number does not fit 64 bits, or if the program refuses the row.
    pub(in super::super) fn add_lower_bound(&mut self, bound: LowerBound) {
        let weights = bound.weights.iter().filter_map(|&(p, w)| Some((p, i64::try_from(w).ok()?)));
        let form = RowForm::LowerBound(self.lower_bounds.len());
        let is_new = !self.lower_bounds.contains(&bound);
        if is_new && self.add_at_least_row(weights.collect(), bound.tokens.into(), form) {
            self.lower_bounds.push(bound);
        }
    }

    /// Adds the row w·m ≥ `min_value` for these weights. Returns false if a number does not fit 64
    /// bits, or if the program refuses the row.
    fn add_at_least_row(
        &mut self,
        weights: Vec<(PlaceId, i64)>,
        min_value: i128,
        form: RowForm,
    ) -> bool {
        let Ok(sum) = LinearSum::new(weights) else { return false };
        let Some(row) = self.equation.firing_sum(self.net, &sum) else { return false };
        let Ok(lower) = i64::try_from(min_value - row.constant) else { return false };
        let interval = Interval::at_least(lower);
        if self.lp.add_row(interval, &row.coefficients).is_err() {
            return false;
        }
        self.forms.push(form);
        self.base_intervals.push(interval);
        true
    }
}
