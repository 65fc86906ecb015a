//! A transition that changes nothing goes.
//!
//! ```text
//! # reachability over p
//! place p 1
//! place q
//! transition a: p -> q
//! transition b: p + q -> p + q
//! # becomes
//! place p 1
//! place q
//! transition a: p -> q
//! ```
//!
//! # Conditions
//! Focus: a transition t.
//! 1. pre(t,p) = post(t,p) for every place p.
//!
//! # Preserves
//! R, L, and every reachable marking. Not D: t may be all that keeps a marking from being dead.
//!
//! # Soundness
//! Firing t leads nowhere new. A protected transition changes its virtual place, so t is none.
//!
//! # Back-translation
//! None.
//!
//! # Cost
//! The arcs of each transition that changed.
//!
//! # Sources
//! Berthelot, *Checking properties of nets using transformations*, APN 1985; rule G of verifypn.

use crate::reduction::change::{Edit, Proposal};
use crate::reduction::journal::Dirty;
use crate::reduction::needs::Preserve;
use crate::reduction::rule::{Context, Focus, Rule, Stage};
use crate::reduction::work::WorkNet;

pub(super) const NAME: &str = "neutral-transitions";

pub(super) struct NeutralTransitions;

impl Rule for NeutralTransitions {
    fn name(&self) -> &'static str {
        NAME
    }

    fn preserves(&self) -> Preserve {
        Preserve::REACHABILITY.and(Preserve::LIVENESS)
    }

    fn stage(&self) -> Stage {
        Stage::Cheap
    }

    fn conditions(&self) -> u8 {
        1
    }

    fn is_lossless(&self) -> bool {
        true
    }

    fn find(&mut self, net: &WorkNet, dirty: &Dirty, foci: &mut Vec<Focus>) {
        let may = |t: &&_| net.pre(**t).len() == net.post(**t).len();
        foci.extend(dirty.transitions.iter().filter(may).map(|&t| Focus::transitions([t])));
    }

    fn check(&self, net: &Context<'_>, focus: &Focus) -> Option<Proposal> {
        let [t] = focus.transitions[..] else { return None };
        net.require(1, net.changes(t).next().is_none())?;
        Some(Proposal::of(Edit::RemoveTransition(t)))
    }
}

#[cfg(test)]
mod tests {
    use crate::reduction::example;

    #[test]
    fn the_example_of_the_header() {
        example::check(super::NAME, include_str!("neutral_transitions.rs"));
    }
}
