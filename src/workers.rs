//! The workers: which engine runs when, on which net.
//!
//! ```text
//! first worker     walk a little ─▶ walk the shared reduced net ─▶ rounds: walk each goal's net,
//!                  then the original
//! second worker    siphons and traps ─▶ state equation ─▶ search the shared reduced net
//!                  ─▶ rounds: each goal's net; state equation on; until nothing moves ─▶ walk
//! other workers    walk, each with a seed of its own
//! one thread       the second worker, with a short walk before everything
//! ```
//!
//! The original net comes first, because what is settled there has the simplest evidence. Then the
//! net is reduced for all goals that are open by then together, once: engines that see all goals at
//! once are cheap. What is left is hard, and gets turns in rounds: every [group](crate::groups) of
//! goals has the net reduced for it alone, and on it intervals, the state equation and a search, for
//! a slice of 2, 8, 32 … seconds, or its part of what is left when that is less. So no hard goal
//! starves the rest, and goals settled meanwhile protect nothing any more. A panic in an engine costs
//! what that engine was at, nothing else.

use crate::engine::state_equation::{self, Progress};
use crate::engine::{Task, siphon_trap, walk};
use crate::pipeline::Config;
use crate::stage::Stage;
use crate::{explicit, groups};
use parikh_net::{Facts, Goal, GoalId, Net};
use parikh_solvers::Budget;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// What is done for a group of goals when it has its turn, in the time it has.
type Turn<'f> = dyn Fn(&[(GoalId, Goal)], &Budget) + 'f;

/// By how much slices grow from round to round.
const GROWTH: u32 = 4;

/// What all workers of a run share.
pub(crate) struct Crew<'a> {
    task: &'a Task<'a>,
    /// The goals of the task, shrunk by intervals that rest on nothing assumed.
    shrunk: Vec<(GoalId, Goal)>,
    config: &'a Config,
    equations: state_equation::Config,
    learn: fn(&Net, Facts, &Budget) -> Facts,
    note: &'a (dyn Fn(&'static str, String) + Sync),
    stage: OnceLock<Option<Stage<'a>>>,
}

