//! A transition that only loses tokens nobody asks for goes.
//!
//! ```text
//! # reachability over q
//! place p 1
//! place q
//! place r
//! transition a: p -> q + r
//! transition b: q + 2*r -> q + r
//! # becomes
//! place p 1
//! place q
//! place r
//! transition a: p -> q + r
//! ```
//!
//! # Conditions
//! Candidate: a transition t.
//! 1. post(t,p) ≤ pre(t,p) for every place p.
//! 2. t does not touch S.
//!
//! # Preserves
//! R only. Not D, nor L: fewer tokens may mean a deadlock.
//!
//! # Soundness
//! Leave all firings of t out of a run. The markings on the way have no fewer tokens than before
//! by (1), so all else still fires; on S they are the same by (2). The other direction is trivial.
//!
//! # Sources
//! Rule G of verifypn; sink transitions in Thierry-Mieg, *Structural reductions revisited*, 2020.

use crate::reduction::change::{Edit, Proposal};
use crate::reduction::conditions::{Candidate, Conditions, Context};
use crate::reduction::needs::Preserve;

/// Its name.
pub const NAME: &str = "lossy-transitions";

/// The conditions; see the module.
pub const RULE: Conditions = Conditions {
    name: NAME,
    preserves: Preserve::REACHABILITY,
    conditions: 2,
    ..Conditions::by(check)
};

fn check(net: &Context<'_>, candidate: &Candidate) -> Option<Proposal> {
    let [t] = candidate.transitions[..] else { return None };
    net.require(1, net.changes(t).all(|(_, change)| change <= 0))?;
    net.require(2, !net.touches_support(t))?;
    Some(Proposal::of(Edit::RemoveTransition(t)))
}
