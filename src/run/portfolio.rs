//! The portfolio: workers follow the [schedule](super::schedule), and the engines of the
//! [registry](crate::engine::registry) work on the net of each step.
//!
//! A panic in an engine loses the work of that engine only. The portfolio records what each worker
//! does, so that an engine that does not stop in time can be named.

use super::config::Config;
use super::event::{AtWork, Turn};
use super::groups;
use super::presolve::learn_bounds;
use super::schedule::{self, On, Part, Phase, Schedule};
use crate::board::Board;
use crate::engine::{Engine, Role, reduced};
use crate::ground::Ground;
use parikh_net::{GoalId, MarkingGoal, Predicate};
use parikh_solvers::Budget;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::Instant;

/// The state shared by the workers of an analysis.
pub(super) struct Portfolio<'a> {
    pub(super) ground: &'a Ground<'a>,
    pub(super) board: &'a Board<'a>,
    pub(super) budget: &'a Budget,
    pub(super) config: &'a Config,
    pub(super) schedule: Schedule,
    reduced: OnceLock<Option<Ground<'a>>>,
    statistics: Mutex<Vec<(String, String)>>,
    turns: Mutex<Vec<Turn>>,
    /// The start of the analysis.
    begun: Instant,
    /// Number of panics of engines.
    pub(super) failures: AtomicUsize,
    /// For each worker, its engine and the time at which it started.
    pub(super) at_work: Vec<Mutex<Option<(String, Instant)>>>,
}

impl<'a> Portfolio<'a> {
    /// Makes a portfolio for the goals of `ground`.
    pub(super) fn new(
        ground: &'a Ground<'a>,
        board: &'a Board<'a>,
        budget: &'a Budget,
        config: &'a Config,
        begun: Instant,
    ) -> Self {
        let default = || Schedule::of_threads(config.threads);
        Portfolio {
            ground,
            board,
            budget,
            config,
            schedule: config.schedule.clone().unwrap_or_else(default),
            reduced: OnceLock::new(),
            statistics: Mutex::default(),
            turns: Mutex::default(),
            begun,
            failures: AtomicUsize::new(0),
            at_work: (0..config.threads.max(1)).map(|_| Mutex::default()).collect(),
        }
    }

    /// Returns the number of workers.
    pub(super) fn threads(&self) -> usize {
        self.at_work.len()
    }

    /// Returns the number of threads that an engine may use: all of them if only one worker has
    /// steps. Workers that have finished their steps walk.
    pub(super) fn threads_of_an_engine(&self) -> usize {
        let walks = self.has_any(&[Role::Walk]);
        let is_nothing = |step: &Phase| match *step {
            Phase::Run(Role::Walk, ..) => true,
            Phase::Run(role, ..) | Phase::GoOn(role, _) | Phase::GoOnSmall(role, _) => {
                !self.has_any(&[role])
            }
            _ => false,
        };
        let steps = self.schedule.workers.iter().filter(|steps| !steps.iter().all(is_nothing));
        if walks || steps.count() > 1 { 1 } else { self.threads() }
    }

    /// Returns the statistics of engines, in the order in which they were reported.
    pub(super) fn statistics_so_far(&self) -> Vec<(String, String)> {
        whole(&self.statistics).clone()
    }

    /// Returns the engines at work.
    pub(super) fn at_work(&self) -> Vec<AtWork> {
        let all = self.at_work.iter().filter_map(|engine| whole(engine).clone());
        all.map(|(engine, since)| AtWork { engine, since: since.elapsed() }).collect()
    }

    /// Returns the finished turns, ordered by end.
    pub(super) fn turns_so_far(&self) -> Vec<Turn> {
        whole(&self.turns).clone()
    }

    /// Returns the number of panics of engines.
    pub(super) fn failures(&self) -> usize {
        self.failures.load(Ordering::Relaxed)
    }

    pub(super) fn note(&self, engine: &str, (began, open): (Instant, usize), text: String) {
        tracing::info!("{engine}: {text}");
        whole(&self.turns).push(Turn {
            engine: engine.to_owned(),
            began: began.duration_since(self.begun),
            lasted: began.elapsed(),
            open,
            said: text.clone(),
        });
        whole(&self.statistics).push((engine.to_owned(), text));
    }

    /// Returns the start time of a turn and the number of open goals.
    pub(super) fn beginning(&self) -> (Instant, usize) {
        (Instant::now(), self.board.open_count())
    }

    /// Returns true if no goal of the net is open, or the time is over.
    pub(super) fn is_over(&self) -> bool {
        self.board.open_count() == 0
            || self.budget.is_exhausted()
            || !self.ground.kinds().any(|(id, _)| self.board.is_open(id))
    }

    /// Returns a part of the remaining time.
    pub(super) fn part(&self, part: Part) -> Budget {
        self.budget.share(part.share).slice(part.most)
    }

    /// Returns the number of open CTL formulas.
    pub(super) fn open_trees(&self) -> usize {
        self.ground.trees().iter().filter(|(id, _)| self.board.is_open(*id)).count()
    }

