//! A cover: finitely many sets of markings, each with a state of the automaton, that no run leaves.
//!
//! ```text
//! place a 1 · place b · place c          cover:  a = 1, b = 0, c ≥ 0
//! transition x: a -> b                           a = 0, b = 1, c ≥ 0
//! transition y: b -> a + c               so no marking is dead, and a is marked infinitely often
//! ```
//!
//! A *node* is a state and, for each place, an interval of token counts. From a node with state q,
//! an edge of q and a mover lead to a node that has the edge's target as its state and contains
//! every marking to which the mover leads. Only the remaining pairs of an edge and a mover count,
//! and only where the node's intervals allow them. So a run with an accepting run of the automaton
//! follows edges between nodes, and the nodes that it visits infinitely often belong to one
//! strongly connected component.
//!
//! # Conditions
//! 1. A node with the initial state contains the initial marking.
//! 2. Every pair that a node allows leads to a node. The pair (e, t) is allowed at a node if the
//!    upper ends are large enough for t's inputs, and no literal of e is false in all markings of
//!    the node that enable t. The pair of e and stuttering is allowed if each transition may be
//!    disabled. Only those markings of the node count that satisfy each comparison that e reads, as
//!    far as the intervals of the other places decide it.
//! 3. A ranking has weights y ≥ 0 of places and values z of nodes. It never increases along the
//!    remaining edges in its component, and the edges along which it decreases are removed.
//! 4. Under fairness constraints, consider a component in which t never fires. A weakly fair run
//!    leaves it eventually if every node enables t. A strongly fair run eventually leaves its nodes
//!    that enable t. Edges at such nodes are removed.
//!
//! # Soundness
//! By (1) and (2) a run stays in the cover. It follows an edge removed by (3) finitely often, as
//! y·m + z is bounded below. By (4) a fair run follows the other removed edges finitely often. If
//! no component with all marks remains, there is no run.
//!
//! # Source
//! R. Karp, R. Miller, *Parallel program schemata*, J. Computer and System Sciences 3, 1969. The
//! checker accepts intervals of any origin.

use super::pairs::{Pairs, RankingFlaw};
use super::{NoRunFlaw, RankingFunction};
use crate::certificate::Flaw;
use parikh_net::components::components_of_rows;
use parikh_net::run_property::{RunAtom, RunProperty};
use parikh_net::{Atom, Fairness, Net, PlaceId, Predicate, TransitionId};
use parikh_temporal::{Automaton, Cube, Marks};
use std::collections::HashMap;

/// The maximum number of edges between nodes.
const EDGES: usize = 2_000_000;

/// A state of the automaton with an interval of token counts for each place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CoverNode {
    /// The state of the automaton.
    pub state: usize,
    /// The least number of tokens of each place.
    pub low: Vec<u64>,
    /// The largest number of tokens of each place; `None` without an upper bound.
    pub high: Vec<Option<u64>>,
}

impl CoverNode {
    /// Returns true if the node has the same state and its intervals contain those of `other`.
    fn contains(&self, other: &CoverNode) -> bool {
        let above = |(mine, other): (&Option<u64>, &Option<u64>)| match (mine, other) {
            (None, _) => true,
            (Some(mine), Some(other)) => mine >= other,
            (Some(_), None) => false,
        };
        self.state == other.state
            && self.low.iter().zip(&other.low).all(|(mine, other)| mine <= other)
            && self.high.iter().zip(&other.high).all(above)
    }

    /// Returns the markings of the node that enable `t`, as a node, or `None` if there are none.
    pub fn enabling(&self, net: &Net, t: TransitionId) -> Option<CoverNode> {
        let mut node = self.clone();
        for arc in net.pre(t) {
            let at = arc.place.index();
            if node.high[at].is_some_and(|high| high < arc.weight) {
                return None;
            }
            node.low[at] = node.low[at].max(arc.weight);
        }
        Some(node)
    }

