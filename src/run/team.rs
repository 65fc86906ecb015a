//! Worker threads on a board, and the calling thread, which receives the settled goals.

use super::event::{AtWork, Event, Report, Turn};
use super::hearing::Hearing;
use parikh_net::GoalId;
use parikh_solvers::{Budget, Exhausted};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread::ScopedJoinHandle;
use std::time::{Duration, Instant};

/// Interval of waiting events for the caller.
const TICK: Duration = Duration::from_millis(20);

/// Time for engines to stop after the deadline, before the caller receives an overrun event.
const GRACE: Duration = Duration::from_millis(200);

/// The work of several threads.
pub(super) trait Team: Sync {
    /// Returns the number of threads.
    fn threads(&self) -> usize;

    /// Runs the worker with this number until it has no work left or the time is over.
    fn work(&self, worker: usize);

    /// Returns the current activity of each worker, as far as it is recorded.
    fn at_work(&self) -> Vec<AtWork>;

    /// Returns the results of the work so far, without answers.
    fn account(&self) -> Account;
}

/// Statistics of a team's work.
#[derive(Debug)]
pub(super) struct Account {
    /// Number of engine panics.
    pub(super) failures: usize,
    pub(super) statistics: Vec<(String, String)>,
    pub(super) turns: Vec<Turn>,
}

impl Report {
    /// Adds the statistics of a team.
    pub(super) fn enter(&mut self, account: Account) {
        self.faults += account.failures;
        self.statistics.extend(account.statistics);
        self.turns.extend(account.turns);
    }
}

/// Runs the team until every question is decided, the claim of safe units is refuted, all workers
/// are finished, or `budget` is spent. `whole` is the budget of the run, of which `budget` is a
/// part. Returns the reason if `budget` was exhausted.
pub(super) fn work(
    team: &impl Team,
    hearing: &mut Hearing<'_, '_>,
    hear: &Receiver<GoalId>,
    [whole, budget]: [&Budget; 2],
    tell: &mut impl FnMut(Event<'_>),
) -> Option<Exhausted> {
    std::thread::scope(|scope| {
        let mut workers = Vec::new();
        for worker in 0..team.threads() {
            let work = move || team.work(worker);
            // Formulas are evaluated by recursion, as deep as they nest.
            let thread = std::thread::Builder::new().stack_size(8 << 20);
            match thread.spawn_scoped(scope, work) {
                Ok(handle) => workers.push(handle),
                Err(error) => tracing::warn!("a worker could not start: {error}"),
            }
        }
        let ended = listen(team, &workers, hearing, hear, budget, tell);
        // If the run has time for another stage, late engines are waited for.
        let mut cancelled = Instant::now();
        while !all_finished(&workers) && cancelled.elapsed() < GRACE {
            std::thread::sleep(Duration::from_millis(1));
            if !is_done(hearing) && !whole.is_exhausted() {
                cancelled = Instant::now();
            }
        }
        let late = match all_finished(&workers) {
            true => None,
            false => Some(team.at_work().into_iter().map(|at_work| at_work.engine).collect()),
        };
        hearing.take(hear, tell);
        hearing.look(tell);
        if let Some(engines) = late {
            tell_of_overrun(team, engines, hearing, ended, tell);
        }
        for worker in workers {
            if worker.join().is_err() {
                hearing.report.faults += 1;
            }
        }
        ended
    })
}

/// Reports engines that do not stop at the deadline. No answer is lost: open questions are reported
/// as out of time.
fn tell_of_overrun(
    team: &impl Team,
    mut engines: Vec<String>,
    hearing: &mut Hearing<'_, '_>,
    ended: Option<Exhausted>,
    tell: &mut impl FnMut(Event<'_>),
) {
    hearing.withdraw(tell);
    // Several workers may run the same engine.
    engines.sort_unstable();
    engines.dedup();
    for engine in &engines {
        tracing::info!("{engine} did not stop at the time limit");
    }
    let mut report = hearing.report.clone();
    report.enter(team.account());
    report.faults += hearing.board.faults();
    if hearing.board.breach().is_none() {
        report.unanswered.extend(hearing.open(ended));
    }
    tell(Event::Overrun { engines: &engines, report: &report });
}

/// Receives settled goals until every question is decided, the claim of safe units is refuted, the
/// workers are finished, or the budget is spent. Then cancels the budget. Returns the reason if the
/// budget was exhausted before.
fn listen(
    team: &impl Team,
    workers: &[ScopedJoinHandle<'_, ()>],
    hearing: &mut Hearing<'_, '_>,
    hear: &Receiver<GoalId>,
    budget: &Budget,
    tell: &mut impl FnMut(Event<'_>),
) -> Option<Exhausted> {
    let board = hearing.board;
    loop {
        match hear.recv_timeout(TICK) {
            Ok(goal) => hearing.settled(goal, tell),
            Err(RecvTimeoutError::Timeout) => {
                hearing.look(tell);
                tell(Event::Waiting {
                    questions: hearing.plan.open_questions().count(),
                    goals: board.open_count(),
                    engines: &team.at_work(),
                    between: &hearing.between(),
                });
            }
            Err(RecvTimeoutError::Disconnected) => break,
        }
        if is_done(hearing) || all_finished(workers) || budget.is_exhausted() {
            break;
        }
    }
    // The reason is read first, because the cancellation would hide it.
    let ended = budget.exhausted();
    budget.cancel();
    ended
}

/// Returns true if every question is decided, or the claim of safe units is refuted.
fn is_done(hearing: &Hearing<'_, '_>) -> bool {
    hearing.plan.open_questions().next().is_none() || hearing.board.breach().is_some()
}

fn all_finished(workers: &[ScopedJoinHandle<'_, ()>]) -> bool {
    workers.iter().all(|worker| worker.is_finished())
}
