//! With a transition that is always enabled there is no deadlock, and nothing else matters.
//!
//! ```text
//! # deadlock
//! place p 1
//! place q
//! transition a: -> p
//! transition b: p -> q
//! # becomes
//! transition a: ->
//! ```
//!
//! # Conditions
//! Focus: a transition t.
//! 1. t takes nothing.
//!
//! # Preserves
//! D only.
//!
//! # Soundness
//! By (1) t is enabled in every marking: neither net has a dead marking, whatever else is removed.
//!
//! # Back-translation
//! None.
//!
//! # Cost
//! Linear, once.
//!
//! # Sources
//! Thierry-Mieg, *Structural reductions revisited*, Petri Nets 2020. There it has to precede the
//! prefix of interest, which would take this net for one that deadlocks.

use crate::reduction::change::{Edit, Proposal};
use crate::reduction::journal::Dirty;
use crate::reduction::needs::Preserve;
use crate::reduction::rule::{Context, Focus, Rule, Stage};
use crate::reduction::work::WorkNet;

pub(super) const NAME: &str = "source-transitions";

pub(super) struct SourceTransitions;

impl Rule for SourceTransitions {
    fn name(&self) -> &'static str {
        NAME
    }

    fn preserves(&self) -> Preserve {
        Preserve::DEADLOCK
    }

    fn stage(&self) -> Stage {
        Stage::Global
    }

    fn conditions(&self) -> u8 {
        1
    }

    fn find(&mut self, net: &WorkNet, dirty: &Dirty, foci: &mut Vec<Focus>) {
        let source = dirty.transitions.iter().find(|&&t| net.pre(t).is_empty());
        let done = |t| net.transition_count() == 1 && net.post(t).is_empty();
        foci.extend(source.filter(|&&t| !done(t)).map(|&t| Focus::transitions([t])));
    }

    fn check(&self, net: &Context<'_>, focus: &Focus) -> Option<Proposal> {
        let [t] = focus.transitions[..] else { return None };
        net.require(1, net.pre(t).is_empty())?;
        let others = net.transitions().filter(|&other| other != t).map(Edit::RemoveTransition);
        let arcs = net.arcs(t).map(|(p, ..)| Edit::SetArcs(p, vec![(t, 0, 0)]));
        let places = net.places().filter(|&p| !net.in_support(p)).map(Edit::RemovePlace);
        Some(Proposal::new(others.chain(arcs).chain(places).collect()))
    }
}

#[cfg(test)]
mod tests {
    use crate::reduction::example;

    #[test]
    fn the_example_of_the_header() {
        example::check(super::NAME, include_str!("source_transitions.rs"));
    }
}
