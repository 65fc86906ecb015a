//! LTL on words that repeat, by the textbook: the oracle of everything that is cleverer.
//!
//! A *lasso* is a finite row of letters and the position at which it goes on after the last one:
//!
//! ```text
//! a b c d      back = 2 (c)      stands for      a b c d c d c d …
//! ```
//!
//! A formula has a truth value at each position. That of an until is the least solution of
//! v(i) = right(i) ∨ (left(i) ∧ v(i + 1)), that of a release the greatest of
//! v(i) = right(i) ∧ (left(i) ∨ v(i + 1)). Going backwards over all positions until nothing changes
//! takes at most three rounds: one brings what is known round the loop, one spreads it, one changes
//! nothing.

use crate::atom::Letter;
use crate::formula::{Formula, Ltl, Node};
use crate::parts::Values;
use crate::paths::Linear;

/// An infinite word: letters, and where it goes on after the last one.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Lasso {
    letters: Vec<Letter>,
    back: usize,
}

impl Lasso {
    /// The letters, again and again from position `back` on; `None` if there is no such position.
    pub fn new(letters: Vec<Letter>, back: usize) -> Option<Self> {
        (back < letters.len()).then_some(Self { letters, back })
    }

    /// The letters, and then the last one for ever: a run to a dead marking. `None` without
    /// letters.
    pub fn stuttering(letters: Vec<Letter>) -> Option<Self> {
        let back = letters.len().checked_sub(1)?;
        Self::new(letters, back)
    }

    /// The letters: those of the prefix, then those of the loop.
    pub fn letters(&self) -> &[Letter] {
        &self.letters
    }

    /// The position after the last one, where the loop begins.
    pub fn back(&self) -> usize {
        self.back
    }

    /// The position after this one.
    pub fn after(&self, position: usize) -> usize {
        if position + 1 < self.letters.len() { position + 1 } else { self.back }
    }

    /// Whether the formula holds of the word. Takes time formula × positions.
    pub fn satisfies(&self, formulas: &Ltl, formula: Formula<Linear>) -> bool {
        self.values(formulas, formula)[0]
    }

    /// Whether the formula holds at each position: of the word that begins there.
    pub fn values(&self, formulas: &Ltl, formula: Formula<Linear>) -> Vec<bool> {
        let positions = self.letters.len();
        formulas.fold(formula, |_, node, value: &Values<_, Vec<bool>>| match node {
            Node::True => vec![true; positions],
            Node::False => vec![false; positions],
            Node::Literal(literal) => {
                self.letters.iter().map(|letter| letter.satisfies(*literal)).collect()
            }
            Node::And(all) => {
                (0..positions).map(|at| all.iter().all(|&part| value[part][at])).collect()
            }
            Node::Or(all) => {
                (0..positions).map(|at| all.iter().any(|&part| value[part][at])).collect()
            }
            Node::Next(_, part) => (0..positions).map(|at| value[*part][self.after(at)]).collect(),
            Node::Until(_, left, right) => {
                self.fixpoint(false, |at, later| value[*right][at] || (value[*left][at] && later))
            }
            Node::Release(_, left, right) => {
                self.fixpoint(true, |at, later| value[*right][at] && (value[*left][at] || later))
            }
        })
    }

    /// The solution of v(i) = step(i, v(i + 1)) that is nearest to `start` everywhere.
    fn fixpoint(&self, start: bool, step: impl Fn(usize, bool) -> bool) -> Vec<bool> {
        let mut values = vec![start; self.letters.len()];
        let mut changes = true;
        while changes {
            changes = false;
            for at in (0..values.len()).rev() {
                let new = step(at, values[self.after(at)]);
                changes |= new != values[at];
                values[at] = new;
            }
        }
        values
    }
}
