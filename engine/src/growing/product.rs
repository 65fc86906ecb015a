//! Nodes and edges of the product of a net and the automaton of a property. A node has an interval
//! of token counts for each place, and a state of the automaton.
//!
//! A place that may grow without bound has no upper bound at a node. Its lower bound depends on the
//! [`Precision`].
//!
//! # Growth
//! Let a path lead from a node a to a node n with the same state. Let n have no fewer tokens on any
//! place, and more on at least one place. The path from a to n can be repeated, and these places
//! grow each time. The path *reads the same* in each round if every literal that its edges read
//! keeps its value while the places grow. Then the places lose their upper bounds at n.

use crate::coverability::tree::{Acceleration, GrowingPlace};
use parikh_evidence::no_run::cover::CoverNode;
use parikh_evidence::no_run::pairs::Pairs;
use parikh_net::lasso::{LassoRun, RunEnd};
use parikh_net::run_property::{RunAtom, RunProperty};
use parikh_net::{Atom, FiringSequence, Net, PlaceId, Predicate, TransitionId};
use parikh_solvers::Budget;
use parikh_temporal::{Automaton, Marks};
use std::collections::HashMap;

/// The information that nodes keep about places that grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Precision {
    /// No information: no place loses its upper bound.
    Bounded,
    /// A growing place has arbitrarily many tokens, represented by [`ARBITRARILY_MANY`].
    Arbitrary,
    /// A growing place has any number of tokens from its lower bound on, which never rises.
    Covering,
    /// A growing place has any number of tokens from its lower bound on. This bound rises up to the
    /// largest number that an arc or the property compares with the place.
    Distinguishing,
}

/// Stands for arbitrarily many tokens. It exceeds every number of the nets for which this engine is
/// useful.
const ARBITRARILY_MANY: u64 = 1 << 40;

/// An edge of the product.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProductEdge {
    /// The source node.
    pub(super) from: u32,
    /// The target node.
    pub(super) to: u32,
    /// The fired transition. `None` if a dead marking repeats.
    pub(super) transition: Option<TransitionId>,
    /// The acceptance marks of the automaton's edge.
    pub(super) marks: Marks,
}

/// The edge by which a node was first reached.
#[derive(Clone, Copy)]
struct IncomingEdge {
    /// The predecessor.
    predecessor: u32,
    /// Index of the automaton's edge among the edges of the predecessor's state.
    automaton_edge: usize,
    /// The fired transition. `None` if a dead marking repeats.
    transition: Option<TransitionId>,
}

/// The product of a coverability tree of a net and the automaton of a property. See the module
/// documentation.
pub(super) struct CoverabilityProduct<'a> {
    /// The net.
    pub(super) net: &'a Net,
    /// The property.
    pub(super) property: &'a RunProperty,
    /// The automaton of the property.
    pub(super) automaton: &'a Automaton,
    /// The possible pairs of an automaton edge and a transition, or of an automaton edge and the
    /// repetition of a dead marking. Pairs that predicates known to be unreachable exclude are
    /// missing.
    pairs: &'a Pairs,
    /// The information that nodes keep about places that grow.
    precision: Precision,
    /// The nodes, in the order of discovery.
    nodes: Vec<CoverNode>,
    /// For each node, the edge by which it was first reached. `None` for the first node.
    incoming: Vec<Option<IncomingEdge>>,
    /// For each node, the accelerations that removed upper bounds.
    accelerations: Vec<Vec<Acceleration>>,
    /// The edges of the expanded nodes.
    pub(super) edges: Vec<ProductEdge>,
    /// For each node, its index in `nodes`.
    index_of_node: HashMap<CoverNode, u32>,
    /// The indices of nodes that differ only in their lower bounds, by the node without lower
    /// bounds. They serve to find a node with the same state and upper bounds, and with no larger
    /// lower bounds.
    nodes_by_upper_bounds: HashMap<CoverNode, Vec<u32>>,
    /// For each place, the largest number that an arc or the property compares with its tokens.
    compared_numbers: Vec<u64>,
    /// Number of expanded nodes. Nodes are expanded in the order of discovery.
    expanded: usize,
}

