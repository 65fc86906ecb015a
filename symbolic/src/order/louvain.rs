//! Orders by communities of places: groups with many transitions inside and few between them.
//!
//! Communities are found as in Blondel, Guillaume, Lambiotte, Lefebvre, "Fast unfolding of
//! communities in large networks", 2008 (the method of Louvain). Communities of communities follow,
//! until they no longer grow. The result is a tree, whose leaves are the places. FORCE orders the
//! children of each node of the tree.

use super::graph::PlaceGraph;
use super::{NetShape, force};

/// Largest number of passes over all vertices while communities are formed. Few passes suffice in
/// practice, and the gain of later passes is small.
const MAX_PASSES: usize = 20;

/// Smallest gain for which a vertex changes its community, as a share of the weight of the vertex's
/// links. Without this limit, rounding errors could move a vertex to and fro.
const MIN_GAIN: f64 = 1e-9;

/// Number of vertices after which a stop is asked for.
const STOP_INTERVAL: usize = 1_024;

/// Returns an order of the places in which each community is in one piece.
/// `graph` is the graph of the places.
pub(crate) fn by_communities(
    shape: &NetShape,
    graph: &PlaceGraph,
    stop: &dyn Fn() -> bool,
) -> Vec<u32> {
    let mut graph = graph.clone();
    let mut edges = force::edges(shape);
    // The places of each vertex of `graph`, in their final order.
    let mut places: Vec<Vec<u32>> = (0..shape.places as u32).map(|place| vec![place]).collect();
    while !stop() {
        let (community, count) = communities(&graph, stop);
        if count == graph.links.len() {
            break;
        }
        places = joined(&places, &edges, &community, count, stop);
        edges = contracted(&edges, &community);
        graph = graph.contracted(&community, count);
    }
    let all = vec![0; places.len()];
    joined(&places, &edges, &all, 1, stop).concat()
}

/// Moves each vertex to the community of a neighbour while this increases the modularity. Returns
/// the community of each vertex, and the number of communities.
fn communities(graph: &PlaceGraph, stop: &dyn Fn() -> bool) -> (Vec<u32>, usize) {
    let vertices = graph.links.len();
    let degrees: Vec<f64> = (0..vertices).map(|vertex| graph.degree(vertex)).collect();
    let all: f64 = degrees.iter().sum();
    let mut community: Vec<u32> = (0..vertices as u32).collect();
    let mut community_degrees = degrees.clone();
    // The weight of the links from the current vertex to each community. Zero but for the
    // communities in `neighbours`.
    let mut weight_to = vec![0.0; vertices];
    for _ in 0..MAX_PASSES {
        let mut has_moved = false;
        for vertex in 0..vertices {
            if vertex.is_multiple_of(STOP_INTERVAL) && stop() {
                return numbered(&community);
            }
            let mut neighbours: Vec<u32> = Vec::new();
            for &(neighbour, weight) in &graph.links[vertex] {
                let other = community[neighbour as usize];
                if weight_to[other as usize] == 0.0 {
                    neighbours.push(other);
                }
                weight_to[other as usize] += weight;
            }
            let own = community[vertex];
            community_degrees[own as usize] -= degrees[vertex];
            let gain = |other: u32| {
                let expected = community_degrees[other as usize] * degrees[vertex] / all;
                weight_to[other as usize] - expected
            };
            let mut best = (own, gain(own));
            for &other in &neighbours {
                let gain = gain(other);
                if gain > best.1 + MIN_GAIN * degrees[vertex] {
                    best = (other, gain);
                }
            }
            has_moved |= best.0 != own;
            community[vertex] = best.0;
            community_degrees[best.0 as usize] += degrees[vertex];
            neighbours.iter().for_each(|&other| weight_to[other as usize] = 0.0);
        }
        if !has_moved {
            break;
        }
    }
    numbered(&community)
}

