//! Merges two places whose tokens have the same future.
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
//! The module `rules` explains the notation.
//!
//! Candidate: two places p and q.
//! 1. Neither is in S.
//! 2. Every consumer of p or q consumes one token from p and q together.
//! 3. Every consumer of p has a twin that consumes from q, and vice versa. Twins have equal arcs at
//!    all other places, and both produce the same number of tokens on p and q together.
//!
//! # Preserves
//! R, D, L.
//!
//! # Soundness
//! Call markings equal if they agree on all places except p and q, and agree on the sum of p and q.
//! If t fires in a marking, then t or its twin fires in every equal marking, by (2), and leads to
//! an equal marking by (3). So equal markings have the same future up to twins, and twins have the
//! same effect on S. Protected transitions have no twins, because only they change their virtual
//! places.
//!
//! # Sources
//! *Future equivalent places* in Thierry-Mieg, *Structural reductions revisited*, 2020. ITS-Tools
//! must disable it for liveness, because transitions lose their names there. The weight 1 of (2) is
//! not explicit in that paper.

use super::{Candidate, Conditions, Context, Edit, Preserve, WorkNet};
use parikh_net::{Arc, PlaceId, TransitionId};

/// The rule; the module documentation states the conditions.
pub const RULE: Conditions = Conditions::new("equal-futures", Preserve::ALL, 3, check);

fn check(net: &Context<'_>, candidate: &Candidate) -> Option<Vec<Edit>> {
    let (&[p, q], []) = (&candidate.places[..], &candidate.transitions[..]) else { return None };
    net.require(1, !net.in_support(p) && !net.in_support(q))?;
    let taken_together =
        |t: TransitionId| u128::from(net.pre_weight(t, p)) + u128::from(net.pre_weight(t, q));
    net.require(2, net.consumers(p).chain(net.consumers(q)).all(|t| taken_together(t) == 1))?;
    for (place, other_place) in [(p, q), (q, p)] {
        let has_twin = |t| net.consumers(other_place).any(|u| are_twins(net, t, u, p, q));
        net.require(3, net.consumers(place).all(has_twin))?;
    }
    Some(vec![Edit::Fuse(vec![p, q])])
}

/// Returns true if `t` and `u` have the same arcs at all places but `p` and `q`. They must also
/// produce equally many tokens on `p` and `q` in total. Their arcs from `p` and `q` are not
/// compared.
pub fn are_twins(net: &WorkNet, t: TransitionId, u: TransitionId, p: PlaceId, q: PlaceId) -> bool {
    let arcs_elsewhere = |row| arcs_except(row, p, q);
    let put_together = |t| u128::from(net.post_weight(t, p)) + u128::from(net.post_weight(t, q));
    arcs_elsewhere(net.pre(t)).eq(arcs_elsewhere(net.pre(u)))
        && arcs_elsewhere(net.post(t)).eq(arcs_elsewhere(net.post(u)))
        && put_together(t) == put_together(u)
}

/// Iterates over the arcs in `row` whose place is neither `p` nor `q`.
pub fn arcs_except(row: &[Arc], p: PlaceId, q: PlaceId) -> impl Iterator<Item = &Arc> {
    row.iter().filter(move |arc| arc.place != p && arc.place != q)
}