/// A successor of a node: the index of the automaton's edge, the transition, the successor node,
/// and the edge's acceptance marks. The transition is `None` where a dead marking repeats. No place
/// of the successor node has lost its upper bound yet.
type RawSuccessor = (usize, Option<TransitionId>, CoverNode, Marks);

impl<'a> CoverabilityProduct<'a> {
    /// Creates the product with its first node, the initial marking with the automaton's initial
    /// state. There is no node if the automaton has no states.
    pub(super) fn new(
        net: &'a Net,
        property: &'a RunProperty,
        automaton: &'a Automaton,
        pairs: &'a Pairs,
        precision: Precision,
    ) -> Self {
        let tokens = net.initial().tokens();
        let first = CoverNode {
            state: automaton.initial,
            low: tokens.to_vec(),
            high: tokens.iter().copied().map(Some).collect(),
            is_dead: false,
        };
        let mut product = CoverabilityProduct {
            net,
            property,
            automaton,
            pairs,
            precision,
            nodes: Vec::new(),
            incoming: Vec::new(),
            accelerations: Vec::new(),
            edges: Vec::new(),
            index_of_node: HashMap::new(),
            nodes_by_upper_bounds: HashMap::new(),
            compared_numbers: compared_numbers(net, property),
            expanded: 0,
        };
        if !automaton.states.is_empty() {
            product.add_node(first, None, Vec::new());
        }
        product
    }

    /// Returns true if all nodes are expanded.
    pub(super) fn is_complete(&self) -> bool {
        self.expanded == self.nodes.len()
    }

    /// Returns the nodes.
    pub(super) fn nodes(&self) -> &[CoverNode] {
        &self.nodes
    }

    /// Returns the nodes and drops the edges.
    pub(super) fn into_nodes(self) -> Vec<CoverNode> {
        self.nodes
    }

    /// Returns the accelerations at a node: paths whose repetition removed upper bounds there.
    pub(super) fn accelerations_at(&self, node: u32) -> &[Acceleration] {
        &self.accelerations[node as usize]
    }

    /// Returns the predecessor of a node and the transition fired there, which is `None` if a dead
    /// marking repeats. Returns `None` for the first node.
    pub(super) fn predecessor_of(&self, node: u32) -> Option<(u32, Option<TransitionId>)> {
        self.incoming[node as usize].map(|edge| (edge.predecessor, edge.transition))
    }

    /// Expands nodes breadth-first until there are more than `max_nodes` nodes or no unexpanded
    /// node. Returns the first run found that `is_wanted` accepts. Returns `None` if no run is
    /// found, the budget is exhausted, or a number is too large.
    pub(super) fn expand_nodes(
        &mut self,
        max_nodes: usize,
        budget: &Budget,
        is_wanted: &mut dyn FnMut(&LassoRun) -> bool,
    ) -> Option<LassoRun> {
        while self.expanded < self.nodes.len() && self.nodes.len() <= max_nodes {
            if self.expanded.is_multiple_of(16) && budget.is_exhausted() {
                return None;
            }
            let from = self.expanded as u32;
            for (edge_index, mover, to, marks) in self.successors(from)? {
                let incoming = IncomingEdge {
                    predecessor: from,
                    automaton_edge: edge_index,
                    transition: mover,
                };
                let (to, candidate_run) = self.target_of(to, incoming, marks)?;
                self.edges.push(ProductEdge { from, to, transition: mover, marks });
                if let Some(run) = candidate_run.filter(|run| is_wanted(run)) {
                    return Some(run);
                }
            }
            self.expanded += 1;
        }
        None
    }

