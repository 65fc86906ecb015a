//! Linear expressions over the numeric variables of a term arena.

use num_bigint::BigInt;

/// A variable of one [arena](crate::term::Terms).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Variable(pub(crate) u32);

impl Variable {
    /// Returns the position of this variable in slices with one entry per variable of the arena.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An integer type of at most 64 bits: a coefficient or constant of a linear expression.
///
/// The limit makes sums infallible: fewer than 2⁶² entries below 2⁶⁴ each fit 128 bits.
pub trait Coefficient: Copy + sealed::Sealed {
    /// Returns the same number as `i128`.
    fn widen(self) -> i128;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! coefficients {
    ($($kind:ty),*) => {$(
        impl sealed::Sealed for $kind {}
        impl Coefficient for $kind {
            fn widen(self) -> i128 {
                self.into()
            }
        }
    )*};
}

coefficients!(i32, u32, i64, u64);

/// The expression c₁·x₁ + … + cₙ·xₙ + k. A variable may occur more than once.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct LinearExpression {
    /// Pairs of a variable and its coefficient, in any order.
    entries: Vec<(Variable, i128)>,
    /// The constant k.
    constant: BigInt,
}

impl LinearExpression {
    /// Creates the expression 0.
    pub fn new() -> Self {
        LinearExpression::default()
    }

    /// Creates a constant expression.
    pub fn constant(value: impl Coefficient) -> Self {
        LinearExpression::new().plus_constant(value)
    }

    /// Creates the expression that consists of one variable.
    pub fn variable(variable: Variable) -> Self {
        LinearExpression::new().plus(1, variable)
    }

    /// Adds `coefficient`·`variable` in place.
    pub fn add(&mut self, coefficient: impl Coefficient, variable: Variable) {
        self.entries.push((variable, coefficient.widen()));
    }

    /// Adds a number in place.
    pub fn add_constant(&mut self, value: impl Coefficient) {
        self.constant += value.widen();
    }

    /// Adds the product of two numbers in place.
    pub fn add_product(&mut self, a: impl Coefficient, b: impl Coefficient) {
        self.constant += BigInt::from(a.widen()) * b.widen();
    }

    /// Adds `coefficient`·`variable`.
    pub fn plus(mut self, coefficient: impl Coefficient, variable: Variable) -> Self {
        self.add(coefficient, variable);
        self
    }

    /// Adds a number.
    pub fn plus_constant(mut self, value: impl Coefficient) -> Self {
        self.add_constant(value);
        self
    }

    /// Subtracts another expression.
    pub fn minus_sum(mut self, other: &LinearExpression) -> Self {
        self.entries.extend(other.entries.iter().map(|&(variable, c)| (variable, -c)));
        self.constant -= &other.constant;
        self
    }

    /// Returns the entries sorted by variable, each variable once and without zeros, and the
    /// constant.
    pub(crate) fn into_parts(self) -> (Vec<(Variable, i128)>, BigInt) {
        let mut entries = self.entries;
        entries.sort_by_key(|&(variable, _)| variable);
        let merged = entries
            .chunk_by(|a, b| a.0 == b.0)
            .map(|group| (group[0].0, group.iter().map(|&(_, c)| c).sum()))
            .filter(|&(_, coefficient)| coefficient != 0)
            .collect();
        (merged, self.constant)
    }
}

impl From<Variable> for LinearExpression {
    fn from(variable: Variable) -> Self {
        LinearExpression::variable(variable)
    }
}

impl<C: Coefficient> From<C> for LinearExpression {
    fn from(value: C) -> Self {
        LinearExpression::constant(value)
    }
}
