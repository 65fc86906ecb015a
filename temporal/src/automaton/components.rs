//! Strongly connected components, without recursion.
//!
//! Source: Tarjan, "Depth-first search and linear graph algorithms", SIAM Journal on Computing
//! 1972.

/// Returns the component of each of `count` nodes, and the number of components. `kth(node, k)` is
/// the k-th successor of a node. Components are numbered so that an edge never leads to a larger
/// number.
pub(super) fn components(
    count: usize,
    kth: impl Fn(usize, usize) -> Option<usize>,
) -> (Vec<usize>, usize) {
    const NEW: usize = usize::MAX;
    let mut component = vec![NEW; count];
    let mut order = vec![NEW; count];
    let mut lowest = vec![NEW; count];
    let mut components = 0;
    let mut visited = 0;
    let mut stack = Vec::new();
    let mut path: Vec<(usize, usize)> = Vec::new();
    for root in 0..count {
        if order[root] != NEW {
            continue;
        }
        path.push((root, 0));
        while let Some((node, k)) = path.pop() {
            if k == 0 {
                order[node] = visited;
                lowest[node] = visited;
                visited += 1;
                stack.push(node);
            }
            let Some(next) = kth(node, k) else {
                if lowest[node] == order[node] {
                    while let Some(member) = stack.pop() {
                        component[member] = components;
                        if member == node {
                            break;
                        }
                    }
                    components += 1;
                }
                if let Some(&(parent, _)) = path.last() {
                    lowest[parent] = lowest[parent].min(lowest[node]);
                }
                continue;
            };
            path.push((node, k + 1));
            if order[next] == NEW {
                path.push((next, 0));
            } else if component[next] == NEW {
                lowest[node] = lowest[node].min(order[next]);
            }
        }
    }
    (component, components)
}
