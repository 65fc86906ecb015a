//! A run: one function from a plan to its answers.
//!
//! ```text
//! plan ──▶ presolve (intervals, flows) ──▶ portfolio, by its schedule ──▶ answers
//!               (cheap, first)                all on one board, until every question is decided
//! ```
//!
//! The calling thread listens to the board. It hands every answer over the moment it is decided,
//! lets go of goals that no question needs any more, and ends the workers when nothing is left to
//! ask. A worker that panics costs its own goals, never an answer.

mod coloured;
mod config;
mod counting;
mod event;
mod groups;
mod hearing;
mod portfolio;
mod presolve;
pub mod schedule;
mod short_walks;
mod state_space;

pub use crate::engine::diagrams::{Course, Try};
pub use coloured::{quotient, run_coloured};
pub use config::{Config, engine_name, engine_names, engines_named};
pub use counting::{Adding, Count, Counted};
pub use event::{AtWork, Between, Event, Report, Turn, Unanswered};
pub use schedule::Schedule;
pub use state_space::{FIGURES, Told, state_space};

use crate::answer::Plan;
use crate::board::Board;
use crate::ground::Ground;
use hearing::Hearing;
use parikh_net::{GoalId, Net};
use parikh_solvers::{Budget, Exhausted};
use portfolio::Portfolio;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread::ScopedJoinHandle;
use std::time::{Duration, Instant};

/// How often the caller hears that nothing is new.
const TICK: Duration = Duration::from_millis(20);

/// How long engines may take to stop before the caller hears of it.
const GRACE: Duration = Duration::from_millis(200);

/// The share of the time, in [0, 1], for dead ends by themselves.
const DEAD_ENDS: f64 = 0.35;

/// Above this many goals a board forgets witnesses: such a plan is one question over all nodes,
/// whose answer shows at most one of them.
const MANY_GOALS: usize = 1000;

