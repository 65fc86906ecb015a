//! A place that is never the scarcer of two goes.
//!
//! ```text
//! # deadlock
//! place p 1
//! place slow 1
//! place fast 3
//! place q
//! transition a: p -> slow + 2*fast + q
//! transition b: slow + 2*fast -> p
//! transition c: fast ->
//! transition d: slow -> fast
//! # becomes
//! place p 1
//! place slow 1
//! place fast 3
//! place q
//! transition a: p -> slow + 2*fast + q
//! transition b: slow + 2*fast -> p
//! transition c: fast ->
//! transition d: slow -> fast
//! ```
//!
//! Nothing here: c takes from fast alone. Without c, fast would be at least twice slow and go.
//!
//! # Conditions
//! Focus: two places kept ≠ p; p goes.
//! 1. p is not in S.
//! 2. Every transition that takes from p takes from kept.
//!
//! Let d be the largest pre(t,p) / pre(t,kept) over the transitions t that take from p. Then
//!
//! 3. post(t,p) ≥ d·post(t,kept) for every t, and
//! 4. m₀(p) ≥ d·m₀(kept).
//!
//! # Preserves
//! R, D, L, and every reachable marking of the other places.
//!
//! # Soundness
//! m(p) ≥ d·m(kept) holds initially by (4) and stays so: a firing of t lowers d·m(kept) by
//! d·pre(t,kept) ≥ pre(t,p) by (2) and the choice of d, and raises it by no more than m(p) by (3).
//! Hence where kept holds pre(t,kept), p holds d·pre(t,kept) ≥ pre(t,p): p never blocks alone.
//!
//! # Back-translation
//! None.
//!
//! # Cost
//! For a changed place, the other inputs of one of its consumers; each comparison reads both rows.
//!
//! # Sources
//! Rule C of verifypn; Berthelot, *Checking properties of nets using transformations*, APN 1985. The
//! duplicate places of ITS-Tools are the case d = 1 with equal rows.

use crate::net::{PlaceId, TransitionId};
use crate::reduction::change::{Edit, Proposal};
use crate::reduction::journal::Dirty;
use crate::reduction::needs::Preserve;
use crate::reduction::rule::{Context, Focus, Rule, Stage};
use crate::reduction::work::WorkNet;

pub(super) const NAME: &str = "parallel-places";

/// A place with more consumers is not tried as the one that stays when it changes.
const MOST: usize = 16;

pub(super) struct ParallelPlaces;

impl Rule for ParallelPlaces {
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
        4
    }

    fn is_lossless(&self) -> bool {
        true
    }

    fn find(&mut self, net: &WorkNet, dirty: &Dirty, foci: &mut Vec<Focus>) {
        let mut consider = |kept: PlaceId, p: PlaceId| {
            let may = kept != p
                && !net.in_support(p)
                && net.consumer_count(p) <= net.consumer_count(kept)
                && net.producer_count(kept) <= net.producer_count(p);
            if may {
                foci.push(Focus::places([kept, p]));
            }
        };
        for p in dirty.places_around(net) {
            let narrow = net.consumers(p).take(MOST).min_by_key(|&t| net.pre(t).len());
            let Some(narrow) = narrow else { continue };
            net.pre(narrow).iter().for_each(|arc| consider(arc.place, p));
            if net.consumer_count(p) <= MOST {
                let mut others: Vec<PlaceId> =
                    net.consumers(p).flat_map(|t| net.pre(t)).map(|arc| arc.place).collect();
                others.sort_unstable();
                others.dedup();
                others.into_iter().for_each(|other| consider(p, other));
            }
        }
    }

    fn check(&self, net: &Context<'_>, focus: &Focus) -> Option<Proposal> {
        let [kept, p] = focus.places[..] else { return None };
        if kept == p {
            return None;
        }
        net.require(1, !net.in_support(p))?;
        let pair = |t: TransitionId| (net.pre_weight(t, p), net.pre_weight(t, kept));
        // The fraction d as (numerator, denominator).
        let mut d: Option<(u64, u64)> = None;
        for t in net.consumers(p) {
            let (mine, theirs) = pair(t);
            net.require(2, theirs > 0)?;
            if theirs > 0 && d.is_none_or(|d| product(mine, d.1) > product(d.0, theirs)) {
                d = Some((mine, theirs));
            }
        }
        let (numerator, denominator) = d?;
        let enough =
            |mine: u64, theirs: u64| product(mine, denominator) >= product(theirs, numerator);
        let fed = |t| enough(net.post_weight(t, p), net.post_weight(t, kept));
        net.require(3, net.producers(kept).all(fed))?;
        net.require(4, enough(net.tokens(p), net.tokens(kept)))?;
        Some(Proposal::of(Edit::RemovePlace(p)))
    }
}

fn product(a: u64, b: u64) -> u128 {
    u128::from(a) * u128::from(b)
}

#[cfg(test)]
mod tests {
    use crate::reduction::example;

    #[test]
    fn the_example_of_the_header() {
        example::check(super::NAME, include_str!("parallel_places.rs"));
    }

    #[test]
    fn the_place_with_more_tokens_goes() {
        example::reduces(
            super::NAME,
            "# deadlock
             place p 1
             place q 2
             place r
             transition a: p + q -> r
             transition b: r -> p + q",
            "place p 1
             place r
             transition a: p -> r
             transition b: r -> p",
        );
    }

    #[test]
    fn the_ratio_of_the_hungriest_consumer_counts() {
        let net = "# deadlock
             place p 1
             place q 2
             transition a: p + 2*q -> p + q
             transition b: p + q -> p + 2*q
             transition c: p -> p + q";
        let result = "place p 1
             transition a: p -> p
             transition b: p -> p
             transition c: p -> p";
        // post(a,q) = 1 < 2·post(a,p).
        example::reduces(super::NAME, net, net);
        let fed = net.replace("-> p + q\n             transition b", "-> p + 2*q\n transition b");
        let fed = fed.replace("transition c: p -> p + q", "transition c: p -> p + 2*q");
        example::reduces(super::NAME, &fed, result);
    }
}
