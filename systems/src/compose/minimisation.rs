//! Minimisation of graphs: merging of equivalent states.
//!
//! Two states are equivalent under *divergence-preserving branching bisimulation*. Each can do what
//! the other can, immediately or after invisible steps to equivalent states. Either both have
//! infinite sequences of such invisible steps or neither has. The algorithm refines a partition by
//! *signatures*, the possible steps into the current classes, until no class splits.
//!
//! Source: S. Blom and S. Orzan, *Distributed branching bisimulation reduction of state spaces*,
//! ENTCS 89(1), 2003; R. van Glabbeek, B. Luttik and N. Trčka, *Branching bisimilarity with
//! explicit divergence*, Fundamenta Informaticae 93, 2009.

use super::graph::{ComponentGraph, SuccessorRow};
use crate::system::LabelId;
use parikh_net::components::components_of_rows;
use std::collections::HashMap;

/// The signature of a state: the possible steps as label (`None` if invisible) and target class.
/// The flag is true if invisible steps inside its class can repeat forever.
type Signature = (SuccessorRow, bool);

/// Makes the labels invisible for which `is_kept` is false, and merges equivalent states. Returns
/// the graph and the class of each state, or `None` if `goes_on` returned false.
pub(super) fn minimise(
    graph: &ComponentGraph,
    is_kept: impl Fn(LabelId) -> bool,
    goes_on: &mut dyn FnMut() -> bool,
) -> Option<(ComponentGraph, Vec<u32>)> {
    let visible_label = |label: Option<LabelId>| label.filter(|&label| is_kept(label));
    let rows: Vec<SuccessorRow> = graph
        .edges
        .iter()
        .map(|row| row.iter().map(|&(label, to)| (visible_label(label), to)).collect())
        .collect();
    let mut class = vec![0; rows.len()];
    let mut count = 1;
    loop {
        if !goes_on() {
            return None;
        }
        let signatures = signatures(&rows, &class);
        let mut numbers: HashMap<(u32, &Signature), u32> = HashMap::new();
        let mut new_class = Vec::with_capacity(rows.len());
        for (old_class, (scc_signatures, signature_index)) in
            class.iter().zip(signatures.iter_states())
        {
            let new = numbers.len() as u32;
            new_class.push(
                *numbers.entry((*old_class, &scc_signatures[signature_index])).or_insert(new),
            );
        }
        let new_count = numbers.len();
        if new_count == count {
            break;
        }
        (class, count) = (new_class, new_count);
    }
    let mut edges = vec![SuccessorRow::new(); count];
    for (state, row) in rows.iter().enumerate() {
        let class_edges = &mut edges[class[state] as usize];
        let visible_edges = row.iter().map(|&(label, to)| (label, class[to as usize]));
        class_edges
            .extend(visible_edges.filter(|&(label, to)| label.is_some() || to != class[state]));
    }
    let signatures = signatures(&rows, &class);
    for (state, (scc_signatures, signature_index)) in class.iter().zip(signatures.iter_states()) {
        if scc_signatures[signature_index].1 {
            edges[*state as usize].push((None, *state));
        }
    }
    for row in &mut edges {
        row.sort_unstable();
        row.dedup();
    }
    let mut starts: Vec<u32> = graph.starts.iter().map(|&it| class[it as usize]).collect();
    starts.sort_unstable();
    starts.dedup();
    let labels = graph.labels.iter().copied().filter(|&label| is_kept(label)).collect();
    Some((ComponentGraph { starts, edges, labels }, class))
}

/// The signature of each state. An *inner* step is an invisible step inside a class. States in one
/// strongly connected component of inner steps share a signature.
struct Signatures {
    /// The signature of each strongly connected component of inner steps.
    signatures: Vec<Signature>,
    /// The component of each state, as an index in the list of signatures.
    signature_of_state: Vec<u32>,
}

impl Signatures {
    /// Iterates over the states. Each item has all signatures, and the index of the state's
    /// signature among them.
    fn iter_states(&self) -> impl Iterator<Item = (&[Signature], usize)> {
        self.signature_of_state.iter().map(|&of| (&self.signatures[..], of as usize))
    }
}

/// Computes the signatures of all states under a partition. `class` has the class of each state.
fn signatures(rows: &[SuccessorRow], class: &[u32]) -> Signatures {
    let is_inner_step = |from: usize, label: Option<LabelId>, to: u32| {
        label.is_none() && class[from] == class[to as usize]
    };
    let inner_successors: Vec<Vec<u32>> = rows
        .iter()
        .enumerate()
        .map(|(from, row)| {
            row.iter().filter(|it| is_inner_step(from, it.0, it.1)).map(|it| it.1).collect()
        })
        .collect();
    let sccs = components_of_rows(&inner_successors, |&to| to);
    let mut members = vec![Vec::new(); sccs.count as usize];
    sccs.component_of.iter().enumerate().for_each(|(state, &of)| members[of as usize].push(state));
    // No edge leads to a component with a larger number, so the signatures of the targets are
    // complete.
    let mut scc_signatures: Vec<Signature> = Vec::with_capacity(members.len());
    for (scc, states) in members.iter().enumerate() {
        let (mut observable_steps, mut can_diverge) = (SuccessorRow::new(), false);
        for &state in states {
            for &(label, to) in &rows[state] {
                if !is_inner_step(state, label, to) {
                    observable_steps.push((label, class[to as usize]));
                    continue;
                }
                match sccs.component_of[to as usize] as usize {
                    same if same == scc => can_diverge = true,
                    after => {
                        let (successor_steps, successor_diverges) = &scc_signatures[after];
                        observable_steps.extend_from_slice(successor_steps);
                        can_diverge |= successor_diverges;
                    }
                }
            }
        }
        observable_steps.sort_unstable();
        observable_steps.dedup();
        scc_signatures.push((observable_steps, can_diverge));
    }
    Signatures { signatures: scc_signatures, signature_of_state: sccs.component_of }
}
