//! Infinite runs in finite form: a prefix and its continuation.

use crate::sequence::FiringSequence;

/// A single run, or all runs that begin with a prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LassoRun {
    /// The firings from the initial marking.
    pub prefix: FiringSequence,
    /// The continuation after the prefix.
    pub end: RunEnd,
}

/// The continuation of a run after its prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// The cycle, at least one firing, repeated forever.
    Repeats(FiringSequence),
    /// The marking after the prefix is dead, so it stays forever.
    Dead,
    /// Any continuation. As evidence for a goal about runs, this means that every run that begins
    /// with the prefix has the property of the goal.
    Anything,
}

impl LassoRun {
    /// Returns the prefix followed by `rounds` repetitions of the cycle. Without a cycle, returns
    /// the prefix.
    pub fn rounds(&self, rounds: usize) -> FiringSequence {
        let mut sequence = self.prefix.clone();
        if let RunEnd::Repeats(cycle) = &self.end {
            (0..rounds).for_each(|_| sequence.extend(cycle));
        }
        sequence
    }
}