    /// Returns a node with `state` and the markings to which `t` leads from the markings of the
    /// node, all of which must enable `t`.
    ///
    /// # Errors
    /// When a number of tokens overflows.
    pub fn after(&self, net: &Net, t: TransitionId, state: usize) -> Result<CoverNode, Flaw> {
        let mut node = CoverNode { state, ..self.clone() };
        for change in net.delta(t) {
            let at = change.place.index();
            let moved = |tokens: u64| tokens.checked_add_signed(change.delta).ok_or(Flaw::Overflow);
            node.low[at] = moved(node.low[at])?;
            node.high[at] = node.high[at].map(moved).transpose()?;
        }
        Ok(node)
    }

    /// Returns true if every marking of the node enables `t`.
    pub fn enables(&self, net: &Net, t: TransitionId) -> bool {
        net.pre(t).iter().all(|arc| self.low[arc.place.index()] >= arc.weight)
    }

    /// Returns true if some marking of the node may be dead.
    pub fn may_be_dead(&self, net: &Net) -> bool {
        !net.transitions().any(|t| self.enables(net, t))
    }

    /// Returns the markings of the node in which the edge reads `cube` when `mover` moves. All
    /// markings of `self` must enable the mover. Returns `None` if there are no such markings.
    pub fn reading(
        &self,
        net: &Net,
        property: &RunProperty,
        cube: &Cube,
        mover: Option<TransitionId>,
    ) -> Option<CoverNode> {
        let mut node = self.clone();
        for literal in cube.literals() {
            let value = match &property.atoms()[literal.atom.0 as usize] {
                RunAtom::Fires(any) => Some(mover.is_some_and(|t| any.binary_search(&t).is_ok())),
                RunAtom::Holds(predicate) => {
                    node.restrict(predicate, literal.positive);
                    self.value(net, predicate, mover.is_none())
                }
            };
            if value.is_some_and(|value| value != literal.positive) {
                return None;
            }
        }
        let fits = |(low, high): (&u64, &Option<u64>)| high.is_none_or(|high| *low <= high);
        node.low.iter().zip(&node.high).all(fits).then_some(node)
    }

    /// Shrinks the intervals to the markings where the predicate has this value. Each comparison is
    /// considered by itself.
    fn restrict(&mut self, predicate: &Predicate, value: bool) {
        match (predicate, value) {
            (Predicate::And(parts), true) | (Predicate::Or(parts), false) => {
                parts.iter().for_each(|part| self.restrict(part, value));
            }
            (Predicate::Atom(atom), true) => self.restrict_to(atom),
            (Predicate::Atom(atom), false) => self.restrict_to(&atom.negated()),
            _ => {}
        }
    }

    /// Shrinks the intervals by a comparison with upper bound b: each term a·m(p) is at most b
    /// minus the least values of the other terms.
    fn restrict_to(&mut self, Atom { sum, bound }: &Atom) {
        let least = |node: &CoverNode, place: PlaceId, factor: i64| -> Option<i128> {
            let at = place.index();
            let tokens = if factor > 0 { Some(node.low[at]) } else { node.high[at] };
            i128::from(factor).checked_mul(tokens?.into())
        };
        let before = self.clone();
        for &(place, factor) in sum.terms() {
            let others = sum.terms().iter().filter(|&&(other, _)| other != place);
            let rest = others.map(|&(other, factor)| least(&before, other, factor));
            let rest = rest.into_iter().try_fold(0i128, |sum, term| sum.checked_add(term?));
            let most = rest.and_then(|rest| i128::from(*bound).checked_sub(rest));
            let Some(most) = most else { continue };
            let at = place.index();
            // The inequality a·m ≤ most is an upper bound on m for a > 0, and a lower bound for a <
            // 0.
            if factor > 0 {
                match u64::try_from(most.div_euclid(factor.into())) {
                    Ok(high) => {
                        self.high[at] = Some(self.high[at].map_or(high, |own| own.min(high)));
                    }
                    // The bound is negative, so no marking remains.
                    Err(_) if most < 0 => (self.low[at], self.high[at]) = (1, Some(0)),
                    Err(_) => {}
                }
            } else if most < 0 {
                // The inequality −|a|·m ≤ −|most|, with rounding up.
                let low = most.unsigned_abs().div_ceil(factor.unsigned_abs().into());
                self.low[at] = self.low[at].max(u64::try_from(low).unwrap_or(u64::MAX));
            }
        }
    }

