//! Removes a place whose tokens follow from other places by an equation, and which never disables a
//! transition alone.
//!
//! ```text
//! # markings
//! place p 1
//! place q
//! place r
//! place lamp
//! transition a: p -> q + 2*lamp
//! transition b: q -> r
//! transition c: r + 2*lamp -> p
//! # becomes
//! place p 1
//! place q
//! place r
//! transition a: p -> q
//! transition b: q -> r
//! transition c: r -> p
//! ```
//!
//! The place lamp always holds 2·(q + r).
//!
//! # Conditions
//! The module `rules` explains the notation.
//!
//! Candidate: a place p with a multiplicity k, and other places q with multiplicities y(q), perhaps
//! none. Let c = k·m₀(p) − Σ y(q)·m₀(q).
//! 1. k·Δ(t,p) = Σ y(q)·Δ(t,q) for every transition t.
//! 2. k·pre(t,p) ≤ Σ y(q)·pre(t,q) + c for every consumer t of p.
//!
//! # Preserves
//! M: in every reachable marking, k·m(p) = Σ y(q)·m(q) + c.
//!
//! # Soundness
//! The equation holds by (1). If all inputs of t except p hold enough, so does p, by (2): this is
//! the case of implicit places with equality.
//!
//! # Sources
//! Berthomieu, Le Botlan, Dal Zilio, *Counting Petri net markings from reduction equations*, STTT
//! 22, 2020: *redundant places*, after Berthelot, *Transformations and decompositions of nets*,
//! LNCS 254, 1987.

use super::{Candidate, Conditions, Context, Edit, Preserve, WeightedSum};
use crate::reduction::Equality;

/// The rule; the module documentation states the conditions.
pub const RULE: Conditions =
    Conditions::new("redundant-places", Preserve::MARKINGS, 2, check).with_weights();

fn check(net: &Context<'_>, candidate: &Candidate) -> Option<Vec<Edit>> {
    let mut places = candidate.weighted_places();
    let (place, times) = places.next().filter(|_| candidate.transitions.is_empty())?;
    let sum: Vec<_> = places.take(candidate.places.len() - 1).collect();
    let mut weighted_sum = WeightedSum::of(net, sum.iter().copied());
    let k = i128::from(times);
    let constant = k * i128::from(net.tokens(place)) - weighted_sum.tokens;
    for t in net.neighbours(place) {
        weighted_sum.transition_effects.entry(t).or_default();
    }
    for (&t, &(need, change)) in &weighted_sum.transition_effects {
        net.require(1, k * i128::from(net.effect(t, place)) == change)?;
        let taken = k * i128::from(net.pre_weight(t, place));
        net.require(2, taken == 0 || taken <= need + constant)?;
    }
    Some(vec![Edit::RemoveEqual(Equality { place, times, sum, constant })])
}
