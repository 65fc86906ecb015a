//! The intersection of two automata.

use super::{Automaton, AutomatonEdge, AutomatonLimits, AutomatonTooLarge, Marks};
use std::collections::HashMap;

impl Automaton {
    /// Returns an automaton for the words that both accept: pairs of states, with the marks of
    /// both.
    ///
    /// # Errors
    ///
    /// Returns an error if there are more than 64 marks or a limit is exceeded.
    pub fn and(&self, other: &Self, limits: AutomatonLimits) -> Result<Self, AutomatonTooLarge> {
        if self.marks + other.marks > 64 {
            return Err(AutomatonTooLarge::MARKS);
        }
        let first = (self.initial, other.initial);
        let mut numbers = HashMap::from([(first, 0)]);
        let mut pairs = vec![first];
        let mut states: Vec<Vec<AutomatonEdge>> = Vec::new();
        let mut edges = 0;
        while states.len() < pairs.len() {
            let (left, right) = pairs[states.len()];
            let mut out = Vec::new();
            for one in &self.states[left] {
                for two in &other.states[right] {
                    let Some(cube) = one.cube.and(&two.cube) else { continue };
                    let pair = (one.target, two.target);
                    let target = *numbers.entry(pair).or_insert_with(|| {
                        pairs.push(pair);
                        pairs.len() - 1
                    });
                    // The marks of `other` follow those of `self`. If `self` has 64 marks,
                    // `other` has none, and `% 64` only keeps the shift in range.
                    let marks = one.marks.or(Marks(two.marks.0 << (self.marks % 64)));
                    out.push(AutomatonEdge { target, marks, cube });
                }
            }
            edges += out.len();
            states.push(out);
            AutomatonTooLarge::check_limit(pairs.len(), limits.states, "states")?;
            AutomatonTooLarge::check_limit(edges, limits.edges, "edges")?;
        }
        Ok(Self { states, initial: 0, marks: self.marks + other.marks })
    }
}
