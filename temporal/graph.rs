//! CTL on finite graphs by naive fixpoints: the oracle of everything that is cleverer.
//!
//! States may have no successor. Paths are maximal: infinite, or up to a state without successor.
//! The equations say what that means there (Z is the set of states that satisfy the formula):
//!
//! ```text
//! EX φ        some successor is in φ                       false where there is none
//! AX φ        all successors are in φ                      true where there is none
//! E(φ U ψ)    least Z = ψ ∪ (φ ∩ some successor in Z)
//! A(φ U ψ)    least Z = ψ ∪ (φ ∩ all successors in Z, and there are some)
//! E(φ R ψ)    greatest Z = ψ ∩ (φ ∪ some successor in Z ∪ there is none)
//! A(φ R ψ)    greatest Z = ψ ∩ (φ ∪ all successors in Z)
//! ```
//!
//! Source: Clarke, Emerson, Sistla, "Automatic verification of finite-state concurrent systems
//! using temporal logic specifications", TOPLAS 1986; the contest's manual for finite maximal
//! paths.

use crate::atom::Letter;
use crate::formula::{Ctl, Formula, Node};
use crate::parts::Values;
use crate::paths::Quantifier;

/// A finite graph whose states have letters.
#[derive(Clone, Debug)]
pub struct Graph {
    letters: Vec<Letter>,
    successors: Vec<Vec<usize>>,
}

impl Graph {
    /// A graph with the letter and the successors of each state; `None` if the two differ in
    /// number, or a successor is no state.
    pub fn new(letters: Vec<Letter>, successors: Vec<Vec<usize>>) -> Option<Self> {
        let states = letters.len();
        let fits = successors.len() == states && successors.iter().flatten().all(|&to| to < states);
        fits.then_some(Self { letters, successors })
    }

    /// The atoms that are true at each state.
    pub fn letters(&self) -> &[Letter] {
        &self.letters
    }

    /// The successors of a state.
    pub fn successors(&self, state: usize) -> &[usize] {
        &self.successors[state]
    }

    /// Whether the formula holds at each state. Takes time formula × states × edges at worst.
    pub fn values(&self, formulas: &Ctl, formula: Formula<Quantifier>) -> Vec<bool> {
        let states = self.letters.len();
        formulas.fold(formula, |_, node, value: &Values<_, Vec<bool>>| match node {
            Node::True => vec![true; states],
            Node::False => vec![false; states],
            Node::Literal(literal) => {
                self.letters.iter().map(|letter| letter.satisfies(*literal)).collect()
            }
            Node::And(all) => {
                (0..states).map(|at| all.iter().all(|&part| value[part][at])).collect()
            }
            Node::Or(all) => {
                (0..states).map(|at| all.iter().any(|&part| value[part][at])).collect()
            }
            Node::Next(paths, part) => {
                (0..states).map(|at| self.step(*paths, at, &value[*part])).collect()
            }
            Node::Until(paths, left, right) => self.fixpoint(false, |at, set| {
                let goes_on = self.step(*paths, at, set) && !self.successors[at].is_empty();
                value[*right][at] || (value[*left][at] && goes_on)
            }),
            Node::Release(paths, left, right) => self.fixpoint(true, |at, set| {
                let goes_on = self.step(*paths, at, set) || self.successors[at].is_empty();
                value[*right][at] && (value[*left][at] || goes_on)
            }),
        })
    }

    /// Whether some or all successors are in the set.
    fn step(&self, paths: Quantifier, state: usize, set: &[bool]) -> bool {
        let mut successors = self.successors[state].iter();
        match paths {
            Quantifier::Exists => successors.any(|&to| set[to]),
            Quantifier::All => successors.all(|&to| set[to]),
        }
    }

    /// The set Z = { s | step(s, Z) } that is nearest to all or none of the states.
    fn fixpoint(&self, start: bool, step: impl Fn(usize, &[bool]) -> bool) -> Vec<bool> {
        let mut set = vec![start; self.letters.len()];
        loop {
            let new: Vec<bool> = (0..set.len()).map(|at| step(at, &set)).collect();
            if new == set {
                return set;
            }
            set = new;
        }
    }
}
