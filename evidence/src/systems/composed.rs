//! Shows that a system has no infinite run that violates a formula, by composing its components
//! pairwise and merging equivalent states each time.
//!
//! A step is *internal* once no other component takes part in it, if the formula does not mention
//! its label. A graph has a path for every behaviour of its components, with the same visible
//! labels, however its states are merged: an edge leads from class to class where one leads from
//! state to state. Internal steps inside a class are left out. But a class gets a self-loop if from
//! one of its states internal steps can continue forever. So an infinite run, even an internal one,
//! has an infinite path in the graph. The choice of merged states affects only the precision of the
//! result, and not its soundness.
//!
//! Soundness also does not depend on the effect of internal steps on the formula. If a run of the
//! system violates the formula, the automaton of the negation accepts its labels. Some path of the
//! graphs has the same labels, except for labels that the formula does not mention. So the search
//! runs path and automaton in parallel. Both take the labels of the formula together. Either or
//! both may take other labels. The run is excluded only if the two cannot continue forever with all
//! marks of the automaton.
//!
//! Every label must be visible in some component, and the result is about infinite runs only.

use super::negation::Negation;
use super::system::System;
use super::terms::LabelLtl;
use super::view::ComponentView;
use super::violation_search::ViolationSearch;
use parikh_net::components::components_of_rows;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The maximum number of edges of [`ComposedNodes`].
const MAX_EDGES: usize = 1 << 26;

/// The steps from a state: the number of the label, and the target state. A step without label is
/// internal.
type VisibleSteps = BTreeSet<(Option<usize>, usize)>;

/// The visible behaviour of some components together. Labels are numbers; a step without label is
/// internal.
#[derive(Clone, Debug, Default)]
struct VisibleGraph {
    /// The initial states.
    starts: BTreeSet<usize>,
    /// The steps from each state, by state.
    steps: Vec<VisibleSteps>,
    /// The visible labels of the components that the graph stands for.
    labels: BTreeSet<usize>,
}

/// The composition in which a violating infinite run is sought.
#[derive(Clone, Copy, Debug)]
pub struct CompositionOrder<'c> {
    /// The components to compose, in ascending order of their indices. Each member is a whole
    /// component or an abstraction of one.
    pub members: &'c [ComponentView],
    /// The pairs of graphs to compose, in order. An index below the number of members stands for a
    /// member, and the following indices stand for the earlier pairs. The graphs that remain are
    /// searched together.
    pub pairs: &'c [(usize, usize)],
}

