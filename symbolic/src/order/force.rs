//! FORCE: moves each item to the mean position of its edges, repeatedly, and keeps the best
//! arrangement.

use super::NetShape;

/// Limit on the work of all rounds together, counted in members of hyperedges and in items. At
/// least 5 and at most 400 rounds are allowed.
const MAX_ARC_STEPS: usize = 20_000_000;
/// Largest number of successive rounds without improvement that do not end the search; the next
/// such round ends it.
const MAX_ROUNDS_WITHOUT_GAIN: usize = 12;

/// Rearranges items so that hyperedges become short. `order` is the initial order. The k-th entry
/// of the result is the item at position k.
pub(crate) fn arrange(order: &[u32], edges: &[Vec<u32>], stop: &dyn Fn() -> bool) -> Vec<u32> {
    let mut order = order.to_vec();
    let mut position = super::positions(&order);
    let arc_count: usize = edges.iter().map(Vec::len).sum::<usize>() + order.len();
    let mut best = order.clone();
    let mut best_length = length(edges, &position);
    // Indexed by item: the sum of the mean positions of its edges, and the number of its edges.
    let mut pulls = vec![(0.0f64, 0u32); order.len()];
    let mut rounds_without_gain = 0;
    for _ in 0..(MAX_ARC_STEPS / arc_count.max(1)).clamp(5, 400) {
        if rounds_without_gain > MAX_ROUNDS_WITHOUT_GAIN || stop() {
            break;
        }
        pulls.fill((0.0, 0));
        for edge in edges {
            let sum: f64 = edge.iter().map(|&item| f64::from(position[item as usize])).sum();
            let center = sum / edge.len().max(1) as f64;
            for &item in edge {
                let item_pull = &mut pulls[item as usize];
                *item_pull = (item_pull.0 + center, item_pull.1 + 1);
            }
        }
        let target = |item: u32| match pulls[item as usize] {
            (_, 0) => f64::from(position[item as usize]),
            (sum, count) => sum / f64::from(count),
        };
        order.sort_by(|&a, &b| target(a).total_cmp(&target(b)));
        position = super::positions(&order);
        let new_length = length(edges, &position);
        rounds_without_gain += 1;
        if new_length < best_length {
            (best_length, rounds_without_gain) = (new_length, 0);
            best.clone_from(&order);
        }
    }
    best
}

/// Returns the sum of the lengths of all edges: the distance from the first to the last item of an
/// edge.
fn length(edges: &[Vec<u32>], position: &[u32]) -> u64 {
    let span = |edge: &Vec<u32>| {
        let positions_of_items = edge.iter().map(|&item| position[item as usize]);
        match (positions_of_items.clone().min(), positions_of_items.max()) {
            (Some(first), Some(last)) => u64::from(last - first),
            _ => 0,
        }
    };
    edges.iter().map(span).sum()
}

/// Returns an order of places in which transitions and invariants span few levels.
pub(crate) fn places(shape: &NetShape, order: &[u32], stop: &dyn Fn() -> bool) -> Vec<u32> {
    arrange(order, &edges(shape), stop)
}

/// Returns one hyperedge per transition and per invariant, as lists of places. Hyperedges with
/// fewer than two places are left out.
pub(crate) fn edges(shape: &NetShape) -> Vec<Vec<u32>> {
    let of_transition = |(takes, puts): &(Vec<u32>, Vec<u32>)| {
        let mut touched_places: Vec<u32> = takes.iter().chain(puts).copied().collect();
        touched_places.sort_unstable();
        touched_places.dedup();
        touched_places
    };
    let transitions = shape.transitions.iter().map(of_transition);
    transitions.chain(shape.flows.iter().cloned()).filter(|edge| edge.len() > 1).collect()
}
