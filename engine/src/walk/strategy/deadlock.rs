//! Strategy towards deadness: prefers firings that leave few classes enabled.
//!
//! The strategy tries a few candidates and takes the one after which the fewest classes are
//! enabled. Some of the time it takes a random class, since the path to a deadlock may pass
//! markings with many enabled classes. A candidate that reaches a goal or raises a maximum is taken
//! at once.

use super::blind::random_enabled;
use crate::walk::machine::{WatchedMarking, random_below};
use crate::walk::walker::{FiringStrategy, Resources};

/// A strategy that searches for markings with few enabled effect classes.
pub(in crate::walk) struct Deadlock {
    /// Chance, in 256ths, that a step compares several classes by the number of classes enabled
    /// afterwards. Otherwise a random enabled class fires.
    pub(in crate::walk) comparing_chance: usize,
    /// Number of enabled classes drawn for a comparison.
    pub(in crate::walk) candidates: u32,
}

impl FiringStrategy for Deadlock {
    fn choose(
        &mut self,
        machine: &mut WatchedMarking<'_>,
        resources: &mut Resources,
    ) -> Option<u32> {
        let mut best = random_enabled(machine, resources);
        if machine.enabled().len() == 1
            || random_below(&mut resources.rng, 256) >= self.comparing_chance
        {
            return Some(best);
        }
        let mut smallest_count = usize::MAX;
        for candidate in 0..self.candidates {
            let class = if candidate == 0 { best } else { random_enabled(machine, resources) };
            if !machine.fire(class) {
                continue;
            }
            let enabled_count = machine.enabled().len();
            let has_news = !machine.news.is_empty();
            // The candidate has just been fired, so firing it backwards is possible.
            machine.fire_many(class, -1);
            resources.work += 1;
            if has_news {
                return Some(class);
            }
            if enabled_count < smallest_count {
                (smallest_count, best) = (enabled_count, class);
            }
        }
        Some(best)
    }
}
