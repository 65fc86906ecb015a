//! Removes read arcs for tokens that are always present.
//!
//! ```text
//! # reachability over q
//! place p 3
//! place q
//! transition a: 2*p -> 4*p + q
//! transition b: 5*p -> 2*p
//! # becomes
//! place p 3
//! place q
//! transition a: -> 2*p + q
//! transition b: 5*p -> 2*p
//! ```
//!
//! # Conditions
//! The module `rules` explains the notation.
//!
//! Candidate: a place p. Let low be the least of m₀(p) and of post(u,p) over all u that consume
//! more tokens from p than they produce on p.
//! 1. pre(t,p) ≤ low for each transition t whose arc p → t is dropped; post(t,p) falls by as much.
//!
//! # Preserves
//! R, D, L, and every reachable marking.
//!
//! # Soundness
//! p never holds fewer than low tokens: it starts with at least low, and each transition that
//! decreases it leaves at least post(u,p). So by (1) the arc disables no transition. No such t
//! decreases p, because then pre(t,p) > post(t,p) ≥ low. So the two arcs can be replaced by one arc
//! t → p of the same effect.
//!
//! # Sources
//! Rules N and F of verifypn; Bønneland et al., *Stubborn versus structural reductions for Petri
//! nets*, JLAMP 102, 2019.

use super::{Candidate, Conditions, Context, Edit, Preserve};

/// The rule; the module documentation states the conditions.
pub const RULE: Conditions =
    Conditions::new("redundant-arcs", Preserve::ALL.and(Preserve::MARKINGS), 1, check).lossless();

fn check(net: &Context<'_>, candidate: &Candidate) -> Option<Vec<Edit>> {
    let p = candidate.as_place()?;
    let mut min_tokens = net.tokens(p);
    for u in net.consumers(p) {
        let (taken, put) = (net.pre_weight(u, p), net.post_weight(u, p));
        if taken > put {
            min_tokens = min_tokens.min(put);
        }
    }
    let mut arcs = Vec::new();
    for t in net.consumers(p) {
        let (taken, put) = (net.pre_weight(t, p), net.post_weight(t, p));
        if net.holds_or_assumed(1, taken <= min_tokens) {
            arcs.push((t, 0, put.saturating_sub(taken)));
        }
    }
    (!arcs.is_empty()).then(|| vec![Edit::SetArcs(p, arcs)])
}