    /// Returns the successors of a node, before any place loses its upper bound. Returns `None` if
    /// a number is too large.
    fn successors(&self, from: u32) -> Option<Vec<RawSuccessor>> {
        let node = &self.nodes[from as usize];
        let enabling = |t| Some((t, node.enabling(self.net, t)?));
        let enabled: Vec<_> = self.net.transitions().filter_map(enabling).collect();
        let mut successors = Vec::new();
        for (edge_index, edge) in self.automaton.states[node.state].iter().enumerate() {
            let is_possible = |mover| self.pairs.remains(node.state, edge_index, mover);
            let reading = |restricted: &CoverNode, mover| {
                let restricted = Some(restricted).filter(|_| is_possible(mover))?;
                restricted.reading(self.net, self.property, &edge.cube, mover)
            };
            for (t, restricted) in &enabled {
                let mover = Some(*t);
                if let Some(read) = reading(restricted, mover) {
                    let mut next = read.successor(self.net, *t, edge.target).ok()?;
                    self.set_lower_bounds(&read, &mut next);
                    successors.push((edge_index, mover, next, edge.marks));
                }
            }
            if node.may_be_dead(self.net)
                && let Some(read) = reading(node, None)
            {
                successors.push((
                    edge_index,
                    None,
                    CoverNode { state: edge.target, ..read },
                    edge.marks,
                ));
            }
        }
        Some(successors)
    }

    /// Sets the lower bounds of the places without an upper bound in `next`, a successor node, as
    /// the precision demands. `read` has the markings before the firing.
    fn set_lower_bounds(&self, read: &CoverNode, next: &mut CoverNode) {
        for (index, high) in next.high.iter().enumerate() {
            if high.is_none() {
                next.low[index] = match self.precision {
                    // Firings never raise the lower bound, so that the number of nodes is finite.
                    Precision::Covering => next.low[index].min(read.low[index]),
                    Precision::Distinguishing => {
                        next.low[index].min(read.low[index].max(self.compared_numbers[index]))
                    }
                    _ => ARBITRARILY_MANY,
                };
            }
        }
    }

    /// Returns the number of the target node of an edge, new or known. Also returns a run if
    /// [`accelerate`](Self::accelerate) finds one. The run repeats a path with all acceptance
    /// marks, from an earlier node with upper bounds on all places. Returns `None` if there are 2³²
    /// nodes.
    fn target_of(
        &mut self,
        mut next: CoverNode,
        incoming: IncomingEdge,
        marks: Marks,
    ) -> Option<(u32, Option<LassoRun>)> {
        if let Some(existing) = self.existing_node(&next) {
            return Some((existing, None));
        }
        let (accelerations, run) = self.accelerate(&mut next, incoming, marks);
        if let (false, Some(existing)) = (accelerations.is_empty(), self.existing_node(&next)) {
            return Some((existing, run));
        }
        u32::try_from(self.nodes.len()).ok()?;
        Some((self.add_node(next, Some(incoming), accelerations), run))
    }

    /// Returns the number of an existing node that is equal to `node`. With
    /// [`Precision::Covering`], a node with the same state, the same upper bounds and no larger
    /// lower bounds suffices.
    fn existing_node(&self, node: &CoverNode) -> Option<u32> {
        if let Some(&known) = self.index_of_node.get(node) {
            return Some(known);
        }
        if self.precision != Precision::Covering {
            return None;
        }
        let candidates = self.nodes_by_upper_bounds.get(&without_lower_bounds(node))?;
        let contains = |&&candidate: &&u32| {
            let low = &self.nodes[candidate as usize].low;
            low.iter().zip(&node.low).all(|(candidate_low, node_low)| candidate_low <= node_low)
        };
        candidates.iter().find(contains).copied()
    }

    /// Adds a node and returns its number.
    fn add_node(
        &mut self,
        node: CoverNode,
        incoming: Option<IncomingEdge>,
        accelerations: Vec<Acceleration>,
    ) -> u32 {
        let number = self.nodes.len() as u32;
        self.index_of_node.insert(node.clone(), number);
        self.nodes_by_upper_bounds.entry(without_lower_bounds(&node)).or_default().push(number);
        self.nodes.push(node);
        self.incoming.push(incoming);
        self.accelerations.push(accelerations);
        number
    }

