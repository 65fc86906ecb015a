//! Answers CTL formulas from the set of all markings, and refutes LTL properties if no run has
//! them.
//!
//! [`fixpoint`](crate::fixpoint) may have to visit too many markings one by one. Their set,
//! and the sets of markings that satisfy subformulas, may still be simple
//! ([`branching`](super::branching)). The set of all markings is evidence for all formulas at once:
//! the checker verifies that no firing leaves it, and evaluates the formula on it with its own
//! algorithm.

use super::ReachableSet;
use super::alarm::DiagramDeadline;
use super::attempts::{Attempts, Use};
use super::branching::CtlEvaluation;
use super::confirm::closed_set;
use super::linear;
use crate::board::Board;
use crate::working_net::WorkingNet;
use crate::{Engine, Role, Session, Sides, SliceProgress, Takes};
use num_bigint::BigUint;
use parikh_evidence::Document;
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
    sides: Sides::Both,
    role: Role::TreeDiagrams,
    takes: Takes::TIME,
    start: |work| {
        let attempts = Attempts::after_a_look(LOOK);
        let figures = TreeFigures::default();
        Ok(Box::new(TreeEngine {
            working_net: work.working_net,
            board: work.board,
            attempts,
            figures,
        }))
    },
};

const TECHNIQUE: &str = "DECISION_DIAGRAMS";

/// Share of the first slice for computing the set in one try, in [0, 1]. All tries together get
/// half of the slice.
const LOOK: f64 = 0.08;

/// Limit on the share of the remaining time for one of several formulas, in [0, 1].
const LONGEST: f64 = 0.25;

/// Limit on the number of nodes of a set for the checker.
const MOST_NODES: usize = 500_000;

struct TreeEngine<'g> {
    working_net: &'g WorkingNet<'g>,
    board: &'g Board<'g>,
    attempts: Attempts,
    figures: TreeFigures,
}

#[derive(Default)]
struct TreeFigures {
    /// Number of nodes of the set. 0 if none was found.
    nodes: AtomicUsize,
    decided: AtomicU64,
}

impl Session for TreeEngine<'_> {
    fn slice(&mut self, budget: &Budget) -> SliceProgress {
        let TreeEngine { working_net, board, attempts, figures } = self;
        let (working_net, board) = (*working_net, *board);
        let is_done = || {
            let trees = working_net.trees().iter().map(|(id, _)| *id);
            let runs = working_net.runs().iter().map(|(id, _)| *id);
            !trees.chain(runs).any(|id| board.is_open(id))
        };
        let use_set =
            |reached: ReachableSet<'_, '_>| settle((working_net, board), reached, figures, budget);
        attempts.slice((working_net.net(), working_net.facts()), budget, &is_done, &use_set)
    }

    fn statistics(&self) -> String {
        let TreeFigures { nodes, decided } = &self.figures;
        match (self.attempts.made, nodes.load(Ordering::Relaxed)) {
            (tries, 0) => format!("{tries} attempts, none completed"),
            (tries, nodes) => {
                let decided = decided.load(Ordering::Relaxed);
                format!("{tries} attempts, {nodes} nodes, {decided} properties decided")
            }
        }
    }
}

/// Decides the open properties of a net, short ones first.
fn settle(
    (working_net, board): (&WorkingNet<'_>, &Board<'_>),
    mut reached: ReachableSet<'_, '_>,
    figures: &TreeFigures,
    budget: &Budget,
) -> Result<Use, Stop> {
    let begun = Instant::now();
    let nodes = reached.diagrams.nodes_of(reached.set);
    figures.nodes.store(nodes, Ordering::Relaxed);
    let markings = reached.diagrams.count(reached.set)?;
    let asks_for_trees = working_net.trees().iter().any(|(id, _)| board.is_open(*id));
    let document = (asks_for_trees && nodes <= MOST_NODES)
        .then(|| Arc::new(Document::ClosedSet(closed_set(&reached))));
    let described =
        board.trees(TECHNIQUE).described(document.as_ref(), u64::try_from(&markings).ok());
    let initial = reached.vector(working_net.net().initial());
    let mut open: Vec<&(GoalId, TreeProperty)> =
        working_net.trees().iter().filter(|(id, _)| board.is_open(*id)).collect();
    open.sort_by_key(|(_, property)| property.formulas().below(property.formula()).len());
    let runs = working_net.runs().iter().filter(|(id, _)| board.is_open(*id)).count();
    let alarm = reached.alarm;
    let mut branching = CtlEvaluation::over(&mut reached, (working_net.net(), budget))?;
    let (mut decided, mut in_time) = (0, true);
    for (at, (id, property)) in open.iter().enumerate() {
        if budget.is_exhausted() {
            in_time = false;
            break;
        }
        if !board.is_open(*id) {
            continue;
        }
        // Later formulas reuse results of earlier ones, so the first ones take longest and get more
        // time.
        let share = f64::max(LONGEST, 1.0 / (open.len() + runs - at) as f64);
        alarm.set(budget.remaining().map(|left| left.mul_f64(share)));
        match branching.holds(property, &initial) {
            Ok(holds) => {
                described.decided(*id, holds, &budget.share(0.5 / (open.len() - at) as f64));
                decided += 1;
            }
            Err(stop) => in_time &= stop != Stop::Asked,
        }
    }
    let run =
        settle_runs((working_net, board), &mut branching, (&initial, &markings), alarm, budget)?;
    decided += run.0;
    in_time &= run.1;
    figures.decided.fetch_add(decided, Ordering::Relaxed);
    tracing::debug!(
        "diagrams: {decided} of {} formulas decided in {:.2?}",
        open.len(),
        begun.elapsed()
    );
    Ok(match (in_time, decided) {
        (true, _) => Use::All,
        (false, 0) => Use::Nothing,
        (false, _) => Use::Part,
    })
}

/// Refutes open run properties. Returns the number of refuted ones, and true if there was time for
/// all. Existing runs are found by walks instead.
fn settle_runs(
    (working_net, board): (&WorkingNet<'_>, &Board<'_>),
    branching: &mut CtlEvaluation<'_, '_, '_>,
    (initial, markings): (&[u64], &BigUint),
    alarm: &DiagramDeadline,
    budget: &Budget,
) -> Result<(u64, bool), Stop> {
    let open: Vec<&(GoalId, RunProperty)> =
        working_net.runs().iter().filter(|(id, _)| board.is_open(*id)).collect();
    let markings = u64::try_from(markings).unwrap_or(u64::MAX);
    let (mut excluded, mut in_time) = (0, true);
    for (at, (id, property)) in open.iter().enumerate() {
        if budget.is_exhausted() {
            return Ok((excluded, false));
        }
        if !board.is_open(*id) {
            continue;
        }
        let share = f64::max(LONGEST, 1.0 / (open.len() - at) as f64);
        alarm.set(budget.remaining().map(|left| left.mul_f64(share)));
        match linear::excludes(branching, property, initial) {
            Ok(Some(true)) => {
                board.runs(TECHNIQUE).on(working_net).described(*id, markings);
                excluded += u64::from(!board.is_open(*id));
            }
            Ok(_) => {}
            Err(stop) => in_time &= stop != Stop::Asked,
        }
    }
    Ok((excluded, in_time))
}
