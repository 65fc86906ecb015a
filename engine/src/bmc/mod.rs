//! Bounded model checking: is the goal reachable in 1, 2, 3, … steps?
//!
//! The net is unrolled: the formula has one marking per step. A solver decides if the last marking
//! can satisfy the goal. All goals share the unrolling and the solver, which keeps its learnt
//! clauses. A step may be empty. So a query about the last marking covers all smaller numbers of
//! steps, and some numbers of steps can be skipped.
//!
//! A step may consist of many firings: independent processes proceed in one step. So the engine
//! finds witnesses that walks, which look one firing ahead, do not find. It finds witnesses only,
//! and they need not be the shortest.
//!
//! The unrolling is [propositional](propositions), for the built-in SAT solver, or in integers, for
//! [SMT solvers](crate::smt).
//!
//! For a maximum, the query asks for a value that exceeds the largest value seen by more than a
//! *lead*. The lead begins at 0 and roughly doubles with each success. From the first failure on it
//! is halved each time.
//!
//! # Sources
//! A. Biere, A. Cimatti, E. Clarke, Y. Zhu, *Symbolic model checking without BDDs*, TACAS 1999; for
//! steps see the encodings.

mod propositions;

use super::pdr::exceeds;
use super::{Assignment, Engine, ResultKinds, Role, Session, SliceProgress, SupportedGoals};
use parikh_net::{FiringSequence, GoalId, MarkingGoal, Predicate};
use parikh_solvers::Budget;
use propositions::Propositions;
use std::collections::BTreeSet;
use std::time::Duration;

/// The registry entry of the engine.
pub const ENGINE: Engine = Engine {
    name: "bmc",
    technique: "SAT_SMT",
    result_kinds: ResultKinds::Witnesses,
    role: Role::Unroll,
    supported: SupportedGoals::MARKINGS,
    start: |work| {
        let unrolling = Propositions::new(&work);
        Ok(Box::new(Bmc::new(ENGINE.name, work, unrolling)))
    },
};

/// Largest number of rounds, that is, passes over all open goals, at one number of steps. Then the
/// unrolling is extended if possible, even if queries are unanswered.
const MAX_ROUNDS: u32 = 2;

/// Result of a query about one goal at the current number of steps.
pub(super) enum QueryResult {
    /// The solver found a witness: a firing sequence to a marking that satisfies the query's
    /// predicate. `None` if a number in the solver's model exceeds the supported range.
    Reached(Option<FiringSequence>),
    /// In this unrolling, no marking that satisfies the query's predicate is reachable within the
    /// current number of steps.
    UnreachableWithin,
    /// The budget is exhausted.
    Unfinished,
    /// The solver has no answer, and more time would not help.
    Unknown(String),
    /// More steps do not help: the predicate stays unreachable in this unrolling, or exceeds a
    /// limit of the encoding. The text is the reason for giving up the goal. It is not a proof.
    NeverReachable(String),
}

/// Result of extending an unrolling.
pub(super) enum ExtensionResult {
    /// The unrolling has the requested number of steps.
    Complete,
    /// The budget was exhausted before the unrolling had the requested number of steps.
    Partial,
    /// The unrolling cannot be extended further, for this reason.
    TooLong(String),
}

/// An unrolling from the initial marking, with a solver for queries about its last marking.
pub(super) trait StepSequence {
    /// Minimum and maximum of the time slice per goal in the first round at a number of steps.
    /// Slices double from round to round.
    const FIRST_SLICE: (Duration, Duration);

    /// Returns the number of steps to which an unrolling of `steps` steps is extended next.
    fn next_length(steps: usize) -> usize;

    /// Returns the current number of steps.
    fn steps(&self) -> usize;

    /// Extends the unrolling to this number of steps, as far as the budget permits.
    fn extend_to(&mut self, steps: usize, budget: &Budget) -> ExtensionResult;

    /// Asks if the last marking can satisfy the predicate, which belongs to the goal `id`.
    fn query(&mut self, id: GoalId, predicate: &Predicate, budget: &Budget) -> QueryResult;

