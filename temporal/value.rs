//! Values of formulas where little is known: true, false, or neither yet (Kleene's three values).
//!
//! At one state or position, a formula is true or false if that follows from the atoms there: φ U ψ
//! is true where ψ is, and false where both are. Where nothing follows, every formula has a value:
//! a run to a dead marking repeats its last letter for linear formulas, and is over for branching
//! ones.

use crate::atom::Atom;
use crate::formula::{Formula, Formulas, Node};
use crate::parts::Values;
use crate::paths::Paths;
use std::collections::HashMap;

/// A truth value, as far as it is known.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Value {
    /// It is false.
    False,
    /// It may be either.
    Unknown,
    /// It is true.
    True,
}

impl Value {
    /// Both: the smaller one.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        self.min(other)
    }

    /// At least one: the larger one.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        self.max(other)
    }

    /// The truth value, if it is known.
    pub fn known(self) -> Option<bool> {
        match self {
            Self::False => Some(false),
            Self::Unknown => None,
            Self::True => Some(true),
        }
    }
}

impl std::ops::Not for Value {
    type Output = Self;

    fn not(self) -> Self {
        match self {
            Self::False => Self::True,
            Self::Unknown => Self::Unknown,
            Self::True => Self::False,
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        if value { Self::True } else { Self::False }
    }
}

impl<P: Paths> Formulas<P> {
    /// What the values of the atoms at a state say of the formula there, whatever follows.
    pub fn value_here(&self, formula: Formula<P>, atoms: impl Fn(Atom) -> Value) -> Value {
        let later = Value::Unknown;
        let until = |left: Value, right: Value| right.or(left.and(later));
        let release = |left: Value, right: Value| right.and(left.or(later));
        self.value_by(formula, atoms, |_, _| later, until, release)
    }

    /// What the values of the atoms at a state without successor say of the formula there.
    pub fn value_at_end(&self, formula: Formula<P>, atoms: impl Fn(Atom) -> Value) -> Value {
        // φ U ψ and φ R ψ both are ψ now: there is no later, or only the same again.
        let next = |paths: P, part: Value| paths.next_at_end().map_or(part, Value::from);
        self.value_by(formula, atoms, next, |_, right| right, |_, right| right)
    }

    fn value_by(
        &self,
        formula: Formula<P>,
        atoms: impl Fn(Atom) -> Value,
        next: impl Fn(P, Value) -> Value,
        until: impl Fn(Value, Value) -> Value,
        release: impl Fn(Value, Value) -> Value,
    ) -> Value {
        self.fold(formula, |_, node, value: &Values<P, Value>| match node {
            Node::True => Value::True,
            Node::False => Value::False,
            Node::Literal(literal) if literal.positive => atoms(literal.atom),
            Node::Literal(literal) => !atoms(literal.atom),
            Node::And(all) => all.iter().fold(Value::True, |so_far, &part| so_far.and(value[part])),
            Node::Or(all) => all.iter().fold(Value::False, |so_far, &part| so_far.or(value[part])),
            Node::Next(paths, part) => next(*paths, value[*part]),
            Node::Until(_, left, right) => until(value[*left], value[*right]),
            Node::Release(_, left, right) => release(value[*left], value[*right]),
        })
    }

    /// A formula with the same value at a state at which the atoms have these values: what is known
    /// there is left out, what is said of later stays.
    pub fn given_here(&mut self, formula: Formula<P>, atoms: impl Fn(Atom) -> Value) -> Formula<P> {
        let (yes, no) = (self.constant(true), self.constant(false));
        let mut given: HashMap<Formula<P>, Formula<P>> = HashMap::new();
        for part in self.below(formula) {
            let result = match *self.node(part) {
                Node::Literal(literal) => match atoms(literal.atom).known() {
                    Some(value) => self.constant(value == literal.positive),
                    None => part,
                },
                Node::And(_) | Node::Or(_) => self.with_parts(part, |inner| given[&inner]),
                Node::Until(_, left, right) if given[&right] == yes || given[&left] == no => {
                    given[&right]
                }
                Node::Release(_, left, right) if given[&right] == no || given[&left] == yes => {
                    given[&right]
                }
                _ => part,
            };
            given.insert(part, result);
        }
        given[&formula]
    }
}
