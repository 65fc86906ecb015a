//! Coverability: finds unbounded places, predicates that hold with enough tokens on unbounded
//! places, and goals that a complete coverability tree excludes.
//!
//! A place with ω in the Karp-Miller tree is unbounded. A walk can show this only if a single
//! self-covering sequence suffices. In this example `made` needs two, and only the tree gives their
//! order:
//!
//! ```text
//! place open 1 · place ready · place store · place made
//! transition fill: open -> open + store
//! transition close: open -> ready
//! transition make: ready + store -> ready + made
//! ```
//!
//! | file | contents |
//! |---|---|
//! | `tree` | the tree, without nodes that are already covered |
//! | `firing_sequences` | firing sequences and self-covering sequences for its nodes |
//! | `questions` | evaluates predicates at nodes with ω |
//! | `covered` | proofs from a complete tree |
//!
//! # Conditions
//! 1. Some place is not known to be bounded. Otherwise there is no ω, and other engines visit
//!    markings faster.
//! 2. The tree stays within [`LIMITS`], which takes some milliseconds. A breadth-first tree is
//!    tried first, then a depth-first one.
//!
//! # Soundness
//! Firing sequences and self-covering sequences are replayed, and certificates are checked. Staged
//! self-covering sequences are reported only on the original net, because no reduction translates
//! them back.
//!
//! Each new node is compared with all kept nodes and with its predecessors on the branch. A
//! comparison ends at the first place that decides it.

mod covered;
pub(super) mod firing_sequences;
mod questions;
pub(super) mod tree;

use super::Task;
use super::{Assignment, Engine, ResultKinds, Role, SupportedGoals, stateless_session};
use crate::board::{Argument, Board, Observation, Proof, ProofReporter, WitnessReporter};
use crate::working_net::WorkingNet;
use firing_sequences::TokenDemand;
use parikh_net::printable::counted;
use parikh_net::{FiringSequence, GoalId, LinearSum, MarkingGoal, Net, PlaceId, Predicate};
use parikh_solvers::Budget;
use parikh_structure::graph::omega::OMEGA;
use std::collections::HashMap;
use std::sync::Arc;
use tree::{Tree, TreeEnd, TreeLimits, TreeOrder};

/// The registry entry of the engine.
pub const ENGINE: Engine = Engine {
    name: "coverability",
    technique: TECHNIQUE,
    result_kinds: ResultKinds::Both,
    role: Role::First,
    supported: SupportedGoals::MARKINGS,
    start: |work| stateless_session(move |budget| run(&work, budget)),
};

/// The contest's name of the technique.
pub const TECHNIQUE: &str = "COVERABILITY";

/// Limits of the trees. If a tree exceeds its limits, the next tree is tried.
const LIMITS: [TreeLimits; 2] = [
    TreeLimits { order: TreeOrder::Breadth, nodes: 5_000, work: 2_000_000 },
    TreeLimits { order: TreeOrder::Depth, nodes: 5_000, work: 2_000_000 },
];

/// Limits of a tree that only searches for a self-covering sequence.
const LIMITS_OF_PUMP: TreeLimits =
    TreeLimits { order: TreeOrder::Breadth, nodes: 1_000, work: 1_000_000 };

/// Searches for a firing sequence, and a second one that can repeat forever after it and adds
/// tokens each time. The function [`walk`](super::walk::find_self_covering_sequence) does the same
/// by walks. The first unbounded place of a branch always needs only one such repeated sequence.
/// `None` proves nothing.
pub fn find_pump(net: &Net, budget: &Budget) -> Option<(FiringSequence, FiringSequence)> {
    let mut sequences = None;
    // The visitor returns `Some(0)` to continue the tree without additional work, and `None` to
    // stop.
    Tree::new(net, LIMITS_OF_PUMP).grow(budget, |tree, node| {
        let acceleration = tree.nodes[node as usize].accelerations.first();
        let place = acceleration.and_then(|acceleration| acceleration.places.first());
        let Some(growing) = place else { return Some(0) };
        sequences = firing_sequences::single_pump(tree, node, 0, &LinearSum::place(growing.place));
        sequences.is_none().then_some(0)
    });
    sequences
}

