//! Search for a fair accepting run in the product of the reachability graph and an automaton.
//!
//! Nodes and edges are those of `search`: a node is a marking with an automaton state. The set of
//! nodes that a fair accepting run visits infinitely often is strongly connected and carries all
//! acceptance marks. For each transition t with a weak fairness assumption, an edge of this set
//! fires t, or a marking of this set disables t. For each transition t with a strong fairness
//! assumption, an edge of this set fires t, or no marking of this set enables t. Weak fairness
//! behaves like an acceptance mark: if a component lacks it, so do all its parts. If a component
//! lacks strong fairness to t, the markings that enable t are removed, and the components of the
//! rest are examined in turn.
//!
//! The components of all expanded nodes are examined whenever the number of these nodes has grown
//! by a factor of four, and at the end. So a short run is found long before the whole graph is
//! built.
//!
//! # Sources
//! E. A. Emerson, C.-L. Lei, *Modalities for model checking: branching time logic strikes back*,
//! Science of Computer Programming 8, 1987; M. R. Henzinger, J. A. Telle, *Faster algorithms for
//! the nonemptiness of Streett automata and for communication protocol pruning*, SWAT 1996.

use super::letters::CompiledAutomaton;
use super::search::EdgeRun;
use crate::explicit::ExplorationError;
use crate::markings::{Markings, Successor};
use parikh_net::components::components;
use parikh_temporal::Marks;
use std::collections::{HashMap, VecDeque};

/// A fairness assumption for a transition, with the letter bits that describe its state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FairnessAssumption {
    /// True for strong fairness, false for weak fairness.
    pub(crate) is_strong: bool,
    /// Index of the letter bit of the atom "the transition is enabled".
    pub(crate) enabled_bit: usize,
    /// Index of the letter bit of the atom "the transition fires".
    pub(crate) fires_bit: usize,
}

/// Number of expanded nodes after which the components are examined for a fair run for the first
/// time.
const FIRST_EXAMINATION: usize = 1 << 10;

/// An edge between nodes of the product. A node is a marking with an automaton state.
#[derive(Clone, Copy)]
struct ProductEdge {
    /// The target node.
    target: u32,
    /// The acceptance marks of the automaton edge.
    marks: Marks,
    /// The edge between markings: the marking after the firing, and the label of the firing.
    successor: Successor,
}

/// A search for a fair accepting run. See the module documentation.
pub(crate) struct FairSearch<'m, 'n, 'a> {
    /// The graph of markings.
    markings: &'m mut Markings<'n>,
    /// The automaton of the property.
    automaton: &'a CompiledAutomaton,
    /// The fairness assumptions.
    assumptions: &'a [FairnessAssumption],
    /// For each pair of a marking and an automaton state, its node.
    numbers: HashMap<(u32, u32), u32>,
    /// For each node, its marking and automaton state.
    nodes: Vec<(u32, u32)>,
    /// For each expanded node, the index of its first edge in `edges`.
    edge_starts: Vec<usize>,
    /// The edges of all expanded nodes, one node after another.
    edges: Vec<ProductEdge>,
}

/// The letter bits and marks seen in a component or on a cycle.
struct ComponentFacts {
    /// Letter bits set by at least one firing of the component or cycle.
    fired: Vec<u64>,
    /// Letter bits set in at least one marking of the component.
    set_somewhere: Vec<u64>,
    /// Letter bits set in every marking of the component.
    set_everywhere: Vec<u64>,
    /// The acceptance marks of the component's edges. `None` if it has no edge.
    marks: Option<Marks>,
}

impl<'m, 'n, 'a> FairSearch<'m, 'n, 'a> {
    pub(crate) fn new(
        markings: &'m mut Markings<'n>,
        automaton: &'a CompiledAutomaton,
        assumptions: &'a [FairnessAssumption],
    ) -> Self {
        let (numbers, nodes) = (HashMap::new(), Vec::new());
        let (starts, product_edges) = (Vec::new(), Vec::new());
        FairSearch {
            markings,
            automaton,
            assumptions,
            numbers,
            nodes,
            edge_starts: starts,
            edges: product_edges,
        }
    }

