//! The parts of an encoding, and their text form: `state-equation+traps+read-feed`.

use crate::variables::Numbers;
use std::fmt;
use std::str::FromStr;

/// One part of an encoding. All parts before [`EncodingPart::Predecessor`] are sets of constraints
/// that every reachable marking satisfies, together with the firing counts of some sequence that
/// leads to it. For `Units`, this holds only if the model's claim of safe units is true.
/// `Predecessor` constrains only the first goal marking of a sequence. The last three parts
/// describe consecutive markings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EncodingPart {
    /// m = m₀ + C·x: [`state_equation`](crate::state_equation).
    StateEquation,
    /// Weighted sums of tokens that no firing changes: [`flows`](crate::flows).
    Flows,
    /// Upper bounds of places: [`bounds`](crate::bounds).
    Bounds,
    /// The model's claim that its nested units are safe: [`units`](crate::units).
    Units,
    /// Initially marked traps stay marked: [`traps`](crate::traps).
    Traps,
    /// A listed trap is marked if it is marked initially or gains a token: [`traps`](crate::traps).
    ListedTraps,
    /// A token that a transition needs and the initial marking lacks must be produced by a firing:
    /// [`read_feed`](crate::read_feed).
    ReadFeed,
    /// The first firings of the effect classes have an order in which each firing finds its tokens.
    /// A token that is missing initially is then produced earlier in the order:
    /// [`causal_order`](crate::causal_order).
    CausalOrder,
    /// The first goal marking has a predecessor that is no goal marking:
    /// [`predecessor`](crate::predecessor).
    Predecessor,
    /// At most k firings from the initial marking: [`unrolling`](crate::unrolling).
    Unrolling,
    /// At most k steps from the initial marking. A step fires each transition any number of times:
    /// [`steps`](crate::steps).
    Steps,
    /// k firings from any marking to the first goal marking: [`unrolling`](crate::unrolling).
    Induction,
}

impl EncodingPart {
    /// All parts, in the order in which they are asserted.
    pub const ALL: [EncodingPart; 12] = [
        EncodingPart::StateEquation,
        EncodingPart::Flows,
        EncodingPart::Bounds,
        EncodingPart::Units,
        EncodingPart::Traps,
        EncodingPart::ListedTraps,
        EncodingPart::ReadFeed,
        EncodingPart::CausalOrder,
        EncodingPart::Predecessor,
        EncodingPart::Unrolling,
        EncodingPart::Steps,
        EncodingPart::Induction,
    ];

    /// Returns the name used on the command line.
    pub fn name(self) -> &'static str {
        match self {
            EncodingPart::StateEquation => "state-equation",
            EncodingPart::Flows => "flows",
            EncodingPart::Bounds => "bounds",
            EncodingPart::Units => "units",
            EncodingPart::Traps => "traps",
            EncodingPart::ListedTraps => "listed-traps",
            EncodingPart::ReadFeed => "read-feed",
            EncodingPart::CausalOrder => "causal-order",
            EncodingPart::Predecessor => "predecessor",
            EncodingPart::Unrolling => "bmc",
            EncodingPart::Steps => "bmc-steps",
            EncodingPart::Induction => "k-induction",
        }
    }

    /// Returns the explanation of the part, in a single line.
    pub fn explanation(self) -> &'static str {
        match self {
            EncodingPart::StateEquation => "m = m0 + C·x: the state equation",
            EncodingPart::Flows => {
                "place invariants: weighted sums of tokens that no firing changes"
            }
            EncodingPart::Bounds => "no place holds more than its bound",
            EncodingPart::Units => "the nested units are safe, as the model claims",
            EncodingPart::Traps => {
                "every initially marked trap is marked, by a ranking of the empty places"
            }
            EncodingPart::ListedTraps => {
                "a listed trap that is marked initially, or gained a token, is marked"
            }
            EncodingPart::ReadFeed => {
                "a transition that needs missing tokens requires one that produces them"
            }
            EncodingPart::CausalOrder => {
                "the first firings of all transitions have an order that enables each"
            }
            EncodingPart::Predecessor => {
                "the first goal marking has a predecessor that is not a goal marking"
            }
            EncodingPart::Unrolling => "at most k firings from the initial marking",
            EncodingPart::Steps => {
                "at most k steps from the initial marking, with several firings each"
            }
            EncodingPart::Induction => {
                "k firings from any marking, and only the last one reaches the goal"
            }
        }
    }

    /// Returns true if the part can only be used together with the state equation, because its
    /// constraints refer to firing counts. The result is false for `ListedTraps`, which uses firing
    /// counts only if the encoding has the state equation.
    pub fn needs_firings(self) -> bool {
        matches!(
            self,
            EncodingPart::ReadFeed | EncodingPart::CausalOrder | EncodingPart::Predecessor
        )
    }
}

