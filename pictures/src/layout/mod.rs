//! Positions for drawing a graph in layers, so that most arcs point one way, few cross, and long
//! ones are straight.
//!
//! ```text
//! graph ─▶ components ─▶ acyclic ─▶ ranks ─▶ layers (long edges in pieces) ─▶ order ─▶ columns ─▶ packed
//! ```
//!
//! Each step is a file. *Acyclic* reverses some edges for the layout. *Ranks* assigns every node to
//! a layer so that edges go from earlier to later layers. *Order* finds a sequence within each
//! layer with few crossings. *Columns* computes coordinates that keep this sequence. Components are
//! laid out one by one and packed into a page.
//!
//! This module knows no nets: nodes are numbers with a size. The same graph gives the same picture
//! as long as the budget lasts. Afterwards the remaining steps use their fastest variant.
//!
//! # Sources
//! K. Sugiyama, S. Tagawa, M. Toda, *Methods for visual understanding of hierarchical system
//! structures*, IEEE Trans. SMC 11, 1981; E. Gansner, E. Koutsofios, S. North, K.-P. Vo, *A
//! technique for drawing directed graphs*, IEEE Trans. Software Eng. 19, 1993.

mod acyclic;
mod columns;
mod layers;
mod order;
mod pack;
mod ranks;
mod route;

pub use route::{CLEARANCE, are_clear, route_around_boxes};

use acyclic::ReversalMethod;
use parikh_solvers::Budget;

/// A graph to lay out.
#[derive(Clone, Debug, Default)]
pub struct LayoutGraph {
    /// The sizes of nodes, including their texts.
    pub sizes: Vec<LayoutSize>,
    /// Edges as pairs of different nodes.
    pub edges: Vec<(usize, usize)>,
    /// Start nodes of the layout, besides nodes without incoming edges.
    pub roots: Vec<usize>,
}

/// A width and a height in pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LayoutSize {
    /// The width.
    pub width: f64,
    /// The height.
    pub height: f64,
}

/// A point of the picture: x to the right, y down.
pub type LayoutPoint = (f64, f64);

/// The direction of edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From left to right.
    Right,
    /// From top to bottom.
    Down,
}

/// The direction of edges, the distances between nodes in pixels, and the proportion of the page.
#[derive(Clone, Copy, Debug)]
pub struct LayoutSpacing {
    /// The direction of edges.
    pub direction: Direction,
    /// The distance between two layers.
    pub between_layers: f64,
    /// The distance between two nodes of a layer.
    pub within_layers: f64,
    /// The width of the page divided by its height. Components are packed into such a page.
    pub proportion: f64,
}

impl Default for LayoutSpacing {
    fn default() -> Self {
        let (between_layers, within_layers) = (34.0, 18.0);
        LayoutSpacing {
            direction: Direction::Right,
            between_layers,
            within_layers,
            proportion: 1.5,
        }
    }
}

/// The positions of nodes and edges.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// The centre of every node.
    pub nodes: Vec<LayoutPoint>,
    /// The bend points of every edge from its source to its target, without the ends.
    pub routes: Vec<Vec<LayoutPoint>>,
    /// The total size. All coordinates are between (0, 0) and this size.
    pub size: LayoutSize,
    /// The approximate number of crossings of edges.
    pub crossings: u64,
}

/// Lays out a graph in the direction of `spacing`. For components of 3 to `MAX_COMPARED_NODES`
/// nodes, several layouts are compared, including layouts from top to bottom. The layout of least
/// cost is used, by the page size and the number of crossings. When `budget` is spent, the layout
/// is not improved further.
pub fn layout(graph: &LayoutGraph, spacing: &LayoutSpacing, budget: &Budget) -> Layout {
    let mut parts = pack::components(graph);
    for part in &mut parts {
        part.layout = best_layout(&part.graph, spacing, budget);
    }
    pack::pack(graph, parts, spacing)
}

/// The largest number of nodes for which several layouts are compared.
const MAX_COMPARED_NODES: usize = 800;

/// The cost of a crossing, in pixels of the page.
const CROSSING_COST: f64 = 12.0;

