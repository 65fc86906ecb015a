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

/// Limit on the number of consumers of the input place with the fewest consumers. Transitions
/// beyond this limit are skipped.
const MAX_CONSUMERS: usize = 32;

/// The search for transitions that consume at least as many tokens as another transition, perhaps
/// repeated, and produce no more.
pub(super) struct WeakerTransitions;

impl CandidateSearch for WeakerTransitions {
    fn find(&mut self, net: &WorkNet, dirty: &ChangedNodes, candidates: &mut Vec<Candidate>) {
        for &t in &dirty.transitions {
            // The weaker of two transitions takes from all input places of the stronger one. So the
            // consumers of any of these places include the weaker transition. If `t` is the weaker
            // one, stronger transitions that do not take from its rarest input place are missed.
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
