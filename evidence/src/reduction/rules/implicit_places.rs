//! Removes a place that never disables a transition alone, because it holds enough whenever other
//! places do.
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
//! The module `rules` explains the notation.
//!
//! Candidate: a place p with a multiplicity k, and other places q with multiplicities y(q), perhaps
//! none. Let c = k·m₀(p) − Σ y(q)·m₀(q).
//! 1. p is not in S.
//! 2. k·Δ(t,p) ≥ Σ y(q)·Δ(t,q) for every transition t.
//! 3. k·pre(t,p) ≤ Σ y(q)·pre(t,q) + c for every consumer t of p.
//!
//! # Preserves
//! R, D, L, and every reachable marking of the other places.
//!
//! # Soundness
//! By (2) k·m(p) − Σ y(q)·m(q) never falls below c. If all inputs of t except p hold enough, Σ
//! y(q)·m(q) ≥ Σ y(q)·pre(t,q), so k·m(p) is at least k·pre(t,p) by (3). So p never disables t
//! alone, and both nets have the same runs. Two errors of searches with SMT solvers (ITS-Tools made
//! both) are impossible here. First, an implication that holds only because some t is dead: (2) and
//! (3) hold whatever is enabled, and if t is dead for want of other inputs, it stays dead. Second,
//! places that justify each other: each application is checked on the net without the places
//! removed before.
//!
//! # Instances
//! *Sink places*, from which no transition takes: without any q, (2) and (3) are obvious. *Parallel
//! places*, where p is never the scarcer of two: there is one q, and every transition that takes
//! from p takes from q. Here d = y/k is the largest pre(t,p) / pre(t,q) among these t, post(t,p) ≥
//! d·post(t,q) for every t, and m₀(p) ≥ d·m₀(q).
//!
//! # Sources
//! Silva, Teruel, Colom, *Linear algebraic and linear programming techniques for the analysis of
//! place/transition net systems*, LNCS 1491, 1998: structurally implicit places, where a linear
//! program finds the multiplicities. Garcia-Vallés, Colom, *Implicit places in net systems*, PNPM
//! 1999. The path-induced places of Thierry-Mieg, *Structural reductions revisited*, 2020, are the
//!       case where the q form a path. Sink and parallel places: Berthelot, *Checking properties of
//!       nets using transformations*, APN 1985; rule C of verifypn.

use super::{Candidate, Conditions, Context, Edit, Preserve, WeightedSum};

/// The rule; the module documentation states the conditions.
pub const RULE: Conditions =
    Conditions::new("implicit-places", Preserve::ALL, 3, check).lossless().with_weights();

fn check(net: &Context<'_>, candidate: &Candidate) -> Option<Vec<Edit>> {
    let mut places = candidate.weighted_places();
    let (p, k) = places.next().filter(|_| candidate.transitions.is_empty())?;
    net.require(1, !net.in_support(p))?;
    let mut sum = WeightedSum::of(net, places);
    let k = i128::from(k);
    let constant = k * i128::from(net.tokens(p)) - sum.tokens;
    for t in net.neighbours(p) {
        sum.transition_effects.entry(t).or_default();
    }
    for (&t, &(need, change)) in &sum.transition_effects {
        net.require(2, k * i128::from(net.effect(t, p)) >= change)?;
        let taken = k * i128::from(net.pre_weight(t, p));
        net.require(3, taken == 0 || taken <= need + constant)?;
    }
    Some(vec![Edit::RemovePlace(p)])
}
