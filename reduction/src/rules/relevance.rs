//! The search for candidates of [relevance](parikh_evidence::reduction::rules::relevance).
//!
//! # Back-translation
//! None.
//!
//! # Cost
//! Linear in the net; once per round.

use crate::candidate;
use crate::journal::ChangedNodes;
use crate::search::CandidateSearch;
use parikh_evidence::reduction::{Candidate, WorkNet};
use parikh_net::TransitionId;

pub(super) struct Relevance;

impl CandidateSearch for Relevance {
    fn find(&mut self, net: &WorkNet, _: &ChangedNodes, candidates: &mut Vec<Candidate>) {
        let matters = relevant(net);
        let rest: Vec<_> = net.transitions().filter(|t| !matters[t.index()]).collect();
        if !rest.is_empty() {
            candidates.push(candidate::transitions(rest));
        }
    }
}

/// Returns the relevant transitions: those that touch S, and transitively those that feed their
/// inputs.
fn relevant(net: &WorkNet) -> Vec<bool> {
    let mut relevant = vec![false; net.transition_ids()];
    let mut asked = vec![false; net.place_ids()];
    let mut open: Vec<TransitionId> =
        net.transitions().filter(|&t| net.touches_support(t)).collect();
    open.iter().for_each(|t| relevant[t.index()] = true);
    while let Some(t) = open.pop() {
        for arc in net.pre(t) {
            if std::mem::replace(&mut asked[arc.place.index()], true) {
                continue;
            }
            for u in net.producers(arc.place).filter(|&u| net.effect(u, arc.place) > 0) {
                if !std::mem::replace(&mut relevant[u.index()], true) {
                    open.push(u);
                }
            }
        }
    }
    relevant
}
