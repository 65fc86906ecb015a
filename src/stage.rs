//! A stage: the net reduced for the goals that are open, and the way back to the original.
//!
//! Engines work on a stage as on any net. What they say of it goes through the stage's pens: a
//! firing sequence of the reduced net becomes one of the original and is replayed there like every
//! witness; "unreachable" and "at most" carry over by what the reduction preserves, and say so.

use crate::board::{Board, Over, Technique, Under, Untold, WayBack};
use crate::engine::Task;
use crate::evidence::{Proof, Replayer};
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
    ) -> Result<(FiringSequence, u64), Untold> {
        let mut untold = Untold::Wrong;
        for candidate in self.candidates(goal, reduced) {
            let sequence = match candidate.map_err(why) {
                Ok(sequence) => sequence,
                Err(Untold::TooLong) => {
                    untold = Untold::TooLong;
                    continue;
                }
                Err(Untold::Wrong) => continue,
            };
            let firings = match goal {
                Goal::Reach(predicate) => self.shown_after(predicate, &sequence),
                Goal::Maximise(_) => u64::try_from(sequence.firings()).ok(),
            };
            if let Some(firings) = firings {
                return Ok((sequence, firings));
            }
        }
        Err(untold)
    }

    fn pump(
        &self,
        prefix: &FiringSequence,
        pump: &FiringSequence,
    ) -> Result<(FiringSequence, FiringSequence), Untold> {
        self.reduction.back.pump(prefix, pump, &self.budget).map_err(why)
    }

    fn proof(&self, proof: Proof) -> Proof {
        Proof::Reduced { applications: self.applications, proof: Box::new(proof) }
    }
}

fn why(error: BackError) -> Untold {
    match error {
        BackError::TooLong(_) | BackError::OutOfBudget(_) => Untold::TooLong,
        BackError::NotEnabled => Untold::Wrong,
    }
}
