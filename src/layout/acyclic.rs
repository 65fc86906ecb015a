//! Which edges to turn round so that no cycle is left: those that close one on a walk in depth first.
//!
//! The walk begins at nodes without incoming edges, and then at the others in their order, so that what
//! comes first in a model comes first in the picture.

use super::Graph;

/// For every edge whether it is turned.
pub(super) fn turned(graph: &Graph) -> Vec<bool> {
    let nodes = graph.sizes.len();
    let mut leaving = vec![Vec::new(); nodes];
    let mut incoming = vec![0usize; nodes];
    for (edge, &(from, to)) in graph.edges.iter().enumerate() {
        leaving[from].push(edge);
        incoming[to] += 1;
    }
    let (sources, others): (Vec<usize>, Vec<usize>) = (0..nodes).partition(|&v| incoming[v] == 0);
    let mut turned = vec![false; graph.edges.len()];
    let mut seen = vec![false; nodes];
    let mut on_path = vec![false; nodes];
    for root in sources.into_iter().chain(others) {
        if seen[root] {
            continue;
        }
        seen[root] = true;
        on_path[root] = true;
        let mut path = vec![(root, 0)];
        while let Some((node, next)) = path.last_mut() {
            let Some(&edge) = leaving[*node].get(*next) else {
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
