//! A deterministic automaton by the subset construction, whose states are sets of states of a
//! property's automaton. It is computed on demand.

use super::alphabet::Alphabet;
use crate::lasso::letters::{self, CompiledAutomaton};
use parikh_net::Predicate;
use parikh_net::run_property::{RunAtom, RunProperty};
use parikh_temporal::{Automaton, AutomatonLimits, AutomatonTooLarge, Lasso};
use std::collections::HashMap;

/// Number of the set with only the initial state.
pub(super) const INITIAL_SET: u32 = 0;
/// Number that stands for the empty set of states, in which the property can no longer hold.
pub(super) const EMPTY_SET: u32 = u32::MAX - 1;
/// Marks a successor set that is not computed yet.
const NOT_COMPUTED: u32 = u32::MAX;
/// Limit on the number of state sets. Further sets count as [`EMPTY_SET`], so that the walk loses
/// the property.
const MAX_SETS: usize = 20_000;

/// A set of automaton states, as one state of the subset automaton.
struct StateSubset {
    /// The states, ascending.
    states: Vec<u32>,
    /// For each letter, by its number, the number of the successor set. [`NOT_COMPUTED`] if it is
    /// not computed yet. The list may be shorter than the number of letters.
    next: Vec<u32>,
    /// True if some state accepts every continuation.
    is_universal: bool,
    /// Minimum number of automaton edges from a state of the set to an accepting component, 0
    /// inside one. `usize::MAX` if no such component is reachable.
    distance: usize,
}

/// The subset automaton of a property. See the module documentation.
pub(super) struct Subsets {
    /// The automaton of the property.
    automaton: Automaton,
    /// The automaton with its edge conditions compiled to masks of letter bits.
    compiled: CompiledAutomaton,
    /// For each state, the minimum number of edges to an accepting component.
    distances: Vec<usize>,
    /// For each atom of the automaton, its bit in a letter.
    pub(super) bits: Vec<usize>,
    /// Mask of the letter bits that belong to atoms of the property.
    pub(super) mask: Vec<u64>,
    /// For each atom of the automaton, the predicates "the atom is false" and "the atom is true".
    /// `None` for an atom on firings.
    atom_predicates: Vec<Option<[Predicate; 2]>>,
    /// The sets found so far, by number.
    sets: Vec<StateSubset>,
    /// The numbers of the known sets. The key is the ascending list of states.
    numbers: HashMap<Vec<u32>, u32>,
    /// For each letter number and state, true if the state accepts the infinite repetition of the
    /// letter. `None` for a letter that is not computed yet.
    accepts_repetition: Vec<Option<Vec<bool>>>,
}

impl Subsets {
    /// Creates the subset automaton of a property. `bits` has the letter bit of each atom, and
    /// `words` is the number of 64-bit words of a letter.
    pub(super) fn new(
        property: &RunProperty,
        bits: Vec<usize>,
        words: usize,
    ) -> Result<Subsets, AutomatonTooLarge> {
        let mut formulas = property.formulas().clone();
        let automaton =
            Automaton::of(&mut formulas, property.formula(), AutomatonLimits::default())?;
        let compiled = CompiledAutomaton::new(&automaton, &bits);
        let distances = letters::distances(&automaton, &automaton.strengths());
        let mut mask = vec![0; words];
        bits.iter().for_each(|bit| mask[bit / 64] |= 1 << (bit % 64));
        let parts = property.atoms().iter().map(|atom| match atom {
            RunAtom::Holds(predicate) => Some([predicate.clone().negated(), predicate.clone()]),
            RunAtom::Fires(_) => None,
        });
        let mut subsets = Subsets {
            compiled,
            distances,
            bits,
            mask,
            atom_predicates: parts.collect(),
            sets: Vec::new(),
            numbers: HashMap::new(),
            accepts_repetition: Vec::new(),
            automaton,
        };
        let first = vec![subsets.automaton.initial as u32];
        subsets.number_of_set(first);
        Ok(subsets)
    }

    /// Returns the number of a set of states, given in ascending order. Adds the set if it is new.
    /// Returns [`EMPTY_SET`] for the empty set or if there are too many sets.
    fn number_of_set(&mut self, states: Vec<u32>) -> u32 {
        if let Some(&number) = self.numbers.get(&states) {
            return number;
        }
        if states.is_empty() || self.sets.len() >= MAX_SETS {
            return EMPTY_SET;
        }
        let number = self.sets.len() as u32;
        self.numbers.insert(states.clone(), number);
        let distances = states.iter().map(|&state| self.distances[state as usize]);
        self.sets.push(StateSubset {
            next: Vec::new(),
            is_universal: states.iter().any(|&state| self.compiled.is_universal[state as usize]),
            distance: distances.min().unwrap_or(usize::MAX),
            states,
        });
        number
    }

