//! Weighted sums of tokens: Σ a·m(p) with integer coefficients.

use crate::id::PlaceId;
use crate::marking::Marking;
use std::ops::AddAssign;
use std::sync::Arc;

/// The sum Σ a·m(p): each place at most once, ascending, no coefficient 0, and Σ|a| ≤ 2⁶³ − 1, so
/// that its value in any marking fits an `i128`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct LinearSum {
    // Shared, since predicates are copied often and a sum may have thousands of places.
    terms: Arc<[(PlaceId, i64)]>,
}

/// The error for coefficients that are too large.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the coefficients of a sum of tokens add up to more than 2^63 - 1")]
pub struct SumError;

impl LinearSum {
    /// Makes a sum; terms of the same place are added up.
    ///
    /// # Errors
    /// If the magnitudes of the coefficients add up to more than 2⁶³ − 1.
    pub fn new(terms: impl IntoIterator<Item = (PlaceId, i64)>) -> Result<Self, SumError> {
        let mut terms: Vec<(PlaceId, i64)> = terms.into_iter().collect();
        let magnitude: u128 = terms.iter().map(|&(_, a)| u128::from(a.unsigned_abs())).sum();
        if magnitude > i64::MAX as u128 {
            return Err(SumError);
        }
        // No overflow: each partial sum is at most the sum of the magnitudes.
        add_up(&mut terms);
        Ok(LinearSum { terms: terms.into() })
    }

    /// Makes the sum of one place's tokens.
    pub fn place(place: PlaceId) -> Self {
        LinearSum { terms: Arc::new([(place, 1)]) }
    }

    /// Returns the terms by ascending place.
    pub fn terms(&self) -> &[(PlaceId, i64)] {
        &self.terms
    }

    /// Returns the coefficient of `place`; 0 if it does not occur.
    pub fn coefficient(&self, place: PlaceId) -> i64 {
        self.terms.binary_search_by_key(&place, |&(p, _)| p).map_or(0, |index| self.terms[index].1)
    }

    /// Returns true for the sum without terms.
    pub fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    /// Returns the value in `marking`.
    pub fn value(&self, marking: &Marking) -> i128 {
        self.terms.iter().map(|&(p, a)| i128::from(a) * i128::from(marking[p])).sum()
    }

    /// Returns the sum multiplied by −1.
    pub fn negated(&self) -> Self {
        LinearSum { terms: self.terms.iter().map(|&(p, a)| (p, -a)).collect() }
    }
}

/// Adds up terms with the same key and removes zeros; keys become ascending. The caller guarantees
/// that no addition overflows.
pub(crate) fn add_up<K: Ord + Copy, N: AddAssign + Copy + Default + PartialEq>(
    terms: &mut Vec<(K, N)>,
) {
    terms.sort_unstable_by_key(|&(key, _)| key);
    terms.dedup_by(|later, kept| {
        let is_same_key = later.0 == kept.0;
        if is_same_key {
            kept.1 += later.1;
        }
        is_same_key
    });
    terms.retain(|&(_, number)| number != N::default());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_of_one_place_add_up_and_zeros_vanish() {
        let [p, q] = [0, 1].map(PlaceId::new);
        let sum = LinearSum::new([(q, 2), (p, 1), (q, -2), (p, 3)]).unwrap();
        assert_eq!(sum.terms(), [(p, 4)]);
        assert_eq!((sum.coefficient(p), sum.coefficient(q)), (4, 0));
        assert_eq!(sum.value(&Marking::new(vec![5, 7])), 20);
    }

    #[test]
    fn the_largest_value_does_not_overflow() {
        let [p, q] = [0, 1].map(PlaceId::new);
        assert_eq!(LinearSum::new([(p, i64::MAX), (q, 1)]), Err(SumError));
        let sum = LinearSum::new([(p, i64::MAX - 1), (q, 1)]).unwrap();
        let full = Marking::new(vec![Marking::MAX_TOKENS; 2]);
        assert_eq!(sum.value(&full), i128::from(i64::MAX) * i128::from(i64::MAX));
    }
}
