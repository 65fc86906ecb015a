//! The portfolio: workers follow the [schedule](mod@super::schedule), and the engines of the
//! [registry](parikh_engine::registry) work on the net of each step.
//!
//! A panic in an engine loses the work of that engine only. The portfolio records what each worker
//! does, so that an engine that does not stop in time can be named.

use super::config::RunConfig;
use super::event::{EngineAtWork, EngineTurn};
use super::groups;
use super::presolve::learn_bounds;
use super::schedule::{self, PhaseNet, Schedule, SchedulePhase, TimePart};
use parikh_engine::board::Board;
use parikh_engine::working_net::WorkingNet;
use parikh_engine::{Engine, Role, reduced};
use parikh_net::{GoalId, MarkingGoal, Predicate};
use parikh_solvers::Budget;
use parikh_solvers::locked;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

/// The state shared by the workers of an analysis.
pub(super) struct Portfolio<'a> {
    /// The net of the analysis, with its goals and facts.
    pub(super) working_net: &'a WorkingNet<'a>,
    pub(super) board: &'a Board<'a>,
    pub(super) budget: &'a Budget,
    pub(super) config: &'a RunConfig,
    pub(super) schedule: Schedule,
    /// The net reduced for the open goals about markings, made at its first use; the method
    /// `reduced` names the exceptions. A stored `None` means that there is no such net.
    reduced: OnceLock<Option<WorkingNet<'a>>>,
    /// Name and text of each engine's finished turns, for `--stats`.
    statistics: Mutex<Vec<(String, String)>>,
    /// The finished turns, ordered by end.
    turns: Mutex<Vec<EngineTurn>>,
    /// The start of the analysis.
    pub(super) start: Instant,
    /// Number of panics of engines.
    pub(super) failures: AtomicUsize,
    /// For each worker, the name of the engine at work and its start time; `None` while no engine
    /// is at work.
    pub(super) at_work: Vec<Mutex<Option<(String, Instant)>>>,
}

impl<'a> Portfolio<'a> {
    /// Makes a portfolio for the goals of `working_net`.
    pub(super) fn new(
        working_net: &'a WorkingNet<'a>,
        board: &'a Board<'a>,
        budget: &'a Budget,
        config: &'a RunConfig,
        start: Instant,
    ) -> Self {
        let default = || Schedule::of_threads(config.threads);
        Portfolio {
            working_net,
            board,
            budget,
            config,
            schedule: config.schedule.clone().unwrap_or_else(default),
            reduced: OnceLock::new(),
            statistics: Mutex::default(),
            turns: Mutex::default(),
            start,
            failures: AtomicUsize::new(0),
            at_work: (0..config.threads.max(1)).map(|_| Mutex::default()).collect(),
        }
    }

    /// Returns the number of workers.
    pub(super) fn threads(&self) -> usize {
        self.at_work.len()
    }

    /// Returns the number of threads that an engine may use. An engine may use all threads if there
    /// are no walk engines and at most one worker has engines in its schedule, otherwise one. With
    /// walk engines, every worker that has finished its schedule walks. Phases that name no role
    /// count as phases with engines.
    pub(super) fn threads_of_an_engine(&self) -> usize {
        let has_walks = self.has_any(&[Role::Walk]);
        let has_no_engine = |step: &SchedulePhase| match *step {
            SchedulePhase::Run(Role::Walk, ..) => true,
            SchedulePhase::Run(role, ..)
            | SchedulePhase::Continue(role, _)
            | SchedulePhase::ContinueOnSmallNet(role, _) => !self.has_any(&[role]),
            SchedulePhase::HomesForTrees(_) => !self.has_any(&[Role::Homes]),
            _ => false,
        };
        let busy_workers =
            self.schedule.workers.iter().filter(|phases| !phases.iter().all(has_no_engine));
        if has_walks || busy_workers.count() > 1 { 1 } else { self.threads() }
    }

    /// Returns the statistics of engines, in the order in which they were reported.
    pub(super) fn statistics_so_far(&self) -> Vec<(String, String)> {
        locked(&self.statistics).clone()
    }

    /// Returns the engines at work.
    pub(super) fn at_work(&self) -> Vec<EngineAtWork> {
        let engines = self.at_work.iter().filter_map(|engine| locked(engine).clone());
        engines.map(|(engine, since)| EngineAtWork { engine, since: since.elapsed() }).collect()
    }

    /// Returns the finished turns, ordered by end.
    pub(super) fn turns_so_far(&self) -> Vec<EngineTurn> {
        locked(&self.turns).clone()
    }

