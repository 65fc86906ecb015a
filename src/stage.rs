//! A stage: the net reduced for some of the open goals, and the way back to the original.
//!
//! Engines work on a stage as on any net. What they say of it goes through the stage's pens: a
//! firing sequence of the reduced net becomes one of the original and is replayed there like every
//! witness; "unreachable" and "at most" carry over by what the reduction preserves, and say so.
//!
//! A stage has its goals twice: as the reduction translates them, for engines whose proofs are about
//! a goal as it reads; and [shrunk](shrink) by the token intervals of the reduced net, for those that
//! visit markings.

use crate::board::{Board, Limit, Over, Technique, Under, WayBack};
use crate::engine::intervals::{self, Intervals};
use crate::engine::{Task, shrink};
use crate::evidence::{Proof, ReplayError, Replayer, replay};
use crate::reduction::{BackError, Config, Needs, Reduction, reduce};
use parikh_net::{Facts, FiringSequence, Goal, GoalId, Net, Predicate};
use parikh_solvers::Budget;

/// A reduced net with the goals as they read on it.
pub struct Stage<'n> {
    original: &'n Net,
    reduction: Reduction,
    /// By ascending id.
    goals: Vec<(GoalId, Goal)>,
    /// The same, shrunk.
    shrunk: Vec<(GoalId, Goal)>,
    /// The constants that are not 0, of maxima, by ascending id.
    constants: Vec<(GoalId, i128)>,
    facts: Facts,
    intervals: Intervals,
    applications: u64,
    /// For the way back: that of the whole run.
    budget: Budget,
}

