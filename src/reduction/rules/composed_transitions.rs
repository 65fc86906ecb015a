//! A transition goes when two others, one after the other, do the same and need no more.
//!
//! ```text
//! # deadlock
//! place p 1
//! place q
//! place r
//! transition a: p -> q
//! transition b: q -> r
//! transition c: p -> r
//! # becomes
//! place p 1
//! place q
//! place r
//! transition a: p -> q
//! transition b: q -> r
//! ```
//!
//! # Conditions
//! Focus: transitions a, b and t; t goes.
//! 1. t is neither a nor b.
//! 2. Δ(t,p) = Δ(a,p) + Δ(b,p) for every place p.
//! 3. The sequence a b can fire wherever t can.
//!
//! # Preserves
//! R, D, L, and every reachable marking.
//!
//! # Soundness
//! Where t fires, a b leads to the same marking; where t is enabled, a is. By (1) both stay; each
//! application is checked on the net without those removed before, so two transitions cannot remove
//! each other.
//!
//! # Back-translation
//! None.
//!
//! # Cost
//! For a changed transition, the neighbours in its inputs, each with one look into a hash table:
//! hashes of effects add up.
//!
//! # Sources
//! *Redundant compositions* in LoLA 2 and ITS-Tools; Thierry-Mieg, *Structural reductions
//! revisited*, 2020. ITS-Tools once removed both of a = b·c and b = a·d.

use crate::net::TransitionId;
use crate::reduction::buckets::Buckets;
use crate::reduction::change::{Edit, Proposal};
use crate::reduction::compose::{Composite, effect_hash};
use crate::reduction::journal::Dirty;
use crate::reduction::needs::Preserve;
use crate::reduction::rule::{Context, Focus, Rule, Stage};
use crate::reduction::work::WorkNet;

pub(super) const NAME: &str = "composed-transitions";

/// The most consumers of an input that are tried as the first of two.
const MOST: usize = 24;

/// The most transitions of one effect that are tried as the second of two.
const MOST_ALIKE: usize = 4;

#[derive(Default)]
pub(super) struct ComposedTransitions {
    by_effect: Buckets,
}

impl Rule for ComposedTransitions {
    fn name(&self) -> &'static str {
        NAME
    }

    fn preserves(&self) -> Preserve {
        Preserve::REACHABILITY.and(Preserve::DEADLOCK).and(Preserve::LIVENESS)
    }

    fn stage(&self) -> Stage {
        Stage::Product
    }

    fn conditions(&self) -> u8 {
        3
    }

    fn is_lossless(&self) -> bool {
        true
    }

    fn repeats(&self) -> bool {
        // a and b may be the same.
        true
    }

    fn forget(&mut self) {
        *self = ComposedTransitions::default();
    }

    fn learn(&mut self, net: &WorkNet, dirty: &Dirty) {
        for &t in &dirty.transitions {
            self.by_effect.insert(effect_hash(net.changes(t)), t.index());
        }
    }

    fn find(&mut self, net: &WorkNet, dirty: &Dirty, foci: &mut Vec<Focus>) {
        let hash = |t| effect_hash(net.changes(t));
        let mut pair = |first: TransitionId, whole: TransitionId| {
            let second = hash(whole).wrapping_sub(hash(first));
            let alive = |id: usize| net.has_transition(TransitionId::new(id));
            let seconds = self.by_effect.of(second, MOST_ALIKE, alive);
            let seconds = seconds.into_iter().map(TransitionId::new);
            foci.extend(seconds.map(|second| Focus::transitions([first, second, whole])));
        };
        for &t in &dirty.transitions {
            for arc in net.pre(t) {
                if net.consumer_count(arc.place) <= MOST {
                    for u in net.consumers(arc.place).filter(|&u| u != t) {
                        pair(u, t);
                        pair(t, u);
                    }
                }
            }
        }
    }

    fn check(&self, net: &Context<'_>, focus: &Focus) -> Option<Proposal> {
        let [a, b, t] = focus.transitions[..] else { return None };
        net.require(1, t != a && t != b)?;
        let both = Composite::of(net, a).then(&Composite::of(net, b))?;
        net.require(2, both.changes().eq(net.changes(t)))?;
        net.require(3, both.fires_with(net, t))?;
        Some(Proposal::of(Edit::RemoveTransition(t)))
    }
}

#[cfg(test)]
mod tests {
    use crate::reduction::example;

    #[test]
    fn the_example_of_the_header() {
        example::check(super::NAME, include_str!("composed_transitions.rs"));
    }

    #[test]
    fn two_transitions_do_not_remove_each_other() {
        example::reduces(
            super::NAME,
            "# deadlock
             place p 1
             place q
             transition a: p -> q
             transition b: p -> q
             transition c: p -> p
             transition d: q -> q",
            "place p 1
             place q
             transition b: p -> q
             transition c: p -> p
             transition d: q -> q",
        );
    }
}
