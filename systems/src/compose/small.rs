//! The remaining graphs of a composition as a system.

use super::graph::{ComponentGraph, SuccessorRow};
use crate::formula::KindAutomaton;
use crate::system::{Component, LabelId, System};

/// Turns the minimised graphs back into a system. Returns the system, the original label of each of
/// its labels (`None` for the invisible steps of a graph), and the automaton renumbered to the new
/// labels.
pub(super) fn system_of_graphs(
    system: &System,
    graphs: &[&ComponentGraph],
    automaton: &KindAutomaton,
) -> (System, Vec<Option<LabelId>>, KindAutomaton) {
    let mut visible_labels: Vec<LabelId> =
        graphs.iter().flat_map(|graph| graph.labels.iter().copied()).collect();
    visible_labels.sort_unstable();
    visible_labels.dedup();
    let number = |label: Option<LabelId>, graph: usize| {
        let index = label.and_then(|label| visible_labels.binary_search(&label).ok());
        LabelId(index.unwrap_or(visible_labels.len() + graph) as u32)
    };
    let row = |row: &SuccessorRow, graph: usize| {
        let mut row: Vec<_> = row.iter().map(|&(label, to)| (number(label, graph), to)).collect();
        row.sort_unstable();
        row
    };
    let component = |(index, graph): (usize, &&ComponentGraph)| Component {
        name: String::new(),
        root: None,
        states: vec![String::new(); graph.edges.len()],
        titles: Default::default(),
        starts: graph.starts.clone(),
        edges: graph.edges.iter().map(|it| row(it, index)).collect(),
    };
    let components = graphs.iter().enumerate().map(component).collect();
    // A graph owns each of its visible labels, even if the label is on no edge.
    let owners_of = |label: LabelId| {
        let owning_graphs = (0..).zip(graphs).filter(|(_, graph)| graph.owns(label));
        owning_graphs.map(|it| it.0).collect::<Vec<u32>>()
    };
    let invisible_owners = 0..graphs.len() as u32;
    let owners = visible_labels
        .iter()
        .map(|&it| owners_of(it))
        .chain(invisible_owners.map(|it| vec![it]))
        .collect();
    let names = visible_labels.iter().map(|&label| system.label(label).to_owned());
    let labels = names.chain(graphs.iter().map(|_| String::new())).collect();
    let kinds = visible_labels.iter().map(|&label| automaton.kind(label) as u8);
    let renumbered = KindAutomaton {
        kinds: kinds.chain(graphs.iter().map(|_| automaton.other_kind() as u8)).collect(),
        ..automaton.clone()
    };
    let small = System { name: system.name.clone(), labels, components, owners };
    let none = graphs.iter().map(|_| None);
    (small, visible_labels.into_iter().map(Some).chain(none).collect(), renumbered)
}
