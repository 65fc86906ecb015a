//! Decides whether a run can repeat forever: looks for a strongly connected component of a graph
//! that carries all marks. Under fairness constraints, a fair run must be able to stay in this
//! component.
//!
//! The nodes and edges that a run visits infinitely often are strongly connected. Without fairness
//! constraints, a component with all marks suffices. With them, consider a run that visits all of a
//! component infinitely often.
//!
//! - It is weakly fair to t if an edge of the component fires t, or t is disabled in some node of
//!   it. If not, no run that stays in a part of the component is fair either.
//! - It is strongly fair to t if an edge of the component fires t, or no node of it enables t. If
//!   not, a fair run visits the nodes that enable t only finitely often. These nodes are removed,
//!   and the rest is decomposed into its components again.
//!
//! # Sources
//! E. A. Emerson, C.-L. Lei, *Modalities for model checking: branching time logic strikes back*,
//! Science of Computer Programming 8, 1987; O. Lichtenstein, A. Pnueli, *Checking that finite state
//! concurrent programs satisfy their linear specification*, POPL 1985.

use crate::certificate::Flaw;
use parikh_net::components::components;
use parikh_net::{Fairness, Marking, Net, TransitionId};
use parikh_temporal::Marks;

/// An edge between two nodes. A node is a marking with a state of the automaton.
pub(super) struct RunEdge {
    /// The target node.
    pub(super) to: u32,
    /// The acceptance marks of the automaton's edge.
    pub(super) marks: Marks,
    /// The transition that fires, or `None` if a dead marking stutters.
    pub(super) fires: Option<TransitionId>,
}

/// The fairness constraint of a transition.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FairnessConstraint {
    Unconstrained,
    Weakly,
    Strongly,
}

/// The graph of the visited nodes, with the fairness constraints.
pub(super) struct ProductGraph<'a> {
    net: &'a Net,
    /// The acceptance marks that the edges of a strongly connected component must carry together,
    /// so that a run in it is accepted.
    required_marks: Marks,
    /// The transitions with a fairness constraint.
    constrained: Vec<TransitionId>,
    /// The fairness constraint of each transition of the net. A strong constraint takes precedence
    /// over a weak constraint.
    constraints: Vec<FairnessConstraint>,
    /// The outgoing edges per node.
    pub(super) outgoing: Vec<Vec<RunEdge>>,
    /// One entry per node: the transitions of `constrained` that its marking enables.
    enabled: Vec<Box<[TransitionId]>>,
}

/// A number that marks removed nodes instead of the number of their component.
const REMOVED: u32 = u32::MAX;

impl<'a> ProductGraph<'a> {
    /// Creates a graph without nodes. A component must carry the marks `required_marks`.
    pub(super) fn new(net: &'a Net, fairness: &Fairness, required_marks: Marks) -> Self {
        let mut constraints = vec![FairnessConstraint::Unconstrained; net.transition_count()];
        fairness.weak().iter().for_each(|t| constraints[t.index()] = FairnessConstraint::Weakly);
        fairness
            .strong()
            .iter()
            .for_each(|t| constraints[t.index()] = FairnessConstraint::Strongly);
        let constrained = fairness.transitions().collect();
        ProductGraph {
            net,
            required_marks,
            constrained,
            constraints,
            outgoing: Vec::new(),
            enabled: Vec::new(),
        }
    }

    /// Adds the next node, with its marking and its outgoing edges.
    pub(super) fn push(&mut self, marking: &Marking, edges: Vec<RunEdge>) {
        let enabled = self.constrained.iter().copied().filter(|&t| self.net.is_enabled(marking, t));
        self.enabled.push(enabled.collect());
        self.outgoing.push(edges);
    }

