//! Undirected strategies: uniform choice, and preference for rarely fired classes.
//!
//! Uniform choice over *classes* is the baseline, and fast. On many nets it visits the same part of
//! the behaviour again and again, because a few frequent transitions dominate the rare ones. The
//! novelty strategy draws a few candidates and takes the one fired least often so far, over all
//! walks. The counts are halved from time to time, so that old firings lose their weight.

use crate::walk::machine::{WatchedMarking, random_below};
use crate::walk::walker::{FiringStrategy, Resources};

/// Uniform choice among the enabled effect classes.
pub(in crate::walk) struct Uniform;

impl FiringStrategy for Uniform {
    #[inline]
    fn choose(
        &mut self,
        machine: &mut WatchedMarking<'_>,
        resources: &mut Resources,
    ) -> Option<u32> {
        Some(random_enabled(machine, resources))
    }
}

/// Returns a random enabled effect class that changes some place. At least one such class must be
/// enabled.
#[inline]
pub(super) fn random_enabled(machine: &WatchedMarking<'_>, resources: &mut Resources) -> u32 {
    let enabled = machine.enabled();
    enabled.nth(random_below(&mut resources.rng, enabled.len()))
}

/// Draws a few enabled effect classes and takes the one chosen least often so far.
pub(in crate::walk) struct Novelty {
    /// For each effect class, how often this strategy has chosen it, halved from time to time.
    firing_counts: Vec<u32>,
    /// Number of candidates drawn, at least 1.
    pub(in crate::walk) candidates: u32,
}

/// Value of a class's count of choices at which the counts of all classes are halved.
const HALVING_COUNT: u32 = 1 << 20;

impl Novelty {
    /// Creates the strategy with all counts zero.
    pub(in crate::walk) fn new(classes: usize) -> Self {
        Novelty { firing_counts: vec![0; classes], candidates: 3 }
    }
}

impl FiringStrategy for Novelty {
    #[inline]
    fn choose(
        &mut self,
        machine: &mut WatchedMarking<'_>,
        resources: &mut Resources,
    ) -> Option<u32> {
        let mut best = random_enabled(machine, resources);
        for _ in 1..self.candidates {
            let candidate = random_enabled(machine, resources);
            if self.firing_counts[candidate as usize] < self.firing_counts[best as usize] {
                best = candidate;
            }
        }
        resources.work += 1;
        let count = &mut self.firing_counts[best as usize];
        *count += 1;
        if *count >= HALVING_COUNT {
            self.firing_counts.iter_mut().for_each(|count| *count /= 2);
        }
        Some(best)
    }
}
