//! Syntax trees of formulas. A tree keeps arity, order and repetitions as in the file, without
//! simplification. A query file and its textual equivalent give equal trees.

use parikh_net::{PlaceId, TransitionId};

/// The greatest nesting depth of a tree, counting operators and integer expressions. At this depth,
/// recursion over a tree does not overflow the stack. Formulas of the contest stay below 100.
pub const MAX_DEPTH: usize = 2_000;

/// A state or path formula of CTL*, or the query for a bound. A tree may mix these in any way. The
/// translations decide which mixtures are valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Formula {
    /// A φ: φ holds on all paths.
    AllPaths(Box<Formula>),
    /// E φ: φ holds on some path.
    ExistsPath(Box<Formula>),
    /// G φ: φ holds from now on.
    Globally(Box<Formula>),
    /// F φ: φ holds now or later.
    Finally(Box<Formula>),
    /// X φ: φ holds in the next marking.
    Next(Box<Formula>),
    /// φ U ψ: ψ holds now or later, and φ holds until then.
    Until {
        /// The formula φ.
        before: Box<Formula>,
        /// The formula ψ.
        reach: Box<Formula>,
    },
    /// A conjunction of at least one operand.
    And(Vec<Formula>),
    /// A disjunction of at least one operand.
    Or(Vec<Formula>),
    /// A negation.
    Not(Box<Formula>),
    /// An implication.
    Implies(Box<Formula>, Box<Formula>),
    /// An equivalence.
    Equivalent(Box<Formula>, Box<Formula>),
    /// An exclusive or.
    Xor(Box<Formula>, Box<Formula>),
    /// A comparison of numbers.
    Compare {
        /// The left side.
        left: Expression,
        /// The relation between the sides.
        relation: NumberRelation,
        /// The right side.
        right: Expression,
    },
    /// At least one of these transitions is enabled. The list may be empty, for example for a
    /// coloured transition without bindings. The atom is then false.
    Fireable(Vec<TransitionId>),
    /// One of these transitions fires next. The atom is about a position of a run, not about a
    /// marking. It is false where a run repeats a dead marking. The list may be empty, for example
    /// for a coloured transition without bindings. The atom is then false.
    Fires(Vec<TransitionId>),
    /// No transition is enabled.
    Deadlock,
    /// The formula true.
    True,
    /// The formula false.
    False,
    /// The query for a bound: the largest *sum* of tokens on these places in any reachable marking.
    /// The list may be empty, for example for a colour that never has a token. The bound is then 0.
    PlaceBound(Vec<PlaceId>),
}

/// A relation between two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NumberRelation {
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

/// An integer expression over a marking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    /// A constant.
    Constant(i64),
    /// The sum of the tokens on these places, with repeated places counted repeatedly. The list may
    /// be empty, for example for a colour that never has a token. The sum is then 0.
    Tokens(Vec<PlaceId>),
    /// The sum of at least one operand.
    Sum(Vec<Expression>),
    /// The product of at least one operand.
    Product(Vec<Expression>),
    /// The first operand minus the second.
    Difference(Box<Expression>, Box<Expression>),
}

impl Formula {
    /// Returns the number of operators, leaves, and names in leaves. Limits on expansions are
    /// relative to this size.
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
    /// Returns true if some path quantifier or temporal operator contains both an atom about
    /// firings and another path quantifier.
    pub fn nests_quantifiers_around_firings(&self) -> bool {
        match self {
            Formula::AllPaths(path) | Formula::ExistsPath(path) => path.mixes(),
            Formula::Globally(_)
            | Formula::Finally(_)
            | Formula::Next(_)
            | Formula::Until { .. } => self.mixes(),
            formula => formula.operands().any(Formula::nests_quantifiers_around_firings),
        }
    }

    /// Returns true if the formula contains both a path quantifier and an atom about firings.
    fn mixes(&self) -> bool {
        let is_quantifier =
            |it: &Formula| matches!(it, Formula::AllPaths(_) | Formula::ExistsPath(_));
        let is_firing = |it: &Formula| matches!(it, Formula::Fires(_));
        self.has_subformula(&is_quantifier) && self.has_subformula(&is_firing)
    }

    /// Returns true if the formula or some subformula satisfies a predicate.
    fn has_subformula(&self, is_such: &dyn Fn(&Formula) -> bool) -> bool {
        is_such(self) || self.operands().any(|part| part.has_subformula(is_such))
    }

    /// Returns the operands of the top operator.
    fn operands(&self) -> impl Iterator<Item = &Formula> {
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
    /// Returns the number of operators, leaves, and names in leaves.
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
            relation: NumberRelation::AtMost,
            right: tokens(1),
        };
        assert_eq!(compare.size(), 1 + (1 + 3 + 1) + 2);
        assert_eq!(Formula::Not(Box::new(Formula::And(vec![compare, Formula::True]))).size(), 11);
    }
}
