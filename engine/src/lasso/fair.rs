//! Search for a fair accepting run in the product of the reachability graph and an automaton.
//!
//! Nodes and edges are those of the plain search. The set of nodes that a fair run visits
//! infinitely often is strongly connected and carries all acceptance marks. For each transition t
//! with a fairness assumption, it fires t, or contains a marking that disables t (weak fairness),
//! or contains no marking that enables t (strong fairness). Weak fairness behaves like an
//! acceptance mark: if a component lacks it, so do all its parts. If a component lacks strong
//! fairness to t, the markings that enable t are removed, and the components of the rest are
//! examined in turn.
//!
//! All visited nodes are examined whenever their number has grown by a factor of four, and at the
//! end. So a short run is found long before the whole graph is built.
//!
//! # Sources
//! E. A. Emerson, C.-L. Lei, *Modalities for model checking: branching time logic strikes back*,
//! Science of Computer Programming 8, 1987; M. R. Henzinger, J. A. Telle, *Faster algorithms for
//! the nonemptiness of Streett automata and for communication protocol pruning*, SWAT 1996.

use super::letters::CompiledAutomaton;
use super::search::EdgeRun;
use crate::explicit::state_space::ExplorationError;
use crate::markings::{Markings, Successor};
use parikh_net::components::components;
use parikh_temporal::Marks;
use std::collections::{HashMap, VecDeque};

/// A fairness assumption for a transition, with the letter bits that describe its state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FairnessAssumption {
    /// True for strong fairness, false for weak fairness.
    pub(crate) strong: bool,
    /// Bit for "the transition is enabled".
    pub(crate) enabled: usize,
    /// Bit for "the transition fires".
    pub(crate) fires: usize,
}

/// Number of nodes at the first examination.
const FIRST_LOOK: usize = 1 << 10;

/// An edge between nodes.
#[derive(Clone, Copy)]
struct ProductEdge {
    target: u32,
    marks: Marks,
    successor: Successor,
}

/// A search for a fair accepting run. See the module documentation.
pub(crate) struct FairSearch<'m, 'n, 'a> {
    markings: &'m mut Markings<'n>,
    automaton: &'a CompiledAutomaton,
    fair: &'a [FairnessAssumption],
    /// For each pair of marking and state, its node.
    numbers: HashMap<(u32, u32), u32>,
    /// For each node, its marking and state.
    nodes: Vec<(u32, u32)>,
    /// For each expanded node, the start of its edges.
    begins: Vec<usize>,
    ways: Vec<ProductEdge>,
}

/// The letter bits and marks seen in a component or on a cycle.
struct ComponentFacts {
    fired: Vec<u64>,
    ever: Vec<u64>,
    always: Vec<u64>,
    marks: Option<Marks>,
}

impl<'m, 'n, 'a> FairSearch<'m, 'n, 'a> {
    pub(crate) fn new(
        markings: &'m mut Markings<'n>,
        automaton: &'a CompiledAutomaton,
        fair: &'a [FairnessAssumption],
    ) -> Self {
        let (numbers, nodes) = (HashMap::new(), Vec::new());
        let (begins, ways) = (Vec::new(), Vec::new());
        FairSearch { markings, automaton, fair, numbers, nodes, begins, ways }
    }

    /// Returns a fair accepting run, or `None` if all nodes were visited and no such run exists.
    /// With `open`, a run may end in a state that accepts every continuation, because a fair
    /// continuation always exists.
    ///
    /// # Errors
    /// Returns an error if the budget ends first.
    pub(crate) fn run(&mut self, open: bool) -> Result<Option<EdgeRun>, ExplorationError> {
        if self.automaton.states.is_empty() {
            return Ok(None);
        }
        self.number(0, self.automaton.initial)?;
        let mut next_look = FIRST_LOOK;
        while self.begins.len() < self.nodes.len() {
            let (marking, state) = self.nodes[self.begins.len()];
            if open && self.automaton.universal[state as usize] {
                let node = self.begins.len() as u32;
                let prefix = if node == 0 { Some(Vec::new()) } else { self.way_to(&[node]) };
                let prefix = edges(&prefix.ok_or(ExplorationError::Full)?);
                return Ok(Some(EdgeRun { prefix, cycle: Vec::new() }));
            }
            self.expand(marking, state)?;
            if self.begins.len() == next_look {
                next_look *= 4;
                if let Some(run) = self.look()? {
                    return Ok(Some(run));
                }
            }
        }
        self.look()
    }

