//! A cover: finitely many sets of markings, each with a state of an automaton, that no run leaves.
//! It proves that no fair run of the net has an accepting run of the automaton.
//!
//! ```text
//! place a 1 · place b · place c          cover:  a = 1, b = 0, c ≥ 0
//! transition x: a -> b                           a = 0, b = 1, c ≥ 0
//! transition y: b -> a + c               so no marking is dead, and a is marked infinitely often
//! ```
//!
//! A *node* is a state and, for each place, an interval of token counts. A *mover* is a transition
//! that fires, or stuttering in a dead marking. At a node, an edge of its state and a mover lead to
//! another node. This node has the edge's target as its state, and contains every marking after the
//! mover. Only those pairs of an edge and a mover count that `pairs` has not removed and that the
//! intervals allow. So a run with an accepting run of the automaton follows edges between nodes.
//! The nodes that it visits infinitely often belong to one strongly connected component.
//!
//! # Conditions
//! 1. A node with the initial state contains the initial marking.
//! 2. Every pair that a node allows leads to a node. The pair (e, t) of an edge and a transition is
//!    allowed if two conditions hold. The upper ends suffice for t's inputs, and no literal of e is
//!    false in all markings of the node that enable t. The pair of e and stuttering is allowed if
//!    each transition may be disabled, and leads to a node that contains the dead markings; a node
//!    may consist of dead markings only. Markings count only if they satisfy each condition that e
//!    reads, as far as the other intervals decide it.
//! 3. A ranking has weights y ≥ 0 of places and values z of nodes. It never increases along the
//!    remaining edges in its component, and the edges along which it decreases are removed.
//! 4. Let t, under a fairness constraint, never fire in a component. A weakly fair run leaves the
//!    component eventually if every node enables t. A strongly fair run eventually leaves the nodes
//!    that enable t. Edges at such nodes are removed.
//!
//! # Soundness
//! By (1) and (2) a run stays in the cover. It follows an edge removed by (3) finitely often, as
//! y·m + z is bounded below. By (4) a fair run follows the other removed edges finitely often. If
//! no component with all marks remains, there is no run.
//!
//! # Source
//! R. Karp, R. Miller, *Parallel program schemata*, J. Computer and System Sciences 3, 1969.

use super::pairs::{Pairs, RankingFlaw};
use super::{NoRunFlaw, RankingFunction};
use crate::certificate::Flaw;
use parikh_net::components::components_of_rows;
use parikh_net::run_property::{RunAtom, RunProperty};
use parikh_net::{Arc, Atom, Fairness, Net, PlaceId, Predicate, TransitionId};
use parikh_temporal::{Automaton, Cube, Literal, Marks};
use std::collections::HashMap;

/// The maximum number of edges between the nodes of a cover.
const MAX_EDGES: usize = 2_000_000;

/// A state of the automaton with an interval of token counts for each place. The markings of the
/// node are those within the intervals, or only the dead ones of them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CoverNode {
    /// The state of the automaton.
    pub state: usize,
    /// The least number of tokens of each place.
    pub low: Vec<u64>,
    /// The largest number of tokens of each place; `None` without an upper bound.
    pub high: Vec<Option<u64>>,
    /// True if only the dead markings within the intervals belong to the node.
    pub is_dead: bool,
}

impl CoverNode {
    /// Returns true if the node has the same state, its intervals contain those of `other`, and it
    /// is not restricted to dead markings unless `other` is.
    fn contains(&self, other: &CoverNode) -> bool {
        let is_high_enough = |(own, other): (&Option<u64>, &Option<u64>)| match (own, other) {
            (None, _) => true,
            (Some(own), Some(other)) => own >= other,
            (Some(_), None) => false,
        };
        self.state == other.state
            && (other.is_dead || !self.is_dead)
            && self.low.iter().zip(&other.low).all(|(own, other)| own <= other)
            && self.high.iter().zip(&other.high).all(is_high_enough)
    }