/// Works on `plan` until every question is decided or `budget` is spent.
///
/// When the model's claim of safe units turns out to be false on the way, what is left is worked on
/// without it. So are the questions that it answered before: these answers are withdrawn first.
pub fn run(
    net: &Net,
    plan: Plan,
    config: &Config,
    budget: &Budget,
    mut tell: impl FnMut(Event<'_>),
) -> Report {
    let begun = Instant::now();
    let (mut report, again) = run_once(net, plan, config, budget, begun, &mut tell);
    if let Some(plan) = again {
        let net = net.without_unit_claim();
        let (rest, _) = run_once(&net, plan, config, budget, begun, &mut tell);
        report.answered += rest.answered;
        report.unanswered.extend(rest.unanswered);
        report.faults += rest.faults;
        report.statistics.extend(rest.statistics);
        report.turns.extend(rest.turns);
    }
    report
}

/// One run, and what is left to be asked without the model's claim of safe units if it broke.
fn run_once(
    net: &Net,
    mut plan: Plan,
    config: &Config,
    budget: &Budget,
    begun: Instant,
    tell: &mut impl FnMut(Event<'_>),
) -> (Report, Option<Plan>) {
    let mut report = Report::default();
    for answer in plan.vacuous() {
        report.answered += 1;
        tell(Event::Answered(&answer));
    }
    let (settled, hear) = mpsc::channel();
    let mut board = Board::new(net, plan.goals().to_vec()).with_listener(settled);
    let many = plan.goals().len() > MANY_GOALS;
    if many && !config.keep_all_witnesses {
        board = board.without_witnesses();
    }
    let budget = budget.child();
    board = board.with_budget(&budget);
    if config.keep_documents {
        board = board.with_documents();
    }
    if config.certified_only {
        board = board.certified_only();
    }
    let mut hearing = Hearing::new(&board, &mut plan, &mut report, many);
    let (began, open) = (begun.elapsed(), board.open_count());
    let ground = presolve::presolve(net, &board, &budget, config.seed);
    let ground = ground.without_rules(&config.without_rules);
    hearing.report.turns.push(Turn {
        engine: "intervals".to_owned(),
        began,
        lasted: begun.elapsed().saturating_sub(began),
        open,
        said: format!("{} goals are open after it", board.open_count()),
    });
    hearing.take(&hear, tell);
    hearing.look(tell);
    let mut stages: Vec<(Ground<'_>, Budget)> = Vec::new();
    // Most of what does not stay reachable is lost in a dead end: that comes first, on a net reduced
    // for dead ends alone.
    let mut first = hearing.plan.first().to_vec();
    first.retain(|&goal| board.is_open(goal));
    if !first.is_empty() {
        stages.extend(ground.only(&first).map(|only| (only, budget.share(DEAD_ENDS))));
    }
    stages.push((ground, budget.child()));
    let last = stages.len() - 1;
    for (at, (ground, slice)) in stages.iter().enumerate() {
        let portfolio = Portfolio::new(ground, &board, slice, config, begun);
        if board.breach().is_none() && hearing.plan.open_questions().next().is_some() {
            let ended = match portfolio.is_over() {
                true => slice.exhausted(),
                false => work(&portfolio, &mut hearing, &hear, [&budget, slice], tell),
            };
            if at == last && board.breach().is_none() {
                hearing.give_up(ended);
            }
        }
        hearing.report.faults += portfolio.failures();
        hearing.report.statistics.extend(portfolio.take_statistics());
        hearing.report.turns.extend(portfolio.take_turns());
    }
    hearing.withdraw(tell);
    report.faults += board.faults();
    report.breach = board.breach().map(str::to_owned);
    let again = report.breach.is_some().then(|| {
        let (again, revoked) = plan.without_unit_claim();
        report.answered -= revoked;
        again
    });
    (report, again)
}

/// Has the workers work until every question is decided, the claim of safe units is broken, they are
/// through, or their budget, a part of the whole one, is spent.
fn work(
    portfolio: &Portfolio<'_>,
    hearing: &mut Hearing<'_, '_>,
    hear: &Receiver<GoalId>,
    [whole, budget]: [&Budget; 2],
    tell: &mut impl FnMut(Event<'_>),
) -> Option<Exhausted> {
    let board = hearing.board;
    std::thread::scope(|scope| {
        let mut workers = Vec::new();
        for worker in 0..portfolio.threads() {
            let work = move || portfolio.work(worker);
            // Formulas are evaluated as deep as they nest.
            let thread = std::thread::Builder::new().stack_size(8 << 20);
            match thread.spawn_scoped(scope, work) {
                Ok(handle) => workers.push(handle),
                Err(error) => tracing::warn!("a worker could not start: {error}"),
            }
        }
        let watch =
            Watch { finished: &|| all_finished(&workers), at_work: &|| portfolio.at_work() };
        let ended = listen(hearing, hear, budget, &watch, tell);
        // Where there is time for another stage, an engine that is late is waited for.
        let mut cancelled = Instant::now();
        while !all_finished(&workers) && cancelled.elapsed() < GRACE {
            std::thread::sleep(Duration::from_millis(1));
            if !is_done(hearing) && !whole.is_exhausted() {
                cancelled = Instant::now();
            }
        }
        let mut engines: Vec<String> = match all_finished(&workers) {
            true => Vec::new(),
            false => portfolio.at_work().into_iter().map(|at_work| at_work.engine).collect(),
        };
        // Several workers may be on the same one.
        engines.sort_unstable();
        engines.dedup();
        let overran = !all_finished(&workers);
        hearing.take(hear, tell);
        hearing.look(tell);
        if overran {
            hearing.withdraw(tell);
            for engine in &engines {
                // It cost no answer: those that are open are out of time, and told to be.
                tracing::info!("{engine} does not stop at the deadline");
            }
            let mut report = hearing.report.clone();
            report.faults += board.faults() + portfolio.failures();
            report.statistics = portfolio.take_statistics();
            report.turns.extend(portfolio.turns_so_far());
            if board.breach().is_none() {
                report.unanswered.extend(hearing.open(ended));
            }
            tell(Event::Overrun { engines: &engines, report: &report });
            portfolio.put_statistics(report.statistics);
        }
        for worker in workers {
            if worker.join().is_err() {
                hearing.report.faults += 1;
            }
        }
        ended
    })
}

/// What is seen of the workers from outside.
struct Watch<'a> {
    /// Whether all of them are through.
    finished: &'a dyn Fn() -> bool,
    /// What they are at.
    at_work: &'a dyn Fn() -> Vec<AtWork>,
}

/// Listens until every question is decided, the claim of safe units is broken, the workers are through,
/// or the budget is spent, which it is when this returns; by what it was spent before.
fn listen(
    hearing: &mut Hearing<'_, '_>,
    hear: &Receiver<GoalId>,
    budget: &Budget,
    watch: &Watch<'_>,
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
                    engines: &(watch.at_work)(),
                    between: &hearing.between(),
                });
            }
            Err(RecvTimeoutError::Disconnected) => break,
        }
        if is_done(hearing) || (watch.finished)() || budget.is_exhausted() {
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
