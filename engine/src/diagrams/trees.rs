//! Answers CTL formulas from the set of all markings, and refutes LTL properties if no run has
//! them.
//!
//! The engine [`fixpoint`](crate::fixpoint) visits markings one by one, which may be too many.
//! Their set, and the sets of markings that satisfy subformulas, may still have small diagrams
//! ([`branching`](super::branching)). If the set of all markings has few enough nodes, it is
//! evidence for all CTL formulas at once. The checker verifies that no firing leaves it, and
//! evaluates the formula on it with its own algorithm.

use super::ReachableSet;
use super::alarm::DiagramDeadline;
use super::attempts::{Attempts, QuestionsAnswered};
use super::branching::CtlEvaluation;
use super::confirm::closed_set_within;
use super::linear;
use crate::board::Board;
use crate::working_net::WorkingNet;
use crate::{Engine, ResultKinds, Role, Session, SliceProgress, SupportedGoals};
use num_bigint::BigUint;
use parikh_evidence::Document;
use parikh_net::printable::counted;
use parikh_net::{GoalId, RunProperty, TreeProperty};
use parikh_solvers::Budget;
use parikh_symbolic::Stop;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

/// The registry entry of the engine.
pub const ENGINE: Engine = Engine {
    name: "branching-diagrams",
    technique: TECHNIQUE,
    result_kinds: ResultKinds::Both,
    role: Role::TreeDiagrams,
    supported: SupportedGoals::TEMPORAL,
    start: |work| {
        let attempts = Attempts::of_groups(FIRST_TRY_SHARE);
        Ok(Box::new(TreeEngine {
            working_net: work.working_net,
            board: work.board,
            attempts,
            counters: TreeCounters::default(),
        }))
    },
};

const TECHNIQUE: &str = "DECISION_DIAGRAMS";

/// Share of the first slice for each try of an order, in [0, 1].
const FIRST_TRY_SHARE: f64 = 0.08;

/// Minimum share of the remaining time that one property may use in the second pass, in [0, 1].
const MIN_FORMULA_SHARE: f64 = 0.25;

/// Limit on the number of nodes of a set that goes to the checker.
const MAX_CHECKED_NODES: usize = 500_000;

/// Share of the time for the translation of a set into the checker's format, in [0, 1].
const EXPORT_SHARE: f64 = 0.1;

/// The engine, with the state of its work on one net.
struct TreeEngine<'g> {
    working_net: &'g WorkingNet<'g>,
    board: &'g Board<'g>,
    attempts: Attempts,
    counters: TreeCounters,
}

/// Counters for the statistics.
#[derive(Default)]
struct TreeCounters {
    /// Number of nodes of the diagram of all markings. 0 if no diagram was completed.
    nodes: AtomicUsize,
    /// Number of properties decided.
    decided: AtomicU64,
}

impl Session for TreeEngine<'_> {
    fn slice(&mut self, budget: &Budget) -> SliceProgress {
        let TreeEngine { working_net, board, attempts, counters } = self;
        let (working_net, board) = (*working_net, *board);
        let is_done = || {
            let trees = working_net.tree_goals().iter().map(|(id, _)| *id);
            let runs = working_net.run_goals().iter().map(|(id, _)| *id);
            !trees.chain(runs).any(|id| board.is_open(id))
        };
        let use_set =
            |reached: ReachableSet<'_, '_>| settle((working_net, board), reached, counters, budget);
        attempts.slice((working_net.net(), working_net.facts()), budget, &is_done, &use_set)
    }

    fn statistics(&self) -> String {
        let TreeCounters { nodes, decided } = &self.counters;
        match (self.attempts.attempt_count, nodes.load(Ordering::Relaxed)) {
            (tries, 0) => format!("{tries} attempts, none completed"),
            (tries, nodes) => {
                let decided = decided.load(Ordering::Relaxed);
                format!("{tries} attempts, {nodes} nodes, {} decided", counted(decided, "property"))
            }
        }
    }
}

