//! Tokens of a place in order encoding, and the clauses that everybody writes.

use parikh_solvers::cnf::{Clauses, Literal};

/// A literal that may be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaybeLiteral {
    /// It always holds, or never.
    Is(bool),
    /// It is this one.
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

/// A place in one marking: at least `low` tokens; `above[i]` says that there are more than `low` +
/// i.
#[derive(Clone)]
pub(super) struct Tokens {
    low: i128,
    above: Vec<Literal>,
}

impl Tokens {
    /// So many.
    pub(super) fn known(tokens: i128) -> Tokens {
        Tokens { low: tokens, above: Vec::new() }
    }

    /// Between `low` and `high`.
    pub(super) fn within(clauses: &mut impl Clauses, low: i128, high: i128) -> Tokens {
        let above: Vec<Literal> = (low..high).map(|_| clauses.variable()).collect();
        for pair in above.windows(2) {
            clauses.clause(&[!pair[1], pair[0]]);
        }
        Tokens { low, above }
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

    /// The variables, each with the tokens that are there at least if it holds.
    pub(super) fn variables(&self) -> impl Iterator<Item = (i128, Literal)> {
        (self.low + 1..).zip(self.above.iter().copied())
    }
}

/// Where all of `given` hold, `then` does.
pub(super) fn imply(clauses: &mut impl Clauses, given: &[Literal], then: MaybeLiteral) {
    let mut clause: Vec<Literal> = given.iter().map(|&literal| !literal).collect();
    match then {
        MaybeLiteral::Is(true) => return,
        MaybeLiteral::Is(false) => {}
        MaybeLiteral::Open(literal) => clause.push(literal),
    }
    clauses.clause(&clause);
}

/// Where all of `given` hold, these are the same.
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

/// Of so many literals pairs are named; of more, a chain says whether one came before.
const PAIRS: usize = 5;

/// Of these holds at most one.
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
