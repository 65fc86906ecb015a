//! Removal of states that no accepting run visits.
//!
//! An accepting run visits only states that are reachable and accept some word, so the language
//! stays the same.

use crate::automaton::Automaton;

impl Automaton {
    /// Returns the automaton restricted to the states reachable through states that accept some
    /// word.
    pub(super) fn trimmed(&self) -> Self {
        let is_live = self.live(|_| true);
        if !is_live[self.initial] {
            return Self::nothing();
        }
        let mut is_reached = vec![false; self.states.len()];
        is_reached[self.initial] = true;
        let mut open = vec![self.initial];
        while let Some(state) = open.pop() {
            for edge in self.states[state].iter().filter(|edge| is_live[edge.target]) {
                if !std::mem::replace(&mut is_reached[edge.target], true) {
                    open.push(edge.target);
                }
            }
        }
        self.mapped(|state| state, |state| is_reached[state])
    }
}
