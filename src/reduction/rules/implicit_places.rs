//! A place goes that holds, whenever it matters, at least what some other places hold together.
//!
//! ```text
//! # deadlock
//! place p 1
//! place q
//! place r
//! place lamp
//! transition a: p -> q + lamp
//! transition b: q -> r
//! transition c: r + lamp -> p
//! # becomes
//! place p 1
//! place q
//! place r
//! transition a: p -> q
//! transition b: q -> r
//! transition c: r -> p
//! ```
//!
//! # Conditions
//! Focus: a place p, and places q with multiplicities y(q), each as often as y(q) says. Let
//! c = m₀(p) − Σ y(q)·m₀(q).
//! 1. p is not in S.
//! 2. Δ(t,p) ≥ Σ y(q)·Δ(t,q) for every transition t.
//! 3. pre(t,p) ≤ Σ y(q)·pre(t,q) + c for every transition t that takes from p, with the sum over
//!    places other than p.
//!
//! # Preserves
//! R, D, L, and every reachable marking of the other places.
//!
//! # Soundness
//! By (2) m(p) − Σ y(q)·m(q) never falls below c. Where all inputs of t but p hold enough, Σ
//! y(q)·m(q) ≥ Σ y(q)·pre(t,q) over the places other than p, so m(p) is pre(t,p) or more by (3): p
//! never blocks alone, and both nets have the same runs. A p among the q has y(p) ≥ 1 and could only
//! vouch for itself: such a focus is refused.
//!
//! # Back-translation
//! None.
//!
//! # Cost
//! For a changed place, a search of at most [`STEPS`] steps without turning back: a transition that
//! violates (2) or (3) is mended by raising the multiplicity of one of its inputs. The check reads
//! the rows of all places of the focus.
//!
//! # Sources
//! Silva, Terue, Colom, *Linear algebraic and linear programming techniques for the analysis of
//! place/transition net systems*, LNCS 1491, 1998: structurally implicit places, where a linear
//! program finds the multiplicities. The path-induced places of Thierry-Mieg, *Structural reductions
//! revisited*, 2020, are the case where the q form a path, parallel places that of one q.

use crate::net::{PlaceId, TransitionId};
use crate::reduction::change::{Edit, Proposal};
use crate::reduction::journal::Dirty;
use crate::reduction::multipliers::WeightedSum;
use crate::reduction::needs::Preserve;
use crate::reduction::rule::{Context, Focus, Rule, Stage};
use crate::reduction::work::WorkNet;
use std::collections::BTreeMap;

pub(super) const NAME: &str = "implicit-places";

/// The most times that a multiplicity is raised for one place.
const STEPS: usize = 16;

/// Places with more arcs are left alone, as what goes and as what vouches for it.
const MOST: usize = 16;

pub(super) struct ImplicitPlaces;

impl Rule for ImplicitPlaces {
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
        // As often as its multiplicity says.
        true
    }

    fn find(&mut self, net: &WorkNet, dirty: &Dirty, foci: &mut Vec<Focus>) {
        for p in dirty.places_around(net) {
            if !net.in_support(p) && net.consumer_count(p) > 0 && is_small(net, p) {
                foci.extend(Search::new(net, p).run().map(Focus::places));
            }
        }
    }

    fn check(&self, net: &Context<'_>, focus: &Focus) -> Option<Proposal> {
        vouched_for(net, focus)
    }
}

/// The removal of the first place of `focus` if the others vouch for it; the multiplicity of p itself
/// is k in [structurally implicit places](super::structurally_implicit_places), here 1.
pub(super) fn vouched_for(net: &Context<'_>, focus: &Focus) -> Option<Proposal> {
    let mut places = focus.weighted_places();
    let (p, k) = places.next().filter(|_| focus.transitions.is_empty())?;
    let others = places;
    if focus.places[1..].contains(&p) {
        return None;
    }
    net.require(1, !net.in_support(p))?;
    let mut sum = WeightedSum::of(net, others);
    let k = i128::from(k);
    let spare = k * i128::from(net.tokens(p)) - sum.tokens;
    for t in net.neighbours(p) {
        sum.around.entry(t).or_default();
    }
    for (&t, &(need, change)) in &sum.around {
        net.require(2, k * i128::from(net.effect(t, p)) >= change)?;
        let taken = k * i128::from(net.pre_weight(t, p));
        net.require(3, taken == 0 || taken <= need + spare)?;
    }
    Some(Proposal::of(Edit::RemovePlace(p)))
}

