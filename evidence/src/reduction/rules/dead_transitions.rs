//! Removes transitions that can never fire, all at once.
//!
//! ```text
//! # reachability over r
//! place p 1
//! place q
//! place r
//! place s 1
//! transition a: p + q -> r
//! transition b: r -> q
//! transition c: p + 3*s -> p
//! transition d: p -> s
//! # becomes
//! place p 1
//! place q
//! place r
//! place s 1
//! transition c: p + 3*s -> p
//! transition d: p -> s
//! ```
//!
//! Here q and r feed only each other: an unmarked siphon. (c is dead as well, but the conditions
//! bound each place separately, and s can grow.)
//!
//! # Conditions
//! The module `rules` explains the notation.
//!
//! Candidate: a set D of transitions. For each t in D there is a place p with
//! 1. m₀(p) < pre(t,p), and
//! 2. no transition outside D produces more tokens on p than it consumes from p.
//!
//! # Preserves
//! R, D, L, and every reachable marking.
//!
//! # Soundness
//! Take the first firing of a transition of D in any run. Until then only transitions outside D
//! fired, so by (2) p holds at most m₀(p), which is too few by (1). The largest such D is the
//! complement of a least fixed point: if some transition that may fire increases a place, assume
//! that this place can hold any number of tokens. D includes all transitions adjacent to initially
//! unmarked siphons.
//!
//! # Sources
//! Rules E and M of verifypn: Bønneland, Dyhr, Jensen, Johannsen, Srba, *Stubborn versus structural
//! reductions for Petri nets*, JLAMP 102, 2019. Siphons: Thierry-Mieg, *Structural reductions
//! revisited*, Petri Nets 2020.

use super::{Candidate, Conditions, Context, Edit, Preserve};
use parikh_net::TransitionId;

/// The rule; the module documentation states the conditions.
pub const RULE: Conditions =
    Conditions::new("dead-transitions", Preserve::ALL.and(Preserve::MARKINGS), 2, check).lossless();

fn check(net: &Context<'_>, candidate: &Candidate) -> Option<Vec<Edit>> {
    let mut is_dead = vec![false; net.transition_ids()];
    candidate.transitions.iter().for_each(|t| is_dead[t.index()] = true);
    // The result per place is computed once, because places with many transitions are queried
    // often.
    let mut is_increased: Vec<Option<bool>> = vec![None; net.place_ids()];
    for &t in &candidate.transitions {
        let is_blocked = net.pre(t).iter().any(|arc| {
            let p = arc.place;
            let increases = |u: TransitionId| !is_dead[u.index()] && net.effect(u, p) > 0;
            net.holds_or_assumed(1, net.tokens(p) < arc.weight)
                && net.holds_or_assumed(
                    2,
                    !*is_increased[p.index()]
                        .get_or_insert_with(|| net.producers(p).any(increases)),
                )
        });
        if !is_blocked {
            return None;
        }
    }
    Some(candidate.transitions.iter().map(|&t| Edit::RemoveDead(t)).collect())
}
