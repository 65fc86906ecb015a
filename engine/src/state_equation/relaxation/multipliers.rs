//! Converts a solver's row multipliers to a lemma over places.
//!
//! A row's value is, up to a constant, a weighted sum of tokens f_r(m). If multipliers y refute the
//! program, no firing decreases the sum Σ y_r·f_r. Its negation gives the weights of the lemma. If
//! y_r refers to the upper bound of its row, some constraint says that f_r is at most this bound.
//! For the lower bound, some constraint says that f_r is at least this bound. The constraint is a
//! comparison, a trap, a unit, or non-negativity of tokens, and gets the factor |y_r|. All numbers
//! are divided by their greatest common divisor.

use super::{Relaxation, RowForm};
use num_bigint::BigInt;
use num_integer::Integer as _;
use num_traits::{Signed as _, ToPrimitive as _};
use parikh_evidence::certificate::Lemma;
use parikh_net::{LinearSum, PlaceId, UnitId};
use parikh_solvers::linear_program::Row;
use std::collections::BTreeMap;

impl Relaxation<'_> {
    /// Returns the lemma that multiplies each row by its multiplier y and adds up the results.
    /// Multipliers are positive for upper bounds and negative for lower bounds. `open_sum` is a sum
    /// with its factor whose comparison is filled in later. Also returns this factor after division
    /// by the common divisor, or 0 without `open_sum`. Returns `None` if a number does not fit 127
    /// bits, or if a multiplier uses a bound that has no justification.
    pub(super) fn lemma(
        &self,
        numerators: &[(Row, BigInt)],
        open_sum: Option<(&LinearSum, &BigInt)>,
    ) -> Option<(Lemma, i128)> {
        let mut common_divisor = open_sum.map_or(BigInt::from(0), |(_, factor)| factor.clone());
        for (_, y) in numerators {
            common_divisor = common_divisor.gcd(y);
        }
        let reduced = |y: &BigInt| -> Option<i128> {
            if common_divisor.is_positive() { (y / &common_divisor).to_i128() } else { y.to_i128() }
        };
        let mut weights: BTreeMap<PlaceId, i128> = BTreeMap::new();
        let mut subtract = |place: PlaceId, a: i128, y: i128| -> Option<()> {
            let entry = weights.entry(place).or_default();
            *entry = entry.checked_sub(a.checked_mul(y)?)?;
            Some(())
        };
        let mut atoms: BTreeMap<usize, i128> = BTreeMap::new();
        let mut traps: BTreeMap<usize, i128> = BTreeMap::new();
        let mut lower_bounds: BTreeMap<usize, i128> = BTreeMap::new();
        let mut units: BTreeMap<UnitId, i128> = BTreeMap::new();
        for (row, y) in numerators {
            let y = reduced(y)?;
            let form = self.forms.get(row.index())?;
            match form {
                RowForm::Tokens(place) => subtract(*place, 1, y)?,
                RowForm::Sum(sum) => {
                    sum.terms().iter().try_for_each(|&(p, a)| subtract(p, a.into(), y))?;
                }
                RowForm::Trap(trap) => {
                    self.traps[*trap].iter().try_for_each(|&place| subtract(place, 1, y))?;
                }
                RowForm::LowerBound(bound_index) => {
                    let weights = &self.lower_bounds[*bound_index].weights;
                    weights.iter().try_for_each(|&(place, w)| subtract(place, w.into(), y))?;
                }
                RowForm::Chain(unit) => {
                    super::chains::places(self.net, *unit)
                        .try_for_each(|place| subtract(place, 1, y))?;
                }
            }
            let asserted = self.asserted.get(&row.0).copied().unwrap_or_default();
            let asserted_bound = if y > 0 { asserted.upper } else { asserted.lower };
            match (asserted_bound, form) {
                _ if y == 0 => {}
                (Some((_, atom)), _) => *atoms.entry(atom.index()).or_default() += y.abs(),
                (None, RowForm::Trap(trap)) => *traps.entry(*trap).or_default() += y.abs(),
                (None, RowForm::LowerBound(bound_index)) => {
                    *lower_bounds.entry(*bound_index).or_default() += y.abs()
                }
                (None, RowForm::Chain(unit)) => *units.entry(*unit).or_default() += y,
                // The upper bound 1 of a place follows from the safe unit that contains it. The
                // lower bound 0 needs no justification.
                (None, RowForm::Tokens(place)) if y > 0 => {
                    *units.entry(self.net.units()?.unit_of(*place)).or_default() += y;
                }
                (None, RowForm::Tokens(place)) => {
                    if let Some(&bound_index) = self.lower_bound_of.get(place) {
                        *lower_bounds.entry(bound_index).or_default() += y.abs();
                    }
                }
                (None, RowForm::Sum(_)) => return None,
            }
        }
        let mut factor = 0;
        if let Some((sum, denominator)) = open_sum {
            factor = reduced(denominator)?;
            sum.terms().iter().try_for_each(|&(place, a)| subtract(place, a.into(), factor))?;
        }
        weights.retain(|_, weight| *weight != 0);
        let lemma = Lemma {
            atoms: atoms.into_iter().collect(),
            traps: traps.into_iter().collect(),
            lower_bounds: lower_bounds.into_iter().collect(),
            units: units.into_iter().collect(),
            weights: weights.into_iter().collect(),
        };
        Some((lemma, factor))
    }
}
