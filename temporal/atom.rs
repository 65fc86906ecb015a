//! Atoms: what a formula is about, as numbers, and which of them are true somewhere.

/// Something that has a truth value at every state or position: a condition on a marking, a firing.
/// What it stands for is its user's to know; here it is a number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Atom(pub u32);

/// An atom or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Literal {
    /// What is spoken of.
    pub atom: Atom,
    /// Whether it is to be true; else it is to be false.
    pub positive: bool,
}

impl Literal {
    /// The atom is true.
    pub fn positive(atom: Atom) -> Self {
        Self { atom, positive: true }
    }

    /// The atom is false.
    pub fn negative(atom: Atom) -> Self {
        Self { atom, positive: false }
    }

    /// The other literal of the same atom.
    #[must_use]
    pub fn negated(self) -> Self {
        Self { positive: !self.positive, ..self }
    }
}

/// The atoms that are true at one state or position; all others are false there.
///
/// One bit per atom, as many words as the largest true atom needs: two letters with the same atoms
/// are equal, since the last word is never 0.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Letter(Vec<u64>);

impl Letter {
    /// The letter in which exactly these atoms are true.
    pub fn of(atoms: impl IntoIterator<Item = Atom>) -> Self {
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

    /// Whether the atom is true.
    pub fn has(&self, atom: Atom) -> bool {
        self.0.get(atom.0 as usize / 64).is_some_and(|word| word >> (atom.0 % 64) & 1 == 1)
    }

    /// Whether the literal holds.
    pub fn satisfies(&self, literal: Literal) -> bool {
        self.has(literal.atom) == literal.positive
    }

    /// The true atoms, growing.
    pub fn atoms(&self) -> impl Iterator<Item = Atom> {
        let words = self.0.iter().zip(0..);
        words.flat_map(|(word, at): (&u64, u32)| {
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| Atom(at * 64 + bit))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_has_what_it_was_made_of() {
        let letter = Letter::of([Atom(3), Atom(200)]);
        assert!(letter.has(Atom(3)) && letter.has(Atom(200)));
        assert!(!letter.has(Atom(4)) && !letter.has(Atom(1000)));
        assert_eq!(letter.atoms().collect::<Vec<_>>(), [Atom(3), Atom(200)]);
        assert!(letter.satisfies(Literal::negative(Atom(1000))));
    }
}
