//! The explicit engine: explores markings one by one, packed into a few words each.
//!
//! The engine has a firing sequence for every goal that it reaches. After it has visited all
//! reachable markings, the other goals are proved unreachable. So it finds witnesses and proofs. It
//! is also the reference that the other engines are tested against.
//!
//! Reading order: `packing` (markings as words), `moves` (transitions on words), `store` (the set
//! of markings). The store uses `set` (numbers the markings), `tree` (compresses each marking to
//! one word) and `derived` (omits places determined by others). It also uses `parents` (the
//! predecessor of each marking) and `memory` (memory accounting). Then follow `space` (these parts
//! combined), `packed_tests` and `watch` (goals on words, and which goals to test when). The last
//! are `stubborn` (transitions that can be left out), `search` (one search), and
//! `parallel_expansion` (by several `threads`, in `block`s). [`run`] below decides what to search
//! for and for how long. [`state_space`] counts markings, and [`graph`] builds the reachability
//! graph. If place invariants reduce a marking to one word, `grouped` counts very many markings
//! with less time and memory.
//!
//! # Strategy
//!
//! 1. One goal: a best-first search with stubborn sets and the whole budget. An exhaustive search
//!    with stubborn sets never visits more markings than one without.
//! 2. Several goals: one breadth-first search for all of them, with a share of the time. Every
//!    search may use all of the memory.
//! 3. If that search does not end: a best-first search with stubborn sets for each remaining goal,
//!    in rounds of growing time slices. Each search also watches the goals still to come. A goal is
//!    given up if its own search ends within its time slice without settling it. For example, no
//!    further marking can be stored.

pub(crate) mod block;
pub(crate) mod condition;
pub(crate) mod derived;
pub mod graph;
mod grouped;
pub(crate) mod layout;
pub(crate) mod memory;
pub(crate) mod moves;
pub(crate) mod packed_tests;
pub(crate) mod packing;
pub(crate) mod parallel_expansion;
pub(crate) mod parents;
mod progress;
pub(crate) mod search;
pub(crate) mod set;
pub(crate) mod space;
pub mod state_space;
pub(crate) mod store;
pub(crate) mod stubborn;
pub mod sums;
pub(crate) mod threads;
pub(crate) mod tree;
pub(crate) mod watch;

pub use graph::ExplicitGraph;
pub use progress::{ExplorationError, StopRule};
pub use search::SearchOrder;
pub use state_space::{StateSpace, count, count_with};

use crate::Task;
use crate::board::{ProofReporter, WitnessReporter};
use crate::{Engine, ResultKinds, Role, SupportedGoals, stateless_session};
use parikh_net::printable::counted;
use parikh_net::{GoalId, MarkingGoal};
use parikh_solvers::Budget;
use search::{SearchConfig, SearchEnd, SearchReport, search};
use std::time::Duration;

/// The registry entry of the engine.
pub const ENGINE: Engine = Engine {
    name: "explicit",
    technique: "EXPLICIT",
    result_kinds: ResultKinds::Both,
    role: Role::Search,
    supported: SupportedGoals::MARKINGS,
    start: |work| {
        stateless_session(move |budget| {
            let (working_net, board) = (work.working_net, work.board);
            let task = Task::shrunk(working_net, board, budget, work.seed);
            let (witness_reporter, proof_reporter) = (
                board.witness_reporter("EXPLICIT").on(working_net),
                board.proof_reporter("EXPLICIT").on(working_net),
            );
            let config = ExplicitConfig { threads: work.threads, ..ExplicitConfig::default() };
            run(&task, witness_reporter, proof_reporter, &config).to_string()
        })
    },
};

/// Minimum time slice of a search for one goal.
const MIN_SLICE: Duration = Duration::from_millis(50);

/// Configuration of the engine.
#[derive(Clone, Debug)]
pub struct ExplicitConfig {
    /// Order of the search for all goals. Breadth-first by default.
    pub order: SearchOrder,
    /// Order of the searches for one goal. Best-first by default.
    pub order_per_goal: SearchOrder,
    /// True if searches for one goal use stubborn sets. True by default.
    pub uses_stubborn_sets: bool,
    /// Share of the time for the search for all goals, in [0, 1]. 0.4 by default. This search runs
    /// only if there are several goals. Without a time limit of the engine, it has none either.
    pub all_goals_share: f64,
    /// Time slice per goal in the first round of searches for one goal. 2 s by default. The slice
    /// is shorter if the remaining time is short. A single remaining goal gets the whole remaining
    /// time.
    pub first_slice: Duration,
    /// Growth factor of the slices from round to round, at least 2. 4 by default.
    pub growth: u32,
    /// Limit on the memory of a search in bytes, in addition to the budget's limit for the whole
    /// process. Unlimited by default.
    pub max_bytes: u64,
    /// Number of threads of a breadth-first search, at least 1. 1 by default.
    pub threads: usize,
}

impl Default for ExplicitConfig {
    fn default() -> Self {
        ExplicitConfig {
            order: SearchOrder::BreadthFirst,
            order_per_goal: SearchOrder::BestFirst,
            uses_stubborn_sets: true,
            all_goals_share: 0.4,
            first_slice: Duration::from_secs(2),
            growth: 4,
            max_bytes: u64::MAX,
            threads: 1,
        }
    }
}

