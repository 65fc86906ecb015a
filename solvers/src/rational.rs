//! Conversion of floating-point numbers to nearby fractions, and of an LP solver's multipliers to
//! rational candidates.
//!
//! Verdicts do not depend on this code: the results are guesses, which [`certify`](crate::certify)
//! or the caller checks.

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Zero};

use crate::linear_program::Row;
use crate::multipliers::{Effort, Multipliers};

/// A multiplier below this fraction of the largest one counts as zero.
pub(crate) const NOISE_FRACTION: f64 = 1e-9;

/// Limit on the bits of the common denominator; larger guesses are not worth a check.
const MAX_DENOMINATOR_BITS: u64 = 512;

/// A method to convert a floating-point number to a fraction.
#[derive(Clone, Copy)]
enum Rounding {
    /// Convert to a fraction within the tolerance of [`convergent`] whose denominator is at most
    /// `max_denominator`.
    Nearest { max_denominator: u64, tolerance: f64 },
    /// Convert to the exact value of the floating-point number.
    Exact,
}

/// The roundings to try, from the most likely one to the last resort. (The vertices of our programs
/// have small determinants.)
const ROUNDINGS: [Rounding; 3] = [
    Rounding::Nearest { max_denominator: 10_000, tolerance: 1e-7 },
    Rounding::Nearest { max_denominator: 100_000_000, tolerance: 1e-11 },
    Rounding::Exact,
];

/// The effort recorded for a guess with each rounding.
const EFFORTS: [Effort; 3] =
    [Effort::Rounded, Effort::RoundedDifferently, Effort::RoundedDifferently];

/// Returns guesses of the exact multipliers near `values` (one per row), most likely first.
pub(crate) fn guesses(values: &[f64]) -> impl Iterator<Item = (Effort, Multipliers)> + '_ {
    let methods = ROUNDINGS.into_iter().zip(EFFORTS);
    methods.filter_map(|(rounding, effort)| Some((effort, guess(values, 1.0, rounding)?)))
}

/// Returns guesses for a ray, as [`guesses`] does for multipliers. Only the direction of `values`
/// matters, and its sign depends on the solver.
pub(crate) fn ray_guesses(values: &[f64]) -> impl Iterator<Item = (Effort, Multipliers)> + '_ {
    let largest = largest(values);
    let significant =
        values.iter().map(|value| value.abs()).filter(|&v| v > largest * NOISE_FRACTION);
    let smallest = significant.fold(f64::INFINITY, f64::min);
    // Divided by the smallest multiplier, rays of sparse systems are often integers.
    let scales = [1.0, 1.0 / smallest, 1.0 / largest];
    let methods = ROUNDINGS.into_iter().zip(EFFORTS).flat_map(move |(rounding, effort)| {
        scales.into_iter().flat_map(move |scale| {
            let effort = if scale == 1.0 { effort } else { Effort::RoundedDifferently };
            [(scale, rounding, effort), (-scale, rounding, effort)]
        })
    });
    methods.filter_map(|(scale, rounding, effort)| Some((effort, guess(values, scale, rounding)?)))
}

/// Returns the largest absolute value.
pub(crate) fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |largest, value| value.abs().max(largest))
}

