//! Atoms: the basic propositions of formulas, as numbers, and sets of true atoms.

/// A proposition with a truth value at every state or position, for example a condition on a
/// marking or a firing. Its meaning is known only to the caller.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AtomId(pub u32);

/// An atom or a negated atom.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Literal {
    /// The atom.
    pub atom: AtomId,
    /// True for the atom itself, false for its negation.
    pub positive: bool,
}

impl Literal {
    /// Returns the literal that is true when the atom is true.
    pub fn positive(atom: AtomId) -> Self {
        Self { atom, positive: true }
    }

    /// Returns the literal that is true when the atom is false.
    pub fn negative(atom: AtomId) -> Self {
        Self { atom, positive: false }
    }

    /// Returns the other literal of the same atom.
    #[must_use]
    pub fn negated(self) -> Self {
        Self { positive: !self.positive, ..self }
    }
}

/// The set of atoms that are true at one state or position; all other atoms are false.
///
/// There is one bit per atom and no trailing zero word, so letters with the same atoms are equal.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Letter(Vec<u64>);

impl Letter {
    /// Returns the letter in which exactly these atoms are true.
    pub fn of(atoms: impl IntoIterator<Item = AtomId>) -> Self {
        let mut letter = Self::default();
        for atom in atoms {
            let word = atom.0 as usize / 64;
            if letter.0.len() <= word {
                letter.0.resize(word + 1, 0);
            }
            letter.0[word] |= 1 << (atom.0 % 64);
        }
        letter
    }

    /// Returns true if the atom is true.
    pub fn has(&self, atom: AtomId) -> bool {
        self.0.get(atom.0 as usize / 64).is_some_and(|word| word >> (atom.0 % 64) & 1 == 1)
    }

    /// Returns true if the literal holds.
    pub fn satisfies(&self, literal: Literal) -> bool {
        self.has(literal.atom) == literal.positive
    }

    /// Iterates over the true atoms in ascending order.
    pub fn atoms(&self) -> impl Iterator<Item = AtomId> {
        let words = self.0.iter().zip(0..);
        words.flat_map(|(word, word_index): (&u64, u32)| {
            (0..64)
                .filter(move |bit| word >> bit & 1 == 1)
                .map(move |bit| AtomId(word_index * 64 + bit))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_has_what_it_was_made_of() {
        let letter = Letter::of([AtomId(3), AtomId(200)]);
        assert!(letter.has(AtomId(3)) && letter.has(AtomId(200)));
        assert!(!letter.has(AtomId(4)) && !letter.has(AtomId(1000)));
        assert_eq!(letter.atoms().collect::<Vec<_>>(), [AtomId(3), AtomId(200)]);
        assert!(letter.satisfies(Literal::negative(AtomId(1000))));
    }
}
