//! The search for candidates of [dead
//! transitions](parikh_evidence::reduction::rules::dead_transitions).
//!
//! # Back-translation
//! None: sequences stay unchanged.
//!
//! # Cost
//! Linear in the net; once per round.

use crate::candidate;
use crate::journal::ChangedNodes;
use crate::search::CandidateSearch;
use parikh_evidence::reduction::{Candidate, WorkNet};
use parikh_net::{PlaceId, TransitionId};

/// The search for transitions that never fire, by a fixpoint over the whole net.
pub(super) struct DeadTransitions;

impl CandidateSearch for DeadTransitions {
    fn find(&mut self, net: &WorkNet, _: &ChangedNodes, candidates: &mut Vec<Candidate>) {
        let fires = may_fire(net);
        let dead: Vec<_> = net.transitions().filter(|t| !fires[t.index()]).collect();
        if !dead.is_empty() {
            candidates.push(candidate::transitions(dead));
        }
    }
}

/// Computes a least fixpoint. Returns, by transition index, true for the transitions that may fire
/// if every place that can grow is unbounded.
fn may_fire(net: &WorkNet) -> Vec<bool> {
    let mut fires = vec![false; net.transition_ids()];
    let mut can_grow = vec![false; net.place_ids()];
    // For each transition, the number of inputs that have too few tokens and were not yet found to
    // grow.
    let mut missing: Vec<u32> = vec![0; net.transition_ids()];
    let mut ready: Vec<TransitionId> = Vec::new();
    for t in net.transitions() {
        let missing_inputs =
            net.pre(t).iter().filter(|arc| net.tokens(arc.place) < arc.weight).count();
        missing[t.index()] = missing_inputs as u32;
        if missing_inputs == 0 {
            ready.push(t);
        }
    }
    while let Some(t) = ready.pop() {
        fires[t.index()] = true;
        let new: Vec<PlaceId> = net
            .changes(t)
            .filter(|&(p, change)| change > 0 && !can_grow[p.index()])
            .map(|(p, _)| p)
            .collect();
        for p in new {
            can_grow[p.index()] = true;
            for u in net.consumers(p).filter(|&u| net.tokens(p) < net.pre_weight(u, p)) {
                missing[u.index()] -= 1;
                if missing[u.index()] == 0 {
                    ready.push(u);
                }
            }
        }
    }
    fires
}

#[cfg(test)]
mod tests {
    use crate::example;

    #[test]
    fn a_place_that_only_dead_transitions_feed_does_not_grow() {
        example::reduces(
            "dead-transitions",
            "# deadlock
             place p
             place q 1
             transition a: p -> p + q
             transition b: 2*q -> p
             transition c: q -> q",
            "place p
             place q 1
             transition c: q -> q",
        );
    }
}
