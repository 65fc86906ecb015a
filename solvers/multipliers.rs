//! Multipliers of the rows of a linear program, as exact numbers.

use crate::linear_program::Row;
use num_bigint::BigInt;

/// Rational multipliers of rows as integers over one denominator. Rows not mentioned have 0; those
/// mentioned twice count twice. Plain data: to be stored, printed, mutilated and checked again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Multipliers {
    /// Positive, or the check refuses.
    pub denominator: BigInt,
    /// Row and numerator.
    pub numerators: Vec<(Row, BigInt)>,
}

/// What it took to turn an answer in floating point into a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// The solver's numbers, rounded to small fractions, proved it.
    AtOnce,
    /// They did with another rounding or another scale.
    Repaired,
    /// The equations behind them were solved exactly.
    Solved,
    /// The program contradicts itself in one interval or row; no numbers were needed.
    Looked,
}
