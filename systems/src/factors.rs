//! Decomposition of a component that behaves like several smaller ones in parallel.
//!
//! Many components result from composing smaller ones, whose unshared steps interleave in any
//! order. A component of 64 states may be the product of five components of two to four states
//! each. A formula then refers to few of the small components, and [`crate::stubborn`] detects that
//! labels of different ones are independent.
//!
//! The *view* of a component through some of its labels merges its states along all edges with
//! other labels. A view can do everything that the component can, so it is an over-approximation,
//! and a checker can recompute it. The views are the *factors* of the component if together they do
//! nothing more than the component ([`is_exact`]). Only then do they replace it here.

use crate::system::{Component, LabelId, System};
use parikh_net::sets::Sets;
use std::collections::BTreeMap;

/// A component of a system, whole or viewed through some of its labels.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct FactorView {
    /// The number of the component.
    pub component: u32,
    /// The labels of the view, ascending. `None` means the whole component.
    pub labels: Option<Vec<LabelId>>,
}

impl FactorView {
    /// Returns one view for each component of a system: the whole component.
    pub fn all_of(system: &System) -> Vec<FactorView> {
        let count = system.components.len() as u32;
        (0..count).map(|component| FactorView { component, labels: None }).collect()
    }
}

/// A system with the same labels and runs as the original. If finite runs do not count, some
/// components are replaced by several smaller ones.
#[derive(Clone, Debug)]
pub(crate) struct FactoredSystem {
    pub(crate) system: System,
    /// For each component of `system`, the component of the original system or the view of it that
    /// it equals.
    pub(crate) views: Vec<FactorView>,
}

impl FactoredSystem {
    /// Returns the system unchanged.
    pub(crate) fn unfactored(system: &System) -> Self {
        Self { system: system.clone(), views: FactorView::all_of(system) }
    }

    /// Replaces each component by its factors if it has one start state and several views that
    /// together behave exactly like it. Other components stay whole.
    pub(crate) fn new(system: &System) -> Self {
        let mut views = Vec::new();
        let mut components: Vec<Component> = Vec::new();
        for (number, component) in (0..).zip(system.components()) {
            let label_classes = label_classes(component);
            let factors: Vec<Factor> =
                label_classes.iter().map(|it| Factor::new(component, it)).collect();
            if factors.len() < 2 || component.starts.len() > 1 || !is_exact(component, &factors) {
                components.push(component.clone());
                views.push(FactorView { component: number, labels: None });
                continue;
            }
            for (labels, part) in label_classes.into_iter().zip(factors) {
                components.push(part.component);
                views.push(FactorView { component: number, labels: Some(labels) });
            }
        }
        let mut owners = vec![Vec::new(); system.label_count()];
        for (at, component) in (0..).zip(&components) {
            for label in labels(component) {
                owners[label.index()].push(at);
            }
        }
        let (name, labels) = (system.name.clone(), system.labels.clone());
        Self { system: System { name, labels, components, owners }, views }
    }
}

/// A component viewed through some of its labels.
struct Factor {
    /// The view as a component.
    component: Component,
    /// The state of the view for each state of the component.
    state_of: Vec<u32>,
}

impl Factor {
    /// Builds the view of a component through the given labels. States connected by other labels
    /// become one state.
    fn new(component: &Component, labels: &[LabelId]) -> Self {
        let mut joined_states = Sets::new(component.edges.len());
        let is_seen = |label: &LabelId| labels.binary_search(label).is_ok();
        for (from, row) in component.edges.iter().enumerate() {
            row.iter()
                .filter(|it| !is_seen(&it.0))
                .for_each(|it| joined_states.join(from, it.1 as usize));
        }
        let (state_of, count) = joined_states.numbered();
        let mut edges = vec![Vec::new(); count as usize];
        let mut states = vec![String::new(); count as usize];
        for (from, row) in component.edges.iter().enumerate() {
            let seen = row.iter().filter(|it| is_seen(&it.0));
            edges[state_of[from] as usize]
                .extend(seen.map(|&(label, to)| (label, state_of[to as usize])));
            if states[state_of[from] as usize].is_empty() {
                states[state_of[from] as usize].clone_from(&component.states[from]);
            }
        }
        let mut starts: Vec<u32> =
            component.starts.iter().map(|&it| state_of[it as usize]).collect();
        for row in edges.iter_mut() {
            row.sort_unstable();
            row.dedup();
        }
        starts.sort_unstable();
        starts.dedup();
        let name = component.name.clone();
        let titles = BTreeMap::new();
        Factor {
            component: Component { name, root: None, states, titles, starts, edges },
            state_of,
        }
    }
}

