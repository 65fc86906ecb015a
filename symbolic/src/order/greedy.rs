//! Noack's greedy order with Tovchigrechko's weights. The next place is the one whose transitions
//! have, on average, the largest share of their places placed.

use super::NetShape;
use std::collections::BinaryHeap;

/// Limit on the number of steps along arcs. After that, places follow in the order of the net.
const WORK: usize = 100_000_000;

#[derive(PartialEq)]
struct PendingPlace {
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

pub(crate) fn tovchigrechko(shape: &NetShape, stop: &dyn Fn() -> bool) -> Vec<u32> {
    let mut transitions_of: Vec<Vec<u32>> = vec![Vec::new(); shape.places];
    for (at, (takes, puts)) in shape.transitions.iter().enumerate() {
        for &place in takes.iter().chain(puts) {
            transitions_of[place as usize].push(at as u32);
        }
    }
    // The number of placed input and output places, one entry per transition.
    let mut done = vec![(0u32, 0u32); shape.transitions.len()];
    let share = |done: &[(u32, u32)], transition: u32| {
        let (takes, puts) = &shape.transitions[transition as usize];
        let (taken, put) = done[transition as usize];
        let of = |number: u32, all: usize, none: f64, each: f64| match number {
            0 => none / all.max(1) as f64,
            _ => each * f64::from(number) / all as f64,
        };
        of(taken, takes.len(), 0.1, 1.0) + of(put, puts.len(), 0.2, 2.0)
    };
    let weight = |done: &[(u32, u32)], place: u32| {
        let transitions = &transitions_of[place as usize];
        let sum: f64 = transitions.iter().map(|&transition| share(done, transition)).sum();
        sum / transitions.len().max(1) as f64
    };
    let mut current: Vec<f64> =
        (0..shape.places as u32).map(|place| weight(&done, place)).collect();
    let mut heap: BinaryHeap<PendingPlace> = (0..shape.places as u32)
        .map(|place| PendingPlace { weight: current[place as usize], place })
        .collect();
    let mut order: Vec<u32> = Vec::with_capacity(shape.places);
    let mut placed = vec![false; shape.places];
    let mut work = 0;
    while let Some(PendingPlace { weight: at, place }) = heap.pop() {
        if placed[place as usize] || at != current[place as usize] {
            continue; // an outdated weight
        }
        if work > WORK || stop() {
            break;
        }
        placed[place as usize] = true;
        order.push(place);
        let mut near: Vec<u32> = Vec::new();
        for &transition in &transitions_of[place as usize] {
            let (takes, puts) = &shape.transitions[transition as usize];
            let done = &mut done[transition as usize];
            done.0 = takes.iter().filter(|&&p| placed[p as usize]).count() as u32;
            done.1 = puts.iter().filter(|&&p| placed[p as usize]).count() as u32;
            near.extend(takes.iter().chain(puts).filter(|&&p| !placed[p as usize]));
        }
        near.sort_unstable();
        near.dedup();
        for place in near {
            work += transitions_of[place as usize].len();
            let weight = weight(&done, place);
            if weight != current[place as usize] {
                current[place as usize] = weight;
                heap.push(PendingPlace { weight, place });
            }
        }
    }
    order.extend((0..shape.places as u32).filter(|&place| !placed[place as usize]));
    order
}
