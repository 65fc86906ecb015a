//! The difference between LTL and CTL: whether operators quantify over paths.

use std::fmt::Debug;
use std::hash::Hash;

/// The paths that a temporal operator quantifies over.
pub trait Paths: Copy + Ord + Hash + Debug {
    /// Returns the quantifier of the negated operator.
    #[must_use]
    fn dual(self) -> Self;

    /// Returns true if X constant equals the constant. In CTL, AX true is true and EX false is
    /// false, but EX true and AX false depend on the state.
    fn next_keeps(self, constant: bool) -> bool;

    /// Returns true if a property that holds on the paths of `self` also holds on the paths of
    /// `those`. For CTL, "on all paths" implies "on some path".
    fn imply(self, those: Self) -> bool;

    /// Returns the value of "next" at a state without successor. `None` means the same value as
    /// now, because the last letter is repeated.
    fn next_at_end(self) -> Option<bool>;

    /// Returns true if next operators of these paths distribute over ∧ (`and` true) or ∨ (`and`
    /// false). X φ ∧ X ψ = X (φ ∧ ψ) holds on one path and on all paths. X φ ∨ X ψ = X (φ ∨ ψ)
    /// holds on one path and on some path.
    fn next_distributes_over(self, and: bool) -> bool;

    /// Returns the text before a temporal operator: "" in LTL, "E" or "A" in CTL.
    fn prefix(self) -> &'static str;
}

/// The single path of linear-time logic.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Linear;

impl Paths for Linear {
    fn dual(self) -> Self {
        Self
    }

    fn next_keeps(self, _: bool) -> bool {
        true
    }

    fn imply(self, _: Self) -> bool {
        true
    }

    fn next_at_end(self) -> Option<bool> {
        None
    }

    fn next_distributes_over(self, _: bool) -> bool {
        true
    }

    fn prefix(self) -> &'static str {
        ""
    }
}

/// The quantifier over the maximal paths from a state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Quantifier {
    /// E: on at least one path.
    Exists,
    /// A: on every path.
    All,
}

impl Paths for Quantifier {
    fn dual(self) -> Self {
        match self {
            Self::Exists => Self::All,
            Self::All => Self::Exists,
        }
    }

    fn next_keeps(self, constant: bool) -> bool {
        // Without successor, EX true is false and AX false is true.
        constant == (self == Self::All)
    }

    fn imply(self, those: Self) -> bool {
        // From every state there is a maximal path, possibly without steps.
        self == Self::All || those == Self::Exists
    }

    fn next_at_end(self) -> Option<bool> {
        Some(self == Self::All)
    }

    fn next_distributes_over(self, and: bool) -> bool {
        and == (self == Self::All)
    }

    fn prefix(self) -> &'static str {
        match self {
            Self::Exists => "E",
            Self::All => "A",
        }
    }
}
