//! Generalised Büchi automata with marks on transitions.
//!
//! An automaton reads an infinite word, one letter per edge. An edge can be taken if the letter
//! satisfies its [`Cube`]. A run is accepting if it carries every mark infinitely often; without
//! marks, every infinite run is accepting. A state without edges accepts nothing, and an edge
//! without literals reads any letter.
//!
//! | file | contents |
//! |---|---|
//! | `cube` | conditions on letters |
//! | `cover`, `translate` | translation of a formula to an automaton with obligations |
//! | `check` | check of such an automaton against the formula, edge by edge |
//! | `emptiness`, `product` | accepted words; intersection of two automata |
//! | `simplify` | smaller automata for the same language |
//! | `weak_deterministic` | the smallest deterministic weak automaton, which exists for most formulas in practice |
//! | `classes` | strength: terminal, weak, strong |
//! | `hoa` | automata as text |

pub(crate) mod check;
pub(crate) mod classes;
mod cover;
pub(crate) mod cube;
mod emptiness;
mod hoa;
mod product;
mod simplify;
pub(crate) mod translate;
mod weak_deterministic;

use crate::formula::{Formula, Ltl};
use crate::paths::Linear;
use cube::Cube;
use thiserror::Error;
use translate::LinearTableau;

/// A set of acceptance marks, given by their numbers below 64. An accepting run carries every mark
/// infinitely often.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Marks(pub u64);

impl Marks {
    /// No mark.
    pub const NONE: Self = Self(0);

    /// Returns the first `count` marks, at most 64.
    pub fn all(count: u32) -> Self {
        Self(u64::MAX.checked_shr(64 - count.min(64)).unwrap_or(0))
    }

    /// Returns true if the set contains the mark.
    pub fn has(self, mark: u32) -> bool {
        self.0 >> mark & 1 == 1
    }

    /// Returns the set with `mark` added.
    #[must_use]
    pub fn with(self, mark: u32) -> Self {
        Self(self.0 | 1 << mark)
    }

    /// Returns the union.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns the intersection.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Returns true if this set is a subset of the other.
    pub fn is_subset(self, others: Self) -> bool {
        self.0 & !others.0 == 0
    }

    /// Iterates over the numbers of the marks in ascending order.
    pub fn numbers(self) -> impl Iterator<Item = u32> {
        (0..64).filter(move |&mark| self.has(mark))
    }
}

/// An edge of an automaton. It leads to a state, and reads each letter that satisfies its
/// condition.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AutomatonEdge {
    /// The target state.
    pub target: usize,
    /// The marks on the edge.
    pub marks: Marks,
    /// The condition on the letter.
    pub cube: Cube,
}

/// An automaton as plain data. States are numbered from 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Automaton {
    /// The edges, indexed by state.
    pub states: Vec<Vec<AutomatonEdge>>,
    /// The initial state.
    pub initial: usize,
    /// Number of marks, at most 64. An accepting run carries each mark infinitely often.
    pub marks: u32,
}

impl Automaton {
    /// Builds a small automaton for a formula: its simplified tableau, or the smallest weak
    /// deterministic automaton if it is found and has no more states.
    ///
    /// # Errors
    ///
    /// Returns an error if the automaton has more than 64 marks or exceeds the limits.
    pub fn of(
        formulas: &mut Ltl,
        formula: Formula<Linear>,
        limits: AutomatonLimits,
    ) -> Result<Self, AutomatonTooLarge> {
        let automaton = LinearTableau::new(formulas, formula, limits)?.automaton.simplified();
        let negation = formulas.negate(formula);
        let Ok(opposite) = LinearTableau::new(formulas, negation, limits) else {
            return Ok(automaton);
        };
        let opposite = opposite.automaton.simplified();
        let deterministic = automaton.weak_deterministic(&opposite, limits);
        let smaller = deterministic.filter(|it| it.states.len() <= automaton.states.len());
        Ok(smaller.unwrap_or(automaton))
    }

    /// Returns an automaton that accepts no word.
    pub fn rejecting() -> Self {
        Self { states: vec![Vec::new()], initial: 0, marks: 0 }
    }

    /// Returns the number of edges.
    pub fn edge_count(&self) -> usize {
        self.states.iter().map(Vec::len).sum()
    }

    /// Returns true if the automaton is deterministic: edges of one state exclude each other.
    pub fn is_deterministic(&self) -> bool {
        let excludes = |edges: &Vec<AutomatonEdge>| {
            edges.iter().enumerate().all(|(index, edge)| {
                edges[..index].iter().all(|earlier| earlier.cube.and(&edge.cube).is_none())
            })
        };
        self.states.iter().all(excludes)
    }

    /// Returns the atoms on the edges in ascending order.
    pub fn atoms(&self) -> Vec<crate::AtomId> {
        let edges = self.states.iter().flatten();
        let mut atoms: Vec<_> =
            edges.flat_map(|edge| edge.cube.literals()).map(|literal| literal.atom).collect();
        atoms.sort_unstable();
        atoms.dedup();
        atoms
    }
}

/// Limits on the size of automata and of intermediate results.
#[derive(Clone, Copy, Debug)]
pub struct AutomatonLimits {
    /// Limit on the states of one automaton. Default: 20,000.
    pub states: usize,
    /// Limit on the edges of one automaton. Default: 500,000.
    pub edges: usize,
    /// Limit on the terms in the cover of one formula or of one state. Default: 5,000.
    pub terms: usize,
}

impl Default for AutomatonLimits {
    fn default() -> Self {
        Self { states: 20_000, edges: 500_000, terms: 5_000 }
    }
}

/// The error for an automaton that exceeds a limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("the automaton needs more than {limit} {what}")]
pub struct AutomatonTooLarge {
    /// The kind of limit, for example states, edges, terms or marks.
    pub what: &'static str,
    /// The value of the limit.
    pub limit: usize,
}

impl AutomatonTooLarge {
    pub(crate) const MARKS: Self = Self { what: "marks", limit: 64 };

    pub(crate) fn check_limit(number: usize, limit: usize, what: &'static str) -> Result<(), Self> {
        if number > limit { Err(Self { what, limit }) } else { Ok(()) }
    }
}
