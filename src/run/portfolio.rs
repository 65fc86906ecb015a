//! The portfolio: workers go through the [schedule](super::schedule), engines of the
//! [registry](crate::engine::registry) do the work, each on the ground where its step is.
//!
//! A panic in an engine costs what that engine was at, nothing else. What each worker is at is
//! written down, so that an engine that does not stop in time can be named.

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

/// What all workers of a run share.
pub(super) struct Portfolio<'a> {
    pub(super) ground: &'a Ground<'a>,
    pub(super) board: &'a Board<'a>,
    pub(super) budget: &'a Budget,
    pub(super) config: &'a Config,
    pub(super) schedule: Schedule,
    reduced: OnceLock<Option<Ground<'a>>>,
    statistics: Mutex<Vec<(String, String)>>,
    turns: Mutex<Vec<Turn>>,
    /// When the run began.
    begun: Instant,
    /// Panics of engines.
    pub(super) failures: AtomicUsize,
    /// By worker, the engine it is with, and since when.
    pub(super) at_work: Vec<Mutex<Option<(String, Instant)>>>,
}

impl<'a> Portfolio<'a> {
    /// A portfolio for the goals of `ground`.
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

    /// How many workers there are.
    pub(super) fn threads(&self) -> usize {
        self.at_work.len()
    }

    /// How many threads an engine may use: all of them where no worker has anything to do but one.
    /// Workers that are through with their steps walk.
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

    /// What engines did, in the order they said so.
    pub(super) fn statistics_so_far(&self) -> Vec<(String, String)> {
        whole(&self.statistics).clone()
    }

    /// The engines at work.
    pub(super) fn at_work(&self) -> Vec<AtWork> {
        let all = self.at_work.iter().filter_map(|engine| whole(engine).clone());
        all.map(|(engine, since)| AtWork { engine, since: since.elapsed() }).collect()
    }

    /// The turns that ended, in the order they did.
    pub(super) fn turns_so_far(&self) -> Vec<Turn> {
        whole(&self.turns).clone()
    }

    /// How often an engine has failed.
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

    /// The time at which a turn begins, and the number of goals open then.
    pub(super) fn beginning(&self) -> (Instant, usize) {
        (Instant::now(), self.board.open_count())
    }

    /// Whether no goal of the ground is open, or the time is over.
    pub(super) fn is_over(&self) -> bool {
        self.board.open_count() == 0
            || self.budget.is_exhausted()
            || !self.ground.kinds().any(|(id, _)| self.board.is_open(id))
    }

    /// A part of the time that is left.
    pub(super) fn part(&self, part: Part) -> Budget {
        self.budget.share(part.share).slice(part.most)
    }

    /// How many formulas of CTL are open.
    pub(super) fn open_trees(&self) -> usize {
        self.ground.trees().iter().filter(|(id, _)| self.board.is_open(*id)).count()
    }

    /// The part of the time that a step of this role has by what is open of CTL: where there is
    /// anything, less for finding out what stays reachable, and for runs their share of what is
    /// open; where there is nothing, little for diagrams of what runs show.
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

    /// Whether a role goes on when all steps are over. Where no CTL is open, a diagram has had its
    /// time by then.
    pub(super) fn may_grow(&self, role: Role) -> bool {
        role != Role::TreeDiagrams || self.open_trees() > 0
    }

    /// The ground of a step, if there is one.
    pub(super) fn on(&self, on: On) -> Option<&Ground<'a>> {
        match on {
            On::Read => Some(self.ground),
            On::Reduced => self.reduced(),
            On::Smallest => Some(self.smallest()),
            On::ReadToo => Some(self.ground).filter(|_| !matches!(self.reduced.get(), Some(None))),
        }
    }

    /// The reduced net, or the one that was read where there is none.
    pub(super) fn smallest(&self) -> &Ground<'a> {
        self.reduced().unwrap_or(self.ground)
    }

    /// The net reduced for the goals that are open when it is first asked for; whoever asks while
    /// it is being made waits.
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

    /// Whether a goal is kept from the reduced net: with formulas of CTL there are some that speak
    /// of most places, and would have nothing reduced for all others.
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

    /// The net reduced for those of these goals that are open; what that settles by itself is
    /// settled.
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
            tracing::error!("internal error: the reduction failed; going on without it");
            None
        })
    }

    /// The engines of a role, in the order of the registry.
    pub(super) fn engines(&self, role: Role) -> impl Iterator<Item = &'static Engine> + use<> {
        self.config.engines.iter().filter(move |engine| engine.role == role)
    }

    /// Whether an engine of one of these roles takes part.
    pub(super) fn has_any(&self, roles: &[Role]) -> bool {
        self.config.engines.iter().any(|engine| roles.contains(&engine.role))
    }

    /// The groups of open goals that deserve a net of their own: reduced for them alone, it is
    /// clearly smaller than the shared one.
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
            "{} groups of {} open goals have nets of their own",
            groups.len(),
            open.len()
        );
        groups.iter().map(|goals| ids(goals)).collect()
    }
}

fn ids(goals: &[(GoalId, MarkingGoal)]) -> Vec<GoalId> {
    goals.iter().map(|(id, _)| *id).collect()
}

/// What is behind a lock; a thread that panicked has not left it half written.
pub(super) fn whole<T>(lock: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}
