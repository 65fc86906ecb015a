//! Rounds of walks: one walk of each kind, with random lengths whose maximum grows from round to
//! round.

use super::walker::{ProductWalk, WalkKind};
use crate::walk::machine::random_below;
use parikh_net::FiringSequence;
use parikh_net::lasso::LassoRun;
use parikh_solvers::Budget;

/// Maximum number of firings after the end of a given firing sequence.
const FIRINGS_BEYOND_END: usize = 4096;

impl ProductWalk<'_> {
    /// Makes one walk of each kind, or fewer if the budget is exhausted. The maximum length of a
    /// walk doubles with each of the first nine rounds. Walks for a single property are made for
    /// each followed property that is open. Returns false if no followed property is open any more.
    /// `found` receives each run with the index of its property, and returns true if this property
    /// needs no other run. `is_open` returns true if the property with this index is still open.
    pub fn run_round(
        &mut self,
        budget: &Budget,
        is_open: &dyn Fn(usize) -> bool,
        found: &mut dyn FnMut(usize, LassoRun) -> bool,
    ) -> bool {
        self.stop_following_settled(is_open);
        let open: Vec<usize> =
            (0..self.followed.len()).filter(|&property| self.is_followed(property)).collect();
        let max_length = 1usize << (6 + self.rounds.min(9));
        let limit = max_length >> random_below(&mut self.resources.rng, 4);
        for kind in [WalkKind::Random, WalkKind::ConsumeNewest] {
            if !budget.is_exhausted() {
                self.walk_once(kind, limit, budget, found);
            }
        }
        for &property in &open {
            if self.is_followed(property) && !budget.is_exhausted() {
                self.walk_once(WalkKind::SingleProperty(property), limit.min(4096), budget, found);
            }
        }
        self.rounds += 1;
        open.iter().any(|&property| self.is_followed(property))
    }

    /// Walks along a given firing sequence, and at most [`FIRINGS_BEYOND_END`] firings beyond its
    /// end. For `found` and `is_open` see [`run_round`](Self::run_round).
    pub fn follow_sequence(
        &mut self,
        prefix: &FiringSequence,
        budget: &Budget,
        is_open: &dyn Fn(usize) -> bool,
        found: &mut dyn FnMut(usize, LassoRun) -> bool,
    ) {
        self.stop_following_settled(is_open);
        if (0..self.followed.len()).any(|property| self.is_followed(property))
            && !budget.is_exhausted()
        {
            self.walk_along(prefix, FIRINGS_BEYOND_END, budget, found);
        }
    }

    /// Stops following the properties that are no longer open.
    fn stop_following_settled(&mut self, is_open: &dyn Fn(usize) -> bool) {
        for (position, followed) in self.followed.iter_mut().enumerate() {
            if let Some(followed) = followed {
                followed.is_settled |= !is_open(position);
            }
        }
    }
}
