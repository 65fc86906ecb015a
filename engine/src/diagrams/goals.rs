//! Answers goals from the set of all markings.
//!
//! The set of all markings answers every open goal for which there is enough time. A predicate that
//! no member satisfies is refuted, and the maximum of a sum is its largest value in the set. The
//! set itself is the certificate, one for all goals, unless it has too many nodes. Without a
//! certificate, no predicate is refuted and no bound is reported. If some member satisfies a
//! predicate, a firing sequence to it is searched backwards within the set and reported as a
//! witness.

use super::ReachableSet;
use super::attempts::{Attempts, QuestionsAnswered};
use super::confirm::closed_set;
use crate::board::{Argument, Board, Proof};
use crate::working_net::WorkingNet;
use crate::{Assignment, Engine, ResultKinds, Role, Session, SliceProgress, SupportedGoals, Task};
use parikh_evidence::Document;
use parikh_net::{GoalId, MarkingGoal};
use parikh_solvers::Budget;
use parikh_solvers::locked;
use parikh_symbolic::{Set, Stop, SumCondition};
use std::sync::{Arc, Mutex};

/// The registry entry of the engine.
pub const ENGINE: Engine = Engine {
    name: "diagrams",
    technique: TECHNIQUE,
    result_kinds: ResultKinds::Both,
    role: Role::Diagrams,
    supported: SupportedGoals::MARKINGS,
    start: |work| Ok(Box::new(GoalDiagrams::new(work))),
};

const TECHNIQUE: &str = "DECISION_DIAGRAMS";

/// Limit on the number of nodes of a diagram that becomes a certificate.
const MAX_CERTIFICATE_NODES: usize = 2_000_000;

/// The engine, with the state of its work on one net.
struct GoalDiagrams<'g> {
    working_net: &'g WorkingNet<'g>,
    board: &'g Board<'g>,
    attempts: Attempts,
    statistics: Mutex<DiagramStatistics>,
}

#[derive(Clone, Debug, Default)]
struct DiagramStatistics {
    /// Number of diagram nodes of the reachable set. 0 if no set was found.
    nodes: usize,
    /// Number of goals reported as unreachable, plus the number of upper bounds reported.
    refuted: u64,
    /// Number of firing sequences reported as witnesses, of goals reached and of maxima.
    reached: u64,
}

impl<'g> GoalDiagrams<'g> {
    fn new(work: Assignment<'g>) -> Self {
        let Assignment { working_net, board, .. } = work;
        GoalDiagrams {
            working_net,
            board,
            attempts: Attempts::default(),
            statistics: Mutex::default(),
        }
    }
}

impl Session for GoalDiagrams<'_> {
    fn slice(&mut self, budget: &Budget) -> SliceProgress {
        let GoalDiagrams { working_net, board, attempts, statistics } = self;
        let (working_net, board, statistics) = (*working_net, *board, &*statistics);
        let is_done = || !working_net.goals().iter().any(|(id, _)| board.is_open(*id));
        let use_set = |reached: ReachableSet<'_, '_>| {
            let settled = settle(working_net, board, reached, budget)?;
            let mut totals = locked(statistics);
            totals.nodes = settled.nodes;
            totals.refuted += settled.refuted;
            totals.reached += settled.reached;
            Ok(if settled.in_time { QuestionsAnswered::All } else { QuestionsAnswered::None })
        };
        attempts.slice((working_net.net(), working_net.facts()), budget, &is_done, &use_set)
    }

    fn statistics(&self) -> String {
        let totals = locked(&self.statistics).clone();
        let (tries, DiagramStatistics { nodes, refuted, reached }) =
            (self.attempts.attempt_count, totals);
        match nodes {
            0 => format!("{tries} attempts, none completed"),
            _ => format!("{tries} attempts, {nodes} nodes, {refuted} refuted, {reached} reached"),
        }
    }
}

