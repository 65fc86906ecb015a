//! The letters of runs. A letter describes a step of a run: it has one bit per atom of all
//! properties, set if the atom is true at this step. Letters are numbered.

use crate::walk::watch::GoalWatch;
use parikh_net::run_property::{RunAtom, RunProperty};
use parikh_net::{GoalId, MarkingGoal, Net};
use parikh_temporal::{AtomId, Letter};
use std::collections::HashMap;

/// The atoms of several properties, one bit each. Atoms on markings come first, as goals that a
/// machine watches, then atoms on firings.
pub struct Atoms {
    /// The atoms on markings, as goals to watch. The bit of a goal is its position.
    pub(super) goals: Vec<(GoalId, MarkingGoal)>,
    /// For each atom, the index of its bit in a letter.
    bits: HashMap<RunAtom, usize>,
    /// For each transition, the bits of the atoms that its firing makes true. Empty if no atom is
    /// about firings.
    bits_of_firing: Vec<Box<[u64]>>,
    /// Number of 64-bit words of a letter, at least 1.
    pub(super) words_per_letter: usize,
    /// For each property, true if its atoms are included.
    pub(super) is_included: Vec<bool>,
}

impl Atoms {
    /// Collects the atoms of the properties. Leaves out properties with an atom that a walk cannot
    /// watch, for example because a sum exceeds 64 bits.
    pub fn new(net: &Net, properties: &[RunProperty]) -> Atoms {
        let can_watch: Vec<bool> = properties.iter().map(|it| can_be_watched(net, it)).collect();
        let watchable = properties
            .iter()
            .zip(&can_watch)
            .filter_map(|(it, &can_watch)| can_watch.then_some(it));
        let mut atoms: Vec<&RunAtom> = watchable.flat_map(RunProperty::atoms).collect();
        atoms.sort_by_key(|atom| matches!(atom, RunAtom::Fires(_)));
        let mut bits: HashMap<RunAtom, usize> = HashMap::new();
        let (mut goals, mut firing_atoms) = (Vec::new(), Vec::new());
        for atom in atoms {
            if bits.contains_key(atom) {
                continue;
            }
            let bit = bits.len();
            match atom {
                RunAtom::Holds(predicate) => {
                    goals.push((GoalId::new(bit), MarkingGoal::Reach(predicate.clone())));
                }
                RunAtom::Fires(transitions) => firing_atoms.push((bit, transitions.clone())),
            }
            bits.insert(atom.clone(), bit);
        }
        let words_per_letter = bits.len().div_ceil(64).max(1);
        let mut bits_of_firing = Vec::new();
        if !firing_atoms.is_empty() {
            bits_of_firing =
                vec![vec![0; words_per_letter].into_boxed_slice(); net.transition_count()];
            for (bit, transitions) in firing_atoms {
                transitions
                    .iter()
                    .for_each(|t| bits_of_firing[t.index()][bit / 64] |= 1 << (bit % 64));
            }
        }
        Atoms { goals, bits, bits_of_firing, words_per_letter, is_included: can_watch }
    }

    /// Returns, for each atom of an included property, the index of its bit in a letter.
    pub(super) fn bits_of(&self, property: &RunProperty) -> Vec<usize> {
        let bits = property.atoms().iter().map(|atom| self.bits.get(atom).copied());
        bits.map(Option::unwrap_or_default).collect()
    }

    /// Returns a letter with the bits of the atoms on firings that are true when this transition
    /// fires. Returns `None` if no atom is about firings.
    pub(super) fn firing_bits(&self, transition: u32) -> Option<&[u64]> {
        self.bits_of_firing.get(transition as usize).map(|bits| &**bits)
    }
}

/// Returns true if a walk can watch all atoms on markings: their sums fit in 64 bits, and no atom
/// is the constant false.
fn can_be_watched(net: &Net, property: &RunProperty) -> bool {
    property.atoms().iter().all(|atom| match atom {
        RunAtom::Holds(predicate) => {
            let goal = MarkingGoal::Reach(predicate.clone());
            !GoalWatch::new(net, [(GoalId::new(0), &goal)]).goals.is_empty()
        }
        RunAtom::Fires(_) => true,
    })
}

/// Letters with their numbers, in the order of first occurrence.
#[derive(Default)]
pub(super) struct Alphabet {
    /// The number of each letter, by its bits.
    numbers: HashMap<Box<[u64]>, u32>,
    /// The bits of each letter, by number.
    letters: Vec<Box<[u64]>>,
}

impl Alphabet {
    /// Returns the number of a letter, given its bits. A new letter gets the next number.
    pub(super) fn number(&mut self, letter: &[u64]) -> u32 {
        if let Some(&number) = self.numbers.get(letter) {
            return number;
        }
        let number = self.letters.len() as u32;
        self.letters.push(letter.into());
        self.numbers.insert(letter.into(), number);
        number
    }

    /// Returns the bits of the letter with this number.
    pub(super) fn bits(&self, number: u32) -> &[u64] {
        &self.letters[number as usize]
    }

    /// Returns the letter with this number as the automaton of one property reads it. `bits` has
    /// the letter bit of each atom of the property.
    pub(super) fn restricted_to(&self, number: u32, bits: &[usize]) -> Letter {
        let letter = self.bits(number);
        let is_true = |&(_, &bit): &(u32, &usize)| letter[bit / 64] >> (bit % 64) & 1 == 1;
        Letter::of((0..).zip(bits).filter(is_true).map(|(atom, _)| AtomId(atom)))
    }
}
