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

/// The search for transitions that do not influence the support S.
pub(super) struct Relevance;

impl CandidateSearch for Relevance {
    fn find(&mut self, net: &WorkNet, _: &ChangedNodes, candidates: &mut Vec<Candidate>) {
        let is_relevant = relevant_transitions(net);
        let irrelevant: Vec<_> = net.transitions().filter(|t| !is_relevant[t.index()]).collect();
        if !irrelevant.is_empty() {
            candidates.push(candidate::transitions(irrelevant));
        }
    }
}

/// Returns, by transition index, true for the relevant transitions. A firing of a relevant
/// transition changes the tokens of S, or increases the tokens of an input place of another
/// relevant transition.
fn relevant_transitions(net: &WorkNet) -> Vec<bool> {
    let mut relevant = vec![false; net.transition_ids()];
    let mut visited = vec![false; net.place_ids()];
    let mut pending: Vec<TransitionId> =
        net.transitions().filter(|&t| net.touches_support(t)).collect();
    pending.iter().for_each(|t| relevant[t.index()] = true);
    while let Some(t) = pending.pop() {
        for arc in net.pre(t) {
            if std::mem::replace(&mut visited[arc.place.index()], true) {
                continue;
            }
            for u in net.producers(arc.place).filter(|&u| net.effect(u, arc.place) > 0) {
                if !std::mem::replace(&mut relevant[u.index()], true) {
                    pending.push(u);
                }
            }
        }
    }
    relevant
}