    /// Returns the markings of the node that enable `t`, as a node, or `None` if there are none.
    pub fn enabling(&self, net: &Net, t: TransitionId) -> Option<CoverNode> {
        if self.is_dead {
            return None;
        }
        let mut node = self.clone();
        for arc in net.pre(t) {
            let p = arc.place.index();
            if node.high[p].is_some_and(|high| high < arc.weight) {
                return None;
            }
            node.low[p] = node.low[p].max(arc.weight);
        }
        Some(node)
    }

    /// Returns a node with `state` and the markings after `t`, which all markings must enable.
    ///
    /// # Errors
    /// When a number of tokens overflows.
    pub fn successor(&self, net: &Net, t: TransitionId, state: usize) -> Result<CoverNode, Flaw> {
        let mut node = CoverNode { state, ..self.clone() };
        for change in net.delta(t) {
            let p = change.place.index();
            let add = |tokens: u64| tokens.checked_add_signed(change.delta).ok_or(Flaw::Overflow);
            node.low[p] = add(node.low[p])?;
            node.high[p] = node.high[p].map(add).transpose()?;
        }
        Ok(node)
    }

    /// Returns true if every marking within the intervals enables `t`.
    pub fn enables(&self, net: &Net, t: TransitionId) -> bool {
        net.pre(t).iter().all(|arc| self.low[arc.place.index()] >= arc.weight)
    }

    /// Returns false if some transition is enabled in every marking of the node, so that no marking
    /// of the node is dead. Returns true otherwise.
    pub fn may_be_dead(&self, net: &Net) -> bool {
        !net.transitions().any(|t| self.enables(net, t))
    }

    /// Returns the node with its intervals shrunk to markings in which an edge with `cube` can be
    /// read. `mover` is the transition that fires, which all markings of `self` must enable. For
    /// stuttering `mover` is `None`, and the result has dead markings only. Returns `None` if the
    /// intervals show that there are no such markings.
    pub fn reading(
        &self,
        net: &Net,
        property: &RunProperty,
        cube: &Cube,
        mover: Option<TransitionId>,
    ) -> Option<CoverNode> {
        let mut node = CoverNode { is_dead: mover.is_none(), ..self.clone() };
        let predicates = cube.literals().iter().filter_map(|literal| {
            match &property.atoms()[literal.atom.0 as usize] {
                RunAtom::Holds(predicate) => Some((predicate, literal.positive)),
                RunAtom::Fires(_) => None,
            }
        });
        // A disjunction may leave one operand only after the other literals shrank the intervals.
        for _ in 0..2 {
            if node.is_dead {
                net.transitions().for_each(|t| node.restrict(net, &Predicate::Disabled(t), true));
            }
            predicates.clone().for_each(|(predicate, value)| node.restrict(net, predicate, value));
        }
        let fits = |(low, high): (&u64, &Option<u64>)| high.is_none_or(|high| *low <= high);
        if !node.low.iter().zip(&node.high).all(fits) {
            return None;
        }
        let contradicts = |literal: &Literal| {
            let value = match &property.atoms()[literal.atom.0 as usize] {
                RunAtom::Fires(any) => Some(mover.is_some_and(|t| any.binary_search(&t).is_ok())),
                RunAtom::Holds(predicate) => node.value(net, predicate, mover.is_none()),
            };
            value.is_some_and(|value| value != literal.positive)
        };
        (!cube.literals().iter().any(contradicts)).then_some(node)
    }

