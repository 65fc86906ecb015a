//! Where to draw the nodes of a graph: in layers, so that most arcs point one way, few cross, and
//! long ones run straight.
//!
//! ```text
//! graph ─▶ components ─▶ acyclic ─▶ ranks ─▶ layers (long edges in pieces) ─▶ order ─▶ columns ─▶ packed
//! ```
//!
//! Each step is a file. *Acyclic* turns some edges round in thought; *ranks* puts every node into a
//! layer so that edges go from earlier to later ones; *order* finds a sequence within each layer
//! with few crossings; *columns* finds coordinates that keep that sequence. Components are laid out
//! one by one and packed into a page.
//!
//! Nothing here knows a net: nodes are numbers with a size. The same graph gives the same picture
//! as long as the budget lasts; when it ends, what is left is done in the quickest way.
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

pub use route::{CLEARANCE, around};

use acyclic::Way;
use parikh_solvers::Budget;

/// What is to be laid out.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// The nodes' sizes, labels included.
    pub sizes: Vec<Size>,
    /// From node to node, no node to itself.
    pub edges: Vec<(usize, usize)>,
    /// Where it begins, besides nodes without entering edges.
    pub roots: Vec<usize>,
}

/// Width and height, or the extent along and across the direction of edges.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Size {
    /// From left to right.
    pub width: f64,
    /// From top to bottom.
    pub height: f64,
}

/// A point of the picture: x to the right, y down.
pub type Point = (f64, f64);

/// Which way edges point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From left to right.
    Right,
    /// From top to bottom.
    Down,
}

/// How much room there is.
#[derive(Clone, Copy, Debug)]
pub struct Spacing {
    /// Which way edges point.
    pub direction: Direction,
    /// Between two layers.
    pub between_layers: f64,
    /// Between two nodes of a layer.
    pub within_layers: f64,
    /// Width divided by height of the page that components are packed into.
    pub proportion: f64,
}

impl Default for Spacing {
    fn default() -> Self {
        let (between_layers, within_layers) = (34.0, 18.0);
        Spacing { direction: Direction::Right, between_layers, within_layers, proportion: 1.5 }
    }
}

/// Where everything is.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// The middle of every node.
    pub nodes: Vec<Point>,
    /// Points that every edge passes on its way, from its first node to its second, ends left out.
    pub routes: Vec<Vec<Point>>,
    /// The size of it all; everything is between (0, 0) and it.
    pub size: Size,
    /// How often edges cross, about.
    pub crossings: u64,
}

/// Lays out a graph in the direction of `spacing`, or downwards if that makes a better picture of a
/// small one: one that has to be made smaller by less to be seen on a page, with few crossings.
/// After the end of `budget` no more is improved.
pub fn layout(graph: &Graph, spacing: &Spacing, budget: &Budget) -> Layout {
    let mut parts = pack::components(graph);
    for part in &mut parts {
        part.layout = best(&part.graph, spacing, budget);
    }
    pack::pack(graph, parts, spacing)
}

/// The most nodes that are laid out in more than one way.
const SEVERAL_WAYS: usize = 800;

/// What a crossing costs, in pixels of the page.
const CROSSING: f64 = 12.0;

/// The best layout of one component.
fn best(graph: &Graph, spacing: &Spacing, budget: &Budget) -> Layout {
    let mut best = connected(graph, Way::ByDistance, spacing, budget);
    if graph.sizes.len() > SEVERAL_WAYS || graph.sizes.len() < 3 || budget.is_exhausted() {
        return best;
    }
    let cost = |layout: &Layout| {
        let page = (layout.size.width / spacing.proportion).max(layout.size.height);
        page + CROSSING * layout.crossings as f64
    };
    let down = Spacing { direction: Direction::Down, ..*spacing };
    let others = [(Way::ByDepth, spacing), (Way::ByDistance, &down), (Way::ByDepth, &down)];
    for (way, spacing) in others {
        let other = connected(graph, way, spacing, budget);
        if cost(&other) < cost(&best) {
            best = other;
        }
    }
    best
}

