//! The smallest deterministic automaton of a property that has a weak deterministic automaton.
//!
//! These properties are the *obligations*: Boolean combinations of safety properties. Most formulas
//! in practice are obligations. For them, the smallest such automaton is unique, small, and easy to
//! compute:
//!
//! 1. Its states are the reachable sets of states of the given automaton.
//! 2. A component of these sets accepts if the word of one of its cycles is accepted from there.
//! 3. Acceptance does not matter for sets on no cycle. They get the value that lets step 4 merge
//!    most sets (`accepting_by_colour`).
//! 4. States that no word distinguishes are merged.
//!
//! If the property is not an obligation, the result accepts another language. The result is
//! therefore compared with the given automaton and with one for the negation. It must have no word
//! in common with the negation, and its complement (with the other components accepting) must have
//! no word in common with the given automaton.
//!
//! Letters are explicit here, so the method is limited to few atoms.
//!
//! Source: Dax, Eisinger, Klaedtke, "Mechanizing the powerset construction for restricted classes
//! of ω-automata", ATVA 2007; Löding, "Efficient minimization of deterministic weak ω-automata",
//! IPL 2001.

use super::cube::Cube;
use super::{Automaton, AutomatonEdge, AutomatonLimits, Marks};
use crate::atom::{AtomId, Letter, Literal};
use crate::components::components_of_rows;
use crate::lasso::Lasso;
use std::collections::HashMap;

/// Limit on the number of atoms; six atoms give 64 letters.
const MAX_ATOMS: usize = 6;
/// Limit on the number of sets of states.
const MAX_STATE_SETS: usize = 400;

/// A complete deterministic automaton: for each state, the successor under each letter.
struct Deterministic {
    atoms: Vec<AtomId>,
    /// The successor, indexed by state and letter. Bit k of a letter is the value of `atoms[k]`.
    successors: Vec<Vec<usize>>,
    /// One flag per state. A run is accepting if the flag is true for the states that it visits
    /// infinitely often.
    accepting: Vec<bool>,
}

impl Automaton {
    /// Returns the smallest weak deterministic automaton for the same language. `negation` must
    /// accept the complement. Returns `None` if there is no such automaton or a limit is exceeded.
    pub(super) fn weak_deterministic(
        &self,
        negation: &Self,
        limits: AutomatonLimits,
    ) -> Option<Self> {
        let candidate = Deterministic::of_sets(self)?.minimal();
        let wrongly_accepted = candidate.automaton(false).and(negation, limits).ok()?;
        let wrongly_rejected = candidate.automaton(true).and(self, limits).ok()?;
        (wrongly_accepted.is_empty() && wrongly_rejected.is_empty())
            .then(|| candidate.automaton(false).simplified())
    }
}

impl Deterministic {
    /// Returns the letter with this number: bit k of the number is the value of `atoms[k]`.
    fn letter(atoms: &[AtomId], number: usize) -> Letter {
        Letter::of(
            atoms.iter().zip(0..).filter(|(_, index)| number >> index & 1 == 1).map(|(&it, _)| it),
        )
    }

    /// Determinises an automaton by the subset construction. The states of the result are the
    /// reachable sets of states. Returns `None` for more than [`MAX_ATOMS`] atoms or
    /// [`MAX_STATE_SETS`] sets.
    fn of_sets(automaton: &Automaton) -> Option<Self> {
        let atoms = automaton.atoms();
        if atoms.len() > MAX_ATOMS {
            return None;
        }
        let letters: Vec<Letter> =
            (0..1 << atoms.len()).map(|number| Self::letter(&atoms, number)).collect();
        let first = vec![automaton.initial];
        let mut numbers = HashMap::from([(first.clone(), 0)]);
        let mut sets = vec![first];
        let mut next = Vec::new();
        while next.len() < sets.len() {
            let set = sets[next.len()].clone();
            let edges = || set.iter().flat_map(|&state| &automaton.states[state]);
            let mut row = Vec::with_capacity(letters.len());
            for letter in &letters {
                let read = edges().filter(|edge| edge.cube.holds(letter));
                let mut successor_set: Vec<usize> = read.map(|edge| edge.target).collect();
                successor_set.sort_unstable();
                successor_set.dedup();
                row.push(*numbers.entry(successor_set).or_insert_with_key(|successor_set| {
                    sets.push(successor_set.clone());
                    sets.len() - 1
                }));
            }
            next.push(row);
            if sets.len() > MAX_STATE_SETS {
                return None;
            }
        }
        let mut deterministic = Self { atoms, successors: next, accepting: Vec::new() };
        deterministic.accepting = deterministic.accepting_by_colour(|state, word| {
            sets[state].iter().any(|&member| automaton.accepts_from(member, word))
        });
        Some(deterministic)
    }