/// Results of using a reachable set.
struct SettleResult {
    /// Number of diagram nodes of the reachable set.
    nodes: usize,
    /// Number of goals reported as unreachable, plus the number of upper bounds reported.
    refuted: u64,
    /// Number of firing sequences reported as witnesses, of goals reached and of maxima.
    reached: u64,
    /// False if time ran out, so that some goals may have been skipped.
    in_time: bool,
}

/// Settles the open goals of a net from its reachable set, while there is time. First evaluates all
/// goals on the set, then searches for the witnesses.
fn settle(
    working_net: &WorkingNet<'_>,
    board: &Board<'_>,
    mut reached: ReachableSet<'_, '_>,
    budget: &Budget,
) -> Result<SettleResult, Stop> {
    let nodes = reached.diagrams.nodes_of(reached.set);
    let mut settled = SettleResult { nodes, refuted: 0, reached: 0, in_time: true };
    let document = match nodes <= MAX_CERTIFICATE_NODES {
        true => Some(Arc::new(Document::ClosedSet(closed_set(&reached)))),
        false => {
            tracing::info!("diagrams: {nodes} nodes are too many for a certificate");
            None
        }
    };
    let (witness_reporter, proof_reporter) = (
        board.witness_reporter(TECHNIQUE).on(working_net),
        board.proof_reporter(TECHNIQUE).on(working_net),
    );
    let set_reporter = document.as_ref().map(|document| proof_reporter.with_certificate(document));
    let proof = || Proof::new(Argument::ClosedSet { nodes }, document.clone());
    // Goals that still need a witness, each with members of the set that satisfy its predicate or
    // attain its maximum.
    let mut reachable_goals: Vec<(GoalId, Set)> = Vec::new();
    let task = Task::shrunk(working_net, board, budget, 0);
    for (id, goal) in task.goals.iter().filter(|(id, _)| board.is_open(*id)) {
        let target = match goal {
            MarkingGoal::Reach(predicate) => reached.some_satisfying(reached.set, predicate),
            MarkingGoal::Maximise(sum) => {
                let terms = reached.terms(sum.terms());
                reached.diagrams.range(reached.set, &terms).and_then(|range| {
                    let maximum = range.map_or(0, |range| range.1);
                    if let Some(set_reporter) = &set_reporter
                        && witness_reporter.proved(*id).is_none_or(|proved| proved > maximum)
                    {
                        set_reporter.report_at_most(*id, maximum, proof());
                        settled.refuted += 1;
                    }
                    if witness_reporter.largest_seen(*id).is_some_and(|seen| seen >= maximum)
                        || !board.is_open(*id)
                    {
                        return Ok(Set::EMPTY);
                    }
                    let condition = SumCondition { terms, lower: maximum, upper: i128::MAX };
                    reached.diagrams.restrict(reached.set, &condition)
                })
            }
        };
        match (target, goal) {
            (Ok(target), MarkingGoal::Reach(_)) if target.is_empty() => {
                if let Some(set_reporter) = &set_reporter {
                    set_reporter.report_unreachable(*id, proof());
                    settled.refuted += u64::from(!board.is_open(*id));
                }
            }
            // A maximum that needs no witness: the value was seen before, or the goal is closed.
            (Ok(target), _) if target.is_empty() => {}
            (Ok(target), _) => {
                reached.diagrams.protect(target);
                reachable_goals.push((*id, target));
            }
            (Err(stop), _) => settled.in_time &= stop != Stop::Requested,
        }
        if budget.is_exhausted() {
            settled.in_time = false;
            return Ok(settled);
        }
    }
    for (id, target) in reachable_goals {
        if board.is_open(id) {
            match reached.firings_to(working_net.net(), target) {
                Ok(Some(sequence)) => {
                    witness_reporter.report_reached(id, sequence);
                    settled.reached += 1;
                }
                Ok(None) => tracing::error!(
                    "internal error: {id:?}: no firing sequence to a member of the diagram"
                ),
                Err(stop) => settled.in_time &= stop != Stop::Requested,
            }
        }
        reached.diagrams.release(target);
    }
    Ok(settled)
}
