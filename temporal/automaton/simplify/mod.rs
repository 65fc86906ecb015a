//! Smaller automata for the same words.
//!
//! In this order, and again while anything becomes smaller:
//!
//! 1. states from which nothing is accepted, or that are not reached, are left out (`trim`);
//! 2. in each strongly connected component, marks that say nothing are left out, and the others are
//!    numbered anew (`marks`);
//! 3. edges that another edge of the state makes superfluous are left out, and two that differ in
//!    one literal become one (`edges`);
//! 4. states with equal edges become one (`equal`);
//! 5. states that can do all that others can become one with them, and edges to what can do less
//!    are left out (`simulation`).
//!
//! After that, letters are taken away from edges where another edge does better (`simulation`), so
//! that fewer letters have a choice; and all is tried once more. What the states stood for is lost:
//! the checker wants the automaton as it was translated.

mod edges;
mod equal;
mod marks;
mod simulation;
mod trim;

use super::Automaton;
use edges::tidy;

/// Simulation compares all pairs of states, each edge with each: only below so many pairs of edges.
const PAIRS_OF_EDGES: usize = 4_000_000;

impl Automaton {
    /// An automaton for the same words, with fewer states, edges and marks if any are found
    /// superfluous.
    #[must_use]
    pub fn simplified(&self) -> Self {
        let size = |of: &Self| (of.states.len(), of.edges(), of.marks);
        // With the marks as they are: states that read the same may differ in them later on.
        let mut smallest = self.trimmed();
        smallest.states.iter_mut().for_each(tidy);
        smallest = smallest.merged_equal().reduced();
        loop {
            let sharpened = smallest.sharpened();
            let again = sharpened.reduced();
            if size(&again) >= size(&smallest) {
                return sharpened;
            }
            smallest = again;
        }
    }

    /// Steps 1 to 5, until nothing becomes smaller.
    fn reduced(&self) -> Self {
        let mut automaton = self.clone();
        loop {
            let before = (automaton.states.len(), automaton.edges(), automaton.marks);
            for between in [false, true] {
                automaton = automaton.trimmed();
                automaton.simplify_marks(between);
                automaton.collapse_universal();
                automaton.states.iter_mut().for_each(tidy);
                automaton = automaton.merged_equal();
                if automaton.may_be_compared() {
                    automaton = automaton.simulated();
                }
            }
            automaton = automaton.trimmed();
            if before == (automaton.states.len(), automaton.edges(), automaton.marks) {
                return automaton;
            }
        }
    }

    /// The automaton with fewer choices.
    fn sharpened(&self) -> Self {
        let mut automaton = self.clone();
        for between in [false, true] {
            automaton.simplify_marks(between);
            if automaton.may_be_compared() {
                automaton.sharpen();
            }
        }
        automaton
    }

    fn may_be_compared(&self) -> bool {
        self.edges().saturating_mul(self.edges()) <= PAIRS_OF_EDGES
    }

    /// The automaton in which targets are changed by `map`, and only states that are `kept` are
    /// left.
    fn mapped(&self, map: impl Fn(usize) -> usize, kept: impl Fn(usize) -> bool) -> Self {
        let mut numbers = vec![usize::MAX; self.states.len()];
        let mut count = 0;
        for state in (0..self.states.len()).filter(|&state| kept(state)) {
            numbers[state] = count;
            count += 1;
        }
        let mut states = Vec::with_capacity(count);
        for (state, edges) in self.states.iter().enumerate() {
            if numbers[state] == usize::MAX {
                continue;
            }
            let mut out: Vec<_> = edges.clone();
            out.iter_mut().for_each(|edge| edge.target = numbers[map(edge.target)]);
            out.retain(|edge| edge.target != usize::MAX);
            states.push(out);
        }
        Self { states, initial: numbers[map(self.initial)], marks: self.marks }
    }
}
