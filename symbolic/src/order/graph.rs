//! The graph of a net's places. Two places are neighbours if a transition touches both.

use super::{NetShape, force};
use std::collections::BTreeMap;

/// Largest number of places of a transition or invariant that are linked pair by pair. Of a wider
/// one only successive places are linked, since the number of pairs grows with the square.
const MAX_PAIRED: usize = 32;

/// A graph with weights. Vertices are numbers from 0.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    /// The neighbours of each vertex with the weights of the links, by ascending neighbour.
    pub(crate) links: Vec<Vec<(u32, f64)>>,
    /// The weight of the links of each vertex to itself. Communities that became one vertex have
    /// such links.
    pub(crate) loops: Vec<f64>,
}

impl Graph {
    /// Returns the graph of the places. A transition or invariant with k places adds the weight
    /// 1 / (k - 1) to each of its links, so that wide ones do not decide alone.
    pub(crate) fn of_places(shape: &NetShape) -> Graph {
        let mut weights: Vec<BTreeMap<u32, f64>> = vec![BTreeMap::new(); shape.places];
        let mut link = |a: u32, b: u32, weight: f64| {
            *weights[a as usize].entry(b).or_default() += weight;
            *weights[b as usize].entry(a).or_default() += weight;
        };
        for edge in force::edges(shape) {
            let weight = 1.0 / (edge.len() - 1) as f64;
            let reach = if edge.len() <= MAX_PAIRED { edge.len() } else { 1 };
            for (index, &place) in edge.iter().enumerate() {
                for &other in edge.iter().skip(index + 1).take(reach) {
                    link(place, other, weight);
                }
            }
        }
        Graph {
            links: weights.into_iter().map(|links| links.into_iter().collect()).collect(),
            loops: vec![0.0; shape.places],
        }
    }

    /// Returns the graph in which each community is one vertex. `community` has the community of
    /// each vertex, and communities are numbers below `count`.
    pub(crate) fn contracted(&self, community: &[u32], count: usize) -> Graph {
        let mut weights: Vec<BTreeMap<u32, f64>> = vec![BTreeMap::new(); count];
        let mut loops = vec![0.0; count];
        for (vertex, links) in self.links.iter().enumerate() {
            let own = community[vertex];
            loops[own as usize] += self.loops[vertex];
            for &(neighbour, weight) in links {
                match community[neighbour as usize] {
                    // Each link inside a community is met from both of its ends.
                    other if other == own => loops[own as usize] += weight / 2.0,
                    other => *weights[own as usize].entry(other).or_default() += weight,
                }
            }
        }
        Graph {
            links: weights.into_iter().map(|links| links.into_iter().collect()).collect(),
            loops,
        }
    }

    /// Returns the sum of the weights of a vertex's links. A link to itself counts twice.
    pub(crate) fn degree(&self, vertex: usize) -> f64 {
        let outer: f64 = self.links[vertex].iter().map(|link| link.1).sum();
        outer + 2.0 * self.loops[vertex]
    }
}
