//! Threads at work on a board, and the calling thread, which listens to it.

use super::event::{AtWork, Event, Report, Turn};
use super::hearing::Hearing;
use parikh_net::GoalId;
use parikh_solvers::{Budget, Exhausted};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread::ScopedJoinHandle;
use std::time::{Duration, Instant};

/// How often the caller hears that nothing is new.
const TICK: Duration = Duration::from_millis(20);

/// How long engines may take to stop before the caller hears of it.
const GRACE: Duration = Duration::from_millis(200);

/// What several threads do together.
pub(super) trait Team: Sync {
    /// How many threads there are.
    fn threads(&self) -> usize;

    /// What one of them does, by its number, until nothing is left to do or the time is over.
    fn work(&self, worker: usize);

    /// What each is at, as far as that is written down.
    fn at_work(&self) -> Vec<AtWork>;

    /// What was done so far.
    fn account(&self) -> Account;
}

/// What a team has done.
#[derive(Debug)]
pub(super) struct Account {
    /// Panics of engines.
    pub(super) failures: usize,
    pub(super) statistics: Vec<(String, String)>,
    pub(super) turns: Vec<Turn>,
}

impl Report {
    /// Adds what a team has done.
    pub(super) fn enter(&mut self, account: Account) {
        self.faults += account.failures;
        self.statistics.extend(account.statistics);
        self.turns.extend(account.turns);
    }
}

/// Has the team work until every question is decided, the claim of safe units is broken, its
/// members are through, or their budget, a part of the whole one, is spent.
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
            // Formulas are evaluated as deep as they nest.
            let thread = std::thread::Builder::new().stack_size(8 << 20);
            match thread.spawn_scoped(scope, work) {
                Ok(handle) => workers.push(handle),
                Err(error) => tracing::warn!("a worker could not start: {error}"),
            }
        }
        let ended = listen(team, &workers, hearing, hear, budget, tell);
        // Where there is time for another stage, an engine that is late is waited for.
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

/// Tells of engines that do not stop at the deadline. It costs no answer: those that are open are
/// out of time, and told to be.
fn tell_of_overrun(
    team: &impl Team,
    mut engines: Vec<String>,
    hearing: &mut Hearing<'_, '_>,
    ended: Option<Exhausted>,
    tell: &mut impl FnMut(Event<'_>),
) {
    hearing.withdraw(tell);
    // Several workers may be on the same one.
    engines.sort_unstable();
    engines.dedup();
    for engine in &engines {
        tracing::info!("{engine} does not stop at the deadline");
    }
    let mut report = hearing.report.clone();
    report.enter(team.account());
    report.faults += hearing.board.faults();
    if hearing.board.breach().is_none() {
        report.unanswered.extend(hearing.open(ended));
    }
    tell(Event::Overrun { engines: &engines, report: &report });
}

/// Listens until every question is decided, the claim of safe units is broken, the workers are
/// through, or the budget is spent; then cancels the budget. Returns what had exhausted the budget
/// before that, if anything.
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
    // Asked first: cancelling would hide why the workers stopped.
    let ended = budget.exhausted();
    budget.cancel();
    ended
}

/// Whether every question is decided, or the claim of safe units is broken.
fn is_done(hearing: &Hearing<'_, '_>) -> bool {
    hearing.plan.open_questions().next().is_none() || hearing.board.breach().is_some()
}

fn all_finished(workers: &[ScopedJoinHandle<'_, ()>]) -> bool {
    workers.iter().all(|worker| worker.is_finished())
}
