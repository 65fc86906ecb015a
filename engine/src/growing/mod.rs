//! Runs that keep adding tokens, and proofs that there are none: the tree of Karp and Miller
//! together with the automaton of a property.
//!
//! ```text
//! place s 1 · place a · place b         F deadlock is false: e, then t forever.
//! transition e: s -> a                  The loop begins after a prefix, and b grows in it,
//! transition t: a -> a + b              so no marking occurs twice.
//! ```
//!
//! A node is a state of the automaton with an interval of token counts for each place
//! ([`CoverNode`](parikh_evidence::no_run::cover::CoverNode)). Suppose a node is reached from an
//! earlier node with the same state and at most as many tokens on every place. Then the places with
//! more tokens lose their upper bounds. The condition is that the letters that the automaton reads
//! on the path stay the same while the places grow. There are four ways to build nodes
//! ([`Precision`]):
//!
//! - *Bounded*: no place loses its upper bound. A path with all marks from a node to a larger node
//!   can be repeated forever, so it gives a run.
//! - *Arbitrary*: a place without an upper bound has arbitrarily many tokens. Linear programs find
//!   a cycle in a component that has all marks and loses no tokens (`cycle`). The prefix is pumped
//!   until the cycle can fire (`prefix`).
//! - *Covering*: a place without an upper bound has any number of tokens from its lower bound on.
//!   If no component with all marks has such a cycle, there is no run (`proof`).
//! - *Distinguishing*: as before, but nodes with different lower bounds stay apart, up to the
//!   largest number that matters for the place.
//!
//! # Conditions
//! 1. At least one place has no proved bound.
//! 2. The number of nodes is within [`MAX_NODES`].
//!
//! # Soundness
//! The engine is not trusted: the board replays each run, and the checker verifies each proof.
//!
//! # Sources
//! R. Karp, R. Miller, *Parallel program schemata*, J. Computer and System Sciences 3, 1969; J.
//! Esparza, *Decidability of model checking for infinite-state concurrent systems*, Acta
//! Informatica 34, 1997 (a cycle that loses no tokens); S. R. Kosaraju, G. Sullivan, *Detecting
//! cycles in dynamic graphs in polynomial time*, STOC 1988 (components without the edges that no
//! cycle takes).
//!
//! | file | contents |
//! |---|---|
//! | `product` | nodes and edges |
//! | `cycle` | cycles that lose no tokens |
//! | `prefix` | the run with a given cycle |
//! | `proof` | the proof that there is no run |

mod cycle;
mod prefix;
mod product;
mod proof;

use super::ranking::excluded_edges;
use super::{Assignment, Engine, ResultKinds, Role, Session, SupportedGoals, stateless_session};
use crate::board::{Board, Knowledge, ReachKnowledge};
use parikh_evidence::lasso::check_lasso;
use parikh_evidence::no_run::NoRun;
use parikh_net::lasso::LassoRun;
use parikh_net::printable::counted;
use parikh_net::run_property::RunProperty;
use parikh_net::{Goal, GoalId, Net, Predicate, Provenance};
use parikh_solvers::Budget;
use parikh_temporal::{AutomatonLimits, LinearTableau};
use product::{CoverabilityProduct, Precision};

/// The registry entry of the engine.
pub const ENGINE: Engine = Engine {
    name: "growing runs",
    technique: "COVERABILITY",
    result_kinds: ResultKinds::Both,
    role: Role::Runs,
    supported: SupportedGoals::RUNS,
    start: |work| start(work),
};

/// Limit on the number of nodes of a product, for each round. No node is expanded beyond it.
const MAX_NODES: [usize; 3] = [300, 3_000, 30_000];

/// Share of the remaining time for each round, in [0, 1].
const ROUND_SHARES: [f64; 3] = [0.3, 0.5, 1.0];