/// Returns the values times `scale`, rounded to fractions with a common denominator. Values below
/// [`NOISE_FRACTION`] of the largest one are left out. Returns `None` if a value is not finite or
/// has no suitable fraction, or if the common denominator is too large.
fn guess(values: &[f64], scale: f64, rounding: Rounding) -> Option<Multipliers> {
    let noise = largest(values) * NOISE_FRACTION;
    let mut fractions: Vec<(Row, BigRational)> = Vec::new();
    let mut denominator = BigInt::one();
    for (index, &value) in values.iter().enumerate() {
        if !value.is_finite() {
            return None;
        }
        if value.abs() <= noise {
            continue;
        }
        let fraction = match rounding {
            Rounding::Nearest { max_denominator, tolerance } => {
                nearest(value * scale, max_denominator, tolerance)?
            }
            Rounding::Exact => BigRational::from_float(value * scale)?,
        };
        if fraction.is_zero() {
            continue;
        }
        denominator = denominator.lcm(fraction.denom());
        if denominator.bits() > MAX_DENOMINATOR_BITS {
            return None;
        }
        fractions.push((Row(u32::try_from(index).ok()?), fraction));
    }
    let numerators = fractions
        .into_iter()
        .map(|(row, fraction)| (row, fraction.numer() * (&denominator / fraction.denom())))
        .collect();
    Some(Multipliers { denominator, numerators })
}

/// Returns the [`convergent`] as a rational number, with the sign of `value`.
pub(crate) fn nearest(value: f64, max_denominator: u64, tolerance: f64) -> Option<BigRational> {
    let (numerator, denominator) = convergent(value.abs(), max_denominator, tolerance)?;
    let fraction = BigRational::new(numerator.into(), denominator.into());
    Some(if value.is_sign_negative() { -fraction } else { fraction })
}

/// Returns the first convergent of the continued fraction of `value` ≥ 0 within `tolerance`, as
/// numerator and denominator. The tolerance is relative for values above 1 and absolute below.
/// Returns `None` if the denominator exceeds `max_denominator`, or if `value` is negative, above
/// 10¹⁵ or not a number. Also returns `None` if no convergent fits 64 bits within 64 steps.
pub fn convergent(value: f64, max_denominator: u64, tolerance: f64) -> Option<(u64, u64)> {
    let max_error = tolerance * value.max(1.0);
    // Above this value, even the integer part is inexact.
    if !(0.0..=1e15).contains(&value) {
        return None;
    }
    let mut remainder = value;
    let (mut previous, mut current) = ((0u64, 1u64), (1u64, 0u64));
    for _ in 0..64 {
        let integer_part = remainder.floor();
        if integer_part > 1e18 {
            return None;
        }
        let next = |previous: u64, current: u64| {
            (integer_part as u64).checked_mul(current)?.checked_add(previous)
        };
        (previous, current) =
            (current, (next(previous.0, current.0)?, next(previous.1, current.1)?));
        if current.1 > max_denominator {
            return None;
        }
        if (current.0 as f64 / current.1 as f64 - value).abs() <= max_error {
            return Some(current);
        }
        remainder = 1.0 / (remainder - integer_part);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fraction(numerator: i64, denominator: i64) -> Option<BigRational> {
        Some(BigRational::new(numerator.into(), denominator.into()))
    }

    #[test]
    fn floats_near_small_fractions_become_them() {
        assert_eq!(nearest(1.0 / 3.0, 10_000, 1e-9), fraction(1, 3));
        assert_eq!(nearest(-2.000_000_001, 10_000, 1e-7), fraction(-2, 1));
        assert_eq!(nearest(0.0, 10_000, 1e-7), fraction(0, 1));
        assert_eq!(nearest(355.0 / 113.0, 10_000, 1e-12), fraction(355, 113));
        assert_eq!(nearest(std::f64::consts::PI, 10, 1e-12), None);
        assert_eq!([f64::NAN, f64::INFINITY].map(|it| nearest(it, 10, 1e-12)), [None, None]);
        assert_eq!(convergent(2.0, 10, 1e-12), Some((2, 1)));
    }

    #[test]
    fn a_guess_has_one_denominator_and_drops_noise() {
        let (_, found) = guesses(&[0.5, 1e-14, -1.0 / 3.0]).next().unwrap();
        assert_eq!(found.denominator, BigInt::from(6));
        assert_eq!(found.numerators, [(Row(0), BigInt::from(3)), (Row(2), BigInt::from(-2))]);
        assert_eq!(guesses(&[f64::INFINITY]).count(), 0);
    }
}
