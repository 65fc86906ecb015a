//! The automaton of the negation of a formula, held against the formula, and the letters that it
//! reads.

use super::run::letter;
use super::system::System;
use super::terms::Linear;
use parikh_temporal::{Automaton, AutomatonEdge, AutomatonLimits, Letter, LinearTableau};
use std::collections::HashMap;

/// Cases of a tableau that its check looks at.
const CASES: usize = 2_000_000;

/// An automaton and its letters.
#[derive(Debug)]
pub(super) struct Negation<'s> {
    pub(super) automaton: Automaton,
    /// The letters that steps have. The first has no label of the formula.
    letters: Vec<Letter>,
    /// Which of them each label has.
    letter_of: HashMap<&'s str, usize>,
}

impl<'s> Negation<'s> {
    /// That of a formula over the labels of a system.
    ///
    /// # Errors
    /// When there is no automaton of a size that is worth it, or it is not that of the formula.
    pub(super) fn new(system: &'s System, formula: &Linear) -> Result<Self, String> {
        let mut formulas = formula.formulas.clone();
        let negation = formulas.negate(formula.formula);
        let tableau = LinearTableau::new(&formulas, negation, AutomatonLimits::default())
            .map_err(|it| it.to_string())?;
        tableau.check_complete(&formulas, negation, CASES).map_err(|it| it.to_string())?;
        tableau.check_sound(&formulas, negation).map_err(|it| it.to_string())?;
        let mut letters = vec![Letter::default()];
        let mut letter_of = HashMap::new();
        for label in system.labels() {
            let its = letter(formula, label);
            let at = letters.iter().position(|it| *it == its).unwrap_or_else(|| {
                letters.push(its);
                letters.len() - 1
            });
            letter_of.insert(label, at);
        }
        Ok(Self { automaton: tableau.automaton, letters, letter_of })
    }

    /// The number of the letter of a label; 0 is the one in which nothing holds.
    pub(super) fn letter_of(&self, label: &str) -> usize {
        self.letter_of[label]
    }

    /// Whether an edge reads a letter.
    pub(super) fn reads(&self, edge: &AutomatonEdge, letter: usize) -> bool {
        edge.cube.holds(&self.letters[letter])
    }
}
