//! The explicit engine: visits markings one by one, packed into a few words each.
//!
//! What it finds it can witness, and when it runs out of markings it has proved the rest: it is the
//! one engine that reports on both sides. It is also the oracle that the others are tested against.
//!
//! Read in this order: `packing` (markings as words), `moves` (transitions on words), `store` (the
//! set of markings: `set` numbers them, `tree` folds each into one word, `derived` leaves out
//! places that follow from others, `parents` says where each came from, `room` counts the bytes),
//! `space` (the three together), `judge` and `watch` (goals on words, and which to ask when),
//! `stubborn` (which transitions can be left out), `search` (one search), `crew` (many markings at
//! once, by several `threads`, in `block`s). [`run`] below decides what to search for and how long.
//! [`state_space`] counts markings, [`graph`] looks at the whole graph of them.
//!
//! # Strategy
//!
//! 1. One goal: a search with stubborn sets, best-first, with all there is. It sees no more
//!    markings than any other search.
//! 2. Several goals: one search for all of them, breadth-first, with a share of the time and, as
//!    for every search, all of the memory.
//! 3. When that does not end: a search with stubborn sets for each goal that is left, best-first,
//!    in rounds of growing slices. The goals still to come are watched on the way. A goal whose
//!    search was out of memory is given up.

pub(crate) mod block;
pub(crate) mod condition;
pub(crate) mod crew;
pub(crate) mod derived;
pub mod graph;
pub(crate) mod judge;
pub(crate) mod layout;
pub(crate) mod moves;
pub(crate) mod packing;
pub(crate) mod parents;
pub(crate) mod room;
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

pub use graph::Graph;
pub use search::Order;
pub use state_space::{Incomplete, StateSpace, count};

use crate::board::{Over, Under};
use crate::engine::Task;
use crate::engine::{Engine, Role, Sides, Takes, each_slice_anew};
use parikh_net::printable::counted;
use parikh_net::{GoalId, MarkingGoal};
use parikh_solvers::Budget;
use search::{End, Report, SearchConfig, search};
use std::time::Duration;

/// In the registry.
pub const ENGINE: Engine = Engine {
    name: "explicit",
    technique: "EXPLICIT",
    sides: Sides::Both,
    role: Role::Search,
    takes: Takes::MARKINGS,
    start: |work| {
        each_slice_anew(move |budget| {
            let (ground, board) = (work.ground, work.board);
            let task = Task::shrunk(ground, board, budget, work.seed);
            let (under, over) =
                (board.under("EXPLICIT").on(ground), board.over("EXPLICIT").on(ground));
            let config = Config { threads: work.threads, ..Config::default() };
            run(&task, under, over, &config).to_string()
        })
    },
};

/// Shortest slice worth building a search for.
const SHORTEST: Duration = Duration::from_millis(50);

/// How the engine uses what it is given.
#[derive(Clone, Debug)]
pub struct Config {
    /// The order of the search for all goals at once. Breadth by default.
    pub order: Order,
    /// The order of searches for one goal. Best by default.
    pub order_per_goal: Order,
    /// Whether searches for one goal use stubborn sets. True by default.
    pub stubborn: bool,
    /// The share of the time, in [0, 1], for the search for all goals. 0.4 by default.
    pub full_share: f64,
    /// The slice of the first round of searches for one goal. 2 s by default.
    pub first_slice: Duration,
    /// By how much slices grow from round to round, at least 2. 4 by default.
    pub growth: u32,
    /// The most bytes to take, besides the budget's ceiling on the whole process. None by default.
    pub memory: u64,
    /// Threads for a search in breadth, at least 1, which is the default.
    pub threads: usize,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            order: Order::Breadth,
            order_per_goal: Order::Best,
            stubborn: true,
            full_share: 0.4,
            first_slice: Duration::from_secs(2),
            growth: 4,
            memory: u64::MAX,
            threads: 1,
        }
    }
}

