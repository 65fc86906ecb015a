//! Merges places between which a token can circulate freely.
//!
//! ```text
//! # deadlock
//! place p 1
//! place q 2
//! place r
//! transition a: p -> q
//! transition b: q -> p
//! transition c: p + 2*q -> r
//! # becomes
//! place p 3
//! place r
//! transition a: p -> p
//! transition b: p -> p
//! transition c: 3*p -> r
//! ```
//!
//! # Conditions
//! The module `rules` explains the notation.
//!
//! Candidate: two or more places P, and transitions T.
//! 1. No place of P is in S.
//! 2. Each t in T consumes one token from a place of P, produces one on another place of P, and
//!    does nothing else.
//! 3. T connects P strongly.
//!
//! # Preserves
//! R, D, L, and every reachable marking. The tokens of the merged place are those of P together,
//! and every distribution of them over P is reachable.
//!
//! # Soundness
//! By (2) and (3) the tokens on P can be redistributed at any time without changing any other
//! place, and by (1) the distribution does not matter to S. So a transition can fire from a marking
//! of the original net, after some moves, if and only if P in total holds the tokens that it takes
//! from P. A marking with a token on P is not dead. In the reduced net T remains as self-loops, so
//! this marking is not dead either. (If D is not needed, T is removed as neutral transitions.)
//!
//! # Sources
//! *Free SCC* in Thierry-Mieg, *Structural reductions revisited*, 2020; rule H of verifypn, which
//! cannot give traces.

use super::{Candidate, Conditions, Context, Edit, Preserve, WorkNet};
use parikh_net::{Arc, PlaceId, TransitionId};
use std::collections::HashMap;

/// The rule; the module documentation states the conditions.
pub const RULE: Conditions =
    Conditions::new("fused-cycles", Preserve::ALL.and(Preserve::MARKINGS), 3, check);

fn check(net: &Context<'_>, candidate: &Candidate) -> Option<Vec<Edit>> {
    let places = &candidate.places;
    if places.len() < 2 {
        return None;
    }
    net.require(1, places.iter().all(|&p| !net.in_support(p)))?;
    let index_of: HashMap<PlaceId, usize> = places.iter().copied().zip(0..).collect();
    let mut moves = Vec::with_capacity(candidate.transitions.len());
    for &t in &candidate.transitions {
        let place_index =
            |row: &[Arc]| row.iter().find_map(|arc| index_of.get(&arc.place).copied());
        let (from, to) = (place_index(net.pre(t))?, place_index(net.post(t))?);
        let is_move = move_of(net, t).is_some_and(|(p, q)| p != q);
        net.require(2, is_move)?;
        moves.push((from, to));
    }
    let reaches_forwards = reaches_all(places.len(), moves.iter().copied());
    let reaches_backwards = reaches_all(places.len(), moves.iter().map(|&(from, to)| (to, from)));
    net.require(3, reaches_forwards && reaches_backwards)?;
    Some(vec![Edit::Fuse(places.clone())])
}

/// Returns the source and the target place of a transition that moves one token and does nothing
/// else. The two places may be equal. Returns `None` for other transitions.
pub fn move_of(net: &WorkNet, t: TransitionId) -> Option<(PlaceId, PlaceId)> {
    match (net.pre(t), net.post(t)) {
        (&[Arc { place: from, weight: 1 }], &[Arc { place: to, weight: 1 }]) => Some((from, to)),
        _ => None,
    }
}

/// Returns true if all vertices 0..n are reachable from 0. The number n must be positive.
fn reaches_all(n: usize, edges: impl Iterator<Item = (usize, usize)>) -> bool {
    let mut successors: Vec<Vec<usize>> = vec![Vec::new(); n];
    edges.for_each(|(from, to)| successors[from].push(to));
    let mut seen = vec![false; n];
    let mut worklist = vec![0];
    seen[0] = true;
    while let Some(vertex) = worklist.pop() {
        for &to in &successors[vertex] {
            if !std::mem::replace(&mut seen[to], true) {
                worklist.push(to);
            }
        }
    }
    seen.into_iter().all(|seen| seen)
}
