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
//! Candidate: a place p, and places q with multiplicities y(q), each as often as y(q) says. Let
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
//! vouch for itself: such a candidate is refused.
//!
//! # Sources
//! Silva, Terue, Colom, *Linear algebraic and linear programming techniques for the analysis of
//! place/transition net systems*, LNCS 1491, 1998: structurally implicit places, where a linear
//! program finds the multiplicities. The path-induced places of Thierry-Mieg, *Structural reductions
//! revisited*, 2020, are the case where the q form a path, parallel places that of one q.

use crate::reduction::change::{Edit, Proposal};
use crate::reduction::conditions::{Candidate, Conditions, Context};
use crate::reduction::needs::Preserve;
use crate::reduction::weighted_sum::WeightedSum;

/// Its name.
pub const NAME: &str = "implicit-places";

/// The conditions; see the module.
pub const RULE: Conditions = Conditions {
    name: NAME,
    preserves: Preserve::REACHABILITY.and(Preserve::DEADLOCK).and(Preserve::LIVENESS),
    conditions: 3,
    is_lossless: true,
    // As often as its multiplicity says.
    repeats: true,
    ..Conditions::by(check)
};

fn check(net: &Context<'_>, candidate: &Candidate) -> Option<Proposal> {
    vouched_for(net, candidate)
}

/// The removal of the first place of `candidate` if the others vouch for it; the multiplicity of p itself
/// is k in [structurally implicit places](super::structurally_implicit_places), here 1.
pub(super) fn vouched_for(net: &Context<'_>, candidate: &Candidate) -> Option<Proposal> {
    let mut places = candidate.weighted_places();
    let (p, k) = places.next().filter(|_| candidate.transitions.is_empty())?;
    let others = places;
    if candidate.places[1..].contains(&p) {
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
