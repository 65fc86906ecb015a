//! Firing sequences in run-length encoding: a transition fired 10⁹ times in a row is one step.

use crate::id::TransitionId;

/// A transition fired `count` times in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FiringStep {
    /// The transition.
    pub transition: TransitionId,
    /// The number of firings, at least 1.
    pub count: u64,
}

/// A sequence of firings. Its start is the initial marking, unless its user names another marking.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct FiringSequence {
    /// The steps. Neighbours have different transitions, unless their joint number of firings
    /// exceeds 64 bits.
    steps: Vec<FiringStep>,
}

impl FiringSequence {
    /// Makes the empty sequence.
    pub fn new() -> Self {
        FiringSequence::default()
    }

    /// Appends `count` firings of `transition`. They are merged with the last step if it has the
    /// same transition and the joint number fits 64 bits. Does nothing if `count` is 0.
    pub fn push(&mut self, transition: TransitionId, count: u64) {
        if count == 0 {
            return;
        }
        if let Some(last) = self.steps.last_mut()
            && last.transition == transition
            && let Some(sum) = last.count.checked_add(count)
        {
            last.count = sum;
            return;
        }
        self.steps.push(FiringStep { transition, count });
    }

    /// Appends the steps of another sequence.
    pub fn extend(&mut self, other: &FiringSequence) {
        other.steps.iter().for_each(|step| self.push(step.transition, step.count));
    }

    /// Returns the steps in order.
    pub fn steps(&self) -> &[FiringStep] {
        &self.steps
    }

    /// Returns true for the empty sequence.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Keeps the first `firings` firings.
    pub fn truncate(&mut self, firings: u64) {
        let mut firings_left = firings;
        for (index, step) in self.steps.iter_mut().enumerate() {
            if firings_left == 0 {
                return self.steps.truncate(index);
            }
            step.count = step.count.min(firings_left);
            firings_left -= step.count;
        }
    }

    /// Returns the number of firings.
    pub fn firings(&self) -> u128 {
        self.steps.iter().map(|step| u128::from(step.count)).sum()
    }
}

impl FromIterator<TransitionId> for FiringSequence {
    fn from_iter<I: IntoIterator<Item = TransitionId>>(transitions: I) -> Self {
        let mut sequence = FiringSequence::new();
        transitions.into_iter().for_each(|transition| sequence.push(transition, 1));
        sequence
    }
}
