//! Bounded model checking: is the goal reached in 1, 2, 3, … steps?
//!
//! The net is unrolled, a marking for each step, and a solver is asked whether the last of them can
//! satisfy the goal. All goals share the row and the solver, which keeps what it learns. A step may
//! be empty, so that "in at most so many" is a question about the last marking, and lengths in
//! between can be left out.
//!
//! Steps are of many firings each: what processes do side by side is one step, and witnesses are
//! found that walks, which see one firing ahead, do not find. It finds witnesses and nothing else;
//! they need not be the shortest.
//!
//! A row is [in propositions](propositions), for the SAT solver of this program, or in integers,
//! for [SMT solvers](crate::engine::smt).
//!
//! A maximum is asked to be larger than what was seen, and then by twice as much each time as the
//! time before, until that cannot be; then by half as much each time.
//!
//! # Sources
//! A. Biere, A. Cimatti, E. Clarke, Y. Zhu, *Symbolic model checking without BDDs*, TACAS 1999; for
//! steps see the encodings.

mod propositions;

use super::pdr::more;
use super::{Assignment, Engine, Progress, Role, Session, Sides, Takes};
use parikh_net::{FiringSequence, GoalId, MarkingGoal, Predicate};
use parikh_solvers::Budget;
use propositions::Propositions;
use std::collections::BTreeSet;
use std::time::Duration;

/// In the registry.
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

/// A question without answer is asked so often before the row is made longer all the same.
const ROUNDS: u32 = 2;

/// What came of a question.
pub(super) enum Said {
    /// This leads to such a marking; nothing where it has numbers that we do not count with.
    Reached(Option<FiringSequence>),
    /// There is none at the end of so many steps.
    NotWithin,
    /// There was no time.
    Unfinished,
    /// The solver does not know, and never will.
    Unknown(String),
    /// However many steps there are, it is not found here.
    Never(String),
}

/// How far a row was made longer.
pub(super) enum Extended {
    /// As far as was asked for.
    ToTheEnd,
    /// The budget ended first.
    InPart,
    /// No further, for this reason.
    TooLong(String),
}

/// Markings in a row from the initial one on, and who is asked about the last of them.
pub(super) trait Row {
    /// The name of the engine.
    const NAME: &'static str;

    /// The time for a question in the first round, at least and at most; it doubles from round to
    /// round.
    const FIRST_SLICE: (Duration, Duration);

    /// How many steps there are to be after so many.
    fn longer(steps: usize) -> usize;

    /// How many steps there are.
    fn steps(&self) -> usize;

    /// Makes the row so long, as far as the budget lasts.
    fn extend_to(&mut self, steps: usize, budget: &Budget) -> Extended;

    /// Whether the last marking can satisfy the predicate.
    fn ask(&mut self, id: GoalId, predicate: &Predicate, budget: &Budget) -> Said;

    /// What was done, in a few words.
    fn statistics(&self) -> String;
}

/// At work on all goals of a ground.
pub(super) struct Bmc<'g, R> {
    work: Assignment<'g>,
    row: R,
    /// How many steps the row is to have now.
    steps: usize,
    /// After how many it was asked last.
    asked: usize,
    /// Why there will not be more.
    limit: Option<String>,
    /// Goals that nothing more is asked about at this length, or ever.
    done: BTreeSet<GoalId>,
    /// Goals that had their turn in this round, which the budget may end anywhere.
    had_turn: BTreeSet<GoalId>,
    given_up: BTreeSet<GoalId>,
    /// Rounds at this length, and the time for a question once there was one.
    rounds: u32,
    slice: Option<Duration>,
    reached: u64,
}

