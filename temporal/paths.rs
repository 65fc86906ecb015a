//! What distinguishes LTL from CTL: whether operators say which paths they speak of.

use std::fmt::Debug;
use std::hash::Hash;

/// Which paths a temporal operator speaks of.
pub trait Paths: Copy + Ord + Hash + Debug {
    /// What the negation of an operator speaks of.
    #[must_use]
    fn dual(self) -> Self;

    /// Whether "next, this constant" is the constant itself.
    fn keeps(self, constant: bool) -> bool;

    /// Whether what holds on these paths holds on those, too.
    fn imply(self, those: Self) -> bool;

    /// What "next" is where nothing follows; `None`: the same as now, as the last letter is
    /// repeated.
    fn next_at_end(self) -> Option<bool>;

    /// Whether an operator of these paths moves out of ∧ (`true`) or ∨: X φ ∧ X ψ = X (φ ∧ ψ) on
    /// one path and on all paths, X φ ∨ X ψ = X (φ ∨ ψ) on one path and on some path.
    fn moves_out_of(self, and: bool) -> bool;

    /// How the operators of these paths are written: "", "E", "A".
    fn prefix(self) -> &'static str;
}

/// The one path of linear-time logic.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Linear;

impl Paths for Linear {
    fn dual(self) -> Self {
        Self
    }

    fn keeps(self, _: bool) -> bool {
        true
    }

    fn imply(self, _: Self) -> bool {
        true
    }

    fn next_at_end(self) -> Option<bool> {
        None
    }

    fn moves_out_of(self, _: bool) -> bool {
        true
    }

    fn prefix(self) -> &'static str {
        ""
    }
}

/// Some or all of the maximal paths from a state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Quantifier {
    /// E: at least one path.
    Exists,
    /// A: every path.
    All,
}

impl Paths for Quantifier {
    fn dual(self) -> Self {
        match self {
            Self::Exists => Self::All,
            Self::All => Self::Exists,
        }
    }

    fn keeps(self, constant: bool) -> bool {
        // Where nothing follows, EX true is false and AX false is true.
        constant == (self == Self::All)
    }

    fn imply(self, those: Self) -> bool {
        // From every state there is a maximal path, be it one without steps.
        self == Self::All || those == Self::Exists
    }

    fn next_at_end(self) -> Option<bool> {
        Some(self == Self::All)
    }

    fn moves_out_of(self, and: bool) -> bool {
        and == (self == Self::All)
    }

    fn prefix(self) -> &'static str {
        match self {
            Self::Exists => "E",
            Self::All => "A",
        }
    }
}