    /// Returns the number of the set of states after `set`, which must not be empty, reads a
    /// letter.
    #[inline]
    pub(super) fn successor(&mut self, set: u32, letter: u32, alphabet: &Alphabet) -> u32 {
        match self.sets[set as usize].next.get(letter as usize) {
            Some(&next) if next != NOT_COMPUTED => next,
            _ => self.compute_successor(set, letter, alphabet),
        }
    }

    /// Computes, stores and returns the number of the successor set of `set` under a letter.
    #[cold]
    fn compute_successor(&mut self, set: u32, letter: u32, alphabet: &Alphabet) -> u32 {
        let bits = alphabet.bits(letter);
        let no_bits = vec![0; bits.len()];
        let mut states = Vec::new();
        for &state in &self.sets[set as usize].states {
            let edges = self.compiled.edges[state as usize].iter();
            let matching = edges.filter(|edge| edge.mask.reads(bits, &no_bits));
            states.extend(matching.map(|edge| edge.target));
        }
        states.sort_unstable();
        states.dedup();
        let next = self.number_of_set(states);
        let row = &mut self.sets[set as usize].next;
        if row.len() <= letter as usize {
            row.resize(letter as usize + 1, NOT_COMPUTED);
        }
        row[letter as usize] = next;
        next
    }

    /// Returns true if a state of the set accepts every continuation.
    pub(super) fn is_universal(&self, set: u32) -> bool {
        self.sets[set as usize].is_universal
    }

    /// Returns the minimum number of edges from a state of the set to an accepting component.
    /// Returns 0 within such a component, and `usize::MAX` if no such component is reachable.
    pub(super) fn distance(&self, set: u32) -> usize {
        self.sets[set as usize].distance
    }

    /// Returns true if a state of the set accepts the infinite repetition of this letter.
    pub(super) fn accepts_repeated_letter(
        &mut self,
        set: u32,
        letter: u32,
        alphabet: &Alphabet,
    ) -> bool {
        let index = letter as usize;
        if self.accepts_repetition.len() <= index {
            self.accepts_repetition.resize(index + 1, None);
        }
        let (automaton, bits) = (&self.automaton, &self.bits);
        let accepting_states = self.accepts_repetition[index].get_or_insert_with(|| {
            automaton.accept_for_ever(&alphabet.restricted_to(letter, bits))
        });
        self.sets[set as usize].states.iter().any(|&state| accepting_states[state as usize])
    }

    /// Returns true if a state of the set accepts the infinite repetition of these letters.
    pub(super) fn accepts_repeated_letters(
        &self,
        set: u32,
        letters: &[u32],
        alphabet: &Alphabet,
    ) -> bool {
        let letters = letters.iter().map(|&letter| alphabet.restricted_to(letter, &self.bits));
        let Some(word) = Lasso::new(letters.collect(), 0) else { return false };
        let states = &self.sets[set as usize].states;
        states.iter().any(|&state| self.automaton.accepts_from(state as usize, &word))
    }

    /// Returns the literals on markings of an automaton edge towards an accepting component, as
    /// predicates. A marking must satisfy them so that the automaton can take the edge. The edge is
    /// drawn at random among the edges from states of the set to a target with a smaller distance.
    /// Returns no predicates if there is no such edge, or if the edge has no atoms on markings.
    pub(super) fn conditions_towards_acceptance(
        &self,
        set: u32,
        rng: &mut fastrand::Rng,
    ) -> Vec<&Predicate> {
        let mut chosen = None;
        let mut candidate_count = 0;
        for &state in &self.sets[set as usize].states {
            for edge in &self.automaton.states[state as usize] {
                if self.distances[edge.target] < self.distances[state as usize] {
                    candidate_count += 1;
                    if rng.u32(..candidate_count) == 0 {
                        chosen = Some(edge);
                    }
                }
            }
        }
        let literals = chosen.map_or(&[][..], |edge| edge.cube.literals());
        let condition = |literal: &parikh_temporal::Literal| {
            let conditions = self.atom_predicates[literal.atom.0 as usize].as_ref()?;
            Some(&conditions[usize::from(literal.positive)])
        };
        literals.iter().filter_map(condition).collect()
    }
}
