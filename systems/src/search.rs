//! On-the-fly search for a run that an automaton accepts.
//!
//! A *node* is a joint state of a product with a state of the automaton. The depth-first search
//! keeps the strongly connected components of the visited nodes on a stack, each with the marks of
//! its edges. When a back edge merges components, their marks are united. A component with all
//! marks contains an accepted run. When all nodes are done, there is none.
//!
//! If finite runs count ([`FiniteRuns::Stutter`]), the last letter repeats forever in a dead state;
//! a node then also contains the kind of the last label.
//!
//! Source: J.-M. Couvreur, *On-the-fly verification of linear temporal logic*, FM 1999.

use crate::formula::KindAutomaton;
use crate::product::{Field, Product};
use crate::store::JointStateStore;
use crate::stubborn::{DependenceRelation, EnablednessOracle, StubbornSets};
use crate::system::{LabelId, System};
use parikh_temporal::Marks;
use std::collections::HashMap;

/// The treatment of finite runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FiniteRuns {
    /// Only infinite runs count (RERS on systems and nets).
    Ignored,
    /// The last letter of a finite run repeats forever, and before the first label there is an
    /// empty letter (SPIN on the Promela of RERS). SPIN also repeats a letter for each step that it
    /// takes between two labels. These repetitions are left out, so this is valid only for formulas
    /// without next.
    Stutter,
}

/// A run: labels, and the position at which it repeats. Without repetition, it is a finite maximal
/// run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ComponentRun {
    /// The labels of the steps.
    pub labels: Vec<LabelId>,
    /// The position at which the labels repeat; the number of labels if the run is finite.
    pub cycle_start: usize,
}

/// The ending of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum SearchEnd {
    /// A run was found.
    Run(ComponentRun),
    /// There is no run.
    NoRun,
    /// The node limit was reached.
    TooManyNodes,
    /// The search was stopped.
    Stopped,
}

/// The result of a search.
#[derive(Debug)]
pub(crate) struct SearchOutcome {
    /// The reason why the search ended.
    pub(crate) end: SearchEnd,
    /// Number of nodes found, visited or not.
    pub(crate) nodes: usize,
}

/// A step from a node. No component moves if no included component owns the label, or if the last
/// letter repeats at the end of a finite run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct SearchStep {
    /// The label; `None` if the last letter repeats at the end of a finite run.
    label: Option<LabelId>,
    /// The acceptance marks of the automaton's edge.
    marks: Marks,
    /// The target node.
    target: u32,
}

/// A node being visited, with its remaining steps; the last one is taken first.
struct SearchFrame {
    /// The number of the node in the store of visited nodes.
    node: u32,
    /// The steps from the node that are not taken yet.
    steps: Vec<SearchStep>,
}

/// A strongly connected component of the visited nodes that is not done yet.
struct SccRoot {
    /// The order number of the component's first node.
    first: u32,
    /// The acceptance marks of edges within the component.
    inner_marks: Marks,
    /// The acceptance marks of the edge that entered the component.
    entry_marks: Marks,
}

/// A depth-first search for a run of a product of components that an automaton accepts.
pub(crate) struct ProductSearch<'a, 's> {
    /// The product of the searched components.
    product: &'a mut Product<'s>,
    /// The automaton that accepts the runs to find.
    automaton: &'a KindAutomaton,
    /// The treatment of finite runs.
    finite_runs: FiniteRuns,
    /// The bit fields of a node: one per member, the automaton state, and the kind of the last
    /// label.
    fields: Vec<Field>,
    /// The nodes that are found, packed into words. Nodes are visited later than they are found.
    nodes: JointStateStore,
    /// The order number of each node from 1, or [`FINISHED`] when its component is done; 0 if it is
    /// not visited.
    order_number: Vec<u32>,
    /// The kind of each label of the system, indexed by label.
    kind_of_label: Vec<u8>,
    /// Labels that no included component owns: one for each kind that has such labels, with the
    /// kind.
    outside_labels: Vec<(u32, LabelId)>,
    /// The computation of stubborn sets, if partial-order reduction is on.
    stubborn: Option<StubbornSets>,
}

