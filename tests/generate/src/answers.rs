//! Known answers of generated nets.

use parikh_net::Net;
use std::fmt;

/// A number that may be infinite, or finite and too large for 128 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnownCount {
    /// A number below 2¹²⁸.
    Exactly(u128),
    /// A finite number of 2¹²⁸ or more.
    TooLarge,
    /// Infinity.
    Infinite,
}

impl KnownCount {
    /// Returns the number if it is finite and fits.
    pub fn exact(self) -> Option<u128> {
        match self {
            KnownCount::Exactly(number) => Some(number),
            KnownCount::TooLarge | KnownCount::Infinite => None,
        }
    }

    /// Returns `base`^`exponent`.
    pub(super) fn power(base: u32, exponent: u32) -> KnownCount {
        u128::from(base).checked_pow(exponent).into()
    }

    /// Returns the product with `factor`.
    pub(super) fn times(self, factor: u128) -> KnownCount {
        match self {
            KnownCount::Exactly(number) => number.checked_mul(factor).into(),
            KnownCount::TooLarge if factor == 0 => KnownCount::Exactly(0),
            other => other,
        }
    }

    /// Returns the sum with `other`.
    pub(super) fn plus(self, other: KnownCount) -> KnownCount {
        match (self, other) {
            (KnownCount::Exactly(a), KnownCount::Exactly(b)) => a.checked_add(b).into(),
            (KnownCount::Infinite, _) | (_, KnownCount::Infinite) => KnownCount::Infinite,
            _ => KnownCount::TooLarge,
        }
    }
}

impl From<Option<u128>> for KnownCount {
    /// Converts a checked result; `None` is an overflow.
    fn from(number: Option<u128>) -> KnownCount {
        number.map_or(KnownCount::TooLarge, KnownCount::Exactly)
    }
}

impl fmt::Display for KnownCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KnownCount::Exactly(number) => number.fmt(f),
            KnownCount::TooLarge => f.write_str("at least 2^128"),
            KnownCount::Infinite => f.write_str("infinite"),
        }
    }
}

/// Returns "n choose k", or [`KnownCount::TooLarge`] if an intermediate product overflows.
pub(super) fn choose(n: u64, k: u64) -> KnownCount {
    let mut result: u128 = 1;
    for i in 0..k.min(n.saturating_sub(k)) {
        // The product of i + 1 consecutive numbers is a multiple of (i + 1)!.
        match result.checked_mul(u128::from(n - i)) {
            Some(product) => result = product / u128::from(i + 1),
            None => return KnownCount::TooLarge,
        }
    }
    if k > n { KnownCount::Exactly(0) } else { KnownCount::Exactly(result) }
}

/// The known answers to the questions of the Model Checking Contest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answers {
    /// The number of reachable markings.
    pub states: KnownCount,
    /// The number of pairs of a reachable marking and a transition enabled in it.
    pub firings: KnownCount,
    /// The largest number of tokens on a place; `None` if unbounded.
    pub max_in_place: Option<u64>,
    /// The largest number of tokens in a marking; `None` if unbounded.
    pub max_in_marking: Option<u64>,
    /// True if a dead marking is reachable.
    pub has_deadlock: bool,
    /// True if every transition is enabled in some reachable marking.
    pub is_quasi_live: bool,
    /// True if every transition can be enabled again from every reachable marking.
    pub is_live: bool,
    /// True if some place holds its initial tokens in every reachable marking.
    pub has_stable_place: bool,
}

impl Answers {
    /// Returns true if no place ever holds more than one token.
    pub fn one_safe(&self) -> bool {
        self.max_in_place.is_some_and(|max_tokens| max_tokens <= 1)
    }
}

/// A net and the known answers.
#[derive(Clone, Debug)]
pub struct KnownNet {
    /// The net; its name states family and parameters.
    pub net: Net,
    /// The known answers.
    pub known: Answers,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overflowing_counts_are_too_large() {
        assert_eq!(KnownCount::power(3, 80).exact(), Some(3u128.pow(80)));
        assert_eq!(KnownCount::power(3, 81), KnownCount::TooLarge);
        assert_eq!(
            KnownCount::TooLarge.plus(KnownCount::Exactly(1)).times(2),
            KnownCount::TooLarge
        );
        assert_eq!(KnownCount::Infinite.plus(KnownCount::TooLarge), KnownCount::Infinite);
    }

    #[test]
    fn binomials_are_exact() {
        assert_eq!(choose(6, 3), KnownCount::Exactly(20));
        assert_eq!(choose(60, 30), KnownCount::Exactly(118_264_581_564_861_424));
        assert_eq!(choose(3, 5), KnownCount::Exactly(0));
        assert_eq!(choose(5, 0), KnownCount::Exactly(1));
        assert_eq!(choose(1_000, 500), KnownCount::TooLarge);
    }
}
