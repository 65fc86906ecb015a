//! Bounded model checking: is the goal reachable in 1, 2, 3, … steps?
//!
//! The net is unrolled, with one marking per step, and a solver decides if the last marking can
//! satisfy the goal. All goals share the unrolling and the solver, which keeps its learnt clauses.
//! A step may be empty. So a query about the last marking covers all smaller numbers of steps, and
//! lengths in between can be skipped.
//!
//! A step consists of many firings: independent processes proceed in one step. So the engine finds
//! witnesses that walks, which look one firing ahead, do not find. It finds witnesses only, and
//! they need not be the shortest.
//!
//! The unrolling is [propositional](propositions), for the built-in SAT solver, or in integers, for
//! [SMT solvers](crate::smt).
//!
//! For a maximum, the query asks for more than the largest value seen. The increment doubles with
//! each success. After the first failure it is halved each time.
//!
//! # Sources
//! A. Biere, A. Cimatti, E. Clarke, Y. Zhu, *Symbolic model checking without BDDs*, TACAS 1999; for
//! steps see the encodings.

mod propositions;

use super::pdr::more;
use super::{Assignment, Engine, Role, Session, Sides, SliceProgress, Takes};
use parikh_net::{FiringSequence, GoalId, MarkingGoal, Predicate};
use parikh_solvers::Budget;
use propositions::Propositions;
use std::collections::BTreeSet;
use std::time::Duration;

/// The registry entry of the engine.
pub const ENGINE: Engine = Engine {
    name: "bmc",
    technique: "SAT_SMT",
    sides: Sides::Under,
    role: Role::Unroll,
    takes: Takes::MARKINGS,
    start: |work| {
        let row = Propositions::new(&work);
        Ok(Box::new(Bmc::new(work, row)))
    },
};

/// Number of rounds with unanswered queries before the unrolling is extended anyway.
const ROUNDS: u32 = 2;

/// Result of a query.
pub(super) enum QueryResult {
    /// The firing sequence leads to a goal marking. `None` if its numbers exceed the supported
    /// range.
    Reached(Option<FiringSequence>),
    /// No goal marking is reachable within this number of steps.
    NotWithin,
    /// Time ran out.
    Unfinished,
    /// The solver does not know, and more time would not help.
    Unknown(String),
    /// This engine cannot find the goal with any number of steps.
    Never(String),
}

/// Result of extending an unrolling.
pub(super) enum ExtensionResult {
    /// Extended as requested.
    ToTheEnd,
    /// The budget ended first.
    InPart,
    /// The unrolling cannot be extended further, for this reason.
    TooLong(String),
}

/// An unrolling from the initial marking, with a solver for queries about its last marking.
pub(super) trait StepSequence {
    /// Name of the engine.
    const NAME: &'static str;

    /// Minimum and maximum of the time slice per query in the first round. It doubles from round to
    /// round.
    const FIRST_SLICE: (Duration, Duration);

    /// Returns the next number of steps after `steps`.
    fn longer(steps: usize) -> usize;

    /// Returns the number of steps.
    fn steps(&self) -> usize;

    /// Extends the unrolling to this number of steps, as far as the budget permits.
    fn extend_to(&mut self, steps: usize, budget: &Budget) -> ExtensionResult;

    /// Asks if the last marking can satisfy the predicate.
    fn ask(&mut self, id: GoalId, predicate: &Predicate, budget: &Budget) -> QueryResult;

    /// Returns a short summary.
    fn statistics(&self) -> String;
}

/// The engine with its state on a net.
pub(super) struct Bmc<'g, R> {
    work: Assignment<'g>,
    row: R,
    /// Intended number of steps.
    steps: usize,
    /// Number of steps of the last queries.
    asked: usize,
    /// The reason why the unrolling cannot be extended further.
    limit: Option<String>,
    /// Goals without further queries at this length.
    done: BTreeSet<GoalId>,
    /// Goals already treated in this round. The budget may interrupt a round at any goal.
    had_turn: BTreeSet<GoalId>,
    given_up: BTreeSet<GoalId>,
    /// Number of rounds at the current length.
    rounds: u32,
    slice: Option<Duration>,
    reached: u64,
}

impl<'g, R: StepSequence> Bmc<'g, R> {
    /// Creates the engine without unrolling.
    pub(super) fn new(work: Assignment<'g>, row: R) -> Self {
        Bmc {
            work,
            row,
            steps: 1,
            asked: 0,
            limit: None,
            done: BTreeSet::new(),
            had_turn: BTreeSet::new(),
            given_up: BTreeSet::new(),
            rounds: 0,
            slice: None,
            reached: 0,
        }
    }

    fn open(&self) -> Vec<(GoalId, MarkingGoal)> {
        let Assignment { working_net, board, .. } = self.work;
        let wanted =
            |(id, _): &&(GoalId, MarkingGoal)| board.is_open(*id) && !self.given_up.contains(id);
        working_net.goals().iter().filter(wanted).cloned().collect()
    }