    fn expand(&mut self, marking: u32, state: u32) -> Result<(), ExplorationError> {
        self.markings.expand(marking)?;
        self.begins.push(self.ways.len());
        let automaton = self.automaton;
        for edge in &automaton.states[state as usize] {
            for at in 0..self.markings.successors(marking).len() {
                let successor = self.markings.successors(marking)[at];
                let letter = self.markings.letter(marking);
                if edge.mask.reads(letter, self.markings.label_atoms(successor.1)) {
                    let target = self.number(successor.0, edge.target)?;
                    self.ways.push(ProductEdge { target, marks: edge.marks, successor });
                }
            }
        }
        Ok(())
    }

    fn number(&mut self, marking: u32, state: u32) -> Result<u32, ExplorationError> {
        if let Some(&node) = self.numbers.get(&(marking, state)) {
            return Ok(node);
        }
        let node = u32::try_from(self.nodes.len()).map_err(|_| ExplorationError::Full)?;
        self.numbers.insert((marking, state), node);
        self.nodes.push((marking, state));
        Ok(node)
    }

    /// Returns the edges of a node. Empty for an unexpanded node.
    fn after(&self, node: u32) -> &[ProductEdge] {
        let at = node as usize;
        let Some(&begin) = self.begins.get(at) else { return &[] };
        &self.ways[begin..self.begins.get(at + 1).copied().unwrap_or(self.ways.len())]
    }

    /// Searches for a fair run among the visited nodes.
    fn look(&mut self) -> Result<Option<EdgeRun>, ExplorationError> {
        const OUTSIDE: u32 = u32::MAX;
        let mut left: Vec<Vec<u32>> = vec![(0..self.begins.len() as u32).collect()];
        let mut local = vec![OUTSIDE; self.nodes.len()];
        while let Some(part) = left.pop() {
            self.markings.check_budget()?;
            (0..).zip(&part).for_each(|(at, &node)| local[node as usize] = at);
            let found = components(part.len() as u32, |at, k| {
                let way = self.after(part[at as usize]).get(k as usize)?;
                let target = local[way.target as usize];
                // Treats an edge out of the part as a self-loop.
                Some(if target == OUTSIDE { at } else { target })
            });
            part.iter().for_each(|&node| local[node as usize] = OUTSIDE);
            let mut sorted: Vec<(u32, u32)> = found.of.into_iter().zip(part).collect();
            sorted.sort_unstable();
            for group in sorted.chunk_by(|one, other| one.0 == other.0) {
                let component: Vec<u32> = group.iter().map(|&(_, node)| node).collect();
                component.iter().for_each(|&node| local[node as usize] = 0);
                let inside = |node: u32| local[node as usize] == 0;
                let met = self.met(&component, &inside);
                let found = match self.lacks(&met) {
                    None => None,
                    Some(lacking) if lacking.is_empty() => {
                        let run = self.round(&component, &inside);
                        Some(run.ok_or(ExplorationError::Full)?)
                    }
                    Some(lacking) => {
                        let rest = component.iter().copied().filter(|&node| {
                            let letter = self.letter(node);
                            !lacking.iter().any(|fair| has(letter, fair.enabled))
                        });
                        left.push(rest.collect());
                        None
                    }
                };
                if found.is_some() {
                    return Ok(found);
                }
                component.iter().for_each(|&node| local[node as usize] = OUTSIDE);
            }
        }
        Ok(None)
    }

    fn letter(&self, node: u32) -> &[u64] {
        self.markings.letter(self.nodes[node as usize].0)
    }

    /// Returns the bits and marks of a component.
    fn met(&self, component: &[u32], inside: &dyn Fn(u32) -> bool) -> ComponentFacts {
        let mut met = self.met_at(component.first().copied().unwrap_or(0));
        for &node in component {
            self.meet(&mut met, node);
            for way in self.after(node).iter().filter(|way| inside(way.target)) {
                self.go_along(&mut met, way);
            }
        }
        met
    }

    /// Returns the bits of a single node.
    fn met_at(&self, node: u32) -> ComponentFacts {
        let letter = self.letter(node).to_vec();
        ComponentFacts {
            fired: vec![0; letter.len()],
            ever: letter.clone(),
            always: letter,
            marks: None,
        }
    }

    fn meet(&self, met: &mut ComponentFacts, node: u32) {
        for (at, &word) in self.letter(node).iter().enumerate() {
            met.ever[at] |= word;
            met.always[at] &= word;
        }
    }

