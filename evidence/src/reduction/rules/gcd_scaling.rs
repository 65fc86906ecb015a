//! Divides the weights at a place by their common divisor.
//!
//! ```text
//! # deadlock
//! place p 7
//! place q
//! transition a: 4*p -> q
//! transition b: q -> 2*p
//! # becomes
//! place p 3
//! place q
//! transition a: 2*p -> q
//! transition b: q -> p
//! ```
//!
//! # Conditions
//! The module `rules` explains the notation.
//!
//! Candidate: a place p.
//! 1. p is not in S.
//! 2. g > 1 divides the weight of every arc at p.
//!
//! # Preserves
//! R, D, L; reachable markings up to the factor at p.
//!
//! # Soundness
//! p always holds m₀(p) mod g more than a multiple of g, and this remainder never enables a
//! transition: m(p) ≥ k·g if and only if ⌊m(p)/g⌋ ≥ k.
//!
//! # Sources
//! Rule J of verifypn.

use super::{Candidate, Conditions, Context, Edit, Preserve, WorkNet};
use parikh_net::PlaceId;

/// The rule; the module documentation states the conditions.
pub const RULE: Conditions =
    Conditions::new("gcd-scaling", Preserve::ALL.and(Preserve::MARKINGS), 2, check);

fn check(net: &Context<'_>, candidate: &Candidate) -> Option<Vec<Edit>> {
    let p = candidate.as_place()?;
    net.require(1, !net.in_support(p))?;
    // Condition (2) requires g > 1. Only in a mutation test, which assumes (2) without testing it,
    // g = 1 becomes 2.
    let g = divisor(net, p)?;
    let g = if g > 1 || !net.holds_or_assumed(2, false) { g } else { 2 };
    (g > 1).then(|| vec![Edit::Divide(p, g)])
}

/// Returns the greatest common divisor of the weights at `p`, or `None` without arcs.
fn divisor(net: &WorkNet, p: PlaceId) -> Option<u64> {
    let taken = net.consumers(p).map(|t| net.pre_weight(t, p));
    let put = net.producers(p).map(|t| net.post_weight(t, p));
    let mut divisor = None;
    for weight in taken.chain(put) {
        let next = divisor.map_or(weight, |d| gcd(d, weight));
        if next == 1 {
            return Some(1);
        }
        divisor = Some(next);
    }
    divisor
}

/// Returns the greatest common divisor, which is `a` if `b` is 0.
pub fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
