//! Generalised Büchi automata with marks on transitions.
//!
//! An automaton reads an infinite word, one letter per edge. An edge may be taken where its
//! [`Cube`] holds. A run is accepting if it carries every mark again and again; without marks,
//! every infinite run is. So a state without edges accepts nothing, and an edge without literals
//! reads any letter.
//!
//! | file | what |
//! |---|---|
//! | `cube` | conditions on letters |
//! | `cover`, `translate` | from a formula to an automaton that knows what its states stand for |
//! | `check` | whether such an automaton accepts what the formula says, edge by edge |
//! | `components` | strongly connected components |
//! | `emptiness`, `product` | words that are accepted, and those that two automata accept |
//! | `simplify` | smaller automata for the same words |
//! | `weak_deterministic` | the smallest automaton of most formulas that people write |
//! | `classes` | terminal, weak, strong |
//! | `stutter` | what repeating letters, or leaving repetitions out, may change |
//! | `hoa` | automata as text |

pub(crate) mod check;
pub(crate) mod classes;
mod components;
mod cover;
pub(crate) mod cube;
mod emptiness;
mod hoa;
mod product;
mod simplify;
pub(crate) mod stutter;
pub(crate) mod translate;
mod weak_deterministic;

use crate::formula::{Formula, Ltl};
use crate::paths::Linear;
use cube::Cube;
use thiserror::Error;
use translate::Tableau;

/// A set of marks, by their numbers below 64.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Marks(pub u64);

impl Marks {
    /// No mark.
    pub const NONE: Self = Self(0);

    /// The first `count` marks, at most 64.
    pub fn all(count: u32) -> Self {
        Self(u64::MAX.checked_shr(64 - count.min(64)).unwrap_or(0))
    }

    /// Whether the mark is one of them.
    pub fn has(self, mark: u32) -> bool {
        self.0 >> mark & 1 == 1
    }

    /// These and that one.
    #[must_use]
    pub fn with(self, mark: u32) -> Self {
        Self(self.0 | 1 << mark)
    }

    /// Those in both or one of the two.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Those in both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Whether all of these are among the others.
    pub fn within(self, others: Self) -> bool {
        self.0 & !others.0 == 0
    }

    /// The numbers of the marks, growing.
    pub fn numbers(self) -> impl Iterator<Item = u32> {
        (0..64).filter(move |&mark| self.has(mark))
    }
}

/// From one state to another, reading a letter.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Edge {
    /// The state that it leads to.
    pub target: usize,
    /// The marks that it carries.
    pub marks: Marks,
    /// Which letters it reads.
    pub cube: Cube,
}

/// An automaton: plain numbers, for its users to change. States are numbered from 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Automaton {
    /// The edges of each state.
    pub states: Vec<Vec<Edge>>,
    /// Where runs begin.
    pub initial: usize,
    /// How many marks there are, at most 64; an accepting run carries each again and again.
    pub marks: u32,
}

impl Automaton {
    /// A small automaton of a formula: that of its tableau, simplified, or the smallest weak
    /// deterministic one if that is no larger.
    ///
    /// # Errors
    ///
    /// If the automaton of the formula has more than 64 marks or exceeds the limits.
    pub fn of(
        formulas: &mut Ltl,
        formula: Formula<Linear>,
        limits: Limits,
    ) -> Result<Self, TooLarge> {
        let automaton = Tableau::new(formulas, formula, limits)?.automaton.simplified();
        let negation = formulas.negate(formula);
        let Ok(opposite) = Tableau::new(formulas, negation, limits) else { return Ok(automaton) };
        let opposite = opposite.automaton.simplified();
        let deterministic = automaton.weak_deterministic(&opposite, limits);
        let smaller = deterministic.filter(|it| it.states.len() <= automaton.states.len());
        Ok(smaller.unwrap_or(automaton))
    }

    /// An automaton that accepts no word.
    pub fn nothing() -> Self {
        Self { states: vec![Vec::new()], initial: 0, marks: 0 }
    }

    /// How many edges there are.
    pub fn edges(&self) -> usize {
        self.states.iter().map(Vec::len).sum()
    }

    /// Whether no letter has a choice: edges of one state exclude each other.
    pub fn is_deterministic(&self) -> bool {
        let excludes = |edges: &Vec<Edge>| {
            edges.iter().enumerate().all(|(at, edge)| {
                edges[..at].iter().all(|before| before.cube.and(&edge.cube).is_none())
            })
        };
        self.states.iter().all(excludes)
    }

    /// The atoms that edges speak of, growing.
    pub fn atoms(&self) -> Vec<crate::Atom> {
        let edges = self.states.iter().flatten();
        let mut atoms: Vec<_> =
            edges.flat_map(|edge| edge.cube.literals()).map(|literal| literal.atom).collect();
        atoms.sort_unstable();
        atoms.dedup();
        atoms
    }
}

/// How large automata, and what they are made of, may become.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// States of one automaton. 20,000 by default.
    pub states: usize,
    /// Edges of one automaton. 500,000 by default.
    pub edges: usize,
    /// Ways in which what one state stands for can be met. 5,000 by default.
    pub terms: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { states: 20_000, edges: 500_000, terms: 5_000 }
    }
}

/// An automaton would become larger than it may.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("the automaton needs more than {limit} {what}")]
pub struct TooLarge {
    /// States, edges, terms or marks.
    pub what: &'static str,
    /// How many there may be.
    pub limit: usize,
}

impl TooLarge {
    pub(crate) const MARKS: Self = Self { what: "marks", limit: 64 };

    pub(crate) fn refuse(number: usize, limit: usize, what: &'static str) -> Result<(), Self> {
        if number > limit { Err(Self { what, limit }) } else { Ok(()) }
    }
}
