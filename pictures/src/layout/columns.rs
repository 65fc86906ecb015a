//! Coordinates within the layers: every node is near its neighbours, the bends of one edge are on a
//! straight line, and all distances are kept.
//!
//! For one layer with the other layers fixed, the best positions by least squares, subject to order
//! and distances, are an isotonic regression. Pooling solves it exactly in linear time. The layers
//! are adjusted one after the other, in several rounds.
//!
//! # Source
//! R. Barlow, D. Bartholomew, J. Bremner, H. Brunk, *Statistical inference under order
//! restrictions*, 1972 (pool adjacent violators).

use super::LayoutSpacing;
use super::layers::LayeredGraph;
use parikh_solvers::Budget;

/// The largest number of rounds over all layers. Fewer rounds are made if the budget is spent.
const ROUNDS: usize = 24;

/// Returns the coordinate of the centre of every node and bend within its layer, that is, across
/// the direction of edges.
pub(super) fn columns(layers: &LayeredGraph, spacing: &LayoutSpacing, budget: &Budget) -> Vec<f64> {
    let mut across = vec![0.0; layers.nodes.len()];
    for row in &layers.rows {
        let tight_centres = tight_positions(layers, row, spacing);
        let middle = tight_centres.last().copied().unwrap_or(0.0) / 2.0;
        row.iter().zip(&tight_centres).for_each(|(&v, gap)| across[v] = gap - middle);
    }
    for round in 0..ROUNDS {
        if budget.is_exhausted() {
            break;
        }
        // Rounds alternate between the neighbours in the layer before and in the layer after. The
        // last 3 rounds use both.
        let (before, after) = match (round + 3 < ROUNDS, round % 2) {
            (true, 0) => (true, false),
            (true, _) => (false, true),
            (false, _) => (true, true),
        };
        let count = layers.rows.len();
        for step in 0..count {
            let layer = if round % 2 == 0 { step } else { count - 1 - step };
            move_row(layers, &layers.rows[layer], [before, after], spacing, &mut across);
        }
    }
    across
}

/// Returns the centres of a row's nodes and bends when the row is packed as tightly as possible.
/// The first centre is at 0.
fn tight_positions(layers: &LayeredGraph, row: &[usize], spacing: &LayoutSpacing) -> Vec<f64> {
    let mut centre = 0.0;
    let mut centres = Vec::with_capacity(row.len());
    for (index, &v) in row.iter().enumerate() {
        if index > 0 {
            let (left, right) = (layers.nodes[row[index - 1]], layers.nodes[v]);
            let gap_factor = if left.is_bend && right.is_bend { 0.3 } else { 1.0 };
            centre +=
                (left.size_across + right.size_across) / 2.0 + gap_factor * spacing.within_layers;
        }
        centres.push(centre);
    }
    centres
}

/// Moves the nodes and bends of one row near their neighbours, in unchanged order. The two flags
/// select the neighbours in the layer before and in the layer after.
fn move_row(
    layers: &LayeredGraph,
    row: &[usize],
    [before, after]: [bool; 2],
    spacing: &LayoutSpacing,
    across: &mut [f64],
) {
    let tight_centres = tight_positions(layers, row, spacing);
    // Blocks of nodes that are pushed against each other. Each entry has the preferred shift from
    // the tight positions, the weight of the preference, and the number of nodes.
    let mut blocks: Vec<(f64, f64, usize)> = Vec::new();
    for (&v, gap) in row.iter().zip(&tight_centres) {
        let (mut sum, mut weight) = (0.0, 0.0);
        let sides = [(before, &layers.neighbours_before[v]), (after, &layers.neighbours_after[v])];
        for &u in sides.into_iter().filter(|(is_used, _)| *is_used).flat_map(|(_, near)| near) {
            // Pieces of a long edge between two bends have the largest weight, so that long edges
            // are straight.
            let pull = match (layers.nodes[v].is_bend, layers.nodes[u].is_bend) {
                (true, true) => 8.0,
                (true, false) | (false, true) => 2.0,
                (false, false) => 1.0,
            };
            sum += pull * across[u];
            weight += pull;
        }
        let (preferred, weight) = match weight > 0.0 {
            true => (sum / weight, weight),
            false => (across[v], 0.01),
        };
        let mut block = (preferred - gap, weight, 1);
        while let Some(&(preferred, weight, nodes)) = blocks.last() {
            if preferred <= block.0 {
                break;
            }
            blocks.pop();
            let total_weight = weight + block.1;
            block = (
                (preferred * weight + block.0 * block.1) / total_weight,
                total_weight,
                nodes + block.2,
            );
        }
        blocks.push(block);
    }
    let preferences =
        blocks.iter().flat_map(|&(preferred, _, nodes)| std::iter::repeat_n(preferred, nodes));
    for ((&v, gap), preferred) in row.iter().zip(&tight_centres).zip(preferences) {
        across[v] = preferred + gap;
    }
}
