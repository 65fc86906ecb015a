//! The visible behaviour of some components together: a graph whose edges have a label or are
//! invisible.

use crate::system::{LabelId, System};
use std::collections::HashMap;

/// The sorted edges of a state: a label (`None` if the step is invisible) and the target.
pub(super) type SuccessorRow = Vec<(Option<LabelId>, u32)>;

/// A graph of the visible behaviour of one component, or of several composed components.
#[derive(Clone, Debug, Default)]
pub(super) struct ComponentGraph {
    /// The initial states.
    pub(super) starts: Vec<u32>,
    /// The edges of each state, indexed by state.
    pub(super) edges: Vec<SuccessorRow>,
    /// The visible labels that the components of the graph own, ascending. A label may be on no
    /// edge.
    pub(super) labels: Vec<LabelId>,
}

impl ComponentGraph {
    /// Returns the graph of a component with all its labels visible.
    pub(super) fn of(system: &System, component: u32) -> ComponentGraph {
        let source = &system.components()[component as usize];
        let rows = source.edges.iter();
        let mut labels: Vec<LabelId> = source.edges.iter().flatten().map(|edge| edge.0).collect();
        labels.sort_unstable();
        labels.dedup();
        ComponentGraph {
            starts: source.starts.clone(),
            edges: rows.map(|row| row.iter().map(|&(it, to)| (Some(it), to)).collect()).collect(),
            labels,
        }
    }

    /// Returns true if `label` is visible and the components of the graph own it.
    pub(super) fn owns(&self, label: LabelId) -> bool {
        self.labels.binary_search(&label).is_ok()
    }

    /// Returns true if the state has an invisible self-loop, so the graph may stay there forever.
    pub(super) fn has_invisible_loop(&self, state: u32) -> bool {
        self.edges[state as usize].binary_search(&(None, state)).is_ok()
    }
}

/// Composes two graphs, synchronised on their shared labels. Also returns, for each state of the
/// result, the pair of states of the two graphs. Returns `None` if there are more than `max_states`
/// states or `goes_on` returned false.
pub(super) fn compose(
    one: &ComponentGraph,
    other: &ComponentGraph,
    max_states: usize,
    goes_on: &mut dyn FnMut() -> bool,
) -> Option<(ComponentGraph, Vec<(u32, u32)>)> {
    let mut labels = [&one.labels[..], &other.labels[..]].concat();
    labels.sort_unstable();
    labels.dedup();
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    let mut numbers: HashMap<(u32, u32), u32> = HashMap::new();
    let mut number = |pairs: &mut Vec<(u32, u32)>, pair: (u32, u32)| {
        *numbers.entry(pair).or_insert_with(|| {
            pairs.push(pair);
            pairs.len() as u32 - 1
        })
    };
    let mut graph = ComponentGraph { labels, ..ComponentGraph::default() };
    for &a in &one.starts {
        for &b in &other.starts {
            graph.starts.push(number(&mut pairs, (a, b)));
        }
    }
    let is_owned_by = |graph: &ComponentGraph, label: Option<LabelId>| {
        label.is_some_and(|label| graph.owns(label))
    };
    while graph.edges.len() < pairs.len() {
        if pairs.len() > max_states || (graph.edges.len().is_multiple_of(256) && !goes_on()) {
            return None;
        }
        let (a, b) = pairs[graph.edges.len()];
        let mut row = SuccessorRow::new();
        for &(label, to) in &one.edges[a as usize] {
            if !is_owned_by(other, label) {
                row.push((label, number(&mut pairs, (to, b))));
                continue;
            }
            let other_edges = &other.edges[b as usize];
            let begin = other_edges.partition_point(|it| it.0 < label);
            for &(_, other_target) in other_edges[begin..].iter().take_while(|it| it.0 == label) {
                row.push((label, number(&mut pairs, (to, other_target))));
            }
        }
        for &(label, to) in other.edges[b as usize].iter().filter(|it| !is_owned_by(one, it.0)) {
            row.push((label, number(&mut pairs, (a, to))));
        }
        row.sort_unstable();
        row.dedup();
        graph.edges.push(row);
    }
    Some((graph, pairs))
}
