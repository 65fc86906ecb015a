//! The workers: which engine runs when, on which net.
//!
//! ```text
//! first worker     walk a little ─▶ walk on the reduced net ─▶ walk on, either net
//! second worker    siphons and traps ─▶ state equation, walks along its candidates ─▶ turns,
//!                  search the reduced net ─▶ state equation on in growing slices, walks between
//! other workers    walk, each with a seed of its own
//! one thread       the second worker, with a short walk before everything
//! ```
//!
//! The original net comes first, because what is settled there has the simplest evidence. Then the
//! net is reduced for the goals that are open by then together, once: engines that see all goals at
//! once are cheap. When the search is about to begin, fewer may be open, and some of them about a
//! corner of the net: those whose net, reduced for them alone, is clearly smaller get turns on it,
//! in a third of the time of the search. A panic in an engine costs what that engine was at, nothing
//! else.

use crate::engine::state_equation::{self, Progress};
use crate::engine::{Task, siphon_trap, walk};
use crate::pipeline::Config;
use crate::stage::Stage;
use crate::{explicit, groups};
use parikh_net::{Facts, Goal, GoalId, Net};
use parikh_solvers::Budget;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::time::Duration;

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
            self.take_turns(&self.corners(None), &self.part(1.0), worker);
            return self.search(self.task.budget.child(), None);
        }
        if worker == 0 {
            self.walk(self.part(if proves { 0.1 } else { 0.15 }), worker, None);
        }
        if proves {
            self.prove(worker);
        } else if worker == 0 && self.stage().is_some() {
            self.walk(self.part(0.7), worker, self.stage());
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
        let mut finished = equation.slice(self.part(0.4).slice(Duration::from_secs(20)));
        self.follow(&equation, worker);
        if finished && equation.deepen() {
            finished = equation.slice(self.part(0.3).slice(Duration::from_secs(20)));
        }
        let stage = self.stage();
        let share = match (finished, self.config.threads, stage) {
            (false, ..) => 0.3,
            (true, 0..=1, _) => 0.6,
            (true, _, Some(_)) => 0.8,
            (true, _, None) => 1.0,
        };
        self.search_with_turns(share, stage, worker);
        let mut longest = Duration::from_secs(30);
        while !finished && !self.is_over() {
            finished = equation.slice(self.part(0.5).slice(longest));
            self.follow(&equation, worker);
            self.walk(self.task.budget.slice(longest / 2), worker, stage);
            longest *= 2;
        }
        // Goals that the reduced net does not express are still to be searched for.
        if stage.is_some() {
            self.search(self.part(0.5), None);
        }
    }

    /// Searches for a share of the time that is left. A third of it is for turns, if there are any:
    /// either a small net is done soon, or it is no better than the shared one.
    fn search_with_turns(&self, share: f64, stage: Option<&Stage<'_>>, worker: usize) {
        let corners = self.corners(stage);
        let end = self.part(share);
        self.take_turns(&corners, &share_of(&end, 0.33), worker);
        self.search(end, stage);
    }

    fn take_turns(&self, corners: &[Vec<(GoalId, Goal)>], end: &Budget, worker: usize) {
        for (at, goals) in corners.iter().enumerate() {
            self.turn(goals, &share_of(end, 1.0 / (corners.len() - at) as f64), worker);
        }
    }

    /// The groups of open goals that deserve a turn: the net reduced for them alone is clearly
    /// smaller than the shared one. Finding out costs at most a tenth of the time that is left.
    fn corners(&self, stage: Option<&Stage<'_>>) -> Vec<Vec<(GoalId, Goal)>> {
        let board = self.task.board;
        let mut open = self.task.goals.to_vec();
        open.retain(|(id, _)| board.is_open(*id));
        let mut groups = groups::of(self.task.net, &open);
        let end = self.part(0.1);
        let shared = stage.map_or(self.task.net, |stage| &stage.reduction().net);
        let most = shared.transition_count() as f64 * self.config.turns_below;
        let mut left = groups.len();
        groups.retain(|goals| {
            let budget = share_of(&end, 1.0 / left as f64);
            left -= 1;
            let stage = self.reduced(&Task { goals, ..*self.task }, &budget);
            stage.is_some_and(|stage| stage.reduction().net.transition_count() as f64 <= most)
        });
        tracing::info!("turns: {} groups of {} open goals", groups.len(), open.len());
        groups
    }

    /// A group's turn: searching, proving and walking on the net reduced for it.
    fn turn(&self, goals: &[(GoalId, Goal)], budget: &Budget, worker: usize) {
        let task = Task { goals, ..*self.task };
        // Made a second time, so that only one is in memory, and for what is still open.
        let Some(stage) = self.reduced(&task, &share_of(budget, 0.4)) else { return };
        let board = self.task.board;
        let is_settled = || goals.iter().all(|(id, _)| !board.is_open(*id));
        self.search(share_of(budget, 0.6), Some(&stage));
        if is_settled() {
            return;
        }
        let walks = self.config.threads <= 1;
        self.guarded("state equation, reduced", || {
            let budget = share_of(budget, if walks { 0.5 } else { 1.0 });
            let task = stage.task(board, &budget, self.task.seed);
            let over = stage.over(board, "STATE_EQUATION");
            // Its questions would be dumped as if they were about the original net.
            let config = state_equation::Config { dump: None, ..self.equations.clone() };
            state_equation::run(&task, over, &config).to_string()
        });
        if walks && !is_settled() {
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
        if self.is_over() {
            return None;
        }
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

    /// Walks along the solutions that the state equation could not exclude.
    fn follow(&self, equation: &Equation<'_, 'a>, worker: usize) {
        let hints = equation.hints();
        if hints.is_empty() {
            return;
        }
        let budget = self.part(0.1).slice(Duration::from_secs(30));
        self.guarded("walk, guided", || {
            let seed = self.task.seed.wrapping_add(worker as u64);
            let task = Task { budget: &budget, seed, ..*self.task };
            let config = walk::Config {
                work: hints.iter().map(|hint| walk::work_for(hint, hints.len())).sum(),
                hints,
                only: Some(vec![walk::Strategy::Guided]),
                ..Default::default()
            };
            let statistics = walk::run(&task, task.board.under("PARIKH_WALK"), &config);
            format!(
                "{} firings, {} restarts, {} goals reached, {} maxima raised",
                statistics.firings,
                statistics.restarts,
                statistics.reached,
                statistics.improvements
            )
        });
    }

    fn search(&self, budget: Budget, stage: Option<&Stage<'_>>) {
        let board = self.task.board;
        let name = if stage.is_some() { "explicit, reduced" } else { "explicit" };
        self.guarded(name, || {
            let (task, under, over) = match stage {
                Some(stage) => (
                    stage.shrunk_task(board, &budget, self.task.seed),
                    stage.under(board, "EXPLICIT"),
                    stage.over(board, "EXPLICIT"),
                ),
                None => (
                    Task { goals: &self.shrunk, budget: &budget, ..*self.task },
                    board.under("EXPLICIT"),
                    board.over("EXPLICIT"),
                ),
            };
            let statistics = explicit::run(&task, under, over, &explicit::Config::default());
            format!(
                "{} searches, {} of them to the end, {} states, {} firings, {:.1} bytes a state",
                statistics.searches,
                statistics.exhausted,
                statistics.states,
                statistics.firings,
                statistics.bytes_per_state()
            )
        });
    }
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
    /// What it could not exclude, for open goals.
    fn hints(&self) -> Vec<walk::Hint> {
        let candidates = self.engine.iter().flat_map(|engine| engine.candidates());
        let open = candidates.filter(|candidate| self.crew.task.board.is_open(candidate.goal));
        open.map(|candidate| walk::Hint { goal: candidate.goal, firings: candidate.firings })
            .collect()
    }

    /// Has more refined what it could not exclude; whether there is anything to refine.
    fn deepen(&mut self) -> bool {
        let task = self.crew.task;
        self.engine.as_mut().is_some_and(|engine| engine.deepen(task))
    }

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
