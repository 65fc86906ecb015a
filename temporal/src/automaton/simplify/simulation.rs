//! Removal of states and edges that others simulate.
//!
//! A state *simulates* another if, for every edge of the other and each letter that it reads, it
//! has a *better* edge: one that reads the letter, carries all marks of that edge, and leads to a
//! state that simulates its target. The largest such relation is computed by starting with all
//! pairs and removing pairs.
//!
//! Two states that simulate each other are merged. An edge is removed if its state has, for each
//! letter that the edge reads, a better edge. *Why the language stays the same:* along a run of the
//! old automaton, the new automaton always has a state that simulates the old state. It takes a
//! better edge, or an edge better than that; in a chain of edges, each better than the last, one
//! edge stays. So the new run carries at least the same marks at every step. Conversely, each state
//! simulates its representative, so the old automaton can follow every run of the new one.
//!
//! The same is then done backwards, with incoming edges in place of outgoing ones. Backwards, the
//! initial state is simulated only by itself. The argument holds for each finite prefix of a run,
//! and hence for the whole run by König's lemma.
//!
//! Source: Etessami, Holzmann, "Optimizing Büchi automata", CONCUR 2000; Somenzi, Bloem, "Efficient
//! Büchi automata from LTL formulae", CAV 2000.

use super::edges::simplify_edges;
use crate::automaton::cube::{Cube, cover_all_letters};
use crate::automaton::{Automaton, AutomatonEdge};

/// Limit on the number of edges that one edge becomes when it loses letters.
const MAX_CUBES_PER_EDGE: usize = 16;

/// The simulation relation: for each pair, whether the second state simulates the first.
struct Simulation {
    states: usize,
    /// True if state `by` simulates `state`, at index `state · states + by`.
    relation: Vec<bool>,
}

impl Simulation {
    /// Returns true if state `by` simulates `state`.
    fn is_simulated(&self, state: usize, by: usize) -> bool {
        self.relation[state * self.states + by]
    }

    /// Returns true if `better` carries the marks of `edge` and its target simulates the target of
    /// `edge`.
    fn is_better(&self, better: &AutomatonEdge, edge: &AutomatonEdge) -> bool {
        edge.marks.is_subset(better.marks) && self.is_simulated(edge.target, better.target)
    }

    /// Returns true if each letter that `edge` reads is also read by a better edge among `others`.
    fn is_covered<'e>(
        &self,
        edge: &AutomatonEdge,
        others: impl Iterator<Item = &'e AutomatonEdge>,
    ) -> bool {
        let mut parts = Vec::new();
        for better in others.filter(|better| self.is_better(better, edge)) {
            match better.cube.literals_beyond(&edge.cube) {
                None => {}
                Some(remaining) if remaining.literals().is_empty() => return true,
                Some(remaining) => parts.push(remaining),
            }
        }
        // A cube of k literals contains a share of 2^-k of all letters, counted here in units of
        // 2^-64. If the shares sum to less than 1, the cubes cannot cover all letters.
        let letters = |cube: &Cube| 1u128 << (64 - cube.literals().len().min(64));
        let max_letters: u128 = parts.iter().map(letters).sum();
        max_letters >= 1 << 64 && cover_all_letters(&parts.iter().collect::<Vec<_>>())
    }

    /// Computes the largest simulation. The state `first`, if given, is simulated only by itself.
    fn of(automaton: &Automaton, first: Option<usize>) -> Self {
        let states = automaton.states.len();
        let mut simulation = Self { states, relation: vec![true; states * states] };
        if let Some(first) = first {
            for by in (0..states).filter(|&by| by != first) {
                simulation.relation[first * states + by] = false;
            }
        }
        // Only states with an edge to a state that lost a simulating state need another check.
        let mut has_lost = vec![true; states];
        while has_lost.contains(&true) {
            let lost_before = std::mem::replace(&mut has_lost, vec![false; states]);
            for state in 0..states {
                let edges = &automaton.states[state];
                if !edges.iter().any(|edge| lost_before[edge.target] || has_lost[edge.target]) {
                    continue;
                }
                for by in (0..states).filter(|&by| by != state) {
                    let edges_of_by = &automaton.states[by];
                    let is_covered =
                        |edge: &AutomatonEdge| simulation.is_covered(edge, edges_of_by.iter());
                    if simulation.is_simulated(state, by) && !edges.iter().all(is_covered) {
                        simulation.relation[state * states + by] = false;
                        has_lost[state] = true;
                    }
                }
            }
        }
        simulation
    }
}

