//! The layers with bends. An edge over several layers is split into pieces between neighbouring
//! layers. Its bends in the layers between are treated as small nodes.

use super::{Direction, LayoutGraph};

/// The size of a node, or of a bend, that is, the point where a long edge crosses a layer.
#[derive(Clone, Copy, Debug)]
pub(super) struct LayerNode {
    /// The size in the direction of edges.
    pub(super) size_along: f64,
    /// The size across the direction of edges.
    pub(super) size_across: f64,
    /// True for a bend.
    pub(super) is_bend: bool,
}

/// Nodes and bends in layers.
#[derive(Debug)]
pub(super) struct LayeredGraph {
    /// The graph's nodes, followed by the bends.
    pub(super) nodes: Vec<LayerNode>,
    /// The nodes and bends of each layer in their order.
    pub(super) rows: Vec<Vec<usize>>,
    /// The neighbours of each node and bend in the layer before its own.
    pub(super) neighbours_before: Vec<Vec<usize>>,
    /// The neighbours of each node and bend in the layer after its own.
    pub(super) neighbours_after: Vec<Vec<usize>>,
    /// The bends of each edge, in the order of layers.
    pub(super) chains: Vec<Vec<usize>>,
}

/// The size in pixels of a bend, that is, the space for an edge that passes a layer.
const BEND_SIZE: f64 = 6.0;

/// The largest number of bends. Edges whose bends would exceed it are drawn without bends.
const MAX_BENDS: usize = 60_000;

impl LayeredGraph {
    /// Splits edges into layers. Every edge must lead to a later layer.
    pub(super) fn new(
        graph: &LayoutGraph,
        edges: &[(usize, usize)],
        ranks: &[usize],
        direction: Direction,
    ) -> LayeredGraph {
        let node = |size: &super::LayoutSize| match direction {
            Direction::Right => {
                LayerNode { size_along: size.width, size_across: size.height, is_bend: false }
            }
            Direction::Down => {
                LayerNode { size_along: size.height, size_across: size.width, is_bend: false }
            }
        };
        let mut layers = LayeredGraph {
            nodes: graph.sizes.iter().map(node).collect(),
            rows: vec![Vec::new(); ranks.iter().max().map_or(0, |max_rank| max_rank + 1)],
            neighbours_before: vec![Vec::new(); ranks.len()],
            neighbours_after: vec![Vec::new(); ranks.len()],
            chains: Vec::with_capacity(edges.len()),
        };
        ranks.iter().enumerate().for_each(|(v, &rank)| layers.rows[rank].push(v));
        for &(from, to) in edges {
            let mut chain = Vec::new();
            let mut previous = from;
            let layers_between = ranks[from] + 1..ranks[to];
            if layers.nodes.len() + layers_between.len() <= ranks.len() + MAX_BENDS {
                for rank in layers_between {
                    let bend = layers.nodes.len();
                    layers.nodes.push(LayerNode {
                        size_along: 0.0,
                        size_across: BEND_SIZE,
                        is_bend: true,
                    });
                    layers.neighbours_before.push(Vec::new());
                    layers.neighbours_after.push(Vec::new());
                    layers.rows[rank].push(bend);
                    layers.join(previous, bend);
                    chain.push(bend);
                    previous = bend;
                }
                layers.join(previous, to);
            }
            layers.chains.push(chain);
        }
        layers
    }

    fn join(&mut self, from: usize, to: usize) {
        self.neighbours_after[from].push(to);
        self.neighbours_before[to].push(from);
    }
}
