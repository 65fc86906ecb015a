//! Multipliers of the rows of a linear program, as exact numbers.

use crate::linear_program::Row;
use num_bigint::BigInt;

/// Rational multipliers of rows, as integers over a common denominator. Rows without an entry have
/// multiplier 0; several entries of a row add up. This is plain data that can be stored, printed
/// and checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Multipliers {
    /// The common denominator. The check refuses it unless it is positive.
    pub denominator: BigInt,
    /// Pairs of a row and its numerator.
    pub numerators: Vec<(Row, BigInt)>,
}

/// The effort needed to turn a floating-point answer into a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// The solver's numbers, rounded to small fractions, were a proof.
    Rounded,
    /// The numbers were a proof with another rounding or another scale.
    RoundedDifferently,
    /// The equations that the solver's numbers nearly satisfy were solved exactly.
    SolvedExactly,
    /// One interval or row of the program is contradictory; no numbers were needed.
    WithoutNumbers,
}
