//! Symmetric variables. If exchanging two variables leaves the guard and the arcs unchanged, two
//! bindings that differ by this exchange have the same inputs and outputs. One of them is enough.
//!
//! ```text
//! transition t: p{x + y} -> q{x + y}        # t(x=1,y=2) and t(x=2,y=1) are one: only x ≤ y is kept
//! ```
//!
//! # Soundness
//! If exchanging x with y, and y with z, leaves a transition unchanged, so does every permutation
//! of x, y, z. Among the bindings that permutations map to each other, one satisfies x ≤ y ≤ z.

use parikh_net::coloured::{
    ColouredArc, ColouredNet, ColouredTransition, Guard, Multiset, VariableId,
};
use std::collections::BTreeMap;

/// Largest number of variables of a transition for which pairs are compared. The comparison of all
/// pairs is too expensive for more.
const MAX_VARIABLES: usize = 40;

/// Returns pairs (x, y) of symmetric variables: only bindings with x ≤ y are needed. Returns no
/// pairs for a transition with more than [`MAX_VARIABLES`] variables.
pub(super) fn ordered_pairs(
    net: &ColouredNet,
    transition: &ColouredTransition,
) -> Vec<(VariableId, VariableId)> {
    let variables = transition.variables();
    let mut pairs = Vec::new();
    if variables.len() > MAX_VARIABLES {
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

/// The multiset of each place at the input arcs or the output arcs, by place index.
type ArcMultisets = BTreeMap<usize, Multiset>;

/// Returns the guard, inputs and outputs of a transition with renamed variables, in a canonical
/// form.
fn shape(
    transition: &ColouredTransition,
    rename: &impl Fn(VariableId) -> VariableId,
) -> (Guard, ArcMultisets, ArcMultisets) {
    let side = |arcs: &[ColouredArc]| {
        let mut by_place: BTreeMap<usize, Vec<Multiset>> = BTreeMap::new();
        for arc in arcs {
            let inscriptions = by_place.entry(arc.place.index()).or_default();
            inscriptions.push(arc.inscription.renamed(rename));
        }
        let sum = |(place, parts)| (place, Multiset::sum(parts).sorted());
        by_place.into_iter().map(sum).collect::<ArcMultisets>()
    };
    (transition.guard.renamed(rename), side(&transition.inputs), side(&transition.outputs))
}
