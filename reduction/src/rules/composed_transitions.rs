//! The search for composed transitions, a case of [same
//! effect](parikh_evidence::reduction::rules::same_effect): the effect of one transition equals
//! that of two others in sequence.
//!
//! ```text
//! # deadlock
//! place p 1
//! place q
//! place r
//! transition a: p -> q
//! transition b: q -> r
//! transition c: p -> r
//! # becomes
//! place p 1
//! place q
//! place r
//! transition a: p -> q
//! transition b: q -> r
//! ```
//!
//!
//! # Back-translation
//! None.
//!
//! # Cost
//! For a changed transition, two hash lookups for each other transition that takes from one of its
//! inputs. Inputs with more than [`MAX_CONSUMERS`] consumers are skipped. Hashes of effects are
//! additive.

use crate::buckets::Buckets;
use crate::candidate;
use crate::hashes::effect_hash;
use crate::journal::ChangedNodes;
use crate::search::CandidateSearch;
use parikh_evidence::reduction::{Candidate, WorkNet};
use parikh_net::TransitionId;

/// Limit on the number of consumers of an input place. Input places with more consumers are
/// skipped.
const MAX_CONSUMERS: usize = 24;

/// Limit on the number of transitions tried as the second of two transitions in sequence. It
/// applies to each choice of the first transition and the composed transition.
const MAX_SAME_EFFECT: usize = 4;

/// The search for transitions whose effect is that of two others in sequence.
#[derive(Default)]
pub(super) struct ComposedTransitions {
    /// Transition ids by the hash of the effect Δ(t,·).
    by_effect: Buckets,
}

impl CandidateSearch for ComposedTransitions {
    fn reset(&mut self) {
        *self = ComposedTransitions::default();
    }

    fn observe(&mut self, net: &WorkNet, dirty: &ChangedNodes) {
        for &t in &dirty.transitions {
            self.by_effect.insert(effect_hash(net.changes(t)), t.index());
        }
    }

    fn find(&mut self, net: &WorkNet, dirty: &ChangedNodes, candidates: &mut Vec<Candidate>) {
        let hash = |t| effect_hash(net.changes(t));
        let mut propose = |first: TransitionId, composed: TransitionId| {
            let second = hash(composed).wrapping_sub(hash(first));
            let is_alive = |id: usize| net.has_transition(TransitionId::new(id));
            let second_transitions = self.by_effect.ids(second, MAX_SAME_EFFECT, is_alive);
            let second_transitions = second_transitions.into_iter().map(TransitionId::new);
            candidates.extend(second_transitions.map(|second| {
                let mut sequence = vec![first, second, composed];
                // If the first and the second transition are equal, the candidate lists the
                // transition once: the conditions of the rule also allow a sequence to be repeated.
                // If the second and the composed transition are equal, the candidate also lists the
                // transition once. The conditions decide about all candidates.
                sequence.dedup();
                candidate::transitions(sequence)
            }));
        };
        for &t in &dirty.transitions {
            for arc in net.pre(t) {
                if net.consumer_count(arc.place) <= MAX_CONSUMERS {
                    for u in net.consumers(arc.place).filter(|&u| u != t) {
                        propose(u, t);
                        propose(t, u);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::example;

    #[test]
    fn two_transitions_do_not_remove_each_other() {
        example::reduces(
            "composed-transitions",
            "# deadlock
             place p 1
             place q
             transition a: p -> q
             transition b: p -> q
             transition c: p -> p
             transition d: q -> q",
            "place p 1
             place q
             transition b: p -> q
             transition c: p -> p
             transition d: q -> q",
        );
    }
}