    fn give_up(&mut self, id: GoalId, why: &str) {
        tracing::debug!("{}: {id:?}: {why}", R::NAME);
        self.work.board.gave_up(id, R::NAME, why);
        self.given_up.insert(id);
    }

    /// Works on one goal until it is settled, unreachable within this number of steps, or the
    /// budget ends.
    fn work_on(&mut self, id: GoalId, goal: &MarkingGoal, budget: &Budget) {
        let Assignment { working_net, board, .. } = self.work;
        let witness_reporter = board.witness_reporter(ENGINE.technique).on(working_net);
        if matches!(goal, MarkingGoal::Maximise(_)) && witness_reporter.seen(id).is_none() {
            witness_reporter.reached(id, FiringSequence::new());
        }
        let (mut leap, mut grows) = (0, true);
        while board.is_open(id) && !budget.is_exhausted() {
            let (predicate, before) = match goal {
                MarkingGoal::Reach(predicate) => (Some(predicate.clone()), None),
                MarkingGoal::Maximise(sum) => {
                    let seen = witness_reporter.seen(id);
                    (seen.and_then(|seen| more(sum, seen.checked_add(leap)?)), seen)
                }
            };
            let Some(predicate) = predicate else {
                if leap > 0 {
                    (leap, grows) = (leap / 2, false);
                    continue;
                }
                return self.give_up(id, "the next value exceeds 64 bits");
            };
            match self.row.ask(id, &predicate, budget) {
                QueryResult::Reached(sequence) => {
                    self.reached += 1;
                    if let Some(sequence) = sequence {
                        witness_reporter.reached(id, sequence);
                    }
                    let is_as_before = witness_reporter.seen(id) == before;
                    if board.is_open(id) && is_as_before {
                        let why = "a place of the witness would exceed the token limit";
                        return self.give_up(id, why);
                    }
                    leap = if grows { 1 + 2 * leap } else { leap / 2 };
                }
                QueryResult::NotWithin if leap > 0 => (leap, grows) = (leap / 2, false),
                QueryResult::NotWithin => {
                    self.done.insert(id);
                    return;
                }
                QueryResult::Unfinished => return,
                // A smaller value may still be reachable.
                QueryResult::Never(_) if leap > 0 => (leap, grows) = (leap / 2, false),
                QueryResult::Never(why) => return self.give_up(id, &why),
                QueryResult::Unknown(why) => {
                    tracing::info!("{}: {id:?} after {} steps: {why}", R::NAME, self.steps);
                    self.done.insert(id);
                    return;
                }
            }
        }
    }
}

impl<R: StepSequence> Session for Bmc<'_, R> {
    fn slice(&mut self, budget: &Budget) -> SliceProgress {
        loop {
            let open = self.open();
            if open.is_empty() {
                return SliceProgress::Finished;
            }
            match self.row.extend_to(self.steps, budget) {
                ExtensionResult::ToTheEnd => {}
                ExtensionResult::InPart => return SliceProgress::Unfinished,
                // The steps encoded so far have not been queried yet.
                ExtensionResult::TooLong(why)
                    if self.limit.is_none() && self.row.steps() > self.asked =>
                {
                    self.steps = self.row.steps();
                    self.limit = Some(why);
                }
                ExtensionResult::TooLong(why) => {
                    open.iter().for_each(|(id, _)| self.give_up(*id, &why));
                    return SliceProgress::Finished;
                }
            }
            self.asked = self.steps;
            let slice = *self.slice.get_or_insert_with(|| {
                let (least, most) = R::FIRST_SLICE;
                let fair = budget.remaining().map_or(most, |left| left / open.len() as u32);
                fair.clamp(least, most)
            });
            for (id, goal) in &open {
                if budget.is_exhausted() {
                    return SliceProgress::Unfinished;
                }
                if self.had_turn.insert(*id) && !self.done.contains(id) {
                    self.work_on(*id, goal, &budget.slice(slice));
                }
            }
            self.had_turn.clear();
            self.rounds += 1;
            self.slice = Some(slice.saturating_mul(2));
            let all_done = self.open().iter().all(|(id, _)| self.done.contains(id));
            // At the maximum length, the engine can only repeat its queries.
            if all_done || (self.rounds >= ROUNDS && self.limit.is_none()) {
                if let Some(why) = self.limit.take() {
                    self.open().iter().for_each(|(id, _)| self.give_up(*id, &why));
                    return SliceProgress::Finished;
                }
                self.steps = R::longer(self.steps);
                // The time slices are reset. Otherwise one goal would get all of the time after
                // some lengths.
                (self.rounds, self.slice) = (0, None);
                self.done.clear();
            }
        }
    }

    fn statistics(&self) -> String {
        format!("{} reached, {}", self.reached, self.row.statistics())
    }
}
