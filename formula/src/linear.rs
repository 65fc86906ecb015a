//! Integer expressions as linear sums Σ a·m(p) + k, computed exactly, and comparisons of
//! expressions as predicates.

use super::syntax::{Expression, NumberRelation};
use super::unsupported::UnsupportedFormula;
use parikh_net::{LinearSum, PlaceId, Predicate};
use std::collections::BTreeMap;

/// A sum Σ a·m(p) + constant. Numbers have 128 bits, so intermediate results may exceed 64 bits.
#[derive(Default)]
pub(super) struct ExactLinearSum {
    terms: BTreeMap<PlaceId, i128>,
    constant: i128,
}

impl ExactLinearSum {
    /// Converts an expression to the equal linear sum.
    pub(super) fn of(expression: &Expression) -> Result<Self, UnsupportedFormula> {
        match expression {
            Expression::Constant(constant) => {
                Ok(ExactLinearSum { constant: i128::from(*constant), ..ExactLinearSum::default() })
            }
            Expression::Tokens(places) => {
                let mut sum = ExactLinearSum::default();
                for &place in places {
                    sum.add_term(place, 1)?;
                }
                Ok(sum)
            }
            Expression::Sum(parts) => {
                let mut sum = ExactLinearSum::default();
                for part in parts {
                    sum.add(ExactLinearSum::of(part)?, 1)?;
                }
                Ok(sum)
            }
            Expression::Product(parts) => {
                let mut product = ExactLinearSum { constant: 1, ..ExactLinearSum::default() };
                for part in parts {
                    let factor = ExactLinearSum::of(part)?;
                    let (mut sum, scalar) = match (product.as_constant(), factor.as_constant()) {
                        (Some(scalar), _) => (factor, scalar),
                        (_, Some(scalar)) => (product, scalar),
                        (None, None) => return Err(UnsupportedFormula::NonLinear),
                    };
                    sum.scale(scalar)?;
                    product = sum;
                }
                Ok(product)
            }
            Expression::Difference(left, right) => {
                let mut difference = ExactLinearSum::of(left)?;
                difference.add(ExactLinearSum::of(right)?, -1)?;
                Ok(difference)
            }
        }
    }

    /// Returns the value of the sum if it has no places, and `None` otherwise.
    fn as_constant(&self) -> Option<i128> {
        self.terms.is_empty().then_some(self.constant)
    }

    fn add_term(&mut self, place: PlaceId, coefficient: i128) -> Result<(), UnsupportedFormula> {
        let sum = self.terms.entry(place).or_insert(0);
        *sum = sum.checked_add(coefficient).ok_or(UnsupportedFormula::TooLarge)?;
        if *sum == 0 {
            self.terms.remove(&place);
        }
        Ok(())
    }

    /// Adds `factor` times the sum `other`.
    fn add(&mut self, mut other: ExactLinearSum, factor: i128) -> Result<(), UnsupportedFormula> {
        other.scale(factor)?;
        for (place, coefficient) in other.terms {
            self.add_term(place, coefficient)?;
        }
        self.constant =
            self.constant.checked_add(other.constant).ok_or(UnsupportedFormula::TooLarge)?;
        Ok(())
    }

    fn scale(&mut self, factor: i128) -> Result<(), UnsupportedFormula> {
        let times = |number: i128| number.checked_mul(factor).ok_or(UnsupportedFormula::TooLarge);
        self.constant = times(self.constant)?;
        for coefficient in self.terms.values_mut() {
            *coefficient = times(*coefficient)?;
        }
        self.terms.retain(|_, &mut coefficient| coefficient != 0);
        Ok(())
    }

    /// Returns the terms without the constant.
    fn sum(&self) -> Result<LinearSum, UnsupportedFormula> {
        let term = |(&place, &coefficient)| {
            i64::try_from(coefficient)
                .map(|coefficient_64| (place, coefficient_64))
                .map_err(|_| UnsupportedFormula::TooLarge)
        };
        let terms = self.terms.iter().map(term).collect::<Result<Vec<_>, _>>()?;
        LinearSum::new(terms).map_err(|_| UnsupportedFormula::TooLarge)
    }
}

/// Converts `expression` to Σ a·m(p) and a constant.
///
/// # Errors
/// Returns an error if the expression multiplies token counts, or its numbers do not fit 64 bits.
pub fn linear_sum(expression: &Expression) -> Result<(LinearSum, i64), UnsupportedFormula> {
    let linear = ExactLinearSum::of(expression)?;
    let constant = i64::try_from(linear.constant).map_err(|_| UnsupportedFormula::TooLarge)?;
    Ok((linear.sum()?, constant))
}

/// Returns the sum of the tokens on `places`.
pub(super) fn tokens(places: &[PlaceId]) -> Result<LinearSum, UnsupportedFormula> {
    LinearSum::new(places.iter().map(|&place| (place, 1))).map_err(|_| UnsupportedFormula::TooLarge)
}

/// Converts `left relation right` to an equivalent predicate over whole numbers.
pub(super) fn compare(
    left: &Expression,
    relation: NumberRelation,
    right: &Expression,
) -> Result<Predicate, UnsupportedFormula> {
    let mut difference = ExactLinearSum::of(left)?;
    difference.add(ExactLinearSum::of(right)?, -1)?;
    let sum = difference.sum()?;
    // `left` relation `right` is equivalent to `sum` relation k.
    let k = difference.constant.checked_neg().ok_or(UnsupportedFormula::TooLarge)?;
    let k_minus_1 = k.checked_sub(1).ok_or(UnsupportedFormula::TooLarge)?;
    let at_most = |bound| at_most(&sum, bound);
    Ok(match relation {
        NumberRelation::AtMost => at_most(k)?,
        NumberRelation::Less => at_most(k_minus_1)?,
        NumberRelation::Greater => at_most(k)?.negated(),
        NumberRelation::AtLeast => at_most(k_minus_1)?.negated(),
        NumberRelation::Equal => Predicate::and([at_most(k)?, at_most(k_minus_1)?.negated()]),
        NumberRelation::Unequal => Predicate::or([at_most(k_minus_1)?, at_most(k)?.negated()]),
    })
}

/// Returns the predicate `sum` ≤ `bound`. Token counts are never negative. So the predicate is
/// false for a negative bound and no negative coefficient. It is true if no coefficient is positive
/// and the bound is not negative.
fn at_most(sum: &LinearSum, bound: i128) -> Result<Predicate, UnsupportedFormula> {
    let signs = || sum.terms().iter().map(|&(_, coefficient)| coefficient > 0);
    if bound < 0 && signs().all(|positive| positive) {
        return Ok(Predicate::False);
    }
    if bound >= 0 && !signs().any(|positive| positive) {
        return Ok(Predicate::True);
    }
    let bound = i64::try_from(bound).map_err(|_| UnsupportedFormula::TooLarge)?;
    Ok(Predicate::at_most(sum.clone(), bound))
}
