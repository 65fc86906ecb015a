//! Search for an accepting run in the product of the reachability graph and an automaton.
//!
//! A *node* is a marking with an automaton state. An edge of state q that reads the letter of
//! marking m, together with a successor of m, is an edge from node (m, q) and carries the marks of
//! the automaton edge. A run is accepted if it carries every mark infinitely often. So an accepted
//! run exists exactly if a reachable strongly connected component carries all marks, or a state
//! that accepts every continuation is reachable.
//!
//! The search is depth-first and always knows the strongly connected components of the visited
//! part. For each component on its path, it stores the *root*: the first visited node of the
//! component, with the marks found in the component so far. An edge to an open node, that is, a
//! node on the path or in a component on the path, merges all components above that node. The
//! search ends as soon as a component has all marks, long before the whole graph is built.
//!
//! # Source
//! J.-M. Couvreur, *On-the-fly verification of linear temporal logic*, FM 1999; J.-M. Couvreur, A.
//! Duret-Lutz, D. Poitrenaud, *On-the-fly emptiness checks for generalized Büchi automata*, SPIN
//! 2005.

use super::letters::CompiledAutomaton;
use crate::explicit::ExplorationError;
use crate::markings::{Markings, Successor};
use parikh_temporal::Marks;
use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasherDefault, Hasher};

/// A run from the initial marking as a sequence of edges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EdgeRun {
    /// The edges before the cycle.
    pub(crate) prefix: Vec<Successor>,
    /// The cycle, of at least one edge. Empty if every continuation is accepted.
    pub(crate) cycle: Vec<Successor>,
}

/// A hasher for 64-bit node keys, see [`node_key`]. It uses one multiplication per key.
#[derive(Default)]
struct MultiplicativeHasher(u64);

impl Hasher for MultiplicativeHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(byte.into()));
    }

    fn write_u64(&mut self, number: u64) {
        let product = u128::from(self.0 ^ number) * 0x9E37_79B9_7F4A_7C15;
        self.0 = (product as u64) ^ ((product >> 64) as u64);
    }
}

/// The number of each visited node, by the [`node_key`] of its marking and automaton state.
type Numbers = HashMap<u64, u32, BuildHasherDefault<MultiplicativeHasher>>;

/// Entry of `visits` for a closed node. All nodes of its component have been visited completely,
/// and no accepting run visits the component infinitely often.
const CLOSED_NODE: u32 = u32::MAX;

/// A node on the path, with the next edge and the next successor to follow.
struct PathNode {
    /// The node.
    node: u32,
    /// Index of the automaton edge to follow next.
    edge: u32,
    /// Number of successors already examined for this edge, in the cyclic order that begins at
    /// [`first_successor`].
    successor: u32,
}

/// The root of a component on the path, that is, its first visited node. Components are those of
/// the graph visited so far.
struct Root {
    /// The visit number of the node.
    visit: u32,
    /// The acceptance marks of the edges within the component, as far as it is visited.
    inner_marks: Marks,
    /// The acceptance marks of the edge on the path that leads to the root.
    leading_marks: Marks,
}

/// A search for an accepting run. See the module documentation.
pub(crate) struct LassoSearch<'m, 'n, 'a> {
    /// The graph of markings.
    markings: &'m mut Markings<'n>,
    /// The automaton of the property.
    automaton: &'a CompiledAutomaton,
    /// The number of each visited node, in the order of the visits.
    numbers: Numbers,
    /// For each node, its marking and automaton state.
    nodes: Vec<(u32, u32)>,
    /// For each node, its number in the order of visits, or [`CLOSED_NODE`].
    visits: Vec<u32>,
    /// Number of visits so far.
    visit_count: u32,
    /// The path of the depth-first search.
    path: Vec<PathNode>,
    /// The first nodes of the components on the path.
    roots: Vec<Root>,
    /// The nodes that are not closed, in the order of their visits.
    open_nodes: Vec<u32>,
    /// Seed for the index of the first successor to follow; the others follow cyclically. 0 begins
    /// with the first stored successor.
    seed: u64,
}

impl<'m, 'n, 'a> LassoSearch<'m, 'n, 'a> {
    pub(crate) fn new(
        markings: &'m mut Markings<'n>,
        automaton: &'a CompiledAutomaton,
        seed: u64,
    ) -> Self {
        LassoSearch {
            markings,
            automaton,
            numbers: Numbers::default(),
            nodes: Vec::new(),
            visits: Vec::new(),
            visit_count: 0,
            path: Vec::new(),
            roots: Vec::new(),
            open_nodes: Vec::new(),
            seed,
        }
    }

