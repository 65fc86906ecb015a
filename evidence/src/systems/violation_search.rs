//! Decides by a search that no run of some of the components violates a formula.
//!
//! Some components may be abstracted to some of their labels ([`super::view`]). Nothing is assumed
//! about the components that are left out: a label that only they own may occur at any time, and a
//! label that they share depends on the other owners only. So every run of the whole system is a
//! run of the considered components with the same labels. If none of their runs violates the
//! formula, no run of the system does.
//!
//! A *node* is a joint state with a state of the automaton of the negation. Before the search, the
//! automaton is checked against the formula in both directions. The considered components have a
//! violating run if and only if some strongly connected component of the reachable nodes has edges
//! with all marks. With `recurrence`, only edges of one part are considered together
//! ([`super::recurrence`]): no run of the system takes other edges infinitely often.
//!
//! If finite runs count, a run may stutter where no label is possible all of whose owners are
//! considered; its letter is then that of the previous label. An abstracted component may enable a
//! label that the whole component does not. So in this case components must be whole.

use super::Endings;
use super::negation::Negation;
use super::recurrence::{RecurringEdges, recurring_parts};
use super::run::has_next;
use super::system::{Joint, System};
use super::terms::LabelLtl;
use super::view::ComponentView;
use parikh_net::components::components_of_rows;
use parikh_temporal::Marks;
use std::collections::HashMap;

/// The maximum number of edges between nodes, which limits the memory of the audit.
const MAX_EDGES: usize = 1 << 26;

/// The result of a search for a run that violates a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViolationSearch {
    /// No run violates the formula. The field is the number of visited nodes.
    NotViolated(usize),
    /// The considered components or abstractions have a violating run. The whole system need not
    /// have this run.
    Violated,
    /// There are more nodes or more edges than allowed.
    More,
    /// The search was stopped, because its callback `goes_on` returned false.
    Stopped,
}

/// The components and the semantics of a search for a violating run.
#[derive(Clone, Copy, Debug)]
pub struct NoRunSearch<'c> {
    /// The treatment of finite runs.
    pub endings: Endings,
    /// The considered components and abstractions, ascending by component index.
    pub members: &'c [ComponentView],
    /// True if edges whose labels cannot occur infinitely often are ignored in cycles. This is
    /// correct for infinite runs only.
    pub recurrence: bool,
}

/// Searches the joint states of some components for a run that violates the formula. The result is
/// `More` if there are more than `max_nodes` nodes, more than 2²⁸ nodes, or too many edges.
///
/// # Errors
/// When the members are malformed (see `System::check_members`), or the automaton of the negated
/// formula is too large or fails its check. If finite runs count, also when the formula has a next
/// operator, a member is an abstraction, or `recurrence` is set.
pub fn visit(
    system: &System,
    formula: &LabelLtl,
    search: NoRunSearch<'_>,
    max_nodes: usize,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<ViolationSearch, String> {
    let NoRunSearch { endings, members, recurrence } = search;
    system.check_members(members)?;
    if endings == Endings::Stutter && has_next(formula) {
        return Err("the formula has a next operator, so it is sensitive to stuttering".to_owned());
    }
    if endings == Endings::Stutter && members.iter().any(|member| member.labels.is_some()) {
        return Err("if finite runs count, components must be complete".to_owned());
    }
    if endings == Endings::Stutter && recurrence {
        return Err(
            "an argument about recurring labels covers infinite runs only, but finite runs count"
                .to_owned(),
        );
    }
    let negation = Negation::new(system, formula)?;
    let parts = recurrence.then(|| recurring_parts(system, &negation));
    if parts.as_ref().is_some_and(Vec::is_empty) {
        return Ok(ViolationSearch::NotViolated(0));
    }
    let view = system.abstracted_to(members);
    JointNodes::new(system, &view, endings, &negation, parts).visit(max_nodes, goes_on)
}

/// A joint state, a state of the automaton, and the index of the previous letter, which a
/// stuttering step repeats. The index is 0 before the first step, and always if finite runs are
/// ignored.
type JointNode = (Joint, usize, usize);

/// An edge of the search graph, from a node to a successor or to itself.
struct JointEdge<'s> {
    /// The index of the target node.
    to: u32,
    /// The index of the edge that the automaton takes, among the edges of its state.
    edge: u32,
    /// The label, or `None` for stuttering.
    label: Option<&'s str>,
}

