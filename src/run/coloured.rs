//! Analysis of a coloured net without its unfolding.
//!
//! ```text
//! plan over the skeleton's nodes ─▶ walks on the coloured net ──────────── witnesses ─▶ board of the
//!        │                               ▲ sequences to follow                      coloured net
//!        └─ each goal weakened ─▶ ordinary runs on abstractions ─── refutations, bounds ─▶ ┘
//! ```
//!
//! The first abstraction is the unfolding of the exact [quotient], if it is
//! [small](UnfoldingLimits::SMALL). The second is the skeleton: the net without colours. Then come
//! small unfoldings of coarser quotients. These merge the colours that no constant distinguishes,
//! or all colours of all sorts but one.
//!
//! The abstractions take turns in time slices that double. The analysis of an abstraction has a
//! board of its own, and only refutations and bounds are transferred to the board of the coloured
//! net. A goal that is reached on an abstraction may be unreachable on the coloured net.

use super::net::{MANY_GOALS, run_net};
use super::question_tracker::QuestionTracker;
use super::team::{self, TeamStatistics, WorkerTeam};
use super::{EngineAtWork, EngineTurn, Event, RunConfig, RunReport};
use crate::answer::Plan;
use parikh_engine::board::{Board, Knowledge, Maximum, ReachKnowledge};
use parikh_engine::coloured_walk::{self, BindingConstraint, ColouredHint, ColouredHints};
use parikh_evidence::abstraction::{
    ColourClasses, ColouredModel, Quotient, SimulatingNet, base_sorts,
};
use parikh_net::coloured::{BoundColour, ColouredNet};
use parikh_net::{FiringSequence, Goal, GoalId, Net, TransitionId};
use parikh_solvers::Budget;
use parikh_solvers::locked;
use parikh_unfolding::UnfoldingLimits;
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

