//! Noack's greedy order with Tovchigrechko's weights. The next place is the one whose transitions
//! have, on average, the largest share of their places placed.

use super::NetShape;
use std::collections::BinaryHeap;

/// Limit on the work: the number of arcs of the places whose weight is computed again. Beyond it,
/// the remaining places follow in the order of the net.
const MAX_ARC_STEPS: usize = 100_000_000;

#[derive(PartialEq)]
struct PendingPlace {
    /// The weight at the time of insertion into the heap.
    weight: f64,
    place: u32,
}

impl Eq for PendingPlace {}

impl Ord for PendingPlace {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.weight.total_cmp(&other.weight).then(other.place.cmp(&self.place))
    }
}

impl PartialOrd for PendingPlace {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// Returns an order in which the next place is the one of largest weight: its transitions have many
/// placed inputs and outputs.
pub(crate) fn tovchigrechko(shape: &NetShape, stop: &dyn Fn() -> bool) -> Vec<u32> {
    let mut transitions_of: Vec<Vec<u32>> = vec![Vec::new(); shape.places];
    for (at, (takes, puts)) in shape.transitions.iter().enumerate() {
        for &place in takes.iter().chain(puts) {
            transitions_of[place as usize].push(at as u32);
        }
    }
    // The number of placed input and output places, one entry per transition.
    let mut placed_counts = vec![(0u32, 0u32); shape.transitions.len()];
    let transition_weight = |placed_counts: &[(u32, u32)], transition: u32| {
        let (takes, puts) = &shape.transitions[transition as usize];
        let (placed_inputs, placed_outputs) = placed_counts[transition as usize];
        // The share of placed places, times its weight: outputs count twice as much as inputs.
        // Without placed places, a small weight prefers transitions with few places.
        let weighted_share =
            |number: u32, total: usize, weight_of_none: f64, weight_of_each: f64| match number {
                0 => weight_of_none / total.max(1) as f64,
                _ => weight_of_each * f64::from(number) / total as f64,
            };
        weighted_share(placed_inputs, takes.len(), 0.1, 1.0)
            + weighted_share(placed_outputs, puts.len(), 0.2, 2.0)
    };
    let weight = |placed_counts: &[(u32, u32)], place: u32| {
        let transitions = &transitions_of[place as usize];
        let sum: f64 = transitions
            .iter()
            .map(|&transition| transition_weight(placed_counts, transition))
            .sum();
        sum / transitions.len().max(1) as f64
    };
    let mut current_weights: Vec<f64> =
        (0..shape.places as u32).map(|place| weight(&placed_counts, place)).collect();
    let mut heap: BinaryHeap<PendingPlace> = (0..shape.places as u32)
        .map(|place| PendingPlace { weight: current_weights[place as usize], place })
        .collect();
    let mut order: Vec<u32> = Vec::with_capacity(shape.places);
    let mut is_placed = vec![false; shape.places];
    let mut work = 0;
    while let Some(PendingPlace { weight: weight_when_queued, place }) = heap.pop() {
        if is_placed[place as usize] || weight_when_queued != current_weights[place as usize] {
            continue; // an outdated weight
        }
        if work > MAX_ARC_STEPS || stop() {
            break;
        }
        is_placed[place as usize] = true;
        order.push(place);
        let mut neighbours: Vec<u32> = Vec::new();
        for &transition in &transitions_of[place as usize] {
            let (takes, puts) = &shape.transitions[transition as usize];
            let placed_counts = &mut placed_counts[transition as usize];
            placed_counts.0 = takes.iter().filter(|&&p| is_placed[p as usize]).count() as u32;
            placed_counts.1 = puts.iter().filter(|&&p| is_placed[p as usize]).count() as u32;
            neighbours.extend(takes.iter().chain(puts).filter(|&&p| !is_placed[p as usize]));
        }
        neighbours.sort_unstable();
        neighbours.dedup();
        for place in neighbours {
            work += transitions_of[place as usize].len();
            let weight = weight(&placed_counts, place);
            if weight != current_weights[place as usize] {
                current_weights[place as usize] = weight;
                heap.push(PendingPlace { weight, place });
            }
        }
    }
    order.extend((0..shape.places as u32).filter(|&place| !is_placed[place as usize]));
    order
}
