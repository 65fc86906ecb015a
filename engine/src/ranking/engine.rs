//! The ranking engine: tries to prove for each open property that no run has it, from the
//! predicates known to be unreachable so far.

use super::argue::argue;
use crate::board::{Board, Knowledge, ReachKnowledge};
use crate::{Assignment, Engine, ResultKinds, Role, Session, SliceProgress, SupportedGoals};
use parikh_net::{Goal, GoalId, Predicate};
use parikh_solvers::Budget;
use std::collections::HashMap;
use std::time::Duration;

/// The ranking engine. See the [module documentation](super).
pub const ENGINE: Engine = Engine {
    name: "ranking",
    technique: "STATE_EQUATION",
    result_kinds: ResultKinds::Proofs,
    role: Role::RunProofs,
    supported: SupportedGoals::RUNS,
    start,
};

/// Time of the first try of a property. The time doubles with each try.
const FIRST_TRY_TIME: Duration = Duration::from_millis(30);

fn start(assignment: Assignment<'_>) -> Result<Box<dyn Session + '_>, String> {
    Ok(Box::new(RankingEngine { assignment, tries: HashMap::new(), proof_count: 0, fact_count: 0 }))
}

/// The engine, with a record of its attempts. The properties are tried in turn with growing time
/// limits, so that a formula with large linear programs does not delay the others.
struct RankingEngine<'g> {
    assignment: Assignment<'g>,
    /// The record of the tries, by the goal's id.
    tries: HashMap<GoalId, TryRecord>,
    /// Number of proofs that the board accepted.
    proof_count: usize,
    /// Number of predicates known to be unreachable at the beginning of the current or last slice.
    fact_count: usize,
}

/// Record of the tries for a property.
#[derive(Clone, Copy, Default)]
struct TryRecord {
    /// Time limit of the last attempt.
    time: Duration,
    /// Number of unreachable predicates known at the last attempt, if that attempt had enough time.
    /// A property that is still open is then tried again only when more predicates are known.
    /// `None` if there was no attempt or if the last one ran out of time.
    failed_with_facts: Option<usize>,
}

impl Session for RankingEngine<'_> {
    fn slice(&mut self, budget: &Budget) -> SliceProgress {
        let (unreachable_predicates, goals) = unreachable(self.assignment.board);
        self.fact_count = unreachable_predicates.len();
        while let Some(index) = self.next_property() {
            if budget.is_exhausted() {
                return SliceProgress::Unfinished;
            }
            self.try_property(index, (&unreachable_predicates, &goals), budget);
        }
        SliceProgress::Finished
    }

    fn statistics(&self) -> String {
        let (argued, tried, facts) = (self.proof_count, self.tries.len(), self.fact_count);
        format!("{argued} of {tried} properties refuted, with {facts} known facts")
    }
}

impl RankingEngine<'_> {
    /// Returns the index of the property to try next: the open property whose last try had the
    /// smallest time limit. Returns `None` if no open property is worth another try.
    fn next_property(&self) -> Option<usize> {
        let record_of = |id: &GoalId| self.tries.get(id).copied().unwrap_or_default();
        let runs = self.assignment.working_net.run_goals().iter().enumerate();
        let open_runs = runs.filter(|(_, (id, _))| {
            self.assignment.board.is_open(*id)
                && record_of(id).failed_with_facts.is_none_or(|it| it < self.fact_count)
        });
        open_runs.min_by_key(|(_, (id, _))| record_of(id).time).map(|(index, _)| index)
    }

    /// Tries to prove that no run has the property at `index`. `premises` has the predicates known
    /// to be unreachable, and for each predicate the id of its goal.
    fn try_property(&mut self, index: usize, premises: (&[Predicate], &[GoalId]), budget: &Budget) {
        let (unreachable, goals) = premises;
        let work = &self.assignment;
        let (id, property) = &work.working_net.run_goals()[index];
        let record = self.tries.entry(*id).or_default();
        record.time = FIRST_TRY_TIME.max(record.time.saturating_mul(2));
        record.failed_with_facts = None;
        let try_budget = budget.slice(record.time);
        match argue(work.working_net.net(), property, unreachable, &try_budget) {
            Ok(argument) => {
                let goal_of = |premise: &Predicate| {
                    unreachable.iter().position(|it| it == premise).map(|index| goals[index])
                };
                let premise_goals = argument.premises.iter().filter_map(goal_of).collect();
                work.board.run_reporter(ENGINE.technique).on(work.working_net).report_no_run(
                    *id,
                    argument,
                    premise_goals,
                );
                self.proof_count += usize::from(!work.board.is_open(*id));
                // If the board refuses the proof although there was time, another try from the same
                // facts would fail too.
                record.failed_with_facts = (!budget.is_exhausted()).then_some(unreachable.len());
            }
            Err(reason) => {
                tracing::debug!("ranking: {id:?}: {reason}");
                let is_complete = !try_budget.is_exhausted() && !reason.lacked_time();
                record.failed_with_facts = is_complete.then_some(unreachable.len());
            }
        }
    }
}

/// Returns the predicates that the board knows to be unreachable, and the id of each predicate's
/// goal.
fn unreachable(board: &Board<'_>) -> (Vec<Predicate>, Vec<GoalId>) {
    let known = board.ids().filter_map(|id| match (board.goal(id), board.knowledge(id)?) {
        (Goal::Reach(predicate), Knowledge::Reach(ReachKnowledge::Unreachable { .. })) => {
            Some((predicate.clone(), id))
        }
        _ => None,
    });
    known.unzip()
}
