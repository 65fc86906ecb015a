//! LTL on ultimately periodic words, by definition: the test oracle.
//!
//! A *lasso* is a finite list of letters and the position at which the word continues after the
//! last letter:
//!
//! ```text
//! a b c d      back = 2 (c)      stands for      a b c d c d c d …
//! ```
//!
//! A formula has a truth value at each position. The value of an until is the least solution of
//! v(i) = right(i) ∨ (left(i) ∧ v(i + 1)). The value of a release is the greatest solution of v(i)
//! = right(i) ∧ (left(i) ∨ v(i + 1)). Backward passes over all positions until nothing changes need
//! at most three rounds: one carries values round the cycle, one spreads them, one changes nothing.

use crate::atom::Letter;
use crate::formula::{Formula, Ltl, Node};
use crate::paths::Linear;
use crate::subformulas::PartValues;

/// An infinite word: letters, and the position at which it continues after the last one.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Lasso {
    letters: Vec<Letter>,
    cycle_start: usize,
}

impl Lasso {
    /// Creates the word that repeats the letters from position `back` on. Returns `None` if there
    /// is no such position.
    pub fn new(letters: Vec<Letter>, back: usize) -> Option<Self> {
        (back < letters.len()).then_some(Self { letters, cycle_start: back })
    }

    /// Creates the word that repeats the last letter forever: a run to a dead marking. Returns
    /// `None` without letters.
    pub fn stuttering(letters: Vec<Letter>) -> Option<Self> {
        let back = letters.len().checked_sub(1)?;
        Self::new(letters, back)
    }

    /// Returns the letters of the prefix, followed by the letters of the cycle.
    pub fn letters(&self) -> &[Letter] {
        &self.letters
    }

    /// Returns the position at which the cycle begins.
    pub fn cycle_start(&self) -> usize {
        self.cycle_start
    }

    /// Returns the position after the given position.
    pub fn next_position(&self, position: usize) -> usize {
        if position + 1 < self.letters.len() { position + 1 } else { self.cycle_start }
    }

    /// Returns true if the word satisfies the formula. Takes time formula × positions.
    pub fn satisfies(&self, formulas: &Ltl, formula: Formula<Linear>) -> bool {
        self.values(formulas, formula)[0]
    }

    /// Returns the truth value of the formula for each suffix of the word, by position.
    pub fn values(&self, formulas: &Ltl, formula: Formula<Linear>) -> Vec<bool> {
        let positions = self.letters.len();
        formulas.fold(formula, |_, node, value: &PartValues<_, Vec<bool>>| match node {
            Node::True => vec![true; positions],
            Node::False => vec![false; positions],
            Node::Literal(literal) => {
                self.letters.iter().map(|letter| letter.satisfies(*literal)).collect()
            }
            Node::And(operands) => (0..positions)
                .map(|position| operands.iter().all(|&part| value[part][position]))
                .collect(),
            Node::Or(operands) => (0..positions)
                .map(|position| operands.iter().any(|&part| value[part][position]))
                .collect(),
            Node::Next(_, part) => {
                (0..positions).map(|position| value[*part][self.next_position(position)]).collect()
            }
            Node::Until(_, left, right) => self.fixpoint(false, |position, value_after| {
                value[*right][position] || (value[*left][position] && value_after)
            }),
            Node::Release(_, left, right) => self.fixpoint(true, |position, value_after| {
                value[*right][position] && (value[*left][position] || value_after)
            }),
        })
    }

    /// Returns the solution of v(i) = step(i, v(i + 1)) by iteration from `start`: least for false,
    /// greatest for true.
    fn fixpoint(&self, start: bool, step: impl Fn(usize, bool) -> bool) -> Vec<bool> {
        let mut values = vec![start; self.letters.len()];
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            for position in (0..values.len()).rev() {
                let new = step(position, values[self.next_position(position)]);
                has_changed |= new != values[position];
                values[position] = new;
            }
        }
        values
    }
}
