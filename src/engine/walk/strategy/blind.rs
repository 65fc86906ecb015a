//! Strategies that aim at nothing: uniform choice, and a taste for what was fired least.
//!
//! Uniform choice over *classes* is the base line, and fast. On many nets it sees the same part of
//! the behaviour over and over: a few busy transitions drown the rare ones. Novelty draws a few
//! candidates and takes the one that has fired least often so far, over all walks; the counts are
//! halved now and then, so that what was rare long ago is not avoided for ever.

use crate::engine::walk::machine::{Machine, below};
use crate::engine::walk::walker::{Choose, Resources};

/// Any enabled class.
pub(in crate::engine::walk) struct Uniform;

impl Choose for Uniform {
    #[inline]
    fn choose(&mut self, machine: &mut Machine<'_>, resources: &mut Resources) -> Option<u32> {
        Some(any(machine, resources))
    }
}

/// Any enabled class. There is one.
#[inline]
pub(super) fn any(machine: &Machine<'_>, resources: &mut Resources) -> u32 {
    let enabled = machine.enabled();
    enabled.nth(below(&mut resources.rng, enabled.len()))
}

/// The one fired least of a few.
pub(in crate::engine::walk) struct Novelty {
    fired: Vec<u32>,
    /// Candidates drawn, at least 1.
    pub(in crate::engine::walk) candidates: u32,
}

/// A count that makes all counts be halved.
const MANY: u32 = 1 << 20;

impl Novelty {
    /// Nothing fired yet.
    pub(in crate::engine::walk) fn new(classes: usize) -> Self {
        Novelty { fired: vec![0; classes], candidates: 3 }
    }
}

impl Choose for Novelty {
    #[inline]
    fn choose(&mut self, machine: &mut Machine<'_>, resources: &mut Resources) -> Option<u32> {
        let mut best = any(machine, resources);
        for _ in 1..self.candidates {
            let other = any(machine, resources);
            if self.fired[other as usize] < self.fired[best as usize] {
                best = other;
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
