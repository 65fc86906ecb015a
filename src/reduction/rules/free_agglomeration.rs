//! For reachability any producer that does nothing but feed p is put off until its token is used.
//!
//! ```text
//! # reachability over c
//! place a 1
//! place b 1
//! place p
//! place c
//! transition h: a -> p
//! transition k: a -> b
//! transition f: p + b -> c
//! # becomes
//! place a 1
//! place b 1
//! place c
//! transition k: a -> b
//! transition h.f: a + b -> c
//! ```
//!
//! # Conditions
//! Focus: a place p, and some transitions H that put to it. F are the transitions that take from p.
//! 1. p is not in S.
//! 2. Each h in H puts to nothing but p, and takes nothing from p.
//! 3. Each h puts w tokens to p and each f in F takes w from it.
//! 4. No h touches S.
//! 5. p and F go, if besides H nobody puts to p, and m₀(p) < w.
//!
//! # Preserves
//! R only: a producer that fires too early may be what leads to the deadlock.
//!
//! # Soundness
//! In a run of the net before, let each f take tokens of others, where w of them are there, and
//! else of one h; that is possible because all amounts but the others' are w (3). Leave out the
//! firings of h whose tokens nobody takes: that returns tokens, not on S by (4). Put off each other
//! h to right before its f: by (2) nobody else misses anything. If (5), nobody else feeds p, so the
//! tokens m₀(p) < w are of no use and no f fires by itself.
//!
//! # Back-translation
//! Merged transitions stand for h f.
//!
//! # Cost
//! The rows around p. |H|·|F| new transitions; the first variant wants |H| ≤ 1 or |F| ≤ 1 and that p
//! goes, the other one bounds the product. Where p stays, only original transitions are merged:
//! around a cycle that would never end.
//!
//! # Sources
//! Free agglomeration in Thierry-Mieg, *Structural reductions revisited*, 2020, with its partial form;
//! rule S of verifypn.

use super::{Limits, merged, puts_only_to};
use crate::net::{PlaceId, TransitionId};
use crate::reduction::change::{Edit, Proposal};
use crate::reduction::journal::Dirty;
use crate::reduction::needs::Preserve;
use crate::reduction::rule::{Context, Focus, Rule, Stage};
use crate::reduction::work::WorkNet;

pub(super) const NAME: &str = "free-agglomeration";
pub(super) const PRODUCT: &str = "free-agglomeration-product";

pub(super) struct FreeAgglomeration {
    /// Whether |H|, |F| > 1, or p stays.
    pub(super) product: bool,
    pub(super) limits: Limits,
}

impl Rule for FreeAgglomeration {
    fn name(&self) -> &'static str {
        if self.product { PRODUCT } else { NAME }
    }

    fn preserves(&self) -> Preserve {
        Preserve::REACHABILITY
    }

    fn stage(&self) -> Stage {
        if self.product { Stage::Product } else { Stage::Agglomeration }
    }

    fn conditions(&self) -> u8 {
        5
    }

    fn waits(&self) -> bool {
        true
    }

    fn find(&mut self, net: &WorkNet, dirty: &Dirty, foci: &mut Vec<Focus>) {
        for p in dirty.places_around(net) {
            let Some(first) = net.consumers(p).next() else { continue };
            if net.in_support(p) || net.producer_count(p) == 0 {
                continue;
            }
            let weight = net.pre_weight(first, p);
            let puts_off =
                |&h: &TransitionId| net.post_weight(h, p) == weight && feeds_only(net, h, p);
            let mut producers: Vec<_> = net.producers(p).filter(puts_off).collect();
            let all = producers.len() == net.producer_count(p) && net.tokens(p) < weight;
            if !all {
                producers.retain(|h| self.product && h.index() < net.original_transitions());
            }
            let consumers: Vec<_> = net.consumers(p).collect();
            let fits = if all {
                self.limits.allow(net, self.product, &producers, &consumers)
            } else {
                self.product && consumers.len() == 1
            };
            if fits && !producers.is_empty() {
                foci.push(Focus::around(p, producers));
            }
        }
    }

    fn check(&self, net: &Context<'_>, focus: &Focus) -> Option<Proposal> {
        let [p] = focus.places[..] else { return None };
        let producers = &focus.transitions;
        let consumers: Vec<_> = net.consumers(p).collect();
        let &first = consumers.first()?;
        let weight = net.pre_weight(first, p);
        net.require(1, !net.in_support(p))?;
        net.require(2, producers.iter().all(|&h| feeds_only(net, h, p)))?;
        let puts = |&h: &TransitionId| net.post_weight(h, p) == weight;
        let takes = |&f: &TransitionId| net.pre_weight(f, p) == weight;
        net.require(3, producers.iter().all(puts) && consumers.iter().all(takes))?;
        net.require(4, producers.iter().all(|&h| !net.touches_support(h)))?;
        let alone = producers.len() == net.producer_count(p) && net.tokens(p) < weight;
        let alone = net.grants(5, alone);
        let mut edits = Vec::new();
        for &h in producers {
            for &f in &consumers {
                edits.push(merged(net, h, f, 1)?);
            }
        }
        let mut gone = producers.clone();
        if alone {
            gone.extend(&consumers);
        }
        gone.sort_unstable();
        gone.dedup();
        edits.extend(gone.into_iter().map(Edit::RemoveTransition));
        if alone {
            edits.push(Edit::RemovePlace(p));
        }
        Some(Proposal::new(edits))
    }
}

/// Whether `h` puts to `p` only and takes nothing from it.
fn feeds_only(net: &WorkNet, h: TransitionId, p: PlaceId) -> bool {
    puts_only_to(net, h, p) && net.pre_weight(h, p) == 0
}

#[cfg(test)]
mod tests {
    use crate::reduction::example;

    #[test]
    fn the_example_of_the_header() {
        example::check(super::NAME, include_str!("free_agglomeration.rs"));
    }

    #[test]
    fn a_place_with_other_feeders_stays() {
        example::reduces(
            super::PRODUCT,
            "# reachability over c
             place a 1
             place p 1
             place c
             transition h: a -> p
             transition k: c -> p + a
             transition f: p + c -> c + c",
            "place a 1
             place p 1
             place c
             transition k: c -> a + p
             transition f: p + c -> 2*c
             transition h.f: a + c -> 2*c",
        );
    }
}
