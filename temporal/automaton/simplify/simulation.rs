//! Leaves out what something else can do at least as well, step by step.
//!
//! A state *simulates* another if for every edge of the other and each letter that it reads, it has
//! a *better* edge: one that reads the letter, carries all marks of that edge, and leads to a state
//! that simulates its target. The largest such relation is found by starting with all pairs and
//! striking out.
//!
//! Two states that simulate each other become one, and of the edges of one state those are left out
//! for which there is a better one. *Why the words stay the same:* along a run of the old
//! automaton, the new one always has a state that simulates the old run's, and takes a better edge,
//! or one that is better than that: of a row of edges, each better than the last, one stays. So it
//! carries at least the same marks at every step. The other way round, each state that stands for
//! another is simulated by it.
//!
//! The same is then done backwards, with the edges that lead to a state in place of those that
//! leave it; there the initial state is simulated by none but itself. The argument is the same for
//! each finite beginning of a run, and hence for the whole: among infinitely many beginnings, some
//! go on for ever.
//!
//! Source: Etessami, Holzmann, "Optimizing Büchi automata", CONCUR 2000; Somenzi, Bloem, "Efficient
//! Büchi automata from LTL formulae", CAV 2000.

use super::edges::tidy;
use crate::automaton::cube::{Cube, cover_all_letters};
use crate::automaton::{Automaton, Edge};

/// An edge that loses letters becomes so many edges at most.
const PARTS: usize = 16;

/// Whether the second state simulates the first, by pairs.
struct Simulation {
    states: usize,
    holds: Vec<bool>,
}

impl Simulation {
    fn has(&self, state: usize, by: usize) -> bool {
        self.holds[state * self.states + by]
    }

    /// Whether an edge carries and leads to at least as much as another.
    fn leads_better(&self, better: &Edge, edge: &Edge) -> bool {
        edge.marks.within(better.marks) && self.has(edge.target, better.target)
    }

    /// Whether each letter of an edge is read by one of the others that leads to as much.
    fn is_covered<'e>(&self, edge: &Edge, others: impl Iterator<Item = &'e Edge>) -> bool {
        let mut parts = Vec::new();
        for better in others.filter(|better| self.leads_better(better, edge)) {
            match better.cube.within(&edge.cube) {
                None => {}
                Some(rest) if rest.literals().is_empty() => return true,
                Some(rest) => parts.push(rest),
            }
        }
        // A cube of k literals has one in 2^k letters: less than all of them are not all.
        let letters = |cube: &Cube| 1u128 << (64 - cube.literals().len().min(64));
        let most: u128 = parts.iter().map(letters).sum();
        most >= 1 << 64 && cover_all_letters(&parts.iter().collect::<Vec<_>>())
    }

    /// The largest one. What only a `first` state can do, no other state can: it is not simulated.
    fn of(automaton: &Automaton, first: Option<usize>) -> Self {
        let states = automaton.states.len();
        let mut simulation = Self { states, holds: vec![true; states * states] };
        if let Some(first) = first {
            for by in (0..states).filter(|&by| by != first) {
                simulation.holds[first * states + by] = false;
            }
        }
        // Only states with an edge to one that has lost a simulating state need a second look.
        let mut lost = vec![true; states];
        while lost.contains(&true) {
            let before = std::mem::replace(&mut lost, vec![false; states]);
            for state in 0..states {
                let edges = &automaton.states[state];
                if !edges.iter().any(|edge| before[edge.target] || lost[edge.target]) {
                    continue;
                }
                for by in (0..states).filter(|&by| by != state) {
                    let others = &automaton.states[by];
                    let follows = |edge: &Edge| simulation.is_covered(edge, others.iter());
                    if simulation.has(state, by) && !edges.iter().all(follows) {
                        simulation.holds[state * states + by] = false;
                        lost[state] = true;
                    }
                }
            }
        }
        simulation
    }
}

impl Automaton {
    /// The automaton without what something else simulates, forwards and backwards.
    pub(super) fn simulated(&self) -> Self {
        let forwards = self.without_simulated(&Simulation::of(self, None));
        let back = forwards.reversed();
        back.without_simulated(&Simulation::of(&back, Some(back.initial))).reversed()
    }

    /// The automaton with all edges turned round.
    fn reversed(&self) -> Self {
        let mut states = vec![Vec::new(); self.states.len()];
        for (state, edges) in self.states.iter().enumerate() {
            for edge in edges {
                states[edge.target].push(Edge { target: state, ..edge.clone() });
            }
        }
        Self { states, ..*self }
    }

    fn without_simulated(&self, simulation: &Simulation) -> Self {
        let count = self.states.len();
        let first: Vec<usize> = (0..count)
            .map(|state| {
                let same = |&by: &usize| simulation.has(state, by) && simulation.has(by, state);
                (0..state).find(same).unwrap_or(state)
            })
            .collect();
        let mut automaton = self.clone();
        for edges in &mut automaton.states {
            edges.iter_mut().for_each(|edge| edge.target = first[edge.target]);
            edges.sort_unstable();
            edges.dedup();
            let all = edges.clone();
            let mut at = 0;
            edges.retain(|edge| {
                // Of two that lead to as much as each other, the first stays.
                let others = all.iter().enumerate().filter(|&(other, better)| {
                    other < at || (other > at && !simulation.leads_better(edge, better))
                });
                let is_superfluous = simulation.is_covered(edge, others.map(|(_, better)| better));
                at += 1;
                !is_superfluous
            });
        }
        automaton.mapped(|state| first[state], |state| first[state] == state)
    }

    /// Takes from an edge the letters that a better edge of the same state reads, as far as what is
    /// left are few cubes. Then fewer letters have a choice, and the automaton is often
    /// deterministic.
    ///
    /// For each letter, the best of the edges that read it keeps it; so runs find it there, by the
    /// argument at the head of the module.
    pub(super) fn sharpen(&mut self) {
        let simulation = Simulation::of(self, None);
        for edges in &mut self.states {
            let mut sharp = Vec::with_capacity(edges.len());
            for (at, edge) in edges.iter().enumerate() {
                // Of two that are as good as each other, the first keeps its letters.
                let is_better = |other: usize, better: &Edge| {
                    simulation.leads_better(better, edge)
                        && (other < at || (other > at && !simulation.leads_better(edge, better)))
                };
                let mut parts = vec![edge.cube.clone()];
                for (other, better) in edges.iter().enumerate() {
                    if is_better(other, better) {
                        let left: Vec<Cube> =
                            parts.iter().flat_map(|part| part.without(&better.cube)).collect();
                        if left.len() <= PARTS {
                            parts = left;
                        }
                    }
                }
                sharp.extend(parts.into_iter().map(|cube| Edge { cube, ..edge.clone() }));
            }
            tidy(&mut sharp);
            *edges = sharp;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::Marks;
    use crate::automaton::cube::cube;

    fn edge(target: usize, marks: u64, literals: &[i32]) -> Edge {
        Edge { target, marks: Marks(marks), cube: cube(literals) }
    }

    #[test]
    fn an_edge_to_everything_takes_letters_from_others() {
        // a U b
        let states = vec![vec![edge(0, 0, &[1]), edge(1, 1, &[2])], vec![edge(1, 1, &[])]];
        let mut automaton = Automaton { states, initial: 0, marks: 1 };
        automaton.sharpen();
        assert_eq!(automaton.states[0], [edge(0, 0, &[1, -2]), edge(1, 1, &[2])]);
        assert!(automaton.is_deterministic());
    }
}