    /// Returns the time of a step with this role, adjusted to the open CTL formulas. If there are
    /// any, home spaces get less, and runs get a share by their number. If there are none, diagrams
    /// for runs get little.
    pub(super) fn beside_trees(&self, role: Role, part: Part) -> Part {
        let is_open = |id: GoalId| self.board.is_open(id);
        let trees = self.open_trees();
        let most = match role {
            Role::TreeDiagrams if trees == 0 => schedule::DIAGRAMS_FOR_RUNS,
            _ if trees == 0 => 1.0,
            Role::Homes if part.share < 1.0 => schedule::HOMES_BESIDE_TREES,
            Role::Runs if part.share < 1.0 => {
                let runs = self.ground.runs().iter().filter(|(id, _)| is_open(*id)).count();
                runs as f64 / (runs + trees) as f64
            }
            _ => 1.0,
        };
        Part { share: part.share.min(most), ..part }
    }

    /// Returns true if a role continues when all steps are done. Without open CTL formulas,
    /// diagrams have had their time by then.
    pub(super) fn may_grow(&self, role: Role) -> bool {
        role != Role::TreeDiagrams || self.open_trees() > 0
    }

    /// Returns the net of a step, if there is one.
    pub(super) fn on(&self, on: On) -> Option<&Ground<'a>> {
        match on {
            On::Read => Some(self.ground),
            On::Reduced => self.reduced(),
            On::Smallest => Some(self.smallest()),
            On::ReadToo => Some(self.ground).filter(|_| !matches!(self.reduced.get(), Some(None))),
        }
    }

    /// Returns the reduced net, or the net that was read if there is none.
    pub(super) fn smallest(&self) -> &Ground<'a> {
        self.reduced().unwrap_or(self.ground)
    }

    /// Returns the net reduced for the goals that are open at the first call. Other callers wait
    /// while it is made.
    fn reduced(&self) -> Option<&Ground<'a>> {
        let make = || {
            let open = self.ground.goals().iter().filter(|(id, _)| self.board.is_open(*id));
            if self.is_over() || open.count() > groups::LARGEST {
                return None;
            }
            let goals = self.ground.goals().iter().filter(|(_, goal)| !self.is_too_wide(goal));
            let all: Vec<GoalId> = goals.map(|(id, _)| *id).collect();
            self.reduce(&all, &self.budget.share(schedule::REDUCING))
        };
        self.reduced.get_or_init(make).as_ref()
    }

    /// Returns true if a goal is left out of the reduced net: beside CTL formulas, a goal that
    /// concerns most places would prevent the reduction for all others.
    fn is_too_wide(&self, goal: &MarkingGoal) -> bool {
        let net = self.ground.net();
        let is_open = |(id, _): &(GoalId, _)| self.board.is_open(*id);
        match goal {
            MarkingGoal::Reach(Predicate::Dead) => false,
            MarkingGoal::Reach(predicate) if self.ground.trees().iter().any(is_open) => {
                predicate.support(net).len() * 2 > net.place_count()
            }
            _ => false,
        }
    }

    /// Reduces the net for those of these goals that are open, and settles the goals that the
    /// reduction decides.
    pub(super) fn reduce(&self, goals: &[GoalId], budget: &Budget) -> Option<Ground<'a>> {
        if self.is_over() {
            return None;
        }
        let make = || {
            reduced::reduce(self.ground, goals, self.board, (budget, self.budget), |net, facts| {
                learn_bounds(net, facts, budget)
            })
        };
        catch_unwind(AssertUnwindSafe(make)).unwrap_or_else(|_| {
            tracing::error!("internal error: the reduction failed; continuing without it");
            None
        })
    }

    /// Returns the engines of a role, in the order of the registry.
    pub(super) fn engines(&self, role: Role) -> impl Iterator<Item = &'static Engine> + use<> {
        self.config.engines.iter().filter(move |engine| engine.role == role)
    }

    /// Returns true if an engine of one of these roles takes part.
    pub(super) fn has_any(&self, roles: &[Role]) -> bool {
        self.config.engines.iter().any(|engine| roles.contains(&engine.role))
    }

    /// Returns the groups of open goals for which a net reduced for them alone is clearly smaller
    /// than the shared one.
    pub(super) fn groups(&self, shared: &Ground<'_>) -> Vec<Vec<GoalId>> {
        if !self.has_any(&[Role::Search, Role::Slices, Role::Walk]) {
            return Vec::new();
        }
        let mut open = self.ground.goals().to_vec();
        open.retain(|(id, _)| self.board.is_open(*id));
        let mut groups = groups::of(self.ground.net(), &open);
        let end = self.budget.share(schedule::GROUPING);
        let most = shared.net().transition_count() as f64 * self.config.own_reduction_below;
        let mut left = groups.len();
        groups.retain(|goals| {
            let budget = end.share(1.0 / left as f64);
            left -= 1;
            let ground = self.reduce(&ids(goals), &budget);
            ground.is_some_and(|ground| ground.net().transition_count() as f64 <= most)
        });
        tracing::info!(
            "{} groups of {} open goals are reduced separately",
            groups.len(),
            open.len()
        );
        groups.iter().map(|goals| ids(goals)).collect()
    }
}

fn ids(goals: &[(GoalId, MarkingGoal)]) -> Vec<GoalId> {
    goals.iter().map(|(id, _)| *id).collect()
}

/// Locks a mutex. A thread that panicked leaves the data valid.
pub(super) fn whole<T>(lock: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}
