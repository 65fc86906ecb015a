//! A transition goes when two others, one after the other, do the same and need no more.
//!
//! ```text
//! # deadlock
//! place p 1
//! place q
//! place r
//! transition a: p -> q
//! transition b: q -> r
//! transition c: p -> r
//! # becomes
//! place p 1
//! place q
//! place r
//! transition a: p -> q
//! transition b: q -> r
//! ```
//!
//! # Conditions
//! Candidate: transitions a, b and t; t goes.
//! 1. t is neither a nor b.
//! 2. Δ(t,p) = Δ(a,p) + Δ(b,p) for every place p.
//! 3. The sequence a b can fire wherever t can.
//!
//! # Preserves
//! R, D, L, and every reachable marking.
//!
//! # Soundness
//! Where t fires, a b leads to the same marking; where t is enabled, a is. By (1) both stay; each
//! application is checked on the net without those removed before, so two transitions cannot remove
//! each other.
//!
//! # Sources
//! *Redundant compositions* in LoLA 2 and ITS-Tools; Thierry-Mieg, *Structural reductions
//! revisited*, 2020. ITS-Tools once removed both of a = b·c and b = a·d.

use crate::reduction::change::{Edit, Proposal};
use crate::reduction::compose::Composite;
use crate::reduction::conditions::{Candidate, Conditions, Context};
use crate::reduction::needs::Preserve;

/// Its name.
pub const NAME: &str = "composed-transitions";

/// The conditions; see the module.
pub const RULE: Conditions = Conditions {
    name: NAME,
    preserves: Preserve::REACHABILITY.and(Preserve::DEADLOCK).and(Preserve::LIVENESS),
    conditions: 3,
    is_lossless: true,
    // a and b may be the same.
    repeats: true,
    ..Conditions::by(check)
};

fn check(net: &Context<'_>, candidate: &Candidate) -> Option<Proposal> {
    let [a, b, t] = candidate.transitions[..] else { return None };
    net.require(1, t != a && t != b)?;
    let both = Composite::of(net, a).then(&Composite::of(net, b))?;
    net.require(2, both.changes().eq(net.changes(t)))?;
    net.require(3, both.fires_with(net, t))?;
    Some(Proposal::of(Edit::RemoveTransition(t)))
}