impl fmt::Display for EncodingPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The parts of an encoding and its kind of numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Encoding {
    /// The parts, at least one, in the order of [`EncodingPart::ALL`] and without repetition.
    parts: Vec<EncodingPart>,
    /// The kind of numbers.
    pub numbers: Numbers,
    /// The number k of firings for [`EncodingPart::Unrolling`] and [`EncodingPart::Induction`], and
    /// of steps for [`EncodingPart::Steps`]. At least 1. Other encodings do not use it.
    pub steps: u32,
}

impl Encoding {
    /// Creates an encoding with k = 1.
    ///
    /// # Errors
    /// Returns an error if there is no part, or if the parts cannot be combined. Also returns an
    /// error if a part needs the state equation and the state equation is missing.
    pub fn new(
        parts: impl IntoIterator<Item = EncodingPart>,
        numbers: Numbers,
    ) -> Result<Self, EncodeError> {
        let mut parts: Vec<EncodingPart> = parts.into_iter().collect();
        parts.sort_unstable();
        parts.dedup();
        let encoding = Encoding { parts, numbers, steps: 1 };
        if encoding.is_bounded() && encoding.parts.len() > 1 {
            return Err(EncodeError::Exact);
        }
        if encoding.has(EncodingPart::Predecessor) && encoding.has(EncodingPart::Induction) {
            return Err(EncodeError::TwoPredecessors);
        }
        match encoding.parts.iter().find(|part| part.needs_firings()) {
            Some(&part) if !encoding.has(EncodingPart::StateEquation) => {
                Err(EncodeError::NoFirings(part))
            }
            _ if encoding.parts.is_empty() => Err(EncodeError::Unknown(String::new())),
            _ => Ok(encoding),
        }
    }

    /// Returns the same encoding with k = `steps`, or with k = 1 if `steps` is 0.
    pub fn with_steps(mut self, steps: u32) -> Self {
        self.steps = steps.max(1);
        self
    }

    /// Returns the parts in the order of [`EncodingPart::ALL`].
    pub fn parts(&self) -> &[EncodingPart] {
        &self.parts
    }

    /// Returns true if the encoding uses the number k, that is, for `bmc`, `bmc-steps` and
    /// `k-induction`.
    pub fn unrolls(&self) -> bool {
        self.is_bounded() || self.has(EncodingPart::Induction)
    }

    /// Returns true if the encoding covers only a bounded number of firings or steps.
    pub fn is_bounded(&self) -> bool {
        self.has(EncodingPart::Unrolling) || self.has(EncodingPart::Steps)
    }

    /// Returns true if the encoding contains the part.
    pub fn has(&self, part: EncodingPart) -> bool {
        self.parts.binary_search(&part).is_ok()
    }
}

impl FromStr for Encoding {
    type Err = EncodeError;