/// Returns the layout of least cost of a component. Both methods of reversing edges are tried, each
/// in the direction of `spacing` and from top to bottom. Components of fewer than 3 or more than
/// [`MAX_COMPARED_NODES`] nodes get only one layout. So does every component when `budget` is
/// spent.
fn best_layout(graph: &LayoutGraph, spacing: &LayoutSpacing, budget: &Budget) -> Layout {
    let mut best = layout_component(graph, ReversalMethod::ByDistance, spacing, budget);
    if graph.sizes.len() > MAX_COMPARED_NODES || graph.sizes.len() < 3 || budget.is_exhausted() {
        return best;
    }
    let cost = |layout: &Layout| {
        let page = (layout.size.width / spacing.proportion).max(layout.size.height);
        page + CROSSING_COST * layout.crossings as f64
    };
    let downwards = LayoutSpacing { direction: Direction::Down, ..*spacing };
    let alternatives = [
        (ReversalMethod::ByDepth, spacing),
        (ReversalMethod::ByDistance, &downwards),
        (ReversalMethod::ByDepth, &downwards),
    ];
    for (method, spacing) in alternatives {
        let candidate = layout_component(graph, method, spacing, budget);
        if cost(&candidate) < cost(&best) {
            best = candidate;
        }
    }
    best
}

