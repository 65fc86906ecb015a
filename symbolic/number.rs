//! Numbers that counts are made of: 128 bits as long as they suffice, else as many as it takes.

use num_bigint::BigUint;
use num_traits::{CheckedAdd, CheckedMul, One, Zero};

/// A natural number, whose operations say when it does not fit.
pub(crate) trait Number: Clone + Zero + One + CheckedAdd + CheckedMul {
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
