//! An order from one end of the net to the other, along invariants.
//!
//! Two places that are far apart are the ends. The gradient of a place says how much closer it is
//! to one end than to the other. The next places always come from the invariant that best continues
//! the placed part: its placed places are far along, and its other places are far back.

use super::{NetShape, force};
use std::collections::VecDeque;

pub(crate) fn along_flows(shape: &NetShape, stop: &dyn Fn() -> bool) -> Vec<u32> {
    let gradient = gradient(shape);
    let by_gradient = |places: &mut Vec<u32>| {
        places.sort_by(|&a, &b| {
            gradient[a as usize].total_cmp(&gradient[b as usize]).then(a.cmp(&b))
        });
    };
    let mut placed = vec![false; shape.places];
    let mut order = Vec::with_capacity(shape.places);
    let mut open: Vec<&Vec<u32>> = shape.flows.iter().collect();
    // Each iteration looks at all invariants. If there are many, only the small ones are used.
    open.sort_by_key(|flow| flow.len());
    open.truncate(2_000);
    while !open.is_empty() && !stop() {
        let rank = |flow: &Vec<u32>| {
            let mean = |placed_ones: bool| {
                let chosen = flow.iter().filter(|&&place| placed[place as usize] == placed_ones);
                let sum: f64 = chosen.clone().map(|&place| gradient[place as usize]).sum();
                let count = chosen.count();
                (count > 0).then(|| sum / count as f64)
            };
            // Without a placed place, the invariant counts as starting at the very beginning.
            mean(false).map(|unplaced| mean(true).unwrap_or(-1.0) - unplaced)
        };
        open.retain(|flow| flow.iter().any(|&place| !placed[place as usize]));
        let best = open.iter().enumerate().filter_map(|(at, flow)| Some((rank(flow)?, at)));
        let Some((_, at)) = best.max_by(|a, b| a.0.total_cmp(&b.0)) else { break };
        let flow = open.swap_remove(at);
        let mut new: Vec<u32> = flow.iter().copied().filter(|&p| !placed[p as usize]).collect();
        by_gradient(&mut new);
        new.iter().for_each(|&place| placed[place as usize] = true);
        order.extend(new);
    }
    let mut rest: Vec<u32> = (0..shape.places as u32).filter(|&p| !placed[p as usize]).collect();
    by_gradient(&mut rest);
    order.extend(rest);
    order
}

/// Returns a number in [-1, 1] for each place: -1 at one end, 1 at the other.
fn gradient(shape: &NetShape) -> Vec<f64> {
    let edges = force::edges(shape);
    let mut edges_of: Vec<Vec<u32>> = vec![Vec::new(); shape.places];
    for (at, edge) in edges.iter().enumerate() {
        edge.iter().for_each(|&place| edges_of[place as usize].push(at as u32));
    }
    let distances = |from: u32| {
        let mut distance = vec![u32::MAX; shape.places];
        let mut seen = vec![false; edges.len()];
        distance[from as usize] = 0;
        let mut queue = VecDeque::from([from]);
        let mut last = from;
        while let Some(place) = queue.pop_front() {
            last = place;
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
        (distance, last)
    };
    if shape.places == 0 {
        return Vec::new();
    }
    let (_, one) = distances(0);
    let (from_one, other) = distances(one);
    let (from_other, _) = distances(other);
    let whole = f64::from(from_one[other as usize].max(1));
    (0..shape.places)
        .map(|place| match (from_one[place], from_other[place]) {
            (u32::MAX, _) | (_, u32::MAX) => 1.0,
            (a, b) => (f64::from(a) - f64::from(b)) / whole,
        })
        .collect()
}
