//! The layers, with bends: an edge over several layers is cut into pieces from layer to layer, with
//! a bend in each layer between, which takes part in everything as a small node.

use super::{Direction, Graph};

/// A node or a bend, by its extent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// In the direction of edges.
    pub(super) along: f64,
    /// Across it.
    pub(super) across: f64,
    /// Whether it is a bend.
    pub(super) bend: bool,
}

/// Nodes and bends in layers.
#[derive(Debug)]
pub(super) struct Layers {
    /// The graph's nodes, and then the bends.
    pub(super) nodes: Vec<Node>,
    /// Nodes and bends of each layer in their order.
    pub(super) rows: Vec<Vec<usize>>,
    /// The neighbours in the layer before.
    pub(super) before: Vec<Vec<usize>>,
    /// The neighbours in the layer after.
    pub(super) after: Vec<Vec<usize>>,
    /// The bends of each edge, in the order of layers.
    pub(super) chains: Vec<Vec<usize>>,
}

/// Room for an edge that passes a layer.
const PASSING: f64 = 6.0;

/// More bends than this are no help to anyone: edges beyond are drawn without.
const MOST_BENDS: usize = 60_000;

impl Layers {
    /// Edges must go from a layer to a later one.
    pub(super) fn new(
        graph: &Graph,
        edges: &[(usize, usize)],
        ranks: &[usize],
        direction: Direction,
    ) -> Layers {
        let node = |size: &super::Size| match direction {
            Direction::Right => Node { along: size.width, across: size.height, bend: false },
            Direction::Down => Node { along: size.height, across: size.width, bend: false },
        };
        let mut layers = Layers {
            nodes: graph.sizes.iter().map(node).collect(),
            rows: vec![Vec::new(); ranks.iter().max().map_or(0, |last| last + 1)],
            before: vec![Vec::new(); ranks.len()],
            after: vec![Vec::new(); ranks.len()],
            chains: Vec::with_capacity(edges.len()),
        };
        ranks.iter().enumerate().for_each(|(v, &rank)| layers.rows[rank].push(v));
        for &(from, to) in edges {
            let mut chain = Vec::new();
            let mut last = from;
            let between = ranks[from] + 1..ranks[to];
            if layers.nodes.len() + between.len() <= ranks.len() + MOST_BENDS {
                for rank in between {
                    let bend = layers.nodes.len();
                    layers.nodes.push(Node { along: 0.0, across: PASSING, bend: true });
                    layers.before.push(Vec::new());
                    layers.after.push(Vec::new());
                    layers.rows[rank].push(bend);
                    layers.join(last, bend);
                    chain.push(bend);
                    last = bend;
                }
                layers.join(last, to);
            }
            layers.chains.push(chain);
        }
        layers
    }

    fn join(&mut self, from: usize, to: usize) {
        self.after[from].push(to);
        self.before[to].push(from);
    }
}
