//! Runs that never end, written down: firings, and how they go on.

use crate::printable::counted;
use crate::sequence::FiringSequence;
use std::fmt;

/// A run, or all runs that begin alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LassoRun {
    /// What fires first, from the initial marking.
    pub prefix: FiringSequence,
    /// What comes after it.
    pub end: RunEnd,
}

/// How a run goes on after its first firings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// These firings, at least one, again and again.
    Repeats(FiringSequence),
    /// The marking is dead: it stays for ever.
    Dead,
    /// Anyhow: the firings before have decided what is asked.
    Anything,
}

impl LassoRun {
    /// What fires first, and then so many rounds of what repeats.
    pub fn rounds(&self, rounds: usize) -> FiringSequence {
        let mut all = self.prefix.clone();
        if let RunEnd::Repeats(cycle) = &self.end {
            (0..rounds).for_each(|_| all.extend(cycle));
        }
        all
    }
}

impl fmt::Display for LassoRun {
    /// In a few words: `after 3 firings, 2 repeat for ever`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "after {}", counted(self.prefix.firings(), "firing"))?;
        match &self.end {
            RunEnd::Repeats(cycle) => match cycle.firings() {
                1 => f.write_str(", 1 repeats for ever"),
                firings => write!(f, ", {firings} repeat for ever"),
            },
            RunEnd::Dead => f.write_str(", nothing can fire any more"),
            RunEnd::Anything => f.write_str(", whatever follows"),
        }
    }
}
