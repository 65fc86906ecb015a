//! Random and directed walks: an under-approximation that fires transitions and watches all goals
//! at once.
//!
//! Most goals that are reachable at all are reached by a walk. A walk stores no state space, a
//! firing costs some tens of nanoseconds, and each marking is checked against all open goals. Three
//! things decide the engine's success: the speed of firing, the cost of watching goals, and the
//! choice of what to fire. The engine has a part for each:
//!
//! * `compiled`, `gates`, `enabled` and `machine`: the marking, with the set of enabled transitions
//!   kept up to date. A firing changes some cells, and only crossed thresholds have further
//!   effects.
//! * `watch`: goals as thresholds on the same cells, combined by counters. A goal costs time only
//!   when one of its atoms changes its truth value.
//! * `strategy`, `target`, `acceleration`, `pumping`: the choice of the next firing. Undirected
//!   walks reach common markings. Directed walks reach rare ones: by decreasing distance, by learnt
//!   potencies, along relaxed plans, or along a solution of the state equation. Repeated firings of
//!   one transition are done in one step. Self-covering sequences show that a sum has no maximum.
//! * `bandit`: distributes time slices over the strategies, with more time for strategies that
//!   reach goals.
//!
//! `walker` combines these parts. `journal` records the firing sequence and reports to the board.
//!
//! # Soundness
//!
//! The engine holds a [`WitnessReporter`] and reports firing sequences only, and the board replays
//! them. A mistake here costs an answer and is reported as a fault. It cannot cause a wrong answer.
//!
//! # Determinism
//!
//! With a given seed and no other engine on the board, the walk is always the same until the budget
//! ends it: slices are measured in units of work, not in time.

mod acceleration;
mod bandit;
mod compiled;
mod enabled;
mod gates;
mod journal;
mod machine;
pub mod product;
mod pumping;
mod strategy;
mod target;
mod walker;
mod watch;

pub use pumping::find_self_covering_sequence;

use crate::Task;
use crate::board::{Observation, WitnessReporter};
use crate::{Engine, Hint, ResultKinds, Role, SupportedGoals, stateless_session};
use bandit::{Bandit, StopReason};
use compiled::CompiledNet;
use parikh_net::printable::counted;
use parikh_net::{FiringSequence, GoalId, MarkingGoal};
use walker::{Resources, Walker};
use watch::GoalWatch;

/// The registry entry of the walk, which uses all strategies except the guided one.
pub const ENGINE: Engine = Engine {
    name: "walk",
    technique: "RANDOM_WALK",
    result_kinds: ResultKinds::Witnesses,
    role: Role::Walk,
    supported: SupportedGoals::MARKINGS,
    start: |work| {
        stateless_session(move |budget| {
            let task = Task::shrunk(work.working_net, work.board, budget, work.seed);
            let witness_reporter = work.board.witness_reporter("RANDOM_WALK").on(work.working_net);
            run(&task, witness_reporter, &WalkConfig::default()).to_string()
        })
    },
};

/// The registry entry of the guided walk: it follows only the hints of engines that could not
/// exclude a goal.
pub const GUIDED: Engine = Engine {
    name: "walk, guided",
    technique: "PARIKH_WALK",
    result_kinds: ResultKinds::Witnesses,
    role: Role::Guided,
    supported: SupportedGoals::MARKINGS,
    start: |work| {
        stateless_session(move |budget| {
            let hints = work.hints.clone();
            let config = WalkConfig {
                max_work: hints.iter().map(|hint| work_for_hint(hint, hints.len())).sum(),
                hints,
                strategies: Some(vec![Strategy::Guided]),
                ..WalkConfig::default()
            };
            let task = Task::on(work.working_net, work.board, budget, work.seed);
            run(&task, work.board.witness_reporter("PARIKH_WALK").on(work.working_net), &config)
                .to_string()
        })
    },
};