    /// Removes upper bounds of places that grow when the path from an earlier node is repeated and
    /// reads the same in each round. With [`Precision::Bounded`], no upper bound is removed.
    /// Returns the accelerations. May also return a run. Such a path gives a run if it has all
    /// acceptance marks and every place has an upper bound at the earlier node.
    fn accelerate(
        &self,
        next: &mut CoverNode,
        incoming: IncomingEdge,
        marks: Marks,
    ) -> (Vec<Acceleration>, Option<LassoRun>) {
        let (mut accelerations, mut run) = (Vec::new(), None);
        // The edges of the path from an earlier node to `next`, from last to first. The path grows
        // backwards until it begins at the first node.
        let mut path_edges = vec![incoming];
        let mut path_marks = marks;
        loop {
            let ancestor = path_edges[path_edges.len() - 1].predecessor;
            let earlier = &self.nodes[ancestor as usize];
            let places = growing_places(earlier, next);
            if let Some(places) = places.filter(|places| self.reads_same(&path_edges, places)) {
                let has_all_upper_bounds = earlier.high.iter().all(Option::is_some);
                if run.is_none()
                    && has_all_upper_bounds
                    && Marks::all(self.automaton.marks).is_subset(path_marks)
                {
                    run = self.repeated_path(ancestor, &path_edges);
                }
                if self.precision != Precision::Bounded {
                    for growing in &places {
                        let position = growing.place.index();
                        next.high[position] = None;
                        if self.precision == Precision::Arbitrary {
                            next.low[position] = ARBITRARILY_MANY;
                        }
                    }
                    accelerations.push(Acceleration { start: ancestor, places });
                }
            }
            let Some(previous) = self.incoming[ancestor as usize] else {
                return (accelerations, run);
            };
            let edge = &self.automaton.states[self.nodes[previous.predecessor as usize].state]
                [previous.automaton_edge];
            path_marks = path_marks.or(edge.marks);
            path_edges.push(previous);
        }
    }

    /// Returns false if a literal that the automaton reads on the path may change its value while
    /// `places` grow, as far as the intervals show. Literals that the intervals of a node leave
    /// undetermined are ignored. Also returns false for a path on which a dead marking repeats.
    fn reads_same(&self, path_edges: &[IncomingEdge], places: &[GrowingPlace]) -> bool {
        path_edges.iter().all(|path_edge| {
            let node = &self.nodes[path_edge.predecessor as usize];
            let node = path_edge.transition.and_then(|t| node.enabling(self.net, t));
            let Some(node) = node else { return false };
            let mut larger = node.clone();
            places.iter().for_each(|growing| larger.high[growing.place.index()] = None);
            let edge = &self.automaton.states[node.state][path_edge.automaton_edge];
            edge.cube.literals().iter().all(|literal| {
                let RunAtom::Holds(predicate) = &self.property.atoms()[literal.atom.0 as usize]
                else {
                    return true;
                };
                larger.value(self.net, predicate, false).is_some()
                    || self.keeps_value(predicate, places)
                    || node.value(self.net, predicate, false).is_none()
            })
        })
    }

    /// Returns true if no comparison and no enabledness condition in the predicate changes as
    /// `places` grow. Deadness is not considered.
    fn keeps_value(&self, predicate: &Predicate, places: &[GrowingPlace]) -> bool {
        match predicate {
            Predicate::And(parts) | Predicate::Or(parts) => {
                parts.iter().all(|part| self.keeps_value(part, places))
            }
            Predicate::Atom(Atom { sum, .. }) => {
                let change = |growing: &GrowingPlace| {
                    i128::from(sum.coefficient(growing.place)) * i128::from(growing.gain)
                };
                places.iter().map(change).sum::<i128>() == 0
            }
            Predicate::Enabled(t) | Predicate::Disabled(t) => {
                places.iter().all(|growing| self.net.pre_weight(*t, growing.place) == 0)
            }
            _ => true,
        }
    }