fn start(assignment: Assignment<'_>) -> Result<Box<dyn Session + '_>, String> {
    stateless_session(move |budget| run(&assignment, budget))
}

/// Searches for runs with each open property, and for proofs that there are none. Returns a
/// one-line summary.
fn run(assignment: &Assignment<'_>, budget: &Budget) -> String {
    let (net, facts) = (assignment.working_net.net(), assignment.working_net.facts());
    let is_bounded = |place| facts.upper_bound_within(place, Provenance::PROVED).is_some();
    // Condition 1 of the module documentation: at least one place has no proved bound.
    if net.places().all(is_bounded) {
        return "all places are bounded".to_owned();
    }
    let (mut found_count, mut excluded_count, mut finished) = (0, 0, Vec::new());
    for (limit, share) in MAX_NODES.into_iter().zip(ROUND_SHARES) {
        let open_properties = assignment
            .working_net
            .run_goals()
            .iter()
            .filter(|(id, _)| assignment.board.is_open(*id));
        let open_properties: Vec<&(GoalId, RunProperty)> =
            open_properties.filter(|(id, _)| !finished.contains(id)).collect();
        let round_budget = budget.share(share);
        for (index, (id, property)) in open_properties.iter().enumerate() {
            if budget.is_exhausted() || !assignment.board.is_open(*id) {
                continue;
            }
            let slice = round_budget.share(1.0 / (open_properties.len() - index) as f64);
            let run_reporter =
                assignment.board.run_reporter(ENGINE.technique).on(assignment.working_net);
            let (unreachable_predicates, goals) = unreachable_predicates(assignment.board);
            let search = GrowingSearch {
                net,
                property,
                unreachable_predicates: &unreachable_predicates,
                max_nodes: limit,
                budget: &slice,
            };
            match search.decide() {
                GrowingOutcome::Run(run) => {
                    finished.push(*id);
                    run_reporter.report_run(*id, run);
                    found_count += u64::from(!assignment.board.is_open(*id));
                }
                // The absence of runs of a reduced net implies nothing about the original net.
                GrowingOutcome::NoRun(_) if assignment.working_net.parent().is_some() => {
                    finished.push(*id)
                }
                GrowingOutcome::NoRun(argument) => {
                    let goal_of = |premise: &Predicate| {
                        unreachable_predicates
                            .iter()
                            .position(|it| it == premise)
                            .map(|index| goals[index])
                    };
                    let premises = argument.premises.iter().filter_map(goal_of).collect();
                    run_reporter.report_no_run(*id, *argument, premises);
                    excluded_count += u64::from(!assignment.board.is_open(*id));
                }
                GrowingOutcome::Undecided { is_complete: true } => finished.push(*id),
                GrowingOutcome::Undecided { is_complete: false } => {}
            }
        }
    }
    let (runs, properties) = (counted(found_count, "run"), counted(excluded_count, "property"));
    format!("{runs} found, {properties} without runs")
}

/// Returns the predicates that are known to be unreachable, with their goals.
fn unreachable_predicates(board: &Board<'_>) -> (Vec<Predicate>, Vec<GoalId>) {
    let unreachable_goals =
        board.ids().filter_map(|id| match (board.goal(id), board.knowledge(id)?) {
            (Goal::Reach(predicate), Knowledge::Reach(ReachKnowledge::Unreachable { .. })) => {
                Some((predicate.clone(), id))
            }
            _ => None,
        });
    unreachable_goals.unzip()
}

/// Result of a search for one property.
pub(crate) enum GrowingOutcome {
    /// A run with the property.
    Run(LassoRun),
    /// A proof that no run has the property.
    NoRun(Box<NoRun>),
    /// The property is undecided. `is_complete` is true if a search with more nodes is not worth
    /// trying. This is so if the automaton is too large, or if the pairs of its edges and the
    /// transitions cannot be computed. It is also so if all nodes of the products with unbounded
    /// places were expanded within the budget.
    Undecided { is_complete: bool },
}

/// A search for one property.
pub(crate) struct GrowingSearch<'a> {
    /// The net.
    pub(crate) net: &'a Net,
    /// The property.
    pub(crate) property: &'a RunProperty,
    /// Predicates that no reachable marking satisfies.
    pub(crate) unreachable_predicates: &'a [Predicate],
    /// Limit on the number of nodes of each product. No node is expanded beyond it.
    pub(crate) max_nodes: usize,
    /// The budget of the search.
    pub(crate) budget: &'a Budget,
}

impl GrowingSearch<'_> {
    /// Searches for a run, or for a proof that there is none.
    pub(crate) fn decide(&self) -> GrowingOutcome {
        let undecided = GrowingOutcome::Undecided { is_complete: true };
        let formulas = self.property.formulas();
        let tableau =
            LinearTableau::new(formulas, self.property.formula(), AutomatonLimits::default());
        let Ok(tableau) = tableau else { return undecided };
        let may_continue = &mut || !self.budget.is_exhausted();
        let (premises, refuted) =
            excluded_edges(self.property, &tableau, self.unreachable_predicates);
        let argument = NoRun {
            tableau,
            opening_steps: 0,
            documents: Vec::new(),
            premises,
            refuted,
            cover: Vec::new(),
            rankings: Vec::new(),
        };
        let Ok(pairs) = proof::remaining_pairs(self.net, self.property, &argument, may_continue)
        else {
            return GrowingOutcome::Undecided { is_complete: !self.budget.is_exhausted() };
        };
        let mut is_complete = true;
        for precision in [
            Precision::Arbitrary,
            Precision::Covering,
            Precision::Distinguishing,
            Precision::Bounded,
        ] {
            let automaton = &argument.tableau.automaton;
            let mut product =
                CoverabilityProduct::new(self.net, self.property, automaton, &pairs, precision);
            let found = product
                .expand_nodes(self.max_nodes, self.budget, &mut |run| self.is_confirmed(run));
            if let Some(run) = found {
                return GrowingOutcome::Run(run);
            }
            is_complete &= product.is_complete() || precision == Precision::Bounded;
            match precision {
                Precision::Arbitrary => {
                    if let Some(run) =
                        cycle::find_run(&product, self.budget, &|run| self.is_confirmed(run))
                    {
                        return GrowingOutcome::Run(run);
                    }
                }
                Precision::Covering | Precision::Distinguishing if product.is_complete() => {
                    let nodes = product.into_nodes();
                    if let Some(argument) =
                        proof::prove(self.net, self.property, &argument, nodes, self.budget)
                    {
                        return GrowingOutcome::NoRun(Box::new(argument));
                    }
                }
                _ => {}
            }
        }
        GrowingOutcome::Undecided { is_complete: is_complete && !self.budget.is_exhausted() }
    }

    /// Returns true if the checker confirms that the run has the property. Returns false if the
    /// checker refuses the run or the budget ends.
    fn is_confirmed(&self, run: &LassoRun) -> bool {
        let may_continue = &mut || !self.budget.is_exhausted();
        check_lasso(self.net, self.property, run, may_continue).is_ok()
    }
}

#[cfg(test)]
mod tests;