    /// Parses the names of parts, joined by `+`. The encoding is over the reals, with k = 1.
    fn from_str(text: &str) -> Result<Self, EncodeError> {
        let part = |name: &str| {
            let found = EncodingPart::ALL.into_iter().find(|part| part.name() == name.trim());
            found.ok_or_else(|| EncodeError::Unknown(name.trim().to_owned()))
        };
        let parts = text.split('+').map(part).collect::<Result<Vec<_>, _>>()?;
        Encoding::new(parts, Numbers::Reals)
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, part) in self.parts.iter().enumerate() {
            write!(f, "{}{part}", if position > 0 { "+" } else { "" })?;
        }
        Ok(())
    }
}

/// The error if propositional logic would need too many variables. One cause is a place with too
/// many possible numbers of tokens. The other causes are a sum of too many places, and sums with
/// too many possible values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", Self::MESSAGE)]
pub struct TooManyValues;

impl TooManyValues {
    /// The text of the error.
    pub const MESSAGE: &str =
        "a place or a sum has too many possible values for one variable per value";
}

/// The reason why a goal cannot be encoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    /// No part has this name. The name is empty if no part was given.
    #[error("`{0}` is not an encoding: expected some of {known}, joined by `+`", known = known_names())]
    Unknown(String),
    /// The part refers to firings, but the state equation is missing.
    #[error("{0} is about firings: add state-equation")]
    NoFirings(EncodingPart),
    /// `bmc` or `bmc-steps` is combined with another part. Each of the two describes firing
    /// sequences exactly, so another part would add nothing.
    #[error("bmc and bmc-steps cannot be combined with other parts")]
    Exact,
    /// The encoding has both `k-induction` and `predecessor`. Each describes the marking before the
    /// first goal marking.
    #[error("k-induction includes predecessor: use one of the two")]
    TwoPredecessors,
    /// The goal is a maximum. It has no goal marking, but this part describes the path to a goal
    /// marking.
    #[error(
        "{0} is about the first marking of a goal, which a maximum does not have: use EF (e >= \
             k)"
    )]
    NoFirst(EncodingPart),
    /// The encoding for a SAT solver has other parts than exactly `bmc` or exactly `bmc-steps`.
    #[error("propositional logic supports bmc and bmc-steps only")]
    OnlyBounded,
    /// The clauses have too many literals; the field is the number of steps encoded so far.
    #[error("more than {0} steps need over 100 million literals: use fewer steps")]
    TooLong(usize),
    /// A place or sum has too many possible values.
    #[error("{0}: use --logic LIA")]
    TooManyValues(#[from] TooManyValues),
    /// The goal is a home property, a property of runs, or a property of the tree of runs. So it is
    /// neither the reachability of a marking nor a maximum.
    #[error("the goal is neither the reachability of a marking nor a maximum")]
    NotOneMarking,
    /// A sum given as a P-flow is changed by this transition.
    #[error("a given place invariant is changed by `{0}`")]
    NotAFlow(String),
    /// A set given as a trap is no trap: this transition takes tokens from it and adds none to it.
    #[error("a given trap can be emptied by `{0}`")]
    NotATrap(String),
}

/// Returns the names of all parts, for an error message.
fn known_names() -> String {
    EncodingPart::ALL.map(EncodingPart::name).join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_read_as_they_are_written() {
        let encoding: Encoding = "traps+state-equation + read-feed".parse().unwrap();
        assert_eq!(encoding.to_string(), "state-equation+traps+read-feed");
        assert_eq!(encoding.to_string().parse::<Encoding>().unwrap(), encoding);
        let error = |text: &str| text.parse::<Encoding>().unwrap_err();
        assert!(error("state-equation+trap").to_string().contains("listed-traps"));
        assert_eq!(error("traps+read-feed"), EncodeError::NoFirings(EncodingPart::ReadFeed));
        assert_eq!(error("bmc+traps"), EncodeError::Exact);
        assert_eq!(error("bmc-steps+bmc"), EncodeError::Exact);
        assert!(matches!(error(""), EncodeError::Unknown(_)));
    }
}