/// Composes components in the given order and searches for an infinite run that violates the
/// formula.
///
/// # Errors
/// When the members are malformed (see `System::check_members`), or some label of the system
/// belongs to no member. Also when an index in the order stands for no graph or is used twice. Also
/// when the automaton of the negated formula is too large or fails its check.
pub fn visit(
    system: &System,
    formula: &LabelLtl,
    CompositionOrder { members, pairs }: CompositionOrder<'_>,
    max_nodes: usize,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<ViolationSearch, String> {
    system.check_members(members)?;
    let negation = Negation::new(system, formula)?;
    let abstracted = system.abstracted_to(members);
    let labels: Vec<&str> = system.labels().collect();
    if let Some(label) = labels.iter().find(|label| abstracted.owners(label).is_empty()) {
        return Err(format!("none of the listed components has the label `{label}`"));
    }
    let letters: Vec<usize> = labels.iter().map(|label| negation.letter_of(label)).collect();
    let label_numbers: HashMap<&str, usize> = labels.iter().copied().zip(0..).collect();
    let mut holder_counts: Vec<usize> =
        labels.iter().map(|label| abstracted.owners(label).len()).collect();
    // A label stays visible if several graphs have it, or if it occurs in the formula: its letter
    // is not the empty letter, which has index 0.
    let keeps =
        |holder_counts: &[usize], label: usize| holder_counts[label] > 1 || letters[label] > 0;
    let mut graphs: Vec<Option<VisibleGraph>> = Vec::new();
    for component in abstracted.components() {
        let mut graph =
            VisibleGraph { starts: component.starts.clone(), ..VisibleGraph::default() };
        graph.steps = vec![BTreeSet::new(); component.states];
        for (from, label, to) in &component.edges {
            let label = label_numbers[label.as_str()];
            graph.steps[*from].insert((Some(label), *to));
            graph.labels.insert(label);
        }
        graphs.push(Some(graph.merge_equivalent_states(|label| keeps(&holder_counts, label))));
    }
    for &(first, second) in pairs {
        let mut take = |at: usize| graphs.get_mut(at).and_then(Option::take);
        let (Some(first), Some(second)) = (take(first), take(second)) else {
            return Err("the order composes components that do not exist or were composed before"
                .to_owned());
        };
        let Some(composition) = first.composed_with(&second, max_nodes, goes_on) else {
            return Ok(if goes_on() { ViolationSearch::More } else { ViolationSearch::Stopped });
        };
        first.labels.intersection(&second.labels).for_each(|&label| holder_counts[label] -= 1);
        graphs
            .push(Some(composition.merge_equivalent_states(|label| keeps(&holder_counts, label))));
    }
    let remaining: Vec<VisibleGraph> = graphs.into_iter().flatten().collect();
    Ok(ComposedNodes::new(&remaining, &letters, &negation).visit(max_nodes, goes_on))
}

impl VisibleGraph {
    /// Returns the composition of two graphs, which synchronise on common labels. Returns `None` if
    /// there are more than `max_states` states, or `goes_on` returns false.
    fn composed_with(
        &self,
        other: &VisibleGraph,
        max_states: usize,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Option<VisibleGraph> {
        if self.starts.len().saturating_mul(other.starts.len()) > max_states {
            return None;
        }
        let mut numbers: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        for &own_state in &self.starts {
            pairs.extend(other.starts.iter().map(|&other_state| (own_state, other_state)));
        }
        numbers.extend(pairs.iter().enumerate().map(|(at, &pair)| (pair, at)));
        let starts = (0..pairs.len()).collect();
        let mut steps_by_state = Vec::new();
        while let Some(&(own_state, other_state)) = pairs.get(steps_by_state.len()) {
            if pairs.len() > max_states || !goes_on() {
                return None;
            }
            let mut steps: Vec<(Option<usize>, (usize, usize))> = Vec::new();
            for &(label, to) in &self.steps[own_state] {
                match label.is_some_and(|label| other.labels.contains(&label)) {
                    false => steps.push((label, (to, other_state))),
                    true => {
                        let matching_steps =
                            other.steps[other_state].range((label, 0)..=(label, usize::MAX));
                        steps.extend(matching_steps.map(|&(_, with)| (label, (to, with))));
                    }
                }
            }
            for &(label, to) in &other.steps[other_state] {
                if !label.is_some_and(|label| self.labels.contains(&label)) {
                    steps.push((label, (own_state, to)));
                }
            }
            let mut row = BTreeSet::new();
            for (label, pair) in steps {
                let to = *numbers.entry(pair).or_insert_with(|| {
                    pairs.push(pair);
                    pairs.len() - 1
                });
                row.insert((label, to));
            }
            steps_by_state.push(row);
        }
        let labels = self.labels.union(&other.labels).copied().collect();
        Some(VisibleGraph { starts, steps: steps_by_state, labels })
    }

    /// Makes the labels internal for which `keeps` returns false, and merges states with the same
    /// behaviour.
    fn merge_equivalent_states(mut self, keeps: impl Fn(usize) -> bool) -> VisibleGraph {
        for row in &mut self.steps {
            let visible = row.iter().map(|&(label, to)| (label.filter(|&it| keeps(it)), to));
            *row = visible.collect();
        }
        self.labels.retain(|&label| keeps(label));
        let mut class = vec![0; self.steps.len()];
        let mut count = 1;
        loop {
            let behaviours = self.behaviours(&class);
            let mut numbers = BTreeMap::new();
            let mut refined = Vec::new();
            for (state, &old_class) in class.iter().enumerate() {
                let next_number = numbers.len();
                refined
                    .push(*numbers.entry((old_class, &behaviours[state])).or_insert(next_number));
            }
            let refined_count = numbers.len();
            if refined_count == count {
                break;
            }
            (class, count) = (refined, refined_count);
        }
        let mut class_steps = vec![BTreeSet::new(); count];
        for (from, row) in self.steps.iter().enumerate() {
            for &(label, to) in row {
                if label.is_some() || class[from] != class[to] {
                    class_steps[class[from]].insert((label, class[to]));
                }
            }
        }
        // Add a self-loop to each class in which internal steps can continue forever.
        for (state, &own_class) in self.can_stay_inside(&class).iter().zip(&class) {
            if *state {
                class_steps[own_class].insert((None, own_class));
            }
        }
        let starts = self.starts.iter().map(|&state| class[state]).collect();
        VisibleGraph { starts, steps: class_steps, labels: self.labels }
    }

    /// Returns the targets of internal steps from the state `from` that stay in its class.
    fn internal_steps_inside<'a>(
        &'a self,
        class: &'a [usize],
        from: usize,
    ) -> impl Iterator<Item = usize> + 'a {
        let internal = self.steps[from].range((None, 0)..=(None, usize::MAX));
        internal.map(|it| it.1).filter(move |&to| class[to] == class[from])
    }

    /// Returns, for each state, true if internal steps can continue forever inside its class.
    fn can_stay_inside(&self, class: &[usize]) -> Vec<bool> {
        let count = self.steps.len();
        let mut predecessors = vec![Vec::new(); count];
        let mut successor_counts = Vec::new();
        for from in 0..count {
            let inside: Vec<usize> = self.internal_steps_inside(class, from).collect();
            inside.iter().for_each(|&to| predecessors[to].push(from));
            successor_counts.push(inside.len());
        }
        // Repeatedly remove states without successors.
        let mut can_continue = vec![true; count];
        let mut worklist: Vec<usize> = (0..count).filter(|&it| successor_counts[it] == 0).collect();
        while let Some(state) = worklist.pop() {
            can_continue[state] = false;
            for &it in &predecessors[state] {
                successor_counts[it] -= 1;
                if successor_counts[it] == 0 {
                    worklist.push(it);
                }
            }
        }
        can_continue
    }

    /// Returns the behaviour of each state. It has the labels and target classes of all steps out
    /// of the class, or with a label, that are possible after internal steps inside the class. The
    /// boolean is true if internal steps inside the class can continue forever.
    fn behaviours(&self, class: &[usize]) -> Vec<(VisibleSteps, bool)> {
        let inside: Vec<Vec<u32>> = (0..self.steps.len())
            .map(|from| self.internal_steps_inside(class, from).map(|to| to as u32).collect())
            .collect();
        let sccs = components_of_rows(&inside, |&to| to);
        // Strongly connected components are numbered so that no edge leads to a larger number.
        let mut by_number: Vec<usize> = (0..self.steps.len()).collect();
        by_number.sort_by_key(|&state| sccs.component_of[state]);
        let mut steps_of_scc = vec![BTreeSet::new(); sccs.count as usize];
        for state in by_number {
            let scc = sccs.component_of[state] as usize;
            for &(label, to) in &self.steps[state] {
                if label.is_some() || class[to] != class[state] {
                    steps_of_scc[scc].insert((label, class[to]));
                } else if sccs.component_of[to] as usize != scc {
                    let more = steps_of_scc[sccs.component_of[to] as usize].clone();
                    steps_of_scc[scc].extend(more);
                }
            }
        }
        let can_stay_forever = self.can_stay_inside(class);
        let states = sccs.component_of.iter().zip(can_stay_forever);
        states.map(|(&scc, can_stay)| (steps_of_scc[scc as usize].clone(), can_stay)).collect()
    }
}