    /// Returns a fair accepting run, or `None` if all nodes were visited and no such run exists.
    /// With `allows_universal`, a run may end in an automaton state that accepts every
    /// continuation, because some continuation is always fair. Such a run has an empty cycle.
    ///
    /// # Errors
    /// Returns an error if the budget or the memory ends first, if a place gets too many tokens, or
    /// if there are too many nodes.
    pub(crate) fn run(
        &mut self,
        allows_universal: bool,
    ) -> Result<Option<EdgeRun>, ExplorationError> {
        if self.automaton.edges.is_empty() {
            return Ok(None);
        }
        self.node_of(0, self.automaton.initial)?;
        let mut next_examination = FIRST_EXAMINATION;
        while self.edge_starts.len() < self.nodes.len() {
            let (marking, state) = self.nodes[self.edge_starts.len()];
            if allows_universal && self.automaton.is_universal[state as usize] {
                let node = self.edge_starts.len() as u32;
                let prefix = if node == 0 { Some(Vec::new()) } else { self.path_to(&[node]) };
                let prefix = successors_of(&prefix.ok_or(ExplorationError::Full)?);
                return Ok(Some(EdgeRun { prefix, cycle: Vec::new() }));
            }
            self.expand(marking, state)?;
            if self.edge_starts.len() == next_examination {
                next_examination *= 4;
                if let Some(run) = self.examine()? {
                    return Ok(Some(run));
                }
            }
        }
        self.examine()
    }

    /// Adds the edges of the next unexpanded node, which has this marking and automaton state.
    fn expand(&mut self, marking: u32, state: u32) -> Result<(), ExplorationError> {
        self.markings.expand(marking)?;
        self.edge_starts.push(self.edges.len());
        let automaton = self.automaton;
        for edge in &automaton.edges[state as usize] {
            for index in 0..self.markings.successors(marking).len() {
                let successor = self.markings.successors(marking)[index];
                let letter = self.markings.letter(marking);
                if edge.mask.reads(letter, self.markings.label_atoms(successor.1)) {
                    let target = self.node_of(successor.0, edge.target)?;
                    self.edges.push(ProductEdge { target, marks: edge.marks, successor });
                }
            }
        }
        Ok(())
    }

    /// Returns the node of a marking and state, and adds it if it is new.
    fn node_of(&mut self, marking: u32, state: u32) -> Result<u32, ExplorationError> {
        if let Some(&node) = self.numbers.get(&(marking, state)) {
            return Ok(node);
        }
        let node = u32::try_from(self.nodes.len()).map_err(|_| ExplorationError::Full)?;
        self.numbers.insert((marking, state), node);
        self.nodes.push((marking, state));
        Ok(node)
    }

    /// Returns the edges of a node. Empty for an unexpanded node.
    fn edges_of(&self, node: u32) -> &[ProductEdge] {
        let index = node as usize;
        let Some(&start) = self.edge_starts.get(index) else { return &[] };
        &self.edges[start..self.edge_starts.get(index + 1).copied().unwrap_or(self.edges.len())]
    }