impl<'n> Stage<'n> {
    /// Reduces the net of `task` for those of its goals that are open. `None` when nothing is gained
    /// or nothing is open. `learn` finds out bounds of the reduced net, from its place invariants.
    pub fn new(
        task: &Task<'n>,
        budget: &Budget,
        learn: impl FnOnce(&Net, Facts) -> Facts,
    ) -> Option<Stage<'n>> {
        let open: Vec<&(GoalId, Goal)> =
            task.goals.iter().filter(|(id, _)| task.board.is_open(*id)).collect();
        if open.is_empty() {
            return None;
        }
        let needs = Needs::of_goals(task.net, open.iter().map(|(_, goal)| goal));
        let config = Config { keep_log: false, linear: false, ..Config::default() };
        let reduction = reduce(task.net, &needs, budget, &config);
        let statistics = &reduction.statistics;
        if statistics.before == statistics.after {
            return None;
        }
        let applications = statistics.rules.iter().map(|rule| rule.applied).sum();
        let (mut goals, mut constants) = (Vec::new(), Vec::new());
        for (id, goal) in open {
            let Some(translated) = reduction.translate(task.net, goal) else { continue };
            goals.push((*id, translated.goal));
            if translated.constant != 0 {
                constants.push((*id, translated.constant));
            }
        }
        let facts = learn(&reduction.net, Facts::none(&reduction.net));
        let intervals = Intervals::new(&reduction.net, &facts);
        let shrink =
            |(id, goal): &(GoalId, Goal)| (*id, shrink::goal(&reduction.net, &intervals, goal));
        let shrunk = goals.iter().map(shrink).collect();
        Some(Stage {
            original: task.net,
            reduction,
            goals,
            shrunk,
            constants,
            facts,
            intervals,
            applications,
            budget: task.budget.clone(),
        })
    }

    /// The goals that the reduced net expresses; those that were open when it was made, but for
    /// numbers out of range.
    pub fn goals(&self) -> &[(GoalId, Goal)] {
        &self.goals
    }

    /// The reduction it rests on.
    pub fn reduction(&self) -> &Reduction {
        &self.reduction
    }

    /// The task on the reduced net, goals as they are translated.
    pub fn task<'a>(&'a self, board: &'a Board<'a>, budget: &'a Budget, seed: u64) -> Task<'a> {
        let (net, goals, facts) = (&self.reduction.net, &self.goals[..], &self.facts);
        Task { net, goals, facts, board, budget, seed }
    }

    /// The task on the reduced net, goals shrunk: for engines that visit markings of it.
    pub fn shrunk_task<'a>(
        &'a self,
        board: &'a Board<'a>,
        budget: &'a Budget,
        seed: u64,
    ) -> Task<'a> {
        Task { goals: &self.shrunk, ..self.task(board, budget, seed) }
    }

    /// Settles what the reduction found out by itself, in passing: the goals that token intervals of
    /// the reduced net decide, and every open goal on the board that asks whether a transition found
    /// dead can fire, or a place found constant can change.
    pub fn settle(&self, board: &Board<'_>, budget: &Budget) {
        let (under, over) = (self.under(board, "INITIAL_STATE"), self.over(board, "TOPOLOGICAL"));
        let task = self.task(board, budget, 0);
        intervals::settle(&self.intervals, &task, under, over);
        let Reduction { dead_transitions, constant_places, .. } = &self.reduction;
        if dead_transitions.is_empty() && constant_places.is_empty() {
            return;
        }
        for id in board.open_goals() {
            if let Goal::Reach(predicate) = board.goal(id)
                && let Some(reason) = self.never(predicate)
            {
                over.unreachable(id, Proof::Trivial { reason });
            }
        }
    }

    /// Why no marking satisfies a predicate about one node that the reduction found dead or constant.
    fn never(&self, predicate: &Predicate) -> Option<String> {
        let Reduction { dead_transitions, constant_places, .. } = &self.reduction;
        if let Predicate::Enabled(t) = predicate {
            let name = self.original.transition_name(*t);
            let dead = dead_transitions.binary_search(t).is_ok();
            return dead.then(|| format!("transition `{name}` is dead"));
        }
        let place = predicate.only_place()?;
        let at = constant_places.binary_search_by_key(&place, |&(place, _)| place).ok()?;
        // Constant since the initial marking, so that is all there is to ask.
        let holds = predicate.holds(self.original, self.original.initial());
        let name = self.original.place_name(place);
        let tokens = constant_places[at].1;
        (!holds).then(|| format!("place `{name}` holds {tokens} tokens for ever"))
    }

    /// The pen for what is reachable in the reduced net.
    pub fn under<'a>(&'a self, board: &'a Board<'a>, by: Technique) -> Under<'a> {
        board.under(by).through(self)
    }

    /// The pen for what is not.
    pub fn over<'a>(&'a self, board: &'a Board<'a>, by: Technique) -> Over<'a> {
        board.over(by).through(self)
    }

    /// What may be the witness of a goal, best first: the translated sequence, and, where enabledness
    /// is asked, the sequence with one more firing of what carries a transition asked for: a composed
    /// transition fires it in its middle.
    fn candidates(
        &self,
        goal: &Goal,
        sequence: &FiringSequence,
    ) -> impl Iterator<Item = Result<FiringSequence, BackError>> {
        let (back, budget) = (&self.reduction.back, &self.budget);
        let mut asked = Vec::new();
        let mut asks_deadness = false;
        if let Goal::Reach(predicate) = goal {
            mark_enabled(predicate, &mut asked);
            asks_deadness = predicate.mentions_deadness();
        }
        let first = move || match asks_deadness {
            true => back.deadlock(self.original, sequence, budget),
            false => back.sequence(sequence, budget),
        };
        let carriers = asked.into_iter().flat_map(|transition| {
            self.reduction.firing(transition).map_or(&[][..], |firing| firing.carriers())
        });
        let longer = carriers.map(move |&carrier| {
            let mut longer = sequence.clone();
            longer.push(carrier, 1);
            back.sequence(&longer, budget)
        });
        std::iter::once_with(first).chain(longer)
    }

    /// What keeps `sequence` from having a counterpart on the original net. A reduced net need not
    /// have the places that bound what can fire by what they can hold.
    fn limit_of(&self, sequence: &FiringSequence) -> Option<Limit> {
        let translated = match self.reduction.back.sequence(sequence, &self.budget) {
            Ok(translated) => translated,
            Err(BackError::TooLong(_)) => return Some(Limit::Length),
            Err(BackError::OutOfBudget(_)) => return Some(Limit::Budget),
            Err(BackError::NotEnabled) => return None,
        };
        match replay(self.original, &translated) {
            Err(ReplayError::Overflow { .. }) => Some(Limit::Tokens),
            _ => None,
        }
    }

    /// How many firings of `sequence` lead to a marking that satisfies `predicate`; looked for at
    /// its end first, then from its beginning.
    fn shown_after(&self, predicate: &Predicate, sequence: &FiringSequence) -> Option<u64> {
        let total = u64::try_from(sequence.firings()).ok()?;
        let mut replayer = Replayer::new(self.original);
        let mut first = predicate.holds(self.original, replayer.marking()).then_some(0);
        for &step in sequence.steps() {
            replayer.fire(step).ok()?;
            if first.is_none() && predicate.holds(self.original, replayer.marking()) {
                first = Some(replayer.fired());
            }
        }
        if predicate.holds(self.original, replayer.marking()) { Some(total) } else { first }
    }
}