    /// Returns the number of panics of engines.
    pub(super) fn failures(&self) -> usize {
        self.failures.load(Ordering::Relaxed)
    }

    /// Records the finished turn of an engine: its start, the number of goals open then, and its
    /// line of statistics.
    pub(super) fn record_turn(
        &self,
        engine: &str,
        (start, open_goals): (Instant, usize),
        text: String,
    ) {
        tracing::info!("{engine}: {text}");
        locked(&self.turns).push(EngineTurn {
            engine: engine.to_owned(),
            start: start.duration_since(self.start),
            duration: start.elapsed(),
            open_goals,
            statistics: text.clone(),
        });
        locked(&self.statistics).push((engine.to_owned(), text));
    }

    /// Returns the start time of a turn and the number of open goals.
    pub(super) fn turn_start(&self) -> (Instant, usize) {
        (Instant::now(), self.board.open_count())
    }

    /// Returns true if no goal of the net is open, or the budget is used up.
    pub(super) fn is_over(&self) -> bool {
        self.board.open_count() == 0
            || self.budget.is_exhausted()
            || !self.working_net.kinds().any(|(id, _)| self.board.is_open(id))
    }

    /// Returns the ends of all rounds of the schedule but the last, counted from the start of the
    /// analysis. Empty if the schedule is not repeated, or if all engines of the run have the same
    /// role: then no other engine waits.
    pub(super) fn round_ends(&self) -> Vec<Duration> {
        let mut engines = self.config.engines.iter();
        let first = engines.next();
        let is_alone = engines.all(|engine| first.is_some_and(|first| first.role == engine.role));
        match self.schedule.is_repeated && !is_alone {
            true => schedule::round_ends(self.budget.remaining()),
            false => Vec::new(),
        }
    }

    /// Returns the number of open CTL formulas.
    pub(super) fn open_trees(&self) -> usize {
        self.working_net.tree_goals().iter().filter(|(id, _)| self.board.is_open(*id)).count()
    }

    /// Returns the time of a step with this role, adjusted to the open CTL formulas. If CTL
    /// formulas are open, a step for home properties or for runs has a limit, unless the step has
    /// all remaining time. The limit for home properties is [`schedule::HOMES_BESIDE_TREES`]. The
    /// limit for runs is the share of LTL goals among the open LTL and CTL goals. If no CTL formula
    /// is open, diagrams for runs have the limit [`schedule::DIAGRAMS_FOR_RUNS`].
    pub(super) fn share_beside_trees(&self, role: Role, part: TimePart) -> TimePart {
        let trees = self.open_trees();
        let max_share = match role {
            Role::TreeDiagrams if trees == 0 => schedule::DIAGRAMS_FOR_RUNS,
            _ if trees == 0 => 1.0,
            Role::Homes if part.share < 1.0 => schedule::HOMES_BESIDE_TREES,
            Role::Runs if part.share < 1.0 => {
                let runs = self.working_net.run_goals().iter();
                share_beside(runs.filter(|(id, _)| self.board.is_open(*id)).count(), trees)
            }
            _ => 1.0,
        };
        TimePart { share: part.share.min(max_share), ..part }
    }

    /// Returns the time of [`SchedulePhase::HomesForTrees`], or `None` if no CTL formula is open.
    pub(super) fn homes_for_trees(&self, part: TimePart) -> Option<TimePart> {
        let trees = self.open_trees();
        let homes = self.working_net.home_goals().iter();
        let homes = homes.filter(|(id, _)| self.board.is_open(*id)).count();
        let share = part.share.min(share_beside(homes, trees));
        (trees > 0 && homes > 0).then_some(TimePart { share, ..part })
    }

    /// Returns true if a role takes turns in [`SchedulePhase::Grow`]. Decision diagrams for runs do
    /// so only while CTL formulas are open, because they have had their time before.
    pub(super) fn may_grow(&self, role: Role) -> bool {
        role != Role::TreeDiagrams || self.open_trees() > 0
    }

