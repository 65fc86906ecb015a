//! The search for candidates of [same effect](parikh_evidence::reduction::rules::same_effect).
//!
//! # Back-translation
//! None: runs of the reduced net are runs of the net before.
//!
//! # Cost
//! For each changed transition, a hash of its effect divided by its gcd, and comparisons with at
//! most [`MAX_COMPARED`] other transitions with this hash. One transition with the same arcs, found
//! by another hash, is compared as well.

use crate::buckets::Buckets;
use crate::candidate;
use crate::hashes::{effect_hash, row_hash, scrambled};
use crate::journal::ChangedNodes;
use crate::search::CandidateSearch;
use parikh_evidence::reduction::rules::gcd_scaling::gcd;
use parikh_evidence::reduction::{Candidate, WorkNet};
use parikh_net::{PlaceId, TransitionId};

/// Limit on the number of transitions with proportional effects that one transition is compared
/// with.
const MAX_COMPARED: usize = 48;

/// The search for transitions whose effect is proportional to the effect of another transition.
#[derive(Default)]
pub(super) struct SameEffect {
    /// Transition ids by the hash of the effect, divided by the greatest common divisor of its
    /// changes.
    by_effect: Buckets,
    /// Transition ids by the hash of the input and output arcs.
    by_rows: Buckets,
}

impl CandidateSearch for SameEffect {
    fn reset(&mut self) {
        *self = SameEffect::default();
    }

    fn find(&mut self, net: &WorkNet, dirty: &ChangedNodes, candidates: &mut Vec<Candidate>) {
        for &t in &dirty.transitions {
            let mut propose =
                |kept, removed| candidates.push(candidate::transitions([kept, removed]));
            let is_other = |id: usize| id != t.index() && net.has_transition(TransitionId::new(id));
            let rows = row_hash(net.pre(t)).wrapping_mul(31).wrapping_add(row_hash(net.post(t)));
            if let [twin] = self.by_rows.ids(rows, 1, is_other)[..] {
                propose(TransitionId::new(twin), t);
            }
            self.by_rows.insert(rows, t.index());
            let effect = direction_hash(net, t);
            let input_mask = places_mask(net, t);
            for u in self
                .by_effect
                .ids(effect, MAX_COMPARED, is_other)
                .into_iter()
                .map(TransitionId::new)
            {
                let other_mask = places_mask(net, u);
                if other_mask & !input_mask == 0 {
                    propose(u, t);
                }
                if input_mask & !other_mask == 0 {
                    propose(t, u);
                }
            }
            self.by_effect.insert(effect, t.index());
        }
    }
}

/// Returns a 64-bit mask of the input places of `t`. Each place sets one bit, which a hash of the
/// place chooses. So the mask of a set of places contains the mask of every subset.
fn places_mask(net: &WorkNet, t: TransitionId) -> u64 {
    net.pre(t).iter().fold(0, |mask, arc| mask | 1 << (scrambled(arc.place.index() as u64) % 64))
}

/// Returns the hash of the effect of `t` divided by its gcd.
fn direction_hash(net: &WorkNet, t: TransitionId) -> u64 {
    let divisor = |d: u64, (_, change): (PlaceId, i64)| gcd(d, change.unsigned_abs());
    // Changes are below 2^63, so their divisor is, too.
    let divisor = net.changes(t).fold(0, divisor).max(1) as i64;
    effect_hash(net.changes(t).map(|(p, change)| (p, change / divisor)))
}

#[cfg(test)]
mod tests {
    use crate::example;

    #[test]
    fn a_repetition_that_lacks_tokens_is_no_replacement() {
        let net = "# reachability over q
             place p 2
             place q
             transition a: 2*p -> p + q
             transition b: 2*p -> 2*q";
        example::reduces("same-effect", net, net);
    }
}
