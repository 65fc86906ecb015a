//! Which edges to turn round so that no cycle is left: the picture is drawn in layers, and every
//! edge has to lead to a later layer.
//!
//! There are two ways, and which picture is better depends on the graph. *By distance*: nodes with
//! fewer edges between them and the roots come first, so that nodes at the same distance stand side
//! by side; an edge to a node that comes earlier is turned. *By depth*: a search in depth first
//! turns the edges that close a cycle, so that a line of edges stays a line. Both begin at the
//! roots and take nodes in their order, so that what comes first in a model comes first in the
//! picture.

use super::Graph;
use std::collections::VecDeque;

/// How edges that break cycles are chosen; see the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// By breadth-first search: edges to nodes that come earlier.
    ByDistance,
    /// By depth-first search: edges back to a node of the path.
    ByDepth,
}

/// For every edge of the graph, by its position there, whether it is turned.
pub(super) fn turned(graph: &Graph, way: Way) -> Vec<bool> {
    let nodes = graph.sizes.len();
    let mut neighbours =
        Neighbours { leaving: vec![Vec::new(); nodes], entering: vec![Vec::new(); nodes] };
    for (edge, &(from, to)) in graph.edges.iter().enumerate() {
        neighbours.leaving[from].push(edge);
        neighbours.entering[to].push(edge);
    }
    let roots = roots(graph, &neighbours);
    match way {
        Way::ByDistance => by_distance(graph, &neighbours, &roots),
        Way::ByDepth => by_depth(graph, &neighbours, &roots),
    }
}

/// For each node, the positions of the edges that leave it and that enter it.
struct Neighbours {
    leaving: Vec<Vec<usize>>,
    entering: Vec<Vec<usize>>,
}

/// Where the search begins: at the nodes that no edge enters and those that the graph names as its
/// roots; where there are none of either kind, at the first node.
fn roots(graph: &Graph, neighbours: &Neighbours) -> Vec<usize> {
    let mut is_root: Vec<bool> = neighbours.entering.iter().map(Vec::is_empty).collect();
    graph.roots.iter().for_each(|&root| is_root[root] = true);
    let roots: Vec<usize> = (0..is_root.len()).filter(|&v| is_root[v]).collect();
    if roots.is_empty() && !is_root.is_empty() { vec![0] } else { roots }
}

fn by_distance(graph: &Graph, neighbours: &Neighbours, roots: &[usize]) -> Vec<bool> {
    let nodes = graph.sizes.len();
    let mut level: Vec<Option<i64>> = vec![None; nodes];
    let mut waiting: VecDeque<usize> = roots.iter().copied().collect();
    roots.iter().for_each(|&root| level[root] = Some(0));
    let mut reached: Vec<usize> = Vec::new();
    // Where no further node is reached along the edges, the search goes on at the nodes that have
    // an edge to one that was reached: they are one level before it.
    let mut looked_back = 0;
    loop {
        while let Some(v) = waiting.pop_front() {
            reached.push(v);
            for &edge in &neighbours.leaving[v] {
                let to = graph.edges[edge].1;
                if level[to].is_none() {
                    level[to] = level[v].map(|level| level + 1);
                    waiting.push_back(to);
                }
            }
        }
        while waiting.is_empty() && looked_back < reached.len() {
            let v = reached[looked_back];
            for &edge in &neighbours.entering[v] {
                let from = graph.edges[edge].0;
                if level[from].is_none() {
                    level[from] = level[v].map(|level| level - 1);
                    waiting.push_back(from);
                }
            }
            looked_back += 1;
        }
        if waiting.is_empty() {
            break;
        }
    }
    // Components are connected, so that everything was reached by now.
    let mut when = vec![0; nodes];
    reached.iter().enumerate().for_each(|(at, &v)| when[v] = at);
    let key = |v: usize| (level[v], when[v]);
    graph.edges.iter().map(|&(from, to)| key(to) < key(from)).collect()
}

fn by_depth(graph: &Graph, neighbours: &Neighbours, roots: &[usize]) -> Vec<bool> {
    let nodes = graph.sizes.len();
    let mut turned = vec![false; graph.edges.len()];
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
            turned[edge] = on_path[to];
            if !seen[to] {
                seen[to] = true;
                on_path[to] = true;
                path.push((to, 0));
            }
        }
    }
    turned
}
