//! Chooses the strategy of each time slice. Slices grow, and strategies that reach goals get more
//! of them.
//!
//! Each strategy is an arm of a multi-armed bandit. The next slice goes to the arm with the
//! smallest quotient of work and merit. The merit measures how many goals the arm's recent slices
//! reached. A strategy that reaches nothing keeps a minimum merit, and so a share of the work: the
//! strategy that settles the easy goals of a net is often not the one that settles the last goal.
//! The minimum merit of plans is larger, because they reach goals that no other strategy reaches.
//! Slices begin small, so that every strategy is tried within some ten milliseconds, and grow while
//! nothing is found.
//!
//! Directed strategies work on one open goal at a time. A small pool keeps the firing sequences
//! that came nearest to a goal. Later walks towards the goal may start from one of these sequences
//! instead of the initial marking. Strategies measure the distance differently, so each has its own
//! pools. A marking where one goal was reached may be near another goal, so some walks continue
//! there.

use super::journal::RepeatedFiring;
use super::machine::random_below;
use super::pumping;
use super::strategy::blind::{Novelty, Uniform};
use super::strategy::deadlock::Deadlock;
use super::strategy::directed::{DistanceStrategy, Nearest, PotencyStrategy};
use super::strategy::guided::{HintStrategy, Hints};
use super::strategy::relaxed_plan::RelaxedPlanStrategy;
use super::walker::{WalkEnd, Walker};
use super::{Strategy, WalkConfig};
use parikh_net::{GoalId, MarkingGoal, Predicate};
use std::collections::{BTreeMap, HashSet};

/// Length of the first slices in a small net, in units of work. A unit takes about 50 to 200 ns.
const FIRST_SLICE: u64 = 1 << 13;
/// Minimum work of the first slices per effect class of the net, so that a walk can reach most of a
/// large net.
const FIRST_SLICE_PER_CLASS: u64 = 4;
/// Maximum length of a slice, in units of work. Slices grow while no goal is reached.
const MAX_SLICE: u64 = 1 << 22;
/// Limit on the number of firing sequences in a pool. A pool has the sequences that came nearest to
/// one goal with one strategy.
const MAX_POOL_SEQUENCES: usize = 6;
/// Limit on the number of pools.
const MAX_POOLS: usize = 64;
/// Maximum length of a firing sequence in a pool, where repeated firings of one transition count as
/// one entry. Replaying a longer sequence would take a whole slice.
const MAX_POOL_SEQUENCE_LENGTH: usize = 1 << 15;

/// An arm of the bandit: a strategy with its work and merit.
struct Arm {
    strategy: Strategy,
    /// Work of all slices of the strategy so far.
    work: u64,
    /// Moving average of the rewards of the strategy's slices, which depend on the number of goals
    /// reached. At least [`min_merit`].
    merit: f64,
}

/// Returns the minimum merit of a strategy.
fn min_merit(strategy: Strategy) -> f64 {
    match strategy {
        Strategy::Plan => 4.0,
        Strategy::Directed => 2.0,
        _ => 1.0,
    }
}

/// Returns true if directed strategies can have a target for the goal. They have none if the goal
/// is just the predicate "dead" or "not dead".
fn has_target(goal: &MarkingGoal) -> bool {
    !matches!(goal, MarkingGoal::Reach(Predicate::Dead | Predicate::NotDead))
}

/// The arms, and the data that is kept when a new walker is created with tables for fewer goals.
pub(super) struct Bandit {
    arms: Vec<Arm>,
    /// Length of the next slice, in units of work.
    slice_work: u64,
    /// Number of slices since a goal was reached or the slice length was last doubled.
    slices_without_goal: u32,
    /// Maximum number of steps of a walk.
    longest_walk: u64,
    /// The hints for the guided strategy.
    hints: Hints,
    /// The pools, that is, the firing sequences that came nearest, by goal and strategy.
    pools: BTreeMap<(GoalId, Strategy), Pool>,
}

/// The firing sequences that came nearest to a goal, each after its distance, by ascending
/// distance.
type Pool = Vec<(u64, Vec<RepeatedFiring>)>;

