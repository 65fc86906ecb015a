//! The walk: an under-approximation that fires transitions and watches all goals at once.
//!
//! Most questions that have an answer at all are answered by a firing sequence, and most of those
//! sequences are found by walking: the state space is not stored, a firing costs some tens of
//! nanoseconds, and every open goal profits from every marking passed. What decides is how fast the
//! walk goes, how little the watching costs, and how clever it is about where to go. These are the
//! three parts of the engine.
//!
//! * `compiled`, `gates`, `enabled` and `machine`: the marking, kept together with what is enabled
//!   in it. A firing touches the cells it changes, and of these only the thresholds they cross have
//!   consequences.
//! * `watch`: goals as thresholds of the same cells, with counters above them, so that they cost
//!   something only when a part of them turns.
//! * `strategy`, `aim`, `acceleration`, `pumping`: where to go. Blind walks for what is common,
//!   walks towards one goal for what is rare: downhill, by learned potency, along relaxed plans, or
//!   by what a solution of the state equation says to fire.
//!   Runs of one transition are fired at once. Coverings show that a sum has no maximum.
//! * `bandit`: the slices of the strategies, more for those that reach goals.
//!
//! `walker` holds it together, `journal` records the sequence and reports to the board.
//!
//! # Soundness
//!
//! The engine holds an [`Under`] and hands over sequences only, which the board replays. A mistake
//! here costs an answer and shows up as a fault; it cannot become a wrong one.
//!
//! # Determinism
//!
//! With a given seed and no other engine on the board, the walk is the same every time, up to where
//! the budget ends it: slices are measured in work, not in time.

mod acceleration;
mod aim;
mod bandit;
mod compiled;
mod enabled;
mod gates;
mod journal;
mod machine;
pub mod product;
mod pumping;
mod strategy;
mod walker;
mod watch;

pub use pumping::find_pump;

use crate::board::{Sighting, Under};
use crate::engine::Task;
use crate::engine::{Engine, Hint, Role, Sides, Takes, each_slice_anew};
use bandit::{Bandit, StopReason};
use compiled::Compiled;
use parikh_net::printable::counted;
use parikh_net::{FiringSequence, GoalId, MarkingGoal};
use walker::{Resources, Walker};
use watch::Watch;

/// In the registry.
pub const ENGINE: Engine = Engine {
    name: "walk",
    technique: "RANDOM_WALK",
    sides: Sides::Under,
    role: Role::Walk,
    takes: Takes::MARKINGS,
    start: |work| {
        each_slice_anew(move |budget| {
            let task = Task::shrunk(work.ground, work.board, budget, work.seed);
            let under = work.board.under("RANDOM_WALK").on(work.ground);
            run(&task, under, &Config::default()).to_string()
        })
    },
};

/// In the registry: along what engines could not exclude, and nowhere else.
pub const GUIDED: Engine = Engine {
    name: "walk, guided",
    technique: "PARIKH_WALK",
    sides: Sides::Under,
    role: Role::Guided,
    takes: Takes::MARKINGS,
    start: |work| {
        each_slice_anew(move |budget| {
            let hints = work.hints.clone();
            let config = Config {
                work: hints.iter().map(|hint| work_for(hint, hints.len())).sum(),
                hints,
                only: Some(vec![Strategy::Guided]),
                ..Config::default()
            };
            let task = Task::on(work.ground, work.board, budget, work.seed);
            run(&task, work.board.under("PARIKH_WALK").on(work.ground), &config).to_string()
        })
    },
};

/// A way to choose what fires next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strategy {
    /// Long walks, any enabled class.
    Uniform,
    /// Towards one goal along relaxed plans.
    Plan,
    /// Towards one goal by its distance.
    Directed,
    /// Long walks, what was fired least of a few candidates.
    Novelty,
    /// Short walks, any enabled class.
    Sprint,
    /// Towards markings in which little is enabled; when a goal mentions deadness.
    Deadlock,
    /// Towards coverings; when a goal is a maximum.
    Pump,
    /// Towards one goal, by what has brought it nearer before.
    Potency,
    /// Following the hints of [`Config::hints`]; when there are any.
    Guided,
}

impl Strategy {
    /// All, in the order in which they are first tried.
    pub const ALL: [Strategy; 9] = [
        Strategy::Guided,
        Strategy::Uniform,
        Strategy::Plan,
        Strategy::Directed,
        Strategy::Novelty,
        Strategy::Sprint,
        Strategy::Deadlock,
        Strategy::Pump,
        Strategy::Potency,
    ];
}

/// The work that following a hint is worth when there are so many: a hundred times what it takes to
/// get to its end, less when there are many.
pub fn work_for(hint: &Hint, hints: usize) -> u64 {
    let times = match hints {
        0..16 => 100,
        16..100 => 30,
        100..200 => 10,
        _ => 3,
    };
    // Long runs of one class are fired at once.
    let runs: u64 = hint.firings.iter().map(|&(_, count)| count.min(256)).sum();
    times * (runs + 64)
}

