//! A stage: the net reduced for the goals that are open, and the way back to the original.
//!
//! Engines work on a stage as on any net. What they say of it goes through the stage's pens: a
//! firing sequence of the reduced net becomes one of the original and is replayed there like every
//! witness; "unreachable" and "at most" carry over by what the reduction preserves, and say so.

use crate::board::{Board, Limit, Over, Technique, Under, WayBack};
use crate::engine::Task;
use crate::evidence::{Proof, ReplayError, Replayer, replay};
use crate::reduction::{BackError, Config, Needs, Reduction, reduce};
use parikh_net::{Facts, FiringSequence, Goal, GoalId, Net, Predicate};
use parikh_solvers::Budget;

/// A reduced net with the goals as they read on it.
pub struct Stage<'n> {
    original: &'n Net,
    reduction: Reduction,
    goals: Vec<(GoalId, Goal)>,
    facts: Facts,
    applications: u64,
    /// For the way back: that of the whole run.
    budget: Budget,
}

impl<'n> Stage<'n> {
    /// Reduces the net of `task` for those of its goals that are open. `None` when nothing is gained
    /// or nothing is open. `learn` finds out bounds of the reduced net.
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
        let config = Config { keep_log: false, ..Config::default() };
        let reduction = reduce(task.net, &needs, budget, &config);
        let statistics = &reduction.statistics;
        if statistics.before == statistics.after {
            return None;
        }
        let applications = statistics.rules.iter().map(|rule| rule.applied).sum();
        let translate = |(id, goal): &&(GoalId, Goal)| {
            let translated = reduction.translate(task.net, goal)?;
            // What engines read on the board of a maximum is in tokens of the original net.
            (translated.constant == 0).then_some((*id, translated.goal))
        };
        let goals: Vec<(GoalId, Goal)> = open.iter().filter_map(translate).collect();
        let facts = learn(&reduction.net, Facts::none(&reduction.net));
        Some(Stage {
            original: task.net,
            reduction,
            goals,
            facts,
            applications,
            budget: task.budget.clone(),
        })
    }

    /// The task on the reduced net.
    pub fn task<'a>(&'a self, board: &'a Board<'a>, budget: &'a Budget, seed: u64) -> Task<'a> {
        let (net, goals, facts) = (&self.reduction.net, &self.goals[..], &self.facts);
        Task { net, goals, facts, board, budget, seed }
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
            Err(error) => return limit_of(error),
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
        let mut limit = None;
        for candidate in self.candidates(goal, reduced) {
            let sequence = match candidate {
                Ok(sequence) => sequence,
                Err(error) => {
                    limit = limit.or(limit_of(error));
                    continue;
                }
            };
            let firings = match goal {
                Goal::Reach(predicate) => self.shown_after(predicate, &sequence),
                Goal::Maximise(_) => u64::try_from(sequence.firings()).ok(),
            };
            if let Some(firings) = firings {
                return Ok(Some((sequence, firings)));
            }
        }
        match limit.or_else(|| self.limit_of(reduced)) {
            Some(limit) => Err(limit),
            None => Ok(None),
        }
    }

    fn pump(
        &self,
        prefix: &FiringSequence,
        pump: &FiringSequence,
    ) -> Result<Option<(FiringSequence, FiringSequence)>, Limit> {
        match self.reduction.back.pump(prefix, pump, &self.budget) {
            Ok(translated) => Ok(Some(translated)),
            Err(error) => limit_of(error).map_or(Ok(None), Err),
        }
    }

    fn proof(&self, proof: Proof) -> Proof {
        Proof::Reduced { applications: self.applications, proof: Box::new(proof) }
    }
}

/// The limit that a sequence met on the way back; `None` when it is wrong.
fn limit_of(error: BackError) -> Option<Limit> {
    match error {
        BackError::TooLong(_) => Some(Limit::Length),
        BackError::OutOfBudget(_) => Some(Limit::Budget),
        BackError::NotEnabled => None,
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