impl<'g, R: Row> Bmc<'g, R> {
    /// Nothing is unrolled yet.
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
        let Assignment { ground, board, .. } = self.work;
        let wanted =
            |(id, _): &&(GoalId, MarkingGoal)| board.is_open(*id) && !self.given_up.contains(id);
        ground.goals().iter().filter(wanted).cloned().collect()
    }

    fn give_up(&mut self, id: GoalId, why: &str) {
        tracing::debug!("{}: {id:?}: {why}", R::NAME);
        self.work.board.gave_up(id, R::NAME, why);
        self.given_up.insert(id);
    }

    /// Asks about one goal, until it is settled or not reached in so many steps, or the budget
    /// ends.
    fn work_on(&mut self, id: GoalId, goal: &MarkingGoal, budget: &Budget) {
        let Assignment { ground, board, .. } = self.work;
        let under = board.under(ENGINE.technique).on(ground);
        if matches!(goal, MarkingGoal::Maximise(_)) && under.seen(id).is_none() {
            under.reached(id, FiringSequence::new());
        }
        let (mut leap, mut grows) = (0, true);
        while board.is_open(id) && !budget.is_exhausted() {
            let (predicate, before) = match goal {
                MarkingGoal::Reach(predicate) => (Some(predicate.clone()), None),
                MarkingGoal::Maximise(sum) => {
                    let seen = under.seen(id);
                    (seen.and_then(|seen| more(sum, seen.checked_add(leap)?)), seen)
                }
            };
            let Some(predicate) = predicate else {
                if leap > 0 {
                    (leap, grows) = (leap / 2, false);
                    continue;
                }
                return self.give_up(id, "more than was seen is more than 64 bits hold");
            };
            match self.row.ask(id, &predicate, budget) {
                Said::Reached(sequence) => {
                    self.reached += 1;
                    if let Some(sequence) = sequence {
                        under.reached(id, sequence);
                    }
                    let is_as_before = under.seen(id) == before;
                    if board.is_open(id) && is_as_before {
                        let why = "on the way a place would hold more tokens than are counted";
                        return self.give_up(id, why);
                    }
                    leap = if grows { 1 + 2 * leap } else { leap / 2 };
                }
                Said::NotWithin if leap > 0 => (leap, grows) = (leap / 2, false),
                Said::NotWithin => {
                    self.done.insert(id);
                    return;
                }
                Said::Unfinished => return,
                // A smaller one may be there.
                Said::Never(_) if leap > 0 => (leap, grows) = (leap / 2, false),
                Said::Never(why) => return self.give_up(id, &why),
                Said::Unknown(why) => {
                    tracing::info!("{}: {id:?} after {} steps: {why}", R::NAME, self.steps);
                    self.done.insert(id);
                    return;
                }
            }
        }
    }
}

impl<R: Row> Session for Bmc<'_, R> {
    fn slice(&mut self, budget: &Budget) -> Progress {
        loop {
            let open = self.open();
            if open.is_empty() {
                return Progress::Finished;
            }
            match self.row.extend_to(self.steps, budget) {
                Extended::ToTheEnd => {}
                Extended::InPart => return Progress::Unfinished,
                // The steps that there are by now have not been asked about.
                Extended::TooLong(why) if self.limit.is_none() && self.row.steps() > self.asked => {
                    self.steps = self.row.steps();
                    self.limit = Some(why);
                }
                Extended::TooLong(why) => {
                    open.iter().for_each(|(id, _)| self.give_up(*id, &why));
                    return Progress::Finished;
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
                    return Progress::Unfinished;
                }
                if self.had_turn.insert(*id) && !self.done.contains(id) {
                    self.work_on(*id, goal, &budget.slice(slice));
                }
            }
            self.had_turn.clear();
            self.rounds += 1;
            self.slice = Some(slice.saturating_mul(2));
            let all_done = self.open().iter().all(|(id, _)| self.done.contains(id));
            // At the end of the row there is nothing else to do than to ask on.
            if all_done || (self.rounds >= ROUNDS && self.limit.is_none()) {
                if let Some(why) = self.limit.take() {
                    self.open().iter().for_each(|(id, _)| self.give_up(*id, &why));
                    return Progress::Finished;
                }
                self.steps = R::longer(self.steps);
                // Otherwise one goal would have, some lengths on, all of the time.
                (self.rounds, self.slice) = (0, None);
                self.done.clear();
            }
        }
    }

    fn statistics(&self) -> String {
        format!("{} reached, {}", self.reached, self.row.statistics())
    }
}