    /// Returns an accepting run, or `None` if none exists. Before it returns `None`, the search has
    /// visited all nodes except those that certainly have no edges.
    ///
    /// # Errors
    /// Returns an error if the budget or the memory ends first, if a place gets too many tokens, or
    /// if there are too many nodes.
    pub(crate) fn run(&mut self) -> Result<Option<EdgeRun>, ExplorationError> {
        if self.automaton.edges.is_empty() {
            return Ok(None);
        }
        let first = self.visit_node(0, self.automaton.initial, Marks::NONE)?;
        if self.automaton.is_universal[self.automaton.initial as usize] {
            return Ok(Some(self.run_to_universal(first)));
        }
        let mut skipped = 0u64;
        while let Some((target, state, marks)) = self.next_or_close()? {
            let key = node_key(target, state);
            if let Some(&node) = self.numbers.get(&key) {
                if self.visits[node as usize] != CLOSED_NODE && self.merge_components(node, marks) {
                    return Ok(Some(self.run_in_component()));
                }
                continue;
            }
            if !self.may_have_edges(target, state) {
                skipped += 1;
                if skipped.is_multiple_of(1024) {
                    self.markings.check_budget()?;
                }
                continue;
            }
            let node = self.visit_node(target, state, marks)?;
            if self.automaton.is_universal[state as usize] {
                return Ok(Some(self.run_to_universal(node)));
            }
        }
        Ok(None)
    }

    /// Returns false if a node certainly has no edges. Such a node need not be expanded: evaluating
    /// its tokens is faster than computing its firings, which may be thousands.
    fn may_have_edges(&mut self, marking: u32, state: u32) -> bool {
        if !self.automaton.is_selective[state as usize] {
            return true;
        }
        let (letter, known_bits) = self.markings.letter_from_tokens(marking);
        self.automaton.edges[state as usize]
            .iter()
            .any(|edge| edge.mask.may_read(letter, known_bits))
    }

    /// Visits a new node.
    fn visit_node(
        &mut self,
        marking: u32,
        state: u32,
        leading_marks: Marks,
    ) -> Result<u32, ExplorationError> {
        self.markings.expand(marking)?;
        let node = u32::try_from(self.nodes.len()).map_err(|_| ExplorationError::Full)?;
        self.numbers.insert(node_key(marking, state), node);
        self.nodes.push((marking, state));
        self.visits.push(self.visit_count);
        self.roots.push(Root { visit: self.visit_count, inner_marks: Marks::NONE, leading_marks });
        self.open_nodes.push(node);
        self.path.push(PathNode { node, edge: 0, successor: 0 });
        self.visit_count += 1;
        Ok(node)
    }

    /// Returns the next edge from the last node of the path, as the successor marking, the target
    /// state and the acceptance marks. Removes nodes without further edges from the path. Returns
    /// `None` if the path is empty.
    fn next_or_close(&mut self) -> Result<Option<(u32, u32, Marks)>, ExplorationError> {
        let mut removed = 0u32;
        while let Some(step) = self.path.last_mut() {
            let (marking, state) = self.nodes[step.node as usize];
            let edges = &self.automaton.edges[state as usize];
            let letter = self.markings.letter(marking);
            let successors = self.markings.successors(marking);
            let first_successor = first_successor(self.seed, step.node, successors.len());
            while let Some(edge) = edges.get(step.edge as usize) {
                while (step.successor as usize) < successors.len() {
                    let index = (step.successor as usize + first_successor) % successors.len();
                    step.successor += 1;
                    let (to, label) = successors[index];
                    if edge.mask.reads(letter, self.markings.label_atoms(label)) {
                        return Ok(Some((to, edge.target, edge.marks)));
                    }
                }
                (step.edge, step.successor) = (step.edge + 1, 0);
            }
            self.pop_node();
            removed += 1;
            if removed.is_multiple_of(1024) {
                self.markings.check_budget()?;
            }
        }
        Ok(None)
    }

    /// Removes the last node from the path. If it is a root, its component is closed.
    fn pop_node(&mut self) {
        let Some(step) = self.path.pop() else { return };
        let visit = self.visits[step.node as usize];
        if self.roots.last().is_none_or(|root| root.visit != visit) {
            return;
        }
        self.roots.pop();
        while let Some(node) = self.open_nodes.pop() {
            self.visits[node as usize] = CLOSED_NODE;
            if node == step.node {
                break;
            }
        }
    }

    /// Handles an edge to a visited node that is not closed. Merges the component of this node with
    /// all later components on the path. `marks` are the acceptance marks of the edge. Returns true
    /// if the merged component has all acceptance marks.
    fn merge_components(&mut self, node: u32, marks: Marks) -> bool {
        let visit = self.visits[node as usize];
        let mut component_marks = marks;
        while let Some(root) = self.roots.last_mut() {
            if root.visit <= visit {
                root.inner_marks = root.inner_marks.or(component_marks);
                return self.automaton.all_marks.is_subset(root.inner_marks);
            }
            component_marks = component_marks.or(root.inner_marks).or(root.leading_marks);
            self.roots.pop();
        }
        false
    }

