//! The order within each layer. Sweeps forwards and backwards move every node to the mean position
//! of its neighbours in the layer before or after. Then neighbours in a layer are exchanged if that
//! reduces the crossings. The best order of all sweeps is kept.
//!
//! # Sources
//! Barycentres: Sugiyama, Tagawa, Toda, 1981. Counting crossings as inversions: W. Barth, M.
//! Jünger, P. Mutzel, *Simple and efficient bilayer cross counting*, GD 2002.

use super::layers::LayeredGraph;
use parikh_solvers::Budget;

/// The number of sweeps without improvement after which the search stops.
const MAX_SWEEPS_IN_VAIN: usize = 6;

/// The largest number of sweeps.
const MAX_SWEEPS: usize = 40;

/// Finds an order of the nodes in every layer that gives few crossings. Returns the number of
/// crossings.
pub(super) fn order(layers: &mut LayeredGraph, budget: &Budget) -> u64 {
    initial_order(layers);
    let mut best = layers.rows.clone();
    let mut min_crossings = crossings(layers);
    let mut sweeps_in_vain = 0;
    for sweep in 0..MAX_SWEEPS {
        if min_crossings == 0 || sweeps_in_vain == MAX_SWEEPS_IN_VAIN || budget.is_exhausted() {
            break;
        }
        barycentres(layers, sweep % 2 == 0);
        exchange(layers, budget);
        let current = crossings(layers);
        if current < min_crossings {
            (min_crossings, sweeps_in_vain) = (current, 0);
            best.clone_from(&layers.rows);
        } else {
            sweeps_in_vain += 1;
        }
    }
    layers.rows = best;
    min_crossings
}

/// Sets an initial order in which neighbours are close: the order of a depth-first search along
/// edges in both directions. The search begins at the nodes of the first layer, and then at nodes
/// of later layers that it has not reached.
fn initial_order(layers: &mut LayeredGraph) {
    let mut visit_time = vec![usize::MAX; layers.nodes.len()];
    let mut time = 0;
    let roots: Vec<usize> = layers.rows.iter().flatten().copied().collect();
    let mut stack = Vec::new();
    for root in roots {
        stack.push(root);
        while let Some(v) = stack.pop() {
            if visit_time[v] != usize::MAX {
                continue;
            }
            visit_time[v] = time;
            time += 1;
            stack.extend(
                layers.neighbours_before[v].iter().rev().filter(|&&u| visit_time[u] == usize::MAX),
            );
            stack.extend(
                layers.neighbours_after[v].iter().rev().filter(|&&w| visit_time[w] == usize::MAX),
            );
        }
    }
    layers.rows.iter_mut().for_each(|row| row.sort_by_key(|&v| visit_time[v]));
}

fn positions(layers: &LayeredGraph) -> Vec<usize> {
    let mut position = vec![0; layers.nodes.len()];
    for row in &layers.rows {
        row.iter().enumerate().for_each(|(at, &v)| position[v] = at);
    }
    position
}

fn barycentres(layers: &mut LayeredGraph, forwards: bool) {
    let mut position = positions(layers);
    let LayeredGraph { rows, neighbours_before: before, neighbours_after: after, .. } = layers;
    let count = rows.len();
    for step in 1..count {
        let layer = if forwards { step } else { count - 1 - step };
        let neighbours = if forwards { &*before } else { &*after };
        let mean = |v: usize| {
            let near = &neighbours[v];
            match near.is_empty() {
                // A node without neighbours keeps its position.
                true => position[v] as f64,
                false => near.iter().map(|&u| position[u] as f64).sum::<f64>() / near.len() as f64,
            }
        };
        let mut by_mean: Vec<(f64, usize)> = rows[layer].iter().map(|&v| (mean(v), v)).collect();
        // The sort is stable, so nodes with the same mean stay in order.
        by_mean.sort_by(|a, b| a.0.total_cmp(&b.0));
        rows[layer] = by_mean.into_iter().map(|(_, v)| v).collect();
        rows[layer].iter().enumerate().for_each(|(index, &v)| position[v] = index);
    }
}

/// Exchanges adjacent nodes of a layer as long as an exchange reduces the number of crossings.
/// Stops after 8 rounds over the layer, or when `budget` is spent.
fn exchange(layers: &mut LayeredGraph, budget: &Budget) {
    let mut position = positions(layers);
    for layer in 0..layers.rows.len() {
        if budget.is_exhausted() {
            return;
        }
        let mut has_improved = true;
        let mut rounds = 0;
        while has_improved && rounds < 8 {
            has_improved = false;
            rounds += 1;
            for right_index in 1..layers.rows[layer].len() {
                if right_index % 1_000 == 0 && budget.is_exhausted() {
                    return;
                }
                let (u, v) = (layers.rows[layer][right_index - 1], layers.rows[layer][right_index]);
                let sides = [&layers.neighbours_before, &layers.neighbours_after];
                // The number of crossings with u before v, minus the number with v before u.
                let gain: i64 =
                    sides.iter().map(|side| saved_crossings(&side[u], &side[v], &position)).sum();
                if gain > 0 {
                    layers.rows[layer].swap(right_index - 1, right_index);
                    position.swap(u, v);
                    has_improved = true;
                }
            }
        }
    }
}

/// Returns the number of crossings that an exchange of two adjacent nodes saves, negative if
/// crossings are added. `first` has the neighbours of the left node, and `second` the neighbours of
/// the right node. `position` has the positions of the neighbours. Returns 0 without counting if
/// the nodes have more than 4,000 pairs of neighbours.
fn saved_crossings(first: &[usize], second: &[usize], position: &[usize]) -> i64 {
    // For two nodes with many edges, the count costs more than an exchange saves. The nodes keep
    // their order.
    if first.len() * second.len() > 4_000 {
        return 0;
    }
    let mut gain = 0;
    for &a in first {
        for &b in second {
            gain += i64::from(position[a] > position[b]) - i64::from(position[a] < position[b]);
        }
    }
    gain
}

/// Returns the number of crossings between neighbouring layers.
fn crossings(layers: &LayeredGraph) -> u64 {
    let position = positions(layers);
    let mut total = 0;
    for row in &layers.rows {
        let mut ends: Vec<usize> = Vec::new();
        for &v in row {
            let from = ends.len();
            ends.extend(layers.neighbours_after[v].iter().map(|&w| position[w]));
            ends[from..].sort_unstable();
        }
        total += inversions(&ends);
    }
    total
}

/// Returns the number of inversions, that is, pairs in which a larger number is before a smaller
/// number. Uses a Fenwick tree.
fn inversions(ends: &[usize]) -> u64 {
    let size = ends.iter().max().map_or(0, |last| last + 1);
    let mut tree = vec![0u64; size + 1];
    let mut total = 0;
    for (seen, &end) in ends.iter().enumerate() {
        let (mut tree_index, mut not_greater) = (end + 1, 0);
        while tree_index > 0 {
            not_greater += tree[tree_index];
            tree_index &= tree_index - 1;
        }
        total += seen as u64 - not_greater;
        tree_index = end + 1;
        while tree_index <= size {
            tree[tree_index] += 1;
            tree_index += tree_index & tree_index.wrapping_neg();
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inversions_are_counted() {
        assert_eq!(inversions(&[]), 0);
        assert_eq!(inversions(&[0, 1, 1, 2]), 0);
        assert_eq!(inversions(&[3, 2, 1, 0]), 6);
        assert_eq!(inversions(&[1, 0, 1, 0]), 3);
    }
}
