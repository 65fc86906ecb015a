//! Terminal strongly connected components of a graph: components that no edge leaves. From every
//! node a terminal component is reachable, and no run leaves a terminal component. A dead marking
//! is a terminal component by itself.

use parikh_net::components::components_of_rows;
use std::collections::HashMap;

/// Returns, for each node, the index of its terminal component, or `None` if its component is not
/// terminal. Terminal components are numbered in the order of their first nodes. `edges` are pairs
/// of nodes. Nodes need not be reachable from node 0.
pub fn terminal(nodes: usize, edges: impl Iterator<Item = (u32, u32)>) -> Vec<Option<u32>> {
    let mut successors = vec![Vec::new(); nodes];
    edges.for_each(|(from, to)| successors[from as usize].push(to));
    let component = components_of_rows(&successors, |&to| to).component_of;
    let mut is_left = vec![false; nodes];
    for (from, targets) in successors.iter().enumerate() {
        for &to in targets {
            is_left[component[from] as usize] |= component[from] != component[to as usize];
        }
    }
    let mut numbers = HashMap::new();
    let mut number = |component: u32| {
        let next = numbers.len() as u32;
        *numbers.entry(component).or_insert(next)
    };
    component.iter().map(|&it| (!is_left[it as usize]).then(|| number(it))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_without_outgoing_edges_are_terminal() {
        // 0 ⇄ 1 → 2 ⇄ 3, 1 → 4 with a loop at 4, and 5 isolated.
        let edges = [(0, 1), (1, 0), (1, 2), (2, 3), (3, 2), (1, 4), (4, 4)];
        let found = terminal(6, edges.into_iter());
        assert_eq!(found, [None, None, Some(0), Some(0), Some(1), Some(2)]);
        assert_eq!(terminal(0, std::iter::empty()), []);
    }
}
