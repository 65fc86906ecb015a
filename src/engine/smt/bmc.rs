//! Bounded model checking in integers: is the goal reached in 1, 2, 4, 8, … steps?
//!
//! In a [step](parikh_encodings::steps) every transition fires as often as what is there allows. A step may be
//! empty, so that "in at most so many" is a question about the last marking, and no length in between has to be
//! asked about.
//!
//! A maximum is asked to be larger than what was seen, and then by twice as much each time as the time before,
//! until that cannot be; then by half as much each time.
//!
//! # Sources
//! A. Biere, A. Cimatti, E. Clarke, Y. Zhu, *Symbolic model checking without BDDs*, TACAS 1999; for steps see
//! the encoding.

use super::unrolled::{Extended, Said, Unrolled};
use super::{ROUNDS, TECHNIQUE, first_slice};
use crate::engine::pdr::more;
use crate::engine::registry::{Assignment, Progress, Session};
use parikh_encodings::unrolling::Between;
use parikh_net::{FiringSequence, Goal, GoalId};
use parikh_solvers::Budget;
use std::collections::BTreeSet;
use std::time::Duration;

/// At work on all goals of a ground.
pub(super) struct Bmc<'g> {
    work: Assignment<'g>,
    unrolled: Unrolled<'g>,
    /// How many steps the row is to have now.
    steps: usize,
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

impl<'g> Bmc<'g> {
    pub(super) fn new(work: Assignment<'g>) -> Result<Self, String> {
        let unrolled = Unrolled::initial(&work, "bmc-smt", Between::Step)?;
        Ok(Bmc {
            work,
            unrolled,
            steps: 1,
            done: BTreeSet::new(),
            had_turn: BTreeSet::new(),
            given_up: BTreeSet::new(),
            rounds: 0,
            slice: None,
            reached: 0,
        })
    }

    fn open(&self) -> Vec<(GoalId, Goal)> {
        let Assignment { ground, board, .. } = self.work;
        let wanted = |(id, _): &&(GoalId, Goal)| board.is_open(*id) && !self.given_up.contains(id);
        ground.goals().iter().filter(wanted).cloned().collect()
    }

    /// Asks about one goal, until it is settled or not reached in so many steps, or the budget ends.
    fn work_on(&mut self, id: GoalId, goal: &Goal, budget: &Budget) {
        let Assignment { ground, board, .. } = self.work;
        let under = ground.under(board, TECHNIQUE);
        if matches!(goal, Goal::Maximise(_)) && under.seen(id).is_none() {
            under.reached(id, FiringSequence::new());
        }
        let (mut leap, mut grows) = (0, true);
        while board.is_open(id) && !budget.is_exhausted() {
            let (predicate, before) = match goal {
                Goal::Reach(predicate) => (Some(predicate.clone()), None),
                Goal::Maximise(sum) => {
                    let seen = under.seen(id);
                    (seen.and_then(|seen| more(sum, seen.checked_add(leap)?)), seen)
                }
                // No engine of single markings is given one.
                Goal::Home(_) => (None, None),
            };
            let Some(predicate) = predicate else {
                if leap > 0 {
                    (leap, grows) = (leap / 2, false);
                    continue;
                }
                self.given_up.insert(id);
                return;
            };
            let holds = self.unrolled.holds(&predicate, self.steps);
            match self.unrolled.ask(&format!("goal {}", id.index()), &[holds], budget) {
                Said::Possible(model) => {
                    self.reached += 1;
                    if let Some(sequence) = self.unrolled.sequence(&model) {
                        under.reached(id, sequence);
                    }
                    let is_as_before = under.seen(id) == before;
                    if board.is_open(id) && is_as_before {
                        let why = "on the way a place would hold more tokens than are counted";
                        board.gave_up(id, "bmc-smt", why);
                        self.given_up.insert(id);
                        return;
                    }
                    leap = if grows { 1 + 2 * leap } else { leap / 2 };
                }
                Said::Impossible if leap > 0 => (leap, grows) = (leap / 2, false),
                Said::Impossible => {
                    self.done.insert(id);
                    return;
                }
                Said::Unfinished => return,
                Said::Unknown(why) => {
                    tracing::info!("bmc-smt: {id:?} after {} steps: {why}", self.steps);
                    self.done.insert(id);
                    return;
                }
            }
        }
    }
}

impl Session for Bmc<'_> {
    fn slice(&mut self, budget: &Budget) -> Progress {
        loop {
            let open = self.open();
            if open.is_empty() {
                return Progress::Finished;
            }
            match self.unrolled.extend_to(self.steps, budget) {
                Extended::ToTheEnd => {}
                Extended::InPart => return Progress::Unfinished,
                Extended::TooLong => {
                    let why = format!("{} steps are too many to be written down", self.steps);
                    open.iter().for_each(|(id, _)| self.work.board.gave_up(*id, "bmc-smt", &why));
                    return Progress::Finished;
                }
            }
            let slice = *self.slice.get_or_insert_with(|| first_slice(budget, open.len()));
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
            if self.rounds >= ROUNDS || self.open().iter().all(|(id, _)| self.done.contains(id)) {
                self.steps *= 2;
                self.rounds = 0;
                self.done.clear();
            }
        }
    }

    fn statistics(&self) -> String {
        let (steps, questions) = (self.unrolled.steps(), self.unrolled.statistics());
        format!("{} reached, {steps} steps, {questions}", self.reached)
    }
}
