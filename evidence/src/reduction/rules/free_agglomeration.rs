//! Postpones a producer that does nothing but feed p until its token is used (reachability only).
//!
//! ```text
//! # reachability over c
//! place a 1
//! place b 1
//! place p
//! place c
//! transition h: a -> p
//! transition k: a -> b
//! transition f: p + b -> c
//! # becomes
//! place a 1
//! place b 1
//! place c
//! transition k: a -> b
//! transition h.f: a + b -> c
//! ```
//!
//! # Conditions
//! The module `rules` explains the notation.
//!
//! Candidate: a place p, and some of its producers H. F are the consumers of p.
//! 1. p is not in S.
//! 2. Each h in H produces tokens on no place but p, and consumes none from p.
//! 3. Each h produces w tokens on p, and each f in F consumes w from it.
//! 4. No h touches S.
//! 5. p and F are removed if H are all producers of p, and m₀(p) < w.
//!
//! # Preserves
//! R only: a producer that fires too early may cause a deadlock.
//!
//! # Soundness
//! In a run of the original net, tokens on p come from H, w at a time, and from other transitions
//! or m₀. Let each f take w tokens of the second kind if there are so many, and otherwise the w
//! tokens of one h; by (3) this divides all tokens that are taken. Leave out the firings of h whose
//! tokens no f takes: this returns tokens, and none on S by (4). Postpone each other h to right
//! before its f: by (2) no other transition misses a token. Under (5), no other transition feeds p,
//! so the tokens m₀(p) < w are useless and no f fires by itself.
//!
//! # Sources
//! Free agglomeration in Thierry-Mieg, *Structural reductions revisited*, 2020, with its partial
//! form; rule S of verifypn.

use super::{Candidate, Conditions, Context, Edit, Preserve, agglomerate, feeds_only};
use parikh_net::TransitionId;

/// The rule; the module documentation states the conditions.
pub const RULE: Conditions =
    Conditions::new("free-agglomeration", Preserve::REACHABILITY, 5, check);

fn check(net: &Context<'_>, candidate: &Candidate) -> Option<Vec<Edit>> {
    let [p] = candidate.places[..] else { return None };
    let producers = &candidate.transitions;
    let consumers: Vec<_> = net.consumers(p).collect();
    let &first = consumers.first()?;
    let weight = net.pre_weight(first, p);
    net.require(1, !net.in_support(p))?;
    net.require(2, producers.iter().all(|&h| feeds_only(net, h, p)))?;
    let puts = |&h: &TransitionId| net.post_weight(h, p) == weight;
    let takes = |&f: &TransitionId| net.pre_weight(f, p) == weight;
    net.require(3, producers.iter().all(puts) && consumers.iter().all(takes))?;
    net.require(4, producers.iter().all(|&h| !net.touches_support(h)))?;
    let removes_place = producers.len() == net.producer_count(p) && net.tokens(p) < weight;
    let removes_place = net.holds_or_assumed(5, removes_place);
    let removed_consumers = if removes_place { &consumers[..] } else { &[] };
    let mut edits =
        agglomerate(net, producers, &consumers, |_| 1, &[producers, removed_consumers])?;
    edits.extend(removes_place.then_some(Edit::RemovePlace(p)));
    Some(edits)
}