/// The transitions whose enabledness `predicate` asks for outside of conjunctions.
fn mark_enabled(predicate: &Predicate, asked: &mut Vec<parikh_net::TransitionId>) {
    match predicate {
        Predicate::Enabled(t) => asked.push(*t),
        Predicate::Or(parts) => parts.iter().for_each(|part| mark_enabled(part, asked)),
        _ => {}
    }
}

impl WayBack for Stage<'_> {
    fn sequence(
        &self,
        goal: &Goal,
        reduced: &FiringSequence,
    ) -> Result<Option<(FiringSequence, u64)>, Limit> {
        for candidate in self.candidates(goal, reduced) {
            let sequence = match candidate {
                Ok(sequence) => sequence,
                Err(BackError::OutOfBudget(_)) => return Err(Limit::Budget),
                Err(BackError::TooLong(_) | BackError::NotEnabled) => continue,
            };
            let firings = match goal {
                Goal::Reach(predicate) => self.shown_after(predicate, &sequence),
                Goal::Maximise(_) => u64::try_from(sequence.firings()).ok(),
            };
            if let Some(firings) = firings {
                return Ok(Some((sequence, firings)));
            }
        }
        self.limit_of(reduced).map_or(Ok(None), Err)
    }

    fn pump(
        &self,
        prefix: &FiringSequence,
        pump: &FiringSequence,
    ) -> Result<Option<(FiringSequence, FiringSequence)>, Limit> {
        match self.reduction.back.pump(prefix, pump, &self.budget) {
            Ok(translated) => Ok(Some(translated)),
            Err(BackError::TooLong(_)) => Err(Limit::Length),
            Err(BackError::OutOfBudget(_)) => Err(Limit::Budget),
            Err(BackError::NotEnabled) => Ok(None),
        }
    }

    fn proof(&self, proof: Proof) -> Proof {
        Proof::Reduced { applications: self.applications, proof: Box::new(proof) }
    }

    fn constant(&self, goal: GoalId) -> i128 {
        let at = self.constants.binary_search_by_key(&goal, |&(id, _)| id);
        at.map_or(0, |at| self.constants[at].1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::{TransitionId, text};

    /// Four firings are fine on the reduced net, which has no q; on the original the second one is
    /// beyond what is counted.
    #[test]
    fn a_way_back_beyond_the_token_limit_is_no_bug_and_no_verdict() {
        let net =
            text::parse("place p 4\nplace q\ntransition t: p -> 4611686018427387904*q").unwrap();
        let empty = Predicate::no_more_than(net.place_named("p").unwrap(), 0);
        let goals = vec![Goal::Reach(empty)];
        let (board, facts, budget) =
            (Board::new(&net, goals.clone()), Facts::none(&net), Budget::unlimited());
        let goals = [(GoalId::new(0), goals[0].clone())];
        let task = Task {
            net: &net,
            goals: &goals,
            facts: &facts,
            board: &board,
            budget: &budget,
            seed: 1,
        };
        let stage = Stage::new(&task, &budget, |_, facts| facts).unwrap();
        let reduced = &stage.reduction.net;
        assert_eq!((reduced.place_count(), reduced.transition_count()), (1, 1));
        let four = [TransitionId::new(0); 4].into_iter().collect();
        stage.under(&board, "TEST").reached(GoalId::new(0), four);
        assert_eq!((board.faults(), board.overflowed()), (0, true));
        assert!(board.is_open(GoalId::new(0)));
        // One firing leaves tokens on either net: that is a bug of whoever said so.
        let bogus = [TransitionId::new(0); 1].into_iter().collect();
        stage.under(&board, "TEST").reached(GoalId::new(0), bogus);
        assert_eq!(board.faults(), 1);
    }
}