    /// Returns, for each state, whether it counts as accepting. `accepts` decides whether a word is
    /// accepted from a state.
    ///
    /// Each component has a colour that is at most the minimum over the components that it leads
    /// to. A transient component has this minimum. Any other component has the largest colour up to
    /// this minimum that is even if the component accepts and odd otherwise. States with even
    /// colours accept.
    fn accepting_by_colour(&self, accepts: impl Fn(usize, &Lasso) -> bool) -> Vec<bool> {
        let found = components_of_rows(&self.successors, |&to| to as u32);
        let component_of: Vec<usize> =
            found.component_of.iter().map(|&number| number as usize).collect();
        let count = found.count as usize;
        let mut members = vec![Vec::new(); count];
        component_of
            .iter()
            .enumerate()
            .for_each(|(state, &component)| members[component].push(state));
        let largest = 2 * count + 1;
        let mut colour = vec![largest; count];
        // Edges lead only to components that are already processed.
        for component in 0..count {
            let states = &members[component];
            let successors = states.iter().flat_map(|&state| &self.successors[state]);
            let lowest_below = successors
                .filter(|&&state| component_of[state] != component)
                .map(|&state| colour[component_of[state]])
                .min()
                .unwrap_or(largest);
            colour[component] = match self.cycle(states[0], &component_of) {
                None => lowest_below,
                Some(word) if accepts(states[0], &word) => lowest_below & !1,
                Some(_) => (lowest_below - 1) | 1,
            };
        }
        component_of.iter().map(|&component| colour[component].is_multiple_of(2)).collect()
    }

    /// Returns the word of a shortest cycle through a state, or `None` if no cycle contains the
    /// state. The search stays in the component of the state.
    fn cycle(&self, state: usize, component_of: &[usize]) -> Option<Lasso> {
        let mut predecessor_of: HashMap<usize, (usize, usize)> = HashMap::new();
        let mut open = std::collections::VecDeque::from([state]);
        while let Some(current) = open.pop_front() {
            for (letter, &successor) in self.successors[current].iter().enumerate() {
                if component_of[successor] != component_of[state]
                    || predecessor_of.contains_key(&successor)
                {
                    continue;
                }
                predecessor_of.insert(successor, (current, letter));
                if successor != state {
                    open.push_back(successor);
                    continue;
                }
                let mut letters = Vec::new();
                let mut path_state = state;
                loop {
                    let (from, letter) = predecessor_of[&path_state];
                    letters.push(Self::letter(&self.atoms, letter));
                    path_state = from;
                    if path_state == state {
                        letters.reverse();
                        return Lasso::new(letters, 0);
                    }
                }
            }
        }
        None
    }

    /// Merges states that no word distinguishes.
    fn minimal(&self) -> Self {
        let mut class: Vec<usize> = self.accepting.iter().map(|&accepts| accepts.into()).collect();
        let mut classes = 0;
        loop {
            let mut numbers = HashMap::new();
            let new_class: Vec<usize> = (0..class.len())
                .map(|state| {
                    let row: Vec<usize> =
                        self.successors[state].iter().map(|&to| class[to]).collect();
                    let count = numbers.len();
                    *numbers.entry((class[state], row)).or_insert(count)
                })
                .collect();
            class = new_class;
            if numbers.len() == classes {
                break;
            }
            classes = numbers.len();
        }
        // Classes are numbered in the order of their first states, so the class of the initial
        // state is 0.
        let mut minimised =
            Self { atoms: self.atoms.clone(), successors: Vec::new(), accepting: Vec::new() };
        for (state, &class_number) in class.iter().enumerate() {
            if class_number == minimised.successors.len() {
                minimised
                    .successors
                    .push(self.successors[state].iter().map(|&to| class[to]).collect());
                minimised.accepting.push(self.accepting[state]);
            }
        }
        minimised
    }

    /// Converts to an automaton with one mark, for the accepted words or (with `is_complement`) for
    /// the complement.
    fn automaton(&self, is_complement: bool) -> Automaton {
        let mut states = Vec::with_capacity(self.successors.len());
        for (row, &accepting) in self.successors.iter().zip(&self.accepting) {
            let mut targets = row.clone();
            targets.sort_unstable();
            targets.dedup();
            let marks = if accepting != is_complement { Marks::all(1) } else { Marks::NONE };
            let mut edges = Vec::new();
            for target in targets {
                let leads_to_target: Vec<bool> = row.iter().map(|&to| to == target).collect();
                let cubes = cubes(&leads_to_target, &self.atoms).into_iter();
                edges.extend(cubes.map(|cube| AutomatonEdge { target, marks, cube }));
            }
            states.push(edges);
        }
        Automaton { states, initial: 0, marks: 1 }
    }
}

/// Returns disjoint cubes for the letters at which the table is true. The table has one entry per
/// letter; bit k of the index is the value of `atoms[k]`.
fn cubes(table: &[bool], atoms: &[AtomId]) -> Vec<Cube> {
    let mut result = Vec::new();
    let mut open = vec![(table, atoms.len(), Vec::new())];
    while let Some((table, atoms_left, literals)) = open.pop() {
        if table.iter().all(|&it| it) {
            result.extend(Cube::of(literals));
        } else if table.iter().any(|&it| it) {
            let (if_false, if_true) = table.split_at(table.len() / 2);
            // The value of this atom makes no difference, so the cubes need no literal for it.
            if if_false == if_true {
                open.push((if_false, atoms_left - 1, literals));
                continue;
            }
            for (half, positive) in [(if_false, false), (if_true, true)] {
                let literal = Literal { atom: atoms[atoms_left - 1], positive };
                let literals = literals.iter().copied().chain([literal]).collect();
                open.push((half, atoms_left - 1, literals));
            }
        }
    }
    result
}
