//! Towards deadness: prefer firings that leave little to fire.
//!
//! A few candidates are tried out, and the one after which the fewest classes are enabled is taken;
//! some of the time any one is, since the way into a deadlock may lead through liveliness. A try
//! that shows something new to the goals is taken at once.

use super::blind::any;
use crate::engine::walk::machine::{Machine, below};
use crate::engine::walk::walker::{Choose, Resources};

/// Looks for markings with little enabled.
pub(in crate::engine::walk) struct Deadlock {
    /// How often to look, of 256.
    pub(in crate::engine::walk) greed: usize,
    /// How many candidates to try.
    pub(in crate::engine::walk) candidates: u32,
}

impl Choose for Deadlock {
    fn choose(&mut self, machine: &mut Machine<'_>, resources: &mut Resources) -> Option<u32> {
        let mut best = any(machine, resources);
        if machine.enabled().len() == 1 || below(&mut resources.rng, 256) >= self.greed {
            return Some(best);
        }
        let mut fewest = usize::MAX;
        for candidate in 0..self.candidates {
            let class = if candidate == 0 { best } else { any(machine, resources) };
            if !machine.fire(class) {
                continue;
            }
            let left = machine.enabled().len();
            let new = !machine.news.is_empty();
            // What was just done can be undone.
            machine.fire_many(class, -1);
            resources.work += 1;
            if new {
                return Some(class);
            }
            if left < fewest {
                (fewest, best) = (left, class);
            }
        }
        Some(best)
    }
}
