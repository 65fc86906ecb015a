//! Firings that a formula without EX and AX does not see: markings before and after satisfy the
//! same.
//!
//! # Conditions
//! 1. The formula has neither EX nor AX, and no atom speaks of deadness.
//! 2. The transition takes tokens, and no other takes tokens from where it does: p• = {t} for all p
//!    ∈ •t.
//! 3. It changes no place that an atom speaks of.
//!
//! # Soundness
//! Let t be such a transition and m →t m'. Then m and m' satisfy the same formulas of CTL* without
//! next. Atoms agree on them, by (3). By (2), t stays enabled until it fires, whatever else fires,
//! and what is enabled beside it is enabled after it. So a maximal path from m that begins with t
//! is a path from m' with one marking more in front that looks the same; one that fires t later,
//! after u₁ … uₖ, is matched from m' by u₁ … uₖ, whose markings look the same one by one, and then
//! goes on equally; one that never fires t is infinite, since a marking with t enabled is not dead,
//! and is matched from m' by the same firings. The other way round, a maximal path from m' is one
//! from m with t in front. In each case the two paths are equal up to repetitions of markings that
//! look the same, they end or do not end together, and the markings that are matched are related
//! again: equal, or one firing of t apart. That is a stuttering bisimulation that respects maximal
//! paths, finite ones, too.
//!
//! # For labellings
//! A claim about m' so stands for the claim about m. Where a firing leads to m, the checker takes
//! any listed marking on the way from m along such firings for it. For untils ranks decrease to the
//! listed marking, and truth carries over. For A(φ R ψ), a violation from m of k firings is matched
//! by one from m' of no more, by the argument above, so the shortest violation from a listed
//! marking leads to a shorter one from another. For E(φ R ψ), the firings on the way to the listed
//! marking are part of the path.
//!
//! Source: condition (2) and (3) are those of Gerth, Kuiper, Peled and Penczek, *A Partial Order
//! Approach to Branching Time Logic Model Checking*, Information and Computation 1999, where a
//! single transition is taken; here markings are identified, and nothing has to be said of cycles.

use parikh_net::{Net, TransitionId, TreeProperty};
use parikh_temporal::Node;

/// The transitions whose firings the property does not see, ascending.
pub fn silent(net: &Net, property: &TreeProperty) -> Vec<TransitionId> {
    let formulas = property.formulas();
    let parts = formulas.below(property.formula());
    // 1
    if parts.iter().any(|&part| matches!(formulas.node(part), Node::Next(..)))
        || property.atoms().iter().any(|atom| atom.mentions_deadness())
    {
        return Vec::new();
    }
    let mut is_seen = vec![false; net.place_count()];
    property.support(net).into_iter().for_each(|place| is_seen[place.index()] = true);
    let is_silent = |&t: &TransitionId| {
        let alone = |arc: &parikh_net::Arc| net.consumers(arc.place).len() == 1;
        // 2
        !net.pre(t).is_empty()
            && net.pre(t).iter().all(alone)
            // Where nothing changes, there is nothing to be identified.
            && !net.delta(t).is_empty()
            // 3
            && net.delta(t).iter().all(|change| !is_seen[change.place.index()])
    };
    net.transitions().filter(is_silent).collect()
}