/// Statistics of a run of the engine, over all of its searches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExplicitStatistics {
    /// Number of searches started.
    pub searches: u64,
    /// Number of searches that expanded every marking that they reached.
    pub exhausted: u64,
    /// Number of markings stored, summed over all searches.
    pub states: u64,
    /// Number of firings, summed over all searches. Firings to stored markings count too.
    pub firings: u64,
    /// Number of times that all markings of a search were repacked because a place's bit field was
    /// too narrow. Summed over all searches.
    pub repackings: u64,
    /// Largest memory of the tables during any one search, in bytes.
    pub peak_bytes: u64,
    /// Number of markings of the largest search.
    pub largest_search: u64,
    /// Memory of the largest search at its end, in bytes.
    pub largest_bytes: u64,
}

impl std::fmt::Display for ExplicitStatistics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{}, {} exhaustive, {}, {}",
            if self.searches == 1 {
                "1 search".into()
            } else {
                format!("{} searches", self.searches)
            },
            self.exhausted,
            counted(self.states, "state"),
            counted(self.firings, "firing"),
        )?;
        if self.largest_search > 0 {
            write!(f, ", {:.1} bytes per state", self.bytes_per_state())?;
        }
        Ok(())
    }
}

impl ExplicitStatistics {
    /// Returns the bytes per marking at the end of the largest search, with all tables. NaN if no
    /// search has stored a marking.
    pub fn bytes_per_state(&self) -> f64 {
        self.largest_bytes as f64 / self.largest_search as f64
    }

    fn add(&mut self, report: &SearchReport) {
        self.searches += 1;
        self.exhausted += u64::from(report.end == SearchEnd::Exhausted);
        self.states += report.states;
        self.firings += report.firings;
        self.repackings += report.repackings;
        self.peak_bytes = self.peak_bytes.max(report.peak_bytes);
        if report.states > self.largest_search {
            (self.largest_search, self.largest_bytes) = (report.states, report.final_bytes);
        }
    }
}

/// Searches for the open goals of `task` until each is settled or given up, or the budget is
/// exhausted. The reporters receive the firing sequences and the proofs. A goal is given up if its
/// own search ends within its time without settling the goal. This happens if no further marking
/// can be stored, or if the board does not accept the result.
pub fn run<'a>(
    task: &'a Task<'a>,
    witness_reporter: WitnessReporter<'a>,
    proof_reporter: ProofReporter<'a>,
    config: &ExplicitConfig,
) -> ExplicitStatistics {
    let mut statistics = ExplicitStatistics::default();
    let mut goals = open_goals(task, task.goals.iter());
    if goals.len() > 1 {
        let slice = task.budget.portion(config.all_goals_share);
        let all_goals = SearchConfig {
            order: config.order,
            only_first_goal: false,
            uses_stubborn_sets: false,
            max_bytes: config.max_bytes,
            threads: config.threads,
        };
        let report = search(task, &goals, all_goals, &slice, witness_reporter, proof_reporter);
        log("all goals", &report);
        statistics.add(&report);
        goals = open_goals(task, goals.into_iter());
    }
    let one_goal = SearchConfig {
        order: config.order_per_goal,
        only_first_goal: true,
        uses_stubborn_sets: config.uses_stubborn_sets,
        max_bytes: config.max_bytes,
        threads: config.threads,
    };
    let mut slice = config.first_slice;
    while !goals.is_empty() && !task.budget.is_exhausted() {
        let mut unfinished = Vec::new();
        let count = goals.len();
        for (index, &goal) in goals.iter().enumerate() {
            if !task.board.is_open(goal.0) || task.budget.is_exhausted() {
                continue;
            }
            let budget = budget_for_goal(task.budget, slice, count);
            // The goals to come are watched as well: many are reached during the search for another
            // goal.
            let watched = open_goals(task, goals[index..].iter().copied());
            if watched.is_empty() {
                break;
            }
            let report =
                search(task, &watched, one_goal, &budget, witness_reporter, proof_reporter);
            log("one goal", &report);
            statistics.add(&report);
            if matches!(report.end, SearchEnd::BudgetExhausted(_)) {
                unfinished.push(goal);
            }
        }
        goals = open_goals(task, unfinished.into_iter());
        slice = slice.saturating_mul(config.growth.max(2));
    }
    statistics
}

/// Returns the budget for one of `goal_count` goals. A single goal gets everything. Otherwise a
/// goal gets `slice`, limited to its equal share of half the remaining time, but at least
/// [`MIN_SLICE`]. Without a time limit it gets `slice`.
fn budget_for_goal(budget: &Budget, slice: Duration, goal_count: usize) -> Budget {
    if goal_count == 1 {
        return budget.child();
    }
    match budget.remaining() {
        Some(left) => budget.slice(slice.min(left / (2 * goal_count as u32)).max(MIN_SLICE)),
        None => budget.slice(slice),
    }
}

/// Returns the goals that are still open on the board.
fn open_goals<'g>(
    task: &Task<'_>,
    goals: impl Iterator<Item = &'g (GoalId, MarkingGoal)>,
) -> Vec<&'g (GoalId, MarkingGoal)> {
    goals.filter(|(id, _)| task.board.is_open(*id)).collect()
}

/// Logs the report of a search. `what` says if the search is for all goals or for one.
fn log(what: &str, report: &SearchReport) {
    tracing::debug!(
        "explicit, {what}: {:?} after {} states, {} firings, {} bytes, {} repackings",
        report.end,
        report.states,
        report.firings,
        report.final_bytes,
        report.repackings,
    );
}
