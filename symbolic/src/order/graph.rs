//! The graph of a net's places. Two places are neighbours if a transition touches both.

use super::{NetShape, force};

/// Largest number of places of a transition or invariant that are linked pair by pair. Of a wider
/// one only successive places are linked, since the number of pairs grows with the square.
const MAX_PAIRED: usize = 32;

/// Largest number of pairs in a graph. With more pairs, only successive places of each transition
/// are linked, so that graphs of very large nets are made in a second.
const MAX_PAIRS: usize = 2_000_000;

/// A graph with weights. Vertices are numbers from 0.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlaceGraph {
    /// The neighbours of each vertex with the weights of the links, by ascending neighbour.
    pub(crate) links: Vec<Vec<(u32, f64)>>,
    /// The weight of the links of each vertex to itself. Communities that became one vertex have
    /// such links.
    pub(crate) loops: Vec<f64>,
}

impl PlaceGraph {
    /// Returns the graph of the places. Each link of a transition or invariant with k places has
    /// the weight 1 / (k - 1). So a transition adds the weight 1 to the links of each of its
    /// places, or less if only successive places are linked.
    pub(crate) fn of_places(shape: &NetShape) -> PlaceGraph {
        let edges = force::edges(shape);
        let reach = |edge: &Vec<u32>| if edge.len() <= MAX_PAIRED { edge.len() - 1 } else { 1 };
        let pair_count: usize = edges.iter().map(|edge| edge.len() * reach(edge) / 2).sum();
        let links_pairs = pair_count <= MAX_PAIRS;
        let mut links = Vec::new();
        for edge in &edges {
            let weight = 1.0 / (edge.len() - 1) as f64;
            let reach = if links_pairs { reach(edge) } else { 1 };
            for (index, &place) in edge.iter().enumerate() {
                for &other in edge.iter().skip(index + 1).take(reach) {
                    links.extend([(place, other, weight), (other, place, weight)]);
                }
            }
        }
        PlaceGraph { links: added_up(links, shape.places), loops: vec![0.0; shape.places] }
    }

    /// Returns the graph in which each community is one vertex. `community` has the community of
    /// each vertex, and communities are numbers below `count`.
    pub(crate) fn contracted(&self, community: &[u32], count: usize) -> PlaceGraph {
        let mut outer_links = Vec::new();
        let mut loops = vec![0.0; count];
        for (vertex, links) in self.links.iter().enumerate() {
            let own = community[vertex];
            loops[own as usize] += self.loops[vertex];
            for &(neighbour, weight) in links {
                match community[neighbour as usize] {
                    // Each link inside a community is met from both of its ends.
                    other if other == own => loops[own as usize] += weight / 2.0,
                    other => outer_links.push((own, other, weight)),
                }
            }
        }
        PlaceGraph { links: added_up(outer_links, count), loops }
    }

    /// Returns the sum of the weights of a vertex's links. A link to itself counts twice.
    pub(crate) fn degree(&self, vertex: usize) -> f64 {
        let outer: f64 = self.links[vertex].iter().map(|link| link.1).sum();
        outer + 2.0 * self.loops[vertex]
    }
}

/// Returns the links of each vertex. Weights of equal links are added.
fn added_up(mut links: Vec<(u32, u32, f64)>, vertices: usize) -> Vec<Vec<(u32, f64)>> {
    // Equal links stay in their order, so that rounding is the same in every run.
    links.sort_by_key(|&(from, to, _)| (from, to));
    let mut by_vertex: Vec<Vec<(u32, f64)>> = vec![Vec::new(); vertices];
    for equal in links.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let weight = equal.iter().map(|link| link.2).sum();
        by_vertex[equal[0].0 as usize].push((equal[0].1, weight));
    }
    by_vertex
}