/// A method to choose the next effect class to fire. An effect class is the set of all transitions
/// with the same change of the marking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strategy {
    /// Long walks with a uniform choice among the enabled classes.
    Uniform,
    /// Walks towards one goal along relaxed plans, that is, firings that would reach the goal if no
    /// tokens were consumed.
    Plan,
    /// Walks towards one goal by decreasing distance.
    Directed,
    /// Long walks that take the least-fired class of a few candidates.
    Novelty,
    /// Short walks with a uniform choice among the enabled classes.
    Sprint,
    /// Walks towards markings with few enabled classes. Used if a goal mentions deadness.
    Deadlock,
    /// Searches self-covering sequences. Used if a goal is a maximum.
    Pump,
    /// Walks towards one goal, preferring classes that have decreased the distance before.
    Potency,
    /// Walks along the hints of [`WalkConfig::hints`]. Used if there are hints.
    Guided,
}

impl Strategy {
    /// All strategies, in the order of their first slices.
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

/// Returns the work to spend on following a hint, in units of about one firing. It is a hundred
/// times the sum of 64 and the hint's number of steps. The factor is smaller if there are 16 hints
/// or more. Each effect class counts for at most 256 steps.
pub fn work_for_hint(hint: &Hint, hints: usize) -> u64 {
    let factor = match hints {
        0..16 => 100,
        16..100 => 30,
        100..200 => 10,
        _ => 3,
    };
    // Many firings of one class are done in one step, so each class counts at most 256 times.
    let steps: u64 = hint.firings.iter().map(|&(_, count)| count.min(256)).sum();
    factor * (steps + 64)
}

/// Configuration of a walk.
#[derive(Clone, Debug)]
pub struct WalkConfig {
    /// Solutions of the state equation to follow with the strategy [`Strategy::Guided`]. Empty by
    /// default.
    pub hints: Vec<Hint>,
    /// The strategy of the first slice. `None`, the default, stands for the first strategy of
    /// [`Strategy::ALL`] that suits the goals and that `strategies` allows. Any other strategy is
    /// ignored. Parallel walkers should have different first strategies and different seeds.
    pub first_strategy: Option<Strategy>,
    /// The strategies to use if they suit the goals. `None`, the default, stands for all
    /// strategies.
    pub strategies: Option<Vec<Strategy>>,
    /// Limit on the steps of a walk before it restarts. 2²⁰ by default. A step may be many firings
    /// of one transition. The record of a walk takes 8 bytes per step.
    pub max_walk_steps: u64,
    /// Limit on the work of the run, in units of about one firing. Unlimited by default. Unlike a
    /// time budget it makes runs fully repeatable.
    pub max_work: u64,
}

impl Default for WalkConfig {
    fn default() -> Self {
        WalkConfig {
            hints: Vec::new(),
            first_strategy: None,
            strategies: None,
            max_walk_steps: 1 << 20,
            max_work: u64::MAX,
        }
    }
}

/// Statistics of a strategy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StrategyStatistics {
    /// Number of slices.
    pub slices: u64,
    /// Number of walks.
    pub walks: u64,
    /// Number of steps. A step is one choice, fired once or more often.
    pub steps: u64,
    /// Work in units of about one firing: steps plus the cost of choosing.
    pub work: u64,
    /// Number of goals reached.
    pub reached: u64,
}

/// Statistics of a run of the engine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WalkStatistics {
    /// Number of firings. Repeated firings of one transition count one by one, and so do replayed
    /// firings of resumed walks.
    pub firings: u64,
    /// Number of restarts at the initial marking.
    pub restarts: u64,
    /// Number of open `Reach` goals that are true initially.
    pub initially_true: u64,
    /// Number of goals reached later, including maxima shown to be infinite.
    pub reached: u64,
    /// Number of times that a maximum increased.
    pub improvements: u64,
    /// Number of maxima shown to be infinite.
    pub unbounded: u64,
    /// Number of open goals not watched when the tables were last compiled. Their numbers exceed 64
    /// bits, their predicate is the constant false, or their sum has no terms.
    pub unwatched: u64,
    /// Number of times that the tables were compiled.
    pub compilations: u64,
    /// Statistics by strategy, in the order of [`Strategy::ALL`].
    pub strategies: [StrategyStatistics; Strategy::ALL.len()],
}