    /// Returns a short summary for the log.
    fn statistics(&self) -> String;
}

/// The engine, with the state of its work on one net.
pub(super) struct Bmc<'g, R> {
    /// Name of the engine in messages.
    name: &'static str,
    assignment: Assignment<'g>,
    /// The unrolling of the net, together with the solver.
    unrolling: R,
    /// The number of steps that the unrolling should have next.
    steps: usize,
    /// Number of steps of the unrolling when the last queries were made.
    last_query_steps: usize,
    /// The reason why the unrolling cannot be extended further. `None` as long as extending it is
    /// possible.
    limit: Option<String>,
    /// Goals that need no further query at the current number of steps. Either the unrolling
    /// excludes the predicate, or a larger value of the sum, within this number of steps. Or the
    /// solver has no answer.
    answered: BTreeSet<GoalId>,
    /// Goals that the current round has treated. The budget may interrupt a round after any goal.
    treated_in_round: BTreeSet<GoalId>,
    /// Goals that the engine has given up, for any reason. It makes no further queries about them.
    given_up: BTreeSet<GoalId>,
    /// Number of complete rounds, that is, passes over all open goals, at the current number of
    /// steps.
    rounds: u32,
    /// Time slice per goal in the current round. `None` before the first round at the current
    /// number of steps.
    slice: Option<Duration>,
    /// Number of queries for which the solver found a witness.
    reached_count: u64,
}

impl<'g, R: StepSequence> Bmc<'g, R> {
    /// Creates the engine. The given unrolling is extended later.
    pub(super) fn new(name: &'static str, work: Assignment<'g>, unrolling: R) -> Self {
        Bmc {
            name,
            assignment: work,
            unrolling,
            steps: 1,
            last_query_steps: 0,
            limit: None,
            answered: BTreeSet::new(),
            treated_in_round: BTreeSet::new(),
            given_up: BTreeSet::new(),
            rounds: 0,
            slice: None,
            reached_count: 0,
        }
    }

    /// Returns the open goals on which the engine has not given up.
    fn open_goals(&self) -> Vec<(GoalId, MarkingGoal)> {
        let Assignment { working_net, board, .. } = self.assignment;
        let is_open_here =
            |(id, _): &&(GoalId, MarkingGoal)| board.is_open(*id) && !self.given_up.contains(id);
        working_net.goals().iter().filter(is_open_here).cloned().collect()
    }

    /// Records that the engine has given up on a goal, for this reason.
    fn give_up(&mut self, id: GoalId, reason: &str) {
        tracing::debug!("{}: {id:?}: {reason}", self.name);
        self.assignment.board.record_given_up(id, self.name, reason);
        self.given_up.insert(id);
    }

