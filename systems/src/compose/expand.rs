//! Translation of runs of the minimised system into runs of the system.
//!
//! A word of visible labels at a node has a run in the node's graph before minimisation, which also
//! shows the labels shared by its two parts. Each part's share of this run is again a word. The
//! translation descends to single components; on the way back, the runs of two parts are merged
//! along their shared labels.

use super::CompositionNode;
use super::graph::ComponentGraph;
use crate::search::ComponentRun;
use crate::system::LabelId;
use parikh_net::components::components;
use std::collections::HashMap;

/// A word of visible labels: a prefix, then a cycle. If the cycle is empty, invisible steps may
/// follow forever (`continues_invisibly`).
#[derive(Debug)]
struct LassoWord {
    /// The labels of the prefix.
    prefix: Vec<LabelId>,
    /// The labels of the cycle.
    cycle: Vec<LabelId>,
    /// True if invisible steps repeat forever after the prefix. Used only if `cycle` is empty.
    continues_invisibly: bool,
}

/// Limit on the length of a run.
const MAX_RUN_LENGTH: usize = 1 << 20;

/// Limit on the number of pairs of a state and a position in the word.
const MAX_PRODUCT_NODES: usize = 1 << 24;

/// A step: its label (`None` if invisible), source and target.
type JointStep = (Option<LabelId>, u32, u32);

/// Returns a run of the components of a node whose visible labels form the given word. Returns
/// `None` if there is no such run or a limit is exceeded.
fn run_of_node(
    nodes: &[CompositionNode],
    node_number: usize,
    word: &LassoWord,
) -> Option<ComponentRun> {
    let node = &nodes[node_number];
    let (steps, cycle_start) = steps_of_word(&node.original, &node.minimised.labels, word)?;
    let Some((a, b)) = node.children else {
        let labels: Vec<LabelId> = steps.iter().filter_map(|step| step.0).collect();
        return Some(ComponentRun { labels, cycle_start });
    };
    let mut moves = Vec::with_capacity(steps.len());
    for &(label, from, to) in &steps {
        let ((first_part_before, _), (first_part_after, _)) =
            (node.pairs[from as usize], node.pairs[to as usize]);
        // An invisible step moves the part whose state changes. If neither state changes, it is an
        // invisible self-loop of the first part if that part has one in this state, otherwise of
        // the second.
        let is_first = first_part_before != first_part_after
            || (from == to && nodes[a].minimised.has_invisible_loop(first_part_before));
        moves.push(match label {
            Some(label) => JointMove::Label(label),
            None if is_first => JointMove::Invisible(0),
            None => JointMove::Invisible(1),
        });
    }
    run_of_nodes(nodes, &[a, b], &moves, cycle_start)
}

/// Returns a run of the components of these nodes that makes these moves, repeating from
/// `cycle_start` on. Returns `None` if there is no such run or a limit is exceeded.
pub(super) fn run_of_nodes(
    nodes: &[CompositionNode],
    part_nodes: &[usize],
    moves: &[JointMove],
    cycle_start: usize,
) -> Option<ComponentRun> {
    let mut part_runs = Vec::new();
    for (part_index, &part) in part_nodes.iter().enumerate() {
        let visible_labels = |moves: &[JointMove]| -> Vec<LabelId> {
            let labels = moves.iter().filter_map(|it| match it {
                JointMove::Label(label) => Some(*label),
                JointMove::Invisible(_) => None,
            });
            labels.filter(|&label| nodes[part].minimised.owns(label)).collect()
        };
        let word = LassoWord {
            prefix: visible_labels(&moves[..cycle_start]),
            cycle: visible_labels(&moves[cycle_start..]),
            continues_invisibly: moves[cycle_start..].contains(&JointMove::Invisible(part_index)),
        };
        let run = run_of_node(nodes, part, &word)?;
        part_runs.push(PartRun { run, graph: &nodes[part].minimised, position: 0 });
    }
    merge_runs(moves, cycle_start, &mut part_runs)
}

/// A step of several nodes of the composition tree in parallel. These nodes are the parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum JointMove {
    /// A step of all nodes in which this label is visible.
    Label(LabelId),
    /// An invisible step of the part with this index.
    Invisible(usize),
}

/// A part, that is, one of several nodes of the composition tree in parallel, with the position in
/// its run.
struct PartRun<'n> {
    /// The run of the part.
    run: ComponentRun,
    /// The minimised graph of the part.
    graph: &'n ComponentGraph,
    /// The index of the next label of the run.
    position: usize,
}

