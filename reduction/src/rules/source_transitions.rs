//! The search for candidates of [source
//! transitions](parikh_evidence::reduction::rules::source_transitions).
//!
//! # Back-translation
//! None.
//!
//! # Cost
//! Linear in the changed transitions.

use crate::candidate;
use crate::journal::ChangedNodes;
use crate::search::CandidateSearch;
use parikh_evidence::reduction::{Candidate, WorkNet};

/// The search for a transition without inputs. It proposes the first changed one, unless the net
/// consists of this transition alone and the transition has no outputs.
pub(super) struct SourceTransitions;

impl CandidateSearch for SourceTransitions {
    fn find(&mut self, net: &WorkNet, dirty: &ChangedNodes, candidates: &mut Vec<Candidate>) {
        let source = dirty.transitions.iter().find(|&&t| net.pre(t).is_empty());
        let is_reduced = |t| net.transition_count() == 1 && net.post(t).is_empty();
        candidates
            .extend(source.filter(|&&t| !is_reduced(t)).map(|&t| candidate::transitions([t])));
    }
}