/// A joint state with its enabled labels.
struct EnabledState<'p, 's> {
    /// The product that the state belongs to.
    product: &'p Product<'s>,
    state: &'p [u32],
    /// The enabled labels, ascending.
    enabled_labels: &'p [LabelId],
}

impl EnablednessOracle for EnabledState<'_, '_> {
    fn is_enabled(&self, label: LabelId) -> bool {
        self.enabled_labels.binary_search(&label).is_ok()
    }

    fn labels_that_may_enable(&self, label: LabelId) -> impl Iterator<Item = LabelId> {
        self.product.labels_that_may_enable(self.state, label)
    }
}

impl<'a, 's> ProductSearch<'a, 's> {
    /// Creates a search without visited nodes.
    pub(crate) fn new(
        system: &System,
        product: &'a mut Product<'s>,
        automaton: &'a KindAutomaton,
        finite_runs: FiniteRuns,
    ) -> Self {
        let kind_of_label: Vec<u8> =
            system.labels().map(|label| automaton.kind(label) as u8).collect();
        let component_sizes = product.sizes().collect::<Vec<_>>();
        let automaton_sizes = [automaton.states.len(), automaton.kinds() as usize];
        let (fields, width) = Field::layout(component_sizes.into_iter().chain(automaton_sizes));
        let mut outside_labels: Vec<(u32, LabelId)> = Vec::new();
        for &label in &product.outside_labels {
            let kind = u32::from(kind_of_label[label.index()]);
            if outside_labels.iter().all(|it| it.0 != kind) {
                outside_labels.push((kind, label));
            }
        }
        let (nodes, order_number) = (JointStateStore::new(width), Vec::new());
        let stubborn = None;
        Self {
            product,
            automaton,
            finite_runs,
            fields,
            nodes,
            order_number,
            kind_of_label,
            outside_labels,
            stubborn,
        }
    }

    /// Enables partial-order reduction: steps with unnamed labels may be postponed. This is valid
    /// only if finite runs do not count and the automaton
    /// [stays in its state](KindAutomaton::staying_at_unnamed_labels) at unnamed labels.
    pub(crate) fn with_fewer_steps(mut self, dependence: DependenceRelation) -> Self {
        self.stubborn = Some(StubbornSets::new(dependence));
        self
    }

