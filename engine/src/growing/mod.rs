//! Runs that keep adding tokens, and arguments that there are none: the tree of Karp and Miller
//! together with the automaton of a property.
//!
//! ```text
//! place s 1 · place a · place b         F deadlock is false: e, then t forever.
//! transition e: s -> a                  The loop begins after a prefix, and b grows in it,
//! transition t: a -> a + b              so no marking occurs twice.
//! ```
//!
//! A node is a state of the automaton with an interval of token counts for each place
//! ([`CoverNode`](parikh_evidence::no_run::cover::CoverNode)). Where a node is reached from an
//! earlier one with the same state and no more tokens, the places with more tokens lose their upper
//! end, as long as what the automaton reads on the way stays the same while they grow. There are
//! three ways to build nodes ([`Precision`]):
//!
//! - *Plain*: no place loses its upper end. A path from a node to a larger one with all marks is a
//!   run.
//! - *Large*: a place without an upper end has arbitrarily many tokens. Linear programs
//!   find a cycle in a component that has all marks and loses nothing (`cycle`). The prefix is
//!   pumped until the cycle can fire (`prefix`).
//! - *Covering*: a place without an upper end has any number of tokens from its least one on. If
//!   no component with all marks has such a cycle, there is no run (`proof`).
//!
//! # Conditions
//! 1. Some place is not known to be bounded.
//! 2. There are at most as many nodes as [`LIMITS`] says.
//!
//! # Soundness
//! The engine is not trusted: the board replays each run, and the checker verifies each argument.
//!
//! # Sources
//! R. Karp, R. Miller, *Parallel program schemata*, J. Computer and System Sciences 3, 1969; J.
//! Esparza, *Decidability of model checking for infinite-state concurrent systems*, Acta
//! Informatica 34, 1997 (a cycle that loses nothing); S. R. Kosaraju, G. Sullivan, *Detecting
//! cycles in dynamic graphs in polynomial time*, STOC 1988 (components without what no cycle
//! takes).
//!
//! | file | is |
//! |---|---|
//! | `product` | nodes and edges |
//! | `cycle` | cycles that lose nothing |
//! | `prefix` | the run that a cycle is a part of |
//! | `proof` | the argument that there is no run |

mod cycle;
mod prefix;
mod product;
mod proof;

use super::ranking::excluded;
use super::{Assignment, Engine, Role, Session, Sides, Takes, each_slice_anew};
use crate::board::{Board, Knowledge, Reach};
use parikh_evidence::lasso::check_lasso;
use parikh_evidence::no_run::NoRun;
use parikh_net::lasso::LassoRun;
use parikh_net::printable::counted;
use parikh_net::run_property::RunProperty;
use parikh_net::{Goal, GoalId, Net, Predicate, Provenance};
use parikh_solvers::Budget;
use parikh_temporal::{AutomatonLimits, LinearTableau};
use product::{CoverabilityProduct, Precision};

/// In the registry.
pub const ENGINE: Engine = Engine {
    name: "growing runs",
    technique: "COVERABILITY",
    sides: Sides::Both,
    role: Role::Runs,
    takes: Takes::RUNS,
    start: |work| start(work),
};

/// Nodes in each round.
const LIMITS: [usize; 3] = [300, 3_000, 30_000];

/// The share of the time left, in [0, 1], of each round.
const SHARES: [f64; 3] = [0.3, 0.5, 1.0];