    fn go_along(&self, met: &mut ComponentFacts, way: &ProductEdge) {
        met.marks = Some(met.marks.unwrap_or(Marks::NONE).or(way.marks));
        let fired = self.markings.label_atoms(way.successor.1);
        met.fired.iter_mut().zip(fired).for_each(|(all, word)| *all |= word);
    }

    /// Returns the strong fairness assumptions that a run with these bits and marks violates.
    /// Returns `None` if the run is not accepted or not weakly fair.
    fn lacks(&self, met: &ComponentFacts) -> Option<Vec<FairnessAssumption>> {
        let has_all = |marks: Marks| self.automaton.all.is_subset(marks);
        let waits = |fair: &&FairnessAssumption| !has(&met.fired, fair.fires);
        let waiting = || self.fair.iter().filter(waits);
        let is_weak = !waiting().any(|fair| !fair.strong && has(&met.always, fair.enabled));
        let lacking = waiting().filter(|fair| fair.strong && has(&met.ever, fair.enabled));
        (met.marks.is_some_and(has_all) && is_weak).then(|| lacking.copied().collect())
    }

    /// Returns a path into a component and a fair cycle in it with all marks.
    fn round(&self, component: &[u32], inside: &dyn Fn(u32) -> bool) -> Option<EdgeRun> {
        let prefix = match inside(0) {
            true => Vec::new(),
            false => self.way_to(component)?,
        };
        let entry = prefix.last().map_or(0, |way| way.target);
        let (mut at, mut met, mut cycle) = (entry, self.met_at(entry), Vec::<ProductEdge>::new());
        loop {
            let carried = met.marks.unwrap_or(Marks::NONE);
            let missing = Marks(self.automaton.all.0 & !carried.0);
            let unfair = self.fair.iter().find(|fair| {
                let enabled = if fair.strong { &met.ever } else { &met.always };
                !has(&met.fired, fair.fires) && has(enabled, fair.enabled)
            });
            let piece = if missing != Marks::NONE {
                self.shortest(at, inside, &|way| way.marks.and(missing) != Marks::NONE)?
            } else if let Some(fair) = unfair {
                self.shortest(at, inside, &|way| {
                    let fires = has(self.markings.label_atoms(way.successor.1), fair.fires);
                    fires || !fair.strong && !has(self.letter(way.target), fair.enabled)
                })?
            } else if cycle.is_empty() || at != entry {
                self.shortest(at, inside, &|way| way.target == entry)?
            } else {
                return Some(EdgeRun { prefix: edges(&prefix), cycle: edges(&cycle) });
            };
            for way in piece {
                self.go_along(&mut met, &way);
                self.meet(&mut met, way.target);
                at = way.target;
                cycle.push(way);
            }
        }
    }

    /// Returns a shortest path from the first node to one of these nodes. The first node must not
    /// be one of them.
    fn way_to(&self, nodes: &[u32]) -> Option<Vec<ProductEdge>> {
        self.shortest(0, &|_| true, &|way| nodes.binary_search(&way.target).is_ok())
    }

    /// Returns a shortest path of at least one edge over allowed nodes, whose last edge satisfies
    /// `ends`.
    fn shortest(
        &self,
        from: u32,
        allowed: &dyn Fn(u32) -> bool,
        ends: &dyn Fn(&ProductEdge) -> bool,
    ) -> Option<Vec<ProductEdge>> {
        // For each reached node, its predecessor and edge.
        let mut reached: HashMap<u32, (u32, ProductEdge)> = HashMap::new();
        let mut row = VecDeque::from([from]);
        while let Some(node) = row.pop_front() {
            for way in self.after(node).iter().filter(|way| allowed(way.target)) {
                if ends(way) {
                    let (mut all, mut at) = (vec![*way], node);
                    while at != from {
                        let &(before, way) = reached.get(&at)?;
                        all.push(way);
                        at = before;
                    }
                    all.reverse();
                    return Some(all);
                }
                if way.target != from && !reached.contains_key(&way.target) {
                    reached.insert(way.target, (node, *way));
                    row.push_back(way.target);
                }
            }
        }
        None
    }
}

fn edges(ways: &[ProductEdge]) -> Vec<Successor> {
    ways.iter().map(|way| way.successor).collect()
}

fn has(words: &[u64], bit: usize) -> bool {
    words[bit / 64] >> (bit % 64) & 1 == 1
}
