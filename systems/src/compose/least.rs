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

/// The signature of a state: the possible steps as label (or `None`) and target class, and whether
/// the state can diverge inside its class.
type Signature = (SuccessorRow, bool);

/// Hides the labels that are not kept and merges equivalent states. Returns the graph and the class
/// of each state, or `None` if `goes_on` returned false.
pub(super) fn least(
    graph: &ComponentGraph,
    keeps: impl Fn(LabelId) -> bool,
    goes_on: &mut dyn FnMut() -> bool,
) -> Option<(ComponentGraph, Vec<u32>)> {
    let seen = |label: Option<LabelId>| label.filter(|&label| keeps(label));
    let rows: Vec<SuccessorRow> = graph
        .edges
        .iter()
        .map(|row| row.iter().map(|&(label, to)| (seen(label), to)).collect())
        .collect();
    let mut class = vec![0; rows.len()];
    let mut count = 1;
    loop {
        if !goes_on() {
            return None;
        }
        let signatures = signatures(&rows, &class);
        let mut numbers: HashMap<(u32, &Signature), u32> = HashMap::new();
        let mut next = Vec::with_capacity(rows.len());
        for (before, (parts, of)) in class.iter().zip(signatures.iter_states()) {
            let new = numbers.len() as u32;
            next.push(*numbers.entry((*before, &parts[of])).or_insert(new));
        }
        let now = numbers.len();
        if now == count {
            break;
        }
        (class, count) = (next, now);
    }
    let mut edges = vec![SuccessorRow::new(); count];
    for (state, row) in rows.iter().enumerate() {
        let its = &mut edges[class[state] as usize];
        let kept = row.iter().map(|&(label, to)| (label, class[to as usize]));
        its.extend(kept.filter(|&(label, to)| label.is_some() || to != class[state]));
    }
    let signatures = signatures(&rows, &class);
    for (state, (parts, of)) in class.iter().zip(signatures.iter_states()) {
        if parts[of].1 {
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
    let labels = graph.labels.iter().copied().filter(|&label| keeps(label)).collect();
    Some((ComponentGraph { starts, edges, labels }, class))
}

/// The signature of each state. States in one strongly connected component of inner invisible steps
/// share a signature.
struct Signatures {
    parts: Vec<Signature>,
    of: Vec<u32>,
}

impl Signatures {
    fn iter_states(&self) -> impl Iterator<Item = (&[Signature], usize)> {
        self.of.iter().map(|&of| (&self.parts[..], of as usize))
    }
}

fn signatures(rows: &[SuccessorRow], class: &[u32]) -> Signatures {
    let stays = |from: usize, label: Option<LabelId>, to: u32| {
        label.is_none() && class[from] == class[to as usize]
    };
    let inside: Vec<Vec<u32>> = rows
        .iter()
        .enumerate()
        .map(|(from, row)| row.iter().filter(|it| stays(from, it.0, it.1)).map(|it| it.1).collect())
        .collect();
    let found = components_of_rows(&inside, |&to| to);
    let mut members = vec![Vec::new(); found.count as usize];
    found.of.iter().enumerate().for_each(|(state, &of)| members[of as usize].push(state));
    // No edge leads to a component with a larger number, so the signatures of the targets are
    // complete.
    let mut parts: Vec<Signature> = Vec::with_capacity(members.len());
    for (part, states) in members.iter().enumerate() {
        let (mut does, mut for_ever) = (SuccessorRow::new(), false);
        for &state in states {
            for &(label, to) in &rows[state] {
                if !stays(state, label, to) {
                    does.push((label, class[to as usize]));
                    continue;
                }
                match found.of[to as usize] as usize {
                    same if same == part => for_ever = true,
                    after => {
                        let (more, its) = &parts[after];
                        does.extend_from_slice(more);
                        for_ever |= its;
                    }
                }
            }
        }
        does.sort_unstable();
        does.dedup();
        parts.push((does, for_ever));
    }
    Signatures { parts, of: found.of }
}