/// Works on `plan` without any unfolding of the coloured net. Ends when every question is decided,
/// the engines have nothing more to try, or `budget` is used up. The plan's nodes are those of the
/// model's skeleton, which represent the coloured nodes.
pub fn run_coloured(
    model: &ColouredModel,
    plan: Plan,
    config: &RunConfig,
    budget: &Budget,
    mut on_event: impl FnMut(Event<'_>),
) -> RunReport {
    let quotient = quotient(model.net(), budget);
    run(model, quotient, plan, config, [budget, budget], Instant::now(), &mut on_event)
}

/// Works as [`run_coloured`], with the given quotient and its unfolding. `run_budget` is the budget
/// of the whole run, and `budget` is the part of `run_budget` for this work. `start` is the start
/// of the whole analysis, for the times of turns.
pub(super) fn run(
    model: &ColouredModel,
    quotient: Option<(Quotient, Net)>,
    mut plan: Plan,
    config: &RunConfig,
    [run_budget, budget]: [&Budget; 2],
    start: Instant,
    mut on_event: &mut dyn FnMut(Event<'_>),
) -> RunReport {
    let mut report = RunReport::default();
    let (settled_sender, settled_goals) = mpsc::channel();
    let budget = budget.child();
    let has_many_goals = plan.goals().len() > MANY_GOALS;
    let board = Board::of_coloured(model, plan.goals().to_vec());
    let board =
        config.board(board.with_listener(settled_sender).with_budget(&budget), has_many_goals);
    let mut tracker = QuestionTracker::new(&board, &mut plan, &mut report, has_many_goals);
    tracker.begin(&mut on_event);
    if board.open_count() == 0 {
        tracker.give_up(None);
        return report;
    }
    let work = ColouredWork {
        model,
        board: &board,
        budget: &budget,
        config,
        quotient: Mutex::new(quotient),
        hints: ColouredHints::default(),
        statistics: Mutex::default(),
        turns: Mutex::default(),
        start,
        failures: AtomicUsize::new(0),
    };
    let exhaustion =
        team::work(&work, &mut tracker, &settled_goals, [run_budget, &budget], &mut on_event);
    tracker.give_up(exhaustion);
    tracker.report.add_team(work.team_statistics());
    report.faults += board.faults();
    report
}

/// The state shared by the workers.
struct ColouredWork<'w> {
    model: &'w ColouredModel,
    board: &'w Board<'w>,
    budget: &'w Budget,
    config: &'w RunConfig,
    /// The quotient by equivalent colours, with its unfolding. `None` if there is no small
    /// quotient, or after the first worker has taken it.
    quotient: Mutex<Option<(Quotient, Net)>>,
    /// Firing sequences of abstractions, for the coloured walks to follow.
    hints: ColouredHints,
    /// Name and text of each finished piece of work, for `--stats`.
    statistics: Mutex<Vec<(String, String)>>,
    /// The finished turns, ordered by end.
    turns: Mutex<Vec<EngineTurn>>,
    /// The start of the whole analysis.
    start: Instant,
    /// Number of panics, plus the number of internal errors in the runs on abstractions.
    failures: AtomicUsize,
}

/// An abstraction of the coloured net, with the goals that it is useless for.
struct AbstractionAttempt {
    /// The net of the abstraction.
    abstraction: SimulatingNet,
    /// The quotient whose unfolding is the abstraction; `None` for the skeleton.
    quotient: Option<Quotient>,
    /// The goals that need no further analysis on this abstraction: the abstraction cannot express
    /// the goal, or it has settled the weaker form of the goal.
    finished_goals: HashSet<GoalId>,
}

impl AbstractionAttempt {
    fn of(quotient: Quotient, unfolding: Net) -> Self {
        let abstraction = SimulatingNet::of_quotient(&quotient, unfolding);
        AbstractionAttempt { abstraction, quotient: Some(quotient), finished_goals: HashSet::new() }
    }
}

/// Returns the quotient by equivalent colours with its unfolding. Returns `None` if no colours are
/// equivalent, if the quotient cannot be built, if its unfolding is not
/// [small](UnfoldingLimits::SMALL), or if `budget` is spent.
pub fn quotient(net: &ColouredNet, budget: &Budget) -> Option<(Quotient, Net)> {
    unfold_if_small(net, &Quotient::indistinguishable(net), budget)
}

/// Returns the quotient by `classes` with its unfolding. Returns `None` if no class has several
/// colours, if the quotient cannot be built, if its unfolding is not small, or if `budget` is
/// spent.
fn unfold_if_small(
    net: &ColouredNet,
    classes: &ColourClasses,
    budget: &Budget,
) -> Option<(Quotient, Net)> {
    if classes.is_trivial() {
        return None;
    }
    let config = parikh_unfolding::UnfoldingConfig {
        limits: UnfoldingLimits::SMALL,
        ..parikh_unfolding::UnfoldingConfig::default()
    };
    let quotient = Quotient::of(net, classes)?;
    let (unfolding, _) = parikh_unfolding::unfold(quotient.net(), &config, budget).ok()?;
    Some((quotient, unfolding.of_quotient(Vec::new())))
}

impl WorkerTeam for ColouredWork<'_> {
    fn threads(&self) -> usize {
        self.config.threads.max(2)
    }

    /// Runs a worker. The first worker handles the abstractions and then walks; the others only
    /// walk.
    fn run_worker(&self, worker: usize) {
        if worker == 0 {
            self.guarded("abstractions", || self.abstractions());
        }
        let seed = self.config.seed.wrapping_add(worker as u64);
        self.guarded("coloured walk", || {
            self.record_turn("coloured walk", || {
                coloured_walk::run(self.model, self.board, &self.hints, self.budget, seed)
            })
        });
    }

    fn at_work(&self) -> Vec<EngineAtWork> {
        Vec::new()
    }

    fn team_statistics(&self) -> TeamStatistics {
        TeamStatistics {
            failures: self.failures.load(Ordering::Relaxed),
            statistics: locked(&self.statistics).clone(),
            turns: locked(&self.turns).clone(),
        }
    }
}

