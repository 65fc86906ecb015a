//! A place from which nobody takes, and that nobody asks for, goes.
//!
//! ```text
//! # deadlock
//! place p 1
//! place done
//! transition a: p -> 3*done
//! # becomes
//! place p 1
//! transition a: p ->
//! ```
//!
//! # Conditions
//! Candidate: a place p.
//! 1. p is not in S.
//! 2. pre(t,p) = 0 for every transition t.
//!
//! # Preserves
//! R, D, L, and every reachable marking of the other places.
//!
//! # Soundness
//! By (2) p blocks nobody, so both nets have the same runs.
//!
//! # Sources
//! Berthelot, *Checking properties of nets using transformations*, APN 1985, as a redundant place;
//! LoLA's sink places.

use crate::reduction::change::{Edit, Proposal};
use crate::reduction::conditions::{Candidate, Conditions, Context};
use crate::reduction::needs::Preserve;

/// Its name.
pub const NAME: &str = "sink-places";

/// The conditions; see the module.
pub const RULE: Conditions = Conditions {
    name: NAME,
    preserves: Preserve::REACHABILITY.and(Preserve::DEADLOCK).and(Preserve::LIVENESS),
    conditions: 2,
    is_lossless: true,
    ..Conditions::by(check)
};

fn check(net: &Context<'_>, candidate: &Candidate) -> Option<Proposal> {
    let p = candidate.as_place()?;
    net.require(1, !net.in_support(p))?;
    net.require(2, net.consumer_count(p) == 0)?;
    Some(Proposal::of(Edit::RemovePlace(p)))
}
