//! Removes a transition if a sequence of others, perhaps repeated, has the same effect and needs no
//! more tokens.
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
//! The module `rules` explains the notation.
//!
//! Candidate: transitions t₁ … tₙ and u, all different; u is removed. Let σ = t₁ … tₙ, fired one
//! after the other. There is a k ≥ 1 with
//! 1. Δ(u,p) = k·Δ(σ,p) for every place p, and
//! 2. the sequence σᵏ can fire wherever u can.
//!
//! # Preserves
//! R, D, L, and every reachable marking.
//!
//! # Soundness
//! If u fires, σᵏ fires instead and leads to the same marking; if u is enabled, t₁ is, so no
//! marking becomes dead. All transitions of σ stay. Each application is checked on the net without
//! the transitions removed before, so transitions cannot remove each other. A protected u changes
//! its virtual place, and by (1) so does σ.
//!
//! # Sources
//! Rules D and L of verifypn and *dominated transitions* of Thierry-Mieg, *Structural reductions
//! revisited*, 2020. Neither allows k > 1 together with a larger preset. For n = 2: *redundant
//! compositions* in LoLA 2 and ITS-Tools, which once removed both of a = b·c and b = a·d.

use super::{Candidate, Composite, Conditions, Context, Edit, Preserve};

/// The rule; the module documentation states the conditions.
pub const RULE: Conditions =
    Conditions::new("same-effect", Preserve::ALL.and(Preserve::MARKINGS), 2, check).lossless();

fn check(net: &Context<'_>, candidate: &Candidate) -> Option<Vec<Edit>> {
    let (&u, sequence) = candidate.transitions.split_last()?;
    let mut steps = sequence.iter().map(|&t| Composite::of(net, t));
    let first = steps.next()?;
    let composite = steps.try_fold(first, |before, next| before.then(&next))?;
    let times = match (composite.changes().next(), net.changes(u).next()) {
        (Some((_, change_by_sequence)), Some((_, change_by_u))) => {
            change_by_u.checked_div(change_by_sequence).filter(|&k| k >= 1)
        }
        _ => None,
    };
    // If the first changes of u and σ give no k ≥ 1, no k satisfies (1) unless both effects are
    // empty. Then every k satisfies (1). So the check tries only k = 1.
    let times = times.map_or(1, i64::unsigned_abs);
    let repeated = composite.repeated(times)?;
    net.require(1, repeated.changes().eq(net.changes(u)))?;
    net.require(2, repeated.fires_with(net, u))?;
    Some(vec![Edit::RemoveTransition(u)])
}
