//! Undirected strategies: uniform choice, and preference for rarely fired classes.
//!
//! Uniform choice over *classes* is the baseline, and fast. On many nets it visits the same part of
//! the behaviour again and again, because a few frequent transitions dominate the rare ones. The
//! novelty strategy draws a few candidates and takes the one fired least often so far, over all
//! walks. The counts are halved from time to time, so that old firings lose their weight.

use crate::walk::machine::{WatchedMarking, below};
use crate::walk::walker::{FiringStrategy, Resources};

/// Uniform choice among the enabled classes.
pub(in crate::walk) struct Uniform;

impl FiringStrategy for Uniform {
    #[inline]
    fn choose(
        &mut self,
        machine: &mut WatchedMarking<'_>,
        resources: &mut Resources,
    ) -> Option<u32> {
        Some(any(machine, resources))
    }
}

/// Returns a random enabled class. There must be one.
#[inline]
pub(super) fn any(machine: &WatchedMarking<'_>, resources: &mut Resources) -> u32 {
    let enabled = machine.enabled();
    enabled.nth(below(&mut resources.rng, enabled.len()))
}

/// Takes the class fired least often of a few candidates.
pub(in crate::walk) struct Novelty {
    /// For each class, the number of times that it was chosen, halved from time to time.
    fired: Vec<u32>,
    /// Number of candidates drawn, at least 1.
    pub(in crate::walk) candidates: u32,
}

/// Count at which all counts are halved.
const MANY: u32 = 1 << 20;

impl Novelty {
    /// Creates the strategy with all counts zero.
    pub(in crate::walk) fn new(classes: usize) -> Self {
        Novelty { fired: vec![0; classes], candidates: 3 }
    }
}

impl FiringStrategy for Novelty {
    #[inline]
    fn choose(
        &mut self,
        machine: &mut WatchedMarking<'_>,
        resources: &mut Resources,
    ) -> Option<u32> {
        let mut best = any(machine, resources);
        for _ in 1..self.candidates {
            let candidate = any(machine, resources);
            if self.fired[candidate as usize] < self.fired[best as usize] {
                best = candidate;
            }
        }
        resources.work += 1;
        let count = &mut self.fired[best as usize];
        *count += 1;
        if *count >= MANY {
            self.fired.iter_mut().for_each(|count| *count /= 2);
        }
        Some(best)
    }
}
