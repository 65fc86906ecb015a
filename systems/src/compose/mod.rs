//! Compositional minimisation: components are composed in pairs, and each result is minimised.
//!
//! A formula that depends only on the labels that it names ([`crate::insensitive`]) does not
//! distinguish other labels. Once all owners of such a label are in one graph, its steps become
//! invisible, and equivalent states are merged ([`minimisation`]). Ten components of ten states
//! each may reduce to one of three states.
//!
//! The result is the visible behaviour of the whole system. It is searched together with an
//! automaton of the negation ([`small`]). If the search finds a run, [`expand`] translates it back
//! into a run of the system. If it finds none, the system has no run that violates the formula; a
//! checker repeats the composition in the same order.
//!
//! Sources: S. Graf and B. Steffen, *Compositional minimization of finite state systems*, CAV 1990;
//! H. Garavel, F. Lang, *SVL: a scripting language for compositional verification*, FORTE 2001.

mod expand;
mod graph;
mod minimisation;
mod small;

use crate::formula::KindAutomaton;
use crate::product::Product;
use crate::search::{ComponentRun, FiniteRuns, ProductSearch, SearchEnd};
use crate::stubborn::DependenceRelation;
use crate::system::{LabelId, System};
use graph::{ComponentGraph, compose};
use minimisation::minimise;
use std::collections::HashMap;

/// A node of the composition tree.
struct CompositionNode {
    /// The two nodes that it is composed of; `None` for a component.
    children: Option<(usize, usize)>,
    /// The graph before minimisation.
    original: ComponentGraph,
    /// For each state of `original`, the states of the minimised graphs of the two children. Empty
    /// for a component.
    pairs: Vec<(u32, u32)>,
    /// The graph after minimisation.
    minimised: ComponentGraph,
}

/// A system whose components are composed in pairs, with minimisation after each step. The
/// composition ends with at most two graphs, or before a graph exceeds the limit on its states.
pub(crate) struct Composition {
    nodes: Vec<CompositionNode>,
    /// The composed pairs of node numbers, in the order of composition.
    order: Vec<(u32, u32)>,
    /// The nodes that are not composed further.
    open_nodes: Vec<usize>,
    /// Total number of states of all graphs before minimisation.
    states: usize,
    /// The remaining graphs as a system, with one additional label per graph for its invisible
    /// steps.
    minimised_system: System,
    /// The original label of each label of `minimised_system`; `None` for a label that stands for
    /// the invisible steps of one of its graphs.
    original_label: Vec<Option<LabelId>>,
    /// The automaton, renumbered to the labels of `minimised_system`.
    automaton: KindAutomaton,
    /// For each label of `minimised_system`, the labels that depend on it, for partial-order
    /// reduction.
    dependence: DependenceRelation,
    /// True if the caller's limit on the states of a graph ended the composition. False if
    /// [`MAX_GRAPH_STATES`] ended it, or if at most two graphs are left.
    is_cut: bool,
}

/// The outcome of a search for a run.
pub(crate) enum CompositionOutcome {
    /// The whole system has an accepted run.
    Run(ComponentRun),
    /// There is no accepted run. The field is the number of pairs of a joint state and an automaton
    /// state that the search found.
    NoRun(usize),
    /// The node limit was reached, or a run of the minimised system could not be translated.
    TooManyNodes,
    /// The search was stopped.
    Stopped,
}

/// Limit on the number of states of a graph, whatever the caller allows.
const MAX_GRAPH_STATES: usize = 1 << 16;

