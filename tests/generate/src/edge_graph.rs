//! CTL on finite graphs by naive fixpoint iteration: the test oracle.
//!
//! States may have no successor. Paths are maximal: infinite, or ending at a state without
//! successor. The equations for this case (Z is the set of states that satisfy the formula):
//!
//! ```text
//! EX φ        some successor is in φ                       false without successor
//! AX φ        all successors are in φ                      true without successor
//! E(φ U ψ)    least Z = ψ ∪ (φ ∩ some successor in Z)
//! A(φ U ψ)    least Z = ψ ∪ (φ ∩ all successors in Z, at least one successor)
//! E(φ R ψ)    greatest Z = ψ ∩ (φ ∪ some successor in Z ∪ no successor)
//! A(φ R ψ)    greatest Z = ψ ∩ (φ ∪ all successors in Z)
//! ```
//!
//! Source: Clarke, Emerson, Sistla, "Automatic verification of finite-state concurrent systems
//! using temporal logic specifications", TOPLAS 1986; the contest's manual for finite maximal
//! paths.

use parikh_temporal::{Ctl, Formula, Letter, Node, PartValues, Quantifier};

/// A finite graph whose states are labelled with letters.
#[derive(Clone, Debug)]
pub struct EdgeGraph {
    letters: Vec<Letter>,
    /// The successors of each state, indexed by state.
    successors: Vec<Vec<usize>>,
}

impl EdgeGraph {
    /// Builds a graph from the letter and the successors of each state. Returns `None` if the
    /// lengths differ or a successor does not exist.
    pub fn new(letters: Vec<Letter>, successors: Vec<Vec<usize>>) -> Option<Self> {
        let states = letters.len();
        let is_consistent =
            successors.len() == states && successors.iter().flatten().all(|&to| to < states);
        is_consistent.then_some(Self { letters, successors })
    }

    /// Returns the letters, indexed by state.
    pub fn letters(&self) -> &[Letter] {
        &self.letters
    }

    /// Returns the successors of a state.
    pub fn successors(&self, state: usize) -> &[usize] {
        &self.successors[state]
    }

    /// Returns the truth value of the formula at each state. Takes time formula × states × edges in
    /// the worst case.
    pub fn values(&self, formulas: &Ctl, formula: Formula<Quantifier>) -> Vec<bool> {
        let states = self.letters.len();
        formulas.fold(formula, |_, node, value: &PartValues<_, Vec<bool>>| match node {
            Node::True => vec![true; states],
            Node::False => vec![false; states],
            Node::Literal(literal) => {
                self.letters.iter().map(|letter| letter.satisfies(*literal)).collect()
            }
            Node::And(operands) => {
                (0..states).map(|state| operands.iter().all(|&part| value[part][state])).collect()
            }
            Node::Or(operands) => {
                (0..states).map(|state| operands.iter().any(|&part| value[part][state])).collect()
            }
            Node::Next(paths, part) => {
                (0..states).map(|state| self.next_holds(*paths, state, &value[*part])).collect()
            }
            Node::Until(paths, left, right) => self.fixpoint(false, |state, set| {
                let holds_next =
                    self.next_holds(*paths, state, set) && !self.successors[state].is_empty();
                value[*right][state] || (value[*left][state] && holds_next)
            }),
            Node::Release(paths, left, right) => self.fixpoint(true, |state, set| {
                let holds_next =
                    self.next_holds(*paths, state, set) || self.successors[state].is_empty();
                value[*right][state] && (value[*left][state] || holds_next)
            }),
        })
    }

    /// Returns true if some (or every) successor is in the set.
    fn next_holds(&self, paths: Quantifier, state: usize, set: &[bool]) -> bool {
        let mut successors = self.successors[state].iter();
        match paths {
            Quantifier::Exists => successors.any(|&to| set[to]),
            Quantifier::All => successors.all(|&to| set[to]),
        }
    }

    /// Returns the least (`start` false) or greatest (`start` true) set Z = { s | step(s, Z) }.
    fn fixpoint(&self, start: bool, step: impl Fn(usize, &[bool]) -> bool) -> Vec<bool> {
        let mut set = vec![start; self.letters.len()];
        loop {
            let new: Vec<bool> = (0..set.len()).map(|state| step(state, &set)).collect();
            if new == set {
                return set;
            }
            set = new;
        }
    }
}
