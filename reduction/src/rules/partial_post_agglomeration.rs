//! The search for candidates of [partial post
//! agglomeration](parikh_evidence::reduction::rules::partial_post_agglomeration).
//!
//! # Back-translation
//! A merged transition stands for h f: the producer h of the place p, then a consumer f of p.
//!
//! # Cost
//! The arcs of the transitions around p. There is only one h, so each f is replaced by one merged
//! transition, and the number of transitions does not grow. Only original transitions are merged,
//! so the search ends.

use super::GrowthLimits;
use crate::candidate;
use crate::journal::ChangedNodes;
use crate::search::CandidateSearch;
use parikh_evidence::reduction::rules::takes_only_from;
use parikh_evidence::reduction::{Candidate, WorkNet};
use parikh_net::TransitionId;

/// The search for places with one producer and at least two consumers. At least one consumer can be
/// merged with the producer.
pub(super) struct PartialPostAgglomeration {
    pub(super) limits: GrowthLimits,
}

impl CandidateSearch for PartialPostAgglomeration {
    fn must_wait(&self) -> bool {
        true
    }

    fn find(&mut self, net: &WorkNet, dirty: &ChangedNodes, candidates: &mut Vec<Candidate>) {
        for p in dirty.places_around(net) {
            if net.in_support(p) || net.producer_count(p) != 1 || net.consumer_count(p) < 2 {
                continue;
            }
            let can_merge = |f: &TransitionId| {
                f.index() < net.original_transitions()
                    && takes_only_from(net, *f, p)
                    && !net.touches_support(*f)
            };
            let consumers: Vec<_> = net.consumers(p).filter(can_merge).collect();
            let producers: Vec<_> = net.producers(p).collect();
            if !consumers.is_empty() && self.limits.allow(net, false, &producers, &consumers) {
                candidates.push(candidate::place_and_transitions(p, consumers));
            }
        }
    }
}