    /// Returns the value of a predicate if it is the same in all markings of the node that are dead
    /// (`dead`), or in all that are not.
    pub fn value(&self, net: &Net, predicate: &Predicate, dead: bool) -> Option<bool> {
        match predicate {
            Predicate::True => Some(true),
            Predicate::False => Some(false),
            Predicate::Dead => Some(dead),
            Predicate::NotDead => Some(!dead),
            Predicate::Enabled(t) => self.enabled(net, *t, dead),
            Predicate::Disabled(t) => self.enabled(net, *t, dead).map(|enabled| !enabled),
            Predicate::And(parts) => self.junction(net, parts, false, dead),
            Predicate::Or(parts) => self.junction(net, parts, true, dead),
            Predicate::Atom(atom) => self.comparison(atom),
        }
    }

    fn junction(&self, net: &Net, parts: &[Predicate], decides: bool, dead: bool) -> Option<bool> {
        let mut all = Some(!decides);
        for part in parts {
            match self.value(net, part, dead) {
                Some(value) if value == decides => return Some(decides),
                Some(_) => {}
                None => all = None,
            }
        }
        all
    }

    fn enabled(&self, net: &Net, t: TransitionId, dead: bool) -> Option<bool> {
        if dead || self.enabling(net, t).is_none() {
            return Some(false);
        }
        self.enables(net, t).then_some(true)
    }

    fn comparison(&self, Atom { sum, bound }: &Atom) -> Option<bool> {
        let (mut least, mut largest) = (Some(0i128), Some(0i128));
        for &(place, factor) in sum.terms() {
            let at = place.index();
            let times = |tokens: u64| i128::from(factor).checked_mul(tokens.into());
            let (low, high) = (times(self.low[at]), self.high[at].and_then(times));
            let (small, large) = if factor > 0 { (low, high) } else { (high, low) };
            least = least.zip(small).and_then(|(sum, term)| sum.checked_add(term));
            largest = largest.zip(large).and_then(|(sum, term)| sum.checked_add(term));
        }
        let bound = i128::from(*bound);
        match (least, largest) {
            (_, Some(largest)) if largest <= bound => Some(true),
            (Some(least), _) if least > bound => Some(false),
            _ => None,
        }
    }
}

/// An edge between nodes.
#[derive(Clone, Copy, Debug)]
pub struct CoverEdge {
    /// The source node.
    pub from: usize,
    /// The target node.
    pub to: usize,
    /// The transition that fires, or `None` for stuttering in a dead marking.
    pub mover: Option<TransitionId>,
    marks: Marks,
}

/// The nodes of a cover with the remaining edges.
pub struct CoverGraph<'a> {
    net: &'a Net,
    nodes: &'a [CoverNode],
    edges: Vec<CoverEdge>,
    all: Marks,
    fairness: &'a Fairness,
}