/// Returns communities with numbers from 0, by first vertex, and how many there are.
fn numbered(community: &[u32]) -> (Vec<u32>, usize) {
    let mut number_of = vec![u32::MAX; community.len()];
    let mut count = 0;
    let mut numbers = Vec::with_capacity(community.len());
    for &old in community {
        let number = &mut number_of[old as usize];
        if *number == u32::MAX {
            *number = count;
            count += 1;
        }
        numbers.push(*number);
    }
    (numbers, count as usize)
}

/// Joins the places of the vertices of each community. FORCE orders the vertices of a community by
/// the edges inside it.
fn joined(
    places: &[Vec<u32>],
    edges: &[Vec<u32>],
    community: &[u32],
    count: usize,
    stop: &dyn Fn() -> bool,
) -> Vec<Vec<u32>> {
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); count];
    // The position of each vertex among the members of its community.
    let mut index_in = vec![0; places.len()];
    for (vertex, &own) in (0..).zip(community) {
        index_in[vertex as usize] = members[own as usize].len() as u32;
        members[own as usize].push(vertex);
    }
    let mut inner_edges: Vec<Vec<Vec<u32>>> = vec![Vec::new(); count];
    for edge in edges {
        let mut edge = edge.clone();
        edge.sort_by_key(|&vertex| community[vertex as usize]);
        for inner in edge.chunk_by(|&a, &b| community[a as usize] == community[b as usize]) {
            if inner.len() > 1 {
                let indices = inner.iter().map(|&vertex| index_in[vertex as usize]).collect();
                inner_edges[community[inner[0] as usize] as usize].push(indices);
            }
        }
    }
    let ordered = |(members, edges): (&Vec<u32>, &Vec<Vec<u32>>)| {
        let start: Vec<u32> = (0..members.len() as u32).collect();
        let order = force::arrange(&start, edges, stop);
        let vertices = order.iter().map(|&index| members[index as usize] as usize);
        vertices.flat_map(|vertex| places[vertex].iter().copied()).collect()
    };
    members.iter().zip(&inner_edges).map(ordered).collect()
}

/// Returns the edges between communities. Edges inside one community are left out.
fn contracted(edges: &[Vec<u32>], community: &[u32]) -> Vec<Vec<u32>> {
    let contracted = edges.iter().map(|edge| {
        let mut edge: Vec<u32> = edge.iter().map(|&vertex| community[vertex as usize]).collect();
        edge.sort_unstable();
        edge.dedup();
        edge
    });
    contracted.filter(|edge| edge.len() > 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two rings of four places, joined by one transition.
    fn two_rings() -> NetShape {
        let ring = |places: [u32; 4]| {
            (0..4).map(move |index| (vec![places[index]], vec![places[(index + 1) % 4]]))
        };
        let transitions = ring([0, 2, 4, 6]).chain(ring([1, 3, 5, 7])).chain([(vec![0], vec![1])]);
        NetShape { places: 8, transitions: transitions.collect(), ..NetShape::default() }
    }

    #[test]
    fn densely_linked_places_form_a_community() {
        let (community, count) = communities(&PlaceGraph::of_places(&two_rings()), &|| false);
        assert!((2..=4).contains(&count), "{community:?}");
        assert!((0..8).all(|place| community[place] != community[(place + 1) % 8]));
    }

    #[test]
    fn each_ring_stays_in_one_piece() {
        let order = by_communities(&two_rings(), &PlaceGraph::of_places(&two_rings()), &|| false);
        let is_first_ring: Vec<bool> = order.iter().map(|place| place % 2 == 0).collect();
        assert_eq!(is_first_ring.chunk_by(|a, b| a == b).count(), 2, "{order:?}");
    }

    #[test]
    fn places_without_transitions_are_ordered_too() {
        let shape = NetShape { places: 3, ..NetShape::default() };
        assert_eq!(by_communities(&shape, &PlaceGraph::of_places(&shape), &|| false), [0, 1, 2]);
    }
}
