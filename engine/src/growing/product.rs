//! Nodes and edges: what is reached together with a state of the automaton.
//!
//! A place that may grow without bound has no upper end at a node. What it holds at least depends
//! on the [`Precision`].
//!
//! # Growth
//! Let a node n be reached from an earlier node a with the same state, with no fewer tokens on any
//! place and more on some. The way from a to n can be repeated, and each time these places grow. It
//! *reads the same* in each round if every literal that an edge on the way reads keeps its value
//! while they grow. Then they lose their upper end at n.

use crate::coverability::tree::Acceleration;
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
    /// Nothing: no place loses its upper end.
    Plain,
    /// They hold as many tokens as anybody likes.
    Large,
    /// They hold any number of tokens from the least one on.
    Covering,
}

/// As many tokens as anybody likes: more than any number in a net that is worth a try.
const LARGE: u64 = 1 << 40;

/// An edge: what moves, and which marks the automaton's edge carries.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProductEdge {
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) mover: Option<TransitionId>,
    pub(super) marks: Marks,
}

/// The edge by which a node was first reached: the edge, and its place among the automaton's edges.
#[derive(Clone, Copy)]
struct Came {
    from: u32,
    at: usize,
    mover: Option<TransitionId>,
}

pub(super) struct CoverabilityProduct<'a> {
    pub(super) net: &'a Net,
    pub(super) property: &'a RunProperty,
    pub(super) automaton: &'a Automaton,
    pairs: &'a Pairs,
    precision: Precision,
    nodes: Vec<CoverNode>,
    came: Vec<Option<Came>>,
    grown: Vec<Vec<Acceleration>>,
    pub(super) edges: Vec<ProductEdge>,
    numbers: HashMap<CoverNode, u32>,
    /// Nodes by state and upper ends, for those that contain others.
    alike: HashMap<(usize, Vec<Option<u64>>), Vec<u32>>,
    expanded: usize,
}

/// A successor of a node: the automaton's edge, the transition (`None` where a dead marking
/// repeats), the node before any place loses its upper end, and the acceptance marks.
type RawSuccessor = (usize, Option<TransitionId>, CoverNode, Marks);