impl<'a> CoverGraph<'a> {
    /// Checks conditions 1 and 2, and builds the edges.
    ///
    /// # Errors
    /// A flaw of the cover, or [`Flaw::Stopped`].
    pub fn new(
        net: &'a Net,
        property: &'a RunProperty,
        automaton: &Automaton,
        pairs: &Pairs,
        nodes: &'a [CoverNode],
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<CoverGraph<'a>, NoRunFlaw> {
        let places = net.place_count();
        for (at, node) in nodes.iter().enumerate() {
            let empty = |(low, high): (&u64, &Option<u64>)| high.is_some_and(|high| high < *low);
            let fits = node.low.len() == places && node.high.len() == places;
            if !fits || node.state >= automaton.states.len() {
                return Err(NoRunFlaw::Cover(at, "it has other places or states"));
            }
            if node.low.iter().zip(&node.high).any(empty) {
                return Err(NoRunFlaw::Cover(at, "an interval is empty"));
            }
        }
        let index = Index::new(nodes, automaton.states.len());
        let tokens = net.initial().tokens();
        let first = CoverNode {
            state: automaton.initial,
            low: tokens.to_vec(),
            high: tokens.iter().copied().map(Some).collect(),
        };
        // 1
        index.find(&first).ok_or(NoRunFlaw::Cover(0, "no node has the initial marking"))?;
        let mut edges = Vec::new();
        for (from, node) in nodes.iter().enumerate() {
            if !goes_on() {
                return Err(Flaw::Stopped.into());
            }
            let mut lead = |to: CoverNode, mover, marks| match index.find(&to) {
                Some(to) => {
                    edges.push(CoverEdge { from, to, mover, marks });
                    Ok(())
                }
                None => Err(NoRunFlaw::Cover(from, "a run leads from it out of the cover")),
            };
            // 2
            let enabling = |t| Some((t, node.enabling(net, t)?));
            let enabled: Vec<_> = net.transitions().filter_map(enabling).collect();
            let may_be_dead = node.may_be_dead(net);
            for (at, edge) in automaton.states[node.state].iter().enumerate() {
                let is_left = |mover| pairs.is_left(node.state, at, mover);
                for (t, inside) in &enabled {
                    let mover = Some(*t);
                    let read = || inside.reading(net, property, &edge.cube, mover);
                    if is_left(mover)
                        && let Some(read) = read()
                    {
                        lead(read.after(net, *t, edge.target)?, mover, edge.marks)?;
                    }
                }
                let read = || node.reading(net, property, &edge.cube, None);
                if may_be_dead
                    && is_left(None)
                    && let Some(read) = read()
                {
                    lead(CoverNode { state: edge.target, ..read }, None, edge.marks)?;
                }
            }
            if edges.len() > EDGES {
                return Err(Flaw::TooLarge("edges of a cover".to_owned()).into());
            }
        }
        let (all, fairness) = (Marks::all(automaton.marks), property.fairness());
        let mut graph = CoverGraph { net, nodes, edges, all, fairness };
        graph.take_unfair(goes_on)?;
        Ok(graph)
    }

    /// Returns the remaining edges inside the component of a node.
    pub fn inside(&self, node: usize) -> Vec<CoverEdge> {
        let component = self.components();
        let is_inside = |at: usize| component.get(at) == component.get(node);
        let edges = self.edges.iter().filter(|edge| is_inside(edge.from) && is_inside(edge.to));
        edges.copied().collect()
    }

