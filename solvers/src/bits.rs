//! Linear constraints over unsigned numbers of a fixed number of bits, without overflow.
//!
//! Negative terms move to the other side, so both sides are sums of non-negative terms: 3·x − y ≤
//! −2 becomes 3·x + 2 ≤ y. Both sides are computed in enough bits for the larger possible value. A
//! constraint over bit-vectors is then equivalent to the constraint over integers.

use crate::term::{Sort, Terms, Variable};
use num_bigint::{BigInt, BigUint, Sign};

/// The left and the right side of a constraint between two sums without negative numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sides {
    /// Number of bits in which the values of both sides fit.
    pub(crate) width: u32,
    /// The sum of the entries with positive coefficients, plus the magnitude of the bound if the
    /// bound is negative.
    pub(crate) left: BitSum,
    /// The sum of the entries with negative coefficients, with their magnitudes as coefficients,
    /// plus the bound if the bound is not negative.
    pub(crate) right: BitSum,
}

/// Σ c·x + constant, without negative numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct BitSum {
    /// Pairs of a variable and its coefficient.
    pub(crate) entries: Vec<(Variable, BigUint)>,
    /// The constant.
    pub(crate) constant: BigUint,
}

impl Sides {
    /// Builds the sides of a constraint between Σ c·x and `bound`. Returns `None` if some x is not
    /// of sort [`Sort::Bits`] or the width does not fit 32 bits.
    pub(crate) fn of(terms: &Terms, entries: &[(Variable, i128)], bound: &BigInt) -> Option<Sides> {
        let (mut left, mut right) = (BitSum::default(), BitSum::default());
        for &(variable, coefficient) in entries {
            if !matches!(terms.sort(variable), Sort::Bits(_)) {
                return None;
            }
            let side = if coefficient > 0 { &mut left } else { &mut right };
            side.entries.push((variable, coefficient.unsigned_abs().into()));
        }
        let side = if bound.sign() == Sign::Minus { &mut left } else { &mut right };
        side.constant = bound.magnitude().clone();
        let width = left.max_value(terms).max(right.max_value(terms)).bits().max(1);
        Some(Sides { width: u32::try_from(width).ok()?, left, right })
    }
}

impl BitSum {
    /// Returns the largest possible value.
    fn max_value(&self, terms: &Terms) -> BigUint {
        let max_value = |variable: Variable| (BigUint::from(1u32) << width(terms, variable)) - 1u32;
        let parts = self.entries.iter().map(|(variable, c)| c * max_value(*variable));
        parts.fold(self.constant.clone(), |sum, part| sum + part)
    }
}

/// Returns the width of a variable of sort [`Sort::Bits`], or 0 for another sort.
pub(crate) fn width(terms: &Terms, variable: Variable) -> u32 {
    match terms.sort(variable) {
        Sort::Bits(width) => width,
        Sort::Bool | Sort::Int | Sort::Real => 0,
    }
}

/// Returns the number of bits needed for numbers up to `max_number`, at least 1.
pub fn bits_needed(max_number: u64) -> u32 {
    (u64::BITS - max_number.leading_zeros()).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_fit() {
        let mut terms = Terms::new();
        let (x, y, n) = (terms.bits("x", 2), terms.bits("y", 1), terms.integer("n"));
        let sides = Sides::of(&terms, &[(x, 3), (y, -1)], &(-2).into()).unwrap();
        // 3·3 + 2 = 11 needs four bits.
        assert_eq!(sides.width, 4);
        assert_eq!(sides.left, BitSum { entries: vec![(x, 3u32.into())], constant: 2u32.into() });
        assert_eq!(sides.right, BitSum { entries: vec![(y, 1u32.into())], constant: 0u32.into() });
        assert_eq!(Sides::of(&terms, &[(y, 1)], &1000.into()).map(|sides| sides.width), Some(10));
        assert_eq!(Sides::of(&terms, &[(x, 1), (n, 1)], &0.into()), None);
        let large = Sides::of(&terms, &[(x, i128::MAX)], &0.into()).unwrap();
        assert_eq!(large.width, 129);
        assert_eq!([0, 1, 2, 255, 256, u64::MAX].map(bits_needed), [1, 1, 2, 8, 9, 64]);
    }
}
