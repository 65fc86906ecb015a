//! Strongly connected components of a graph whose nodes are numbers from 0, with an explicit stack
//! instead of recursion.
//!
//! # Cost
//! Linear in nodes and edges. 12 bytes per node, 4 more for each visited node without a component
//! yet, and 8 more for each node on the current path.
//!
//! # Sources
//! R. Tarjan, *Depth-First Search and Linear Graph Algorithms*, SIAM J. Comput. 1(2), 1972.

use std::collections::TryReserveError;

/// The strongly connected components of a graph. Components are numbered so that no edge leads to a
/// component with a larger number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    /// The component of each node, indexed by node.
    pub component_of: Vec<u32>,
    /// The number of components.
    pub count: u32,
}

/// Marks a node that was not visited, or has no component yet.
const UNVISITED: u32 = u32::MAX;

/// Returns the components of a graph with fewer than 2³² − 1 nodes. `next(node, k)` is the target
/// of edge number k of a node, or `None` after the last edge.
pub fn components(nodes: u32, next: impl Fn(u32, u32) -> Option<u32>) -> Components {
    let found = components_while(nodes, next, |_| Ok::<(), TryReserveError>(()));
    // Out of memory panics, as for any vector that cannot grow.
    found.unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the components of a graph with a row of edges for each node. `target` returns the node
/// that an edge leads to.
pub fn components_of_rows<E>(rows: &[Vec<E>], target: impl Fn(&E) -> u32) -> Components {
    let next = |node: u32, k: u32| rows[node as usize].get(k as usize).map(&target);
    components(rows.len() as u32, next)
}

/// Returns the components, calling `goes_on` at each node with the number of nodes visited so far.
///
/// # Errors
/// The error of `goes_on`, or a failed allocation.
pub fn components_while<E: From<TryReserveError>>(
    nodes: u32,
    next: impl Fn(u32, u32) -> Option<u32>,
    mut goes_on: impl FnMut(u32) -> Result<(), E>,
) -> Result<Components, E> {
    let new_row = || {
        let mut row = Vec::new();
        row.try_reserve_exact(nodes as usize)?;
        row.resize(nodes as usize, UNVISITED);
        Ok::<_, TryReserveError>(row)
    };
    // Indexed by node: the time of its first visit, the earliest visit time of a node that it is
    // known to lead back to, and its component.
    let (mut visit_time, mut low_link, mut component_of) = (new_row()?, new_row()?, new_row()?);
    let (mut time, mut count) = (0, 0);
    // The visited nodes without a component, and the current depth-first path: each node with the
    // number of its edges that were followed.
    let (mut open_nodes, mut path): (Vec<u32>, Vec<(u32, u32)>) = (Vec::new(), Vec::new());
    for root in 0..nodes {
        if visit_time[root as usize] != UNVISITED {
            continue;
        }
        path.push((root, 0));
        while let Some((node, edge_number)) = path.pop() {
            let index = node as usize;
            if edge_number == 0 {
                goes_on(time)?;
                (visit_time[index], low_link[index]) = (time, time);
                time += 1;
                open_nodes.try_reserve(1)?;
                open_nodes.push(node);
            }
            if let Some(to) = next(node, edge_number) {
                path.try_reserve(2)?;
                path.push((node, edge_number + 1));
                if visit_time[to as usize] == UNVISITED {
                    path.push((to, 0));
                } else if component_of[to as usize] == UNVISITED {
                    low_link[index] = low_link[index].min(visit_time[to as usize]);
                }
                continue;
            }
            if let Some(&(parent, _)) = path.last() {
                low_link[parent as usize] = low_link[parent as usize].min(low_link[index]);
            }
            if low_link[index] == visit_time[index] {
                while let Some(member) = open_nodes.pop() {
                    component_of[member as usize] = count;
                    if member == node {
                        break;
                    }
                }
                count += 1;
            }
        }
    }
    Ok(Components { component_of, count })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The components of a graph with these edges.
    fn found(nodes: u32, edges: &[(u32, u32)]) -> Components {
        let row = |node| edges.iter().filter(move |edge| edge.0 == node);
        components(nodes, |node, k| row(node).nth(k as usize).map(|edge| edge.1))
    }

    #[test]
    fn what_leads_to_each_other_is_together_and_edges_lead_to_smaller_numbers() {
        // 0 ⇄ 1 → 2 ⇄ 3, 1 → 4, 5 alone.
        let edges = [(0, 1), (1, 0), (1, 2), (2, 3), (3, 2), (1, 4), (4, 4)];
        assert_eq!(found(6, &edges), Components { component_of: vec![2, 2, 0, 0, 1, 3], count: 4 });
        assert_eq!(found(0, &[]), Components { component_of: vec![], count: 0 });
    }

    #[test]
    fn random_graphs_agree_with_reachability() {
        let mut state = 7u64;
        let mut below = |most: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % most
        };
        for _ in 0..300 {
            let nodes = 1 + below(8);
            let edges: Vec<(u32, u32)> =
                (0..below(16)).map(|_| (below(nodes) as u32, below(nodes) as u32)).collect();
            let Components { component_of: of, .. } = found(nodes as u32, &edges);
            let reaches = |from: u32, to: u32| {
                let mut seen = vec![from];
                while let Some(more) =
                    edges.iter().find(|e| seen.contains(&e.0) && !seen.contains(&e.1))
                {
                    seen.push(more.1);
                }
                seen.contains(&to)
            };
            for a in 0..nodes as u32 {
                for b in 0..nodes as u32 {
                    let (one, other) = (of[a as usize], of[b as usize]);
                    assert_eq!(one == other, reaches(a, b) && reaches(b, a), "{a} {b} {edges:?}");
                    assert!(!reaches(a, b) || one >= other, "{a} {b} {edges:?}");
                }
            }
        }
    }

    #[test]
    fn a_long_row_needs_no_deep_stack_and_the_caller_may_stop() {
        let next = |node: u32, k: u32| (k == 0 && node + 1 < 200_000).then_some(node + 1);
        assert_eq!(components(200_000, next).count, 200_000);
        #[derive(Debug, PartialEq)]
        struct StopError(u32);
        impl From<TryReserveError> for StopError {
            fn from(_: TryReserveError) -> Self {
                StopError(0)
            }
        }
        let goes_on = |met| if met < 9 { Ok(()) } else { Err(StopError(met)) };
        assert_eq!(components_while(200_000, next, goes_on), Err(StopError(9)));
    }
}