    /// Removes the edges along which the ranking decreases, and returns their number.
    ///
    /// # Errors
    /// The reason that the ranking is not valid. `self` must not be used any more.
    pub fn rank(
        &mut self,
        ranking: &RankingFunction,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<usize, RankingFlaw> {
        let mut weight = vec![0u64; self.net.place_count()];
        for &(place, y) in &ranking.weights {
            *weight.get_mut(place.index()).ok_or(RankingFlaw::NoSuch)? = y;
        }
        let mut value = vec![0i64; self.nodes.len()];
        for &(node, z) in &ranking.values {
            *value.get_mut(node).ok_or(RankingFlaw::NoSuch)? = z;
        }
        let component = self.components();
        let here = *component.get(ranking.state).ok_or(RankingFlaw::NoSuch)?;
        let before = self.edges.len();
        let mut left = Vec::with_capacity(before);
        for edge in &self.edges {
            if component[edge.from] != here || component[edge.to] != here {
                left.push(*edge);
                continue;
            }
            let mut sum = i128::from(value[edge.to]) - i128::from(value[edge.from]);
            for change in edge.mover.map_or(&[][..], |t| self.net.delta(t)) {
                let term = i128::from(weight[change.place.index()])
                    .checked_mul(change.delta.into())
                    .ok_or(RankingFlaw::TooLarge)?;
                sum = sum.checked_add(term).ok_or(RankingFlaw::TooLarge)?;
            }
            match sum {
                1.. => return Err(RankingFlaw::Grows),
                0 => left.push(*edge),
                _ => {}
            }
        }
        self.edges = left;
        let taken = before - self.edges.len();
        self.take_unfair(goes_on).map_err(|_| RankingFlaw::Stopped)?;
        Ok(taken)
    }

    /// Returns a node whose component has all marks and may belong to a fair run. Components of the
    /// nodes `except` are left out.
    pub fn accepting_node(&self, except: &[usize]) -> Option<usize> {
        let component = self.components();
        let count = component.iter().max().map_or(0, |most| most + 1);
        let mut marks: Vec<Option<Marks>> = vec![None; count];
        for edge in self.edges_within(&component) {
            let of = &mut marks[component[edge.from]];
            *of = Some(of.unwrap_or(Marks::NONE).or(edge.marks));
        }
        let is_other = |node: &usize| except.iter().all(|&it| component[it] != component[*node]);
        (0..self.nodes.len()).find(|node| {
            marks[component[*node]].is_some_and(|marks| self.all.within(marks)) && is_other(node)
        })
    }

    /// Removes the edges that condition 4 excludes, until none is left to remove.
    fn take_unfair(&mut self, goes_on: &mut dyn FnMut() -> bool) -> Result<(), Flaw> {
        let (weak, strong) = (self.fairness.weak(), self.fairness.strong());
        if weak.is_empty() && strong.is_empty() {
            return Ok(());
        }
        loop {
            let component = self.components();
            let count = component.iter().max().map_or(0, |most| most + 1);
            let mut gone = vec![false; self.nodes.len()];
            for (&t, is_strong) in
                weak.iter().map(|t| (t, false)).chain(strong.iter().map(|t| (t, true)))
            {
                if !goes_on() {
                    return Err(Flaw::Stopped);
                }
                let mut fires = vec![false; count];
                for edge in self.edges_within(&component).filter(|edge| edge.mover == Some(t)) {
                    fires[component[edge.from]] = true;
                }
                let mut always = vec![true; count];
                let enables: Vec<bool> =
                    self.nodes.iter().map(|node| node.enables(self.net, t)).collect();
                for (node, &enables) in enables.iter().enumerate() {
                    always[component[node]] &= enables;
                }
                for (node, &enables) in enables.iter().enumerate() {
                    let of = component[node];
                    gone[node] |= !fires[of] && (always[of] || is_strong && enables);
                }
            }
            let before = self.edges.len();
            self.edges.retain(|edge| {
                let is_inside = component[edge.from] == component[edge.to];
                !(is_inside && (gone[edge.from] || gone[edge.to]))
            });
            if self.edges.len() == before {
                return Ok(());
            }
        }
    }

    fn edges_within<'g>(&'g self, component: &'g [usize]) -> impl Iterator<Item = &'g CoverEdge> {
        self.edges.iter().filter(|edge| component[edge.from] == component[edge.to])
    }

    /// Returns, by node, the number of its strongly connected component along the remaining edges.
    fn components(&self) -> Vec<usize> {
        let mut after: Vec<Vec<u32>> = vec![Vec::new(); self.nodes.len()];
        for edge in &self.edges {
            after[edge.from].push(edge.to as u32);
        }
        let found = components_of_rows(&after, |&to| to);
        found.of.into_iter().map(|component| component as usize).collect()
    }
}

/// An index for finding a node that contains a given one.
struct Index<'a> {
    nodes: &'a [CoverNode],
    exact: HashMap<&'a CoverNode, usize>,
    of_state: Vec<Vec<usize>>,
}

impl<'a> Index<'a> {
    /// Indexes the nodes, whose states must be below `states`.
    fn new(nodes: &'a [CoverNode], states: usize) -> Index<'a> {
        let mut of_state = vec![Vec::new(); states];
        for (at, node) in nodes.iter().enumerate() {
            of_state[node.state].push(at);
        }
        let exact = nodes.iter().zip(0..).collect();
        Index { nodes, exact, of_state }
    }

    fn find(&self, node: &CoverNode) -> Option<usize> {
        let exact = self.exact.get(node).copied();
        exact.or_else(|| {
            let mut candidates = self.of_state[node.state].iter();
            candidates.find(|&&at| self.nodes[at].contains(node)).copied()
        })
    }
}
