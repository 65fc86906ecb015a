//! Witnesses of reachability.

use parikh_net::FiringSequence;
use parikh_net::loops::{LoopPosition, LoopRun};
use std::sync::Arc;

/// A firing sequence from the initial marking to the marking that it witnesses.
#[derive(Clone, Debug)]
pub enum Witness {
    /// A firing sequence, and the number of its first firings that form this witness. Several
    /// witnesses may share the sequence.
    Firings(Arc<FiringSequence>, u64),
    /// An accelerated sequence, that is, a firing sequence with nested loops, and the position
    /// where this witness ends. It is used if no plain sequence was recorded: it would be too long,
    /// its replay would exceed the token limit, or the time ended first.
    Loops(Arc<LoopRun>, Arc<LoopPosition>),
}

impl Witness {
    /// Makes a witness from the first `firings` firings of `sequence`.
    pub fn new(sequence: Arc<FiringSequence>, firings: u64) -> Self {
        Witness::Firings(sequence, firings)
    }

    /// Returns true if the witness is a plain sequence without firings.
    pub fn is_initial(&self) -> bool {
        matches!(self, Witness::Firings(_, 0))
    }

    /// Returns the witness as a plain firing sequence. Returns `None` for an accelerated sequence.
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
