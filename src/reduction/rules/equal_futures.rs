//! Two places whose tokens have the same future are one place.
//!
//! ```text
//! # reachability over x
//! place a 1
//! place p
//! place q
//! place r 1
//! place x
//! transition left: a -> p
//! transition right: a -> q
//! transition f: p + r -> x + p
//! transition g: q + r -> x + p
//! # becomes
//! place a 1
//! place p
//! place r 1
//! place x
//! transition left: a -> p
//! transition right: a -> p
//! transition f: p + r -> x + p
//! transition g: p + r -> x + p
//! ```
//!
//! # Conditions
//! Focus: two places p and q.
//! 1. Neither is in S.
//! 2. Every transition that takes from p or q takes one token from p and q together.
//! 3. Every transition that takes from p has a twin that takes from q, and vice versa: equal but for
//!    p and q, on which both put the same number together.
//!
//! # Preserves
//! R, D, L.
//!
//! # Soundness
//! Call markings equal when they agree but for the tokens on p and q, and agree on their sum. Where
//! t fires, t or its twin fires in every equal marking, by (2), and leads to an equal
//! marking by (3). So equal markings have the same future up to twins, which S does not tell apart;
//! protected transitions have no twins, as they alone change their virtual places.
//!
//! # Back-translation
//! A router chooses between t and its twin by where the tokens are.
//!
//! # Cost
//! A hash over the consumers of a changed place, at most [`MOST`] of them.
//!
//! # Sources
//! *Future equivalent places* in Thierry-Mieg, *Structural reductions revisited*, 2020. ITS-Tools has
//! to switch it off for liveness, where its transitions lose their names; the weight 1 of (2) is
//! not spelled out there.

use crate::net::{Arc, PlaceId, TransitionId};
use crate::reduction::back::Routing;
use crate::reduction::buckets::Buckets;
use crate::reduction::change::{Edit, Proposal};
use crate::reduction::compose::{row_hash, scrambled};
use crate::reduction::journal::Dirty;
use crate::reduction::needs::Preserve;
use crate::reduction::rule::{Context, Focus, Rule, Stage};
use crate::reduction::work::WorkNet;

pub(super) const NAME: &str = "equal-futures";

/// Places with more consumers are left alone.
const MOST: usize = 16;

/// The most places of one signature that a changed one is compared with.
const MOST_ALIKE: usize = 8;

#[derive(Default)]
pub(super) struct EqualFutures {
    by_signature: Buckets,
}

impl Rule for EqualFutures {
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

    fn waits(&self) -> bool {
        // Twins of a place fused in this batch still have the other name for it.
        true
    }

    fn forget(&mut self) {
        *self = EqualFutures::default();
    }

    fn find(&mut self, net: &WorkNet, dirty: &Dirty, foci: &mut Vec<Focus>) {
        for p in dirty.places_around(net) {
            let consumers = net.consumer_count(p);
            if net.in_support(p) || consumers == 0 || consumers > MOST {
                continue;
            }
            let signature = signature(net, p);
            let other = |id: usize| id != p.index() && net.has_place(PlaceId::new(id));
            let others = self.by_signature.of(signature, MOST_ALIKE, other);
            let others = others.into_iter().map(PlaceId::new);
            foci.extend(others.map(|q| Focus::places([q.min(p), q.max(p)])));
            self.by_signature.insert(signature, p.index());
        }
    }

    fn check(&self, net: &Context<'_>, focus: &Focus) -> Option<Proposal> {
        let [p, q] = focus.places[..] else { return None };
        if p == q {
            return None;
        }
        net.require(1, !net.in_support(p) && !net.in_support(q))?;
        let taken =
            |t: TransitionId| u128::from(net.pre_weight(t, p)) + u128::from(net.pre_weight(t, q));
        net.require(2, net.consumers(p).chain(net.consumers(q)).all(|t| taken(t) == 1))?;
        let twins = |t, others: &mut dyn Iterator<Item = TransitionId>| -> Vec<TransitionId> {
            others.filter(|&u| are_twins(net, t, u, p, q)).collect()
        };
        let mut classes = Vec::new();
        for t in net.consumers(p) {
            let of_q = twins(t, &mut net.consumers(q));
            net.require(3, !of_q.is_empty())?;
            classes.push(std::iter::once(t).chain(of_q).collect());
        }
        for t in net.consumers(q) {
            net.require(3, !twins(t, &mut net.consumers(p)).is_empty())?;
        }
        Some(Proposal::of(Edit::Fuse(vec![p, q], Routing::Twins(classes))))
    }
}

/// Whether `t` and `u` are equal but for `p` and `q`, and put the same number to both together.
fn are_twins(net: &WorkNet, t: TransitionId, u: TransitionId, p: PlaceId, q: PlaceId) -> bool {
    let rest = |row| others(row, p, q);
    let put = |t| u128::from(net.post_weight(t, p)) + u128::from(net.post_weight(t, q));
    rest(net.pre(t)).eq(rest(net.pre(u)))
        && rest(net.post(t)).eq(rest(net.post(u)))
        && put(t) == put(u)
}

/// The arcs of a row but for those at `p` and `q`.
fn others(row: &[Arc], p: PlaceId, q: PlaceId) -> impl Iterator<Item = &Arc> {
    row.iter().filter(move |arc| arc.place != p && arc.place != q)
}

/// Equal for places with equal futures, unless one has doubles among its consumers.
fn signature(net: &WorkNet, p: PlaceId) -> u64 {
    net.consumers(p).fold(0, |sum, t| {
        let rest: Vec<Arc> = others(net.pre(t), p, p).copied().collect();
        // Twins put their tokens to p or q as they like: only how many counts.
        let put = net.post(t).iter().fold(0u64, |sum, arc| sum.wrapping_add(arc.weight));
        sum.wrapping_add(scrambled(row_hash(&rest) ^ scrambled(put)))
    })
}

#[cfg(test)]
mod tests {
    use crate::reduction::example;

    #[test]
    fn the_example_of_the_header() {
        example::check(super::NAME, include_str!("equal_futures.rs"));
    }

    #[test]
    fn a_consumer_of_two_tokens_tells_the_places_apart() {
        let net = "# reachability over x
             place p 1
             place q 1
             place x
             transition f: 2*p -> x
             transition g: 2*q -> x";
        example::reduces(super::NAME, net, net);
    }
}