/// The states of the graphs, and a state of the automaton.
type ComposedNode = (Vec<usize>, usize);

/// An additional acceptance mark: an accepted cycle of the product must have an edge where the
/// graphs take a step. The bit differs from the bits of the automaton's acceptance marks.
const STEP_MARK: u128 = 1 << 127;
/// An additional acceptance mark: an accepted cycle of the product must have an edge where the
/// automaton takes a step.
const READ_MARK: u128 = 1 << 126;

/// The product of the graphs and the automaton, with the nodes found so far.
struct ComposedNodes<'a> {
    /// The graphs whose joint steps are searched.
    graphs: &'a [VisibleGraph],
    /// The index of the letter of each label, by the label's number. A letter is the set of atoms
    /// of the formula that name the label. Index 0 is the empty letter.
    letters: &'a [usize],
    /// The automaton of the negated formula.
    negation: &'a Negation<'a>,
    /// The number assigned to a node.
    numbers: HashMap<ComposedNode, u32>,
    /// The nodes, by number.
    nodes: Vec<ComposedNode>,
    /// The edges of each node: the target node, and the acceptance marks of the edge as a bit set.
    outgoing: Vec<Vec<(u32, u128)>>,
}

impl<'a> ComposedNodes<'a> {
    fn new(graphs: &'a [VisibleGraph], letters: &'a [usize], negation: &'a Negation<'a>) -> Self {
        let (numbers, nodes, outgoing) = Default::default();
        Self { graphs, letters, negation, numbers, nodes, outgoing }
    }

    /// Returns the number of a node, after adding the node if it is new.
    fn number(&mut self, node: ComposedNode) -> u32 {
        *self.numbers.entry(node).or_insert_with_key(|node| {
            self.nodes.push(node.clone());
            self.nodes.len() as u32 - 1
        })
    }

