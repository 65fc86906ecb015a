//! Removes transitions that need more of some weighted sum of tokens than any reachable marking
//! has.
//!
//! ```text
//! # reachability over busy
//! place idle 2
//! place busy
//! place pair
//! transition start: idle -> busy
//! transition stop: busy -> idle
//! transition meet: 2*busy + idle -> pair
//! transition part: pair -> 2*busy + idle
//! # becomes
//! place idle 2
//! place busy
//! place pair
//! transition start: idle -> busy
//! transition stop: busy -> idle
//! ```
//!
//! The sum idle + busy + 3·pair is always 2, and meet and part need 3 of it.
//!
//! # Conditions
//! The module `rules` explains the notation.
//!
//! Candidate: places p with multiplicities y(p), and a set D of transitions.
//! 1. Σ y(p)·m₀(p) < Σ y(p)·pre(t,p) for every t in D.
//! 2. Σ y(p)·Δ(u,p) ≤ 0 for every transition u outside D.
//!
//! # Preserves
//! R, D, L, and every reachable marking.
//!
//! # Soundness
//! Take the first firing of a transition t of D in any run. Until then only transitions outside D
//! fired, so the sum is at most what it was initially by (2), and too small for t by (1).
//!
//! # Sources
//! Silva, Teruel, Colom, *Linear algebraic and linear programming techniques for the analysis of
//! place/transition net systems*, LNCS 1491, 1998. ITS-Tools looks for dead transitions with an SMT
//! solver in its reductions: Thierry-Mieg, *Symbolic and structural model-checking*, Fundamenta
//! Informaticae 183, 2021.

use super::{Candidate, Conditions, Context, Edit, Preserve, WeightedSum};
use parikh_net::TransitionId;

/// The rule; the module documentation states the conditions.
pub const RULE: Conditions =
    Conditions::new("unmarkable-presets", Preserve::ALL.and(Preserve::MARKINGS), 2, check)
        .lossless()
        .with_weights();

fn check(net: &Context<'_>, candidate: &Candidate) -> Option<Vec<Edit>> {
    let mut dead = candidate.transitions.clone();
    if dead.is_empty() {
        return None;
    }
    dead.sort_unstable();
    let sum = WeightedSum::of(net, candidate.weighted_places());
    net.require(1, dead.iter().all(|&t| sum.tokens < sum.required_tokens(t)))?;
    let keeps_or_decreases = |(u, (_, change)): (&TransitionId, &(i128, i128))| {
        *change <= 0 || dead.binary_search(u).is_ok()
    };
    net.require(2, sum.transition_effects.iter().all(keeps_or_decreases))?;
    Some(dead.into_iter().map(Edit::RemoveDead).collect())
}
