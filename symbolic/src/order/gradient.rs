//! An order from one end of the net to the other, along invariants.
//!
//! Two places that are far apart are the ends. The gradient of a place says how much closer it is
//! to one end than to the other. The next places always come from the invariant that best continues
//! the placed part: its placed places are far along, and its other places are far back.

use super::{NetShape, force};
use std::collections::VecDeque;

/// Returns an order that takes the invariants one by one, and the places of an invariant by
/// ascending gradient. The next invariant is the one in which the mean gradient of the placed
/// places exceeds that of the unplaced places most. At most 2,000 invariants are used, the smallest
/// ones.
pub(crate) fn along_flows(shape: &NetShape, stop: &dyn Fn() -> bool) -> Vec<u32> {
    let gradient = gradient(shape);
    let by_gradient = |places: &mut Vec<u32>| {
        places.sort_by(|&a, &b| {
            gradient[a as usize].total_cmp(&gradient[b as usize]).then(a.cmp(&b))
        });
    };
    let mut is_placed = vec![false; shape.places];
    let mut order = Vec::with_capacity(shape.places);
    let mut open_flows: Vec<&Vec<u32>> = shape.flows.iter().collect();
    // Each iteration looks at all invariants. If there are many, only the small ones are used.
    open_flows.sort_by_key(|flow| flow.len());
    open_flows.truncate(2_000);
    while !open_flows.is_empty() && !stop() {
        let rank = |flow: &Vec<u32>| {
            let mean = |counts_placed: bool| {
                let selected =
                    flow.iter().filter(|&&place| is_placed[place as usize] == counts_placed);
                let sum: f64 = selected.clone().map(|&place| gradient[place as usize]).sum();
                let count = selected.count();
                (count > 0).then(|| sum / count as f64)
            };
            // An invariant without placed places gets the smallest gradient, -1, as the mean of its
            // placed places.
            mean(false).map(|unplaced| mean(true).unwrap_or(-1.0) - unplaced)
        };
        open_flows.retain(|flow| flow.iter().any(|&place| !is_placed[place as usize]));
        let best =
            open_flows.iter().enumerate().filter_map(|(index, flow)| Some((rank(flow)?, index)));
        let Some((_, index)) = best.max_by(|a, b| a.0.total_cmp(&b.0)) else { break };
        let flow = open_flows.swap_remove(index);
        let mut new_places: Vec<u32> =
            flow.iter().copied().filter(|&p| !is_placed[p as usize]).collect();
        by_gradient(&mut new_places);
        new_places.iter().for_each(|&place| is_placed[place as usize] = true);
        order.extend(new_places);
    }
    let mut unordered: Vec<u32> =
        (0..shape.places as u32).filter(|&p| !is_placed[p as usize]).collect();
    by_gradient(&mut unordered);
    order.extend(unordered);
    order
}

/// Returns the gradient of each place, from -1 at one end of the net to 1 at the other. The ends
/// are two places that are far apart. A place that is not connected to the ends has 1.
fn gradient(shape: &NetShape) -> Vec<f64> {
    let edges = force::edges(shape);
    let mut edges_of: Vec<Vec<u32>> = vec![Vec::new(); shape.places];
    for (edge_number, edge) in edges.iter().enumerate() {
        edge.iter().for_each(|&place| edges_of[place as usize].push(edge_number as u32));
    }
    let distances = |from: u32| {
        let mut distance = vec![u32::MAX; shape.places];
        let mut seen = vec![false; edges.len()];
        distance[from as usize] = 0;
        let mut queue = VecDeque::from([from]);
        let mut farthest = from;
        while let Some(place) = queue.pop_front() {
            farthest = place;
            for &edge in &edges_of[place as usize] {
                if std::mem::replace(&mut seen[edge as usize], true) {
                    continue;
                }
                for &next in &edges[edge as usize] {
                    if distance[next as usize] == u32::MAX {
                        distance[next as usize] = distance[place as usize] + 1;
                        queue.push_back(next);
                    }
                }
            }
        }
        (distance, farthest)
    };
    if shape.places == 0 {
        return Vec::new();
    }
    let (_, first_end) = distances(0);
    let (from_first, second_end) = distances(first_end);
    let (from_second, _) = distances(second_end);
    let total_distance = f64::from(from_first[second_end as usize].max(1));
    (0..shape.places)
        .map(|place| match (from_first[place], from_second[place]) {
            (u32::MAX, _) | (_, u32::MAX) => 1.0,
            (a, b) => (f64::from(a) - f64::from(b)) / total_distance,
        })
        .collect()
}
