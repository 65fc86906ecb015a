//! Strongly connected components, without recursion.
//!
//! Source: Tarjan, "Depth-first search and linear graph algorithms", SIAM Journal on Computing
//! 1972.

/// Returns the component of each of `count` nodes, and the number of components. `kth(node, k)` is
/// the k-th successor of a node. Components are numbered so that an edge never leads to a larger
/// number.
pub(super) fn components(
    count: usize,
    successor: impl Fn(usize, usize) -> Option<usize>,
) -> (Vec<usize>, usize) {
    const UNVISITED: usize = usize::MAX;
    let mut component = vec![UNVISITED; count];
    let mut order = vec![UNVISITED; count];
    let mut low_link = vec![UNVISITED; count];
    let mut components = 0;
    let mut visited = 0;
    let mut stack = Vec::new();
    let mut path: Vec<(usize, usize)> = Vec::new();
    for root in 0..count {
        if order[root] != UNVISITED {
            continue;
        }
        path.push((root, 0));
        while let Some((node, k)) = path.pop() {
            if k == 0 {
                order[node] = visited;
                low_link[node] = visited;
                visited += 1;
                stack.push(node);
            }
            let Some(target) = successor(node, k) else {
                if low_link[node] == order[node] {
                    while let Some(member) = stack.pop() {
                        component[member] = components;
                        if member == node {
                            break;
                        }
                    }
                    components += 1;
                }
                if let Some(&(parent, _)) = path.last() {
                    low_link[parent] = low_link[parent].min(low_link[node]);
                }
                continue;
            };
            path.push((node, k + 1));
            if order[target] == UNVISITED {
                path.push((target, 0));
            } else if component[target] == UNVISITED {
                low_link[node] = low_link[node].min(order[target]);
            }
        }
    }
    (component, components)
}
