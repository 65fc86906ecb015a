//! Reversal of edges so that no cycle remains. The layout has layers, and every edge must lead to a
//! later layer.
//!
//! There are two methods, and the better one depends on the graph. *By distance*: nodes nearer to
//! the roots come first, so that nodes at the same distance are side by side. Edges to earlier
//! nodes are reversed. *By depth*: a depth-first search reverses the edges that close a cycle, so
//! that a chain of edges stays a chain. Both methods begin at the roots and visit nodes in their
//! order, so that the first nodes of a model come first in the picture.

use super::LayoutGraph;
use std::collections::VecDeque;

/// A method of choosing the edges to reverse. See the module documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReversalMethod {
    /// Breadth-first search: reverses the edges to a node of an earlier level, or to a node of the
    /// same level that was visited earlier.
    ByDistance,
    /// Depth-first search: reverses edges to a node on the current path.
    ByDepth,
}

/// Returns for every edge, by its index in the graph, whether it is reversed.
pub(super) fn reversed_edges(graph: &LayoutGraph, method: ReversalMethod) -> Vec<bool> {
    let nodes = graph.sizes.len();
    let mut neighbours =
        Neighbours { leaving: vec![Vec::new(); nodes], entering: vec![Vec::new(); nodes] };
    for (edge, &(from, to)) in graph.edges.iter().enumerate() {
        neighbours.leaving[from].push(edge);
        neighbours.entering[to].push(edge);
    }
    let roots = roots(graph, &neighbours);
    match method {
        ReversalMethod::ByDistance => by_distance(graph, &neighbours, &roots),
        ReversalMethod::ByDepth => by_depth(graph, &neighbours, &roots),
    }
}

/// For each node, the indices of its outgoing and incoming edges.
struct Neighbours {
    leaving: Vec<Vec<usize>>,
    entering: Vec<Vec<usize>>,
}

/// Returns the start nodes of the search: nodes without incoming edges and the roots of the graph.
/// If there are none, the first node.
fn roots(graph: &LayoutGraph, neighbours: &Neighbours) -> Vec<usize> {
    let mut is_root: Vec<bool> = neighbours.entering.iter().map(Vec::is_empty).collect();
    graph.roots.iter().for_each(|&root| is_root[root] = true);
    let roots: Vec<usize> = (0..is_root.len()).filter(|&v| is_root[v]).collect();
    if roots.is_empty() && !is_root.is_empty() { vec![0] } else { roots }
}

/// Returns for every edge whether breadth-first search reverses it.
fn by_distance(graph: &LayoutGraph, neighbours: &Neighbours, roots: &[usize]) -> Vec<bool> {
    let nodes = graph.sizes.len();
    // The level of each node; `None` before the node is reached. Roots have level 0. Along an edge,
    // the search gives the target the next level. Against an edge, it gives the source the previous
    // level.
    let mut level: Vec<Option<i64>> = vec![None; nodes];
    let mut queue: VecDeque<usize> = roots.iter().copied().collect();
    roots.iter().for_each(|&root| level[root] = Some(0));
    let mut reached: Vec<usize> = Vec::new();
    // If no further node is reachable along edges, the search goes on against edges. A source found
    // in this way is one level before the reached target of its edge.
    let mut entering_searched = 0;
    loop {
        while let Some(v) = queue.pop_front() {
            reached.push(v);
            for &edge in &neighbours.leaving[v] {
                let to = graph.edges[edge].1;
                if level[to].is_none() {
                    level[to] = level[v].map(|level| level + 1);
                    queue.push_back(to);
                }
            }
        }
        while queue.is_empty() && entering_searched < reached.len() {
            let v = reached[entering_searched];
            for &edge in &neighbours.entering[v] {
                let from = graph.edges[edge].0;
                if level[from].is_none() {
                    level[from] = level[v].map(|level| level - 1);
                    queue.push_back(from);
                }
            }
            entering_searched += 1;
        }
        if queue.is_empty() {
            break;
        }
    }
    // The graph is connected, so every node has been reached.
    let mut visit_order = vec![0; nodes];
    reached.iter().enumerate().for_each(|(at, &v)| visit_order[v] = at);
    let key = |v: usize| (level[v], visit_order[v]);
    graph.edges.iter().map(|&(from, to)| key(to) < key(from)).collect()
}

/// Returns for every edge whether depth-first search reverses it.
fn by_depth(graph: &LayoutGraph, neighbours: &Neighbours, roots: &[usize]) -> Vec<bool> {
    let nodes = graph.sizes.len();
    let mut is_reversed = vec![false; graph.edges.len()];
    let mut seen = vec![false; nodes];
    let mut on_path = vec![false; nodes];
    for root in roots.iter().copied().chain(0..nodes) {
        if seen[root] {
            continue;
        }
        seen[root] = true;
        on_path[root] = true;
        let mut path = vec![(root, 0)];
        while let Some((node, next)) = path.last_mut() {
            let Some(&edge) = neighbours.leaving[*node].get(*next) else {
                on_path[*node] = false;
                path.pop();
                continue;
            };
            *next += 1;
            let to = graph.edges[edge].1;
            is_reversed[edge] = on_path[to];
            if !seen[to] {
                seen[to] = true;
                on_path[to] = true;
                path.push((to, 0));
            }
        }
    }
    is_reversed
}
