//! Worker threads on a board, and the calling thread, which receives the settled goals.

use super::event::{EngineAtWork, EngineTurn, Event, RunReport};
use super::question_tracker::QuestionTracker;
use parikh_net::GoalId;
use parikh_solvers::{Budget, ExhaustionReason};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread::ScopedJoinHandle;
use std::time::{Duration, Instant};

/// Interval of [`Event::Waiting`] events while no goal is settled.
const TICK: Duration = Duration::from_millis(20);

/// Time for engines to stop after the cancellation of their budget. If no later stage can follow,
/// engines that work longer are reported by an [`Event::Overrun`].
const GRACE: Duration = Duration::from_millis(200);

/// A team of workers. Each worker runs on its own thread.
pub(super) trait WorkerTeam: Sync {
    /// Returns the number of threads.
    fn threads(&self) -> usize;

    /// Runs the worker with this number until it has no work left or the budget is used up.
    fn run_worker(&self, worker: usize);

    /// Returns the engines that the workers run at the moment. Empty if the team does not record
    /// them.
    fn at_work(&self) -> Vec<EngineAtWork>;

    /// Returns the statistics, turns and failures of the work so far.
    fn team_statistics(&self) -> TeamStatistics;
}

/// Statistics of a team's work.
#[derive(Debug)]
pub(super) struct TeamStatistics {
    /// Number of engine panics. On a coloured net, the faults in the runs on abstractions are
    /// included.
    pub(super) failures: usize,
    /// Name and text of each finished piece of work, for `--stats`.
    pub(super) statistics: Vec<(String, String)>,
    /// The finished turns, ordered by end.
    pub(super) turns: Vec<EngineTurn>,
}

impl RunReport {
    /// Adds the statistics of a team.
    pub(super) fn add_team(&mut self, team: TeamStatistics) {
        self.faults += team.failures;
        self.statistics.extend(team.statistics);
        self.turns.extend(team.turns);
    }
}

/// Runs the team until every question is decided, the claim of safe units is refuted, all workers
/// are finished, or `budget` is spent. `budget` is a part of `run_budget`, the budget of the whole
/// run. Returns the reason if `budget` was exhausted.
pub(super) fn work(
    team: &impl WorkerTeam,
    tracker: &mut QuestionTracker<'_, '_>,
    settled_goals: &Receiver<GoalId>,
    [run_budget, budget]: [&Budget; 2],
    on_event: &mut impl FnMut(Event<'_>),
) -> Option<ExhaustionReason> {
    std::thread::scope(|scope| {
        let mut workers = Vec::new();
        for worker in 0..team.threads() {
            let work = move || team.run_worker(worker);
            // Formulas are evaluated by recursion, as deep as they nest.
            let thread = std::thread::Builder::new().stack_size(8 << 20);
            match thread.spawn_scoped(scope, work) {
                Ok(handle) => workers.push(handle),
                Err(error) => tracing::warn!("a worker could not start: {error}"),
            }
        }
        let exhaustion =
            receive_settled_goals(team, &workers, tracker, settled_goals, budget, on_event);
        // Engines that still work after the cancellation get the time `GRACE`. If questions are
        // open and the budget of the whole run lasts, another stage can follow, and its engines
        // need the threads. Then the loop waits until all engines end: the time starts anew.
        let mut cancelled = Instant::now();
        while !all_finished(&workers) && cancelled.elapsed() < GRACE {
            std::thread::sleep(Duration::from_millis(1));
            if !is_done(tracker) && !run_budget.is_exhausted() {
                cancelled = Instant::now();
            }
        }
        let late_engines = match all_finished(&workers) {
            true => None,
            false => Some(team.at_work().into_iter().map(|at_work| at_work.engine).collect()),
        };
        tracker.take(settled_goals, on_event);
        tracker.decide_open_maxima(on_event);
        if let Some(engines) = late_engines {
            report_overrun(team, engines, tracker, exhaustion, on_event);
        }
        for worker in workers {
            if worker.join().is_err() {
                tracker.report.faults += 1;
            }
        }
        exhaustion
    })
}

/// Reports engines that still work some time after their budget was cancelled, with a report of the
/// answers so far. The report lists the open questions with the exhausted limit, if there is one.
/// It lists none if the claim of safe units is refuted: then the answers that rest on this claim
/// are withdrawn first.
fn report_overrun(
    team: &impl WorkerTeam,
    mut engines: Vec<String>,
    tracker: &mut QuestionTracker<'_, '_>,
    exhaustion: Option<ExhaustionReason>,
    on_event: &mut impl FnMut(Event<'_>),
) {
    tracker.withdraw(on_event);
    // Several workers may run the same engine.
    engines.sort_unstable();
    engines.dedup();
    for engine in &engines {
        tracing::info!("{engine} did not stop at the time limit");
    }
    let mut report = tracker.report.clone();
    report.add_team(team.team_statistics());
    report.faults += tracker.board.faults();
    if tracker.board.breach().is_none() {
        report.unanswered.extend(tracker.open_questions(exhaustion));
    }
    on_event(Event::Overrun { engines: &engines, report: &report });
}

/// Receives settled goals until every question is decided, the claim of safe units is refuted, the
/// workers are finished, or the budget is spent. Then cancels the budget. Returns the reason if the
/// budget was exhausted before.
fn receive_settled_goals(
    team: &impl WorkerTeam,
    workers: &[ScopedJoinHandle<'_, ()>],
    tracker: &mut QuestionTracker<'_, '_>,
    settled_goals: &Receiver<GoalId>,
    budget: &Budget,
    on_event: &mut impl FnMut(Event<'_>),
) -> Option<ExhaustionReason> {
    let board = tracker.board;
    loop {
        match settled_goals.recv_timeout(TICK) {
            Ok(goal) => tracker.settled(goal, on_event),
            Err(RecvTimeoutError::Timeout) => {
                tracker.decide_open_maxima(on_event);
                on_event(Event::Waiting {
                    questions: tracker.plan.open_questions().count(),
                    goals: board.open_count(),
                    engines: &team.at_work(),
                    between: &tracker.open_maximum_ranges(),
                });
            }
            Err(RecvTimeoutError::Disconnected) => break,
        }
        if is_done(tracker) || all_finished(workers) || budget.is_exhausted() {
            break;
        }
    }
    // Read before the cancellation: afterwards, `exhausted` returns `Cancelled` only.
    let exhaustion = budget.exhausted();
    budget.cancel();
    exhaustion
}

/// Returns true if every question is decided, or the claim of safe units is refuted.
fn is_done(tracker: &QuestionTracker<'_, '_>) -> bool {
    tracker.plan.open_questions().next().is_none() || tracker.board.breach().is_some()
}

/// Returns true if all worker threads have ended.
fn all_finished(workers: &[ScopedJoinHandle<'_, ()>]) -> bool {
    workers.iter().all(|worker| worker.is_finished())
}