impl std::fmt::Display for WalkStatistics {
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

impl WalkStatistics {
    /// Returns the statistics of a strategy.
    pub fn of(&self, strategy: Strategy) -> &StrategyStatistics {
        &self.strategies[index_of(strategy)]
    }

    /// Returns the statistics of a strategy, for updating.
    fn statistics_of_mut(&mut self, strategy: Strategy) -> &mut StrategyStatistics {
        &mut self.strategies[index_of(strategy)]
    }
}

/// Returns the index of a strategy in [`Strategy::ALL`].
fn index_of(strategy: Strategy) -> usize {
    Strategy::ALL.iter().position(|&other| other == strategy).unwrap_or(0)
}

/// Reports the goals that hold initially. Then walks until no watched goal is open, the budget or
/// the limit on work is exhausted, or no strategy is left. Does not walk if no transition with an
/// effect is enabled initially.
pub fn run(task: &Task<'_>, report: WitnessReporter<'_>, config: &WalkConfig) -> WalkStatistics {
    let mut statistics =
        WalkStatistics { initially_true: report_initial(task, report), ..Default::default() };
    let net = task.net;
    let can_move = |&t: &parikh_net::TransitionId| {
        !net.delta(t).is_empty() && net.is_enabled(net.initial(), t)
    };
    if !net.transitions().any(|t| can_move(&t)) {
        return statistics;
    }
    let mut resources = Resources::new(task.seed, config.max_work);
    let mut bandit =
        Bandit::new(config, net.effect_count(), task.goals.iter().map(|(_, goal)| goal));
    loop {
        let open_goals: Vec<(GoalId, &MarkingGoal)> = task
            .goals
            .iter()
            .filter(|(id, _)| task.board.is_open(*id))
            .map(|(id, goal)| (*id, goal))
            .collect();
        let open_count = open_goals.len();
        let watch = GoalWatch::new(net, open_goals);
        statistics.unwatched = (open_count - watch.goals.len()) as u64;
        if watch.goals.is_empty() || task.budget.is_exhausted() {
            return statistics;
        }
        statistics.compilations += 1;
        let compiled = CompiledNet::new(net, watch);
        let mut walker = Walker::new(task, report, compiled, resources, statistics);
        let reason = bandit.run(&mut walker);
        (resources, statistics) = walker.into_parts();
        if matches!(reason, StopReason::Finished) {
            log(&statistics);
            return statistics;
        }
    }
}

/// Reports the open goals that hold initially, and the initial values of the open maxima. Ends
/// early if the budget is exhausted. Returns the number of open predicates that hold; maxima do not
/// count.
fn report_initial(task: &Task<'_>, report: WitnessReporter<'_>) -> u64 {
    let mut sightings = Vec::new();
    let mut initially_true = 0;
    for (index, (id, goal)) in task.goals.iter().enumerate() {
        if index % 256 == 255 && task.budget.is_exhausted() {
            break;
        }
        let holds = match goal {
            MarkingGoal::Reach(predicate) => predicate.holds(task.net, task.net.initial()),
            MarkingGoal::Maximise(_) => true,
        };
        if holds && task.board.is_open(*id) {
            sightings.push(Observation { goal: *id, firings: 0 });
            initially_true += u64::from(matches!(goal, MarkingGoal::Reach(_)));
        }
    }
    report.report_reached_along(FiringSequence::new(), sightings);
    initially_true
}

/// Logs the statistics of the run.
fn log(statistics: &WalkStatistics) {
    tracing::info!(
        "walk: {}, {}, {} reached, {} maxima raised, {} infinite",
        counted(statistics.firings, "firing"),
        counted(statistics.restarts, "restart"),
        counted(statistics.initially_true + statistics.reached, "goal"),
        statistics.improvements,
        statistics.unbounded,
    );
    for strategy in Strategy::ALL {
        tracing::debug!("walk: {strategy:?}: {:?}", statistics.of(strategy));
    }
}
