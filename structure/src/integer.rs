//! Exact integers that use machine words while they fit.
//!
//! Coefficients of flows are nearly always tiny, but on a handful of contest nets they exceed 2⁶³
//! during the computation. Instead of three copies of every algorithm (`i64`, `i128`, big), each
//! number adapts by itself. Products are computed in `i128`; a result that fits becomes `i64`, and
//! only a larger one becomes a [`BigInt`]. A number that shrinks again (rows are divided by their
//! gcd) returns to `i64`, so one large coefficient does not slow the rest of the elimination.

use num_bigint::BigInt;
use num_integer::Integer as _;
use num_traits::{Signed as _, ToPrimitive as _};
use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, Mul, Neg, Sub};

/// An integer of any size.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Integer(IntegerForm);

/// The canonical representation: `Big` holds only values that do not fit `Small`, so derived
/// equality is correct.
#[derive(Clone, PartialEq, Eq, Hash)]
enum IntegerForm {
    Small(i64),
    Big(Box<BigInt>),
}

impl Integer {
    /// The number 0.
    pub const ZERO: Integer = Integer(IntegerForm::Small(0));
    /// The number 1.
    pub const ONE: Integer = Integer(IntegerForm::Small(1));

    /// Returns the value as `i64`, if it fits.
    pub fn to_i64(&self) -> Option<i64> {
        match self.0 {
            IntegerForm::Small(value) => Some(value),
            IntegerForm::Big(_) => None,
        }
    }

    /// Returns the value as `u64`, if it fits.
    pub fn to_u64(&self) -> Option<u64> {
        match &self.0 {
            IntegerForm::Small(value) => u64::try_from(*value).ok(),
            IntegerForm::Big(value) => value.to_u64(),
        }
    }

    /// Returns true if the value does not fit an `i64`.
    pub fn is_big(&self) -> bool {
        matches!(self.0, IntegerForm::Big(_))
    }

    /// Returns true if the value is 0.
    pub fn is_zero(&self) -> bool {
        matches!(self.0, IntegerForm::Small(0))
    }

    /// Returns true if the value is positive.
    pub fn is_positive(&self) -> bool {
        match &self.0 {
            IntegerForm::Small(value) => *value > 0,
            IntegerForm::Big(value) => value.is_positive(),
        }
    }

    /// Returns true if the value is negative.
    pub fn is_negative(&self) -> bool {
        !self.is_zero() && !self.is_positive()
    }

    /// Returns the absolute value.
    pub fn magnitude(&self) -> Integer {
        if self.is_negative() { -self } else { self.clone() }
    }

    /// Returns a·x + b·y, the basic operation of an elimination. It is fast if all four numbers and
    /// the result are small.
    pub(crate) fn combine(a: &Integer, x: &Integer, b: &Integer, y: &Integer) -> Integer {
        if let (
            IntegerForm::Small(a),
            IntegerForm::Small(x),
            IntegerForm::Small(b),
            IntegerForm::Small(y),
        ) = (&a.0, &x.0, &b.0, &y.0)
        {
            let ax = i128::from(*a) * i128::from(*x);
            // Each product is at most 2¹²⁶ in absolute value; only the sum of two products of 2¹²⁶
            // does not fit.
            if let Some(sum) = ax.checked_add(i128::from(*b) * i128::from(*y)) {
                return Integer::from(sum);
            }
        }
        Integer::from(a.to_big() * x.to_big() + b.to_big() * y.to_big())
    }

    /// Returns the greatest common divisor, at least 0; gcd(0, x) = |x|.
    pub fn gcd(&self, other: &Integer) -> Integer {
        match (&self.0, &other.0) {
            (IntegerForm::Small(a), IntegerForm::Small(b)) => {
                // Computed in u64, because gcd(i64::MIN, 0) = 2⁶³ does not fit an i64.
                Integer::from(i128::from(a.unsigned_abs().gcd(&b.unsigned_abs())))
            }
            _ => Integer::from(self.to_big().gcd(&other.to_big())),
        }
    }

