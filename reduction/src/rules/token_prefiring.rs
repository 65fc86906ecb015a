//! The search for candidates of [token
//! prefiring](parikh_evidence::reduction::rules::token_prefiring).
//!
//! # Back-translation
//! The firings of t that take the initial tokens of its inputs are in the prefix, before all other
//! firings.
//!
//! # Cost
//! The inputs of the transitions near a change. Each transition is proposed at most once, because
//! in a ring of such transitions the tokens would move forever.

use crate::candidate;
use crate::journal::ChangedNodes;
use crate::search::CandidateSearch;
use parikh_evidence::reduction::{Candidate, WorkNet};
use parikh_net::TransitionId;
use std::collections::HashSet;

/// The search for transitions that can fire before all others, with the initial tokens of their
/// input places.
#[derive(Default)]
pub(super) struct TokenPrefiring {
    /// Transitions proposed in earlier calls.
    proposed: HashSet<TransitionId>,
}

impl CandidateSearch for TokenPrefiring {
    fn find(&mut self, net: &WorkNet, dirty: &ChangedNodes, candidates: &mut Vec<Candidate>) {
        for t in dirty.transitions_around(net, 8) {
            let can_fire_first = !net.pre(t).is_empty()
                && net.pre(t).iter().all(|arc| {
                    net.tokens(arc.place) >= arc.weight
                        && net.consumer_count(arc.place) == 1
                        && net.post_weight(t, arc.place) == 0
                });
            // Transitions that a merge has created are excluded: around a ring, merging and
            // prefiring would create transitions endlessly.
            let is_original = t.index() < net.original_transitions();
            if can_fire_first && is_original && self.proposed.insert(t) {
                candidates.push(candidate::transitions([t]));
            }
        }
    }
}
