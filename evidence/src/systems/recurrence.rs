//! The possible infinite behaviour of a run that violates a formula, derived from single
//! components.
//!
//! Eventually, a run stays in one strongly connected component of the automaton of the negation.
//! Each component of the system stays in one strongly connected part of its states. So consider a
//! label that occurs infinitely often. In each component that has the label, it is on an edge
//! between two states that reach each other by labels that also occur infinitely often. Some edge
//! of the automaton's component reads it. Labels without this property are removed until all
//! remaining labels have it. Edges of the automaton that read no remaining label are removed as
//! well. If the rest of a component of the automaton has all marks, it is a *part*: from some point
//! on, a violating run takes only edges of one part, with its labels. Without parts there is no
//! violating run.
//!
//! The result is about infinite runs only.

use super::negation::Negation;
use super::system::System;
use parikh_net::components::components_of_rows;
use parikh_temporal::Marks;
use std::collections::BTreeSet;

/// A *part*: edges and labels that may occur infinitely often together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RecurringEdges<'s> {
    /// Edges of the automaton, each as its source state and its index among the edges of this
    /// state.
    pub(super) edges: BTreeSet<(usize, usize)>,
    /// The labels of steps of the system.
    pub(super) labels: BTreeSet<&'s str>,
}

/// Computes the sets of automaton edges and labels that may occur infinitely often together in a
/// violating run. If there is no such set, no infinite run violates the formula.
pub(super) fn recurring_parts<'s>(
    system: &'s System,
    negation: &Negation<'s>,
) -> Vec<RecurringEdges<'s>> {
    let automaton = &negation.automaton;
    let state_rows = automaton.states.iter().enumerate();
    let edges = state_rows.flat_map(|(state, row)| (0..row.len()).map(move |edge| (state, edge)));
    let mut open =
        vec![RecurringEdges { edges: edges.collect(), labels: system.labels().collect() }];
    let mut done = Vec::new();
    while let Some(part) = open.pop() {
        let target = |&(state, edge): &(usize, usize)| automaton.states[state][edge].target;
        let reads = |&(state, edge): &(usize, usize), label: &str| {
            negation.reads(&automaton.states[state][edge], negation.letter_of(label))
        };
        let usable: Vec<(usize, usize)> = part
            .edges
            .iter()
            .copied()
            .filter(|edge| part.labels.iter().any(|label| reads(edge, label)))
            .collect();
        let mut successors = vec![Vec::new(); automaton.states.len()];
        usable.iter().for_each(|edge| successors[edge.0].push(target(edge) as u32));
        let sccs = components_of_rows(&successors, |&to| to);
        for scc in 0..sccs.count {
            let is_inside = |edge: &&(usize, usize)| {
                sccs.component_of[edge.0] == scc && sccs.component_of[target(edge)] == scc
            };
            let edges: BTreeSet<(usize, usize)> =
                usable.iter().filter(is_inside).copied().collect();
            let carried_marks = edges.iter().fold(Marks::NONE, |union, &(state, edge)| {
                union.or(automaton.states[state][edge].marks)
            });
            if edges.is_empty() || !Marks::all(automaton.marks).is_subset(carried_marks) {
                continue;
            }
            let is_read = |label: &&str| edges.iter().any(|edge| reads(edge, label));
            let labels =
                recurring_labels(system, part.labels.iter().copied().filter(is_read).collect());
            let smaller = RecurringEdges { edges, labels };
            match () {
                () if smaller.labels.is_empty() => {}
                () if smaller == part => done.push(smaller),
                () => open.push(smaller),
            }
        }
    }
    done
}

/// Returns the largest subset of `labels` whose labels may all occur infinitely often. In each
/// component of the system that has a label of the subset, this label is on an edge between two
/// states that reach each other. The paths between them use labels of the subset only.
fn recurring_labels<'s>(system: &'s System, mut labels: BTreeSet<&'s str>) -> BTreeSet<&'s str> {
    loop {
        let mut kept = labels.clone();
        for (index, component) in system.components().iter().enumerate() {
            let edges: Vec<_> =
                component.edges.iter().filter(|edge| labels.contains(edge.1.as_str())).collect();
            let mut successors = vec![Vec::new(); component.states];
            for (from, _, to) in &edges {
                successors[*from].push(*to as u32);
            }
            let sccs = components_of_rows(&successors, |&to| to);
            let labels_in_sccs: BTreeSet<&str> = edges
                .iter()
                .filter(|(from, _, to)| sccs.component_of[*from] == sccs.component_of[*to])
                .map(|edge| edge.1.as_str())
                .collect();
            kept.retain(|label| {
                !system.owners(label).contains(&index) || labels_in_sccs.contains(label)
            });
        }
        if kept == labels {
            return kept;
        }
        labels = kept;
    }
}
