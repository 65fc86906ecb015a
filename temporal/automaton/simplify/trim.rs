//! Leaves out states that no accepting run visits.
//!
//! A run that accepts visits only states that are reachable and from which some word is accepted,
//! so the words stay the same.

use crate::automaton::Automaton;

impl Automaton {
    /// The states that are reachable through states from which a word is accepted.
    pub(super) fn trimmed(&self) -> Self {
        let live = self.live(|_| true);
        if !live[self.initial] {
            return Self::nothing();
        }
        let mut reached = vec![false; self.states.len()];
        reached[self.initial] = true;
        let mut open = vec![self.initial];
        while let Some(state) = open.pop() {
            for edge in self.states[state].iter().filter(|edge| live[edge.target]) {
                if !std::mem::replace(&mut reached[edge.target], true) {
                    open.push(edge.target);
                }
            }
        }
        self.mapped(|state| state, |state| reached[state])
    }
}