    /// Returns self / divisor, rounded towards −∞.
    ///
    /// # Panics
    /// Panics if `divisor` is 0.
    pub fn div_floor(&self, divisor: &Integer) -> Integer {
        match (&self.0, &divisor.0) {
            (IntegerForm::Small(a), IntegerForm::Small(b)) => {
                Integer::from(num_integer::Integer::div_floor(&i128::from(*a), &i128::from(*b)))
            }
            _ => Integer::from(self.to_big().div_floor(&divisor.to_big())),
        }
    }

    /// Returns self / divisor, rounded towards +∞.
    ///
    /// # Panics
    /// Panics if `divisor` is 0.
    pub fn div_ceil(&self, divisor: &Integer) -> Integer {
        -&(-self).div_floor(divisor)
    }

    /// Returns the number as a [`BigInt`].
    pub fn to_big(&self) -> BigInt {
        match &self.0 {
            IntegerForm::Small(value) => BigInt::from(*value),
            IntegerForm::Big(value) => (**value).clone(),
        }
    }
}

impl From<i64> for Integer {
    fn from(value: i64) -> Self {
        Integer(IntegerForm::Small(value))
    }
}

impl From<u64> for Integer {
    fn from(value: u64) -> Self {
        Integer::from(i128::from(value))
    }
}

impl From<i128> for Integer {
    fn from(value: i128) -> Self {
        match i64::try_from(value) {
            Ok(small) => Integer(IntegerForm::Small(small)),
            Err(_) => Integer(IntegerForm::Big(Box::new(BigInt::from(value)))),
        }
    }
}

impl From<BigInt> for Integer {
    fn from(value: BigInt) -> Self {
        match value.to_i64() {
            Some(small) => Integer(IntegerForm::Small(small)),
            None => Integer(IntegerForm::Big(Box::new(value))),
        }
    }
}

impl Add for &Integer {
    type Output = Integer;
    fn add(self, other: &Integer) -> Integer {
        Integer::combine(&Integer::ONE, self, &Integer::ONE, other)
    }
}

impl Sub for &Integer {
    type Output = Integer;
    fn sub(self, other: &Integer) -> Integer {
        Integer::combine(&Integer::ONE, self, &Integer::from(-1_i64), other)
    }
}

impl Mul for &Integer {
    type Output = Integer;
    fn mul(self, other: &Integer) -> Integer {
        Integer::combine(self, other, &Integer::ZERO, &Integer::ZERO)
    }
}

impl Neg for &Integer {
    type Output = Integer;
    fn neg(self) -> Integer {
        match &self.0 {
            IntegerForm::Small(value) => Integer::from(-i128::from(*value)),
            IntegerForm::Big(value) => Integer::from(-&**value),
        }
    }
}

impl Ord for Integer {
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.0, &other.0) {
            (IntegerForm::Small(a), IntegerForm::Small(b)) => a.cmp(b),
            _ => self.to_big().cmp(&other.to_big()),
        }
    }
}

impl PartialOrd for Integer {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Integer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            IntegerForm::Small(value) => value.fmt(f),
            IntegerForm::Big(value) => value.fmt(f),
        }
    }
}

impl fmt::Debug for Integer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A sparse vector: ascending positions, no zero entries.
pub(crate) type SparseVector = Vec<(u32, Integer)>;