    /// Shrinks the intervals to markings where the predicate has the value `value`. Uses each
    /// comparison and each enabledness condition that must then be true or false by itself. Of a
    /// disjunction, uses the only operand that the intervals allow. Ignores other conditions.
    fn restrict(&mut self, net: &Net, predicate: &Predicate, value: bool) {
        match (predicate, value) {
            (Predicate::And(parts), true) | (Predicate::Or(parts), false) => {
                parts.iter().for_each(|part| self.restrict(net, part, value));
            }
            (Predicate::And(parts), false) | (Predicate::Or(parts), true) => {
                let is_open = |part: &&Predicate| match part {
                    Predicate::Atom(atom) => self.comparison_value(atom) != Some(!value),
                    _ => true,
                };
                let mut open = parts.iter().filter(is_open);
                if let (Some(only), None) = (open.next(), open.next()) {
                    self.restrict(net, only, value);
                }
            }
            (Predicate::Atom(atom), true) => self.restrict_to(atom),
            (Predicate::Atom(atom), false) => self.restrict_to(&atom.negated()),
            (Predicate::Enabled(t), true) | (Predicate::Disabled(t), false) => {
                for arc in net.pre(*t) {
                    let low = &mut self.low[arc.place.index()];
                    *low = (*low).max(arc.weight);
                }
            }
            (Predicate::Disabled(t), true) | (Predicate::Enabled(t), false) => {
                // Without other inputs that may lack tokens, this place must lack them.
                let lacks = |arc: &&Arc| self.low[arc.place.index()] < arc.weight;
                let mut lacking = net.pre(*t).iter().filter(lacks);
                if let (Some(only), None) = (lacking.next(), lacking.next()) {
                    let high = &mut self.high[only.place.index()];
                    let most = only.weight - 1;
                    *high = Some(high.map_or(most, |own| own.min(most)));
                }
            }
            _ => {}
        }
    }

    /// Shrinks the intervals to markings that satisfy the comparison Σ a·m(p) ≤ b. The term a·m(p)
    /// of a place is at most b minus the least values of the other terms.
    fn restrict_to(&mut self, Atom { sum, bound }: &Atom) {
        let min_term = |node: &CoverNode, place: PlaceId, factor: i64| -> Option<i128> {
            let p = place.index();
            let tokens = if factor > 0 { Some(node.low[p]) } else { node.high[p] };
            i128::from(factor).checked_mul(tokens?.into())
        };
        let original = self.clone();
        for &(place, factor) in sum.terms() {
            let other_terms = sum.terms().iter().filter(|&&(other, _)| other != place);
            let minimum = other_terms.map(|&(other, factor)| min_term(&original, other, factor));
            let minimum = minimum.into_iter().try_fold(0i128, |sum, term| sum.checked_add(term?));
            let max_term = minimum.and_then(|minimum| i128::from(*bound).checked_sub(minimum));
            let Some(max_term) = max_term else { continue };
            let p = place.index();
            // The inequality a·m ≤ max_term is an upper bound on m if a > 0, else a lower bound.
            if factor > 0 {
                match u64::try_from(max_term.div_euclid(factor.into())) {
                    Ok(high) => {
                        self.high[p] = Some(self.high[p].map_or(high, |own| own.min(high)));
                    }
                    // The bound is negative, so no marking remains. This makes the interval empty.
                    Err(_) if max_term < 0 => (self.low[p], self.high[p]) = (1, Some(0)),
                    Err(_) => {}
                }
            } else if max_term < 0 {
                let low = max_term.unsigned_abs().div_ceil(factor.unsigned_abs().into());
                self.low[p] = self.low[p].max(u64::try_from(low).unwrap_or(u64::MAX));
            }
        }
    }

    /// Returns the value of the predicate if the intervals show that all markings agree: all dead
    /// markings of the node if `is_dead`, and otherwise its other markings. Returns `None`
    /// otherwise.
    pub fn value(&self, net: &Net, predicate: &Predicate, is_dead: bool) -> Option<bool> {
        match predicate {
            Predicate::True => Some(true),
            Predicate::False => Some(false),
            Predicate::Dead => Some(is_dead),
            Predicate::NotDead => Some(!is_dead),
            Predicate::Enabled(t) => self.enabled_value(net, *t, is_dead),
            Predicate::Disabled(t) => self.enabled_value(net, *t, is_dead).map(|enabled| !enabled),
            Predicate::And(parts) => self.connective_value(net, parts, false, is_dead),
            Predicate::Or(parts) => self.connective_value(net, parts, true, is_dead),
            Predicate::Atom(atom) => self.comparison_value(atom),
        }
    }

    /// Returns the value of the disjunction of `parts` if `deciding_value` is true, and of their
    /// conjunction if it is false. Returns `None` if the intervals do not determine the value.
    fn connective_value(
        &self,
        net: &Net,
        parts: &[Predicate],
        deciding_value: bool,
        is_dead: bool,
    ) -> Option<bool> {
        let mut result = Some(!deciding_value);
        for part in parts {
            match self.value(net, part, is_dead) {
                Some(value) if value == deciding_value => return Some(deciding_value),
                Some(_) => {}
                None => result = None,
            }
        }
        result
    }

