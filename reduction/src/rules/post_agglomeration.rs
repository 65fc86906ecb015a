//! The search for candidates of [post
//! agglomeration](parikh_evidence::reduction::rules::post_agglomeration).
//!
//! # Back-translation
//! A merged transition stands for h fᵏ: a producer h of the place p, then k firings of a consumer f
//! of p. Initial tokens of p are consumed in the prefix.
//!
//! # Cost
//! The arcs of the transitions around p for each change at p, and |H|·|F| new transitions, where H
//! and F are the producers and consumers of p. The first variant requires |H| ≤ 1 or |F| ≤ 1; the
//! second bounds the product.

use super::GrowthLimits;
use crate::candidate;
use crate::journal::ChangedNodes;
use crate::search::CandidateSearch;
use parikh_evidence::reduction::{Candidate, WorkNet};
use parikh_net::TransitionId;

/// The search for places whose producers can be merged with their consumers, because the consumers
/// need no other place and can fire at once.
pub(super) struct PostAgglomeration {
    /// True for the variant that handles places with at least two producers and two consumers. The
    /// other variant handles places with at most one producer or at most one consumer.
    pub(super) handles_products: bool,
    pub(super) limits: GrowthLimits,
}

impl CandidateSearch for PostAgglomeration {
    fn must_wait(&self) -> bool {
        true
    }

    fn find(&mut self, net: &WorkNet, dirty: &ChangedNodes, candidates: &mut Vec<Candidate>) {
        for p in dirty.places_around(net) {
            let has_single_input = |f: TransitionId| net.pre(f).len() == 1;
            if net.in_support(p) || !net.consumers(p).next().is_some_and(has_single_input) {
                continue;
            }
            let producers: Vec<_> = net.producers(p).collect();
            let consumers: Vec<_> = net.consumers(p).collect();
            if self.limits.allow(net, self.handles_products, &producers, &consumers) {
                candidates.push(candidate::place(p));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::example;

    #[test]
    fn half_of_a_visible_double_firing_is_not_lost() {
        let net = "# reachability over a, q
             place a 1
             place p
             place q
             transition h: a -> 2*p
             transition f: p -> q";
        example::reduces("post-agglomeration", net, net);
        let dead = net.replace("reachability", "deadlock");
        let result = "place a 1\n place q\n transition h.f_2: a -> 2*q";
        example::reduces("post-agglomeration", &dead, result);
    }

    #[test]
    fn tokens_waiting_are_consumed_first() {
        example::reduces(
            "post-agglomeration",
            "# deadlock
             place p 5
             place q
             transition f: 2*p -> q
             transition g: q -> 2*p",
            "place q 2
             transition g.f: q -> q",
        );
    }
}