    /// Returns a run along a shortest path to `node`, whose state accepts every continuation. The
    /// cycle of the run is empty.
    fn run_to_universal(&self, node: u32) -> EdgeRun {
        let path = match node {
            0 => Vec::new(),
            _ => self
                .shortest_path(0, |_| true, |search_edge| search_edge.target == node)
                .unwrap_or_default(),
        };
        EdgeRun { prefix: path.iter().map(|edge| edge.successor).collect(), cycle: Vec::new() }
    }

    /// Returns a shortest path into the component of the last root, and a cycle with all acceptance
    /// marks in that component.
    fn run_in_component(&self) -> EdgeRun {
        let root = self.roots.last().map_or(0, |root| root.visit);
        let is_in_component = |node: u32| {
            let visit = self.visits[node as usize];
            visit != CLOSED_NODE && visit >= root
        };
        let mut prefix = Vec::new();
        if !is_in_component(0) {
            prefix = self
                .shortest_path(0, |_| true, |search_edge| is_in_component(search_edge.target))
                .unwrap_or_default();
        }
        let entry = prefix.last().map_or(0, |edge| edge.target);
        let (mut current, mut carried, mut cycle) = (entry, Marks::NONE, Vec::new());
        // Follow an edge for each missing mark, then return to the entry.
        while cycle.is_empty() || current != entry || !self.automaton.all_marks.is_subset(carried) {
            let missing = Marks(self.automaton.all_marks.0 & !carried.0);
            let piece = match missing == Marks::NONE {
                true => self.shortest_path(current, is_in_component, |search_edge| {
                    search_edge.target == entry
                }),
                false => self.shortest_path(current, is_in_component, |search_edge| {
                    search_edge.marks.and(missing) != Marks::NONE
                }),
            };
            let Some(piece) = piece else { break };
            for edge in piece {
                carried = carried.or(edge.marks);
                current = edge.target;
                cycle.push(edge.successor);
            }
        }
        EdgeRun { prefix: prefix.iter().map(|edge| edge.successor).collect(), cycle }
    }

    /// Returns a shortest path from `start` over visited nodes that `is_allowed` accepts, whose
    /// last edge satisfies `is_end`. The path has at least one edge. Returns `None` if there is no
    /// such path.
    fn shortest_path(
        &self,
        start: u32,
        is_allowed: impl Fn(u32) -> bool,
        is_end: impl Fn(&SearchEdge) -> bool,
    ) -> Option<Vec<SearchEdge>> {
        // For each reached node, its predecessor and edge.
        let mut reached: HashMap<u32, (u32, SearchEdge)> = HashMap::new();
        let mut queue = VecDeque::from([start]);
        while let Some(node) = queue.pop_front() {
            for edge in self.edges_from(node).filter(|edge| is_allowed(edge.target)) {
                if is_end(&edge) {
                    let mut path = vec![edge];
                    let mut current = node;
                    while current != start {
                        let &(predecessor, edge) = reached.get(&current)?;
                        path.push(edge);
                        current = predecessor;
                    }
                    path.reverse();
                    return Some(path);
                }
                if edge.target != start && !reached.contains_key(&edge.target) {
                    reached.insert(edge.target, (node, edge));
                    queue.push_back(edge.target);
                }
            }
        }
        None
    }

    /// Returns the edges from a node to visited nodes.
    fn edges_from(&self, node: u32) -> impl Iterator<Item = SearchEdge> {
        let (marking, state) = self.nodes[node as usize];
        let letter = self.markings.letter(marking);
        self.automaton.edges[state as usize].iter().flat_map(move |edge| {
            self.markings.successors(marking).iter().filter_map(move |&successor| {
                let reads = edge.mask.reads(letter, self.markings.label_atoms(successor.1));
                let target =
                    reads.then(|| self.numbers.get(&node_key(successor.0, edge.target)))??;
                Some(SearchEdge { target: *target, marks: edge.marks, successor })
            })
        })
    }
}

/// An edge between nodes of the product. A node is a marking with an automaton state.
#[derive(Clone, Copy)]
struct SearchEdge {
    /// The target node.
    target: u32,
    /// The acceptance marks of the automaton edge.
    marks: Marks,
    /// The successor of the marking, with its label.
    successor: Successor,
}

/// Returns the key of a node in [`Numbers`].
fn node_key(marking: u32, state: u32) -> u64 {
    u64::from(marking) << 32 | u64::from(state)
}

/// Returns the index of the first successor to follow from a node with `count` successors. The
/// index is 0 for seed 0, and pseudo-random otherwise.
fn first_successor(seed: u64, node: u32, count: usize) -> usize {
    if seed == 0 {
        return 0;
    }
    let mut hasher = MultiplicativeHasher(seed);
    hasher.write_u64(node.into());
    (hasher.finish() % (count.max(1) as u64)) as usize
}