/// Decides the open CTL formulas of a net on its reachable set, short ones first. Then refutes open
/// run properties that no run has. Stops when the budget is exhausted.
fn settle(
    (working_net, board): (&WorkingNet<'_>, &Board<'_>),
    mut reached: ReachableSet<'_, '_>,
    counters: &TreeCounters,
    budget: &Budget,
) -> Result<QuestionsAnswered, Stop> {
    let start = Instant::now();
    let nodes = reached.diagrams.nodes_of(reached.set);
    counters.nodes.store(nodes, Ordering::Relaxed);
    let markings = reached.diagrams.count(reached.set)?;
    let has_open_trees = working_net.tree_goals().iter().any(|(id, _)| board.is_open(*id));
    let set_for_checker = match has_open_trees && nodes <= MAX_CHECKED_NODES {
        true => closed_set_within(&reached, MAX_CHECKED_NODES, &budget.share(EXPORT_SHARE)),
        false => None,
    };
    let document = set_for_checker.map(|set| Arc::new(Document::ClosedSet(set)));
    let reporter = board
        .tree_reporter(TECHNIQUE)
        .for_diagram(document.as_ref(), u64::try_from(&markings).ok());
    let initial = reached.vector(working_net.net().initial());
    let mut open: Vec<&(GoalId, TreeProperty)> =
        working_net.tree_goals().iter().filter(|(id, _)| board.is_open(*id)).collect();
    open.sort_by_key(|(_, property)| property.formulas().subformulas(property.formula()).len());
    let open_run_count =
        working_net.run_goals().iter().filter(|(id, _)| board.is_open(*id)).count();
    let deadline = reached.deadline;
    let mut evaluation = CtlEvaluation::new(&mut reached, (working_net.net(), budget))?;
    let (mut decided, mut in_time) = (0, true);
    // In the first pass the open formulas have equal shares of half of the time, so that a formula
    // that takes long does not keep short ones waiting. In the second pass a formula has a large
    // share.
    for (share_of_pass, min_share) in [(0.5, 0.0), (1.0, MIN_FORMULA_SHARE)] {
        let pass = budget.portion(share_of_pass);
        in_time = true;
        open.retain(|(id, _)| board.is_open(*id));
        for (index, (id, property)) in open.iter().enumerate() {
            if pass.is_exhausted() {
                in_time = false;
                break;
            }
            if !board.is_open(*id) {
                continue;
            }
            let formulas_left = open.len() + open_run_count - index;
            let share = f64::max(min_share, 1.0 / formulas_left as f64);
            deadline.set(pass.remaining().map(|left| left.mul_f64(share)));
            match evaluation.holds(property, &initial) {
                Ok(holds) => {
                    reporter.report_decided(
                        *id,
                        holds,
                        &budget.share(0.5 / (open.len() - index) as f64),
                    );
                    decided += u64::from(!board.is_open(*id));
                }
                Err(stop) => in_time &= stop != Stop::Requested,
            }
        }
        if in_time {
            break;
        }
    }
    tracing::debug!("diagrams: {decided} formulas decided in {:.2?}", start.elapsed());
    let run_result = settle_runs(
        (working_net, board),
        &mut evaluation,
        (&initial, &markings),
        deadline,
        budget,
    )?;
    decided += run_result.0;
    in_time &= run_result.1;
    counters.decided.fetch_add(decided, Ordering::Relaxed);
    Ok(match (in_time, decided) {
        (true, _) => QuestionsAnswered::All,
        (false, 0) => QuestionsAnswered::None,
        (false, _) => QuestionsAnswered::Part,
    })
}

/// Refutes the open run properties that no run has. Runs that exist are not reported, since walks
/// find them. `initial` is the initial marking, indexed by level. `markings` is the number of
/// reachable markings. Returns the number of refuted properties, and true if there was time for
/// all.
fn settle_runs(
    (working_net, board): (&WorkingNet<'_>, &Board<'_>),
    evaluation: &mut CtlEvaluation<'_, '_, '_>,
    (initial, markings): (&[u64], &BigUint),
    deadline: &DiagramDeadline,
    budget: &Budget,
) -> Result<(u64, bool), Stop> {
    let open: Vec<&(GoalId, RunProperty)> =
        working_net.run_goals().iter().filter(|(id, _)| board.is_open(*id)).collect();
    let markings = u64::try_from(markings).unwrap_or(u64::MAX);
    let (mut excluded, mut in_time) = (0, true);
    for (index, (id, property)) in open.iter().enumerate() {
        if budget.is_exhausted() {
            return Ok((excluded, false));
        }
        if !board.is_open(*id) {
            continue;
        }
        let share = f64::max(MIN_FORMULA_SHARE, 1.0 / (open.len() - index) as f64);
        deadline.set(budget.remaining().map(|left| left.mul_f64(share)));
        match linear::excludes(evaluation, property, initial) {
            Ok(Some(true)) => {
                board.run_reporter(TECHNIQUE).on(working_net).report_described(*id, markings);
                excluded += u64::from(!board.is_open(*id));
            }
            Ok(_) => {}
            Err(stop) => in_time &= stop != Stop::Requested,
        }
    }
    Ok((excluded, in_time))
}