impl ColouredWork<'_> {
    /// Runs a piece of the work and records it as a turn. Returns its line of statistics.
    fn record_turn(&self, name: &str, work: impl FnOnce() -> String) -> String {
        let (start, open_goals) = (self.start.elapsed(), self.board.open_count());
        let statistics = work();
        let duration = self.start.elapsed().saturating_sub(start);
        let turn = EngineTurn {
            engine: name.to_owned(),
            start,
            duration,
            open_goals,
            statistics: statistics.clone(),
        };
        locked(&self.turns).push(turn);
        statistics
    }

    /// Runs a piece of the work and logs its line of statistics. A panic is counted, and only this
    /// piece is lost.
    fn guarded(&self, name: &str, work: impl FnOnce() -> String) {
        match catch_unwind(AssertUnwindSafe(work)) {
            Ok(text) => {
                tracing::info!("{name}: {text}");
                locked(&self.statistics).push((name.to_owned(), text));
            }
            Err(_) => {
                self.failures.fetch_add(1, Ordering::Relaxed);
                tracing::error!("internal error: {name} failed");
            }
        }
    }

    /// Returns true if no goal is open, or the budget is used up.
    fn is_over(&self) -> bool {
        self.board.open_count() == 0 || self.budget.is_exhausted()
    }

    /// Works on all abstractions in turns. Returns a line of statistics.
    fn abstractions(&self) -> String {
        let skeleton = self.model.skeleton();
        let mut attempts = Vec::new();
        let quotient = locked(&self.quotient).take();
        if let Some((quotient, unfolding)) = quotient {
            attempts.push(AbstractionAttempt::of(quotient, unfolding));
        }
        if skeleton.is_complete() {
            let abstraction = skeleton.abstraction().clone();
            attempts.push(AbstractionAttempt {
                abstraction,
                quotient: None,
                finished_goals: HashSet::new(),
            });
        }
        let mut settled_counts = vec![0; attempts.len()];
        for round in 0..32 {
            let mut has_worked = false;
            for (attempt, settled_count) in attempts.iter_mut().zip(&mut settled_counts) {
                // An exact quotient gets four times as much time as another abstraction.
                let is_exact_quotient = attempt.quotient.as_ref().is_some_and(Quotient::is_exact);
                let milliseconds = if is_exact_quotient { 2_000 } else { 500 };
                let slice = self.budget.slice(Duration::from_millis(milliseconds << round));
                let before = self.board.open_count();
                has_worked |= self.analyse(attempt, &slice);
                *settled_count += before.saturating_sub(self.board.open_count());
            }
            if self.is_over() {
                break;
            }
            if round == 0 {
                let quotients = self.coarser_quotients();
                has_worked |= !quotients.is_empty();
                settled_counts.resize(attempts.len() + quotients.len(), 0);
                attempts.extend(quotients);
            }
            if !has_worked {
                break;
            }
        }
        let sizes = attempts.iter().zip(settled_counts).map(|(attempt, settled_count)| {
            let net = attempt.abstraction.net();
            let (places, transitions) = (net.place_count(), net.transition_count());
            format!(
                "{places} places, {transitions} transitions; {settled_count} goals settled in \
                     this time"
            )
        });
        sizes.collect::<Vec<_>>().join("; ")
    }

    /// Returns abstractions by coarser quotients, which also merge colours that are not equivalent.
    /// Their unfoldings are small. Exact quotients and the skeleton are left out.
    fn coarser_quotients(&self) -> Vec<AbstractionAttempt> {
        let net = self.model.net();
        let mut partitions = vec![ColourClasses::by_constants(net)];
        partitions.extend(base_sorts(net).map(|(_, kept_sort)| {
            ColourClasses::by_key(net, |sort, colour| if sort == kept_sort { colour } else { 0 })
        }));
        let mut attempts: Vec<AbstractionAttempt> = Vec::new();
        for (index, classes) in partitions.iter().enumerate() {
            if classes.is_skeleton(net) || partitions[..index].contains(classes) {
                continue;
            }
            let unfolded = unfold_if_small(net, classes, self.budget);
            let inexact = unfolded.filter(|(quotient, _)| !quotient.is_exact());
            attempts.extend(
                inexact.map(|(quotient, unfolding)| AbstractionAttempt::of(quotient, unfolding)),
            );
        }
        attempts
    }

    /// Analyses an abstraction with a weaker form of each open goal: if the weaker form is
    /// unreachable on the abstraction, the goal is unreachable. Returns false without an analysis
    /// if every open goal is `hopeless` or cannot be expressed on the abstraction.
    fn analyse(&self, attempt: &mut AbstractionAttempt, budget: &Budget) -> bool {
        let AbstractionAttempt { abstraction, quotient, finished_goals: hopeless } = attempt;
        let (abstraction, quotient) = (&*abstraction, &*quotient);
        let mut goal_ids = self.board.open_goals();
        goal_ids.retain(|id| !hopeless.contains(id));
        let weakened = goal_ids.iter().map(|&id| {
            let weakened = abstraction.weakened(self.model.skeleton(), self.board.goal(id));
            (id, weakened)
        });
        let (expressed, inexpressible): (Vec<_>, Vec<_>) =
            weakened.partition(|(_, goal)| goal.is_some());
        hopeless.extend(inexpressible.iter().map(|(id, _)| *id));
        if expressed.is_empty() {
            return false;
        }
        let (ids, goals): (Vec<GoalId>, Vec<Option<Goal>>) = expressed.into_iter().unzip();
        let config = RunConfig {
            threads: 1,
            keep_all_witnesses: true,
            keep_certificates: false,
            dump: None,
            schedule: None,
            ..self.config.clone()
        };
        let reporter = self.board.proof_reporter("ABSTRACTION");
        let plan = Plan::of_goals(goals.into_iter().flatten());
        let on_event = |event: Event<'_>| {
            let Event::Settled { id, goal, knowledge } = event else { return };
            let id: GoalId = ids[id.index()];
            hopeless.insert(id);
            reporter.on_abstraction(abstraction, id, goal, knowledge);
            let witness = match knowledge {
                Knowledge::Reach(ReachKnowledge::Reached { witness, .. }) => witness.as_ref(),
                Knowledge::Maximum(Maximum { largest_seen: Some(seen), .. }) => {
                    seen.witness.as_ref()
                }
                _ => None,
            };
            // The witness on the abstraction becomes a hint for the walks on the coloured net.
            let witness = witness.filter(|_| self.board.is_open(id));
            if let Some(sequence) = witness.and_then(|witness| witness.to_sequence()) {
                self.hints.add(hint(id, abstraction, quotient.as_ref(), &sequence));
            }
        };
        let name = match quotient {
            None => "the skeleton (colours erased)",
            Some(quotient) if quotient.is_exact() => "the quotient by equivalent colours",
            Some(_) => "a quotient (some colours merged)",
        };
        self.record_turn(name, || {
            let open_before = self.board.open_count();
            let report = run_net(abstraction.net(), plan, &config, budget, on_event);
            self.failures.fetch_add(report.faults, Ordering::Relaxed);
            let net = abstraction.net();
            format!(
                "{} places, {} transitions; {} goals settled in this time",
                net.place_count(),
                net.transition_count(),
                open_before.saturating_sub(self.board.open_count())
            )
        });
        true
    }
}

/// Converts a firing sequence of an abstraction to a hint for walks on the coloured net. Each step
/// has the coloured transition, constraints on its binding, and the number of firings.
fn hint(
    goal: GoalId,
    abstraction: &SimulatingNet,
    quotient: Option<&Quotient>,
    sequence: &FiringSequence,
) -> ColouredHint {
    let net = abstraction.net();
    // A transition name that is not the name of a binding gives no constraints.
    let constraints = |t: TransitionId| -> Vec<BindingConstraint> {
        let Some(quotient) = quotient else { return Vec::new() };
        let binding = quotient.net().binding_named(net.transition_name(t));
        let values = binding.map(|(_, values)| values).unwrap_or_default();
        let constraint = |value: BoundColour| match quotient.classes(value.variable) {
            None => BindingConstraint::Colour(value),
            Some(classes) => BindingConstraint::Class(value, Arc::clone(classes)),
        };
        values.into_iter().map(constraint).collect()
    };
    let coloured_transition = |t| net.folding().map_or(0, |folding| folding.transition_of(t));
    let steps = sequence.steps().iter();
    let steps = steps.map(|step| {
        (coloured_transition(step.transition), constraints(step.transition), step.count)
    });
    ColouredHint { goal, steps: steps.collect() }
}
