//! A place that is never the scarcer of two goes.
//!
//! ```text
//! # deadlock
//! place p 1
//! place slow 1
//! place fast 3
//! place q
//! transition a: p -> slow + 2*fast + q
//! transition b: slow + 2*fast -> p
//! transition c: fast ->
//! transition d: slow -> fast
//! # becomes
//! place p 1
//! place slow 1
//! place fast 3
//! place q
//! transition a: p -> slow + 2*fast + q
//! transition b: slow + 2*fast -> p
//! transition c: fast ->
//! transition d: slow -> fast
//! ```
//!
//! Nothing here: c takes from fast alone. Without c, fast would be at least twice slow and go.
//!
//! # Conditions
//! Candidate: two places kept ≠ p; p goes.
//! 1. p is not in S.
//! 2. Every transition that takes from p takes from kept.
//!
//! Let d be the largest pre(t,p) / pre(t,kept) over the transitions t that take from p. Then
//!
//! 3. post(t,p) ≥ d·post(t,kept) for every t, and
//! 4. m₀(p) ≥ d·m₀(kept).
//!
//! # Preserves
//! R, D, L, and every reachable marking of the other places.
//!
//! # Soundness
//! m(p) ≥ d·m(kept) holds initially by (4) and stays so: a firing of t lowers d·m(kept) by
//! d·pre(t,kept) ≥ pre(t,p) by (2) and the choice of d, and raises it by no more than m(p) by (3).
//! Hence where kept holds pre(t,kept), p holds d·pre(t,kept) ≥ pre(t,p): p never blocks alone.
//!
//! # Sources
//! Rule C of verifypn; Berthelot, *Checking properties of nets using transformations*, APN 1985. The
//! duplicate places of ITS-Tools are the case d = 1 with equal rows.

use crate::reduction::change::{Edit, Proposal};
use crate::reduction::conditions::{Candidate, Conditions, Context};
use crate::reduction::needs::Preserve;
use parikh_net::TransitionId;

/// Its name.
pub const NAME: &str = "parallel-places";

/// The conditions; see the module.
pub const RULE: Conditions = Conditions {
    name: NAME,
    preserves: Preserve::REACHABILITY.and(Preserve::DEADLOCK).and(Preserve::LIVENESS),
    conditions: 4,
    is_lossless: true,
    ..Conditions::by(check)
};

fn check(net: &Context<'_>, candidate: &Candidate) -> Option<Proposal> {
    let [kept, p] = candidate.places[..] else { return None };
    if kept == p {
        return None;
    }
    net.require(1, !net.in_support(p))?;
    let pair = |t: TransitionId| (net.pre_weight(t, p), net.pre_weight(t, kept));
    // The fraction d as (numerator, denominator).
    let mut d: Option<(u64, u64)> = None;
    for t in net.consumers(p) {
        let (mine, theirs) = pair(t);
        net.require(2, theirs > 0)?;
        if theirs > 0 && d.is_none_or(|d| product(mine, d.1) > product(d.0, theirs)) {
            d = Some((mine, theirs));
        }
    }
    let (numerator, denominator) = d?;
    let enough = |mine: u64, theirs: u64| product(mine, denominator) >= product(theirs, numerator);
    let fed = |t| enough(net.post_weight(t, p), net.post_weight(t, kept));
    net.require(3, net.producers(kept).all(fed))?;
    net.require(4, enough(net.tokens(p), net.tokens(kept)))?;
    Some(Proposal::of(Edit::RemovePlace(p)))
}

fn product(a: u64, b: u64) -> u128 {
    u128::from(a) * u128::from(b)
}