/// The reason why the bandit stopped.
pub(super) enum StopReason {
    /// No watched goal is open, the budget or the limit on work is exhausted, or no strategy is
    /// left.
    Finished,
    /// At most half of the watched goals are open. Compiling the tables again without the settled
    /// goals makes the walk faster.
    FewGoalsOpen,
}

impl Bandit {
    /// Creates an arm for each configured strategy that suits the goals, the configured first
    /// strategy first.
    pub(super) fn new<'g>(
        config: &WalkConfig,
        classes: usize,
        goals: impl IntoIterator<Item = &'g MarkingGoal>,
    ) -> Self {
        let (mut has_targets, mut has_maximum, mut has_deadness) = (false, false, false);
        for goal in goals {
            has_targets |= has_target(goal);
            has_maximum |= matches!(goal, MarkingGoal::Maximise(_));
            has_deadness |=
                matches!(goal, MarkingGoal::Reach(predicate) if predicate.mentions_deadness());
        }
        let hints = Hints::new(&config.hints);
        let is_suitable = |strategy: &Strategy| match strategy {
            Strategy::Guided => !hints.is_empty(),
            Strategy::Deadlock => has_deadness,
            Strategy::Pump => has_maximum,
            Strategy::Directed | Strategy::Potency | Strategy::Plan => has_targets,
            _ => true,
        };
        let mut strategies: Vec<Strategy> = Strategy::ALL.into_iter().filter(is_suitable).collect();
        if let Some(only) = &config.strategies {
            strategies.retain(|strategy| only.contains(strategy));
        }
        if let Some(first) = strategies.iter().position(|s| Some(*s) == config.first_strategy) {
            strategies[..=first].rotate_right(1);
        }
        let arm = |strategy| Arm { strategy, work: 0, merit: min_merit(strategy) };
        Bandit {
            arms: strategies.into_iter().map(arm).collect(),
            slice_work: FIRST_SLICE.max(FIRST_SLICE_PER_CLASS * classes as u64).min(MAX_SLICE),
            slices_without_goal: 0,
            longest_walk: config.max_walk_steps,
            hints,
            pools: BTreeMap::new(),
        }
    }

    /// Walks in slices until at most half of the watched goals are open. Ends earlier if the budget
    /// or the limit on work is exhausted, or no strategy is left.
    pub(super) fn run(&mut self, walker: &mut Walker<'_>) -> StopReason {
        let net = walker.machine.compiled.net;
        let mut novelty = Novelty::new(net.effect_count());
        let mut directed = DistanceStrategy::new(&walker.machine);
        let mut potency = PotencyStrategy::new(&walker.machine);
        let mut plan: Option<RelaxedPlanStrategy> = None;
        let mut guided: Option<HintStrategy> = None;
        loop {
            // Among arms with the same quotient of work and merit, the first arm is chosen.
            let quotient = |arm: &Arm| arm.work as f64 / arm.merit;
            let arm_index = (0..self.arms.len())
                .min_by(|&a, &b| quotient(&self.arms[a]).total_cmp(&quotient(&self.arms[b])));
            let Some(arm_index) = arm_index else { return StopReason::Finished };
            let strategy = self.arms[arm_index].strategy;
            let (reached, work_before) = (walker.statistics.reached, walker.resources.work);
            walker.begin_slice(strategy, self.slice_work);
            // Every slice costs some work. Otherwise a strategy that does no work would be chosen
            // forever.
            walker.resources.work += 1 + self.slice_work / 64;
            match strategy {
                Strategy::Uniform => {
                    self.repeat_walks(walker, |walker, limit| walker.walk(&mut Uniform, limit));
                }
                Strategy::Sprint => self.repeat_short_walks(walker),
                Strategy::Novelty => {
                    self.repeat_walks(walker, |walker, limit| walker.walk(&mut novelty, limit));
                }
                Strategy::Deadlock => {
                    let mut deadlock = Deadlock { comparing_chance: 100, candidates: 3 };
                    self.repeat_walks(walker, |walker, limit| {
                        deadlock.comparing_chance =
                            [64, 100, 160, 240][random_below(&mut walker.resources.rng, 4)];
                        deadlock.candidates = [2, 3, 6][random_below(&mut walker.resources.rng, 3)];
                        walker.walk(&mut deadlock, limit)
                    });
                }
                Strategy::Directed => {
                    self.walk_towards_goals(walker, strategy, |walker, goal, limit| {
                        let firings = walker.journal.firings();
                        directed.begin(&walker.machine, goal, firings, &mut walker.resources);
                        let end = walker.walk(&mut directed, limit);
                        (end, directed.nearest())
                    })
                }
                Strategy::Potency => {
                    self.walk_towards_goals(walker, strategy, |walker, goal, limit| {
                        potency.begin(&walker.machine, goal, &mut walker.resources);
                        let end = walker.walk(&mut potency, limit);
                        // This strategy remembers no nearest point. The largest distance stands for
                        // "none", so no pool gets an entry.
                        (end, Nearest { distance: u64::MAX, firings: 0 })
                    })
                }
                Strategy::Plan => {
                    // Created late, since it needs memory for every transition.
                    let plan =
                        plan.get_or_insert_with(|| RelaxedPlanStrategy::new(&walker.machine));
                    self.walk_towards_goals(walker, strategy, |walker, goal, limit| {
                        let firings = walker.journal.firings();
                        plan.begin(&walker.machine, goal, firings, &mut walker.resources);
                        let end = walker.walk(plan, limit);
                        (end, plan.nearest())
                    });
                }
                Strategy::Guided => {
                    let guided =
                        guided.get_or_insert_with(|| HintStrategy::new(net.effect_count()));
                    if !self.follow_hints(walker, guided) {
                        self.arms.remove(arm_index);
                        continue;
                    }
                }
                Strategy::Pump => pumping::run_slice(walker, self.longest_walk),
            }
            let is_over = walker.end_slice();
            let arm = &mut self.arms[arm_index];
            arm.work += walker.resources.work - work_before;
            let reached = walker.statistics.reached - reached;
            let reward = if reached > 0 { 4.0 + (reached as f64).log2() } else { 0.0 };
            arm.merit = (0.6 * arm.merit + 0.4 * reward).max(min_merit(strategy));
            if is_over {
                return StopReason::Finished;
            }
            self.grow_slice(reached > 0);
            if walker.open_goal_count() <= walker.watched_goal_count() / 2 {
                return StopReason::FewGoalsOpen;
            }
        }
    }

    /// Counts the consecutive slices in which no goal was reached. When the count is the number of
    /// arms, doubles the slice length, up to [`MAX_SLICE`], and resets the count.
    fn grow_slice(&mut self, has_reached: bool) {
        self.slices_without_goal = if has_reached { 0 } else { self.slices_without_goal + 1 };
        if self.slices_without_goal as usize >= self.arms.len() {
            self.slices_without_goal = 0;
            self.slice_work = (self.slice_work * 2).min(MAX_SLICE);
        }
    }

    /// Repeats long walks from the initial marking until the slice ends.
    fn repeat_walks<'a>(
        &self,
        walker: &mut Walker<'a>,
        mut walk: impl FnMut(&mut Walker<'a>, u64) -> WalkEnd,
    ) {
        loop {
            walker.restart();
            if walk(walker, self.longest_walk) == WalkEnd::SliceOver || walker.is_slice_over() {
                return;
            }
        }
    }

    /// Repeats short walks of random length from the initial marking until the slice ends.
    fn repeat_short_walks(&self, walker: &mut Walker<'_>) {
        loop {
            walker.restart();
            let length = 16 << random_below(&mut walker.resources.rng, 11);
            let end = walker.walk(&mut Uniform, self.longest_walk.min(length));
            if end == WalkEnd::SliceOver || walker.is_slice_over() {
                return;
            }
        }
    }

    /// Repeats walks along one hint until the slice ends. Returns false without a walk if no hint
    /// concerns an open goal.
    fn follow_hints(&mut self, walker: &mut Walker<'_>, guided: &mut HintStrategy) -> bool {
        let machine = &walker.machine;
        let watched = machine.compiled.goals.iter().zip(0..);
        let open_goals = watched.filter(|&(_, position)| !machine.is_unwatched(position));
        let open_goals: HashSet<GoalId> = open_goals.map(|(watched, _)| watched.id).collect();
        let Some((hint, attempts)) = self.hints.next(|goal| open_goals.contains(&goal)) else {
            return false;
        };
        loop {
            walker.restart();
            guided.begin(hint, *attempts, &mut walker.resources);
            *attempts = attempts.saturating_add(1);
            if walker.walk(guided, self.longest_walk) == WalkEnd::SliceOver
                || walker.is_slice_over()
            {
                return true;
            }
        }
    }

    /// Walks towards one open goal at a time, until the slice ends or no goal with a target is
    /// open. Some walks start from a sequence in the goal's pool, or continue from the marking
    /// where another goal was reached. `walk` gets the walker, the position of the goal, and the
    /// maximum number of steps. It returns the reason for its end and the nearest point.
    fn walk_towards_goals<'a>(
        &mut self,
        walker: &mut Walker<'a>,
        strategy: Strategy,
        mut walk: impl FnMut(&mut Walker<'a>, u32, u64) -> (WalkEnd, Nearest),
    ) {
        let mut limit = 256;
        let mut goal = None;
        let mut attempts = 0;
        loop {
            // Up to 32 walks in a row go towards the same goal, and the step limit doubles from
            // walk to walk.
            let unfinished_goal =
                goal.filter(|&goal| !walker.machine.is_unwatched(goal) && attempts < 32);
            let was_reached = goal.is_some_and(|goal| walker.machine.is_unwatched(goal));
            let Some(current) = unfinished_goal.or_else(|| {
                (limit, attempts) = (256, 0);
                walker.draw_goal(has_target)
            }) else {
                return;
            };
            goal = Some(current);
            attempts += 1;
            let id = walker.machine.compiled.goals[current as usize].id;
            let continues_from_goal = was_reached
                && walker.journal.repeated_firings().len() <= MAX_POOL_SEQUENCE_LENGTH
                && random_below(&mut walker.resources.rng, 2) == 0;
            if !continues_from_goal {
                let pool = self.pools.get(&(id, strategy)).map_or(&[][..], Vec::as_slice);
                // At least half of the drawn indices are beyond the end of the pool. Then the walk
                // starts at the initial marking.
                let pool_index = random_below(&mut walker.resources.rng, 2 * MAX_POOL_SEQUENCES);
                match pool.get(pool_index) {
                    Some((_, runs)) => walker.resume(runs),
                    None => walker.restart(),
                }
            }
            let start = walker.journal.firings();
            let (end, nearest) = walk(walker, current, limit);
            if nearest.distance < u64::MAX && nearest.firings > start {
                self.add_to_pool(walker, (id, strategy), nearest);
            }
            if end == WalkEnd::SliceOver || walker.is_slice_over() {
                return;
            }
            limit = (limit * 2).min(self.longest_walk);
        }
    }

    /// Adds the firings up to the nearest point of the walk to a pool. A full pool takes only a
    /// point that is nearer than its farthest entry. Sequences that are too long are left out. If a
    /// new pool would exceed [`MAX_POOLS`], the first pool in the map is removed.
    fn add_to_pool(&mut self, walker: &Walker<'_>, key: (GoalId, Strategy), nearest: Nearest) {
        if self.pools.len() >= MAX_POOLS && !self.pools.contains_key(&key) {
            self.pools.pop_first();
        }
        let pool = self.pools.entry(key).or_default();
        let largest_distance = pool.last().map_or(u64::MAX, |(distance, _)| *distance);
        if pool.len() >= MAX_POOL_SEQUENCES && largest_distance <= nearest.distance {
            return;
        }
        let mut repeated_firings = Vec::new();
        let mut remaining = nearest.firings;
        for run in walker.journal.repeated_firings() {
            if remaining == 0 {
                break;
            }
            let count = remaining.min(u64::from(run.count));
            repeated_firings.push(RepeatedFiring { count: count as u32, ..*run });
            remaining -= count;
        }
        if repeated_firings.len() <= MAX_POOL_SEQUENCE_LENGTH {
            let index = pool.partition_point(|(distance, _)| *distance <= nearest.distance);
            pool.insert(index, (nearest.distance, repeated_firings));
            pool.truncate(MAX_POOL_SEQUENCES);
        }
    }
}