    /// Searches for an infinite path on which each acceptance mark occurs infinitely often: those
    /// of the automaton, `STEP_MARK` and `READ_MARK`. Returns `More` after more than `max_nodes`
    /// nodes, more than 2²⁸ nodes, or more than `MAX_EDGES` edges. Returns `Stopped` when `goes_on`
    /// returns false.
    fn visit(mut self, max_nodes: usize, goes_on: &mut dyn FnMut() -> bool) -> ViolationSearch {
        let mut rows = vec![Vec::new()];
        for graph in self.graphs {
            let longer = |row: &Vec<usize>| {
                let row = row.clone();
                graph.starts.iter().map(move |&start| [&row[..], &[start]].concat())
            };
            rows = rows.iter().flat_map(longer).collect();
        }
        for row in rows {
            self.number((row, self.negation.automaton.initial));
        }
        let mut edges = 0;
        while self.outgoing.len() < self.nodes.len() {
            if !goes_on() {
                return ViolationSearch::Stopped;
            }
            let node = self.nodes[self.outgoing.len()].clone();
            let after = self.edges(&node);
            edges += after.len();
            self.outgoing.push(after);
            if self.nodes.len() > max_nodes.min(1 << 28) || edges > MAX_EDGES {
                return ViolationSearch::More;
            }
        }
        let decomposition = components_of_rows(&self.outgoing, |it| it.0);
        let mut carried = vec![0; decomposition.count as usize];
        for (from, edges) in self.outgoing.iter().enumerate() {
            let stays = edges.iter().filter(|it| {
                decomposition.component_of[it.0 as usize] == decomposition.component_of[from]
            });
            stays.for_each(|it| carried[decomposition.component_of[from] as usize] |= it.1);
        }
        let required_marks = STEP_MARK
            | READ_MARK
            | u128::from(parikh_temporal::Marks::all(self.negation.automaton.marks).0);
        match carried.into_iter().any(|marks| marks & required_marks == required_marks) {
            true => ViolationSearch::Violated,
            false => ViolationSearch::NotViolated(self.nodes.len()),
        }
    }

    /// Returns the edges of a node: the target node, and the acceptance marks of the edge as a bit
    /// set. Adds target nodes that are new.
    fn edges(&mut self, (row, state): &ComposedNode) -> Vec<(u32, u128)> {
        let negation = self.negation;
        let moves = &negation.automaton.states[*state];
        let mut edges = Vec::new();
        for (letter, next) in self.steps(row) {
            // An internal step, or a label that the formula does not mention, may occur without a
            // step of the automaton.
            if letter == 0 {
                edges.push((self.number((next.clone(), *state)), STEP_MARK));
            }
            for it in moves.iter().filter(|it| negation.reads(it, letter)) {
                let to = self.number((next.clone(), it.target));
                edges.push((to, STEP_MARK | READ_MARK | u128::from(it.marks.0)));
            }
        }
        // The automaton may read the empty letter without a step of the graphs.
        for it in moves.iter().filter(|it| negation.reads(it, 0)) {
            let to = self.number((row.clone(), it.target));
            edges.push((to, READ_MARK | u128::from(it.marks.0)));
        }
        edges
    }

    /// Returns the joint steps of the graphs: the index of the letter (0 for an internal step), and
    /// the target state of each graph.
    fn steps(&self, row: &[usize]) -> Vec<(usize, Vec<usize>)> {
        let mut steps = Vec::new();
        let mut labels = BTreeSet::new();
        for (at, graph) in self.graphs.iter().enumerate() {
            for &(label, to) in &graph.steps[row[at]] {
                match label {
                    Some(label) => drop(labels.insert(label)),
                    None => {
                        let mut next = row.to_vec();
                        next[at] = to;
                        steps.push((0, next));
                    }
                }
            }
        }
        for label in labels {
            let mut targets_so_far = vec![row.to_vec()];
            for (at, graph) in self.graphs.iter().enumerate() {
                if !graph.labels.contains(&label) {
                    continue;
                }
                let edges =
                    graph.steps[row[at]].range((Some(label), 0)..=(Some(label), usize::MAX));
                let targets: Vec<usize> = edges.map(|it| it.1).collect();
                let moved = |row: &Vec<usize>| {
                    let row = row.clone();
                    targets.iter().map(move |&to| {
                        let mut row = row.clone();
                        row[at] = to;
                        row
                    })
                };
                targets_so_far = targets_so_far.iter().flat_map(moved).collect();
            }
            steps.extend(targets_so_far.into_iter().map(|next| (self.letters[label], next)));
        }
        steps
    }
}
