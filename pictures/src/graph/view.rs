//! Graphs of markings prepared for output: the text and the properties of every node.

use crate::names::DisplayNames;
use parikh_net::{FiringSequence, Net, PlaceId, TransitionId};
use parikh_structure::graph::components;
use parikh_structure::graph::coverability::Coverability;
use parikh_structure::graph::omega::OMEGA;
use parikh_structure::graph::reachability::{FiringEdge, Reachability};
use std::collections::{BTreeMap, HashMap, HashSet};

/// A graph to write or draw.
#[derive(Clone, Debug)]
pub struct GraphView<'n> {
    /// The net.
    pub net: &'n Net,
    /// True for a coverability graph.
    pub is_coverability: bool,
    /// The markings. A marking's index is its number, and the initial marking has number 0.
    pub nodes: Vec<MarkingNode>,
    /// The edges, that is, firings of transitions from one marking to another.
    pub edges: Vec<FiringEdge>,
    /// The indices of highlighted edges.
    pub highlighted_edges: HashSet<usize>,
}

/// A marking.
#[derive(Clone, Debug)]
pub struct MarkingNode {
    /// The marked places in ascending order with their tokens. [`OMEGA`] stands for an unbounded
    /// number of tokens.
    pub tokens: Vec<(PlaceId, u64)>,
    /// True if the node has no outgoing edge, so that no transition is enabled.
    pub is_dead: bool,
    /// The index of the terminal component that contains the node, that is, the strongly connected
    /// component without outgoing edges. `None` if no such component contains it.
    pub terminal_component: Option<u32>,
    /// True for a final marking of the model.
    pub is_final: bool,
    /// True for a highlighted node.
    pub is_highlighted: bool,
}

impl<'n> GraphView<'n> {
    /// Returns the view of a reachability graph.
    pub fn of_reachability(net: &'n Net, graph: &Reachability) -> Self {
        let tokens = graph.markings.iter().map(|marking| marking.tokens().to_vec());
        GraphView::of(net, false, tokens.collect(), graph.edges.clone())
    }

    /// Returns the view of a coverability graph.
    pub fn of_coverability(net: &'n Net, graph: &Coverability) -> Self {
        GraphView::of(net, true, graph.nodes.clone(), graph.edges.clone())
    }

    fn of(
        net: &'n Net,
        is_coverability: bool,
        markings: Vec<Vec<u64>>,
        edges: Vec<FiringEdge>,
    ) -> Self {
        let pairs = edges.iter().map(|edge| (edge.from, edge.to));
        let terminal = components::terminal(markings.len(), pairs);
        let mut has_successor = vec![false; markings.len()];
        edges.iter().for_each(|edge| has_successor[edge.from as usize] = true);
        let node = |(index, tokens): (usize, Vec<u64>)| MarkingNode {
            is_final: net.is_final(&tokens),
            tokens: (0..)
                .map(PlaceId::new)
                .zip(tokens)
                .filter(|&(_, tokens_held)| tokens_held > 0)
                .collect(),
            is_dead: !has_successor[index],
            terminal_component: terminal[index],
            is_highlighted: false,
        };
        let nodes = markings.into_iter().enumerate().map(node).collect();
        GraphView { net, is_coverability, nodes, edges, highlighted_edges: HashSet::new() }
    }

    /// Highlights the path of a firing sequence from the initial marking, up to the first firing
    /// without an edge. Returns the number of firings on the path. If the sequence can fire, this
    /// is its length.
    pub fn highlight(&mut self, sequence: &FiringSequence) -> u128 {
        let edges: HashMap<(u32, TransitionId), usize> = (self.edges.iter().enumerate())
            .map(|(edge_index, edge)| ((edge.from, edge.transition), edge_index))
            .collect();
        let (mut node, mut fired) = (0u32, 0u128);
        self.nodes[0].is_highlighted = true;
        for step in sequence.steps() {
            // Repeated firings of one transition soon come back to a marking visited before. The
            // rest is then computed from the length of the cycle.
            let mut seen = HashSet::new();
            for count in 0..step.count {
                let Some(&edge_index) = edges.get(&(node, step.transition)) else { return fired };
                if !seen.insert(node) {
                    let firings_left = u128::from(step.count - count);
                    let cycle = self.cycle_from(&edges, node, step.transition);
                    let remainder =
                        usize::try_from(firings_left % cycle.len() as u128).unwrap_or(0);
                    node = cycle[remainder];
                    fired += firings_left;
                    break;
                }
                self.highlighted_edges.insert(edge_index);
                node = self.edges[edge_index].to;
                self.nodes[node as usize].is_highlighted = true;
                fired += 1;
            }
        }
        fired
    }

    /// Returns the markings on the cycle of repeated firings of `transition`, in order, beginning
    /// with `start`.
    fn cycle_from(
        &self,
        edges: &HashMap<(u32, TransitionId), usize>,
        start: u32,
        transition: TransitionId,
    ) -> Vec<u32> {
        let mut cycle = vec![start];
        let mut node = start;
        while let Some(&at) = edges.get(&(node, transition)) {
            node = self.edges[at].to;
            if node == start {
                break;
            }
            cycle.push(node);
        }
        cycle
    }

