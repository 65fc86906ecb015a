//! Sloan's order: from one end of the net to the other, so that few places are *active* at a time.
//! A place is active if a neighbour is placed and the place itself is not.
//!
//! Source: Sloan, "An algorithm for profile and wavefront reduction of sparse matrices", 1986.

use super::NetShape;
use super::graph::PlaceGraph;
use std::collections::{BinaryHeap, VecDeque};

/// Weight of the distance to the far end in the priority of a place.
const DISTANCE_WEIGHT: i64 = 1;
/// Weight of the number of places that become active with a place, in the priority of the place.
/// Both weights are Sloan's.
const GROWTH_WEIGHT: i64 = 2;

/// Largest number of searches for the two ends of a connected part.
const MAX_END_SEARCHES: usize = 8;

/// Number of placed places after which a stop is asked for.
const STOP_INTERVAL: usize = 1_024;

/// The state of a place while the order grows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PlaceState {
    /// No neighbour is placed or active, and the place is not the start.
    Untouched,
    /// A neighbour is active, or the place is the start. No neighbour is placed.
    Waiting,
    /// A neighbour is placed.
    Active,
    /// The place has its position in the order.
    Placed,
}

/// Returns Sloan's order of the places. Connected parts follow one another, by first place. `graph`
/// is the graph of the places.
pub(crate) fn by_profile(
    shape: &NetShape,
    graph: &PlaceGraph,
    stop: &dyn Fn() -> bool,
) -> Vec<u32> {
    let mut progress = SloanOrder {
        graph,
        search: DistanceSearch { graph, met_by: vec![0; shape.places], search: 0 },
        states: vec![PlaceState::Untouched; shape.places],
        priorities: vec![0; shape.places],
        queue: BinaryHeap::new(),
        order: Vec::with_capacity(shape.places),
    };
    for place in 0..shape.places as u32 {
        if stop() {
            break;
        }
        if progress.states[place as usize] == PlaceState::Untouched {
            progress.order_part(place, stop);
        }
    }
    let SloanOrder { mut order, states, .. } = progress;
    let is_placed = |place: &u32| states[*place as usize] == PlaceState::Placed;
    order.extend((0..shape.places as u32).filter(|place| !is_placed(place)));
    order
}

/// The order so far.
struct SloanOrder<'g> {
    graph: &'g PlaceGraph,
    search: DistanceSearch<'g>,
    /// The state of each place.
    states: Vec<PlaceState>,
    /// The priority of each place. It only grows.
    priorities: Vec<i64>,
    /// Waiting and active places by priority. An entry with an old priority is out of date.
    queue: BinaryHeap<(i64, std::cmp::Reverse<u32>)>,
    order: Vec<u32>,
}

impl SloanOrder<'_> {
    /// Orders the connected part of this place, or some of it if `stop` returns true.
    fn order_part(&mut self, place: u32, stop: &dyn Fn() -> bool) {
        let (start, distances) = self.search.ends(place);
        for &(member, distance) in &distances {
            let growth = self.graph.links[member as usize].len() as i64 + 1;
            self.priorities[member as usize] =
                DISTANCE_WEIGHT * i64::from(distance) - GROWTH_WEIGHT * growth;
        }
        self.states[start as usize] = PlaceState::Waiting;
        self.queue.push((self.priorities[start as usize], std::cmp::Reverse(start)));
        while let Some((priority, std::cmp::Reverse(place))) = self.queue.pop() {
            let state = self.states[place as usize];
            if state == PlaceState::Placed || priority != self.priorities[place as usize] {
                continue;
            }
            if self.order.len().is_multiple_of(STOP_INTERVAL) && stop() {
                return;
            }
            if state == PlaceState::Waiting {
                self.raise_neighbours(place);
            }
            self.states[place as usize] = PlaceState::Placed;
            self.order.push(place);
            for &(neighbour, _) in &self.graph.links[place as usize] {
                if self.states[neighbour as usize] == PlaceState::Waiting {
                    self.states[neighbour as usize] = PlaceState::Active;
                    self.raise(neighbour);
                    self.raise_neighbours(neighbour);
                }
            }
        }
    }

    /// Raises the priority of all neighbours of a place, since placing one of them makes one place
    /// fewer active than before.
    fn raise_neighbours(&mut self, place: u32) {
        for &(neighbour, _) in &self.graph.links[place as usize] {
            self.raise(neighbour);
        }
    }

    fn raise(&mut self, place: u32) {
        let state = &mut self.states[place as usize];
        if *state == PlaceState::Placed {
            return;
        }
        if *state == PlaceState::Untouched {
            *state = PlaceState::Waiting;
        }
        self.priorities[place as usize] += GROWTH_WEIGHT;
        self.queue.push((self.priorities[place as usize], std::cmp::Reverse(place)));
    }
}

