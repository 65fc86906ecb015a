//! Orders by groups of places: the units of the net, or the supports of invariants.
//!
//! If exactly one place of a group holds a token, the last level is determined by the others. A
//! group that stays together therefore costs little more than one level.

use super::{NetShape, force};
use std::collections::HashSet;

/// Returns the groups one after another, followed by the places without a group.
pub(crate) fn flat(groups: &[Vec<u32>], places: usize) -> Vec<u32> {
    let mut order: Vec<u32> = Vec::with_capacity(places);
    let mut is_placed = vec![false; places];
    let all_places = (0..places as u32).collect();
    for &place in groups.iter().chain([&all_places]).flatten() {
        if !std::mem::replace(&mut is_placed[place as usize], true) {
            order.push(place);
        }
    }
    order
}

/// Orders the groups with FORCE, so that connected groups are close. Each group stays in one piece.
pub(crate) fn arranged(shape: &NetShape, groups: &[Vec<u32>], stop: &dyn Fn() -> bool) -> Vec<u32> {
    let mut group_of = vec![u32::MAX; shape.places];
    let mut groups: Vec<Vec<u32>> = groups.to_vec();
    for (group_number, group) in groups.iter().enumerate() {
        group.iter().for_each(|&place| group_of[place as usize] = group_number as u32);
    }
    for (place, group) in (0..).zip(&mut group_of) {
        if *group == u32::MAX {
            *group = groups.len() as u32;
            groups.push(vec![place]);
        }
    }
    let group_edges = force::edges(shape).into_iter().map(|edge| {
        let mut edge: Vec<u32> = edge.iter().map(|&place| group_of[place as usize]).collect();
        edge.sort_unstable();
        edge.dedup();
        edge
    });
    let edges: Vec<Vec<u32>> = group_edges.filter(|edge| edge.len() > 1).collect();
    let start: Vec<u32> = (0..groups.len() as u32).collect();
    let order = force::arrange(&start, &edges, stop);
    let groups: Vec<Vec<u32>> =
        order.iter().map(|&group_number| groups[group_number as usize].clone()).collect();
    flat(&groups, shape.places)
}

/// Returns disjoint groups, by ascending first place. Invariants are taken by ascending size of
/// their support. A group is the part of a support that earlier groups leave over, if this is more
/// than half of the support.
pub(crate) fn by_flows(shape: &NetShape) -> Vec<Vec<u32>> {
    let mut flows: Vec<&Vec<u32>> = shape.flows.iter().collect();
    flows.sort_by_key(|flow| flow.len());
    let mut grouped_places: HashSet<u32> = HashSet::new();
    let mut groups = Vec::new();
    for flow in flows {
        let mut ungrouped: Vec<u32> =
            flow.iter().copied().filter(|p| !grouped_places.contains(p)).collect();
        if ungrouped.len() * 2 > flow.len() {
            ungrouped.sort_unstable();
            grouped_places.extend(&ungrouped);
            groups.push(ungrouped);
        }
    }
    groups.sort_by_key(|group| group[0]);
    groups
}
