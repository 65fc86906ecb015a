//! Numbers for counting: `u128` as long as it suffices, otherwise big integers.

use num_bigint::BigUint;
use num_traits::{CheckedAdd, CheckedMul, One, Zero};

/// A natural number with checked operations.
pub(crate) trait Number: Clone + Zero + One + CheckedAdd + CheckedMul {
    /// Converts a number. Returns `None` if it is too large for the type.
    fn of(value: &BigUint) -> Option<Self>;
    fn into_big(self) -> BigUint;
}

impl Number for u128 {
    fn of(value: &BigUint) -> Option<Self> {
        u128::try_from(value).ok()
    }

    fn into_big(self) -> BigUint {
        BigUint::from(self)
    }
}

impl Number for BigUint {
    fn of(value: &BigUint) -> Option<Self> {
        Some(value.clone())
    }

    fn into_big(self) -> BigUint {
        self
    }
}