/// Returns a·x + b·y. Calls `on_sign_change` for every position whose sign differs from the sign in
/// `x`, with the old and the new sign.
pub(crate) fn combine_vectors(
    a: &Integer,
    x: &[(u32, Integer)],
    b: &Integer,
    y: &[(u32, Integer)],
    mut on_sign_change: impl FnMut(u32, Ordering, Ordering),
) -> SparseVector {
    let zero = Integer::ZERO;
    let sign = |value: &Integer| {
        if value.is_zero() {
            Ordering::Equal
        } else if value.is_positive() {
            Ordering::Greater
        } else {
            Ordering::Less
        }
    };
    let mut sum = Vec::with_capacity(x.len() + y.len());
    let (mut i, mut j) = (0, 0);
    while i < x.len() || j < y.len() {
        let left = x.get(i).map_or(u32::MAX, |entry| entry.0);
        let right = y.get(j).map_or(u32::MAX, |entry| entry.0);
        let position = left.min(right);
        let old = if left == position { &x[i].1 } else { &zero };
        let value = if left == position && right == position {
            Integer::combine(a, old, b, &y[j].1)
        } else if left == position {
            a * old
        } else {
            b * &y[j].1
        };
        i += usize::from(left == position);
        j += usize::from(right == position);
        let (before, after) = (sign(old), sign(&value));
        if before != after {
            on_sign_change(position, before, after);
        }
        if !value.is_zero() {
            sum.push((position, value));
        }
    }
    sum
}

/// Divides both vectors by the gcd of all their entries.
pub(crate) fn divide_by_gcd(x: &mut SparseVector, y: &mut SparseVector) {
    let mut gcd = Integer::ZERO;
    for (_, value) in x.iter().chain(y.iter()) {
        gcd = gcd.gcd(value);
        if gcd == Integer::ONE {
            return;
        }
    }
    if !gcd.is_zero() {
        for (_, value) in x.iter_mut().chain(y.iter_mut()) {
            *value = value.div_floor(&gcd);
        }
    }
}

/// Returns the entry of a sparse vector at `position`, or 0.
pub(crate) fn entry(vector: &[(u32, Integer)], position: u32) -> &Integer {
    const ZERO: &Integer = &Integer::ZERO;
    vector.binary_search_by_key(&position, |entry| entry.0).map_or(ZERO, |at| &vector[at].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_become_big_and_small_again_as_needed() {
        let max = Integer::from(i64::MAX);
        let min = Integer::from(i64::MIN);
        let square = &min * &min;
        assert!(square.is_big());
        assert_eq!(square.to_string(), (1_u128 << 126).to_string());
        // The only sum of two products that does not fit an i128.
        let double = Integer::combine(&min, &min, &min, &min);
        assert_eq!(double.to_big(), BigInt::from(1) << 127);
        assert_eq!(double.div_floor(&square).to_i64(), Some(2));
        assert_eq!((&(&max + &Integer::ONE) - &Integer::ONE).to_i64(), Some(i64::MAX));
        assert_eq!((-&min).to_u64(), Some(1 << 63));
        assert_eq!(min.gcd(&Integer::ZERO), -&min);
    }

    #[test]
    fn division_rounds_to_the_named_side() {
        let [seven, two] = [7_i64, 2].map(Integer::from);
        assert_eq!((-&seven).div_floor(&two).to_i64(), Some(-4));
        assert_eq!((-&seven).div_ceil(&two).to_i64(), Some(-3));
        assert_eq!(seven.div_ceil(&two).to_i64(), Some(4));
    }

    #[test]
    fn vectors_combine_and_report_signs() {
        let vector = |terms: &[(u32, i64)]| -> SparseVector {
            terms.iter().map(|&(at, value)| (at, Integer::from(value))).collect()
        };
        let (x, y) = (vector(&[(0, 2), (3, -1)]), vector(&[(0, 1), (2, 5)]));
        let mut changes = Vec::new();
        let [a, b] = [1_i64, -2].map(Integer::from);
        let sum = combine_vectors(&a, &x, &b, &y, |at, from, to| changes.push((at, from, to)));
        assert_eq!(sum, vector(&[(2, -10), (3, -1)]));
        use Ordering::{Equal, Greater, Less};
        assert_eq!(changes, [(0, Greater, Equal), (2, Equal, Less)]);
    }
}