    /// Searches for a fair accepting run along the expanded nodes. Returns `None` if there is none.
    fn examine(&mut self) -> Result<Option<EdgeRun>, ExplorationError> {
        const OUTSIDE: u32 = u32::MAX;
        let mut unexamined: Vec<Vec<u32>> = vec![(0..self.edge_starts.len() as u32).collect()];
        // For each node, its index in `part`, and later 0 for the nodes of the current component.
        let mut local_index = vec![OUTSIDE; self.nodes.len()];
        while let Some(part) = unexamined.pop() {
            self.markings.check_budget()?;
            (0..).zip(&part).for_each(|(index, &node)| local_index[node as usize] = index);
            let partition = components(part.len() as u32, |index, k| {
                let edge = self.edges_of(part[index as usize]).get(k as usize)?;
                let target = local_index[edge.target as usize];
                // An edge that leaves the component `part` counts as a self-loop of its source, so
                // that it connects no nodes.
                Some(if target == OUTSIDE { index } else { target })
            });
            part.iter().for_each(|&node| local_index[node as usize] = OUTSIDE);
            let mut sorted: Vec<(u32, u32)> =
                partition.component_of.into_iter().zip(part).collect();
            sorted.sort_unstable();
            for group in sorted.chunk_by(|one, other| one.0 == other.0) {
                let component: Vec<u32> = group.iter().map(|&(_, node)| node).collect();
                component.iter().for_each(|&node| local_index[node as usize] = 0);
                let is_inside = |node: u32| local_index[node as usize] == 0;
                let component_facts = self.facts_of(&component, &is_inside);
                let found = match self.violated_assumptions(&component_facts) {
                    None => None,
                    Some(violated) if violated.is_empty() => {
                        let run = self.run_in_component(&component, &is_inside);
                        Some(run.ok_or(ExplorationError::Full)?)
                    }
                    Some(violated) => {
                        let remaining_nodes = component.iter().copied().filter(|&node| {
                            let letter = self.letter(node);
                            !violated.iter().any(|fair| has_bit(letter, fair.enabled_bit))
                        });
                        unexamined.push(remaining_nodes.collect());
                        None
                    }
                };
                if found.is_some() {
                    return Ok(found);
                }
                component.iter().for_each(|&node| local_index[node as usize] = OUTSIDE);
            }
        }
        Ok(None)
    }

    /// Returns the letter of a node's marking, that is, one bit per atom.
    fn letter(&self, node: u32) -> &[u64] {
        self.markings.letter(self.nodes[node as usize].0)
    }

    /// Returns the letter bits and acceptance marks of a component, given its nodes. Only edges
    /// inside the component count.
    fn facts_of(&self, component: &[u32], is_inside: &dyn Fn(u32) -> bool) -> ComponentFacts {
        let mut facts = self.facts_at(component.first().copied().unwrap_or(0));
        for &node in component {
            self.add_node(&mut facts, node);
            for edge in self.edges_of(node).iter().filter(|edge| is_inside(edge.target)) {
                self.add_edge(&mut facts, edge);
            }
        }
        facts
    }

    /// Returns the facts of a single node without its edges.
    fn facts_at(&self, node: u32) -> ComponentFacts {
        let letter = self.letter(node).to_vec();
        ComponentFacts {
            fired: vec![0; letter.len()],
            set_somewhere: letter.clone(),
            set_everywhere: letter,
            marks: None,
        }
    }

    /// Adds the letter of a node's marking to the letter bits of a component.
    fn add_node(&self, facts: &mut ComponentFacts, node: u32) {
        for (index, &word) in self.letter(node).iter().enumerate() {
            facts.set_somewhere[index] |= word;
            facts.set_everywhere[index] &= word;
        }
    }

    /// Adds the firing and the acceptance marks of an edge to those of a component.
    fn add_edge(&self, facts: &mut ComponentFacts, edge: &ProductEdge) {
        facts.marks = Some(facts.marks.unwrap_or(Marks::NONE).or(edge.marks));
        let fired = self.markings.label_atoms(edge.successor.1);
        facts.fired.iter_mut().zip(fired).for_each(|(all_fired, word)| *all_fired |= word);
    }

    /// Returns the strong fairness assumptions violated by a run that visits exactly the nodes and
    /// edges described by `facts` infinitely often. Returns `None` if this run lacks an acceptance
    /// mark or is not weakly fair.
    fn violated_assumptions(&self, facts: &ComponentFacts) -> Option<Vec<FairnessAssumption>> {
        let has_all = |marks: Marks| self.automaton.all_marks.is_subset(marks);
        let is_not_fired = |fair: &&FairnessAssumption| !has_bit(&facts.fired, fair.fires_bit);
        let unfired = || self.assumptions.iter().filter(is_not_fired);
        let is_weakly_fair = !unfired()
            .any(|fair| !fair.is_strong && has_bit(&facts.set_everywhere, fair.enabled_bit));
        let violated = unfired()
            .filter(|fair| fair.is_strong && has_bit(&facts.set_somewhere, fair.enabled_bit));
        (facts.marks.is_some_and(has_all) && is_weakly_fair).then(|| violated.copied().collect())
    }

