//! A coloured net worked on as it is, before there is an unfolding or where there is none.
//!
//! ```text
//! plan over the skeleton's nodes ─▶ walks on the coloured net ──────────── witnesses ─▶ board of the
//!        │                               ▲ sequences to follow                      coloured net
//!        └─ each goal weakened ─▶ an ordinary run on the skeleton ── refutations, bounds ─▶ ┘
//! ```
//!
//! The run on the skeleton has a board of its own, where a goal that is reached is one that the skeleton
//! cannot refute; only what it refutes, and bounds, are carried over.

use super::{Config, Event, Hearing, MANY_GOALS, Report, listen, run};
use crate::answer::Plan;
use crate::board::{Board, Knowledge, Reach};
use crate::engine::coloured_walk::{self, Hints};
use crate::evidence::coloured::ColouredModel;
use parikh_net::{Goal, GoalId};
use parikh_solvers::Budget;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};

/// Works on `plan`, which is about the nodes of the model's skeleton as they stand for those of the
/// coloured net, until every question is decided or `budget` is spent.
pub fn run_coloured(
    model: &ColouredModel,
    mut plan: Plan,
    config: &Config,
    budget: &Budget,
    mut tell: impl FnMut(Event<'_>),
) -> Report {
    let mut report = Report::default();
    for answer in plan.vacuous() {
        report.answered += 1;
        tell(Event::Answered(&answer));
    }
    let (settled, hear) = mpsc::channel();
    let budget = budget.child();
    let mut board = Board::of_coloured(model, plan.goals().to_vec())
        .with_listener(settled)
        .with_budget(&budget);
    let many = plan.goals().len() > MANY_GOALS;
    if many && !config.keep_all_witnesses {
        board = board.without_witnesses();
    }
    let mut hearing =
        Hearing { board: &board, plan: &mut plan, report: &mut report, forgets: many };
    let work = Work {
        model,
        board: &board,
        budget: &budget,
        config,
        hints: Hints::default(),
        statistics: Mutex::default(),
        failures: AtomicUsize::new(0),
    };
    if board.open_count() == 0 {
        hearing.give_up(None);
        return report;
    }
    std::thread::scope(|scope| {
        let mut workers = Vec::new();
        for worker in 0..config.threads.max(2) {
            let work = &work;
            let on = move || work.on(worker);
            // As deep as formulas nest.
            match std::thread::Builder::new().stack_size(8 << 20).spawn_scoped(scope, on) {
                Ok(handle) => workers.push(handle),
                Err(error) => tracing::warn!("a worker could not start: {error}"),
            }
        }
        let finished = || workers.iter().all(|worker| worker.is_finished());
        let ended = listen(&mut hearing, &hear, &budget, &finished, &mut tell);
        workers.into_iter().for_each(|worker| drop(worker.join()));
        hearing.take(&hear, &mut tell);
        hearing.give_up(ended);
    });
    report.faults += board.faults() + work.failures.into_inner();
    report.statistics = work.statistics.into_inner().unwrap_or_else(PoisonError::into_inner);
    report
}

/// What the workers share.
struct Work<'w> {
    model: &'w ColouredModel,
    board: &'w Board<'w>,
    budget: &'w Budget,
    config: &'w Config,
    hints: Hints,
    statistics: Mutex<Vec<(String, String)>>,
    failures: AtomicUsize,
}

impl Work<'_> {
    /// What one worker does: the first has the skeleton and then walks, too.
    fn on(&self, worker: usize) {
        let skeleton = || {
            self.skeleton();
            "through".to_owned()
        };
        if worker == 0 && self.model.skeleton().is_complete() {
            self.guarded("skeleton", skeleton);
        }
        let seed = self.config.seed.wrapping_add(worker as u64);
        self.guarded("coloured walk", || {
            coloured_walk::run(self.model, self.board, &self.hints, self.budget, seed)
        });
    }

    fn guarded(&self, name: &str, part: impl FnOnce() -> String) {
        match catch_unwind(AssertUnwindSafe(part)) {
            Ok(text) => {
                tracing::info!("{name}: {text}");
                let mut all = self.statistics.lock().unwrap_or_else(PoisonError::into_inner);
                all.push((name.to_owned(), text));
            }
            Err(_) => {
                self.failures.fetch_add(1, Ordering::Relaxed);
                tracing::error!("internal error: {name} failed");
            }
        }
    }

    /// An ordinary run on the skeleton with each open goal weakened.
    fn skeleton(&self) {
        let skeleton = self.model.skeleton();
        let open = self.board.open_goals();
        let weakened: Vec<Goal> =
            open.iter().map(|&id| skeleton.weakened(self.board.goal(id))).collect();
        let config = Config {
            threads: 1,
            keep_all_witnesses: true,
            keep_documents: false,
            dump: None,
            schedule: None,
            ..self.config.clone()
        };
        let over = self.board.over("SKELETON");
        let report = run(skeleton.net(), Plan::of_goals(weakened), &config, self.budget, |event| {
            let Event::Settled { id, goal, knowledge } = event else { return };
            let id: GoalId = open[id.index()];
            if let Knowledge::Reach(Reach::Reached { witness: Some(witness), .. }) = knowledge
                && self.board.is_open(id)
            {
                self.hints.add(id, witness.to_sequence());
            }
            over.on_skeleton(id, goal, knowledge);
        });
        self.failures.fetch_add(report.faults, Ordering::Relaxed);
    }
}