/// The search graph, built breadth-first: each node is a joint state with a state of the automaton.
struct JointNodes<'a> {
    /// The considered components, possibly abstracted.
    considered_system: &'a System,
    endings: Endings,
    negation: &'a Negation<'a>,
    /// The result of `recurring_parts`: sets of edges and labels that may occur infinitely often
    /// together. `None` without `recurrence`.
    recurring_parts: Option<Vec<RecurringEdges<'a>>>,
    /// Labels without a considered owner: one for each combination of letter and membership in the
    /// elements of `recurring_parts`.
    unowned_labels: Vec<&'a str>,
    /// Labels all of whose owners are considered.
    fully_owned_labels: Vec<&'a str>,
    /// The index of each node found so far.
    numbers: HashMap<JointNode, u32>,
    /// The nodes found so far, by index.
    nodes: Vec<JointNode>,
    /// The steps of each visited node, by index.
    outgoing_edges: Vec<Vec<JointEdge<'a>>>,
}

impl<'a> JointNodes<'a> {
    fn new(
        system: &'a System,
        considered_system: &'a System,
        endings: Endings,
        negation: &'a Negation<'a>,
        recurring_parts: Option<Vec<RecurringEdges<'a>>>,
    ) -> Self {
        let (mut unowned_labels, mut fully_owned_labels) = (Vec::new(), Vec::new());
        let mut kinds = Vec::new();
        for label in system.labels() {
            match considered_system.owners(label).len() {
                0 => {
                    // Labels without a considered owner that have the same letter and are in the
                    // same elements of `recurring_parts` are interchangeable.
                    let membership: Vec<bool> = recurring_parts
                        .iter()
                        .flatten()
                        .map(|part| part.labels.contains(label))
                        .collect();
                    let kind = (negation.letter_of(label), membership);
                    if !kinds.contains(&kind) {
                        kinds.push(kind);
                        unowned_labels.push(label);
                    }
                }
                owner_count if owner_count == system.owners(label).len() => {
                    fully_owned_labels.push(label)
                }
                _ => {}
            }
        }
        let (numbers, nodes, outgoing_edges) = Default::default();
        Self {
            considered_system,
            endings,
            negation,
            recurring_parts,
            unowned_labels,
            fully_owned_labels,
            numbers,
            nodes,
            outgoing_edges,
        }
    }

    /// Returns the index of the node, after adding the node if it is new.
    fn number(&mut self, node: JointNode) -> u32 {
        *self.numbers.entry(node).or_insert_with_key(|node| {
            self.nodes.push(node.clone());
            self.nodes.len() as u32 - 1
        })
    }