/// How to walk.
#[derive(Clone, Debug)]
pub struct Config {
    /// Firings to try for some goals; none by default.
    pub hints: Vec<Hint>,
    /// The strategy of the first slice, [`Strategy::Uniform`] by default. Walkers side by side
    /// should be given different ones, and different seeds.
    pub first: Option<Strategy>,
    /// Nothing but these, all by default.
    pub only: Option<Vec<Strategy>>,
    /// Steps after which a walk starts again, 2²⁰ by default. A step may be many firings of one
    /// transition; the record of a walk takes 8 bytes per step.
    pub longest_walk: u64,
    /// Stops after this much work, about as many firings; no limit by default. Unlike a budget it
    /// makes runs repeatable to the end.
    pub work: u64,
}

impl Default for Config {
    fn default() -> Self {
        Config { hints: Vec::new(), first: None, only: None, longest_walk: 1 << 20, work: u64::MAX }
    }
}

/// What a strategy did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StrategyStatistics {
    /// Slices it was given.
    pub slices: u64,
    /// Walks it made in them.
    pub walks: u64,
    /// Steps of these walks; a step is one choice, fired once or more.
    pub steps: u64,
    /// Work: steps, and what choosing cost on top, in units of about one firing.
    pub work: u64,
    /// Goals it reached.
    pub reached: u64,
}

/// What a run of the engine did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Firings, runs of one transition counted in full, resumed walks too.
    pub firings: u64,
    /// Returns to the initial marking.
    pub restarts: u64,
    /// Goals that hold initially.
    pub initial: u64,
    /// Goals reached later.
    pub reached: u64,
    /// Times a maximum rose.
    pub improvements: u64,
    /// Maxima shown to be infinite.
    pub unbounded: u64,
    /// Goals that cannot be watched because their numbers exceed 64 bits.
    pub unwatched: u64,
    /// Times the tables were made.
    pub compilations: u64,
    /// By strategy, in the order of [`Strategy::ALL`].
    pub strategies: [StrategyStatistics; Strategy::ALL.len()],
}

impl std::fmt::Display for Statistics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{}, {}, {} reached, {} maxima raised",
            counted(self.firings, "firing"),
            counted(self.restarts, "restart"),
            counted(self.reached, "goal"),
            self.improvements
        )
    }
}

impl Statistics {
    /// What one strategy did.
    pub fn of(&self, strategy: Strategy) -> &StrategyStatistics {
        &self.strategies[index_of(strategy)]
    }

    fn of_mut(&mut self, strategy: Strategy) -> &mut StrategyStatistics {
        &mut self.strategies[index_of(strategy)]
    }
}

fn index_of(strategy: Strategy) -> usize {
    Strategy::ALL.iter().position(|&other| other == strategy).unwrap_or(0)
}

/// Walks until every goal of the task is settled or the budget is spent. Returns early when there
/// is nowhere to go: no transition with an effect is enabled initially.
pub fn run(task: &Task<'_>, report: Under<'_>, config: &Config) -> Statistics {
    let mut statistics = Statistics { initial: report_initial(task, report), ..Default::default() };
    let net = task.net;
    let moves = |&t: &parikh_net::TransitionId| {
        !net.delta(t).is_empty() && net.is_enabled(net.initial(), t)
    };
    if !net.transitions().any(|t| moves(&t)) {
        return statistics;
    }
    let mut resources = Resources::new(task.seed, config.work);
    let mut bandit =
        Bandit::new(config, net.effect_count(), task.goals.iter().map(|(_, goal)| goal));
    loop {
        let open: Vec<(GoalId, &MarkingGoal)> = task
            .goals
            .iter()
            .filter(|(id, _)| task.board.is_open(*id))
            .map(|(id, goal)| (*id, goal))
            .collect();
        let wanted = open.len();
        let watch = Watch::new(net, open);
        statistics.unwatched = (wanted - watch.goals.len()) as u64;
        if watch.goals.is_empty() || task.budget.is_exhausted() {
            return statistics;
        }
        statistics.compilations += 1;
        let compiled = Compiled::new(net, watch);
        let mut walker = Walker::new(task, report, compiled, resources, statistics);
        let stopped = bandit.run(&mut walker);
        (resources, statistics) = walker.into_parts();
        if matches!(stopped, StopReason::Over) {
            log(&statistics);
            return statistics;
        }
    }
}

/// Reports the goals that hold initially, and the initial values of the maxima.
fn report_initial(task: &Task<'_>, report: Under<'_>) -> u64 {
    let mut sightings = Vec::new();
    let mut held = 0;
    for (looked_at, (id, goal)) in task.goals.iter().enumerate() {
        if looked_at % 256 == 255 && task.budget.is_exhausted() {
            break;
        }
        let holds = match goal {
            MarkingGoal::Reach(predicate) => predicate.holds(task.net, task.net.initial()),
            MarkingGoal::Maximise(_) => true,
        };
        if holds && task.board.is_open(*id) {
            sightings.push(Sighting { goal: *id, firings: 0 });
            held += u64::from(matches!(goal, MarkingGoal::Reach(_)));
        }
    }
    report.along(FiringSequence::new(), sightings);
    held
}

fn log(statistics: &Statistics) {
    tracing::info!(
        "walk: {}, {}, {} reached, {} maxima raised, {} infinite",
        counted(statistics.firings, "firing"),
        counted(statistics.restarts, "restart"),
        counted(statistics.initial + statistics.reached, "goal"),
        statistics.improvements,
        statistics.unbounded,
    );
    for strategy in Strategy::ALL {
        tracing::debug!("walk: {strategy:?}: {:?}", statistics.of(strategy));
    }
}
