//! A transition that changes nothing goes.
//!
//! ```text
//! # reachability over p
//! place p 1
//! place q
//! transition a: p -> q
//! transition b: p + q -> p + q
//! # becomes
//! place p 1
//! place q
//! transition a: p -> q
//! ```
//!
//! # Conditions
//! Candidate: a transition t.
//! 1. pre(t,p) = post(t,p) for every place p.
//!
//! # Preserves
//! R, L, and every reachable marking. Not D: t may be all that keeps a marking from being dead.
//!
//! # Soundness
//! Firing t leads nowhere new. A protected transition changes its virtual place, so t is none.
//!
//! # Sources
//! Berthelot, *Checking properties of nets using transformations*, APN 1985; rule G of verifypn.

use crate::reduction::change::{Edit, Proposal};
use crate::reduction::conditions::{Candidate, Conditions, Context};
use crate::reduction::needs::Preserve;

/// Its name.
pub const NAME: &str = "neutral-transitions";

/// The conditions; see the module.
pub const RULE: Conditions = Conditions {
    name: NAME,
    preserves: Preserve::REACHABILITY.and(Preserve::LIVENESS),
    conditions: 1,
    is_lossless: true,
    ..Conditions::by(check)
};

fn check(net: &Context<'_>, candidate: &Candidate) -> Option<Proposal> {
    let [t] = candidate.transitions[..] else { return None };
    net.require(1, net.changes(t).next().is_none())?;
    Some(Proposal::of(Edit::RemoveTransition(t)))
}
