//! Infinite runs in finite form: a prefix and its continuation.

use crate::printable::counted;
use crate::sequence::FiringSequence;
use std::fmt;

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

impl fmt::Display for LassoRun {
    /// Describes the run in short: `after 3 firings, 2 repeat for ever`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "after {}", counted(self.prefix.firings(), "firing"))?;
        match &self.end {
            RunEnd::Repeats(cycle) => match cycle.firings() {
                1 => f.write_str(", 1 repeats forever"),
                firings => write!(f, ", {firings} repeat forever"),
            },
            RunEnd::Dead => f.write_str(", nothing can fire any more"),
            RunEnd::Anything => f.write_str(", whatever follows"),
        }
    }
}
