//! Simplification of automata that preserves the language.
//!
//! The steps, in this order and repeated while the automaton becomes smaller:
//!
//! 1. Remove states that are unreachable or accept nothing (`trim`).
//! 2. In each strongly connected component, remove redundant marks and renumber the others. Replace
//!    the edges of components that accept every word by self-loops (`marks`).
//! 3. Remove edges that another edge of the state makes superfluous, and merge edges that differ in
//!    one literal (`edges`).
//! 4. Merge states with equal edges (`equal`).
//! 5. Merge states that simulate each other, and remove edges to states that another edge's target
//!    simulates (`simulation`).
//!
//! Finally, edges lose letters that a better edge reads (`simulation`), so that fewer letters have
//! a choice, and all steps are tried once more. The obligations of the states are lost: the checker
//! needs the automaton before simplification.

mod edges;
mod equal;
mod marks;
mod simulation;
mod trim;

use super::Automaton;
use edges::simplify_edges;

/// Limit on the number of pairs of edges for simulation, which compares all pairs of states edge by
/// edge.
const MAX_EDGE_PAIRS: usize = 4_000_000;

impl Automaton {
    /// Returns an automaton for the same language, with fewer states, edges and marks if possible.
    #[must_use]
    pub fn simplified(&self) -> Self {
        let size =
            |automaton: &Self| (automaton.states.len(), automaton.edge_count(), automaton.marks);
        // Merge with the original marks first: states that are equal now may differ after the
        // reduction of marks.
        let mut smallest = self.trimmed();
        smallest.states.iter_mut().for_each(simplify_edges);
        smallest = smallest.merge_equal_states().reduced();
        loop {
            let sharpened = smallest.with_fewer_choices();
            let resimplified = sharpened.reduced();
            if size(&resimplified) >= size(&smallest) {
                return sharpened;
            }
            smallest = resimplified;
        }
    }

    /// Repeats steps 1 to 5 of the module documentation until the numbers of states, edges and
    /// marks stay the same. Step 5 is omitted for an automaton with too many edges.
    fn reduced(&self) -> Self {
        let mut automaton = self.clone();
        loop {
            let size_before = (automaton.states.len(), automaton.edge_count(), automaton.marks);
            for marks_between in [false, true] {
                automaton = automaton.trimmed();
                automaton.simplify_marks(marks_between);
                automaton.collapse_universal();
                automaton.states.iter_mut().for_each(simplify_edges);
                automaton = automaton.merge_equal_states();
                if automaton.is_small_enough_for_simulation() {
                    automaton = automaton.simulated();
                }
            }
            automaton = automaton.trimmed();
            if size_before == (automaton.states.len(), automaton.edge_count(), automaton.marks) {
                return automaton;
            }
        }
    }

    /// Returns an automaton for the same language in which fewer letters are read by several edges
    /// of one state.
    fn with_fewer_choices(&self) -> Self {
        let mut automaton = self.clone();
        for marks_between in [false, true] {
            automaton.simplify_marks(marks_between);
            if automaton.is_small_enough_for_simulation() {
                automaton.remove_choices();
            }
        }
        automaton
    }

    fn is_small_enough_for_simulation(&self) -> bool {
        self.edge_count().saturating_mul(self.edge_count()) <= MAX_EDGE_PAIRS
    }

    /// Returns the automaton with each target replaced by `representative`, restricted to the
    /// states for which `is_kept` returns true. Edges to other states are removed.
    fn map_targets(
        &self,
        representative: impl Fn(usize) -> usize,
        is_kept: impl Fn(usize) -> bool,
    ) -> Self {
        let mut numbers = vec![usize::MAX; self.states.len()];
        let mut count = 0;
        for state in (0..self.states.len()).filter(|&state| is_kept(state)) {
            numbers[state] = count;
            count += 1;
        }
        let mut states = Vec::with_capacity(count);
        for (state, edges) in self.states.iter().enumerate() {
            if numbers[state] == usize::MAX {
                continue;
            }
            let mut out: Vec<_> = edges.clone();
            out.iter_mut().for_each(|edge| edge.target = numbers[representative(edge.target)]);
            out.retain(|edge| edge.target != usize::MAX);
            states.push(out);
        }
        Self { states, initial: numbers[representative(self.initial)], marks: self.marks }
    }
}
