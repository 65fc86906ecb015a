//! Syntax trees of formulas, as faithful to the file as can be: arity, order and repetitions are
//! kept, nothing is simplified. Trees read from a query file and from its textual twin are equal.

use parikh_net::{PlaceId, TransitionId};

/// The deepest nesting a reader may build, operators and integer expressions counted together.
/// Whatever walks over a tree may recurse: at this depth no stack overflows, and formulas of the
/// contest stay below 100.
pub const MAX_DEPTH: usize = 2_000;

/// A state or path formula of CTL*, or the request for a bound. Which mixtures make sense is for
/// those to say who answer them; a tree can hold any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Formula {
    /// A φ: on all paths.
    AllPaths(Box<Formula>),
    /// E φ: on some path.
    ExistsPath(Box<Formula>),
    /// G φ: always from here on.
    Globally(Box<Formula>),
    /// F φ: now or at some time.
    Finally(Box<Formula>),
    /// X φ: in the next marking.
    Next(Box<Formula>),
    /// φ U ψ: φ holds until ψ does, which it does at some time.
    Until {
        /// What holds until then.
        before: Box<Formula>,
        /// What is reached then.
        reach: Box<Formula>,
    },
    /// All hold; at least one operand.
    And(Vec<Formula>),
    /// At least one holds; at least one operand.
    Or(Vec<Formula>),
    /// φ does not hold.
    Not(Box<Formula>),
    /// If the first holds, so does the second.
    Implies(Box<Formula>, Box<Formula>),
    /// Both hold or none.
    Equivalent(Box<Formula>, Box<Formula>),
    /// One of the two holds, but not both.
    Xor(Box<Formula>, Box<Formula>),
    /// A comparison of numbers.
    Compare {
        /// The left side.
        left: Expression,
        /// How they compare.
        relation: Relation,
        /// The right side.
        right: Expression,
    },
    /// At least one of these transitions is enabled; not empty.
    Fireable(Vec<TransitionId>),
    /// One of these transitions fires next; not empty. This is said of a run, and not of a marking:
    /// nothing fires where a dead marking repeats.
    Fires(Vec<TransitionId>),
    /// No transition is enabled.
    Deadlock,
    /// Holds everywhere.
    True,
    /// Holds nowhere.
    False,
    /// Not a property but a number: the most tokens these places ever hold *together*; not empty.
    PlaceBound(Vec<PlaceId>),
}

/// How two numbers compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// ≤
    AtMost,
    /// ≥
    AtLeast,
    /// <
    Less,
    /// >
    Greater,
    /// =
    Equal,
    /// ≠
    Unequal,
}

/// A whole number that depends on the marking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    /// The same in every marking.
    Constant(i64),
    /// The tokens on these places together, a repeated place counted each time; not empty.
    Tokens(Vec<PlaceId>),
    /// The sum of at least one operand.
    Sum(Vec<Expression>),
    /// The product of at least one operand.
    Product(Vec<Expression>),
    /// The first minus the second.
    Difference(Box<Expression>, Box<Expression>),
}

impl Formula {
    /// The number of operators, leaves, and names in leaves: what any expansion is measured by.
    pub fn size(&self) -> usize {
        1 + match self {
            Formula::AllPaths(part)
            | Formula::ExistsPath(part)
            | Formula::Globally(part)
            | Formula::Finally(part)
            | Formula::Next(part)
            | Formula::Not(part) => part.size(),
            Formula::Until { before: a, reach: b }
            | Formula::Implies(a, b)
            | Formula::Equivalent(a, b)
            | Formula::Xor(a, b) => a.size() + b.size(),
            Formula::And(parts) | Formula::Or(parts) => parts.iter().map(Formula::size).sum(),
            Formula::Compare { left, right, .. } => left.size() + right.size(),
            Formula::Fireable(transitions) | Formula::Fires(transitions) => transitions.len(),
            Formula::PlaceBound(places) => places.len(),
            Formula::Deadlock | Formula::True | Formula::False => 0,
        }
    }
}

impl Formula {
    /// Whether it speaks of what fires next below a path quantifier, or a temporal operator, that
    /// has another quantifier inside.
    pub fn nests_quantifiers_around_firings(&self) -> bool {
        match self {
            Formula::AllPaths(path) | Formula::ExistsPath(path) => path.mixes(),
            Formula::Globally(_)
            | Formula::Finally(_)
            | Formula::Next(_)
            | Formula::Until { .. } => self.mixes(),
            formula => formula.parts().any(Formula::nests_quantifiers_around_firings),
        }
    }

    /// Whether there are both a quantifier and what fires next in it.
    fn mixes(&self) -> bool {
        let is_quantifier =
            |it: &Formula| matches!(it, Formula::AllPaths(_) | Formula::ExistsPath(_));
        let is_firing = |it: &Formula| matches!(it, Formula::Fires(_));
        self.has(&is_quantifier) && self.has(&is_firing)
    }

    /// Whether some formula in it, or itself, is such.
    fn has(&self, is_such: &dyn Fn(&Formula) -> bool) -> bool {
        is_such(self) || self.parts().any(|part| part.has(is_such))
    }

    /// The formulas that its operator is applied to.
    fn parts(&self) -> impl Iterator<Item = &Formula> {
        let (one, other, all): (_, _, &[Formula]) = match self {
            Formula::AllPaths(part)
            | Formula::ExistsPath(part)
            | Formula::Globally(part)
            | Formula::Finally(part)
            | Formula::Next(part)
            | Formula::Not(part) => (Some(part), None, &[]),
            Formula::Until { before: a, reach: b }
            | Formula::Implies(a, b)
            | Formula::Equivalent(a, b)
            | Formula::Xor(a, b) => (Some(a), Some(b), &[]),
            Formula::And(parts) | Formula::Or(parts) => (None, None, parts),
            _ => (None, None, &[]),
        };
        one.into_iter().chain(other).map(|part| &**part).chain(all)
    }
}

impl Expression {
    /// The number of operators, leaves, and names in leaves.
    pub fn size(&self) -> usize {
        1 + match self {
            Expression::Constant(_) => 0,
            Expression::Tokens(places) => places.len(),
            Expression::Sum(parts) | Expression::Product(parts) => {
                parts.iter().map(Expression::size).sum()
            }
            Expression::Difference(a, b) => a.size() + b.size(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn size_counts_operators_and_names() {
        let tokens = |n| Expression::Tokens((0..n).map(PlaceId::new).collect());
        let compare = Formula::Compare {
            left: Expression::Sum(vec![tokens(2), Expression::Constant(1)]),
            relation: Relation::AtMost,
            right: tokens(1),
        };
        assert_eq!(compare.size(), 1 + (1 + 3 + 1) + 2);
        assert_eq!(Formula::Not(Box::new(Formula::And(vec![compare, Formula::True]))).size(), 11);
    }
}