impl<'a> Crew<'a> {
    /// A crew for `task`; `shrunk` has its goals in the same order. `learn` finds out bounds of a net;
    /// `note` is told what engines did.
    pub(crate) fn new(
        task: &'a Task<'a>,
        shrunk: Vec<(GoalId, Goal)>,
        config: &'a Config,
        equations: state_equation::Config,
        learn: fn(&Net, Facts, &Budget) -> Facts,
        note: &'a (dyn Fn(&'static str, String) + Sync),
    ) -> Self {
        Crew { task, shrunk, config, equations, learn, note, stage: OnceLock::new() }
    }

    /// What one worker does, by its number.
    pub(crate) fn work(&self, worker: usize) {
        let proves = self.config.threads <= 1 || worker == 1;
        if self.config.only_turns {
            return self.take_turns(worker, Equation { crew: self, engine: None }, true);
        }
        if worker == 0 {
            self.walk(self.part(if proves { 0.1 } else { 0.15 }), worker, None);
        }
        if proves {
            self.prove(worker);
        } else if worker == 0 && self.stage().is_some() {
            self.walk(self.part(0.4), worker, self.stage());
            self.rounds(0.6, |group, budget| self.walk_group(group, budget, worker));
        }
        self.walk(self.task.budget.child(), worker, None);
    }

    /// The proving side, with searches and walks between.
    fn prove(&self, worker: usize) {
        self.guarded("siphon-trap", || {
            let budget = self.part(0.15);
            let task = Task { budget: &budget, ..*self.task };
            siphon_trap::run(&task, task.board.over("SIPHON_TRAP"))
        });
        // Proofs of the state equation come fast or not at all, so it goes first; what it has not
        // finished by then it goes on with in slices that grow, between the other engines' turns.
        let mut equation = Equation { crew: self, engine: None };
        let finished = equation.slice(self.part(0.4).slice(Duration::from_secs(20)));
        self.search(self.part(0.3), self.stage());
        self.take_turns(worker, equation, finished);
    }

    /// Rounds of turns, with the state equation of the original net going on in slices that grow
    /// between them, until neither has anything more to do.
    fn take_turns(&self, worker: usize, mut equation: Equation<'_, '_>, mut finished: bool) {
        let mut round = 0;
        while !self.is_over() {
            let share = match (finished, self.config.threads) {
                (false, _) => 0.5,
                (true, 0..=1) => 0.7,
                (true, _) => 1.0,
            };
            let moved = self.round(round, share, &|group, budget| self.turn(group, budget, worker));
            if finished && !moved {
                break;
            }
            if !finished {
                let longest = self.config.first_turn * 8 * 2u32.saturating_pow(round);
                finished = equation.slice(self.part(0.5).slice(longest));
                self.walk(self.task.budget.slice(longest / 2), worker, self.stage());
            }
            round += 1;
        }
    }

    /// Rounds until nothing moves, within a share of the time that is left now.
    fn rounds(&self, share: f64, turn: impl Fn(&[(GoalId, Goal)], &Budget)) {
        let end = self.part(share);
        let mut round = 0;
        while !self.is_over() && !end.is_exhausted() && self.round(round, 1.0, &turn) {
            round += 1;
        }
    }

    /// One turn for every group of open goals, in at most a share of the time that is left. Whether
    /// another round may help: a goal was settled, or a turn could have used more time.
    fn round(&self, round: u32, share: f64, turn: &Turn<'_>) -> bool {
        let board = self.task.board;
        let open: Vec<(GoalId, Goal)> =
            self.task.goals.iter().filter(|(id, _)| board.is_open(*id)).cloned().collect();
        let groups = groups::of(self.task.net, &open);
        let end = self.part(share);
        let mut moved = false;
        for (at, group) in groups.iter().enumerate() {
            let goals: Vec<(GoalId, Goal)> = group.iter().map(|&at| open[at].clone()).collect();
            let wanted = self.config.first_turn * GROWTH.saturating_pow(round);
            let slice = match end.remaining() {
                // What would be left is too short for another round, so it is given out in this one.
                Some(left) => {
                    let part = left / (groups.len() - at) as u32;
                    if part < wanted * 2 { part } else { wanted }
                }
                None => wanted,
            };
            let budget = end.slice(slice);
            if self.is_over() {
                return false;
            }
            let before = board.version();
            turn(&goals, &budget);
            moved |= budget.is_exhausted() || board.version() != before;
        }
        moved
    }

    /// One group's turn, proving and searching on the net reduced for it.
    fn turn(&self, goals: &[(GoalId, Goal)], budget: &Budget, worker: usize) {
        let start = Instant::now();
        let task = Task { goals, ..*self.task };
        let Some(stage) = self.reduced(&task, &share_of(budget, 0.4)) else {
            return self.search_for(goals, budget);
        };
        if self.config.threads <= 1 {
            self.walk(share_of(budget, 0.25), worker, Some(&stage));
        }
        self.guarded("state equation, reduced", || {
            let budget = share_of(budget, 0.4);
            let task = stage.task(self.task.board, &budget, self.task.seed);
            let over = stage.over(self.task.board, "STATE_EQUATION");
            state_equation::run(&task, over, &self.equations).to_string()
        });
        self.search(budget.child(), Some(&stage));
        let expressed = |id: &GoalId| stage.goals().iter().any(|(known, _)| known == id);
        let others: Vec<_> = goals.iter().filter(|(id, _)| !expressed(id)).cloned().collect();
        if !others.is_empty() {
            self.search_for(&others, budget);
        }
        tracing::debug!(
            "turn: {} goals, {} transitions, {:.2?}",
            goals.len(),
            stage.reduction().net.transition_count(),
            start.elapsed()
        );
    }

    /// One group's turn, walking on the net reduced for it.
    fn walk_group(&self, goals: &[(GoalId, Goal)], budget: &Budget, worker: usize) {
        let task = Task { goals, ..*self.task };
        if let Some(stage) = self.reduced(&task, &share_of(budget, 0.4)) {
            self.walk(budget.child(), worker, Some(&stage));
        }
    }

    fn is_over(&self) -> bool {
        self.task.board.open_count() == 0 || self.task.budget.is_exhausted()
    }

    /// A share of the time that is left.
    fn part(&self, share: f64) -> Budget {
        share_of(self.task.budget, share)
    }

    /// Runs an engine; its panic is logged and costs what it was at.
    fn guarded(&self, name: &'static str, engine: impl FnOnce() -> String) {
        if self.is_over() {
            return;
        }
        match catch_unwind(AssertUnwindSafe(engine)) {
            Ok(text) => (self.note)(name, text),
            Err(_) => tracing::error!("internal error: {name} failed; its goals stay open"),
        }
    }

    /// The net reduced for the goals that are open when it is first asked for; whoever asks while
    /// it is being made waits.
    fn stage(&self) -> Option<&Stage<'a>> {
        let stage = self.stage.get_or_init(|| {
            if self.is_over() || self.task.board.open_count() > groups::LARGEST {
                return None;
            }
            self.reduced(self.task, &self.part(0.15))
        });
        stage.as_ref()
    }

    /// The net of `task` reduced for its open goals; what that settles by itself is settled.
    fn reduced<'t>(&self, task: &Task<'t>, budget: &Budget) -> Option<Stage<'t>> {
        let make = || {
            let stage = Stage::new(task, budget, |net, facts| (self.learn)(net, facts, budget))?;
            stage.settle(task.board, budget);
            Some(stage)
        };
        catch_unwind(AssertUnwindSafe(make)).unwrap_or_else(|_| {
            tracing::error!("internal error: the reduction failed; going on without it");
            None
        })
    }

    fn walk(&self, budget: Budget, worker: usize, stage: Option<&Stage<'_>>) {
        let seed = self.task.seed.wrapping_add(worker as u64);
        let board = self.task.board;
        let name = if stage.is_some() { "walk, reduced" } else { "walk" };
        self.guarded(name, || {
            let (task, under) = match stage {
                Some(stage) => {
                    (stage.shrunk_task(board, &budget, seed), stage.under(board, "RANDOM_WALK"))
                }
                None => {
                    let task = Task { goals: &self.shrunk, budget: &budget, seed, ..*self.task };
                    (task, board.under("RANDOM_WALK"))
                }
            };
            let statistics = walk::run(&task, under, &walk::Config::default());
            format!(
                "{} firings, {} restarts, {} goals reached, {} maxima raised",
                statistics.firings,
                statistics.restarts,
                statistics.reached,
                statistics.improvements
            )
        });
    }

    /// Searches the stage, or the original net for all goals.
    fn search(&self, budget: Budget, stage: Option<&Stage<'_>>) {
        let (board, seed) = (self.task.board, self.task.seed);
        let Some(stage) = stage else {
            return self.search_for(&self.shrunk, &budget);
        };
        self.guarded("explicit, reduced", || {
            let task = stage.shrunk_task(board, &budget, seed);
            let (under, over) = (stage.under(board, "EXPLICIT"), stage.over(board, "EXPLICIT"));
            let statistics = explicit::run(&task, under, over, &explicit::Config::default());
            summary(&statistics)
        });
    }

    /// Searches the original net for these goals.
    fn search_for(&self, goals: &[(GoalId, Goal)], budget: &Budget) {
        let board = self.task.board;
        self.guarded("explicit", || {
            let task = Task { goals, budget, ..*self.task };
            let (under, over) = (board.under("EXPLICIT"), board.over("EXPLICIT"));
            let statistics = explicit::run(&task, under, over, &explicit::Config::default());
            summary(&statistics)
        });
    }
}