    /// Returns the firings on the path to a node. Returns `None` if a dead marking repeats on the
    /// path.
    fn sequence_to(&self, node: u32) -> Option<FiringSequence> {
        let mut movers = Vec::new();
        let mut current = node;
        while let Some((predecessor, mover)) = self.predecessor_of(current) {
            movers.push(mover?);
            current = predecessor;
        }
        Some(movers.into_iter().rev().collect())
    }

    /// Returns the run that goes to the node `start`, at which every place has an upper bound, and
    /// then repeats the path. `path_edges` lists the edges of the path from last to first. Returns
    /// `None` if a dead marking repeats on the way.
    fn repeated_path(&self, start: u32, path_edges: &[IncomingEdge]) -> Option<LassoRun> {
        let prefix = self.sequence_to(start)?;
        let cycle: Option<FiringSequence> =
            path_edges.iter().rev().map(|path_edge| path_edge.transition).collect();
        Some(LassoRun { prefix, end: RunEnd::Repeats(cycle?) })
    }
}

/// Returns the node with an empty list of lower bounds, as a key.
fn without_lower_bounds(node: &CoverNode) -> CoverNode {
    CoverNode { state: node.state, low: Vec::new(), high: node.high.clone(), is_dead: node.is_dead }
}

/// Returns, for each place, the largest number with which the tokens of the place are compared. An
/// input arc compares them with its weight. A comparison of the property counts as its bound
/// divided by the coefficient of the place, plus 1, without signs.
fn compared_numbers(net: &Net, property: &RunProperty) -> Vec<u64> {
    let mut numbers = vec![0; net.place_count()];
    for t in net.transitions() {
        for arc in net.pre(t) {
            let number = &mut numbers[arc.place.index()];
            *number = arc.weight.max(*number);
        }
    }
    for atom in property.atoms() {
        if let RunAtom::Holds(predicate) = atom {
            add_compared_numbers(predicate, &mut numbers);
        }
    }
    numbers
}

/// Raises the entries of `numbers`, one per place, to the numbers that comparisons in the predicate
/// give.
fn add_compared_numbers(predicate: &Predicate, numbers: &mut [u64]) {
    match predicate {
        Predicate::And(parts) | Predicate::Or(parts) => {
            parts.iter().for_each(|part| add_compared_numbers(part, numbers));
        }
        Predicate::Atom(Atom { sum, bound }) => {
            for &(place, factor) in sum.terms() {
                let number = &mut numbers[place.index()];
                *number = (bound.unsigned_abs() / factor.unsigned_abs() + 1).max(*number);
            }
        }
        _ => {}
    }
}

/// Returns the places with a larger upper bound at `next` than at an earlier node. Places without
/// upper bounds are left out. Returns `None` if there is no such place, or if the states differ.
/// Also returns `None` if `next` has a smaller upper bound than the earlier node, or one that is
/// missing there.
fn growing_places(earlier: &CoverNode, next: &CoverNode) -> Option<Vec<GrowingPlace>> {
    if earlier.state != next.state {
        return None;
    }
    let mut places = Vec::new();
    for (index, (old_high, new_high)) in earlier.high.iter().zip(&next.high).enumerate() {
        match (old_high, new_high) {
            (Some(old_high), Some(new_high)) if old_high > new_high => return None,
            (Some(old_high), Some(new_high)) if old_high < new_high => {
                places.push(GrowingPlace {
                    place: PlaceId::new(index),
                    tokens: *new_high,
                    gain: new_high - old_high,
                });
            }
            (None, Some(_)) => return None,
            _ => {}
        }
    }
    (!places.is_empty()).then_some(places)
}