/// Returns true if the factors together behave exactly like the component. The test: each edge of a
/// factor in a reachable state of the component is the image of an edge of the component from this
/// state. Then relating each state to the tuple of its factors' states is a bisimulation.
fn is_exact(component: &Component, factors: &[Factor]) -> bool {
    let reachable_states = reachable_states(component);
    reachable_states.into_iter().all(|state| {
        let row = &component.edges[state as usize];
        let factor_edges: usize = factors
            .iter()
            .map(|factor| factor.component.edges[factor.state_of[state as usize] as usize].len())
            .sum();
        // Every edge of the component has an image in one of the factors. If the numbers are equal,
        // the factors have no other edges.
        let mut images: Vec<(LabelId, u32)> = Vec::new();
        for &(label, to) in row {
            let owner = factors.iter().find(|factor| {
                let edges = &factor.component.edges[factor.state_of[state as usize] as usize];
                edges.binary_search(&(label, factor.state_of[to as usize])).is_ok()
            });
            images.extend(owner.map(|factor| (label, factor.state_of[to as usize])));
        }
        images.sort_unstable();
        images.dedup();
        images.len() == factor_edges
    })
}

/// Returns the states that a component reaches without restriction by other components.
fn reachable_states(component: &Component) -> Vec<u32> {
    let mut is_reached = vec![false; component.edges.len()];
    let mut reached_states = component.starts.clone();
    reached_states.iter().for_each(|&start| is_reached[start as usize] = true);
    let mut next = 0;
    while let Some(&state) = reached_states.get(next) {
        next += 1;
        for &(_, to) in &component.edges[state as usize] {
            if !std::mem::replace(&mut is_reached[to as usize], true) {
                reached_states.push(to);
            }
        }
    }
    reached_states
}

/// Returns the labels of a component, ascending.
fn labels(component: &Component) -> Vec<LabelId> {
    let mut labels: Vec<LabelId> =
        component.edges.iter().flatten().map(|&(label, _)| label).collect();
    labels.sort_unstable();
    labels.dedup();
    labels
}

/// Limit on the number of compared pairs of an edge and a label. A component with more stays whole.
const MAX_COMPARED_PAIRS: usize = 1 << 24;

/// Partitions the labels of a component into classes, as fine as the following rule allows. Two
/// labels share a class if one may enable or disable the other, or if their order matters. Labels
/// ascend within a class, and classes ascend by their first labels. A component beyond the limit
/// [`MAX_COMPARED_PAIRS`] has a single class.
fn label_classes(component: &Component) -> Vec<Vec<LabelId>> {
    let labels = labels(component);
    if labels.len() * component.edge_count() > MAX_COMPARED_PAIRS {
        return vec![labels];
    }
    let number = |label: LabelId| labels.binary_search(&label).unwrap_or_default();
    let mut classes = Sets::new(labels.len());
    for row in &component.edges {
        for &(first, middle) in row {
            for &second in &labels {
                if second != first && !commute_at(component, row, (first, middle), second) {
                    classes.join(number(first), number(second));
                }
            }
        }
    }
    let (class_of, count) = classes.numbered();
    let mut labels_of_class = vec![Vec::new(); count as usize];
    labels
        .iter()
        .zip(class_of)
        .for_each(|(&label, class)| labels_of_class[class as usize].push(label));
    labels_of_class
}

/// Returns true if two conditions hold in the state with the edges `row`, for its edge `(first,
/// first_target)`. This edge neither enables nor disables the label `second`. Every state reached
/// by this edge and then `second` is also reached by `second` and then `first`.
fn commute_at(
    component: &Component,
    row: &[(LabelId, u32)],
    (first, first_target): (LabelId, u32),
    second: LabelId,
) -> bool {
    let targets_before = edges_with_label(row, second);
    let targets_after = edges_with_label(&component.edges[first_target as usize], second);
    if targets_before.is_empty() != targets_after.is_empty() {
        return false;
    }
    let is_reached = |&(_, end): &(LabelId, u32)| {
        targets_before.iter().any(|&(_, second_target)| {
            component.edges[second_target as usize].binary_search(&(first, end)).is_ok()
        })
    };
    targets_after.iter().all(is_reached)
}

/// Returns the edges of a row with this label.
pub(crate) fn edges_with_label(row: &[(LabelId, u32)], label: LabelId) -> &[(LabelId, u32)] {
    let begin = row.partition_point(|it| it.0 < label);
    let end = row.partition_point(|it| it.0 <= label);
    &row[begin..end]
}
