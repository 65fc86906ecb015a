//! Tokens of a place in the order encoding, and common clauses.

use parikh_solvers::cnf::{Clauses, Literal};

/// A literal or a known truth value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaybeLiteral {
    /// A constant truth value.
    Is(bool),
    /// A literal whose truth value is unknown.
    Open(Literal),
}

impl std::ops::Not for MaybeLiteral {
    type Output = MaybeLiteral;

    fn not(self) -> MaybeLiteral {
        match self {
            MaybeLiteral::Is(holds) => MaybeLiteral::Is(!holds),
            MaybeLiteral::Open(literal) => MaybeLiteral::Open(!literal),
        }
    }
}

/// The tokens of a place in one marking, in the order encoding.
#[derive(Clone)]
pub(super) struct OrderEncodedTokens {
    /// The minimum number of tokens.
    low: i128,
    /// Entry i states that there are more than `low` + i tokens.
    threshold_literals: Vec<Literal>,
}

impl OrderEncodedTokens {
    /// Returns a constant number of tokens.
    pub(super) fn constant(tokens: i128) -> OrderEncodedTokens {
        OrderEncodedTokens { low: tokens, threshold_literals: Vec::new() }
    }

    /// Creates variables for a number between `low` and `high`.
    pub(super) fn between(clauses: &mut impl Clauses, low: i128, high: i128) -> OrderEncodedTokens {
        let threshold_literals: Vec<Literal> = (low..high).map(|_| clauses.variable()).collect();
        for pair in threshold_literals.windows(2) {
            clauses.clause(&[!pair[1], pair[0]]);
        }
        OrderEncodedTokens { low, threshold_literals }
    }

    /// Returns the minimum number of tokens.
    pub(super) fn low(&self) -> i128 {
        self.low
    }

    /// Returns the maximum number of tokens.
    pub(super) fn high(&self) -> i128 {
        self.low + self.threshold_literals.len() as i128
    }

    /// Returns the literal or constant that is true if there are at least `value` tokens.
    pub(super) fn at_least(&self, value: i128) -> MaybeLiteral {
        match usize::try_from(value - self.low - 1) {
            Err(_) => MaybeLiteral::Is(true),
            Ok(index) => self
                .threshold_literals
                .get(index)
                .map_or(MaybeLiteral::Is(false), |&literal| MaybeLiteral::Open(literal)),
        }
    }

    /// Returns each variable with the number k of tokens that it compares with: it is true if there
    /// are at least k tokens. The pair is k and the variable.
    pub(super) fn variables(&self) -> impl Iterator<Item = (i128, Literal)> {
        (self.low + 1..).zip(self.threshold_literals.iter().copied())
    }
}

/// Adds the clause that the conjunction of `premises` implies `conclusion`.
pub(super) fn imply(clauses: &mut impl Clauses, premises: &[Literal], conclusion: MaybeLiteral) {
    let mut clause: Vec<Literal> = premises.iter().map(|&literal| !literal).collect();
    match conclusion {
        MaybeLiteral::Is(true) => return,
        MaybeLiteral::Is(false) => {}
        MaybeLiteral::Open(literal) => clause.push(literal),
    }
    clauses.clause(&clause);
}

/// Adds the clauses that the conjunction of `premises` implies the equivalence of `left` and
/// `right`.
pub(super) fn equal_if(
    clauses: &mut impl Clauses,
    premises: &[Literal],
    left: MaybeLiteral,
    right: MaybeLiteral,
) {
    for (premise, conclusion) in [(left, right), (right, left)] {
        match premise {
            MaybeLiteral::Is(false) => {}
            MaybeLiteral::Is(true) => imply(clauses, premises, conclusion),
            MaybeLiteral::Open(literal) => {
                let premises: Vec<Literal> = premises.iter().copied().chain([literal]).collect();
                imply(clauses, &premises, conclusion);
            }
        }
    }
}

/// At most this number of literals get pairwise at-most-one clauses. More literals get a chain of
/// auxiliary variables.
const MAX_PAIRWISE: usize = 5;

/// Adds the clauses that at most one of the literals holds.
pub(super) fn at_most_one(clauses: &mut impl Clauses, literals: &[Literal]) {
    if literals.len() <= MAX_PAIRWISE {
        for (index, &literal) in literals.iter().enumerate() {
            literals[..index]
                .iter()
                .for_each(|&earlier_literal| clauses.clause(&[!literal, !earlier_literal]));
        }
        return;
    }
    let mut any_earlier: Option<Literal> = None;
    for &literal in literals {
        let any_so_far = clauses.variable();
        clauses.clause(&[!literal, any_so_far]);
        if let Some(any_earlier) = any_earlier {
            clauses.clause(&[!any_earlier, any_so_far]);
            clauses.clause(&[!any_earlier, !literal]);
        }
        any_earlier = Some(any_so_far);
    }
}
