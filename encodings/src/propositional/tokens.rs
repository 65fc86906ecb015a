//! Tokens of a place in the order encoding, and common clauses.

use parikh_solvers::cnf::{Clauses, Literal};

/// A literal or a known truth value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaybeLiteral {
    /// A constant truth value.
    Is(bool),
    /// An open literal.
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

/// The tokens of a place in one marking: at least `low`; `above[i]` states that there are more than
/// `low` + i.
#[derive(Clone)]
pub(super) struct OrderEncodedTokens {
    low: i128,
    above: Vec<Literal>,
}

impl OrderEncodedTokens {
    /// Returns a known number of tokens.
    pub(super) fn known(tokens: i128) -> OrderEncodedTokens {
        OrderEncodedTokens { low: tokens, above: Vec::new() }
    }

    /// Creates variables for a number between `low` and `high`.
    pub(super) fn within(clauses: &mut impl Clauses, low: i128, high: i128) -> OrderEncodedTokens {
        let above: Vec<Literal> = (low..high).map(|_| clauses.variable()).collect();
        for pair in above.windows(2) {
            clauses.clause(&[!pair[1], pair[0]]);
        }
        OrderEncodedTokens { low, above }
    }

    pub(super) fn low(&self) -> i128 {
        self.low
    }

    pub(super) fn high(&self) -> i128 {
        self.low + self.above.len() as i128
    }

    pub(super) fn at_least(&self, value: i128) -> MaybeLiteral {
        match usize::try_from(value - self.low - 1) {
            Err(_) => MaybeLiteral::Is(true),
            Ok(at) => self
                .above
                .get(at)
                .map_or(MaybeLiteral::Is(false), |&literal| MaybeLiteral::Open(literal)),
        }
    }

    /// Returns the variables, each with the number of tokens that it implies at least.
    pub(super) fn variables(&self) -> impl Iterator<Item = (i128, Literal)> {
        (self.low + 1..).zip(self.above.iter().copied())
    }
}

/// Adds the clause: if all of `given` hold, `then` holds.
pub(super) fn imply(clauses: &mut impl Clauses, given: &[Literal], then: MaybeLiteral) {
    let mut clause: Vec<Literal> = given.iter().map(|&literal| !literal).collect();
    match then {
        MaybeLiteral::Is(true) => return,
        MaybeLiteral::Is(false) => {}
        MaybeLiteral::Open(literal) => clause.push(literal),
    }
    clauses.clause(&clause);
}

/// Adds the clauses: if all of `given` hold, `one` and `other` are equivalent.
pub(super) fn equal(
    clauses: &mut impl Clauses,
    given: &[Literal],
    one: MaybeLiteral,
    other: MaybeLiteral,
) {
    for (premise, then) in [(one, other), (other, one)] {
        match premise {
            MaybeLiteral::Is(false) => {}
            MaybeLiteral::Is(true) => imply(clauses, given, then),
            MaybeLiteral::Open(literal) => {
                let given: Vec<Literal> = given.iter().copied().chain([literal]).collect();
                imply(clauses, &given, then);
            }
        }
    }
}

/// Up to this number of literals, at-most-one constraints use pairwise clauses; beyond it, a chain
/// of auxiliary variables.
const PAIRS: usize = 5;

/// Adds clauses for: at most one of the literals holds.
pub(super) fn at_most_one(clauses: &mut impl Clauses, of: &[Literal]) {
    if of.len() <= PAIRS {
        for (at, &one) in of.iter().enumerate() {
            of[..at].iter().for_each(|&other| clauses.clause(&[!one, !other]));
        }
        return;
    }
    let mut earlier: Option<Literal> = None;
    for &one in of {
        let so_far = clauses.variable();
        clauses.clause(&[!one, so_far]);
        if let Some(earlier) = earlier {
            clauses.clause(&[!earlier, so_far]);
            clauses.clause(&[!earlier, !one]);
        }
        earlier = Some(so_far);
    }
}
