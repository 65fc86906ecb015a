//! The search for candidates of [weaker
//! transitions](parikh_evidence::reduction::rules::weaker_transitions).
//!
//! # Back-translation
//! None.
//!
//! # Cost
//! For a changed transition, the transitions that share its rarest input place, if at most
//! [`MAX_CONSUMERS`].

use crate::candidate;
use crate::journal::ChangedNodes;
use crate::search::CandidateSearch;
use parikh_evidence::reduction::{Candidate, WorkNet};

/// Limit on the number of transitions at a place that are compared with a changed transition.
const MAX_CONSUMERS: usize = 32;

/// The search for transitions that need more than another transition, and give no more.
pub(super) struct WeakerTransitions;

impl CandidateSearch for WeakerTransitions {
    fn find(&mut self, net: &WorkNet, dirty: &ChangedNodes, candidates: &mut Vec<Candidate>) {
        for &t in &dirty.transitions {
            // The weaker transition takes from all places that the other takes from, so any of them
            // finds it.
            let rarest = net.pre(t).iter().min_by_key(|arc| net.consumer_count(arc.place));
            if let Some(arc) = rarest.filter(|arc| net.consumer_count(arc.place) <= MAX_CONSUMERS) {
                let others_at_place = net.consumers(arc.place).filter(|&u| u != t);
                let weaker =
                    others_at_place.clone().filter(|&u| net.pre(u).len() >= net.pre(t).len());
                candidates.extend(weaker.map(|u| candidate::transitions([t, u])));
                let stronger = others_at_place.filter(|&u| net.pre(u).len() < net.pre(t).len());
                candidates.extend(stronger.map(|u| candidate::transitions([u, t])));
            }
        }
    }
}
