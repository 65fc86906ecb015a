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

/// Finds an order for every layer, and returns the number of crossings.
pub(super) fn order(layers: &mut LayeredGraph, budget: &Budget) -> u64 {
    initial_order(layers);
    let mut best = layers.rows.clone();
    let mut least = crossings(layers);
    let mut vain = 0;
    for sweep in 0..MAX_SWEEPS {
        if least == 0 || vain == MAX_SWEEPS_IN_VAIN || budget.is_exhausted() {
            break;
        }
        barycentres(layers, sweep % 2 == 0);
        exchange(layers, budget);
        let now = crossings(layers);
        if now < least {
            (least, vain) = (now, 0);
            best.clone_from(&layers.rows);
        } else {
            vain += 1;
        }
    }
    layers.rows = best;
    least
}

/// Sets an initial order in which neighbours are close: the order of a depth-first search from the
/// nodes of the first layer.
fn initial_order(layers: &mut LayeredGraph) {
    let mut when = vec![usize::MAX; layers.nodes.len()];
    let mut time = 0;
    let roots: Vec<usize> = layers.rows.iter().flatten().copied().collect();
    let mut stack = Vec::new();
    for root in roots {
        stack.push(root);
        while let Some(v) = stack.pop() {
            if when[v] != usize::MAX {
                continue;
            }
            when[v] = time;
            time += 1;
            stack.extend(layers.before[v].iter().rev().filter(|&&u| when[u] == usize::MAX));
            stack.extend(layers.after[v].iter().rev().filter(|&&w| when[w] == usize::MAX));
        }
    }
    layers.rows.iter_mut().for_each(|row| row.sort_by_key(|&v| when[v]));
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
    let LayeredGraph { rows, before, after, .. } = layers;
    let count = rows.len();
    for step in 1..count {
        let at = if forwards { step } else { count - 1 - step };
        let neighbours = if forwards { &*before } else { &*after };
        let mean = |v: usize| {
            let near = &neighbours[v];
            match near.is_empty() {
                // A node without neighbours keeps its position.
                true => position[v] as f64,
                false => near.iter().map(|&u| position[u] as f64).sum::<f64>() / near.len() as f64,
            }
        };
        let mut wanted: Vec<(f64, usize)> = rows[at].iter().map(|&v| (mean(v), v)).collect();
        // The sort is stable, so nodes with the same mean stay in order.
        wanted.sort_by(|a, b| a.0.total_cmp(&b.0));
        rows[at] = wanted.into_iter().map(|(_, v)| v).collect();
        rows[at].iter().enumerate().for_each(|(place, &v)| position[v] = place);
    }
}

/// Exchanges neighbours in a layer as long as that reduces the crossings.
fn exchange(layers: &mut LayeredGraph, budget: &Budget) {
    let mut position = positions(layers);
    for at in 0..layers.rows.len() {
        if budget.is_exhausted() {
            return;
        }
        let mut better = true;
        let mut rounds = 0;
        while better && rounds < 8 {
            better = false;
            rounds += 1;
            for left in 1..layers.rows[at].len() {
                if left % 1_000 == 0 && budget.is_exhausted() {
                    return;
                }
                let (u, v) = (layers.rows[at][left - 1], layers.rows[at][left]);
                let sides = [&layers.before, &layers.after];
                // The number of crossings with u before v, minus the number with v before u.
                let gain: i64 =
                    sides.iter().map(|side| saved_crossings(&side[u], &side[v], &position)).sum();
                if gain > 0 {
                    layers.rows[at].swap(left - 1, left);
                    position.swap(u, v);
                    better = true;
                }
            }
        }
    }
}

/// Returns the crossings of edges to `first` (of the left node) and `second` (of the right node),
/// minus the crossings after an exchange of the nodes.
fn saved_crossings(first: &[usize], second: &[usize], position: &[usize]) -> i64 {
    // For nodes with many edges, the comparison costs more than an exchange gains.
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
            ends.extend(layers.after[v].iter().map(|&w| position[w]));
            ends[from..].sort_unstable();
        }
        total += inversions(&ends);
    }
    total
}

/// Counts the pairs in the wrong order with a Fenwick tree.
fn inversions(ends: &[usize]) -> u64 {
    let size = ends.iter().max().map_or(0, |last| last + 1);
    let mut tree = vec![0u64; size + 1];
    let mut total = 0;
    for (seen, &end) in ends.iter().enumerate() {
        let (mut at, mut not_greater) = (end + 1, 0);
        while at > 0 {
            not_greater += tree[at];
            at &= at - 1;
        }
        total += seen as u64 - not_greater;
        at = end + 1;
        while at <= size {
            tree[at] += 1;
            at += at & at.wrapping_neg();
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