    /// Returns a shortest path from the initial node into a component, and a cycle inside the
    /// component. The cycle carries all acceptance marks and satisfies every fairness assumption.
    /// Returns `None` if a path is missing.
    fn run_in_component(
        &self,
        component: &[u32],
        is_inside: &dyn Fn(u32) -> bool,
    ) -> Option<EdgeRun> {
        let prefix = match is_inside(0) {
            true => Vec::new(),
            false => self.path_to(component)?,
        };
        let entry = prefix.last().map_or(0, |edge| edge.target);
        let (mut current, mut facts, mut cycle) =
            (entry, self.facts_at(entry), Vec::<ProductEdge>::new());
        loop {
            let carried = facts.marks.unwrap_or(Marks::NONE);
            let missing = Marks(self.automaton.all_marks.0 & !carried.0);
            let unfair = self.assumptions.iter().find(|fair| {
                let enabled =
                    if fair.is_strong { &facts.set_somewhere } else { &facts.set_everywhere };
                !has_bit(&facts.fired, fair.fires_bit) && has_bit(enabled, fair.enabled_bit)
            });
            let piece = if missing != Marks::NONE {
                self.shortest_path(current, is_inside, &|edge| {
                    edge.marks.and(missing) != Marks::NONE
                })?
            } else if let Some(fair) = unfair {
                self.shortest_path(current, is_inside, &|edge| {
                    let fires =
                        has_bit(self.markings.label_atoms(edge.successor.1), fair.fires_bit);
                    fires || !fair.is_strong && !has_bit(self.letter(edge.target), fair.enabled_bit)
                })?
            } else if cycle.is_empty() || current != entry {
                self.shortest_path(current, is_inside, &|edge| edge.target == entry)?
            } else {
                return Some(EdgeRun {
                    prefix: successors_of(&prefix),
                    cycle: successors_of(&cycle),
                });
            };
            for edge in piece {
                self.add_edge(&mut facts, &edge);
                self.add_node(&mut facts, edge.target);
                current = edge.target;
                cycle.push(edge);
            }
        }
    }

    /// Returns a shortest path from the first node, number 0, to one of `nodes`. The list must be
    /// sorted and must not contain the first node. Returns `None` if there is no such path over
    /// expanded nodes.
    fn path_to(&self, nodes: &[u32]) -> Option<Vec<ProductEdge>> {
        self.shortest_path(0, &|_| true, &|edge| nodes.binary_search(&edge.target).is_ok())
    }

    /// Returns a shortest path of at least one edge over allowed nodes, whose last edge satisfies
    /// `is_end`. Returns `None` if there is no such path.
    fn shortest_path(
        &self,
        start: u32,
        is_allowed: &dyn Fn(u32) -> bool,
        is_end: &dyn Fn(&ProductEdge) -> bool,
    ) -> Option<Vec<ProductEdge>> {
        // For each reached node, its predecessor and edge.
        let mut reached: HashMap<u32, (u32, ProductEdge)> = HashMap::new();
        let mut queue = VecDeque::from([start]);
        while let Some(node) = queue.pop_front() {
            for edge in self.edges_of(node).iter().filter(|edge| is_allowed(edge.target)) {
                if is_end(edge) {
                    let (mut path, mut current) = (vec![*edge], node);
                    while current != start {
                        let &(predecessor, edge) = reached.get(&current)?;
                        path.push(edge);
                        current = predecessor;
                    }
                    path.reverse();
                    return Some(path);
                }
                if edge.target != start && !reached.contains_key(&edge.target) {
                    reached.insert(edge.target, (node, *edge));
                    queue.push_back(edge.target);
                }
            }
        }
        None
    }
}

/// Returns the successor marking and the label of each edge.
fn successors_of(product_edges: &[ProductEdge]) -> Vec<Successor> {
    product_edges.iter().map(|edge| edge.successor).collect()
}

/// Returns true if the bit is set.
fn has_bit(words: &[u64], bit: usize) -> bool {
    words[bit / 64] >> (bit % 64) & 1 == 1
}
