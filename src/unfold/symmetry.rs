//! Symmetric variables: exchanging two of them leaves guard and arcs as they are, so two bindings
//! that differ by such an exchange take and put the same, and one of them is enough.
//!
//! ```text
//! transition t: p{x + y} -> q{x + y}        # t(x=1,y=2) and t(x=2,y=1) are one: only x ≤ y is kept
//! ```
//!
//! # Soundness
//! If exchanging x with y, and y with z, leaves a transition as it is, so does every permutation of
//! x, y, z; among the bindings that permutations map to each other there is one with x ≤ y ≤ z.

use parikh_net::coloured::{
    ColouredArc, ColouredNet, ColouredTransition, Guard, Multiset, VariableId,
};
use std::collections::BTreeMap;

/// Comparing all pairs of more variables than this is not worth it.
const MOST: usize = 40;

/// Pairs of variables of which the first need never be greater than the second.
pub(super) fn ordered_pairs(
    net: &ColouredNet,
    transition: &ColouredTransition,
) -> Vec<(VariableId, VariableId)> {
    let variables = transition.variables();
    let mut pairs = Vec::new();
    if variables.len() > MOST {
        return pairs;
    }
    let as_it_is = shape(transition, &|variable| variable);
    let mut taken = vec![false; variables.len()];
    for at in 0..variables.len() {
        if taken[at] {
            continue;
        }
        let mut last = variables[at];
        for other in at + 1..variables.len() {
            let (x, y) = (variables[at], variables[other]);
            if taken[other] || net.variable(x).sort != net.variable(y).sort {
                continue;
            }
            let exchanged = shape(transition, &|variable| match variable {
                v if v == x => y,
                v if v == y => x,
                v => v,
            });
            if exchanged == as_it_is {
                taken[other] = true;
                pairs.push((last, y));
                last = y;
            }
        }
    }
    pairs
}

type Side = BTreeMap<usize, Multiset>;

/// A transition with its variables renamed, in a form in which equal ones are equal.
fn shape(
    transition: &ColouredTransition,
    rename: &impl Fn(VariableId) -> VariableId,
) -> (Guard, Side, Side) {
    let side = |arcs: &[ColouredArc]| {
        let mut by_place: BTreeMap<usize, Vec<Multiset>> = BTreeMap::new();
        for arc in arcs {
            let inscriptions = by_place.entry(arc.place.index()).or_default();
            inscriptions.push(arc.inscription.renamed(rename));
        }
        let sum = |(place, parts)| (place, Multiset::sum(parts).sorted());
        by_place.into_iter().map(sum).collect::<Side>()
    };
    (transition.guard.renamed(rename), side(&transition.takes), side(&transition.puts))
}