fn is_small(net: &WorkNet, p: PlaceId) -> bool {
    net.consumer_count(p) + net.producer_count(p) <= MOST
}

/// The search for places that vouch for `p`.
struct Search<'n> {
    net: &'n WorkNet,
    p: PlaceId,
    others: Vec<PlaceId>,
    /// m₀(p) − Σ y(q)·m₀(q).
    spare: i128,
    /// Of each transition around: Δ(t,p) − Σ y(q)·Δ(t,q), and Σ y(q)·pre(t,q).
    around: BTreeMap<TransitionId, (i128, i128)>,
}

impl<'n> Search<'n> {
    fn new(net: &'n WorkNet, p: PlaceId) -> Self {
        let own = |t: TransitionId| (t, (i128::from(net.effect(t, p)), 0));
        let around = net.neighbours(p).into_iter().map(own).collect();
        let spare = i128::from(net.tokens(p));
        Search { net, p, others: Vec::new(), spare, around }
    }

    /// p and what vouches for it, if it is found.
    fn run(mut self) -> Option<Vec<PlaceId>> {
        for _ in 0..STEPS {
            let Some((violated, by_effect)) = self.violated() else {
                let mut found = vec![self.p];
                self.others.sort_unstable();
                found.append(&mut self.others);
                return Some(found);
            };
            let q = self.remedy(violated, by_effect)?;
            self.raise(q);
        }
        None
    }

    /// A transition that violates (2), or else one that violates (3); and which.
    fn violated(&self) -> Option<(TransitionId, bool)> {
        let by_effect = self.around.iter().find(|(_, (left, _))| *left < 0);
        if let Some((&t, _)) = by_effect {
            return Some((t, true));
        }
        let short = |t: &TransitionId| {
            let taken = i128::from(self.net.pre_weight(*t, self.p));
            taken > 0 && taken > self.around.get(t).map_or(0, |&(_, need)| need) + self.spare
        };
        self.net.consumers(self.p).find(short).map(|t| (t, false))
    }

    /// The input of `t` that breaks least: fewest transitions with too much of it, fewest tokens.
    fn remedy(&self, t: TransitionId, by_effect: bool) -> Option<PlaceId> {
        let net = self.net;
        let inputs = net.pre(t).iter().map(|arc| arc.place);
        let helps = |q: &PlaceId| {
            *q != self.p && is_small(net, *q) && (!by_effect || net.effect(t, *q) < 0)
        };
        inputs.filter(helps).min_by_key(|&q| {
            let left = |u: &TransitionId| {
                let own = self.around.get(u).map_or(0, |&(left, _)| left);
                own < i128::from(net.effect(*u, q))
            };
            (net.producers(q).filter(left).count(), net.tokens(q), q)
        })
    }

    fn raise(&mut self, q: PlaceId) {
        self.others.push(q);
        self.spare -= i128::from(self.net.tokens(q));
        for t in self.net.neighbours(q) {
            let (left, need) = self.around.entry(t).or_default();
            *left -= i128::from(self.net.effect(t, q));
            *need += i128::from(self.net.pre_weight(t, q));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::reduction::example;

    #[test]
    fn the_example_of_the_header() {
        example::check(super::NAME, include_str!("implicit_places.rs"));
    }

    #[test]
    fn multiplicities_are_found_too() {
        let net = "# deadlock; reachability over q\nplace p 1\nplace q 0\nplace two 0\n\
                   transition a: p -> q + 2*two\ntransition b: q + 2*two -> p\n";
        let after = "place p 1\nplace q 0\ntransition a: p -> q\ntransition b: q -> p";
        example::reduces(super::NAME, net, after);
    }

    #[test]
    fn a_place_that_starts_with_less_than_the_others_stays() {
        let net = "# deadlock\nplace p\nplace q 1\nplace r 1\n\
                   transition a: p -> q + r\ntransition b: q + r -> p\n";
        // r vouches for q, and q then for nobody.
        let after = "place p\nplace r 1\ntransition a: p -> r\ntransition b: r -> p";
        example::reduces(super::NAME, net, after);
        let fewer = net.replace("place r 1", "place r");
        // Now q has one more than r: q goes, r may not.
        let after = "place p\nplace r\ntransition a: p -> r\ntransition b: r -> p";
        example::reduces(super::NAME, &fewer, after);
    }
}
