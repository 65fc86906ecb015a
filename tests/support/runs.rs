//! Decides if a net has a run with a property, by the product of its state space with an automaton.
//!
//! E. A. Emerson, C.-L. Lei, *Efficient model checking in fragments of the propositional
//! μ-calculus*, LICS 1986: remove all nodes that cannot continue and meet every acceptance mark
//! again. A run exists iff a node is left.

use super::oracle::StateSpace;
use parikh::net::{RunProperty, TransitionId};
use parikh_temporal::{Automaton, AutomatonLimits};

/// An edge of the product: the index of its target node, and its acceptance marks as bits.
type AutomatonProductEdge = (usize, u64);

/// Returns true if some run has the property. Fairness is part of the formula.
pub(crate) fn exists(space: &StateSpace<'_>, property: &RunProperty) -> bool {
    let property = &property.with_fairness_in_formula();
    let mut formulas = property.formulas().clone();
    let automaton = Automaton::of(&mut formulas, property.formula(), AutomatonLimits::default())
        .expect("properties of tests are small");
    if automaton.states.is_empty() {
        return false;
    }
    let edges = product(space, property, &automaton);
    let mut left = reached(&edges, automaton.initial);
    loop {
        let before = left.clone();
        for mark in 0..automaton.marks.max(1) {
            let is_met = |marks: u64| automaton.marks == 0 || marks >> mark & 1 == 1;
            left = leading_to(&edges, &left, is_met);
        }
        if left == before {
            return left.contains(&true);
        }
    }
}

/// Returns the edges of all nodes. Marking m with state q has the index m · states + q.
fn product(
    space: &StateSpace<'_>,
    property: &RunProperty,
    automaton: &Automaton,
) -> Vec<Vec<AutomatonProductEdge>> {
    let states = automaton.states.len();
    let mut edges = vec![Vec::new(); space.states() * states];
    for (at, marking) in space.markings().iter().enumerate() {
        let mut ways: Vec<(usize, Option<TransitionId>)> = space.fired_from(at).collect();
        // A dead marking repeats forever, so that every maximal run is infinite.
        if ways.is_empty() {
            ways.push((at, None));
        }
        for (to, firing) in ways {
            let letter = property.letter(space.net(), marking, firing);
            for (state, out) in automaton.states.iter().enumerate() {
                for edge in out.iter().filter(|edge| edge.cube.holds(&letter)) {
                    edges[at * states + state].push((to * states + edge.target, edge.marks.0));
                }
            }
        }
    }
    edges
}

/// Returns for each node whether it is reachable from the node `from`.
fn reached(edges: &[Vec<AutomatonProductEdge>], from: usize) -> Vec<bool> {
    let mut reached = vec![false; edges.len()];
    let mut row = vec![from];
    reached[from] = true;
    while let Some(node) = row.pop() {
        for &(to, _) in &edges[node] {
            if !reached[to] {
                reached[to] = true;
                row.push(to);
            }
        }
    }
    reached
}

/// Returns the nodes of `among` from which a path inside `among` ends with an edge whose marks
/// satisfy `met`. Sets of nodes have one boolean per node.
fn leading_to(
    edges: &[Vec<AutomatonProductEdge>],
    among: &[bool],
    met: impl Fn(u64) -> bool,
) -> Vec<bool> {
    let mut leads = vec![false; among.len()];
    loop {
        let mut grows = false;
        for node in 0..among.len() {
            let goes = |&(to, marks): &AutomatonProductEdge| among[to] && (met(marks) || leads[to]);
            if among[node] && !leads[node] && edges[node].iter().any(goes) {
                leads[node] = true;
                grows = true;
            }
        }
        if !grows {
            return leads;
        }
    }
}
