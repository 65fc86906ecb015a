//! The smallest deterministic automaton of a property that has a weak deterministic automaton.
//!
//! These properties are the *obligations*: Boolean combinations of safety properties. Most formulas
//! in practice are obligations. For them, the smallest such automaton is unique, small, and easy to
//! compute:
//!
//! 1. Its states are the reachable sets of states of the given automaton.
//! 2. A component of these sets accepts if the word of one of its cycles is accepted from there.
//! 3. Transient states are assigned to the acceptance that makes most states equal (`colours`).
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
const ATOMS: usize = 6;
/// Limit on the number of sets of states.
const SETS: usize = 400;

/// A complete deterministic automaton: for each state, the successor under each letter.
struct Deterministic {
    atoms: Vec<AtomId>,
    next: Vec<Vec<usize>>,
    /// True if runs that stay among states like this one are accepting.
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
        let found = Deterministic::of_sets(self)?.minimal();
        let too_much = found.automaton(false).and(negation, limits).ok()?;
        let missing = found.automaton(true).and(self, limits).ok()?;
        (too_much.is_empty() && missing.is_empty()).then(|| found.automaton(false).simplified())
    }
}

impl Deterministic {
    fn letter(atoms: &[AtomId], number: usize) -> Letter {
        Letter::of(atoms.iter().zip(0..).filter(|(_, at)| number >> at & 1 == 1).map(|(&it, _)| it))
    }

    /// Computes the reachable sets of states of an automaton.
    fn of_sets(automaton: &Automaton) -> Option<Self> {
        let atoms = automaton.atoms();
        if atoms.len() > ATOMS {
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
                let mut after: Vec<usize> = read.map(|edge| edge.target).collect();
                after.sort_unstable();
                after.dedup();
                row.push(*numbers.entry(after).or_insert_with_key(|after| {
                    sets.push(after.clone());
                    sets.len() - 1
                }));
            }
            next.push(row);
            if sets.len() > SETS {
                return None;
            }
        }
        let mut found = Self { atoms, next, accepting: Vec::new() };
        found.accepting = found.colours(|state, word| {
            sets[state].iter().any(|&member| automaton.accepts_from(member, word))
        });
        Some(found)
    }

    /// Returns, for each state, whether it counts as accepting. `accepts` decides whether a word is
    /// accepted from a state.
    ///
    /// Each component has a colour that is at most the minimum over the components that it leads
    /// to. A transient component has this minimum. Any other component has the largest colour below
    /// it that is even if the component accepts and odd otherwise. States with even colours accept.
    fn colours(&self, accepts: impl Fn(usize, &Lasso) -> bool) -> Vec<bool> {
        let found = components_of_rows(&self.next, |&to| to as u32);
        let of: Vec<usize> = found.of.iter().map(|&component| component as usize).collect();
        let count = found.count as usize;
        let mut members = vec![Vec::new(); count];
        of.iter().enumerate().for_each(|(state, &component)| members[component].push(state));
        let largest = 2 * count + 1;
        let mut colour = vec![largest; count];
        // Edges lead only to components that are already processed.
        for component in 0..count {
            let states = &members[component];
            let after = states.iter().flat_map(|&state| &self.next[state]);
            let least = after
                .filter(|&&state| of[state] != component)
                .map(|&state| colour[of[state]])
                .min()
                .unwrap_or(largest);
            colour[component] = match self.cycle(states[0], &of) {
                None => least,
                Some(word) if accepts(states[0], &word) => least & !1,
                Some(_) => (least - 1) | 1,
            };
        }
        of.iter().map(|&component| colour[component] % 2 == 0).collect()
    }

    /// Returns the word of a shortest cycle through a state, if there is one.
    fn cycle(&self, state: usize, of: &[usize]) -> Option<Lasso> {
        let mut before: HashMap<usize, (usize, usize)> = HashMap::new();
        let mut open = std::collections::VecDeque::from([state]);
        while let Some(at) = open.pop_front() {
            for (letter, &after) in self.next[at].iter().enumerate() {
                if of[after] != of[state] || before.contains_key(&after) {
                    continue;
                }
                before.insert(after, (at, letter));
                if after != state {
                    open.push_back(after);
                    continue;
                }
                let mut letters = Vec::new();
                let mut back = state;
                loop {
                    let (from, letter) = before[&back];
                    letters.push(Self::letter(&self.atoms, letter));
                    back = from;
                    if back == state {
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
            let new: Vec<usize> = (0..class.len())
                .map(|state| {
                    let row: Vec<usize> = self.next[state].iter().map(|&to| class[to]).collect();
                    let count = numbers.len();
                    *numbers.entry((class[state], row)).or_insert(count)
                })
                .collect();
            class = new;
            if numbers.len() == classes {
                break;
            }
            classes = numbers.len();
        }
        // Classes are numbered in the order of their first states, so the class of the initial
        // state is 0.
        let mut found = Self { atoms: self.atoms.clone(), next: Vec::new(), accepting: Vec::new() };
        for (state, &of) in class.iter().enumerate() {
            if of == found.next.len() {
                found.next.push(self.next[state].iter().map(|&to| class[to]).collect());
                found.accepting.push(self.accepting[state]);
            }
        }
        found
    }

    /// Converts to an automaton with one mark, for the accepted words or (with `others`) for the
    /// complement.
    fn automaton(&self, others: bool) -> Automaton {
        let mut states = Vec::with_capacity(self.next.len());
        for (row, &accepting) in self.next.iter().zip(&self.accepting) {
            let mut targets = row.clone();
            targets.sort_unstable();
            targets.dedup();
            let marks = if accepting != others { Marks::all(1) } else { Marks::NONE };
            let mut edges = Vec::new();
            for target in targets {
                let leads: Vec<bool> = row.iter().map(|&to| to == target).collect();
                let cubes = cubes(&leads, &self.atoms).into_iter();
                edges.extend(cubes.map(|cube| AutomatonEdge { target, marks, cube }));
            }
            states.push(edges);
        }
        Automaton { states, initial: 0, marks: 1 }
    }
}

/// Returns disjoint cubes for the letters at which the table is true.
fn cubes(table: &[bool], atoms: &[AtomId]) -> Vec<Cube> {
    let mut found = Vec::new();
    let mut open = vec![(table, atoms.len(), Vec::new())];
    while let Some((table, left, literals)) = open.pop() {
        if table.iter().all(|&it| it) {
            found.extend(Cube::of(literals));
        } else if table.iter().any(|&it| it) {
            let (without, with) = table.split_at(table.len() / 2);
            if without == with {
                open.push((without, left - 1, literals));
                continue;
            }
            for (half, positive) in [(without, false), (with, true)] {
                let literal = Literal { atom: atoms[left - 1], positive };
                let literals = literals.iter().copied().chain([literal]).collect();
                open.push((half, left - 1, literals));
            }
        }
    }
    found
}