fn summary(statistics: &explicit::Statistics) -> String {
    format!(
        "{} searches, {} of them to the end, {} states, {} firings, {:.1} bytes a state",
        statistics.searches,
        statistics.exhausted,
        statistics.states,
        statistics.firings,
        statistics.bytes_per_state()
    )
}

/// A share of what is left of a budget.
fn share_of(budget: &Budget, share: f64) -> Budget {
    match budget.remaining() {
        Some(left) => budget.slice(left.mul_f64(share)),
        None => budget.slice(Duration::from_secs(10)),
    }
}

/// The state equation between its slices.
struct Equation<'c, 'a> {
    crew: &'c Crew<'a>,
    engine: Option<state_equation::Engine<'a>>,
}

impl Equation<'_, '_> {
    /// Goes on for a slice; whether there is nothing left to do.
    fn slice(&mut self, budget: Budget) -> bool {
        let crew = self.crew;
        let mut finished = true;
        let slice = AssertUnwindSafe(|| {
            if self.engine.is_none() {
                match state_equation::Engine::new(crew.task, &crew.equations) {
                    Ok(new) => self.engine = Some(new),
                    Err(error) => tracing::warn!("state equation: {error}"),
                }
            }
            if let Some(engine) = &mut self.engine {
                let over = crew.task.board.over("STATE_EQUATION");
                finished = engine.slice(&budget, crew.task, over) == Progress::Finished;
                (crew.note)("state equation", engine.statistics().to_string());
            }
        });
        if catch_unwind(slice).is_err() {
            tracing::error!("internal error: the state equation failed; its goals stay open");
            self.engine = None;
            return true;
        }
        finished
    }
}
