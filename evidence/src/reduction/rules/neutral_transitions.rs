//! Removes a transition that changes nothing.
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
//! The module `rules` explains the notation.
//!
//! Candidate: a transition t.
//! 1. pre(t,p) = post(t,p) for every place p.
//!
//! # Preserves
//! R, L, and every reachable marking. Not D: t may be the only transition that keeps a marking from
//! being dead.
//!
//! # Soundness
//! Firing t does not change the marking. A protected transition changes its virtual place, so t is
//! not protected.
//!
//! # Sources
//! Berthelot, *Checking properties of nets using transformations*, APN 1985; rule G of verifypn.

use super::{Candidate, Conditions, Context, Edit, Preserve};

/// The rule; the module documentation states the conditions.
pub const RULE: Conditions = Conditions::new(
    "neutral-transitions",
    Preserve::REACHABILITY.and(Preserve::LIVENESS).and(Preserve::MARKINGS),
    1,
    check,
)
.lossless();

fn check(net: &Context<'_>, candidate: &Candidate) -> Option<Vec<Edit>> {
    let [t] = candidate.transitions[..] else { return None };
    net.require(1, net.changes(t).next().is_none())?;
    Some(vec![Edit::RemoveTransition(t)])
}