    /// Returns the net that a phase works on, or `None` if the phase is skipped.
    pub(super) fn phase_net(&self, phase_net: PhaseNet) -> Option<&WorkingNet<'a>> {
        match phase_net {
            PhaseNet::Original => Some(self.working_net),
            PhaseNet::Reduced => self.reduced(),
            PhaseNet::Smallest => Some(self.smallest()),
            PhaseNet::OriginalAgain => {
                Some(self.working_net).filter(|_| !matches!(self.reduced.get(), Some(None)))
            }
        }
    }

    /// Returns the reduced net, or the unreduced net of the analysis if there is no reduced net.
    pub(super) fn smallest(&self) -> &WorkingNet<'a> {
        self.reduced().unwrap_or(self.working_net)
    }

    /// Returns the net reduced for the goals about markings that are open at the first call, except
    /// goals that [`is_too_wide`](Self::is_too_wide) leaves out. Later calls return the same
    /// result; concurrent callers wait for it. Returns `None` if at the first call the run is over
    /// or no goal is left. Also returns `None` if nothing can be reduced or the reduction panics.
    /// While more than [`groups::MAX_GROUP_SIZE`] goals are open, nothing is reduced, and a later
    /// call counts as the first.
    fn reduced(&self) -> Option<&WorkingNet<'a>> {
        let open = self.working_net.goals().iter().filter(|(id, _)| self.board.is_open(*id));
        if self.reduced.get().is_none() && open.count() > groups::MAX_GROUP_SIZE {
            return None;
        }
        let make = || {
            if self.is_over() {
                return None;
            }
            let goals = self.working_net.goals().iter().filter(|(_, goal)| !self.is_too_wide(goal));
            let ids: Vec<GoalId> = goals.map(|(id, _)| *id).collect();
            self.reduce(&ids, &self.budget.share(schedule::REDUCING))
        };
        self.reduced.get_or_init(make).as_ref()
    }

    /// Returns true if a goal is left out of the reduced net. While CTL formulas are open, this
    /// holds for the reachability of a predicate on more than half of the places, other than
    /// deadlock. Such a predicate would prevent most reductions for all other goals.
    fn is_too_wide(&self, goal: &MarkingGoal) -> bool {
        let net = self.working_net.net();
        let is_open = |(id, _): &(GoalId, _)| self.board.is_open(*id);
        match goal {
            MarkingGoal::Reach(Predicate::Dead) => false,
            MarkingGoal::Reach(predicate) if self.working_net.tree_goals().iter().any(is_open) => {
                predicate.support(net).len() * 2 > net.place_count()
            }
            _ => false,
        }
    }

    /// Reduces the net for the open goals among `goals`, and settles the goals that the reduction
    /// decides. Returns `None` if the run is over, if no goal is open, if nothing can be reduced,
    /// or if the reduction panics.
    pub(super) fn reduce(&self, goals: &[GoalId], budget: &Budget) -> Option<WorkingNet<'a>> {
        if self.is_over() {
            return None;
        }
        let make = || {
            reduced::reduce(
                self.working_net,
                goals,
                self.board,
                (budget, self.budget),
                |net, facts| learn_bounds(net, facts, budget),
            )
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

    /// Returns the groups of open goals that get a reduced net of their own. This net has at most
    /// the share `own_reduction_below` of the transitions of `shared`. Returns no groups if no
    /// engine would work on such nets.
    pub(super) fn groups(&self, shared: &WorkingNet<'_>, budget: &Budget) -> Vec<Vec<GoalId>> {
        if !self.has_any(&[Role::Search, Role::Slices, Role::Walk]) {
            return Vec::new();
        }
        let mut open_goals = self.working_net.goals().to_vec();
        open_goals.retain(|(id, _)| self.board.is_open(*id));
        let mut groups = groups::partition_goals(self.working_net.net(), &open_goals);
        let grouping_budget = budget.share(schedule::GROUPING);
        let max_transitions =
            shared.net().transition_count() as f64 * self.config.own_reduction_below;
        let mut groups_left = groups.len();
        groups.retain(|goals| {
            let budget = grouping_budget.share(1.0 / groups_left as f64);
            groups_left -= 1;
            // This reduced net only serves to measure its size, and is dropped at once. It is made
            // again when its group is analysed, so that only one such net is in memory.
            let working_net = self.reduce(&ids(goals), &budget);
            working_net.is_some_and(|working_net| {
                working_net.net().transition_count() as f64 <= max_transitions
            })
        });
        tracing::info!(
            "{} groups of {} open goals are reduced separately",
            groups.len(),
            open_goals.len()
        );
        groups.iter().map(|goals| ids(goals)).collect()
    }
}

/// Returns the ids of the goals.
fn ids(goals: &[(GoalId, MarkingGoal)]) -> Vec<GoalId> {
    goals.iter().map(|(id, _)| *id).collect()
}

/// Returns the share of `count` goals among these goals and `trees` CTL formulas.
fn share_beside(count: usize, trees: usize) -> f64 {
    count as f64 / (count + trees) as f64
}
