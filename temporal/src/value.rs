//! Three-valued evaluation of formulas with partial information (Kleene's values true, false and
//! unknown).
//!
//! At one state or position, a formula is true or false if this follows from the atoms there: φ U ψ
//! is true if ψ is true, and false if both are false. If all atoms are known, every formula has a
//! value at a dead state. For linear formulas the run repeats its last letter, for branching
//! formulas the path ends.

use crate::atom::AtomId;
use crate::formula::{Formula, Formulas, Node};
use crate::paths::Paths;
use crate::subformulas::PartValues;
use std::collections::HashMap;

/// A truth value: false, unknown or true.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum PartialTruth {
    /// The formula is false.
    False,
    /// The formula may be true or false.
    Unknown,
    /// The formula is true.
    True,
}

impl PartialTruth {
    /// Returns the conjunction: the smaller value.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        self.min(other)
    }

    /// Returns the disjunction: the larger value.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        self.max(other)
    }

    /// Returns the truth value, if it is known.
    pub fn to_bool(self) -> Option<bool> {
        match self {
            Self::False => Some(false),
            Self::Unknown => None,
            Self::True => Some(true),
        }
    }
}

impl std::ops::Not for PartialTruth {
    type Output = Self;

    fn not(self) -> Self {
        match self {
            Self::False => Self::True,
            Self::Unknown => Self::Unknown,
            Self::True => Self::False,
        }
    }
}

impl From<bool> for PartialTruth {
    fn from(value: bool) -> Self {
        if value { Self::True } else { Self::False }
    }
}

impl<P: Paths> Formulas<P> {
    /// Returns the value of the formula at a state with the given atoms, if the value is the same
    /// for any continuation. Returns unknown if the evaluation does not show this.
    pub fn value_here(
        &self,
        formula: Formula<P>,
        atoms: impl Fn(AtomId) -> PartialTruth,
    ) -> PartialTruth {
        let unknown = PartialTruth::Unknown;
        let until = |left: PartialTruth, right: PartialTruth| right.or(left.and(unknown));
        let release = |left: PartialTruth, right: PartialTruth| right.and(left.or(unknown));
        self.value_with(formula, atoms, |_, _| unknown, until, release)
    }

    /// Returns the value of the formula at a state without successor with the given atoms.
    pub fn value_at_end(
        &self,
        formula: Formula<P>,
        atoms: impl Fn(AtomId) -> PartialTruth,
    ) -> PartialTruth {
        // φ U ψ and φ R ψ both equal ψ here: there is no later position, or only the same letter
        // again.
        let next =
            |paths: P, part: PartialTruth| paths.next_at_end().map_or(part, PartialTruth::from);
        self.value_with(formula, atoms, next, |_, right| right, |_, right| right)
    }

    /// Computes the value of a formula from the values of atoms and functions for the temporal
    /// operators.
    fn value_with(
        &self,
        formula: Formula<P>,
        atoms: impl Fn(AtomId) -> PartialTruth,
        next: impl Fn(P, PartialTruth) -> PartialTruth,
        until: impl Fn(PartialTruth, PartialTruth) -> PartialTruth,
        release: impl Fn(PartialTruth, PartialTruth) -> PartialTruth,
    ) -> PartialTruth {
        self.fold(formula, |_, node, value: &PartValues<P, PartialTruth>| match node {
            Node::True => PartialTruth::True,
            Node::False => PartialTruth::False,
            Node::Literal(literal) if literal.positive => atoms(literal.atom),
            Node::Literal(literal) => !atoms(literal.atom),
            Node::And(operands) => {
                operands.iter().fold(PartialTruth::True, |so_far, &part| so_far.and(value[part]))
            }
            Node::Or(operands) => {
                operands.iter().fold(PartialTruth::False, |so_far, &part| so_far.or(value[part]))
            }
            Node::Next(paths, part) => next(*paths, value[*part]),
            Node::Until(_, left, right) => until(value[*left], value[*right]),
            Node::Release(_, left, right) => release(value[*left], value[*right]),
        })
    }

    /// Returns a formula with the same value at every state where the atoms have these values.
    /// Known atoms are replaced by constants; parts about later positions stay.
    pub fn simplify_here(
        &mut self,
        formula: Formula<P>,
        atoms: impl Fn(AtomId) -> PartialTruth,
    ) -> Formula<P> {
        let (true_formula, false_formula) = (self.constant(true), self.constant(false));
        let mut results: HashMap<Formula<P>, Formula<P>> = HashMap::new();
        for part in self.subformulas(formula) {
            let result = match *self.node(part) {
                Node::Literal(literal) => match atoms(literal.atom).to_bool() {
                    Some(value) => self.constant(value == literal.positive),
                    None => part,
                },
                Node::And(_) | Node::Or(_) => self.replace_parts(part, |inner| results[&inner]),
                Node::Until(_, left, right)
                    if results[&right] == true_formula || results[&left] == false_formula =>
                {
                    results[&right]
                }
                Node::Release(_, left, right)
                    if results[&right] == false_formula || results[&left] == true_formula =>
                {
                    results[&right]
                }
                _ => part,
            };
            results.insert(part, result);
        }
        results[&formula]
    }
}