    /// Works on one goal until it is settled or given up, the budget is exhausted, or the current
    /// number of steps needs no further query.
    fn work_on(&mut self, id: GoalId, goal: &MarkingGoal, budget: &Budget) {
        let Assignment { working_net, board, .. } = self.assignment;
        let witness_reporter = board.witness_reporter(ENGINE.technique).on(working_net);
        if matches!(goal, MarkingGoal::Maximise(_)) && witness_reporter.largest_seen(id).is_none() {
            witness_reporter.report_reached(id, FiringSequence::new());
        }
        // A query for a maximum asks for a value of more than the largest seen one plus `lead`. The
        // lead grows as long as the queries succeed. From the first failure on it is halved each
        // time, because a smaller value may still be reachable. Only a failure with lead 0 shows
        // that the maximum is not larger within this number of steps.
        let (mut lead, mut is_lead_growing) = (0, true);
        while board.is_open(id) && !budget.is_exhausted() {
            let (predicate, seen_before) = match goal {
                MarkingGoal::Reach(predicate) => (Some(predicate.clone()), None),
                MarkingGoal::Maximise(sum) => {
                    let seen = witness_reporter.largest_seen(id);
                    (seen.and_then(|seen| exceeds(sum, seen.checked_add(lead)?)), seen)
                }
            };
            let Some(predicate) = predicate else {
                if lead > 0 {
                    (lead, is_lead_growing) = (lead / 2, false);
                    continue;
                }
                return self.give_up(id, "no value was seen, or the next value exceeds 64 bits");
            };
            match self.unrolling.query(id, &predicate, budget) {
                QueryResult::Reached(sequence) => {
                    self.reached_count += 1;
                    if let Some(sequence) = sequence {
                        witness_reporter.report_reached(id, sequence);
                    }
                    // For a predicate, both values are `None`. If the goal is then still open, the
                    // board has refused the witness.
                    let is_as_before = witness_reporter.largest_seen(id) == seen_before;
                    if board.is_open(id) && is_as_before {
                        let why = "the witness was not confirmed, for example because a place \
                                   would exceed the token limit";
                        return self.give_up(id, why);
                    }
                    lead = if is_lead_growing { 1 + 2 * lead } else { lead / 2 };
                }
                QueryResult::UnreachableWithin if lead > 0 => {
                    (lead, is_lead_growing) = (lead / 2, false)
                }
                QueryResult::UnreachableWithin => {
                    self.answered.insert(id);
                    return;
                }
                QueryResult::Unfinished => return,
                QueryResult::NeverReachable(_) if lead > 0 => {
                    (lead, is_lead_growing) = (lead / 2, false)
                }
                QueryResult::NeverReachable(why) => return self.give_up(id, &why),
                QueryResult::Unknown(why) => {
                    tracing::info!("{}: {id:?} after {} steps: {why}", self.name, self.steps);
                    self.answered.insert(id);
                    return;
                }
            }
        }
    }
}

impl<R: StepSequence> Session for Bmc<'_, R> {
    fn slice(&mut self, budget: &Budget) -> SliceProgress {
        loop {
            let open_goals = self.open_goals();
            if open_goals.is_empty() {
                return SliceProgress::Finished;
            }
            match self.unrolling.extend_to(self.steps, budget) {
                ExtensionResult::Complete => {}
                ExtensionResult::Partial => return SliceProgress::Unfinished,
                // The last steps of the unrolling have not been queried yet. So the goals are
                // queried at this length before the engine gives up.
                ExtensionResult::TooLong(reason)
                    if self.limit.is_none() && self.unrolling.steps() > self.last_query_steps =>
                {
                    self.steps = self.unrolling.steps();
                    self.limit = Some(reason);
                }
                ExtensionResult::TooLong(reason) => {
                    open_goals.iter().for_each(|(id, _)| self.give_up(*id, &reason));
                    return SliceProgress::Finished;
                }
            }
            self.last_query_steps = self.steps;
            let slice = *self.slice.get_or_insert_with(|| {
                let (shortest, longest) = R::FIRST_SLICE;
                let equal_share =
                    budget.remaining().map_or(longest, |left| left / open_goals.len() as u32);
                equal_share.clamp(shortest, longest)
            });
            for (id, goal) in &open_goals {
                if budget.is_exhausted() {
                    return SliceProgress::Unfinished;
                }
                if self.treated_in_round.insert(*id) && !self.answered.contains(id) {
                    self.work_on(*id, goal, &budget.slice(slice));
                }
            }
            self.treated_in_round.clear();
            self.rounds += 1;
            self.slice = Some(slice.saturating_mul(2));
            let all_answered = self.open_goals().iter().all(|(id, _)| self.answered.contains(id));
            // If the unrolling cannot be extended, the rounds continue with longer time slices
            // until every goal is answered.
            if all_answered || (self.rounds >= MAX_ROUNDS && self.limit.is_none()) {
                if let Some(reason) = self.limit.take() {
                    self.open_goals().iter().for_each(|(id, _)| self.give_up(*id, &reason));
                    return SliceProgress::Finished;
                }
                self.steps = R::next_length(self.steps);
                // At a new number of steps, the first round begins with short time slices again.
                // Otherwise one goal would get all of the time after some numbers of steps.
                (self.rounds, self.slice) = (0, None);
                self.answered.clear();
            }
        }
    }

    fn statistics(&self) -> String {
        format!("{} reached, {}", self.reached_count, self.unrolling.statistics())
    }
}
