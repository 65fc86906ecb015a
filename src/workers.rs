//! The workers: which engine runs when, on which net.
//!
//! ```text
//! first worker     walk a little ─▶ walk on the reduced net ─▶ walk on, either net
//! second worker    siphons and traps ─▶ state equation, walks along its candidates ─▶ search the
//!                  reduced net ─▶ state equation on in growing slices, walks between
//! other workers    walk, each with a seed of its own
//! one thread       the second worker, with a short walk before everything
//! ```
//!
//! The original net comes first, because what is settled there has the simplest evidence; the net is
//! reduced once, for the goals that are open by then. A panic in an engine costs what that engine
//! was at, nothing else.

use crate::engine::state_equation::{self, Progress};
use crate::engine::{Task, intervals, siphon_trap, walk};
use crate::explicit;
use crate::stage::Stage;
use parikh_net::{Facts, Net};
use parikh_solvers::Budget;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::time::Duration;

/// Above this many open goals the net is not reduced: every goal protects its places, so that there
/// is little to gain, and each witness is translated by itself.
const FEW_GOALS: usize = 400;

/// What all workers of a run share.
pub(crate) struct Crew<'a> {
    task: &'a Task<'a>,
    threads: usize,
    equations: state_equation::Config,
    learn: fn(&Net, Facts, &Budget) -> Facts,
    note: &'a (dyn Fn(&'static str, String) + Sync),
    stage: OnceLock<Option<Stage<'a>>>,
}

impl<'a> Crew<'a> {
    /// A crew for `task`. `learn` finds out bounds of a net; `note` is told what engines did.
    pub(crate) fn new(
        task: &'a Task<'a>,
        threads: usize,
        equations: state_equation::Config,
        learn: fn(&Net, Facts, &Budget) -> Facts,
        note: &'a (dyn Fn(&'static str, String) + Sync),
    ) -> Self {
        Crew { task, threads, equations, learn, note, stage: OnceLock::new() }
    }

    /// What one worker does, by its number.
    pub(crate) fn work(&self, worker: usize) {
        let proves = self.threads <= 1 || worker == 1;
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
        let share = match (finished, self.threads, stage) {
            (false, ..) => 0.3,
            (true, 0..=1, _) => 0.6,
            (true, _, Some(_)) => 0.8,
            (true, _, None) => 1.0,
        };
        self.search(self.part(share), stage);
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

    fn is_over(&self) -> bool {
        self.task.board.open_count() == 0 || self.task.budget.is_exhausted()
    }

    /// A share of the time that is left.
    fn part(&self, share: f64) -> Budget {
        match self.task.budget.remaining() {
            Some(left) => self.task.budget.slice(left.mul_f64(share)),
            None => self.task.budget.slice(Duration::from_secs(10)),
        }
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
            if self.is_over() || self.task.board.open_count() > FEW_GOALS {
                return None;
            }
            let budget = self.part(0.15);
            let make =
                || Stage::new(self.task, &budget, |net, facts| (self.learn)(net, facts, &budget));
            let stage = catch_unwind(AssertUnwindSafe(make)).unwrap_or_else(|_| {
                tracing::error!("internal error: the reduction failed; going on without it");
                None
            })?;
            self.guarded("intervals, reduced", || {
                let task = stage.task(self.task.board, &budget, self.task.seed);
                let (under, over) = (
                    stage.under(task.board, "INITIAL_STATE"),
                    stage.over(task.board, "TOPOLOGICAL"),
                );
                let basis = intervals::Basis { uses_flows: true, ..Default::default() };
                intervals::run(&task, under, over, basis);
                format!("{} goals left", task.board.open_count())
            });
            Some(stage)
        });
        stage.as_ref()
    }

    fn walk(&self, budget: Budget, worker: usize, stage: Option<&Stage<'a>>) {
        let seed = self.task.seed.wrapping_add(worker as u64);
        let board = self.task.board;
        let name = if stage.is_some() { "walk, reduced" } else { "walk" };
        self.guarded(name, || {
            let (task, under) = match stage {
                Some(stage) => {
                    (stage.task(board, &budget, seed), stage.under(board, "RANDOM_WALK"))
                }
                None => (Task { budget: &budget, seed, ..*self.task }, board.under("RANDOM_WALK")),
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

    fn search(&self, budget: Budget, stage: Option<&Stage<'a>>) {
        let board = self.task.board;
        let name = if stage.is_some() { "explicit, reduced" } else { "explicit" };
        self.guarded(name, || {
            let (task, under, over) = match stage {
                Some(stage) => (
                    stage.task(board, &budget, self.task.seed),
                    stage.under(board, "EXPLICIT"),
                    stage.over(board, "EXPLICIT"),
                ),
                None => (
                    Task { budget: &budget, ..*self.task },
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