/// Grows coverability trees and reports what they show about the open goals. Returns a summary for
/// the log.
fn run(assignment: &Assignment<'_>, budget: &Budget) -> String {
    let task = Task::on(assignment.working_net, assignment.board, budget, assignment.seed);
    let is_bounded = |place: PlaceId| task.facts.upper_bound(place).is_some();
    if task.net.places().all(is_bounded) {
        return "all places are bounded".to_owned();
    }
    let mut goals = OpenGoals::new(
        &task,
        assignment.working_net,
        assignment.board.witness_reporter(TECHNIQUE).on(assignment.working_net),
    );
    if goals.is_settled() {
        return "nothing to do".to_owned();
    }
    let mut summaries = Vec::new();
    for limits in LIMITS {
        let mut tree = Tree::new(task.net, limits);
        let end = tree.grow(budget, |tree, node| goals.test_node(tree, node));
        if end == TreeEnd::Complete {
            goals.report_maxima(&tree);
            goals.report_excluded(
                &tree,
                assignment.board.proof_reporter(TECHNIQUE).on(assignment.working_net),
            );
        }
        summaries.push(summary(&tree, end));
        if end != TreeEnd::Limit || budget.is_exhausted() {
            break;
        }
    }
    format!("{}; {} settled", summaries.join(", then "), counted(goals.count_settled(), "goal"))
}

fn summary(tree: &Tree<'_>, end: TreeEnd) -> String {
    let how = match end {
        TreeEnd::Complete => "a complete tree",
        TreeEnd::Limit => "an incomplete tree",
        TreeEnd::Settled => "all goals settled by a tree",
    };
    let (nodes, kept, unbounded) = (tree.nodes.len(), tree.kept_nodes().count(), tree.unbounded());
    let (nodes, unbounded) = (counted(nodes, "node"), counted(unbounded, "unbounded place"));
    format!("{how} of {nodes}, {kept} kept, {unbounded}")
}

