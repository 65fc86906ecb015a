//! Reading tokens that are always there is not needed.
//!
//! ```text
//! # reachability over q
//! place p 3
//! place q
//! transition a: 2*p -> 4*p + q
//! transition b: 5*p -> 2*p
//! # becomes
//! place p 3
//! place q
//! transition a: -> 2*p + q
//! transition b: 5*p -> 2*p
//! ```
//!
//! # Conditions
//! Focus: a place p. Let low be the least of m₀(p) and of post(u,p) over all u that take more from
//! p than they put.
//! 1. pre(t,p) ≤ low for each transition t whose arc p → t is dropped; post(t,p) falls by as much.
//!
//! # Preserves
//! R, D, L, and every reachable marking.
//!
//! # Soundness
//! p never holds fewer than low: it starts with no fewer, and whoever lowers it leaves post(u,p)
//! at least. So by (1) the arc blocks nobody. No such t lowers p, as then pre(t,p) > post(t,p) ≥ low:
//! so what is left of the two arcs is one t → p of the same effect.
//!
//! # Back-translation
//! None.
//!
//! # Cost
//! The arcs of p whenever one of them changed.
//!
//! # Sources
//! Rules N and F of verifypn; Bønneland et al., *Stubborn versus structural reductions for Petri
//! nets*, JLAMP 102, 2019.

use crate::reduction::change::{Edit, Proposal};
use crate::reduction::journal::Dirty;
use crate::reduction::needs::Preserve;
use crate::reduction::rule::{Context, Focus, Rule, Stage};
use crate::reduction::work::WorkNet;

pub(super) const NAME: &str = "redundant-arcs";

pub(super) struct RedundantArcs;

impl Rule for RedundantArcs {
    fn name(&self) -> &'static str {
        NAME
    }

    fn preserves(&self) -> Preserve {
        Preserve::REACHABILITY.and(Preserve::DEADLOCK).and(Preserve::LIVENESS)
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
        let may =
            |p: &_| net.tokens(*p) > 0 && net.consumer_count(*p) > 0 && net.producer_count(*p) > 0;
        foci.extend(dirty.places_around(net).into_iter().filter(may).map(Focus::place));
    }

    fn check(&self, net: &Context<'_>, focus: &Focus) -> Option<Proposal> {
        let p = focus.as_place()?;
        let mut low = net.tokens(p);
        for u in net.consumers(p) {
            let (taken, put) = (net.pre_weight(u, p), net.post_weight(u, p));
            if taken > put {
                low = low.min(put);
            }
        }
        let mut arcs = Vec::new();
        for t in net.consumers(p) {
            let (taken, put) = (net.pre_weight(t, p), net.post_weight(t, p));
            if net.grants(1, taken <= low) {
                arcs.push((t, 0, put.saturating_sub(taken)));
            }
        }
        (!arcs.is_empty()).then(|| Proposal::of(Edit::SetArcs(p, arcs)))
    }
}

#[cfg(test)]
mod tests {
    use crate::reduction::example;

    #[test]
    fn the_example_of_the_header() {
        example::check(super::NAME, include_str!("redundant_arcs.rs"));
    }
}