/// Lays out one component.
fn connected(graph: &Graph, way: Way, spacing: &Spacing, budget: &Budget) -> Layout {
    let turned = acyclic::turned(graph, way);
    let edges: Vec<(usize, usize)> = graph
        .edges
        .iter()
        .zip(&turned)
        .map(|(&(from, to), &turned)| if turned { (to, from) } else { (from, to) })
        .collect();
    let ranks = ranks::ranks(graph.sizes.len(), &edges);
    let mut layers = layers::Layers::new(graph, &edges, &ranks, spacing.direction);
    let crossings = order::order(&mut layers, budget);
    let across = columns::columns(&layers, spacing, budget);
    // Layers one after the other, each as deep as its deepest node.
    let mut along = vec![0.0; layers.nodes.len()];
    let mut front = 0.0;
    for layer in &layers.rows {
        let depth = layer.iter().map(|&v| layers.nodes[v].along).fold(0.0, f64::max);
        layer.iter().for_each(|&v| along[v] = front + depth / 2.0);
        front += depth + spacing.between_layers;
    }
    let low = |v: usize| across[v] - layers.nodes[v].across / 2.0;
    let first = (0..across.len()).map(low).fold(f64::INFINITY, f64::min);
    let high = |v: usize| across[v] + layers.nodes[v].across / 2.0;
    let last = (0..across.len()).map(high).fold(f64::NEG_INFINITY, f64::max);
    let point = |v: usize| match spacing.direction {
        Direction::Right => (along[v], across[v] - first),
        Direction::Down => (across[v] - first, along[v]),
    };
    let (depth, breadth) = ((front - spacing.between_layers).max(0.0), (last - first).max(0.0));
    let routes = layers.chains.iter().zip(&turned).map(|(chain, &turned)| {
        let mut route: Vec<Point> = chain.iter().map(|&v| point(v)).collect();
        if turned {
            route.reverse();
        }
        route
    });
    Layout {
        nodes: (0..graph.sizes.len()).map(point).collect(),
        routes: routes.collect(),
        size: match spacing.direction {
            Direction::Right => Size { width: depth, height: breadth },
            Direction::Down => Size { width: breadth, height: depth },
        },
        crossings,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laid(nodes: usize, edges: &[(usize, usize)], direction: Direction) -> Layout {
        let sizes = vec![Size { width: 30.0, height: 20.0 }; nodes];
        let graph = Graph { sizes, edges: edges.to_vec(), roots: Vec::new() };
        // So wide a page that the direction asked for is the best.
        let proportion = if direction == Direction::Right { 20.0 } else { 0.05 };
        let spacing = Spacing { direction, proportion, ..Spacing::default() };
        layout(&graph, &spacing, &Budget::unlimited())
    }

    /// No two nodes overlap, and all lie on the page.
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
    fn the_edge_that_closes_a_cycle_goes_round_the_others() {
        let sizes = vec![Size { width: 30.0, height: 20.0 }; 4];
        let ring = Graph { sizes, edges: vec![(0, 1), (1, 2), (2, 3), (3, 0)], roots: vec![0] };
        let budget = Budget::unlimited();
        for way in [Way::ByDistance, Way::ByDepth] {
            let ring = connected(&ring, way, &Spacing::default(), &budget);
            is_clean(&ring);
            assert_eq!(ring.routes.iter().map(Vec::len).collect::<Vec<_>>(), [0, 0, 0, 2]);
            // From its first node to its second: against the direction.
            assert!(ring.routes[3][0].0 > ring.routes[3][1].0);
        }
    }

    #[test]
    fn what_happens_at_the_same_time_stands_side_by_side() {
        // Two rings of three through one common node.
        let edges = vec![(0, 1), (1, 2), (2, 0), (0, 3), (3, 4), (4, 0)];
        let sizes = vec![Size { width: 30.0, height: 20.0 }; 5];
        let graph = Graph { sizes, edges, roots: vec![0] };
        let two = connected(&graph, Way::ByDistance, &Spacing::default(), &Budget::unlimited());
        assert_eq!((two.nodes[1].0, two.nodes[2].0), (two.nodes[3].0, two.nodes[4].0));
    }

    #[test]
    fn two_lines_do_not_cross() {
        // Listed so that the order of the nodes alone would make them cross.
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
            let sizes = vec![Size { width: 30.0, height: 20.0 }; nodes];
            let layout = layout(
                &Graph { sizes, edges, roots: vec![nodes / 2] },
                &Spacing::default(),
                &budget,
            );
            is_clean(&layout);
        }
    }
}
