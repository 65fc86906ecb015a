//! Merging of states with equal edges.
//!
//! Partition refinement: initially all states are in one class. A class is split if its states have
//! edges that read different letters, carry different marks or lead to different classes, until
//! nothing changes. States of one class then accept the same words step by step, with the same
//! marks.

use crate::automaton::cube::Cube;
use crate::automaton::{Automaton, Marks};
use std::collections::HashMap;

impl Automaton {
    /// Returns the automaton with one state for each class of equal states. Equal states have edges
    /// with the same letters, marks and target classes.
    pub(super) fn merge_equal_states(&self) -> Self {
        let mut class = vec![0; self.states.len()];
        let mut classes = 1;
        loop {
            let mut numbers: HashMap<Vec<(usize, Marks, &Cube)>, usize> = HashMap::new();
            let new_class: Vec<usize> = (self.states.iter())
                .map(|edges| {
                    let mut signature: Vec<_> = edges
                        .iter()
                        .map(|edge| (class[edge.target], edge.marks, &edge.cube))
                        .collect();
                    signature.sort_unstable();
                    signature.dedup();
                    let next = numbers.len();
                    *numbers.entry(signature).or_insert(next)
                })
                .collect();
            // Classes only ever split: if their number stays the same, the classes stay the same.
            let count = numbers.len();
            class = new_class;
            if count == classes {
                break;
            }
            classes = count;
        }
        let mut representative = vec![usize::MAX; classes];
        for (state, &class_number) in class.iter().enumerate().rev() {
            representative[class_number] = state;
        }
        self.map_targets(
            |state| representative[class[state]],
            |state| representative[class[state]] == state,
        )
    }
}
