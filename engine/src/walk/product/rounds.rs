//! Rounds of walks: one walk of each kind, with increasing lengths.

use super::walker::{ProductWalk, WalkKind};
use crate::walk::machine::random_below;
use parikh_net::FiringSequence;
use parikh_net::lasso::LassoRun;
use parikh_solvers::Budget;

/// Number of firings after the end of a given firing sequence.
const FIRINGS_BEYOND_END: usize = 4096;

impl ProductWalk<'_> {
    /// Makes one walk of each kind, with increasing lengths in later rounds. Returns false if no
    /// property is left. `found` receives each run with the index of its property, and returns true
    /// if no other run is needed. `is_open` returns true if a property is still open.
    pub fn round(
        &mut self,
        budget: &Budget,
        is_open: &dyn Fn(usize) -> bool,
        found: &mut dyn FnMut(usize, LassoRun) -> bool,
    ) -> bool {
        self.stop_following_settled(is_open);
        let open: Vec<usize> =
            (0..self.followed.len()).filter(|&at| self.is_followed(at)).collect();
        let longest = 1usize << (6 + self.rounds.min(9));
        let limit = longest >> random_below(&mut self.resources.rng, 4);
        for manner in [WalkKind::Random, WalkKind::ConsumeNewest] {
            if !budget.is_exhausted() {
                self.walk_once(manner, limit, budget, found);
            }
        }
        for &at in &open {
            if self.is_followed(at) && !budget.is_exhausted() {
                self.walk_once(WalkKind::SingleProperty(at), limit.min(4096), budget, found);
            }
        }
        self.rounds += 1;
        open.iter().any(|&at| self.is_followed(at))
    }

    /// Walks along a given firing sequence, and some firings beyond its end. For `found` and
    /// `is_open` see [`round`](Self::round).
    pub fn follow_sequence(
        &mut self,
        way: &FiringSequence,
        budget: &Budget,
        is_open: &dyn Fn(usize) -> bool,
        found: &mut dyn FnMut(usize, LassoRun) -> bool,
    ) {
        self.stop_following_settled(is_open);
        if (0..self.followed.len()).any(|at| self.is_followed(at)) && !budget.is_exhausted() {
            self.walk_along(way, FIRINGS_BEYOND_END, budget, found);
        }
    }

    fn stop_following_settled(&mut self, is_open: &dyn Fn(usize) -> bool) {
        for (position, followed) in self.followed.iter_mut().enumerate() {
            if let Some(followed) = followed {
                followed.is_settled |= !is_open(position);
            }
        }
    }
}
