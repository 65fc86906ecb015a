//! What shows that something can be reached.

use crate::evidence::words;
use parikh_net::FiringSequence;
use parikh_net::loops::{LoopRun, Spot};
use parikh_net::printable::counted;
use std::fmt;
use std::sync::Arc;

/// A way from the initial marking to what it witnesses.
#[derive(Clone, Debug)]
pub enum Witness {
    /// The first so many firings of a sequence that many witnesses of one walk share.
    Firings(Arc<FiringSequence>, u64),
    /// A run with loops up to this spot in it, of more firings than are written down one after the
    /// other.
    Loops(Arc<LoopRun>, Arc<Spot>),
}

impl Witness {
    /// The first `firings` firings of `sequence`.
    pub fn new(sequence: Arc<FiringSequence>, firings: u64) -> Self {
        Witness::Firings(sequence, firings)
    }

    /// Whether the initial marking is all that it takes.
    pub fn is_initial(&self) -> bool {
        matches!(self, Witness::Firings(_, 0))
    }

    /// The sequence by itself, where it is one.
    pub fn to_sequence(&self) -> Option<FiringSequence> {
        let Witness::Firings(sequence, firings) = self else { return None };
        let mut prefix = FiringSequence::new();
        let mut left = *firings;
        for step in sequence.steps() {
            let count = step.count.min(left);
            prefix.push(step.transition, count);
            left -= count;
            if left == 0 {
                break;
            }
        }
        Some(prefix)
    }
}

impl fmt::Display for Witness {
    /// How many firings it has, in a few words: `12 firings`, `at least 10^308 firings, in loops`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Witness::Firings(_, firings) => f.write_str(&counted(firings, "firing")),
            Witness::Loops(run, spot) => {
                write!(f, "{}, in loops", words::firings(&run.prefix(spot)))
            }
        }
    }
}
