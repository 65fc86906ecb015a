//! The search for candidates of [equal futures](parikh_evidence::reduction::rules::equal_futures).
//!
//! # Back-translation
//! A router chooses between a transition and its twin, depending on the tokens.
//!
//! # Cost
//! A hash over the consumers of each place that changed or is next to a changed transition. Places
//! with more than [`MAX_CONSUMERS`] consumers are skipped.

use crate::buckets::Buckets;
use crate::candidate;
use crate::hashes::{row_hash, scrambled};
use crate::journal::ChangedNodes;
use crate::search::CandidateSearch;
use parikh_evidence::reduction::rules::equal_futures::arcs_except;
use parikh_evidence::reduction::{Candidate, WorkNet};
use parikh_net::{Arc, PlaceId};

/// Limit on the number of consumers of a place. Places with more consumers are skipped.
const MAX_CONSUMERS: usize = 16;

/// Limit on the number of places with equal signature that are compared with a changed place.
const MAX_SIMILAR_PLACES: usize = 8;

/// The search for pairs of places with equal futures: the consumers of the two places match, so
/// only the sum of their tokens matters.
#[derive(Default)]
pub(super) struct EqualFutures {
    /// Place ids by the hash that the function `signature` computes.
    by_signature: Buckets,
}

impl CandidateSearch for EqualFutures {
    fn must_wait(&self) -> bool {
        // A fusion changes the arcs of adjacent transitions, so candidates found before may be
        // outdated.
        true
    }

    fn reset(&mut self) {
        *self = EqualFutures::default();
    }

    fn find(&mut self, net: &WorkNet, dirty: &ChangedNodes, candidates: &mut Vec<Candidate>) {
        for p in dirty.places_around(net) {
            let consumers = net.consumer_count(p);
            if net.in_support(p) || consumers == 0 || consumers > MAX_CONSUMERS {
                continue;
            }
            let signature = signature(net, p);
            let is_other = |id: usize| id != p.index() && net.has_place(PlaceId::new(id));
            let similar_places = self.by_signature.ids(signature, MAX_SIMILAR_PLACES, is_other);
            let similar_places = similar_places.into_iter().map(PlaceId::new);
            candidates.extend(similar_places.map(|q| candidate::places([q.min(p), q.max(p)])));
            self.by_signature.insert(signature, p.index());
        }
    }
}

/// Returns a hash of the consumers of `p`: of their other inputs and of the numbers of tokens that
/// they produce. It is equal for places with equal futures, unless several consumers of one place
/// match the same consumer of the other.
fn signature(net: &WorkNet, p: PlaceId) -> u64 {
    net.consumers(p).fold(0, |sum, t| {
        let other_inputs: Vec<Arc> = arcs_except(net.pre(t), p, p).copied().collect();
        // A consumer may produce tokens on p where its twin produces them on q. So the hash
        // contains only the total number of produced tokens.
        let tokens_put = net.post(t).iter().fold(0u64, |sum, arc| sum.wrapping_add(arc.weight));
        sum.wrapping_add(scrambled(row_hash(&other_inputs) ^ scrambled(tokens_put)))
    })
}

#[cfg(test)]
mod tests {
    use crate::example;

    #[test]
    fn a_consumer_of_two_tokens_distinguishes_the_places() {
        let net = "# reachability over x
             place p 1
             place q 1
             place x
             transition f: 2*p -> x
             transition g: 2*q -> x";
        example::reduces("equal-futures", net, net);
    }
}