fn start(assignment: Assignment<'_>) -> Result<Box<dyn Session + '_>, String> {
    each_slice_anew(move |budget| run(&assignment, budget))
}

/// Looks for runs with each open property, and for arguments that there are none.
fn run(work: &Assignment<'_>, budget: &Budget) -> String {
    let (net, facts) = (work.working_net.net(), work.working_net.facts());
    let bounded = |place| facts.upper_bound_within(place, Provenance::PROVED).is_some();
    // 1
    if net.places().all(bounded) {
        return "all places are bounded".to_owned();
    }
    let (mut found, mut excluded, mut complete) = (0, 0, Vec::new());
    for (limit, share) in LIMITS.into_iter().zip(SHARES) {
        let open = work.working_net.runs().iter().filter(|(id, _)| work.board.is_open(*id));
        let open: Vec<&(GoalId, RunProperty)> =
            open.filter(|(id, _)| !complete.contains(id)).collect();
        let end = budget.share(share);
        for (at, (id, property)) in open.iter().enumerate() {
            if budget.is_exhausted() || !work.board.is_open(*id) {
                continue;
            }
            let slice = end.share(1.0 / (open.len() - at) as f64);
            let runs = work.board.runs(ENGINE.technique).on(work.working_net);
            let (never, goals) = unreachable(work.board);
            let search =
                GrowingSearch { net, property, never: &never, nodes: limit, budget: &slice };
            match search.decide() {
                GrowingOutcome::Run(run) => {
                    found += 1;
                    complete.push(*id);
                    runs.exists(*id, run);
                }
                // Of a reduced net, nothing follows from that.
                GrowingOutcome::NoRun(_) if work.working_net.parent().is_some() => {
                    complete.push(*id)
                }
                GrowingOutcome::NoRun(argument) => {
                    excluded += 1;
                    let goal_of = |premise: &Predicate| {
                        never.iter().position(|it| it == premise).map(|at| goals[at])
                    };
                    let given = argument.given.iter().filter_map(goal_of).collect();
                    runs.excluded(*id, *argument, given);
                }
                GrowingOutcome::Open { is_complete: true } => complete.push(*id),
                GrowingOutcome::Open { is_complete: false } => {}
            }
        }
    }
    format!("{} found, {excluded} without", counted(found, "run"))
}

/// The predicates that are known to be unreachable, with the goals that ask for them.
fn unreachable(board: &Board<'_>) -> (Vec<Predicate>, Vec<GoalId>) {
    let known = board.ids().filter_map(|id| match (board.goal(id), board.knowledge(id)?) {
        (Goal::Reach(predicate), Knowledge::Reach(Reach::Unreachable { .. })) => {
            Some((predicate.clone(), id))
        }
        _ => None,
    });
    known.unzip()
}

/// The result for a property.
pub(crate) enum GrowingOutcome {
    /// A run has it.
    Run(LassoRun),
    /// No run has it.
    NoRun(Box<NoRun>),
    /// Nothing is known. More nodes do not help if all of them were there.
    Open { is_complete: bool },
}

/// A question about one property.
pub(crate) struct GrowingSearch<'a> {
    pub(crate) net: &'a Net,
    pub(crate) property: &'a RunProperty,
    /// Predicates that no reachable marking satisfies.
    pub(crate) never: &'a [Predicate],
    /// Nodes, at most.
    pub(crate) nodes: usize,
    pub(crate) budget: &'a Budget,
}

impl GrowingSearch<'_> {
    /// Looks for a run or an argument.
    pub(crate) fn decide(&self) -> GrowingOutcome {
        let open = GrowingOutcome::Open { is_complete: true };
        let formulas = self.property.formulas();
        let tableau =
            LinearTableau::new(formulas, self.property.formula(), AutomatonLimits::default());
        let Ok(tableau) = tableau else { return open };
        let goes_on = &mut || !self.budget.is_exhausted();
        let (given, refuted) = excluded(self.property, &tableau, self.never);
        let argument = NoRun {
            tableau,
            opening: 0,
            documents: Vec::new(),
            given,
            refuted,
            cover: Vec::new(),
            rankings: Vec::new(),
        };
        let Ok(pairs) = proof::pairs(self.net, self.property, &argument, goes_on) else {
            return open;
        };
        let mut is_complete = true;
        for precision in [Precision::Large, Precision::Covering, Precision::Plain] {
            let automaton = &argument.tableau.automaton;
            let mut product =
                CoverabilityProduct::new(self.net, self.property, automaton, &pairs, precision);
            let found = product.grow(self.nodes, self.budget, &mut |run| self.shows(run));
            if let Some(run) = found {
                return GrowingOutcome::Run(run);
            }
            is_complete &= product.is_complete() || precision == Precision::Plain;
            match precision {
                Precision::Large => {
                    if let Some(run) = cycle::find(&product, self.budget, &|run| self.shows(run)) {
                        return GrowingOutcome::Run(run);
                    }
                }
                Precision::Covering if product.is_complete() => {
                    let nodes = product.into_nodes();
                    if let Some(argument) =
                        proof::argue(self.net, self.property, &argument, nodes, self.budget)
                    {
                        return GrowingOutcome::NoRun(Box::new(argument));
                    }
                }
                _ => {}
            }
        }
        GrowingOutcome::Open { is_complete: is_complete && !self.budget.is_exhausted() }
    }

    fn shows(&self, run: &LassoRun) -> bool {
        let goes_on = &mut || !self.budget.is_exhausted();
        check_lasso(self.net, self.property, run, goes_on).is_ok()
    }
}

#[cfg(test)]
mod tests;
