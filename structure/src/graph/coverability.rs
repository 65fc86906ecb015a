//! The coverability graph of Karp and Miller, which is finite for every net.
//!
//! Suppose a marking on a path covers an earlier marking of the path and has more tokens on some
//! places. Then the firings in between can repeat, and these places grow without bound. Their
//! number of tokens becomes ω, which stands for arbitrarily many tokens. A node m means: for each k
//! there is a reachable marking that equals m on places with a number and has at least k tokens on
//! places with ω. Every reachable marking is covered by a node.
//!
//! The graph does *not* show which markings are reachable, nor whether a dead marking is reachable.
//! It shows which places are bounded, and which transitions can fire.
//!
//! This implementation is for pictures and keeps every node. The engine
//! `coverability` drops covered nodes, and records how each node was
//! derived.
//!
//! # Sources
//! R. Karp, R. Miller, *Parallel program schemata*, J. Computer and System Sciences 3, 1969.

use super::omega::{OMEGA, fire, is_covered};
use super::reachability::{FiringEdge, NoGraph};
use parikh_net::{Net, PlaceId};
use parikh_solvers::Budget;
use std::collections::HashMap;

/// The coverability graph of a net.
#[derive(Clone, Debug)]
pub struct Coverability {
    /// Tokens by place, [`OMEGA`] for unbounded places. Node 0 is the initial marking.
    pub nodes: Vec<Vec<u64>>,
    /// The edges, sorted by `from` and transition.
    pub edges: Vec<FiringEdge>,
}

impl Coverability {
    /// Computes the graph with at most `max_nodes` nodes.
    ///
    /// # Errors
    /// Returns an error if the graph has more nodes, a token count overflows, or the budget is
    /// exhausted.
    pub fn of(net: &Net, max_nodes: usize, budget: &Budget) -> Result<Self, NoGraph> {
        let first = net.initial().tokens().to_vec();
        let mut numbers = HashMap::from([(first.clone(), 0u32)]);
        let mut graph = Coverability { nodes: vec![first], edges: Vec::new() };
        // For each node, the node from which it was first reached.
        let mut parents: Vec<Option<u32>> = vec![None];
        let mut from = 0;
        while from < graph.nodes.len() {
            for transition in net.transitions() {
                if let Some(exhausted) = budget.exhausted() {
                    return Err(exhausted.into());
                }
                let Some(mut next) = fire(net, &graph.nodes[from], transition)? else { continue };
                graph.accelerate(&mut next, from, &parents);
                let to = match numbers.get(&next) {
                    Some(&known_number) => known_number,
                    None if graph.nodes.len() >= max_nodes => {
                        return Err(NoGraph::TooMany(max_nodes));
                    }
                    None => {
                        let number = graph.nodes.len() as u32;
                        numbers.insert(next.clone(), number);
                        graph.nodes.push(next);
                        parents.push(Some(from as u32));
                        number
                    }
                };
                graph.edges.push(FiringEdge { from: from as u32, transition, to });
            }
            from += 1;
        }
        Ok(graph)
    }

    /// Accelerates `next`: for each node on the path to node `from` that `next` covers, sets the
    /// places with more tokens in `next` to ω. Repeats until nothing changes.
    fn accelerate(&self, next: &mut [u64], from: usize, parents: &[Option<u32>]) {
        loop {
            let mut is_changed = false;
            let mut ancestor = Some(from as u32);
            while let Some(current) = ancestor {
                let node = &self.nodes[current as usize];
                if is_covered(node, next) {
                    for (earlier, tokens) in node.iter().zip(next.iter_mut()) {
                        if *earlier < *tokens && *tokens != OMEGA {
                            *tokens = OMEGA;
                            is_changed = true;
                        }
                    }
                }
                ancestor = parents[current as usize];
            }
            if !is_changed {
                return;
            }
        }
    }

    /// Returns the places that are ω in some node, in ascending order.
    pub fn unbounded(&self, net: &Net) -> Vec<PlaceId> {
        let is_omega = |p: &PlaceId| self.nodes.iter().any(|node| node[p.index()] == OMEGA);
        net.places().filter(is_omega).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    #[test]
    fn exactly_the_unbounded_places_become_omega() {
        let net = text::parse(
            "place idle 1\nplace busy\nplace made\nplace sold\ntransition begin: idle -> busy
             transition make: busy -> idle + made\ntransition sell: 3*made -> sold",
        )
        .unwrap();
        let graph = Coverability::of(&net, 100, &Budget::unlimited()).unwrap();
        let named: Vec<&str> =
            graph.unbounded(&net).into_iter().map(|p| net.place_name(p)).collect();
        assert_eq!(named, ["made", "sold"]);
        assert_eq!(graph.nodes[0], [1, 0, 0, 0]);
        assert!(graph.nodes.iter().all(|node| node[0] + node[1] == 1));
        assert_eq!(
            Coverability::of(&net, 2, &Budget::unlimited()).unwrap_err(),
            NoGraph::TooMany(2)
        );
    }

    #[test]
    fn the_graph_of_a_bounded_net_is_its_reachability_graph() {
        let net = text::parse(
            "place a 3\nplace b\ntransition t: a -> b\ntransition u: 2*b -> 2*a\ntransition v: b -> b",
        )
        .unwrap();
        let budget = Budget::unlimited();
        let cover = Coverability::of(&net, 100, &budget).unwrap();
        let reach = super::super::reachability::Reachability::of(&net, 100, &budget).unwrap();
        let markings: Vec<Vec<u64>> = reach.markings.iter().map(|m| m.tokens().to_vec()).collect();
        assert_eq!((cover.nodes, cover.edges), (markings, reach.edges));
    }
}
