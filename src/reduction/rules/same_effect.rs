//! A transition goes when repeating another one does the same and needs no more.
//!
//! ```text
//! # deadlock
//! place p 4
//! place q 1
//! place r
//! transition a: p -> r
//! transition b: p + q -> r + q
//! transition c: 3*p -> 3*r
//! transition d: p -> r
//! # becomes
//! place p 4
//! place q 1
//! place r
//! transition a: p -> r
//! ```
//!
//! # Conditions
//! Focus: two transitions t and u; u goes. There is a k ≥ 1 with
//! 1. Δ(u,p) = k·Δ(t,p) for every place p, and
//! 2. the sequence tᵏ can fire wherever u can: for every p, pre(u,p) ≥ pre(t,p) + (k−1)·lost, where
//!    lost is what t loses on p, if any.
//!
//! # Preserves
//! R, D, L, and every reachable marking.
//!
//! # Soundness
//! Where u fires, tᵏ fires and leads to the same marking; where u is enabled, t is, so no marking
//! becomes dead. t stays, as u ≠ t is removed one at a time. A protected u changes its virtual
//! place, and so does t then.
//!
//! # Back-translation
//! None: runs of the reduced net are runs of the net before.
//!
//! # Cost
//! A hash of the effect, divided by its gcd, per changed transition; comparisons with at most
//! [`MOST`] others of the same hash, besides exact doubles.
//!
//! # Sources
//! Rules D and L of verifypn and *dominated transitions* of Thierry-Mieg, *Structural reductions
//! revisited*, 2020. Neither allows k > 1 together with a larger preset.

use crate::net::{PlaceId, TransitionId};
use crate::reduction::buckets::Buckets;
use crate::reduction::change::{Edit, Proposal};
use crate::reduction::compose::{Composite, effect_hash, row_hash, scrambled};
use crate::reduction::journal::Dirty;
use crate::reduction::needs::Preserve;
use crate::reduction::rule::{Context, Focus, Rule, Stage};
use crate::reduction::work::WorkNet;

pub(super) const NAME: &str = "same-effect";

/// The most transitions of one effect that a new one is compared with.
const MOST: usize = 48;

#[derive(Default)]
pub(super) struct SameEffect {
    by_effect: Buckets,
    by_rows: Buckets,
}

impl Rule for SameEffect {
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
        2
    }

    fn is_lossless(&self) -> bool {
        true
    }

    fn forget(&mut self) {
        *self = SameEffect::default();
    }

    fn find(&mut self, net: &WorkNet, dirty: &Dirty, foci: &mut Vec<Focus>) {
        for &t in &dirty.transitions {
            let mut pair = |kept, goes| foci.push(Focus::transitions([kept, goes]));
            let other = |id: usize| id != t.index() && net.has_transition(TransitionId::new(id));
            let rows = row_hash(net.pre(t)).wrapping_mul(31).wrapping_add(row_hash(net.post(t)));
            if let [twin] = self.by_rows.of(rows, 1, other)[..] {
                pair(TransitionId::new(twin), t);
            }
            self.by_rows.insert(rows, t.index());
            let effect = direction_hash(net, t);
            let mine = places_mask(net, t);
            for u in self.by_effect.of(effect, MOST, other).into_iter().map(TransitionId::new) {
                let theirs = places_mask(net, u);
                if theirs & !mine == 0 {
                    pair(u, t);
                }
                if mine & !theirs == 0 {
                    pair(t, u);
                }
            }
            self.by_effect.insert(effect, t.index());
        }
    }

    fn check(&self, net: &Context<'_>, focus: &Focus) -> Option<Proposal> {
        let [t, u] = focus.transitions[..] else { return None };
        let times = match (net.changes(t).next(), net.changes(u).next()) {
            (Some((_, one)), Some((_, many))) => many.checked_div(one).filter(|&k| k >= 1),
            _ => None,
        };
        // A k that does not fit fails (1).
        let times = times.map_or(1, i64::unsigned_abs);
        let repeated = Composite::of(net, t).repeated(times)?;
        net.require(1, t != u && repeated.changes().eq(net.changes(u)))?;
        net.require(2, repeated.fires_with(net, u))?;
        (t != u).then(|| Proposal::of(Edit::RemoveTransition(u)))
    }
}

/// One of 64 bits for each input place: a set of places has all bits of its subsets.
fn places_mask(net: &WorkNet, t: TransitionId) -> u64 {
    net.pre(t).iter().fold(0, |mask, arc| mask | 1 << (scrambled(arc.place.index() as u64) % 64))
}

/// The hash of what `t` changes, divided by its gcd.
fn direction_hash(net: &WorkNet, t: TransitionId) -> u64 {
    let divisor =
        |d: u64, (_, change): (PlaceId, i64)| super::gcd_scaling::gcd(d, change.unsigned_abs());
    // Changes are below 2^63, so is their divisor.
    let divisor = net.changes(t).fold(0, divisor).max(1) as i64;
    effect_hash(net.changes(t).map(|(p, change)| (p, change / divisor)))
}

#[cfg(test)]
mod tests {
    use crate::reduction::example;

    #[test]
    fn the_example_of_the_header() {
        example::check(super::NAME, include_str!("same_effect.rs"));
    }

    #[test]
    fn a_repetition_that_runs_dry_is_no_replacement() {
        let net = "# reachability over q
             place p 2
             place q
             transition a: 2*p -> p + q
             transition b: 2*p -> 2*q";
        example::reduces(super::NAME, net, net);
    }
}
