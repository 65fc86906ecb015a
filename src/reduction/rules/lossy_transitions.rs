//! A transition that only loses tokens nobody asks for goes.
//!
//! ```text
//! # reachability over q
//! place p 1
//! place q
//! place r
//! transition a: p -> q + r
//! transition b: q + 2*r -> q + r
//! # becomes
//! place p 1
//! place q
//! place r
//! transition a: p -> q + r
//! ```
//!
//! # Conditions
//! Focus: a transition t.
//! 1. post(t,p) ≤ pre(t,p) for every place p.
//! 2. t does not touch S.
//!
//! # Preserves
//! R only. Not D, nor L: fewer tokens may mean a deadlock.
//!
//! # Soundness
//! Leave all firings of t out of a run. The markings on the way have no fewer tokens than before
//! by (1), so all else still fires; on S they are the same by (2). The other direction is trivial.
//!
//! # Back-translation
//! None.
//!
//! # Cost
//! The arcs of each transition that changed.
//!
//! # Sources
//! Rule G of verifypn; sink transitions in Thierry-Mieg, *Structural reductions revisited*, 2020.

use crate::reduction::change::{Edit, Proposal};
use crate::reduction::journal::Dirty;
use crate::reduction::needs::Preserve;
use crate::reduction::rule::{Context, Focus, Rule, Stage};
use crate::reduction::work::WorkNet;

pub(super) const NAME: &str = "lossy-transitions";

pub(super) struct LossyTransitions;

impl Rule for LossyTransitions {
    fn name(&self) -> &'static str {
        NAME
    }

    fn preserves(&self) -> Preserve {
        Preserve::REACHABILITY
    }

    fn stage(&self) -> Stage {
        Stage::Cheap
    }

    fn conditions(&self) -> u8 {
        2
    }

    fn find(&mut self, net: &WorkNet, dirty: &Dirty, foci: &mut Vec<Focus>) {
        let may = |t: &&_| net.post(**t).len() <= net.pre(**t).len();
        foci.extend(dirty.transitions.iter().filter(may).map(|&t| Focus::transitions([t])));
    }

    fn check(&self, net: &Context<'_>, focus: &Focus) -> Option<Proposal> {
        let [t] = focus.transitions[..] else { return None };
        net.require(1, net.changes(t).all(|(_, change)| change <= 0))?;
        net.require(2, !net.touches_support(t))?;
        Some(Proposal::of(Edit::RemoveTransition(t)))
    }
}

#[cfg(test)]
mod tests {
    use crate::reduction::example;

    #[test]
    fn the_example_of_the_header() {
        example::check(super::NAME, include_str!("lossy_transitions.rs"));
    }
}