/// Lays out a component.
fn layout_component(
    graph: &LayoutGraph,
    method: ReversalMethod,
    spacing: &LayoutSpacing,
    budget: &Budget,
) -> Layout {
    let is_reversed = acyclic::reversed_edges(graph, method);
    let edges: Vec<(usize, usize)> = graph
        .edges
        .iter()
        .zip(&is_reversed)
        .map(|(&(from, to), &is_reversed)| if is_reversed { (to, from) } else { (from, to) })
        .collect();
    let ranks = ranks::ranks(graph.sizes.len(), &edges);
    let mut layers = layers::LayeredGraph::new(graph, &edges, &ranks, spacing.direction);
    let crossings = order::order(&mut layers, budget);
    let across = columns::columns(&layers, spacing, budget);
    // Layers follow each other, and each is as deep as its deepest node.
    let mut along = vec![0.0; layers.nodes.len()];
    let mut next_front = 0.0;
    for layer in &layers.rows {
        let depth = layer.iter().map(|&v| layers.nodes[v].size_along).fold(0.0, f64::max);
        layer.iter().for_each(|&v| along[v] = next_front + depth / 2.0);
        next_front += depth + spacing.between_layers;
    }
    let lower_edge = |v: usize| across[v] - layers.nodes[v].size_across / 2.0;
    let min_across = (0..across.len()).map(lower_edge).fold(f64::INFINITY, f64::min);
    let upper_edge = |v: usize| across[v] + layers.nodes[v].size_across / 2.0;
    let max_across = (0..across.len()).map(upper_edge).fold(f64::NEG_INFINITY, f64::max);
    let point = |v: usize| match spacing.direction {
        Direction::Right => (along[v], across[v] - min_across),
        Direction::Down => (across[v] - min_across, along[v]),
    };
    let (depth, breadth) =
        ((next_front - spacing.between_layers).max(0.0), (max_across - min_across).max(0.0));
    let routes = layers.chains.iter().zip(&is_reversed).map(|(chain, &is_reversed)| {
        let mut route: Vec<LayoutPoint> = chain.iter().map(|&v| point(v)).collect();
        if is_reversed {
            route.reverse();
        }
        route
    });
    Layout {
        nodes: (0..graph.sizes.len()).map(point).collect(),
        routes: routes.collect(),
        size: match spacing.direction {
            Direction::Right => LayoutSize { width: depth, height: breadth },
            Direction::Down => LayoutSize { width: breadth, height: depth },
        },
        crossings,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laid(nodes: usize, edges: &[(usize, usize)], direction: Direction) -> Layout {
        let sizes = vec![LayoutSize { width: 30.0, height: 20.0 }; nodes];
        let graph = LayoutGraph { sizes, edges: edges.to_vec(), roots: Vec::new() };
        // The page is so wide or so high that the requested direction is the better one.
        let proportion = if direction == Direction::Right { 20.0 } else { 0.05 };
        let spacing = LayoutSpacing { direction, proportion, ..LayoutSpacing::default() };
        layout(&graph, &spacing, &Budget::unlimited())
    }

    /// Checks that no two nodes overlap and all lie on the page.
    fn is_clean(layout: &Layout) {
        for (at, &(x, y)) in layout.nodes.iter().enumerate() {
            assert!(x >= 15.0 - 1e-6 && x + 15.0 <= layout.size.width + 1e-6, "{layout:?}");
            assert!(y >= 10.0 - 1e-6 && y + 10.0 <= layout.size.height + 1e-6, "{layout:?}");
            for &(u, v) in &layout.nodes[..at] {
                assert!((u - x).abs() > 29.0 || (v - y).abs() > 19.0, "{layout:?}");
            }
        }
    }

    #[test]
    fn a_line_is_drawn_straight_and_forwards() {
        let line = laid(4, &[(0, 1), (1, 2), (2, 3)], Direction::Right);
        is_clean(&line);
        assert!(line.nodes.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 == two[1].1));
        let down = laid(3, &[(0, 1), (1, 2)], Direction::Down);
        assert!(down.nodes.windows(2).all(|two| two[0].1 < two[1].1 && two[0].0 == two[1].0));
    }

    #[test]
    fn the_edge_that_closes_a_cycle_bends_around_the_others() {
        let sizes = vec![LayoutSize { width: 30.0, height: 20.0 }; 4];
        let ring =
            LayoutGraph { sizes, edges: vec![(0, 1), (1, 2), (2, 3), (3, 0)], roots: vec![0] };
        let budget = Budget::unlimited();
        for way in [ReversalMethod::ByDistance, ReversalMethod::ByDepth] {
            let ring = layout_component(&ring, way, &LayoutSpacing::default(), &budget);
            is_clean(&ring);
            assert_eq!(ring.routes.iter().map(Vec::len).collect::<Vec<_>>(), [0, 0, 0, 2]);
            // The points run from the source to the target, against the layout direction.
            assert!(ring.routes[3][0].0 > ring.routes[3][1].0);
        }
    }

    #[test]
    fn parallel_cycles_are_side_by_side() {
        // Two cycles of three nodes share one node.
        let edges = vec![(0, 1), (1, 2), (2, 0), (0, 3), (3, 4), (4, 0)];
        let sizes = vec![LayoutSize { width: 30.0, height: 20.0 }; 5];
        let graph = LayoutGraph { sizes, edges, roots: vec![0] };
        let two = layout_component(
            &graph,
            ReversalMethod::ByDistance,
            &LayoutSpacing::default(),
            &Budget::unlimited(),
        );
        assert_eq!((two.nodes[1].0, two.nodes[2].0), (two.nodes[3].0, two.nodes[4].0));
    }

    #[test]
    fn two_lines_do_not_cross() {
        // The order of the nodes alone would make the edges cross.
        let two = laid(5, &[(4, 0), (4, 1), (0, 3), (1, 2)], Direction::Right);
        is_clean(&two);
        assert_eq!(two.nodes[0].1 < two.nodes[1].1, two.nodes[3].1 < two.nodes[2].1);
    }

    #[test]
    fn components_and_lonely_nodes_are_side_by_side() {
        let many = laid(9, &[(0, 1), (2, 3), (3, 2), (4, 5)], Direction::Right);
        is_clean(&many);
        assert!(laid(0, &[], Direction::Right).nodes.is_empty());
    }

    #[test]
    fn random_graphs_are_clean_whatever_the_budget() {
        let mut random = fastrand::Rng::with_seed(7);
        for round in 0..60 {
            let nodes = random.usize(1..40);
            let some =
                (0..random.usize(0..80)).map(|_| (random.usize(0..nodes), random.usize(0..nodes)));
            let edges: Vec<_> = some.filter(|(from, to)| from != to).collect();
            let budget = Budget::unlimited();
            if round % 3 == 0 {
                budget.cancel();
            }
            let sizes = vec![LayoutSize { width: 30.0, height: 20.0 }; nodes];
            let layout = layout(
                &LayoutGraph { sizes, edges, roots: vec![nodes / 2] },
                &LayoutSpacing::default(),
                &budget,
            );
            is_clean(&layout);
        }
    }
}
