//! Terminal strongly connected components of a graph: those that no edge leaves. Every run that goes on
//! for ever may end up in one, and stays there; a dead marking is one by itself.
//!
//! # Sources
//! R. Tarjan, *Depth-First Search and Linear Graph Algorithms*, SIAM J. Comput. 1(2), 1972.

/// Of each node the number of its terminal component, from 0 in the order of their first nodes; `None` where
/// its component is not terminal. `edges` are pairs of nodes, all reachable from node 0 or not.
pub fn terminal(nodes: usize, edges: impl Iterator<Item = (u32, u32)>) -> Vec<Option<u32>> {
    let mut out = vec![Vec::new(); nodes];
    edges.for_each(|(from, to)| out[from as usize].push(to));
    let component = components(&out);
    let mut leaves = vec![false; nodes];
    for (from, row) in out.iter().enumerate() {
        for &to in row {
            leaves[component[from]] |= component[from] != component[to as usize];
        }
    }
    let mut numbers = std::collections::HashMap::new();
    let mut number = |component: usize| {
        let next = numbers.len() as u32;
        *numbers.entry(component).or_insert(next)
    };
    component.iter().map(|&it| (!leaves[it]).then(|| number(it))).collect()
}

/// Of each node its component, with a stack of its own in place of recursion.
fn components(out: &[Vec<u32>]) -> Vec<usize> {
    const NONE: usize = usize::MAX;
    let count = out.len();
    let (mut met, mut low, mut component) =
        (vec![NONE; count], vec![NONE; count], vec![NONE; count]);
    let (mut open, mut path): (Vec<usize>, Vec<(usize, usize)>) = (Vec::new(), Vec::new());
    let (mut time, mut found) = (0, 0);
    for root in 0..count {
        if met[root] != NONE {
            continue;
        }
        path.push((root, 0));
        while let Some((at, followed)) = path.pop() {
            if followed == 0 {
                (met[at], low[at]) = (time, time);
                time += 1;
                open.push(at);
            }
            if let Some(&to) = out[at].get(followed) {
                let to = to as usize;
                path.push((at, followed + 1));
                if met[to] == NONE {
                    path.push((to, 0));
                } else if component[to] == NONE {
                    low[at] = low[at].min(met[to]);
                }
                continue;
            }
            if let Some(&(parent, _)) = path.last() {
                low[parent] = low[parent].min(low[at]);
            }
            if low[at] == met[at] {
                while let Some(member) = open.pop() {
                    component[member] = found;
                    if member == at {
                        break;
                    }
                }
                found += 1;
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nothing_leaves_is_terminal() {
        // 0 ⇄ 1 → 2 ⇄ 3, 1 → 4, 5 alone.
        let edges = [(0, 1), (1, 0), (1, 2), (2, 3), (3, 2), (1, 4), (4, 4)];
        let found = terminal(6, edges.into_iter());
        assert_eq!(found, [None, None, Some(0), Some(0), Some(1), Some(2)]);
        assert_eq!(terminal(0, std::iter::empty()), []);
        // A long row does not need a deep stack.
        let row = terminal(200_000, (0..199_999).map(|at| (at, at + 1)));
        assert_eq!(row.iter().flatten().count(), 1);
    }
}
