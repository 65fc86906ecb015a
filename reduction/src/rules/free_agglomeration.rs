//! The search for candidates of [free
//! agglomeration](parikh_evidence::reduction::rules::free_agglomeration).
//!
//! # Back-translation
//! A merged transition stands for h f: a producer h of the place p, then a consumer f of p.
//!
//! # Cost
//! The arcs of the transitions around p, and |H|·|F| new transitions, where H and F are the
//! producers and consumers of p. The first variant requires |H| ≤ 1 or |F| ≤ 1 and that p is
//! removed; the second bounds the product. If p stays, only original transitions are merged: around
//! a cycle, merging would never end.

use super::GrowthLimits;
use crate::candidate;
use crate::journal::ChangedNodes;
use crate::search::CandidateSearch;
use parikh_evidence::reduction::rules::feeds_only;
use parikh_evidence::reduction::{Candidate, WorkNet};
use parikh_net::TransitionId;

/// The search for places with producers that can be postponed and merged with the consumers of the
/// place.
pub(super) struct FreeAgglomeration {
    /// True for the variant that handles two kinds of places: places with at least two producers
    /// and two consumers, and places that the rule does not remove.
    pub(super) handles_products: bool,
    pub(super) limits: GrowthLimits,
}

impl CandidateSearch for FreeAgglomeration {
    fn must_wait(&self) -> bool {
        true
    }

    fn find(&mut self, net: &WorkNet, dirty: &ChangedNodes, candidates: &mut Vec<Candidate>) {
        for p in dirty.places_around(net) {
            let Some(first) = net.consumers(p).next() else { continue };
            if net.in_support(p) || net.producer_count(p) == 0 {
                continue;
            }
            let weight = net.pre_weight(first, p);
            let can_postpone =
                |&h: &TransitionId| net.post_weight(h, p) == weight && feeds_only(net, h, p);
            let mut producers: Vec<_> = net.producers(p).filter(can_postpone).collect();
            let can_postpone_all =
                producers.len() == net.producer_count(p) && net.tokens(p) < weight;
            if !can_postpone_all {
                producers
                    .retain(|h| self.handles_products && h.index() < net.original_transitions());
            }
            let consumers: Vec<_> = net.consumers(p).collect();
            let is_within_limits = if can_postpone_all {
                self.limits.allow(net, self.handles_products, &producers, &consumers)
            } else {
                self.handles_products && consumers.len() == 1
            };
            if is_within_limits && !producers.is_empty() {
                candidates.push(candidate::place_and_transitions(p, producers));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::example;

    #[test]
    fn a_place_with_other_feeders_stays() {
        example::reduces(
            "free-agglomeration-product",
            "# reachability over c
             place a 1
             place p 1
             place c
             transition h: a -> p
             transition k: c -> p + a
             transition f: p + c -> c + c",
            "place a 1
             place p 1
             place c
             transition k: c -> a + p
             transition f: p + c -> 2*c
             transition h.f: a + c -> 2*c",
        );
    }
}