impl<'a> CoverabilityProduct<'a> {
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
        };
        let mut product = CoverabilityProduct {
            net,
            property,
            automaton,
            pairs,
            precision,
            nodes: Vec::new(),
            came: Vec::new(),
            grown: Vec::new(),
            edges: Vec::new(),
            numbers: HashMap::new(),
            alike: HashMap::new(),
            expanded: 0,
        };
        if !automaton.states.is_empty() {
            product.add(first, None, Vec::new());
        }
        product
    }

    /// Returns true if each node has all of its edges.
    pub(super) fn is_complete(&self) -> bool {
        self.expanded == self.nodes.len()
    }

    pub(super) fn nodes(&self) -> &[CoverNode] {
        &self.nodes
    }

    pub(super) fn into_nodes(self) -> Vec<CoverNode> {
        self.nodes
    }

    pub(super) fn grown(&self, node: u32) -> &[Acceleration] {
        &self.grown[node as usize]
    }

    /// The node before this one and what fired there; nothing for the first node.
    pub(super) fn came(&self, node: u32) -> Option<(u32, Option<TransitionId>)> {
        self.came[node as usize].map(|came| (came.from, came.mover))
    }

    /// Adds nodes, those that are near first, until there are so many or no others. Returns a run
    /// that is met on the way and that `shows` accepts.
    pub(super) fn grow(
        &mut self,
        most: usize,
        budget: &Budget,
        shows: &mut dyn FnMut(&LassoRun) -> bool,
    ) -> Option<LassoRun> {
        while self.expanded < self.nodes.len() && self.nodes.len() <= most {
            if self.expanded.is_multiple_of(16) && budget.is_exhausted() {
                return None;
            }
            let from = self.expanded as u32;
            for (at, mover, to, marks) in self.successors(from)? {
                let came = Came { from, at, mover };
                let (to, met) = self.lead(to, came, marks)?;
                self.edges.push(ProductEdge { from, to, mover, marks });
                if let Some(run) = met.filter(|run| shows(run)) {
                    return Some(run);
                }
            }
            self.expanded += 1;
        }
        None
    }

    /// Returns the successors of a node: the automaton's edge, the mover, and the node before any
    /// place loses its upper end. `None` when numbers are too large.
    fn successors(&self, from: u32) -> Option<Vec<RawSuccessor>> {
        let node = &self.nodes[from as usize];
        let enabling = |t| Some((t, node.enabling(self.net, t)?));
        let enabled: Vec<_> = self.net.transitions().filter_map(enabling).collect();
        let mut all = Vec::new();
        for (at, edge) in self.automaton.states[node.state].iter().enumerate() {
            let is_left = |mover| self.pairs.remains(node.state, at, mover);
            let reading = |inside: &CoverNode, mover| {
                let inside = Some(inside).filter(|_| is_left(mover))?;
                inside.reading(self.net, self.property, &edge.cube, mover)
            };
            for (t, inside) in &enabled {
                let mover = Some(*t);
                if let Some(read) = reading(inside, mover) {
                    let mut next = read.after(self.net, *t, edge.target).ok()?;
                    self.adjust(node, &mut next);
                    all.push((at, mover, next, edge.marks));
                }
            }
            if node.may_be_dead(self.net)
                && let Some(read) = reading(node, None)
            {
                all.push((at, None, CoverNode { state: edge.target, ..read }, edge.marks));
            }
        }
        Some(all)
    }

    /// Sets the least number of tokens of places without an upper end.
    fn adjust(&self, before: &CoverNode, next: &mut CoverNode) {
        for (at, high) in next.high.iter().enumerate() {
            if high.is_none() {
                next.low[at] = match self.precision {
                    // That it does not rise keeps the number of nodes finite.
                    Precision::Covering => next.low[at].min(before.low[at]),
                    _ => LARGE,
                };
            }
        }
    }

    /// The node to which an edge leads, new or known, and a run where a way with all marks leads to
    /// a larger node. `None` when there are too many nodes.
    fn lead(
        &mut self,
        mut next: CoverNode,
        came: Came,
        marks: Marks,
    ) -> Option<(u32, Option<LassoRun>)> {
        if let Some(known) = self.known(&next) {
            return Some((known, None));
        }
        let (grown, run) = self.accelerate(&mut next, came, marks);
        if let (false, Some(known)) = (grown.is_empty(), self.known(&next)) {
            return Some((known, run));
        }
        u32::try_from(self.nodes.len()).ok()?;
        Some((self.add(next, Some(came), grown), run))
    }

    fn known(&self, node: &CoverNode) -> Option<u32> {
        if let Some(&known) = self.numbers.get(node) {
            return Some(known);
        }
        if self.precision != Precision::Covering {
            return None;
        }
        let alike = self.alike.get(&(node.state, node.high.clone()))?;
        let contains = |&&at: &&u32| {
            let low = &self.nodes[at as usize].low;
            low.iter().zip(&node.low).all(|(mine, other)| mine <= other)
        };
        alike.iter().find(contains).copied()
    }

    fn add(&mut self, node: CoverNode, came: Option<Came>, grown: Vec<Acceleration>) -> u32 {
        let number = self.nodes.len() as u32;
        self.numbers.insert(node.clone(), number);
        self.alike.entry((node.state, node.high.clone())).or_default().push(number);
        self.nodes.push(node);
        self.came.push(came);
        self.grown.push(grown);
        number
    }

    /// Takes upper ends away where the way from an earlier node can be repeated. A run where such a
    /// way has all marks and nothing grew before.
    fn accelerate(
        &self,
        next: &mut CoverNode,
        came: Came,
        marks: Marks,
    ) -> (Vec<Acceleration>, Option<LassoRun>) {
        let (mut grown, mut run) = (Vec::new(), None);
        let mut on_way = vec![came];
        let mut carried = marks;
        loop {
            let since = on_way[on_way.len() - 1].from;
            let earlier = &self.nodes[since as usize];
            let places = grows(earlier, next);
            if let Some(places) = places.filter(|places| self.reads_same(&on_way, places)) {
                let is_plain = earlier.high.iter().all(Option::is_some);
                if run.is_none() && is_plain && Marks::all(self.automaton.marks).is_subset(carried)
                {
                    run = self.repeated(since, &on_way);
                }
                if self.precision != Precision::Plain {
                    for &(place, ..) in &places {
                        let at = place.index();
                        next.high[at] = None;
                        if self.precision == Precision::Large {
                            next.low[at] = LARGE;
                        }
                    }
                    grown.push(Acceleration { start: since, places });
                }
            }
            let Some(before) = self.came[since as usize] else { return (grown, run) };
            let edge = &self.automaton.states[self.nodes[before.from as usize].state][before.at];
            carried = carried.or(edge.marks);
            on_way.push(before);
        }
    }

    /// Returns true if the letters that the automaton reads on the path stay the same while these
    /// places grow.
    fn reads_same(&self, way: &[Came], places: &[(PlaceId, u64, u64)]) -> bool {
        way.iter().all(|came| {
            let node = &self.nodes[came.from as usize];
            let node = came.mover.and_then(|t| node.enabling(self.net, t));
            let Some(node) = node else { return false };
            let mut larger = node.clone();
            places.iter().for_each(|(place, ..)| larger.high[place.index()] = None);
            let edge = &self.automaton.states[node.state][came.at];
            edge.cube.literals().iter().all(|literal| {
                let RunAtom::Holds(predicate) = &self.property.atoms()[literal.atom.0 as usize]
                else {
                    return true;
                };
                larger.value(self.net, predicate, false).is_some()
                    || self.keeps(predicate, places)
                    || node.value(self.net, predicate, false).is_none()
            })
        })
    }

    /// Returns true if no comparison in the predicate changes as these places grow.
    fn keeps(&self, predicate: &Predicate, places: &[(PlaceId, u64, u64)]) -> bool {
        match predicate {
            Predicate::And(parts) | Predicate::Or(parts) => {
                parts.iter().all(|part| self.keeps(part, places))
            }
            Predicate::Atom(Atom { sum, .. }) => {
                let change = |&(place, _, gain): &(PlaceId, u64, u64)| {
                    i128::from(sum.coefficient(place)) * i128::from(gain)
                };
                places.iter().map(change).sum::<i128>() == 0
            }
            Predicate::Enabled(t) | Predicate::Disabled(t) => {
                places.iter().all(|&(place, ..)| self.net.pre_weight(*t, place) == 0)
            }
            _ => true,
        }
    }

    /// Returns the firings on the way to a node. `None` if a dead marking stays on the way.
    fn way_to(&self, node: u32) -> Option<FiringSequence> {
        let mut way = Vec::new();
        let mut at = node;
        while let Some((before, mover)) = self.came(at) {
            way.push(mover?);
            at = before;
        }
        Some(way.into_iter().rev().collect())
    }

    /// The run that goes to a node without growing places, and repeats a way from there; the way is
    /// given from its end.
    fn repeated(&self, since: u32, way: &[Came]) -> Option<LassoRun> {
        let prefix = self.way_to(since)?;
        let cycle: Option<FiringSequence> = way.iter().rev().map(|came| came.mover).collect();
        Some(LassoRun { prefix, end: RunEnd::Repeats(cycle?) })
    }
}

/// The places that have more tokens at a node than at an earlier one with the same state, each with
/// its tokens and the gain. `None` if another place has fewer, or none has more.
fn grows(earlier: &CoverNode, next: &CoverNode) -> Option<Vec<(PlaceId, u64, u64)>> {
    if earlier.state != next.state {
        return None;
    }
    let mut places = Vec::new();
    for (at, (then, now)) in earlier.high.iter().zip(&next.high).enumerate() {
        match (then, now) {
            (Some(then), Some(now)) if then > now => return None,
            (Some(then), Some(now)) if then < now => {
                places.push((PlaceId::new(at), *now, now - then));
            }
            (None, Some(_)) => return None,
            _ => {}
        }
    }
    (!places.is_empty()).then_some(places)
}
