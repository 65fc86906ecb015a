//! Analysis of one net by a portfolio of engines.
//!
//! ```text
//! plan ──▶ presolve (intervals, flows) ──▶ portfolio, by its schedule ──▶ answers
//!               (cheap, first)                all on one board, until every question is decided
//! ```

use super::config::RunConfig;
use super::event::{EngineAtWork, EngineTurn, Event, RunReport};
use super::portfolio::Portfolio;
use super::presolve;
use super::question_tracker::QuestionTracker;
use super::schedule;
use super::shares::DEAD_ENDS;
use super::team::{self, TeamStatistics, WorkerTeam};
use super::worker;
use crate::answer::Plan;
use parikh_engine::board::Board;
use parikh_net::printable::counted;
use parikh_net::{GoalKind, Net};
use parikh_solvers::Budget;
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// The number of goals above which a board drops witnesses, unless the configuration keeps the
/// witness of every goal. So many goals are usually one question over all nodes, whose answer shows
/// at most one witness.
pub(super) const MANY_GOALS: usize = 1000;

/// Works on `plan` until every question is decided, the engines have nothing more to try, or
/// `budget` is used up.
///
/// If the model's claim of safe units proves false on the way, the answers that rest on it are
/// withdrawn. Their questions and all open questions are then analysed without the claim.
pub fn run_net(
    net: &Net,
    plan: Plan,
    config: &RunConfig,
    budget: &Budget,
    mut on_event: impl FnMut(Event<'_>),
) -> RunReport {
    run(net, plan, config, budget, Instant::now(), &mut on_event)
}

/// Works as [`run_net`]; `start` is the start of the whole analysis, for the times of turns.
pub(super) fn run(
    net: &Net,
    plan: Plan,
    config: &RunConfig,
    budget: &Budget,
    start: Instant,
    mut on_event: &mut dyn FnMut(Event<'_>),
) -> RunReport {
    let (mut report, plan_without_claim) =
        run_once(net, plan, config, budget, start, &mut on_event);
    if let Some(plan) = plan_without_claim {
        let net = net.without_unit_claim();
        let (second_report, _) = run_once(&net, plan, config, budget, start, &mut on_event);
        report.add(second_report);
    }
    report
}

/// Makes one analysis. If it violated the model's claim of safe units, also returns the plan of the
/// questions to ask again without the claim.
fn run_once(
    net: &Net,
    mut plan: Plan,
    config: &RunConfig,
    budget: &Budget,
    run_start: Instant,
    on_event: &mut impl FnMut(Event<'_>),
) -> (RunReport, Option<Plan>) {
    let mut report = RunReport::default();
    let (settled_sender, settled_goals) = mpsc::channel();
    let budget = budget.child();
    let has_many_goals = plan.goals().len() > MANY_GOALS;
    let board =
        Board::new(net, plan.goals().to_vec()).with_listener(settled_sender).with_budget(&budget);
    let board = config.board(board, has_many_goals);
    let mut tracker = QuestionTracker::new(&board, &mut plan, &mut report, has_many_goals);
    tracker.begin(on_event);
    let (began, open) = (run_start.elapsed(), board.open_count());
    let working_net = presolve::presolve(net, &board, &budget, config.seed);
    let working_net = working_net.without_rules(&config.without_rules);
    tracker.report.turns.push(EngineTurn {
        engine: "intervals".to_owned(),
        start: began,
        duration: run_start.elapsed().saturating_sub(began),
        open_goals: open,
        statistics: format!("{} still open", counted(board.open_count(), "goal")),
    });
    tracker.take(&settled_goals, on_event);
    tracker.decide_open_maxima(on_event);
    let mut first_goals = tracker.plan.first().to_vec();
    first_goals.retain(|&goal| board.is_open(goal));
    let dead_ends = match first_goals.is_empty() {
        true => None,
        false => working_net.restricted_to(&first_goals),
    };
    let is_formula = |kind| matches!(kind, GoalKind::Tree | GoalKind::Run);
    let has_formulas = working_net.kinds().any(|(id, kind)| is_formula(kind) && board.is_open(id));
    let stages = stages(dead_ends.is_some(), has_formulas, budget.remaining());
    let last_stage = stages.len() - 1;
    for (number, stage) in stages.iter().enumerate() {
        let working_net = match (stage.only_dead_ends, &dead_ends) {
            (true, Some(dead_ends)) => dead_ends,
            _ => &working_net,
        };
        let time_left = stage.end.saturating_sub(run_start.elapsed());
        let part = if stage.share < 1.0 { budget.share(stage.share) } else { budget.child() };
        let slice = part.slice(time_left);
        let portfolio = Portfolio::new(working_net, &board, &slice, config, run_start);
        if board.breach().is_none() && tracker.plan.open_questions().next().is_some() {
            let exhaustion = match portfolio.is_over() {
                true => slice.exhausted(),
                false => team::work(
                    &portfolio,
                    &mut tracker,
                    &settled_goals,
                    [&budget, &slice],
                    on_event,
                ),
            };
            if number == last_stage && board.breach().is_none() {
                tracker.give_up(exhaustion);
            }
        }
        tracker.report.add_team(portfolio.team_statistics());
    }
    tracker.withdraw(on_event);
    report.faults += board.faults();
    report.breach = board.breach().map(str::to_owned);
    let plan_without_claim = report.breach.is_some().then(|| {
        let (plan_without_claim, revoked) = plan.without_unit_claim();
        report.answered -= revoked;
        plan_without_claim
    });
    (report, plan_without_claim)
}

/// A stage of an analysis: workers with a schedule of their own.
struct Stage {
    /// True if the stage works only on goals about dead markings.
    only_dead_ends: bool,
    /// Share of the remaining time of the run, in [0, 1].
    share: f64,
    /// The latest end of the stage, counted from the start of the run.
    end: Duration,
}

/// Returns the stages of an analysis with this remaining time; `None` means no time limit.
///
/// Most goals that do not stay reachable are lost in a dead marking. So dead markings are analysed
/// first, in a stage of their own, in which the net is reduced for them alone. The stage is short
/// if there are formulas about runs or trees, which do not depend on it. Otherwise all goals have
/// the rest of the first round, and then both stages come again.
fn stages(has_dead_ends: bool, has_formulas: bool, remaining: Option<Duration>) -> Vec<Stage> {
    let stage = |only_dead_ends, share, end| Stage { only_dead_ends, share, end };
    let all = stage(false, 1.0, Duration::MAX);
    let first_round = schedule::round_ends(remaining).first().copied();
    match (has_dead_ends, first_round) {
        (false, _) => vec![all],
        (true, None) => vec![stage(true, DEAD_ENDS, Duration::MAX), all],
        (true, Some(round)) if has_formulas => {
            vec![stage(true, 1.0, round.mul_f64(DEAD_ENDS)), all]
        }
        (true, Some(round)) => vec![
            stage(true, 1.0, round.mul_f64(DEAD_ENDS)),
            stage(false, 1.0, round),
            stage(true, DEAD_ENDS, Duration::MAX),
            all,
        ],
    }
}

impl WorkerTeam for Portfolio<'_> {
    fn threads(&self) -> usize {
        self.threads()
    }

    fn run_worker(&self, number: usize) {
        worker::work(self, number);
    }

    fn at_work(&self) -> Vec<EngineAtWork> {
        self.at_work()
    }

    fn team_statistics(&self) -> TeamStatistics {
        let (mut statistics, turns) = (self.statistics_so_far(), self.turns_so_far());
        let shortening = self.board.shortening_summary().map(|text| ("shorter".to_owned(), text));
        statistics.extend(shortening);
        TeamStatistics { failures: self.failures(), statistics, turns }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_stage_has_all_goals_and_the_stages_for_dead_markings_are_limited() {
        let limits = [None, Some(Duration::from_secs(1)), Some(Duration::from_secs(60))];
        for limit in limits {
            for (has_dead_ends, has_formulas) in [(false, true), (true, false), (true, true)] {
                let stages = stages(has_dead_ends, has_formulas, limit);
                let (last, others) = stages.split_last().unwrap();
                assert!(!last.only_dead_ends && last.end == Duration::MAX && last.share == 1.0);
                assert!(others.iter().all(|it| it.share < 1.0 || it.end < Duration::from_secs(1)));
                assert_eq!(others.iter().any(|it| it.only_dead_ends), has_dead_ends);
            }
        }
    }
}
