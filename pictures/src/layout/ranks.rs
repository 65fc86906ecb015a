//! The layer of every node: later than all its predecessors, and as near to its neighbours as
//! possible.
//!
//! Longest paths give the earliest layers. Then every node moves, within the slack of its edges, to
//! the layer where its edges have the least total length. This repeats until nothing moves or the
//! rounds are over. It finds most of what a network simplex would find, in linear time per round.

/// The largest number of rounds, in each of which every node may move to another layer.
const ROUNDS: usize = 12;

/// Returns the layer of every node, from 0. The edges must have no cycle.
pub(super) fn ranks(nodes: usize, edges: &[(usize, usize)]) -> Vec<usize> {
    let mut before = vec![Vec::new(); nodes];
    let mut after = vec![Vec::new(); nodes];
    for &(from, to) in edges {
        before[to].push(from);
        after[from].push(to);
    }
    let order = topological(&before, &after);
    let mut rank = vec![0usize; nodes];
    for &v in &order {
        rank[v] = before[v].iter().map(|&u| rank[u] + 1).max().unwrap_or(0);
    }
    for round in 0..ROUNDS {
        let mut has_moved = false;
        let mut pull = |v: usize| {
            let earliest = before[v].iter().map(|&u| rank[u] + 1).max();
            let latest = after[v].iter().map(|&w| rank[w] - 1).min();
            // A node with edges on one side only moves next to its nearest neighbour. Otherwise the
            // node moves to the side with more edges, or stays if both sides have the same number.
            let target = match (earliest, latest) {
                (Some(earliest), Some(latest)) => match before[v].len().cmp(&after[v].len()) {
                    std::cmp::Ordering::Less => latest,
                    std::cmp::Ordering::Greater => earliest,
                    std::cmp::Ordering::Equal => rank[v],
                },
                (None, Some(latest)) => latest,
                (Some(earliest), None) => earliest,
                (None, None) => rank[v],
            };
            has_moved |= target != rank[v];
            rank[v] = target;
        };
        match round % 2 {
            0 => order.iter().rev().for_each(|&v| pull(v)),
            _ => order.iter().for_each(|&v| pull(v)),
        }
        if !has_moved {
            break;
        }
    }
    // Empty layers are removed.
    let mut used: Vec<usize> = rank.clone();
    used.sort_unstable();
    used.dedup();
    rank.iter().map(|rank| used.partition_point(|used| used < rank)).collect()
}

/// Returns the nodes in an order in which every edge leads to a later node.
fn topological(before: &[Vec<usize>], after: &[Vec<usize>]) -> Vec<usize> {
    let mut open_predecessors: Vec<usize> = before.iter().map(Vec::len).collect();
    let mut order: Vec<usize> = (0..before.len()).filter(|&v| open_predecessors[v] == 0).collect();
    let mut next = 0;
    while next < order.len() {
        for &w in &after[order[next]] {
            open_predecessors[w] -= 1;
            if open_predecessors[w] == 0 {
                order.push(w);
            }
        }
        next += 1;
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_go_forwards_and_are_short() {
        // Node 3 could be in layer 0, and is drawn next to node 2, its only neighbour.
        let edges = [(0, 1), (1, 2), (3, 2), (0, 2)];
        assert_eq!(ranks(4, &edges), [0, 1, 2, 1]);
    }
}
