//! The labelled reachability graph: all reachable markings, and all firings between them.
//!
//! This implementation is for nets small enough to be drawn. The explicit search of the engines
//! (`explicit`) packs markings and does not keep edges. This graph keeps
//! everything. The search is breadth-first, so smaller numbers are nearer to the initial marking.

use parikh_net::{FireError, FiringSequence, Marking, Net, PlaceId, TransitionId};
use parikh_solvers::{Budget, ExhaustionReason};
use std::collections::HashMap;

/// A firing, as an edge between numbered markings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FiringEdge {
    /// The number of the marking before the firing.
    pub from: u32,
    /// The fired transition.
    pub transition: TransitionId,
    /// The number of the marking after the firing.
    pub to: u32,
}

/// The labelled reachability graph of a net.
#[derive(Clone, Debug)]
pub struct Reachability {
    /// The markings by number. Number 0 is the initial marking.
    pub markings: Vec<Marking>,
    /// The edges, sorted by `from` and transition.
    pub edges: Vec<FiringEdge>,
    /// For each marking, the index of the edge by which it was first reached. The entry of the
    /// initial marking has no meaning.
    first_edge_to: Vec<u32>,
}

/// An error that prevents the construction of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoGraph {
    /// There are more markings than allowed.
    #[error("more than {0} markings are reachable")]
    TooMany(usize),
    /// There are more firings between markings than a 32-bit number counts.
    #[error("more than 2^32 - 1 firings between reachable markings")]
    TooManyEdges,
    /// A place would hold too many tokens.
    #[error("a place would hold 2^63 tokens or more")]
    Overflow,
    /// The budget is spent.
    #[error("{0}")]
    Exhausted(#[from] ExhaustionReason),
}

impl Reachability {
    /// Computes the graph with at most `max_markings` markings.
    ///
    /// # Errors
    /// Returns an error if the graph has more markings, or more edges than a 32-bit number counts.
    /// Also returns an error if a token count overflows or the budget is exhausted.
    pub fn of(net: &Net, max_markings: usize, budget: &Budget) -> Result<Self, NoGraph> {
        Self::ignoring_tokens_on(net, &[], max_markings, budget)
    }

    /// Computes the graph without the tokens on `ignored` places. No transition may consume tokens
    /// from these places. Tokens produced there vanish at once.
    ///
    /// # Errors
    /// The errors of [`of`](Self::of).
    pub fn ignoring_tokens_on(
        net: &Net,
        ignored: &[PlaceId],
        max_markings: usize,
        budget: &Budget,
    ) -> Result<Self, NoGraph> {
        let mut first = net.initial().clone();
        ignored.iter().for_each(|&p| first[p] = 0);
        let mut numbers = HashMap::from([(first.clone(), 0)]);
        let mut graph =
            Reachability { markings: vec![first], edges: Vec::new(), first_edge_to: vec![0] };
        let mut from = 0;
        while from < graph.markings.len() {
            if let Some(exhausted) = budget.exhausted() {
                return Err(exhausted.into());
            }
            for transition in net.transitions() {
                let mut next = graph.markings[from].clone();
                match net.fire(&mut next, transition) {
                    Ok(()) => {}
                    Err(FireError::NotEnabled(_)) => continue,
                    Err(FireError::Overflow(_)) => return Err(NoGraph::Overflow),
                }
                ignored.iter().for_each(|&p| next[p] = 0);
                let to = *numbers.entry(next).or_insert_with_key(|next| {
                    graph.markings.push(next.clone());
                    graph.first_edge_to.push(graph.edges.len() as u32);
                    graph.markings.len() as u32 - 1
                });
                if graph.markings.len() > max_markings {
                    return Err(NoGraph::TooMany(max_markings));
                }
                if graph.edges.len() >= u32::MAX as usize {
                    return Err(NoGraph::TooManyEdges);
                }
                graph.edges.push(FiringEdge { from: from as u32, transition, to });
            }
            from += 1;
        }
        Ok(graph)
    }

    /// Returns a shortest firing sequence from the initial marking to the marking with this number.
    pub fn sequence_to(&self, mut marking: u32) -> Vec<TransitionId> {
        let mut transitions = Vec::new();
        while marking != 0 {
            let edge = self.edges[self.first_edge_to[marking as usize] as usize];
            transitions.push(edge.transition);
            marking = edge.from;
        }
        transitions.reverse();
        transitions
    }

    /// Returns two lists, indexed by the number of a marking. The first has the index of the first
    /// edge on a shortest path to a marking in `goals`. It is `None` for a goal and for a marking
    /// without such a path. The second is true for goals and for markings with such a path.
    pub fn shortest_paths_to(&self, goals: &[u32]) -> (Vec<Option<u32>>, Vec<bool>) {
        let count = self.markings.len();
        let mut incoming = vec![Vec::new(); count];
        for (incoming_edge, edge) in (0u32..).zip(&self.edges) {
            incoming[edge.to as usize].push(incoming_edge);
        }
        let (mut first_edge, mut has_path) = (vec![None; count], vec![false; count]);
        let mut queue: std::collections::VecDeque<u32> = goals.iter().copied().collect();
        goals.iter().for_each(|&goal| has_path[goal as usize] = true);
        while let Some(to) = queue.pop_front() {
            for &incoming_edge in &incoming[to as usize] {
                let from = self.edges[incoming_edge as usize].from;
                if !std::mem::replace(&mut has_path[from as usize], true) {
                    first_edge[from as usize] = Some(incoming_edge);
                    queue.push_back(from);
                }
            }
        }
        (first_edge, has_path)
    }

    /// Returns the firing sequence from `marking` along `next`, the first list of
    /// [`shortest_paths_to`](Self::shortest_paths_to).
    pub fn follow(&self, next: &[Option<u32>], mut marking: u32) -> FiringSequence {
        let mut sequence = FiringSequence::new();
        while let Some(edge_index) = next[marking as usize] {
            let edge = self.edges[edge_index as usize];
            sequence.push(edge.transition, 1);
            marking = edge.to;
        }
        sequence
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    fn net() -> Net {
        text::parse(
            "place a 2\nplace b\nplace c\ntransition t: a -> b + c\ntransition u: b -> a\n\
             transition v: 2*b -> ",
        )
        .unwrap()
    }

    #[test]
    fn ignoring_an_unbounded_place_makes_the_graph_finite() {
        let (net, budget) = (net(), Budget::unlimited());
        assert_eq!(Reachability::of(&net, 99, &budget).unwrap_err(), NoGraph::TooMany(99));
        let c = net.place_named("c").unwrap();
        let graph = Reachability::ignoring_tokens_on(&net, &[c], 99, &budget).unwrap();
        let tokens: Vec<&[u64]> = graph.markings.iter().map(Marking::tokens).collect();
        assert_eq!(tokens, [[2, 0, 0], [1, 1, 0], [0, 2, 0], [0, 0, 0]]);
        assert_eq!(graph.edges.len(), 5);
        assert_eq!(graph.sequence_to(3).len(), 3);
        let (next, has_way) = graph.shortest_paths_to(&[0]);
        assert_eq!(has_way, [true, true, true, false]);
        assert_eq!(graph.follow(&next, 2).firings(), 2);
    }
}
