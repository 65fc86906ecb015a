//! Analysis of one net by a portfolio of engines.
//!
//! ```text
//! plan ──▶ presolve (intervals, flows) ──▶ portfolio, by its schedule ──▶ answers
//!               (cheap, first)                all on one board, until every question is decided
//! ```

use super::config::Config;
use super::event::{AtWork, Event, Report, Turn};
use super::hearing::Hearing;
use super::portfolio::Portfolio;
use super::presolve;
use super::shares::DEAD_ENDS;
use super::team::{self, Account, Team};
use super::worker;
use crate::answer::Plan;
use crate::board::Board;
use crate::ground::Ground;
use parikh_net::Net;
use parikh_net::printable::counted;
use parikh_solvers::Budget;
use std::sync::mpsc;
use std::time::Instant;

/// With more goals than this, a board drops witnesses: such a plan is one question over all nodes,
/// whose answer shows at most one witness.
pub(super) const MANY_GOALS: usize = 1000;

/// Works on `plan` until every question is decided or `budget` is used up.
///
/// If the model's claim of safe units proves false on the way, the answers that rest on it are
/// withdrawn, and these and all open questions are analysed without the claim.
pub fn run_net(
    net: &Net,
    plan: Plan,
    config: &Config,
    budget: &Budget,
    mut tell: impl FnMut(Event<'_>),
) -> Report {
    run(net, plan, config, budget, Instant::now(), &mut tell)
}

/// Works as [`run_net`]; `begun` is the start of the whole analysis, for the times of turns.
pub(super) fn run(
    net: &Net,
    plan: Plan,
    config: &Config,
    budget: &Budget,
    begun: Instant,
    mut tell: &mut dyn FnMut(Event<'_>),
) -> Report {
    let (mut report, again) = run_once(net, plan, config, budget, begun, &mut tell);
    if let Some(plan) = again {
        let net = net.without_unit_claim();
        let (rest, _) = run_once(&net, plan, config, budget, begun, &mut tell);
        report.add(rest);
    }
    report
}

/// Makes one analysis. If it violated the model's claim of safe units, also returns the plan of the
/// questions to ask again without the claim.
fn run_once(
    net: &Net,
    mut plan: Plan,
    config: &Config,
    budget: &Budget,
    begun: Instant,
    tell: &mut impl FnMut(Event<'_>),
) -> (Report, Option<Plan>) {
    let mut report = Report::default();
    let (settled, hear) = mpsc::channel();
    let budget = budget.child();
    let many = plan.goals().len() > MANY_GOALS;
    let board = Board::new(net, plan.goals().to_vec()).with_listener(settled).with_budget(&budget);
    let board = config.board(board, many);
    let mut hearing = Hearing::new(&board, &mut plan, &mut report, many);
    hearing.begin(tell);
    let (began, open) = (begun.elapsed(), board.open_count());
    let ground = presolve::presolve(net, &board, &budget, config.seed);
    let ground = ground.without_rules(&config.without_rules);
    hearing.report.turns.push(Turn {
        engine: "intervals".to_owned(),
        began,
        lasted: begun.elapsed().saturating_sub(began),
        open,
        said: format!("{} still open", counted(board.open_count(), "goal")),
    });
    hearing.take(&hear, tell);
    hearing.look(tell);
    let mut stages: Vec<(Ground<'_>, Budget)> = Vec::new();
    // Most goals that do not stay reachable are lost in a dead marking, so dead markings are
    // analysed first, on a net reduced for them alone.
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
                false => team::work(&portfolio, &mut hearing, &hear, [&budget, slice], tell),
            };
            if at == last && board.breach().is_none() {
                hearing.give_up(ended);
            }
        }
        hearing.report.enter(portfolio.account());
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

impl Team for Portfolio<'_> {
    fn threads(&self) -> usize {
        self.threads()
    }

    fn work(&self, number: usize) {
        worker::work(self, number);
    }

    fn at_work(&self) -> Vec<AtWork> {
        self.at_work()
    }

    fn account(&self) -> Account {
        let (mut statistics, turns) = (self.statistics_so_far(), self.turns_so_far());
        let shorter = self.board.shortening_told().map(|told| ("shorter".to_owned(), told));
        statistics.extend(shorter);
        Account { failures: self.failures(), statistics, turns }
    }
}