/// Searches for the distances between places.
struct DistanceSearch<'g> {
    graph: &'g PlaceGraph,
    /// The number of the search that met each place last. Searches have numbers from 1.
    met_by: Vec<u32>,
    /// The number of the last search.
    search: u32,
}

impl DistanceSearch<'_> {
    /// Returns one end of the connected part of `place`, and the distance of each place of the part
    /// from the other end. Ends are places that are far apart.
    fn ends(&mut self, place: u32) -> (u32, Vec<(u32, u32)>) {
        let mut start = place;
        let mut distances = self.distances(start);
        for _ in 0..MAX_END_SEARCHES {
            let farthest = distances.last().map_or(0, |last| last.1);
            let degree = |place: u32| self.graph.links[place as usize].len();
            let last_layer = distances.iter().rev().take_while(|it| it.1 == farthest);
            let end = last_layer.map(|it| it.0).min_by_key(|&it| (degree(it), it));
            let end = end.unwrap_or(start);
            let from_end = self.distances(end);
            if from_end.last().is_none_or(|last| last.1 <= farthest) {
                return (start, from_end);
            }
            (start, distances) = (end, from_end);
        }
        let end = distances.last().map_or(start, |last| last.0);
        (start, self.distances(end))
    }

    /// Returns the places of the connected part of `from` with their distances from it, by
    /// ascending distance.
    fn distances(&mut self, from: u32) -> Vec<(u32, u32)> {
        self.search += 1;
        self.met_by[from as usize] = self.search;
        let mut queue = VecDeque::from([(from, 0)]);
        let mut distances = Vec::new();
        while let Some((place, distance)) = queue.pop_front() {
            distances.push((place, distance));
            for &(neighbour, _) in &self.graph.links[place as usize] {
                let met_by = &mut self.met_by[neighbour as usize];
                if std::mem::replace(met_by, self.search) != self.search {
                    queue.push_back((neighbour, distance + 1));
                }
            }
        }
        distances
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_is_followed_from_end_to_end() {
        // The chain 3 - 1 - 4 - 0 - 2, and place 5 by itself.
        let chain = [3, 1, 4, 0, 2];
        let transitions =
            chain.windows(2).map(|pair| (vec![pair[0]], vec![pair[1]])).collect::<Vec<_>>();
        let shape = NetShape { places: 6, transitions, ..NetShape::default() };
        let order = by_profile(&shape, &PlaceGraph::of_places(&shape), &|| false);
        let reversed: Vec<u32> = chain.iter().rev().copied().collect();
        assert!(order[..5] == chain || order[..5] == reversed, "{order:?}");
        assert_eq!(order[5], 5);
    }

    #[test]
    fn a_stopped_search_is_an_order_too() {
        let transitions = vec![(vec![0], vec![1]), (vec![1], vec![2])];
        let shape = NetShape { places: 3, transitions, ..NetShape::default() };
        assert_eq!(by_profile(&shape, &PlaceGraph::of_places(&shape), &|| true), [0, 1, 2]);
    }
}