/// The goals that were open when the engine began.
struct OpenGoals<'t> {
    board: &'t Board<'t>,
    net: &'t Net,
    witness_reporter: WitnessReporter<'t>,
    /// True if the engine works on the original net. Only then it may report staged self-covering
    /// sequences.
    is_original_net: bool,
    /// The sums to maximise.
    maxima: Vec<(GoalId, &'t LinearSum)>,
    /// Indices in `maxima` of the sums with a positive coefficient for the place, by place.
    maxima_of_place: HashMap<PlaceId, Vec<usize>>,
    /// The predicates to reach. Settled goals are removed.
    predicates: Vec<(GoalId, &'t Predicate)>,
    /// Number of open goals at the beginning.
    initially_open: usize,
}

impl<'t> OpenGoals<'t> {
    fn new(
        task: &Task<'t>,
        working_net: &WorkingNet<'_>,
        witness_reporter: WitnessReporter<'t>,
    ) -> Self {
        let mut goals = OpenGoals {
            board: task.board,
            net: task.net,
            witness_reporter,
            is_original_net: working_net.parent().is_none(),
            maxima: Vec::new(),
            maxima_of_place: HashMap::new(),
            predicates: Vec::new(),
            initially_open: 0,
        };
        for (id, goal) in task.goals.iter().filter(|(id, _)| task.board.is_open(*id)) {
            match goal {
                MarkingGoal::Maximise(sum) => {
                    for &(place, _) in sum.terms().iter().filter(|(_, a)| *a > 0) {
                        goals.maxima_of_place.entry(place).or_default().push(goals.maxima.len());
                    }
                    goals.maxima.push((*id, sum));
                }
                MarkingGoal::Reach(predicate) => goals.predicates.push((*id, predicate)),
            }
        }
        goals.initially_open = goals.count_open();
        goals
    }

    /// Returns the number of goals that are still open.
    fn count_open(&self) -> usize {
        let maxima = self.maxima.iter().map(|(id, _)| *id);
        let ids = maxima.chain(self.predicates.iter().map(|(id, _)| *id));
        ids.filter(|id| self.board.is_open(*id)).count()
    }

    fn is_settled(&self) -> bool {
        self.count_open() == 0
    }

    /// Returns the number of goals closed since the beginning, by any engine.
    fn count_settled(&self) -> usize {
        self.initially_open - self.count_open()
    }

    /// Tests the open goals at a new node and reports those that the node settles. Returns the
    /// approximate work, or `None` if no goal is open any more.
    fn test_node(&mut self, tree: &Tree<'_>, node: u32) -> Option<u64> {
        let new_node = &tree.nodes[node as usize];
        let mut work = (self.maxima.len() + self.predicates.len()) as u64;
        for (acceleration_index, acceleration) in new_node.accelerations.iter().enumerate() {
            for growing in &acceleration.places {
                for &maximum in self.maxima_of_place.get(&growing.place).into_iter().flatten() {
                    let (id, sum) = self.maxima[maximum];
                    if self.board.is_open(id) {
                        work += tree.net.place_count() as u64;
                        self.report_unbounded(tree, (node, acceleration_index), id, sum, &mut work);
                    }
                }
            }
        }
        let mut reached_goals = Vec::new();
        let mut demand = TokenDemand::new();
        self.predicates.retain(|(id, _)| self.board.is_open(*id));
        for &(id, predicate) in &self.predicates {
            if questions::holds(self.net, &new_node.tokens, predicate, &mut work) {
                questions::add_demands(self.net, &new_node.tokens, predicate, &mut demand);
                reached_goals.push(id);
            }
        }
        if !reached_goals.is_empty() {
            self.report_reached(tree, node, demand, reached_goals);
        }
        (self.count_open() > 0).then_some(work)
    }

    /// Reports that a sum is unbounded, if the acceleration at this index of the node shows it. An
    /// acceleration is a set of places that become ω because firings can be repeated. Staged
    /// self-covering sequences, that is, sequences with several cycles, are reported only for the
    /// original net.
    fn report_unbounded(
        &self,
        tree: &Tree<'_>,
        (node, acceleration_index): (u32, usize),
        id: GoalId,
        sum: &LinearSum,
        work: &mut u64,
    ) {
        if let Some((prefix, pump)) =
            firing_sequences::single_pump(tree, node, acceleration_index, sum)
        {
            self.witness_reporter.report_unbounded(id, prefix, pump);
        } else if self.is_original_net
            && let Some(pumping) =
                firing_sequences::staged_pump(tree, node, acceleration_index, sum, work)
        {
            self.witness_reporter.report_unbounded_on_original(id, pumping);
        }
    }

    /// Reports that a marking satisfies the goals. The node represents this marking, and its ω
    /// places have the demanded tokens.
    fn report_reached(
        &self,
        tree: &Tree<'_>,
        node: u32,
        demand: TokenDemand,
        reached_goals: Vec<GoalId>,
    ) {
        let acceleration_count = tree.nodes[node as usize].accelerations.len();
        let Some(run) = firing_sequences::sequence_to_node(tree, node, acceleration_count, demand)
        else {
            return;
        };
        let Ok(firings) = u64::try_from(run.firings()) else { return };
        let observations = reached_goals.into_iter().map(|goal| Observation { goal, firings });
        self.witness_reporter.report_reached_along(run, observations.collect());
    }

    /// Reports, for each open maximum, the largest value of the sum over the nodes without ω in any
    /// term, with a firing sequence.
    fn report_maxima(&self, tree: &Tree<'_>) {
        for &(id, sum) in self.maxima.iter().filter(|(id, _)| self.board.is_open(*id)) {
            let value = |node: &u32| {
                let tokens = &tree.nodes[*node as usize].tokens;
                let term_value = |&(place, a): &(PlaceId, i64)| match tokens[place.index()] {
                    OMEGA => None,
                    count => Some(i128::from(a) * i128::from(count)),
                };
                sum.terms().iter().map(term_value).sum::<Option<i128>>()
            };
            let nodes = 0..tree.nodes.len() as u32;
            let best =
                nodes.filter_map(|node| Some((value(&node)?, std::cmp::Reverse(node)))).max();
            if let Some((value, std::cmp::Reverse(node))) = best
                && self.witness_reporter.largest_seen(id).is_none_or(|seen| seen < value)
            {
                self.report_reached(tree, node, TokenDemand::new(), vec![id]);
            }
        }
    }

    /// Reports proofs of unreachable predicates and of upper bounds, as far as a complete tree
    /// shows them.
    fn report_excluded(&self, tree: &Tree<'_>, proof_reporter: ProofReporter<'_>) {
        let is_open = |id: GoalId| self.board.is_open(id);
        let mut at_most: Vec<(GoalId, i128)> = Vec::new();
        for &(id, sum) in self.maxima.iter().filter(|(id, _)| is_open(*id)) {
            if let Some(maximum) = covered::upper_bound(tree, sum)
                && proof_reporter.proved(id).is_none_or(|proved| maximum < proved)
            {
                at_most.push((id, maximum));
            }
        }
        let is_excluded = |&&(id, predicate): &&(GoalId, &Predicate)| {
            is_open(id) && covered::excludes(tree, &covered::required_tokens(self.net, predicate))
        };
        let excluded_goals: Vec<GoalId> =
            self.predicates.iter().filter(is_excluded).map(|&(id, _)| id).collect();
        if at_most.is_empty() && excluded_goals.is_empty() {
            return;
        }
        let Some(uncovered) = covered::minimal_uncovered(tree) else { return };
        let Some(document) = covered::certificate(&uncovered) else { return };
        let argument = Argument::Induction { clauses: uncovered.len(), assumes_units: false };
        let document = Arc::new(document);
        let proof = || Proof::new(argument.clone(), Some(document.clone()));
        let shared_reporter = proof_reporter.with_certificate(&document);
        at_most
            .into_iter()
            .for_each(|(id, maximum)| shared_reporter.report_at_most(id, maximum, proof()));
        excluded_goals.into_iter().for_each(|id| shared_reporter.report_unreachable(id, proof()));
    }
}
