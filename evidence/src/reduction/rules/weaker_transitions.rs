//! Removes a transition if repeating another one needs no more tokens, gives no fewer, and has the
//! same effect on S.
//!
//! ```text
//! # reachability over q
//! place p 4
//! place q
//! place r
//! transition a: p -> q + r
//! transition b: 2*p -> q
//! transition c: q + r -> p
//! # becomes
//! place p 4
//! place q
//! place r
//! transition a: p -> q + r
//! transition c: q + r -> p
//! ```
//!
//! # Conditions
//! The module `rules` explains the notation.
//!
//! Candidate: two transitions t ≠ u; u is removed. There is a k ≥ 1 with
//! 1. Δ(u,p) ≤ k·Δ(t,p) for every place p,
//! 2. Δ(u,p) = k·Δ(t,p) for every p in S, and
//! 3. the sequence tᵏ can fire wherever u can.
//!
//! # Preserves
//! R only.
//!
//! # Soundness
//! Replace u by tᵏ in a run: it fires by (3) and the marking afterwards has no fewer tokens by (1),
//! so the rest of the run fires, with the same effect on S by (2).
//!
//! # Sources
//! Rule D of verifypn, extended to arbitrary presets.

use super::{Candidate, Composite, Conditions, Context, Edit, Preserve, WorkNet};
use parikh_net::TransitionId;

/// The rule; the module documentation states the conditions.
pub const RULE: Conditions =
    Conditions::new("weaker-transitions", Preserve::REACHABILITY, 3, check);

fn check(net: &Context<'_>, candidate: &Candidate) -> Option<Vec<Edit>> {
    let [t, u] = candidate.transitions[..] else { return None };
    let times = repetitions(net, t, u);
    let repeated = Composite::of(net, t).repeated(times)?;
    let change_by_u = |p| net.effect(u, p);
    let is_weaker = repeated.changes().all(|(p, change)| change_by_u(p) <= change)
        && net.changes(u).all(|(p, change)| change <= 0 || net.effect(t, p) > 0);
    net.require(1, is_weaker)?;
    let is_equal_on_support =
        repeated.changes().all(|(p, c)| !net.in_support(p) || change_by_u(p) == c)
            && net.changes(u).all(|(p, _)| !net.in_support(p) || net.effect(t, p) != 0);
    net.require(2, is_equal_on_support)?;
    net.require(3, repeated.fires_with(net, u))?;
    Some(vec![Edit::RemoveTransition(u)])
}

/// Returns the number k of repetitions of `t` to try in place of `u`. The first relevant place that
/// needs k > 1 gives k = ⌈|Δ(u,p)| / |Δ(t,p)|⌉. A place is relevant if it is in S, or if both
/// transitions add tokens to it. Returns 1 if no relevant place needs more.
fn repetitions(net: &WorkNet, t: TransitionId, u: TransitionId) -> u64 {
    let needed = net.changes(u).find_map(|(p, change_by_u)| {
        let change_by_t = net.effect(t, p);
        let is_relevant = net.in_support(p) || (change_by_u > 0 && change_by_t > 0);
        let (change_by_u, change_by_t) = (change_by_u.unsigned_abs(), change_by_t.unsigned_abs());
        let times = if change_by_t == 0 { 0 } else { change_by_u.div_ceil(change_by_t) };
        (is_relevant && times > 1).then_some(times)
    });
    needed.unwrap_or(1)
}
