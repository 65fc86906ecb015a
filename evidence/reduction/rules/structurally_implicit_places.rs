//! A place goes that holds, whenever it matters, at least its share of what other places hold, where
//! a linear program has to find the shares.
//!
//! ```text
//! # deadlock
//! place a 2
//! place b
//! place c
//! place half 1
//! transition s: 2*a -> 2*b + half
//! transition r: 2*b -> 2*c
//! transition t: 2*c + half -> 2*a
//! # becomes
//! place a 2
//! place b
//! place c
//! transition s: 2*a -> 2*b
//! transition r: 2*b -> 2*c
//! transition t: 2*c -> 2*a
//! ```
//!
//! Twice half is never less than b + c, and t takes 2 of c where it takes one of half.
//!
//! # Conditions
//! Candidate: a place p with a multiplicity k, and other places q with multiplicities y(q). Let
//! c = k·m₀(p) − Σ y(q)·m₀(q).
//! 1. p is not in S.
//! 2. k·Δ(t,p) ≥ Σ y(q)·Δ(t,q) for every transition t.
//! 3. k·pre(t,p) ≤ Σ y(q)·pre(t,q) + c for every transition t that takes from p.
//!
//! # Preserves
//! R, D, L, and every reachable marking of the other places.
//!
//! # Soundness
//! That of [implicit places](super::implicit_places), which has k = 1, with k·m(p) for m(p). Two
//! traps of searches with SMT solvers (ITS-Tools fell into both) are none here. An implication that
//! holds only because some t is dead: (2) and (3) hold whatever is enabled, and if t is dead for want
//! of other inputs, it stays so. Places that vouch for each other: each application is checked
//! on the net without those that went before.
//!
//! # Sources
//! Silva, Teruel, Colom, *Linear algebraic and linear programming techniques for the analysis of
//! place/transition net systems*, LNCS 1491, 1998. Garcia-Vallés, Colom, *Implicit places in net
//! systems*, PNPM 1999.

use crate::reduction::change::Proposal;
use crate::reduction::conditions::{Candidate, Conditions, Context};
use crate::reduction::needs::Preserve;

/// Its name.
pub const NAME: &str = "structurally-implicit-places";

/// The conditions; see the module.
pub const RULE: Conditions = Conditions {
    name: NAME,
    preserves: Preserve::REACHABILITY.and(Preserve::DEADLOCK).and(Preserve::LIVENESS),
    conditions: 3,
    is_lossless: true,
    weighs: true,
    ..Conditions::by(check)
};

fn check(net: &Context<'_>, candidate: &Candidate) -> Option<Proposal> {
    super::implicit_places::vouched_for(net, candidate)
}
