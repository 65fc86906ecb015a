//! Infinite runs in finite form: a prefix and its continuation.

use crate::sequence::FiringSequence;

/// A run, or the set of all runs with a common prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LassoRun {
    /// The firings from the initial marking.
    pub prefix: FiringSequence,
    /// The continuation.
    pub end: RunEnd,
}

/// The continuation of a run after its prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// The cycle, at least one firing, repeated forever.
    Repeats(FiringSequence),
    /// The marking is dead and stays forever.
    Dead,
    /// Any continuation: the prefix decides the question.
    Anything,
}

impl LassoRun {
    /// Returns the prefix and `rounds` repetitions of the cycle.
    pub fn rounds(&self, rounds: usize) -> FiringSequence {
        let mut sequence = self.prefix.clone();
        if let RunEnd::Repeats(cycle) = &self.end {
            (0..rounds).for_each(|_| sequence.extend(cycle));
        }
        sequence
    }
}
