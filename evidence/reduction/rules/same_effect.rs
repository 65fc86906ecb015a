//! A transition goes when repeating another one does the same and needs no more.
//!
//! ```text
//! # deadlock
//! place p 4
//! place q 1
//! place r
//! transition a: p -> r
//! transition b: p + q -> r + q
//! transition c: 3*p -> 3*r
//! transition d: p -> r
//! # becomes
//! place p 4
//! place q 1
//! place r
//! transition a: p -> r
//! ```
//!
//! # Conditions
//! Candidate: two transitions t and u; u goes. There is a k ≥ 1 with
//! 1. Δ(u,p) = k·Δ(t,p) for every place p, and
//! 2. the sequence tᵏ can fire wherever u can: for every p, pre(u,p) ≥ pre(t,p) + (k−1)·lost, where
//!    lost is what t loses on p, if any.
//!
//! # Preserves
//! R, D, L, and every reachable marking.
//!
//! # Soundness
//! Where u fires, tᵏ fires and leads to the same marking; where u is enabled, t is, so no marking
//! becomes dead. t stays, as u ≠ t is removed one at a time. A protected u changes its virtual
//! place, and so does t then.
//!
//! # Sources
//! Rules D and L of verifypn and *dominated transitions* of Thierry-Mieg, *Structural reductions
//! revisited*, 2020. Neither allows k > 1 together with a larger preset.

use crate::reduction::change::{Edit, Proposal};
use crate::reduction::compose::Composite;
use crate::reduction::conditions::{Candidate, Conditions, Context};
use crate::reduction::needs::Preserve;

/// Its name.
pub const NAME: &str = "same-effect";

/// The conditions; see the module.
pub const RULE: Conditions = Conditions {
    name: NAME,
    preserves: Preserve::REACHABILITY.and(Preserve::DEADLOCK).and(Preserve::LIVENESS),
    conditions: 2,
    is_lossless: true,
    ..Conditions::by(check)
};

fn check(net: &Context<'_>, candidate: &Candidate) -> Option<Proposal> {
    let [t, u] = candidate.transitions[..] else { return None };
    let times = match (net.changes(t).next(), net.changes(u).next()) {
        (Some((_, one)), Some((_, many))) => many.checked_div(one).filter(|&k| k >= 1),
        _ => None,
    };
    // A k that does not fit fails (1).
    let times = times.map_or(1, i64::unsigned_abs);
    let repeated = Composite::of(net, t).repeated(times)?;
    net.require(1, t != u && repeated.changes().eq(net.changes(u)))?;
    net.require(2, repeated.fires_with(net, u))?;
    (t != u).then(|| Proposal::of(Edit::RemoveTransition(u)))
}
