//! Builds the automaton of the negation of a formula, and checks it against the formula.

use super::run::letter;
use super::system::System;
use super::terms::LabelLtl;
use parikh_temporal::{Automaton, AutomatonEdge, AutomatonLimits, Letter, LinearTableau};
use std::collections::HashMap;

/// The maximum number of cases in the check that a tableau is complete.
const MAX_CASES: usize = 2_000_000;

/// The automaton of a negated formula, with the letters that it reads. The letter of a label is the
/// set of atoms of the formula that name this label.
#[derive(Debug)]
pub(super) struct Negation<'s> {
    pub(super) automaton: Automaton,
    /// The distinct letters of the system's labels. Letter 0 is the empty letter.
    letters: Vec<Letter>,
    /// The index in `letters`, by label.
    letter_of: HashMap<&'s str, usize>,
}

impl<'s> Negation<'s> {
    /// Builds the automaton of the negation of a formula over the labels of a system.
    ///
    /// # Errors
    /// When the automaton exceeds its limits, or fails the check against the formula.
    pub(super) fn new(system: &'s System, formula: &LabelLtl) -> Result<Self, String> {
        let mut formulas = formula.formulas.clone();
        let negation = formulas.negate(formula.formula);
        let tableau = LinearTableau::new(&formulas, negation, AutomatonLimits::default())
            .map_err(|it| it.to_string())?;
        tableau.check_complete(&formulas, negation, MAX_CASES).map_err(|it| it.to_string())?;
        tableau.check_sound(&formulas, negation).map_err(|it| it.to_string())?;
        let mut letters = vec![Letter::default()];
        let mut letter_of = HashMap::new();
        for label in system.labels() {
            let label_letter = letter(formula, label);
            let index = letters.iter().position(|it| *it == label_letter).unwrap_or_else(|| {
                letters.push(label_letter);
                letters.len() - 1
            });
            letter_of.insert(label, index);
        }
        Ok(Self { automaton: tableau.automaton, letters, letter_of })
    }

    /// Returns the index of the letter of a label. The index is 0 for labels that the formula does
    /// not mention.
    pub(super) fn letter_of(&self, label: &str) -> usize {
        self.letter_of[label]
    }

    /// Returns true if the edge of the automaton reads the letter with this index.
    pub(super) fn reads(&self, edge: &AutomatonEdge, letter: usize) -> bool {
        edge.cube.holds(&self.letters[letter])
    }
}