/// What a run did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Searches begun.
    pub searches: u64,
    /// Searches that visited all there is.
    pub exhausted: u64,
    /// Markings stored, in all searches together.
    pub states: u64,
    /// Transitions fired.
    pub firings: u64,
    /// Changes of layout because a field was too narrow.
    pub repackings: u64,
    /// The most bytes that one search took, estimated.
    pub peak_bytes: u64,
    /// The most markings of one search …
    pub largest_search: u64,
    /// … and the bytes it took at its end.
    pub largest_bytes: u64,
}

impl std::fmt::Display for Statistics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{}, {} to the end, {}, {}, {:.1} bytes a state",
            if self.searches == 1 {
                "1 search".into()
            } else {
                format!("{} searches", self.searches)
            },
            self.exhausted,
            counted(self.states, "state"),
            counted(self.firings, "firing"),
            self.bytes_per_state()
        )
    }
}

impl Statistics {
    /// Bytes for each marking of the largest search, with all tables; NaN before any.
    pub fn bytes_per_state(&self) -> f64 {
        self.largest_bytes as f64 / self.largest_search as f64
    }

    fn add(&mut self, report: &Report) {
        self.searches += 1;
        self.exhausted += u64::from(report.end == End::Exhausted);
        self.states += report.states;
        self.firings += report.firings;
        self.repackings += report.repackings;
        self.peak_bytes = self.peak_bytes.max(report.peak_bytes);
        if report.states > self.largest_search {
            (self.largest_search, self.largest_bytes) = (report.states, report.bytes);
        }
    }
}

/// Works on the open goals of `task` until they are settled or its budget is spent.
pub fn run<'a>(
    task: &'a Task<'a>,
    under: Under<'a>,
    over: Over<'a>,
    config: &Config,
) -> Statistics {
    let mut statistics = Statistics::default();
    let mut goals = open(task, task.goals.iter());
    if goals.len() > 1 {
        let slice = task.budget.portion(config.full_share);
        let all = SearchConfig {
            order: config.order,
            first_only: false,
            stubborn: false,
            ceiling: config.memory,
            threads: config.threads,
        };
        let report = search(task, &goals, all, &slice, under, over);
        log("all goals", &report);
        statistics.add(&report);
        goals = open(task, goals.into_iter());
    }
    let one = SearchConfig {
        order: config.order_per_goal,
        first_only: true,
        stubborn: config.stubborn,
        ceiling: config.memory,
        threads: config.threads,
    };
    let mut slice = config.first_slice;
    while !goals.is_empty() && !task.budget.is_exhausted() {
        let mut left = Vec::new();
        let count = goals.len();
        for (at, &goal) in goals.iter().enumerate() {
            if !task.board.is_open(goal.0) || task.budget.is_exhausted() {
                continue;
            }
            let budget = slice_for_one(task.budget, slice, count);
            // The goals to come are watched too: many are met on the way to another one.
            let watched = open(task, goals[at..].iter().copied());
            if watched.is_empty() {
                break;
            }
            let report = search(task, &watched, one, &budget, under, over);
            log("one goal", &report);
            statistics.add(&report);
            if matches!(report.end, End::Spent(_)) {
                left.push(goal);
            }
        }
        goals = open(task, left.into_iter());
        slice = slice.saturating_mul(config.growth.max(2));
    }
    statistics
}

/// The time for one of `goals` goals: `slice`, but half of what is left goes to all of them alike
/// at most, so that each has its turn, and a single one has everything.
fn slice_for_one(budget: &Budget, slice: Duration, goals: usize) -> Budget {
    if goals == 1 {
        return budget.child();
    }
    match budget.remaining() {
        Some(left) => budget.slice(slice.min(left / (2 * goals as u32)).max(SHORTEST)),
        None => budget.slice(slice),
    }
}

fn open<'g>(
    task: &Task<'_>,
    goals: impl Iterator<Item = &'g (GoalId, MarkingGoal)>,
) -> Vec<&'g (GoalId, MarkingGoal)> {
    goals.filter(|(id, _)| task.board.is_open(*id)).collect()
}

fn log(what: &str, report: &Report) {
    tracing::debug!(
        "explicit, {what}: {:?} after {} states, {} firings, {} bytes, {} repackings",
        report.end,
        report.states,
        report.firings,
        report.bytes,
        report.repackings,
    );
}
