//! The engine: tries to prove each open property impossible from the facts known so far.

use super::argue::argue;
use crate::board::{Board, Knowledge, Reach};
use crate::{Assignment, Engine, Role, Session, Sides, SliceProgress, Takes};
use parikh_net::{Goal, GoalId, Predicate};
use parikh_solvers::Budget;
use std::collections::HashMap;
use std::time::Duration;

/// The ranking engine. See the [module documentation](super).
pub const ENGINE: Engine = Engine {
    name: "ranking",
    technique: "STATE_EQUATION",
    sides: Sides::Over,
    role: Role::RunProofs,
    takes: Takes::RUNS,
    start,
};

/// Time of the first try of a property. The time doubles with each try.
const FIRST: Duration = Duration::from_millis(30);

fn start(assignment: Assignment<'_>) -> Result<Box<dyn Session + '_>, String> {
    Ok(Box::new(RankingEngine { work: assignment, tries: HashMap::new(), argued: 0, facts: 0 }))
}

/// The properties are tried in turns, so that a formula with large linear programs does not delay
/// the others.
struct RankingEngine<'g> {
    work: Assignment<'g>,
    /// The record of the tries, by the goal's id.
    tries: HashMap<GoalId, Try>,
    /// Number of proofs found.
    argued: usize,
    /// Number of predicates known to be unreachable at the beginning of the last slice.
    facts: usize,
}

/// Record of the tries for a property.
#[derive(Clone, Copy, Default)]
struct Try {
    /// Time limit of the last try.
    time: Duration,
    /// Number of facts at the last try, if it was complete and gave no proof. Another try is
    /// useless until more facts are known.
    none_from: Option<usize>,
}

impl Session for RankingEngine<'_> {
    fn slice(&mut self, budget: &Budget) -> SliceProgress {
        let (unreachable_predicates, goals) = unreachable(self.work.board);
        self.facts = unreachable_predicates.len();
        while let Some(index) = self.next() {
            if budget.is_exhausted() {
                return SliceProgress::Unfinished;
            }
            self.try_one(index, (&unreachable_predicates, &goals), budget);
        }
        SliceProgress::Finished
    }

    fn statistics(&self) -> String {
        let (argued, tried, facts) = (self.argued, self.tries.len(), self.facts);
        format!("{argued} of {tried} properties refuted, with {facts} known facts")
    }
}

impl RankingEngine<'_> {
    /// Returns the property to try next: the one with the least time so far.
    fn next(&self) -> Option<usize> {
        let tries_of = |id: &GoalId| self.tries.get(id).copied().unwrap_or_default();
        let runs = self.work.working_net.runs().iter().enumerate();
        let open_runs = runs.filter(|(_, (id, _))| {
            self.work.board.is_open(*id) && tries_of(id).none_from.is_none_or(|it| it < self.facts)
        });
        open_runs.min_by_key(|(_, (id, _))| tries_of(id).time).map(|(index, _)| index)
    }

    /// Tries to prove the property at `index`. `premises` has the unreachable predicates, and the
    /// goal of each.
    fn try_one(&mut self, index: usize, premises: (&[Predicate], &[GoalId]), budget: &Budget) {
        let (unreachable, goals) = premises;
        let work = &self.work;
        let (id, property) = &work.working_net.runs()[index];
        let entry = self.tries.entry(*id).or_default();
        entry.time = FIRST.max(entry.time.saturating_mul(2));
        entry.none_from = None;
        let try_budget = budget.slice(entry.time);
        match argue(work.working_net.net(), property, unreachable, &try_budget) {
            Ok(argument) => {
                self.argued += 1;
                let goal_of = |premise: &Predicate| {
                    unreachable.iter().position(|it| it == premise).map(|index| goals[index])
                };
                let premise_goals = argument.given.iter().filter_map(goal_of).collect();
                work.board.runs(ENGINE.technique).on(work.working_net).excluded(
                    *id,
                    argument,
                    premise_goals,
                );
                // If the board refuses the proof although there was time, it would refuse it again.
                entry.none_from = (!budget.is_exhausted()).then_some(unreachable.len());
            }
            Err(reason) => {
                tracing::debug!("ranking: {id:?}: {reason}");
                let is_complete = !try_budget.is_exhausted() && !reason.is_for_want_of_time();
                entry.none_from = is_complete.then_some(unreachable.len());
            }
        }
    }
}

/// Returns the predicates known to be unreachable, with their goals.
fn unreachable(board: &Board<'_>) -> (Vec<Predicate>, Vec<GoalId>) {
    let known = board.ids().filter_map(|id| match (board.goal(id), board.knowledge(id)?) {
        (Goal::Reach(predicate), Knowledge::Reach(Reach::Unreachable { .. })) => {
            Some((predicate.clone(), id))
        }
        _ => None,
    });
    known.unzip()
}