impl Automaton {
    /// Merges states that simulate each other, and removes edges that better edges cover. Does so
    /// first forwards, then on the reversed automaton.
    pub(super) fn simulated(&self) -> Self {
        let forwards = self.without_simulated(&Simulation::of(self, None));
        let back = forwards.reversed();
        back.without_simulated(&Simulation::of(&back, Some(back.initial))).reversed()
    }

    /// Returns the automaton with all edges reversed.
    fn reversed(&self) -> Self {
        let mut states = vec![Vec::new(); self.states.len()];
        for (state, edges) in self.states.iter().enumerate() {
            for edge in edges {
                states[edge.target].push(AutomatonEdge { target: state, ..edge.clone() });
            }
        }
        Self { states, ..*self }
    }

    /// Replaces states by equivalent states, and removes edges whose letters are covered by better
    /// edges.
    fn without_simulated(&self, simulation: &Simulation) -> Self {
        let count = self.states.len();
        let representative: Vec<usize> = (0..count)
            .map(|state| {
                let is_equivalent = |&by: &usize| {
                    simulation.is_simulated(state, by) && simulation.is_simulated(by, state)
                };
                (0..state).find(is_equivalent).unwrap_or(state)
            })
            .collect();
        let mut automaton = self.clone();
        for edges in &mut automaton.states {
            edges.iter_mut().for_each(|edge| edge.target = representative[edge.target]);
            edges.sort_unstable();
            edges.dedup();
            let original_edges = edges.clone();
            let mut index = 0;
            edges.retain(|edge| {
                // The first of two equally good edges stays.
                let others = original_edges.iter().enumerate().filter(|&(other_index, better)| {
                    other_index < index
                        || (other_index > index && !simulation.is_better(edge, better))
                });
                let is_superfluous = simulation.is_covered(edge, others.map(|(_, better)| better));
                index += 1;
                !is_superfluous
            });
        }
        automaton.map_targets(|state| representative[state], |state| representative[state] == state)
    }

    /// Removes from each edge the letters that a better edge of the same state reads. An edge
    /// becomes one edge for each cube of its remaining letters. A removal that would need more than
    /// [`MAX_CUBES_PER_EDGE`] cubes is skipped. Fewer letters are then read by several edges, and
    /// the automaton is often deterministic.
    ///
    /// The best edge for a letter keeps the letter, so runs still find it, by the argument in the
    /// module documentation.
    pub(super) fn remove_choices(&mut self) {
        let simulation = Simulation::of(self, None);
        for edges in &mut self.states {
            let mut narrowed_edges = Vec::with_capacity(edges.len());
            for (index, edge) in edges.iter().enumerate() {
                // The first of two equally good edges keeps its letters.
                let is_better = |other_index: usize, better: &AutomatonEdge| {
                    simulation.is_better(better, edge)
                        && (other_index < index
                            || (other_index > index && !simulation.is_better(edge, better)))
                };
                let mut parts = vec![edge.cube.clone()];
                for (other_index, better) in edges.iter().enumerate() {
                    if is_better(other_index, better) {
                        let remaining: Vec<Cube> =
                            parts.iter().flat_map(|part| part.without(&better.cube)).collect();
                        if remaining.len() <= MAX_CUBES_PER_EDGE {
                            parts = remaining;
                        }
                    }
                }
                narrowed_edges
                    .extend(parts.into_iter().map(|cube| AutomatonEdge { cube, ..edge.clone() }));
            }
            simplify_edges(&mut narrowed_edges);
            *edges = narrowed_edges;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::Marks;
    use crate::automaton::cube::cube;

    fn edge(target: usize, marks: u64, literals: &[i32]) -> AutomatonEdge {
        AutomatonEdge { target, marks: Marks(marks), cube: cube(literals) }
    }

    #[test]
    fn an_edge_to_everything_takes_letters_from_others() {
        // The automaton of a U b.
        let states = vec![vec![edge(0, 0, &[1]), edge(1, 1, &[2])], vec![edge(1, 1, &[])]];
        let mut automaton = Automaton { states, initial: 0, marks: 1 };
        automaton.remove_choices();
        assert_eq!(automaton.states[0], [edge(0, 0, &[1, -2]), edge(1, 1, &[2])]);
        assert!(automaton.is_deterministic());
    }
}
