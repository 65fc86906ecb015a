//! Multiplicities from linear programs, checked in integers.
//!
//! Some rules require multiplicities y ≥ 0 of places with linear properties, and a linear program
//! searches for them. Its floating-point solution is only a hint: [`integer_guesses`] gives nearby
//! small integers for the candidate, and the rule checks these in exact arithmetic. A wrong guess
//! costs one application, nothing else. Replaying a log needs no linear program.

use parikh_evidence::reduction::WorkNet;
use parikh_evidence::reduction::rules::gcd_scaling::gcd;
use parikh_net::{PlaceId, TransitionId};
use parikh_solvers::linear_program::{Column, Interval, LinearProgram, ProgramError, Row, Sense};
use parikh_solvers::rational::convergent;
use std::collections::HashMap;

/// Limit on the number of arcs of a net for rules with linear programs. For larger nets, a single
/// linear program may exceed the time of all searches. Its rows would need about four times the
/// memory of the net.
pub(super) const MAX_ARCS: usize = 12_000;

/// Values of a solution below this number count as 0.
const MIN_POSITIVE: f64 = 1e-9;

/// The pair (d, c): d limits the denominator of each number in a solution, and c limits the common
/// denominator of all numbers.
const MAX_DENOMINATORS: (u64, u64) = (1_000, 1_000_000);

/// Returns guesses of the positive entries of a solution in integer proportions, as (position,
/// integer), most likely first. The list is empty if the solution has no positive entry, the
/// numbers are not fractions with small denominators, or the integers are too large.
pub(super) fn integer_guesses(solution: &[f64]) -> Vec<Vec<(usize, u32)>> {
    let significant = solution.iter().copied().filter(|&value| value > MIN_POSITIVE);
    let smallest = significant.fold(f64::INFINITY, f64::min);
    let mut guesses: Vec<Vec<(usize, u32)>> =
        [1.0, smallest].iter().filter_map(|unit| integers_in(solution, *unit)).collect();
    guesses.dedup();
    guesses
}

/// Returns integers without common divisor in the same proportions as the positive entries, each
/// with its position. Before that, entries divided by `unit` are rounded to fractions. Entries up
/// to [`MIN_POSITIVE`] count as 0. Returns `None` if an entry is not near a positive fraction with
/// a small denominator, or the common denominator is too large. Also returns `None` if an integer
/// is too large or there are no positive entries.
fn integers_in(solution: &[f64], unit: f64) -> Option<Vec<(usize, u32)>> {
    let positive = solution.iter().enumerate().filter(|&(_, &value)| value > MIN_POSITIVE);
    let fractions: Vec<(usize, u64, u64)> = positive
        .map(|(index, value)| {
            let (numerator, denominator) = convergent(value / unit, MAX_DENOMINATORS.0, 1e-7)?;
            Some((index, numerator, denominator))
        })
        .collect::<Option<_>>()?;
    let mut common_denominator = 1u64;
    for &(_, _, denominator) in &fractions {
        common_denominator =
            common_denominator / gcd(common_denominator, denominator) * denominator;
        if common_denominator > MAX_DENOMINATORS.1 {
            return None;
        }
    }
    let scale = |(index, numerator, denominator): (usize, u64, u64)| {
        Some((
            index,
            numerator
                .checked_mul(common_denominator / denominator)
                .filter(|&integer| integer > 0)?,
        ))
    };
    let integers: Vec<(usize, u64)> = fractions.into_iter().map(scale).collect::<Option<_>>()?;
    let divisor = integers.iter().fold(0, |divisor, &(_, integer)| gcd(divisor, integer)).max(1);
    let to_small =
        |(index, integer): (usize, u64)| Some((index, u32::try_from(integer / divisor).ok()?));
    integers
        .into_iter()
        .map(to_small)
        .collect::<Option<Vec<_>>>()
        .filter(|entries| !entries.is_empty())
}

/// Returns the number of arcs, in both directions.
pub(super) fn arc_count(net: &WorkNet) -> usize {
    net.transitions().map(|t| net.pre(t).len() + net.post(t).len()).sum()
}

/// A linear program for a weighted sum Σ y(p)·m(p) of tokens. Each place p has a column for its
/// multiplicity y(p). Each effect, that is, each distinct nonzero vector Δ(t,·), has a row. The
/// value of the row is Σ y(p)·Δ(t,p), the change of the sum when t fires.
pub(super) struct MultiplicityProgram {
    pub(super) program: LinearProgram,
    /// The place of each column, by column index.
    pub(super) places: Vec<PlaceId>,
    /// The column of each place, by place index. Entries of removed places have no meaning.
    columns: Vec<Column>,
    /// The row of each transition, by transition index. `None` for removed transitions and
    /// transitions without effect.
    rows: Vec<Option<Row>>,
}

impl MultiplicityProgram {
    /// Builds the program with objective 0. Every multiplicity lies in the interval `multiplicity`.
    /// The change of the weighted sum by every firing lies in the interval `change`.
    ///
    /// # Errors
    /// Returns an error for a net beyond 2³² nodes.
    pub(super) fn new(
        net: &WorkNet,
        multiplicity: Interval,
        change: Interval,
    ) -> Result<MultiplicityProgram, ProgramError> {
        let mut program = LinearProgram::new(Sense::Minimise);
        let places: Vec<PlaceId> = net.places().collect();
        let mut columns = vec![Column(0); net.place_ids()];
        for p in &places {
            columns[p.index()] = program.add_column(multiplicity)?;
        }
        let mut rows = vec![None; net.transition_ids()];
        let mut row_of: HashMap<Vec<(PlaceId, i64)>, Row> = HashMap::new();
        for t in net.transitions() {
            let changes: Vec<_> = net.changes(t).collect();
            if changes.is_empty() {
                continue;
            }
            let row = match row_of.get(&changes) {
                Some(&row) => row,
                None => {
                    let entries = changes.iter().map(|&(p, change)| (columns[p.index()], change));
                    let row = program.add_row(change, entries)?;
                    row_of.insert(changes, row);
                    row
                }
            };
            rows[t.index()] = Some(row);
        }
        Ok(MultiplicityProgram { program, places, columns, rows })
    }

    /// Returns the column of a place.
    pub(super) fn column(&self, p: PlaceId) -> Column {
        self.columns[p.index()]
    }

    /// Returns the row of a transition, or `None` if the transition has no effect or was removed.
    pub(super) fn row(&self, t: TransitionId) -> Option<Row> {
        self.rows[t.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_found_with_their_common_denominator() {
        let found = integer_guesses(&[0.5, 0.0, 1.0 / 3.0, 1.0, 1e-12]);
        assert_eq!(found[0], vec![(0, 3), (2, 2), (3, 6)]);
    }

    #[test]
    fn dividing_by_the_smallest_entry_finds_more_fractions() {
        assert_eq!(integer_guesses(&[1.0 / 30_011.0, 1.0]), vec![vec![(0, 1), (1, 30_011)]]);
        assert_eq!(integer_guesses(&[]), Vec::<Vec<_>>::new());
    }

    #[test]
    fn irrational_entries_give_no_guess() {
        assert_eq!(integer_guesses(&[std::f64::consts::SQRT_2, 1.0, f64::NAN]).len(), 0);
    }
}