    /// Returns true if a fair run can stay forever in some strongly connected component whose edges
    /// carry all required marks.
    ///
    /// # Errors
    /// [`Flaw::Stopped`] when `goes_on` returns false.
    pub(super) fn has_fair_component(
        &self,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<bool, Flaw> {
        // By node, the number of its component in the previous decomposition, or `REMOVED` if the
        // node is removed.
        let mut component_of = vec![0u32; self.outgoing.len()];
        let mut firings = ComponentFirings::new(self.net.transition_count());
        loop {
            if !goes_on() {
                return Err(Flaw::Stopped);
            }
            let refined = components(self.outgoing.len() as u32, |node, k| {
                let outgoing = self
                    .outgoing
                    .get(node as usize)
                    .filter(|_| component_of[node as usize] != REMOVED)?;
                let edge = outgoing.get(k as usize)?;
                // An edge that leaves the component is replaced by a self-loop, which does not
                // affect the decomposition.
                let inside = component_of[edge.to as usize] == component_of[node as usize];
                Some(if inside { edge.to } else { node })
            });
            let remaining = (0..self.outgoing.len()).filter(|&node| component_of[node] != REMOVED);
            let mut nodes: Vec<usize> = remaining.collect();
            nodes.sort_by_key(|&node| refined.component_of[node]);
            let is_inside = |component_of: &[u32], node: usize, edge: &RunEdge| {
                component_of[edge.to as usize] == component_of[node]
                    && refined.component_of[edge.to as usize] == refined.component_of[node]
            };
            let old_component_of = component_of.clone();
            let mut has_removed_nodes = false;
            for component in
                nodes.chunk_by(|&a, &b| refined.component_of[a] == refined.component_of[b])
            {
                let inside = |node: usize, edge: &RunEdge| is_inside(&old_component_of, node, edge);
                match self.examine(component, &inside, &mut firings) {
                    ComponentResult::FairRun => return Ok(true),
                    ComponentResult::NoFairRun => {
                        component.iter().for_each(|&node| component_of[node] = REMOVED)
                    }
                    ComponentResult::RemoveEnabling(unfair) => {
                        for &node in component {
                            let enables = self.enabled[node].iter().any(|t| unfair.contains(t));
                            component_of[node] =
                                if enables { REMOVED } else { refined.component_of[node] };
                            has_removed_nodes |= enables;
                        }
                    }
                }
            }
            if !has_removed_nodes {
                return Ok(false);
            }
        }
    }

    /// Examines the component with the nodes `component`. `is_inside` gets a node and one of its
    /// edges, and selects the edges inside the component. `firings` is reused for each component.
    fn examine(
        &self,
        component: &[usize],
        is_inside: &dyn Fn(usize, &RunEdge) -> bool,
        firings: &mut ComponentFirings,
    ) -> ComponentResult {
        let mut carried_marks: Option<Marks> = None;
        firings.begin_component();
        for &node in component {
            for edge in self.outgoing[node].iter().filter(|edge| is_inside(node, edge)) {
                carried_marks = Some(carried_marks.unwrap_or(Marks::NONE).or(edge.marks));
                edge.fires.into_iter().for_each(|t| firings.fires(t));
            }
            self.enabled[node].iter().for_each(|&t| firings.enables(t));
        }
        if !carried_marks.is_some_and(|marks| self.required_marks.is_subset(marks)) {
            return ComponentResult::NoFairRun;
        }
        let unfired = firings.unfired();
        let has_constraint = |constraint: FairnessConstraint| {
            move |&(t, _): &(TransitionId, usize)| self.constraints[t.index()] == constraint
        };
        if unfired
            .iter()
            .copied()
            .filter(has_constraint(FairnessConstraint::Weakly))
            .any(|(_, node_count)| node_count == component.len())
        {
            return ComponentResult::NoFairRun;
        }
        let strongly: Vec<TransitionId> = unfired
            .iter()
            .copied()
            .filter(has_constraint(FairnessConstraint::Strongly))
            .map(|(t, _)| t)
            .collect();
        if strongly.is_empty() {
            ComponentResult::FairRun
        } else {
            ComponentResult::RemoveEnabling(strongly)
        }
    }
}

/// The result of the examination of a component.
enum ComponentResult {
    /// A fair run that carries all required marks can visit all of the component infinitely often.
    FairRun,
    /// No fair run that carries all required marks infinitely often stays in the component.
    NoFairRun,
    /// A fair run that stays in the component visits the nodes that enable these transitions only
    /// finitely often.
    RemoveEnabling(Vec<TransitionId>),
}

/// The transitions that fire in a component, and the number of nodes that enable each transition.
struct ComponentFirings {
    /// The number of the component that is examined, counted from 1.
    component_number: u32,
    /// For each transition, the number of the last component in which it fired, or 0 if it has not
    /// fired.
    fired: Vec<u32>,
    /// For each transition, the number of the last component in which some node enabled it, and the
    /// number of these nodes.
    enabled: Vec<(u32, usize)>,
    /// Transitions that some node of the current component enables.
    enabled_somewhere: Vec<TransitionId>,
}

impl ComponentFirings {
    fn new(transitions: usize) -> Self {
        ComponentFirings {
            component_number: 0,
            fired: vec![0; transitions],
            enabled: vec![(0, 0); transitions],
            enabled_somewhere: Vec::new(),
        }
    }

    /// Begins the next component, in which no transition has fired and none is enabled so far.
    fn begin_component(&mut self) {
        self.component_number += 1;
        self.enabled_somewhere.clear();
    }

    /// Records that `t` fires along an edge inside the current component.
    fn fires(&mut self, t: TransitionId) {
        self.fired[t.index()] = self.component_number;
    }

    /// Records that one more node of the current component enables `t`.
    fn enables(&mut self, t: TransitionId) {
        let (last_component, node_count) = &mut self.enabled[t.index()];
        if std::mem::replace(last_component, self.component_number) != self.component_number {
            *node_count = 0;
            self.enabled_somewhere.push(t);
        }
        *node_count += 1;
    }

    /// Returns the transitions with a fairness constraint that some node of the component enables
    /// and that never fire inside it. Each comes with the number of nodes that enable it.
    fn unfired(&self) -> Vec<(TransitionId, usize)> {
        let unfired = self
            .enabled_somewhere
            .iter()
            .filter(|t| self.fired[t.index()] != self.component_number);
        unfired.map(|&t| (t, self.enabled[t.index()].1)).collect()
    }
}