    /// Visits the reachable nodes and looks for a cycle with all acceptance marks of the automaton.
    /// With `recurring_parts`, all edges of the cycle must be in one of these parts. The result is
    /// `More` beyond `max_nodes` nodes, 2²⁸ nodes, or `MAX_EDGES` edges.
    fn visit(
        mut self,
        max_nodes: usize,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<ViolationSearch, String> {
        let automaton = &self.negation.automaton;
        for joint in self.considered_system.starts() {
            match self.endings {
                Endings::Ignored => {
                    self.number((joint, automaton.initial, 0));
                }
                // No label holds before the first step.
                Endings::Stutter => {
                    for edge in &automaton.states[automaton.initial] {
                        if self.negation.reads(edge, 0) {
                            self.number((joint.clone(), edge.target, 0));
                        }
                    }
                }
            }
        }
        let mut edge_count = 0;
        while self.outgoing_edges.len() < self.nodes.len() {
            if !goes_on() {
                return Ok(ViolationSearch::Stopped);
            }
            let node = self.nodes[self.outgoing_edges.len()].clone();
            let out_edges = self.steps(&node);
            edge_count += out_edges.len();
            self.outgoing_edges.push(out_edges);
            if self.nodes.len() > max_nodes.min(1 << 28) || edge_count > MAX_EDGES {
                return Ok(ViolationSearch::More);
            }
        }
        let has_accepting_cycle = match &self.recurring_parts {
            None => self.has_accepting_component(|_, _| true),
            Some(parts) => parts.iter().any(|part| {
                self.has_accepting_component(|state, joint_edge| {
                    part.edges.contains(&(state, joint_edge.edge as usize))
                        && joint_edge.label.is_some_and(|label| part.labels.contains(label))
                })
            }),
        };
        Ok(if has_accepting_cycle {
            ViolationSearch::Violated
        } else {
            ViolationSearch::NotViolated(self.nodes.len())
        })
    }

    /// Returns the steps of a node. New targets are added to the graph.
    fn steps(&mut self, (joint, state, last_letter): &JointNode) -> Vec<JointEdge<'a>> {
        let mut steps: Vec<(Option<&'a str>, usize, Joint)> = Vec::new();
        let mut has_inside_step = false;
        for (label, next) in self.considered_system.steps(joint) {
            has_inside_step |= self.fully_owned_labels.contains(&label);
            steps.push((Some(label), self.negation.letter_of(label), next));
        }
        let unowned_labels = self.unowned_labels.iter();
        steps.extend(
            unowned_labels
                .map(|&label| (Some(label), self.negation.letter_of(label), joint.clone())),
        );
        if self.endings == Endings::Stutter && !has_inside_step {
            steps.push((None, *last_letter, joint.clone()));
        }
        let negation = self.negation;
        let mut out_edges = Vec::new();
        for (label, letter, next) in steps {
            for (edge, automaton_edge) in (0..).zip(&negation.automaton.states[*state]) {
                if negation.reads(automaton_edge, letter) {
                    let last_letter = if self.endings == Endings::Stutter { letter } else { 0 };
                    let to = self.number((next.clone(), automaton_edge.target, last_letter));
                    out_edges.push(JointEdge { to, edge, label });
                }
            }
        }
        out_edges
    }

    /// Returns true if a strongly connected component of the allowed edges carries all acceptance
    /// marks. `allowed` gets the automaton's state at the source of an edge, and the edge.
    fn has_accepting_component(&self, allowed: impl Fn(usize, &JointEdge<'a>) -> bool) -> bool {
        let automaton = &self.negation.automaton;
        let all_marks = Marks::all(automaton.marks);
        let edges_of: Vec<Vec<(u32, Marks)>> = self
            .outgoing_edges
            .iter()
            .zip(&self.nodes)
            .map(|(edges, &(_, state, _))| {
                let allowed_edges = edges.iter().filter(|joint_edge| allowed(state, joint_edge));
                allowed_edges
                    .map(|joint_edge| {
                        (joint_edge.to, automaton.states[state][joint_edge.edge as usize].marks)
                    })
                    .collect()
            })
            .collect();
        let sccs = components_of_rows(&edges_of, |&(next, _)| next);
        let mut carried_marks: Vec<Option<Marks>> = vec![None; sccs.count as usize];
        for (node, edges) in edges_of.iter().enumerate() {
            for &(next, marks) in edges {
                if sccs.component_of[next as usize] == sccs.component_of[node] {
                    let union = &mut carried_marks[sccs.component_of[node] as usize];
                    *union = Some(union.unwrap_or(Marks::NONE).or(marks));
                }
            }
        }
        carried_marks.into_iter().flatten().any(|marks| all_marks.is_subset(marks))
    }
}
