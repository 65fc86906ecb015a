//! Removes a place whose tokens no transition changes, and which disables no transition.
//!
//! ```text
//! # deadlock
//! place lock 2
//! place p 1
//! place q
//! transition a: p + 2*lock -> q + 2*lock
//! # becomes
//! place p 1
//! place q
//! transition a: p -> q
//! ```
//!
//! # Conditions
//! The module `rules` explains the notation.
//!
//! Candidate: a place p.
//! 1. Δ(t,p) = 0 for every transition t.
//! 2. pre(t,p) ≤ m₀(p) for every transition t.
//!
//! # Preserves
//! R, D, L, and every reachable marking. A place of S may also be removed: its tokens are kept as a
//! number.
//!
//! # Soundness
//! By (1) p holds m₀(p) in every reachable marking, which by (2) disables no transition. So both
//! nets have the same runs.
//!
//! # Sources
//! Rule M of verifypn (Bønneland et al., *Stubborn versus structural reductions for Petri nets*,
//! JLAMP 102, 2019); constant places in Thierry-Mieg, *Structural reductions revisited*, Petri Nets
//! 2020.

use super::{Candidate, Conditions, Context, Edit, Preserve};

/// The rule; the module documentation states the conditions.
pub const RULE: Conditions =
    Conditions::new("constant-places", Preserve::ALL.and(Preserve::MARKINGS), 2, check).lossless();

fn check(net: &Context<'_>, candidate: &Candidate) -> Option<Vec<Edit>> {
    let p = candidate.as_place()?;
    let mut adjacent = net.consumers(p).chain(net.producers(p));
    net.require(1, adjacent.all(|t| net.effect(t, p) == 0))?;
    net.require(2, net.consumers(p).all(|t| net.pre_weight(t, p) <= net.tokens(p)))?;
    Some(vec![Edit::RemoveConstant(p)])
}
