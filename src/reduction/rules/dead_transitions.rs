//! Transitions that can never fire go, all at once.
//!
//! ```text
//! # reachability over r
//! place p 1
//! place q
//! place r
//! place s 1
//! transition a: p + q -> r
//! transition b: r -> q
//! transition c: p + 3*s -> p
//! transition d: p -> s
//! # becomes
//! place p 1
//! place q
//! place r
//! place s 1
//! transition c: p + 3*s -> p
//! transition d: p -> s
//! ```
//!
//! Here q and r feed each other only: an unmarked siphon. (That c is dead as well is beyond counting place by place: s can grow.)
//!
//! # Conditions
//! Focus: a set D of transitions. For each t in D there is a place p with
//! 1. m₀(p) < pre(t,p), and
//! 2. no transition outside D puts more to p than it takes.
//!
//! # Preserves
//! R, D, L, and every reachable marking.
//!
//! # Soundness
//! Take the first firing of a transition of D in any run. Until then only transitions outside D
//! fired, so by (2) p holds at most m₀(p), too few by (1). The largest such D is the complement of a
//! least fixpoint: assume that a place that something assumed to fire increases holds any number of
//! tokens. It includes all transitions around initially unmarked siphons.
//!
//! # Back-translation
//! None: sequences stay as they are.
//!
//! # Cost
//! Linear in the net; once per round.
//!
//! # Sources
//! Rules E and M of verifypn: Bønneland, Dyhr, Jensen, Johannsen, Srba, *Stubborn versus structural
//! reductions for Petri nets*, JLAMP 102, 2019. Siphons: Thierry-Mieg, *Structural reductions
//! revisited*, Petri Nets 2020.

use crate::net::{PlaceId, TransitionId};
use crate::reduction::change::{Edit, Proposal};
use crate::reduction::journal::Dirty;
use crate::reduction::needs::Preserve;
use crate::reduction::rule::{Context, Focus, Rule, Stage};
use crate::reduction::work::WorkNet;

pub(super) const NAME: &str = "dead-transitions";

pub(super) struct DeadTransitions;

impl Rule for DeadTransitions {
    fn name(&self) -> &'static str {
        NAME
    }

    fn preserves(&self) -> Preserve {
        Preserve::REACHABILITY.and(Preserve::DEADLOCK).and(Preserve::LIVENESS)
    }

    fn stage(&self) -> Stage {
        Stage::Global
    }

    fn conditions(&self) -> u8 {
        2
    }

    fn is_lossless(&self) -> bool {
        true
    }

    fn find(&mut self, net: &WorkNet, _: &Dirty, foci: &mut Vec<Focus>) {
        let fires = may_fire(net);
        let dead: Vec<_> = net.transitions().filter(|t| !fires[t.index()]).collect();
        if !dead.is_empty() {
            foci.push(Focus::transitions(dead));
        }
    }

    fn check(&self, net: &Context<'_>, focus: &Focus) -> Option<Proposal> {
        let mut is_dead = vec![false; net.transition_ids()];
        focus.transitions.iter().for_each(|t| is_dead[t.index()] = true);
        // One answer per place, whoever asks: places with many transitions are asked for often.
        let mut fed: Vec<Option<bool>> = vec![None; net.place_ids()];
        for &t in &focus.transitions {
            let blocks = net.pre(t).iter().any(|arc| {
                let p = arc.place;
                let grows = |u: TransitionId| !is_dead[u.index()] && net.effect(u, p) > 0;
                net.grants(1, net.tokens(p) < arc.weight)
                    && net.grants(
                        2,
                        !*fed[p.index()].get_or_insert_with(|| net.producers(p).any(grows)),
                    )
            });
            if !blocks {
                return None;
            }
        }
        Some(Proposal::new(focus.transitions.iter().map(|&t| Edit::RemoveDead(t)).collect()))
    }
}

/// The least fixpoint: which transitions fire when a place that can grow holds any number.
fn may_fire(net: &WorkNet) -> Vec<bool> {
    let mut fires = vec![false; net.transition_ids()];
    let mut grows = vec![false; net.place_ids()];
    // Inputs still in the way of each transition.
    let mut missing: Vec<u32> = vec![0; net.transition_ids()];
    let mut ready: Vec<TransitionId> = Vec::new();
    for t in net.transitions() {
        let lacks = net.pre(t).iter().filter(|arc| net.tokens(arc.place) < arc.weight).count();
        missing[t.index()] = lacks as u32;
        if lacks == 0 {
            ready.push(t);
        }
    }
    while let Some(t) = ready.pop() {
        fires[t.index()] = true;
        let new: Vec<PlaceId> = net
            .changes(t)
            .filter(|&(p, change)| change > 0 && !grows[p.index()])
            .map(|(p, _)| p)
            .collect();
        for p in new {
            grows[p.index()] = true;
            for u in net.consumers(p).filter(|&u| net.tokens(p) < net.pre_weight(u, p)) {
                missing[u.index()] -= 1;
                if missing[u.index()] == 0 {
                    ready.push(u);
                }
            }
        }
    }
    fires
}

#[cfg(test)]
mod tests {
    use crate::reduction::example;

    #[test]
    fn the_example_of_the_header() {
        example::check(super::NAME, include_str!("dead_transitions.rs"));
    }

    #[test]
    fn a_place_that_only_dead_transitions_feed_does_not_grow() {
        example::reduces(
            super::NAME,
            "# deadlock
             place p
             place q 1
             transition a: p -> p + q
             transition b: 2*q -> p
             transition c: q -> q",
            "place p
             place q 1
             transition c: q -> q",
        );
    }
}
