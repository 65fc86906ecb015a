//! The search for candidates of [source
//! transitions](parikh_evidence::reduction::rules::source_transitions).
//!
//! # Back-translation
//! None.
//!
//! # Cost
//! Linear, once.

use crate::reduction::candidate;
use crate::reduction::journal::Dirty;
use crate::reduction::search::Search;
use parikh_evidence::reduction::{Candidate, WorkNet};

pub(super) struct SourceTransitions;

impl Search for SourceTransitions {
    fn find(&mut self, net: &WorkNet, dirty: &Dirty, candidates: &mut Vec<Candidate>) {
        let source = dirty.transitions.iter().find(|&&t| net.pre(t).is_empty());
        let done = |t| net.transition_count() == 1 && net.post(t).is_empty();
        candidates.extend(source.filter(|&&t| !done(t)).map(|&t| candidate::transitions([t])));
    }
}
