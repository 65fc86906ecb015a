//! The search for candidates of [pre
//! agglomeration](parikh_evidence::reduction::rules::pre_agglomeration).
//!
//! # Back-translation
//! A merged transition stands for h f: a producer h of the place p, then a consumer f of p. For a
//! dead marking, the producers h fire last.
//!
//! # Cost
//! The arcs of the transitions around p, and the consumers of the input places of the producers.

use super::GrowthLimits;
use crate::candidate;
use crate::journal::ChangedNodes;
use crate::search::CandidateSearch;
use parikh_evidence::reduction::{Candidate, WorkNet};
use parikh_net::TransitionId;

/// Limit on the number of consumers of each input place of a producer. A place is skipped if some
/// producer has an input place with more consumers.
const MAX_CONSUMERS: usize = 64;

/// The search for places whose producers can be postponed until a consumer fires.
pub(super) struct PreAgglomeration {
    /// True for the variant that handles places with at least two producers and two consumers. The
    /// other variant handles places with at most one producer or at most one consumer.
    pub(super) handles_products: bool,
    pub(super) limits: GrowthLimits,
}

impl CandidateSearch for PreAgglomeration {
    fn must_wait(&self) -> bool {
        true
    }

    fn find(&mut self, net: &WorkNet, dirty: &ChangedNodes, candidates: &mut Vec<Candidate>) {
        let mut places = dirty.places_around(net);
        // A place that lost a consumer may allow agglomeration at the output place of another
        // consumer.
        for &p in &dirty.places {
            if net.consumer_count(p) <= MAX_CONSUMERS {
                places.extend(net.consumers(p).filter_map(|h| match net.post(h) {
                    [arc] => Some(arc.place),
                    _ => None,
                }));
            }
        }
        places.sort_unstable();
        places.dedup();
        for p in places {
            let has_single_output = |h: TransitionId| net.post(h).len() == 1;
            if net.in_support(p) || !net.producers(p).next().is_some_and(has_single_output) {
                continue;
            }
            let producers: Vec<_> = net.producers(p).collect();
            let consumers: Vec<_> = net.consumers(p).collect();
            let inputs_are_few = producers.iter().all(|&h| {
                net.pre(h).iter().all(|arc| net.consumer_count(arc.place) <= MAX_CONSUMERS)
            });
            if inputs_are_few
                && self.limits.allow(net, self.handles_products, &producers, &consumers)
            {
                candidates.push(candidate::place(p));
            }
        }
    }
}
