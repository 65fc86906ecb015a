//! Connected components: found, and placed side by side on a page in rows, the highest first.

use super::{Layout, LayoutGraph, LayoutSize, LayoutSpacing};

/// A connected component.
#[derive(Debug, Default)]
pub(super) struct GraphComponent {
    /// The nodes and edges of the component, renumbered from 0.
    pub(super) graph: LayoutGraph,
    /// For each node, its index in the whole graph.
    nodes: Vec<usize>,
    /// For each edge, its index in the whole graph.
    edges: Vec<usize>,
    /// The layout of the component by itself.
    pub(super) layout: Layout,
}

/// Returns the components, in the order of their first nodes.
pub(super) fn components(graph: &LayoutGraph) -> Vec<GraphComponent> {
    let mut parent: Vec<usize> = (0..graph.sizes.len()).collect();
    fn root(parent: &mut [usize], mut v: usize) -> usize {
        while parent[v] != v {
            parent[v] = parent[parent[v]];
            v = parent[v];
        }
        v
    }
    for &(from, to) in &graph.edges {
        let (a, b) = (root(&mut parent, from), root(&mut parent, to));
        parent[a.max(b)] = a.min(b);
    }
    let mut parts: Vec<GraphComponent> = Vec::new();
    let mut part_of = vec![usize::MAX; graph.sizes.len()];
    let mut index_in_part = vec![0; graph.sizes.len()];
    for v in 0..graph.sizes.len() {
        let root = root(&mut parent, v);
        if part_of[root] == usize::MAX {
            part_of[root] = parts.len();
            parts.push(GraphComponent::default());
        }
        part_of[v] = part_of[root];
        let part = &mut parts[part_of[v]];
        index_in_part[v] = part.nodes.len();
        part.nodes.push(v);
        part.graph.sizes.push(graph.sizes[v]);
    }
    for &root in &graph.roots {
        parts[part_of[root]].graph.roots.push(index_in_part[root]);
    }
    for (edge, &(from, to)) in graph.edges.iter().enumerate() {
        let part = &mut parts[part_of[from]];
        part.graph.edges.push((index_in_part[from], index_in_part[to]));
        part.edges.push(edge);
    }
    parts
}

/// Packs the components into a page of the proportion in `spacing`, in rows. `graph` is the whole
/// graph.
pub(super) fn pack(
    graph: &LayoutGraph,
    parts: Vec<GraphComponent>,
    spacing: &LayoutSpacing,
) -> Layout {
    let gap = 1.5 * spacing.within_layers;
    let area: f64 =
        parts.iter().map(|part| area(part.layout.size, gap)).sum::<f64>() * spacing.proportion;
    let widest = parts.iter().map(|part| part.layout.size.width).fold(0.0, f64::max);
    let width = area.sqrt().max(widest);
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.sort_by(|&a, &b| parts[b].layout.size.height.total_cmp(&parts[a].layout.size.height));
    let mut page = Layout {
        nodes: vec![(0.0, 0.0); graph.sizes.len()],
        routes: vec![Vec::new(); graph.edges.len()],
        size: LayoutSize::default(),
        crossings: parts.iter().map(|part| part.layout.crossings).sum(),
    };
    let (mut x, mut y, mut row_height) = (0.0, 0.0, 0.0);
    for index in order {
        let GraphComponent { nodes, edges, layout, .. } = &parts[index];
        if x > 0.0 && x + layout.size.width > width {
            (x, y, row_height) = (0.0, y + row_height + gap, 0.0);
        }
        let shifted = |&(u, v): &(f64, f64)| (u + x, v + y);
        nodes.iter().zip(&layout.nodes).for_each(|(&v, point)| page.nodes[v] = shifted(point));
        for (&edge, route) in edges.iter().zip(&layout.routes) {
            page.routes[edge] = route.iter().map(shifted).collect();
        }
        page.size.width = f64::max(page.size.width, x + layout.size.width);
        page.size.height = f64::max(page.size.height, y + layout.size.height);
        row_height = f64::max(row_height, layout.size.height);
        x += layout.size.width + gap;
    }
    page
}

fn area(size: LayoutSize, gap: f64) -> f64 {
    (size.width + gap) * (size.height + gap)
}