impl Composition {
    /// Composes a system for an automaton that is insensitive to the labels that it does not name.
    /// Ends when at most two graphs are left, or before a composed graph has more than `max_states`
    /// or [`MAX_GRAPH_STATES`] states. Returns `None` if `goes_on` returned false.
    pub(crate) fn new(
        system: &System,
        automaton: &KindAutomaton,
        max_states: usize,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Option<Composition> {
        let count = system.components().len();
        let mut tree = CompositionTree { nodes: Vec::new(), states: 0 };
        // The number of remaining graphs that own each label. Labels of the formula stay visible.
        let mut owner_counts: Vec<u32> =
            system.labels().map(|label| system.owners(label).len() as u32).collect();
        let named = automaton.labels();
        for component in 0..count as u32 {
            let whole = ComponentGraph::of(system, component);
            tree.add(None, (whole, Vec::new()), |it| owner_counts[it.index()] > 1, named, goes_on)?;
        }
        let mut open_nodes: Vec<usize> = (0..count).collect();
        let mut order = Vec::new();
        let mut tried_sizes = HashMap::new();
        let mut is_cut = false;
        // The last two graphs are not composed: the search explores only few of their joint states.
        while open_nodes.len() > 2 {
            let (a, b) =
                tree.pair_to_compose(&open_nodes, &owner_counts, named, &mut tried_sizes, goes_on);
            let (first_graph, second_graph) = (&tree.nodes[a].minimised, &tree.nodes[b].minimised);
            let Some(both) =
                compose(first_graph, second_graph, max_states.min(MAX_GRAPH_STATES), goes_on)
            else {
                if !goes_on() {
                    return None;
                }
                is_cut = max_states < MAX_GRAPH_STATES;
                break;
            };
            for label in first_graph.labels.iter().filter(|&&it| second_graph.owns(it)) {
                owner_counts[label.index()] -= 1;
            }
            order.push((a as u32, b as u32));
            open_nodes.retain(|&it| it != a && it != b);
            open_nodes.push(tree.nodes.len());
            tree.add(Some((a, b)), both, |it| owner_counts[it.index()] > 1, named, goes_on)?;
        }
        let CompositionTree { nodes, states } = tree;
        let graphs: Vec<&ComponentGraph> =
            open_nodes.iter().map(|&it| &nodes[it].minimised).collect();
        let (small, labels, automaton) = small::system_of_graphs(system, &graphs, automaton);
        let dependence = DependenceRelation::new(&small);
        Some(Composition {
            nodes,
            order,
            open_nodes,
            states,
            minimised_system: small,
            original_label: labels,
            automaton,
            dependence,
            is_cut,
        })
    }

    /// Returns true if the caller's limit on states ended the composition, so that a larger limit
    /// may allow further composition.
    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Returns the composed pairs of node numbers. The components have the first numbers, and each
    /// pair has the next number.
    pub(crate) fn order(&self) -> &[(u32, u32)] {
        &self.order
    }

    /// Returns the total number of states of all graphs before minimisation, including the
    /// components.
    pub(crate) fn states(&self) -> usize {
        self.states
    }

    /// Searches for an accepted run.
    pub(crate) fn search(
        &self,
        max_nodes: usize,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> CompositionOutcome {
        let mut product =
            Product::new(&self.minimised_system, (0..self.open_nodes.len() as u32).collect());
        let search = ProductSearch::new(
            &self.minimised_system,
            &mut product,
            &self.automaton,
            FiniteRuns::Ignored,
        );
        let outcome = search.with_fewer_steps(self.dependence.clone()).run(max_nodes, goes_on);
        match outcome.end {
            SearchEnd::Run(run) => {
                let first_invisible = self.minimised_system.label_count() - self.open_nodes.len();
                let moves = run.labels.iter().map(|it| match self.original_label[it.index()] {
                    Some(label) => expand::JointMove::Label(label),
                    None => expand::JointMove::Invisible(it.index() - first_invisible),
                });
                let moves: Vec<expand::JointMove> = moves.collect();
                let expanded_run =
                    expand::run_of_nodes(&self.nodes, &self.open_nodes, &moves, run.cycle_start);
                expanded_run.map_or(CompositionOutcome::TooManyNodes, CompositionOutcome::Run)
            }
            SearchEnd::NoRun => CompositionOutcome::NoRun(outcome.nodes),
            SearchEnd::TooManyNodes => CompositionOutcome::TooManyNodes,
            SearchEnd::Stopped => CompositionOutcome::Stopped,
        }
    }
}

/// The composition tree under construction.
struct CompositionTree {
    nodes: Vec<CompositionNode>,
    /// Total number of states of all graphs before minimisation.
    states: usize,
}

impl CompositionTree {
    /// Adds a node with the graph `whole`, and minimises this graph. Labels that are shared with
    /// other remaining graphs or named by the formula stay visible. Returns `None` if `goes_on`
    /// returned false.
    fn add(
        &mut self,
        parts: Option<(usize, usize)>,
        (whole, pairs): (ComponentGraph, Vec<(u32, u32)>),
        is_shared: impl Fn(LabelId) -> bool,
        named: &[LabelId],
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Option<()> {
        let (seen, _) =
            minimise(&whole, |label| is_shared(label) || named.contains(&label), goes_on)?;
        self.states += whole.edges.len();
        self.nodes.push(CompositionNode {
            children: parts,
            original: whole,
            pairs,
            minimised: seen,
        });
        Some(())
    }

    /// Returns the pair of nodes to compose next: among pairs that share a label, if any, the pair
    /// with the smallest result. A tentative composition and minimisation determine the size of a
    /// result. If the composition exceeds [`MAX_TENTATIVE_STATES`] or is stopped, the size is
    /// estimated as the product of the sizes.
    fn pair_to_compose(
        &self,
        open_nodes: &[usize],
        owner_counts: &[u32],
        named: &[LabelId],
        tried_sizes: &mut HashMap<(usize, usize), usize>,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> (usize, usize) {
        // The size of the result, the product of the sizes, and the pair. Pairs without a shared
        // label come last: their size counts as `usize::MAX`.
        let mut best = (usize::MAX, usize::MAX, (open_nodes[0], open_nodes[1]));
        for (first_index, &a) in open_nodes.iter().enumerate() {
            for &b in &open_nodes[first_index + 1..] {
                let (first_graph, second_graph) =
                    (&self.nodes[a].minimised, &self.nodes[b].minimised);
                let state_product = first_graph.edges.len() * second_graph.edges.len();
                let is_synchronised = first_graph.labels.iter().any(|&it| second_graph.owns(it));
                if !is_synchronised {
                    best = best.min((usize::MAX, state_product, (a, b)));
                    continue;
                }
                let has_no_other_owner = |label: LabelId| {
                    owner_counts[label.index()] == 2
                        && first_graph.owns(label)
                        && second_graph.owns(label)
                };
                let stays_visible = |label: LabelId| {
                    named.contains(&label)
                        || (owner_counts[label.index()] > 1 && !has_no_other_owner(label))
                };
                let minimised_size = *tried_sizes.entry((a, b)).or_insert_with(|| {
                    let composed =
                        compose(first_graph, second_graph, MAX_TENTATIVE_STATES, goes_on);
                    let minimised =
                        composed.and_then(|composed| minimise(&composed.0, stays_visible, goes_on));
                    minimised.map_or(state_product, |(minimised, _)| minimised.edges.len())
                });
                best = best.min((minimised_size, state_product, (a, b)));
            }
        }
        best.2
    }
}

/// Limit on the number of states of a tentative composition.
const MAX_TENTATIVE_STATES: usize = 1 << 12;