    /// Searches while there are fewer than `max_nodes` nodes and `goes_on` returns true.
    pub(crate) fn run(
        &mut self,
        max_nodes: usize,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> SearchOutcome {
        let ending = self.search_accepting_cycle(max_nodes, goes_on);
        SearchOutcome { end: ending, nodes: self.nodes.len() }
    }

    /// Searches depth-first for a cycle with all acceptance marks, by Couvreur's algorithm. Returns
    /// a run with such a cycle, or that there is none, or the reason why the search ended early.
    fn search_accepting_cycle(
        &mut self,
        max_nodes: usize,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> SearchEnd {
        let mut visit_count = 0;
        let mut roots: Vec<SccRoot> = Vec::new();
        let mut unfinished: Vec<u32> = Vec::new();
        let mut path: Vec<SearchFrame> = Vec::new();
        for start in self.starts() {
            if self.order_number.get(start as usize).is_some_and(|&it| it != 0) {
                continue;
            }
            let mut entered = Some((start, Marks::NONE));
            loop {
                if let Some((node, entry_marks)) = entered.take() {
                    visit_count += 1;
                    if self.order_number.len() <= node as usize {
                        self.order_number.resize(node as usize + 1, 0);
                    }
                    self.order_number[node as usize] = visit_count;
                    unfinished.push(node);
                    roots.push(SccRoot {
                        first: visit_count,
                        inner_marks: Marks::NONE,
                        entry_marks,
                    });
                    if self.nodes.len() >= max_nodes {
                        return SearchEnd::TooManyNodes;
                    }
                    if visit_count % 256 == 0 && !goes_on() {
                        return SearchEnd::Stopped;
                    }
                    let steps = self.reduced_steps(node);
                    path.push(SearchFrame { node, steps });
                }
                let Some(frame) = path.last_mut() else { break };
                let Some(step) = frame.steps.pop() else {
                    let node = frame.node;
                    path.pop();
                    self.finish_node(node, &mut roots, &mut unfinished);
                    continue;
                };
                match self.order_of(step.target) {
                    None => entered = Some((step.target, step.marks)),
                    Some(FINISHED) => {}
                    Some(order) => {
                        let marks = merge(&mut roots, order, step.marks);
                        if self.automaton.required_marks.is_subset(marks) {
                            let first = roots.last().map_or(0, |root| root.first);
                            return self.lasso(first, goes_on);
                        }
                    }
                }
            }
        }
        SearchEnd::NoRun
    }

    /// Returns the order number of a visited node, or [`FINISHED`] if its strongly connected
    /// component is done. Returns `None` if the node is not visited.
    fn order_of(&self, node: u32) -> Option<u32> {
        match self.order_number.get(node as usize) {
            None | Some(&0) => None,
            Some(&order) => Some(order),
        }
    }

    /// Leaves a node without remaining steps. If it is the first of its component, the component is
    /// done.
    fn finish_node(&mut self, node: u32, roots: &mut Vec<SccRoot>, unfinished: &mut Vec<u32>) {
        let order = self.order_number[node as usize];
        if roots.last().is_none_or(|root| root.first != order) {
            return;
        }
        roots.pop();
        while let Some(finished_node) = unfinished.pop() {
            self.order_number[finished_node as usize] = FINISHED;
            if finished_node == node {
                break;
            }
        }
    }

    /// Returns the initial nodes.
    fn starts(&mut self) -> Vec<u32> {
        let mut starts = Vec::new();
        let automaton = self.automaton;
        for joint_state in self.product.starts() {
            let mut states = vec![automaton.initial];
            if self.finite_runs == FiniteRuns::Stutter {
                let moves = automaton.states[automaton.initial as usize].iter();
                let reading_no_label =
                    moves.filter(|it| it.kinds >> automaton.other_kind() & 1 == 1);
                states = reading_no_label.map(|it| it.target).collect();
            }
            for state in states {
                let node = self.insert_node(&joint_state, state, automaton.other_kind());
                starts.push(node);
            }
        }
        starts
    }

    /// Packs a node into words, and returns its number in the store.
    fn insert_node(&mut self, joint_state: &[u32], state: u32, last_kind: u32) -> u32 {
        let mut words = [0; 64];
        let mut long = Vec::new();
        let width = self.fields.last().map_or(1, |field| field.width());
        let words = match words.get_mut(..width) {
            Some(words) => words,
            None => {
                long.resize(width, 0);
                &mut long[..]
            }
        };
        let last_kind = if self.finite_runs == FiniteRuns::Stutter { last_kind } else { 0 };
        for (field, &value) in
            self.fields.iter().zip(joint_state.iter().chain([&state, &last_kind]))
        {
            field.set(words, value);
        }
        self.nodes.insert(words).0
    }

    /// Returns the components' states, the automaton state and the last kind of a node.
    fn unpacked(&self, node: u32) -> (Vec<u32>, u32, u32) {
        let row = self.nodes.row(node);
        let mut component_states: Vec<u32> =
            self.fields.iter().map(|field| field.get(row)).collect();
        let last_kind = component_states.pop().unwrap_or(0);
        let state = component_states.pop().unwrap_or(0);
        (component_states, state, last_kind)
    }

    /// Returns the steps to explore from a node. These are the steps of a stubborn set if each
    /// leads to a new node or to a node whose strongly connected component is done. Otherwise these
    /// are all steps. So each cycle contains a node with all its steps.
    fn reduced_steps(&mut self, node: u32) -> Vec<SearchStep> {
        let Some(mut stubborn) = self.stubborn.take() else {
            return self.steps(node, |_| true);
        };
        let (state, ..) = self.unpacked(node);
        let enabled_labels = self.product.enabled_labels(&state);
        let (kinds, other) = (&self.kind_of_label, self.automaton.other_kind());
        let is_named_label = |label: LabelId| u32::from(kinds[label.index()]) != other;
        let enabled_state =
            EnabledState { product: self.product, state: &state, enabled_labels: &enabled_labels };
        let stubborn_labels =
            stubborn.smallest_set(&enabled_state, &enabled_labels, is_named_label);
        self.stubborn = Some(stubborn);
        if let Some(stubborn_labels) = stubborn_labels {
            let steps = self.steps(node, |label| stubborn_labels.binary_search(&label).is_ok());
            if steps
                .iter()
                .all(|step| self.order_of(step.target).is_none_or(|order| order == FINISHED))
            {
                return steps;
            }
        }
        self.steps(node, |_| true)
    }

    /// Returns the steps from a node whose labels satisfy `is_wanted_label`. If a finite run ends
    /// at the node and finite runs count, also returns the steps that repeat the last letter.
    fn steps(&mut self, node: u32, is_wanted_label: impl Fn(LabelId) -> bool) -> Vec<SearchStep> {
        let (joint_state, state, last_kind) = self.unpacked(node);
        let automaton = self.automaton;
        let moves = &automaton.states[state as usize];
        let readable_kinds = moves.iter().fold(0, |kinds, edge| kinds | edge.kinds);
        let mut labelled_successors: Vec<(LabelId, Vec<u32>)> = Vec::new();
        let kinds = &self.kind_of_label;
        self.product.steps(
            &joint_state,
            |label| readable_kinds >> kinds[label.index()] & 1 == 1 && is_wanted_label(label),
            |step| {
                let mut next = joint_state.clone();
                step.moves.iter().for_each(|&(at, to)| next[at as usize] = to);
                labelled_successors.push((step.label, next));
            },
        );
        for &(kind, label) in &self.outside_labels {
            if readable_kinds >> kind & 1 == 1 && is_wanted_label(label) {
                labelled_successors.push((label, joint_state.clone()));
            }
        }
        let mut steps = Vec::new();
        for (label, next) in labelled_successors {
            let kind = u32::from(self.kind_of_label[label.index()]);
            for edge in moves.iter().filter(|edge| edge.kinds >> kind & 1 == 1) {
                let to = self.insert_node(&next, edge.target, kind);
                steps.push(SearchStep { label: Some(label), marks: edge.marks, target: to });
            }
        }
        if self.finite_runs == FiniteRuns::Stutter && !self.product.has_complete_step(&joint_state)
        {
            for edge in moves.iter().filter(|edge| edge.kinds >> last_kind & 1 == 1) {
                let to = self.insert_node(&joint_state, edge.target, last_kind);
                steps.push(SearchStep { label: None, marks: edge.marks, target: to });
            }
        }
        // The last step is taken first: the one that brings the automaton closest to acceptance.
        let distance = |step: &SearchStep| {
            let state = self.fields[self.fields.len() - 2].get(self.nodes.row(step.target));
            automaton.distance[state as usize]
        };
        steps.sort_by_key(|step| std::cmp::Reverse(distance(step)));
        steps
    }

    /// Returns a run whose cycle lies in the topmost strongly connected component, whose nodes have
    /// order numbers from `first`. Returns [`SearchEnd::Stopped`] if `goes_on` returned false.
    fn lasso(&mut self, first: u32, goes_on: &mut dyn FnMut() -> bool) -> SearchEnd {
        let is_in_component = |order: u32| order != FINISHED && order >= first;
        let mut starts = self.starts();
        starts.retain(|&start| self.order_of(start).is_some());
        let Some((prefix, entry)) =
            self.path(&starts, |_| true, |order, _| is_in_component(order), true, goes_on)
        else {
            return SearchEnd::Stopped;
        };
        let cycle_start = prefix.len();
        let mut steps = prefix;
        let (mut node, mut collected_marks) = (entry, Marks::NONE);
        while !self.automaton.required_marks.is_subset(collected_marks)
            || node != entry
            || steps.len() == cycle_start
        {
            let required_marks = self.automaton.required_marks;
            let wanted = |_: u32, step: &SearchStep| match required_marks.is_subset(collected_marks)
            {
                true => step.target == entry,
                false => required_marks.0 & step.marks.0 & !collected_marks.0 != 0,
            };
            let Some((segment, end)) = self.path(&[node], is_in_component, wanted, false, goes_on)
            else {
                return SearchEnd::Stopped;
            };
            collected_marks = segment
                .iter()
                .fold(collected_marks, |marks_so_far, step| marks_so_far.or(step.marks));
            steps.extend(segment);
            node = end;
        }
        // A cycle in which no component moves is the end of a finite run.
        let labels: Vec<LabelId> = steps.iter().filter_map(|step| step.label).collect();
        let moving_in_prefix =
            steps[..cycle_start].iter().filter(|step| step.label.is_some()).count();
        let is_finite_run = labels.len() == moving_in_prefix;
        SearchEnd::Run(ComponentRun {
            cycle_start: if is_finite_run { labels.len() } else { moving_in_prefix },
            labels,
        })
    }

    /// Returns a shortest path from a node of `from` to a wanted step, with the step's target.
    /// Visits only nodes whose order number satisfies `is_allowed`. With `may_be_empty`, a node of
    /// `from` may itself be wanted. Returns `None` if there is no such path or `goes_on` returned
    /// false.
    fn path(
        &mut self,
        from: &[u32],
        is_allowed: impl Fn(u32) -> bool,
        is_wanted: impl Fn(u32, &SearchStep) -> bool,
        may_be_empty: bool,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Option<(Vec<SearchStep>, u32)> {
        let neutral_step = SearchStep { label: None, marks: Marks::NONE, target: 0 };
        for &node in from.iter().filter(|_| may_be_empty) {
            if is_wanted(self.order_of(node)?, &SearchStep { target: node, ..neutral_step }) {
                return Some((Vec::new(), node));
            }
        }
        let mut predecessor_of: HashMap<u32, (u32, SearchStep)> = HashMap::new();
        let mut queue: Vec<u32> = from.to_vec();
        let mut next = 0;
        while next < queue.len() {
            if next % 256 == 0 && !goes_on() {
                return None;
            }
            let node = queue[next];
            next += 1;
            for step in self.steps(node, |_| true) {
                let Some(order) = self.order_of(step.target).filter(|&order| is_allowed(order))
                else {
                    continue;
                };
                if is_wanted(order, &step) {
                    let mut path = vec![step];
                    let mut path_node = node;
                    while let Some(&(earlier, step)) = predecessor_of.get(&path_node) {
                        path.push(step);
                        path_node = earlier;
                    }
                    path.reverse();
                    return Some((path, step.target));
                }
                if !from.contains(&step.target) && !predecessor_of.contains_key(&step.target) {
                    predecessor_of.insert(step.target, (node, step));
                    queue.push(step.target);
                }
            }
        }
        None
    }
}

/// The order number of nodes whose component is done.
const FINISHED: u32 = u32::MAX;

/// Handles a back edge to the node with this order number. Merges the strongly connected components
/// from that of the node to the topmost. Returns the marks of the merged component.
fn merge(roots: &mut Vec<SccRoot>, order: u32, marks: Marks) -> Marks {
    let mut inner_marks = marks;
    let mut entry_marks = Marks::NONE;
    while let Some(root) = roots.last() {
        inner_marks = inner_marks.or(root.inner_marks).or(entry_marks);
        if root.first <= order {
            break;
        }
        entry_marks = root.entry_marks;
        roots.pop();
    }
    if let Some(root) = roots.last_mut() {
        root.inner_marks = inner_marks;
    }
    inner_marks
}