impl PartRun<'_> {
    /// Returns the next label of the run and advances. After the last label, continues at the start
    /// of the cycle. Returns `None` at the end of a finite run.
    fn next(&mut self) -> Option<LabelId> {
        let label = *self.run.labels.get(self.position)?;
        self.position += 1;
        if self.position == self.run.labels.len() {
            self.position = self.run.cycle_start;
        }
        Some(label)
    }

    /// Returns true if the label is visible in the minimised graph of the part.
    fn sees(&self, label: LabelId) -> bool {
        self.graph.owns(label)
    }

    /// Returns the next label of the run and advances if this label is invisible. Otherwise returns
    /// `None` and does not advance.
    fn next_invisible(&mut self) -> Option<LabelId> {
        let label = *self.run.labels.get(self.position)?;
        if self.sees(label) { None } else { self.next() }
    }
}

/// Merges the runs of the parts into one run that makes the given moves. Parts in which a label is
/// visible take it together. Returns `None` if the runs do not fit the moves or the result is too
/// long.
fn merge_runs(
    moves: &[JointMove],
    cycle_start: usize,
    parts: &mut [PartRun<'_>],
) -> Option<ComponentRun> {
    let mut labels = Vec::new();
    let mut position = 0;
    // The length of the merged run at each visit of the cycle start, by the positions of the parts.
    // The merged run repeats when all parts are at the same positions again.
    let mut length_at_cycle_start: HashMap<Vec<usize>, usize> = HashMap::new();
    loop {
        if position == moves.len() {
            if cycle_start == moves.len() {
                return Some(ComponentRun { cycle_start: labels.len(), labels });
            }
            position = cycle_start;
        }
        if position == cycle_start {
            let part_positions: Vec<usize> = parts.iter().map(|part| part.position).collect();
            if let Some(&earlier_length) = length_at_cycle_start.get(&part_positions) {
                return Some(ComponentRun { labels, cycle_start: earlier_length });
            }
            length_at_cycle_start.insert(part_positions, labels.len());
        }
        match *moves.get(position)? {
            JointMove::Label(label) => {
                for part in parts.iter_mut().filter(|part| part.sees(label)) {
                    while let Some(unseen) = part.next_invisible() {
                        labels.push(unseen);
                        if labels.len() > MAX_RUN_LENGTH {
                            return None;
                        }
                    }
                    if part.next() != Some(label) {
                        return None;
                    }
                }
                labels.push(label);
            }
            JointMove::Invisible(part_index) => labels.extend(parts[part_index].next_invisible()),
        }
        position += 1;
        if labels.len() > MAX_RUN_LENGTH {
            return None;
        }
    }
}

/// Returns steps of a graph that show the word of visible labels, and the position at which the
/// steps repeat. The position is the end if the word is finite and no invisible step repeats.
/// Returns `None` if the graph has no such steps or the search has too many nodes.
fn steps_of_word(
    graph: &ComponentGraph,
    visible_labels: &[LabelId],
    word: &LassoWord,
) -> Option<(Vec<JointStep>, usize)> {
    let length = word.prefix.len() + word.cycle.len();
    let word_product = WordProduct::new(graph, visible_labels, word)?;
    let node_count = word_product.nodes.len() as u32;
    if word.cycle.is_empty() && !word.continues_invisibly {
        let end = (0..node_count).find(|&it| word_product.position(it) == length)?;
        let steps = word_product.steps_to(end);
        let cycle_start = steps.len();
        return Some((steps, cycle_start));
    }
    let successors = &word_product.successors;
    let next = |node: u32, k: u32| successors[node as usize].get(k as usize).map(|it| it.1);
    let sccs = components(node_count, next);
    // Returns true for a step inside a strongly connected component that ends the cycle of the
    // word: it reads the last letter. If the cycle is empty, any step after the prefix ends it.
    let closes_cycle = |from: u32, to: u32, label: Option<LabelId>| {
        let is_last_letter = match word.cycle.last() {
            None => word_product.position(from) == length,
            Some(&last_letter) => {
                word_product.position(from) == length - 1 && label == Some(last_letter)
            }
        };
        is_last_letter && sccs.component_of[from as usize] == sccs.component_of[to as usize]
    };
    let (from, label, to) = (0..node_count).find_map(|from| {
        let row = successors[from as usize].iter();
        row.filter(|&&(label, to)| closes_cycle(from, to, label))
            .map(|it| (from, it.0, it.1))
            .next()
    })?;
    let mut steps = word_product.steps_to(to);
    let cycle_start = steps.len();
    let cycle_steps = path_in_component(successors, &sccs.component_of, to, from)?;
    steps.extend(cycle_steps.into_iter().map(|(a, label, b)| word_product.step(a, label, b)));
    steps.push(word_product.step(from, label, to));
    Some((steps, cycle_start))
}

/// The reachable pairs of a state and a position in the word.
struct WordProduct {
    /// The state and the position of each node.
    nodes: Vec<(u32, usize)>,
    /// The node before each node and the step by which it was first reached; `None` for initial
    /// nodes.
    predecessor: Vec<Option<(u32, JointStep)>>,
    /// The labels and targets of each node's steps.
    successors: Vec<Vec<(Option<LabelId>, u32)>>,
}

impl WordProduct {
    /// Explores all reachable pairs. Returns `None` if there are too many.
    fn new(graph: &ComponentGraph, visible_labels: &[LabelId], word: &LassoWord) -> Option<Self> {
        let letters: Vec<LabelId> = word.prefix.iter().chain(&word.cycle).copied().collect();
        let mut node_numbers: HashMap<(u32, usize), u32> = HashMap::new();
        let mut word_product =
            Self { nodes: Vec::new(), predecessor: Vec::new(), successors: Vec::new() };
        for &start in &graph.starts {
            if node_numbers.insert((start, 0), word_product.nodes.len() as u32).is_none() {
                word_product.nodes.push((start, 0));
                word_product.predecessor.push(None);
            }
        }
        while let Some(&(state, position)) = word_product.nodes.get(word_product.successors.len()) {
            if word_product.nodes.len() > MAX_PRODUCT_NODES {
                return None;
            }
            let from = word_product.successors.len() as u32;
            let mut row = Vec::new();
            for &(label, to) in &graph.edges[state as usize] {
                let is_seen =
                    label.is_some_and(|label| visible_labels.binary_search(&label).is_ok());
                let next = match is_seen {
                    false => position,
                    true if label != letters.get(position).copied() => continue,
                    true if position + 1 == letters.len() && !word.cycle.is_empty() => {
                        word.prefix.len()
                    }
                    true => position + 1,
                };
                let next_number = word_product.nodes.len() as u32;
                let target_node = *node_numbers.entry((to, next)).or_insert(next_number);
                if target_node == next_number {
                    word_product.nodes.push((to, next));
                    word_product.predecessor.push(Some((from, (label, state, to))));
                }
                row.push((label, target_node));
            }
            word_product.successors.push(row);
        }
        Some(word_product)
    }

    /// Returns the position in the word at a node.
    fn position(&self, node: u32) -> usize {
        self.nodes[node as usize].1
    }

    /// Returns the steps by which a node was first reached.
    fn steps_to(&self, mut node: u32) -> Vec<JointStep> {
        let mut steps = Vec::new();
        while let Some((predecessor, step)) = self.predecessor[node as usize] {
            steps.push(step);
            node = predecessor;
        }
        steps.reverse();
        steps
    }

    /// Converts a step between two nodes into a step between their states.
    fn step(&self, from: u32, label: Option<LabelId>, to: u32) -> JointStep {
        (label, self.nodes[from as usize].0, self.nodes[to as usize].0)
    }
}

/// Returns a shortest path from one node to another inside their strongly connected component, as
/// source, label and target of each step. Returns `None` if there is no such path.
fn path_in_component(
    rows: &[Vec<(Option<LabelId>, u32)>],
    scc_of: &[u32],
    from: u32,
    to: u32,
) -> Option<Vec<(u32, Option<LabelId>, u32)>> {
    let mut predecessor_of: HashMap<u32, (u32, Option<LabelId>)> = HashMap::new();
    let mut queue = vec![from];
    let mut next = 0;
    while from != to && !predecessor_of.contains_key(&to) {
        let node = *queue.get(next)?;
        next += 1;
        for &(label, successor) in &rows[node as usize] {
            let is_in_scc = scc_of[successor as usize] == scc_of[from as usize];
            if is_in_scc && successor != from && !predecessor_of.contains_key(&successor) {
                predecessor_of.insert(successor, (node, label));
                queue.push(successor);
            }
        }
    }
    let (mut steps, mut path_node) = (Vec::new(), to);
    while path_node != from {
        let (predecessor, label) = *predecessor_of.get(&path_node)?;
        steps.push((predecessor, label, path_node));
        path_node = predecessor;
    }
    steps.reverse();
    Some(steps)
}