    /// Returns the number of dead nodes and the number of terminal components.
    pub fn dead_and_terminal_counts(&self) -> (usize, usize) {
        let dead = self.nodes.iter().filter(|node| node.is_dead).count();
        let terminal: HashSet<u32> =
            self.nodes.iter().filter_map(|node| node.terminal_component).collect();
        (dead, terminal.len())
    }

    /// Returns the lines of the caption: the sizes of the graph, then each assumption about the
    /// model.
    pub fn caption_lines(&self) -> Vec<String> {
        let assumed = self.net.assumptions().iter().map(|it| format!("assumed: {it}"));
        [self.sizes()].into_iter().chain(assumed).collect()
    }

    /// Returns a line with the sizes of the graph.
    fn sizes(&self) -> String {
        let (dead, terminal) = self.dead_and_terminal_counts();
        let count = |n: usize, one: &str, many: &str| match n {
            1 => format!("1 {one}"),
            n => format!("{n} {many}"),
        };
        let (firings, dead) =
            (count(self.edges.len(), "firing", "firings"), format!("{dead} dead"));
        if self.is_coverability {
            return format!(
                "coverability graph (not the reachable markings): {}, {firings}; ω means unbounded",
                count(self.nodes.len(), "node", "nodes"),
            );
        }
        format!(
            "reachability graph: {}, {firings}, {dead}, {}",
            count(self.nodes.len(), "marking", "markings"),
            count(terminal, "terminal component", "terminal components"),
        )
    }

    /// Returns the text of a marking such as `2·p + q`, as a list with one term per marked place.
    /// The list of the empty marking has the term `∅`.
    pub fn marking_terms(&self, node: &MarkingNode, names: &DisplayNames) -> Vec<String> {
        let part = |&(place, held): &(PlaceId, u64)| match held {
            1 => names.places[place.index()].clone(),
            OMEGA => format!("ω·{}", names.places[place.index()]),
            n => format!("{n}·{}", names.places[place.index()]),
        };
        match node.tokens.is_empty() {
            true => vec!["∅".to_owned()],
            false => node.tokens.iter().map(part).collect(),
        }
    }

    /// Groups the edges by source and target. Each entry has the source, the target, a text with
    /// the names of the transitions, and true if an edge of the group is highlighted. For more than
    /// three transitions, the text has the first two names and the number of transitions.
    pub fn bundles(&self, names: &DisplayNames) -> Vec<(u32, u32, String, bool)> {
        let mut bundles: BTreeMap<(u32, u32), (Vec<&str>, bool)> = BTreeMap::new();
        for (at, edge) in self.edges.iter().enumerate() {
            let bundle = bundles.entry((edge.from, edge.to)).or_default();
            bundle.0.push(&names.transitions[edge.transition.index()]);
            bundle.1 |= self.highlighted_edges.contains(&at);
        }
        let joined_names = |fired: Vec<&str>| match fired.len() {
            0..=3 => fired.join(", "),
            n => format!("{}, … ({n})", fired[..2].join(", ")),
        };
        let bundle = |((from, to), (fired, bright))| (from, to, joined_names(fired), bright);
        bundles.into_iter().map(bundle).collect()
    }
}

/// A graph prepared for a picture: long names are clipped, and the full texts are kept for
/// tooltips.
pub(super) struct GraphTexts {
    /// The terms of the text of each marking, one per marked place.
    pub(super) marking_terms: Vec<Vec<String>>,
    /// The full text of each marking, if a term was clipped; otherwise `None`.
    pub(super) full_texts: Vec<Option<String>>,
    /// The edges grouped by source and target, as [`GraphView::bundles`] returns them with clipped
    /// names. Each entry has the source, the target, a text about the transitions, and true if an
    /// edge of the group is highlighted.
    pub(super) bundles: Vec<(u32, u32, String, bool)>,
    /// The text with the transitions of each group of edges, with unclipped names; `None` if no
    /// name in the text was clipped.
    pub(super) all_fired: Vec<Option<String>>,
}

impl GraphTexts {
    pub(super) fn of(view: &GraphView<'_>) -> GraphTexts {
        let names = DisplayNames::for_people(view.net).with_shared();
        let short = names.clipped();
        let marking_terms: Vec<Vec<String>> =
            view.nodes.iter().map(|node| view.marking_terms(node, &short)).collect();
        let whole = |(node, parts): (&MarkingNode, &Vec<String>)| {
            let all = view.marking_terms(node, &names);
            (all != *parts).then(|| all.join(" + "))
        };
        let full_texts = view.nodes.iter().zip(&marking_terms).map(whole).collect();
        let bundles = view.bundles(&short);
        let fired = view.bundles(&names).into_iter().zip(&bundles);
        let all_fired = fired.map(|(all, short)| (all.2 != short.2).then_some(all.2)).collect();
        GraphTexts { marking_terms, full_texts, bundles, all_fired }
    }
}