    /// Returns true if the intervals show that `t` is enabled in all markings that `value`
    /// considers. Returns false if they show that `t` is disabled in all. Returns `None` otherwise.
    fn enabled_value(&self, net: &Net, t: TransitionId, is_dead: bool) -> Option<bool> {
        if is_dead || self.enabling(net, t).is_none() {
            return Some(false);
        }
        self.enables(net, t).then_some(true)
    }

    /// Returns the value of a comparison if the intervals show that it is the same in all markings
    /// of the node. Returns `None` otherwise.
    fn comparison_value(&self, Atom { sum, bound }: &Atom) -> Option<bool> {
        let (mut least, mut largest) = (Some(0i128), Some(0i128));
        for &(place, factor) in sum.terms() {
            let p = place.index();
            let times = |tokens: u64| i128::from(factor).checked_mul(tokens.into());
            let (low, high) = (times(self.low[p]), self.high[p].and_then(times));
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

/// An edge between nodes of a cover: the mover that fires while the automaton follows one of its
/// edges.
#[derive(Clone, Copy, Debug)]
pub struct CoverEdge {
    /// The index of the source node.
    pub from: usize,
    /// The index of the target node.
    pub to: usize,
    /// The transition that fires, or `None` for stuttering in a dead marking.
    pub mover: Option<TransitionId>,
    /// The acceptance marks of the automaton's edge.
    marks: Marks,
}

/// The nodes of a cover, with the edges that no ranking and no fairness constraint has removed.
pub struct CoverGraph<'a> {
    net: &'a Net,
    nodes: &'a [CoverNode],
    edges: Vec<CoverEdge>,
    /// The acceptance marks of the automaton.
    all_marks: Marks,
    fairness: &'a Fairness,
}

impl<'a> CoverGraph<'a> {
    /// Checks conditions 1 and 2 of the module documentation, and builds the edges. Removes the
    /// edges that condition 4 excludes.
    ///
    /// # Errors
    /// A flaw of the cover, too many edges, an overflow of tokens, or [`Flaw::Stopped`].
    pub fn new(
        net: &'a Net,
        property: &'a RunProperty,
        automaton: &Automaton,
        pairs: &Pairs,
        nodes: &'a [CoverNode],
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<CoverGraph<'a>, NoRunFlaw> {
        let places = net.place_count();
        for (index, node) in nodes.iter().enumerate() {
            let is_empty = |(low, high): (&u64, &Option<u64>)| high.is_some_and(|high| high < *low);
            let has_all_places = node.low.len() == places && node.high.len() == places;
            if !has_all_places || node.state >= automaton.states.len() {
                return Err(NoRunFlaw::Cover(index, "the places or states differ"));
            }
            if node.low.iter().zip(&node.high).any(is_empty) {
                return Err(NoRunFlaw::Cover(index, "an interval is empty"));
            }
        }
        let node_index = NodeIndex::new(nodes, automaton.states.len());
        let tokens = net.initial().tokens();
        let initial = CoverNode {
            state: automaton.initial,
            low: tokens.to_vec(),
            high: tokens.iter().copied().map(Some).collect(),
            is_dead: false,
        };
        // Condition 1 of the module documentation.
        node_index.find(&initial).ok_or(NoRunFlaw::NoInitialNode)?;
        let mut edges = Vec::new();
        for (from, node) in nodes.iter().enumerate() {
            if !goes_on() {
                return Err(Flaw::Stopped.into());
            }
            let mut add_edge = |to: CoverNode, mover, marks| match node_index.find(&to) {
                Some(to) => {
                    edges.push(CoverEdge { from, to, mover, marks });
                    Ok(())
                }
                None => Err(NoRunFlaw::Cover(from, "a run leaves the cover from this node")),
            };
            // Condition 2 of the module documentation.
            let enabling = |t| Some((t, node.enabling(net, t)?));
            let enabled: Vec<_> = net.transitions().filter_map(enabling).collect();
            let may_be_dead = node.may_be_dead(net);
            for (edge_index, edge) in automaton.states[node.state].iter().enumerate() {
                let remains = |mover| pairs.remains(node.state, edge_index, mover);
                for (t, enabling_node) in &enabled {
                    let mover = Some(*t);
                    let read_markings = || enabling_node.reading(net, property, &edge.cube, mover);
                    if remains(mover)
                        && let Some(read_markings) = read_markings()
                    {
                        add_edge(
                            read_markings.successor(net, *t, edge.target)?,
                            mover,
                            edge.marks,
                        )?;
                    }
                }
                let read_markings = || node.reading(net, property, &edge.cube, None);
                if may_be_dead
                    && remains(None)
                    && let Some(read_markings) = read_markings()
                {
                    add_edge(CoverNode { state: edge.target, ..read_markings }, None, edge.marks)?;
                }
            }
            if edges.len() > MAX_EDGES {
                return Err(Flaw::TooLarge("too many edges of the cover".to_owned()).into());
            }
        }
        let (all, fairness) = (Marks::all(automaton.marks), property.fairness());
        let mut graph = CoverGraph { net, nodes, edges, all_marks: all, fairness };
        graph.remove_unfair(goes_on)?;
        Ok(graph)
    }

    /// Returns the remaining edges inside the component of a node.
    pub fn edges_in_component_of(&self, node: usize) -> Vec<CoverEdge> {
        let component = self.components();
        let is_inside = |other: usize| component.get(other) == component.get(node);
        let edges = self.edges.iter().filter(|edge| is_inside(edge.from) && is_inside(edge.to));
        edges.copied().collect()
    }

    /// Removes the edges along which the ranking decreases inside the component of the node
    /// `ranking.state`. Returns their number. Then removes the edges that the fairness constraints
    /// exclude, which are not counted.
    ///
    /// # Errors
    /// The reason that the ranking is not valid, or [`RankingFlaw::Stopped`].
    pub fn rank(
        &mut self,
        ranking: &RankingFunction,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<usize, RankingFlaw> {
        let mut weight = vec![0u64; self.net.place_count()];
        for &(place, y) in &ranking.weights {
            *weight.get_mut(place.index()).ok_or(RankingFlaw::UnknownId)? = y;
        }
        let mut value = vec![0i64; self.nodes.len()];
        for &(node, z) in &ranking.values {
            *value.get_mut(node).ok_or(RankingFlaw::UnknownId)? = z;
        }
        let component = self.components();
        let ranked_component = *component.get(ranking.state).ok_or(RankingFlaw::UnknownId)?;
        let count_before = self.edges.len();
        let mut remaining = Vec::with_capacity(count_before);
        for edge in &self.edges {
            if component[edge.from] != ranked_component || component[edge.to] != ranked_component {
                remaining.push(*edge);
                continue;
            }
            let mut increase = i128::from(value[edge.to]) - i128::from(value[edge.from]);
            for change in edge.mover.map_or(&[][..], |t| self.net.delta(t)) {
                let term = i128::from(weight[change.place.index()])
                    .checked_mul(change.delta.into())
                    .ok_or(RankingFlaw::TooLarge)?;
                increase = increase.checked_add(term).ok_or(RankingFlaw::TooLarge)?;
            }
            match increase {
                1.. => return Err(RankingFlaw::Increases),
                0 => remaining.push(*edge),
                _ => {}
            }
        }
        self.edges = remaining;
        let removed_count = count_before - self.edges.len();
        self.remove_unfair(goes_on).map_err(|_| RankingFlaw::Stopped)?;
        Ok(removed_count)
    }

    /// Returns a node whose strongly connected component contains no node of `except` and has inner
    /// edges that carry all marks together. Only remaining edges count. Returns `None` if there is
    /// no such node.
    pub fn accepting_node(&self, except: &[usize]) -> Option<usize> {
        let component = self.components();
        let count = component.iter().max().map_or(0, |last| last + 1);
        let mut marks: Vec<Option<Marks>> = vec![None; count];
        for edge in self.edges_within(&component) {
            let component_marks = &mut marks[component[edge.from]];
            *component_marks = Some(component_marks.unwrap_or(Marks::NONE).or(edge.marks));
        }
        let is_allowed =
            |node: &usize| except.iter().all(|&excluded| component[excluded] != component[*node]);
        (0..self.nodes.len()).find(|node| {
            marks[component[*node]].is_some_and(|marks| self.all_marks.is_subset(marks))
                && is_allowed(node)
        })
    }

    /// Removes the edges that condition 4 (fairness) of the module documentation excludes. Repeats
    /// this until a pass removes no edge.
    fn remove_unfair(&mut self, goes_on: &mut dyn FnMut() -> bool) -> Result<(), Flaw> {
        let (weak, strong) = (self.fairness.weak(), self.fairness.strong());
        if weak.is_empty() && strong.is_empty() {
            return Ok(());
        }
        loop {
            let component = self.components();
            let count = component.iter().max().map_or(0, |last| last + 1);
            let mut is_left_by_fair_runs = vec![false; self.nodes.len()];
            for (&t, is_strong) in
                weak.iter().map(|t| (t, false)).chain(strong.iter().map(|t| (t, true)))
            {
                if !goes_on() {
                    return Err(Flaw::Stopped);
                }
                let mut fires_in_component = vec![false; count];
                for edge in self.edges_within(&component).filter(|edge| edge.mover == Some(t)) {
                    fires_in_component[component[edge.from]] = true;
                }
                let mut always_enabled = vec![true; count];
                let enables: Vec<bool> =
                    self.nodes.iter().map(|node| node.enables(self.net, t)).collect();
                for (node, &enables) in enables.iter().enumerate() {
                    always_enabled[component[node]] &= enables;
                }
                for (node, &enables) in enables.iter().enumerate() {
                    let own_component = component[node];
                    is_left_by_fair_runs[node] |= !fires_in_component[own_component]
                        && (always_enabled[own_component] || is_strong && enables);
                }
            }
            let count_before = self.edges.len();
            self.edges.retain(|edge| {
                let is_inside = component[edge.from] == component[edge.to];
                !(is_inside && (is_left_by_fair_runs[edge.from] || is_left_by_fair_runs[edge.to]))
            });
            if self.edges.len() == count_before {
                return Ok(());
            }
        }
    }

    /// Iterates over the edges inside a component. `component` has the component of each node.
    fn edges_within<'g>(&'g self, component: &'g [usize]) -> impl Iterator<Item = &'g CoverEdge> {
        self.edges.iter().filter(|edge| component[edge.from] == component[edge.to])
    }

    /// Returns, by node, the number of its strongly connected component along the remaining edges.
    fn components(&self) -> Vec<usize> {
        let mut successors: Vec<Vec<u32>> = vec![Vec::new(); self.nodes.len()];
        for edge in &self.edges {
            successors[edge.from].push(edge.to as u32);
        }
        let decomposition = components_of_rows(&successors, |&to| to);
        decomposition.component_of.into_iter().map(|component| component as usize).collect()
    }
}

/// An index for finding a node of the cover that contains a given node.
struct NodeIndex<'a> {
    nodes: &'a [CoverNode],
    /// The index in `nodes` of each node.
    exact: HashMap<&'a CoverNode, usize>,
    /// The indices of the nodes with each state of the automaton.
    of_state: Vec<Vec<usize>>,
}

impl<'a> NodeIndex<'a> {
    /// Indexes the nodes, whose states must be below `states`.
    fn new(nodes: &'a [CoverNode], states: usize) -> NodeIndex<'a> {
        let mut of_state = vec![Vec::new(); states];
        for (index, node) in nodes.iter().enumerate() {
            of_state[node.state].push(index);
        }
        let exact = nodes.iter().zip(0..).collect();
        NodeIndex { nodes, exact, of_state }
    }

    /// Returns the index of a node that equals `node`, or else of a node that contains it. Returns
    /// `None` if no node contains it.
    fn find(&self, node: &CoverNode) -> Option<usize> {
        let exact = self.exact.get(node).copied();
        exact.or_else(|| {
            let mut candidates = self.of_state[node.state].iter();
            candidates.find(|&&number| self.nodes[number].contains(node)).copied()
        })
    }
}
