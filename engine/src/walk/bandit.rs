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
use super::machine::below;
use super::pumping;
use super::strategy::blind::{Novelty, Uniform};
use super::strategy::deadlock::Deadlock;
use super::strategy::directed::{DistanceStrategy, Nearest, Potency};
use super::strategy::guided::{HintStrategy, Hints};
use super::strategy::relaxed_plan::RelaxedPlan;
use super::walker::{WalkEnd, Walker};
use super::{Strategy, WalkConfig};
use parikh_net::{GoalId, MarkingGoal, Predicate};
use std::collections::{BTreeMap, HashSet};

/// Length of the first slices in a small net, in units of work. A unit takes about 50 to 200 ns.
const FIRST_SLICE: u64 = 1 << 13;
/// Minimum work of the first slices per effect class. In a large net a walk can so reach most of
/// the net.
const FIRST_SLICE_PER_CLASS: u64 = 4;
/// Maximum length of a slice, in units of work.
const LONGEST_SLICE: u64 = 1 << 22;
/// Limit on the number of sequences in a pool.
const POOL: usize = 6;
/// Limit on the number of pools.
const POOLS: usize = 64;
/// Maximum length of a sequence in a pool, in entries. Replaying a longer sequence would take a
/// whole slice.
const LONGEST_KEPT: usize = 1 << 15;

/// An arm of the bandit: a strategy with its work and merit.
struct Arm {
    strategy: Strategy,
    /// Work of all slices of the strategy so far.
    work: u64,
    /// Moving average of the rewards of the strategy's slices, at least [`least_merit`].
    merit: f64,
}

/// Returns the minimum merit of a strategy.
fn least_merit(strategy: Strategy) -> f64 {
    match strategy {
        Strategy::Plan => 4.0,
        Strategy::Directed => 2.0,
        _ => 1.0,
    }
}

/// Returns true if directed strategies can target the goal. They cannot target deadness alone.
fn has_aim(goal: &MarkingGoal) -> bool {
    !matches!(goal, MarkingGoal::Reach(Predicate::Dead | Predicate::NotDead))
}

/// The arms, and the data that outlives a walker.
pub(super) struct Bandit {
    arms: Vec<Arm>,
    /// Length of the next slice, in units of work.
    slice: u64,
    /// Number of slices since a goal was reached.
    dry: u32,
    /// Maximum number of steps of a walk.
    longest_walk: u64,
    /// The hints for the guided strategy.
    hints: Hints,
    /// The pools, by goal and strategy.
    pools: BTreeMap<(GoalId, Strategy), Pool>,
}

/// The sequences that came nearest to a goal, by ascending distance.
type Pool = Vec<(u64, Vec<RepeatedFiring>)>;

/// The reason why the bandit stopped.
pub(super) enum StopReason {
    /// All goals are settled, or the budget is exhausted.
    Over,
    /// At most half of the watched goals are open. Compiling the tables again without the settled
    /// goals makes the walk faster.
    Thinned,
}

impl Bandit {
    /// Creates an arm for each strategy that suits the goals, the configured first strategy first.
    pub(super) fn new<'g>(
        config: &WalkConfig,
        classes: usize,
        goals: impl IntoIterator<Item = &'g MarkingGoal>,
    ) -> Self {
        let (mut has_targets, mut has_maximum, mut has_deadness) = (false, false, false);
        for goal in goals {
            has_targets |= has_aim(goal);
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
        if let Some(only) = &config.only {
            strategies.retain(|strategy| only.contains(strategy));
        }
        if let Some(first) = strategies.iter().position(|s| Some(*s) == config.first) {
            strategies[..=first].rotate_right(1);
        }
        let arm = |strategy| Arm { strategy, work: 0, merit: least_merit(strategy) };
        Bandit {
            arms: strategies.into_iter().map(arm).collect(),
            slice: FIRST_SLICE.max(FIRST_SLICE_PER_CLASS * classes as u64).min(LONGEST_SLICE),
            dry: 0,
            longest_walk: config.longest_walk,
            hints,
            pools: BTreeMap::new(),
        }
    }

    /// Walks until no goal is open, the budget is exhausted, or most watched goals are settled.
    pub(super) fn run(&mut self, walker: &mut Walker<'_>) -> StopReason {
        let net = walker.machine.compiled.net;
        let mut novelty = Novelty::new(net.effect_count());
        let mut directed = DistanceStrategy::new(&walker.machine);
        let mut potency = Potency::new(&walker.machine);
        let mut plan: Option<RelaxedPlan> = None;
        let mut guided: Option<HintStrategy> = None;
        loop {
            // The first arm wins ties.
            let quotient = |arm: &Arm| arm.work as f64 / arm.merit;
            let arm_index = (0..self.arms.len())
                .min_by(|&a, &b| quotient(&self.arms[a]).total_cmp(&quotient(&self.arms[b])));
            let Some(arm_index) = arm_index else { return StopReason::Over };
            let strategy = self.arms[arm_index].strategy;
            let (reached, work) = (walker.statistics.reached, walker.resources.work);
            walker.begin_slice(strategy, self.slice);
            // Every slice costs some work. Otherwise a strategy that does no work would be chosen
            // forever.
            walker.resources.work += 1 + self.slice / 64;
            match strategy {
                Strategy::Uniform => {
                    self.repeat(walker, |walker, limit| walker.walk(&mut Uniform, limit));
                }
                Strategy::Sprint => self.sprint(walker),
                Strategy::Novelty => {
                    self.repeat(walker, |walker, limit| walker.walk(&mut novelty, limit));
                }
                Strategy::Deadlock => {
                    let mut deadlock = Deadlock { greed: 100, candidates: 3 };
                    self.repeat(walker, |walker, limit| {
                        deadlock.greed = [64, 100, 160, 240][below(&mut walker.resources.rng, 4)];
                        deadlock.candidates = [2, 3, 6][below(&mut walker.resources.rng, 3)];
                        walker.walk(&mut deadlock, limit)
                    });
                }
                Strategy::Directed => self.towards(walker, strategy, |walker, goal, limit| {
                    let firings = walker.journal.firings();
                    directed.begin(&walker.machine, goal, firings, &mut walker.resources);
                    let end = walker.walk(&mut directed, limit);
                    (end, directed.nearest())
                }),
                Strategy::Potency => self.towards(walker, strategy, |walker, goal, limit| {
                    potency.begin(&walker.machine, goal, &mut walker.resources);
                    let end = walker.walk(&mut potency, limit);
                    (end, Nearest { distance: u64::MAX, firings: 0 })
                }),
                Strategy::Plan => {
                    // Created late, since it needs memory for every transition.
                    let plan = plan.get_or_insert_with(|| RelaxedPlan::new(&walker.machine));
                    self.towards(walker, strategy, |walker, goal, limit| {
                        let firings = walker.journal.firings();
                        plan.begin(&walker.machine, goal, firings, &mut walker.resources);
                        let end = walker.walk(plan, limit);
                        (end, plan.nearest())
                    });
                }
                Strategy::Guided => {
                    let guided =
                        guided.get_or_insert_with(|| HintStrategy::new(net.effect_count()));
                    if !self.follow(walker, guided) {
                        self.arms.remove(arm_index);
                        continue;
                    }
                }
                Strategy::Pump => pumping::slice(walker, self.longest_walk),
            }
            let is_over = walker.end_slice();
            let arm = &mut self.arms[arm_index];
            arm.work += walker.resources.work - work;
            let reached = walker.statistics.reached - reached;
            let reward = if reached > 0 { 4.0 + (reached as f64).log2() } else { 0.0 };
            arm.merit = (0.6 * arm.merit + 0.4 * reward).max(least_merit(strategy));
            if is_over {
                return StopReason::Over;
            }
            self.grow(reached > 0);
            if walker.open() <= walker.watched() / 2 {
                return StopReason::Thinned;
            }
        }
    }

    /// Doubles the slice length after a full round without a reached goal.
    fn grow(&mut self, has_reached: bool) {
        self.dry = if has_reached { 0 } else { self.dry + 1 };
        if self.dry as usize >= self.arms.len() {
            self.dry = 0;
            self.slice = (self.slice * 2).min(LONGEST_SLICE);
        }
    }

    /// Repeats long walks from the initial marking.
    fn repeat<'a>(
        &self,
        walker: &mut Walker<'a>,
        mut walk: impl FnMut(&mut Walker<'a>, u64) -> WalkEnd,
    ) {
        loop {
            walker.restart();
            if walk(walker, self.longest_walk) == WalkEnd::Slice || walker.slice_is_over() {
                return;
            }
        }
    }

    /// Repeats short walks of random length from the initial marking.
    fn sprint(&self, walker: &mut Walker<'_>) {
        loop {
            walker.restart();
            let length = 16 << below(&mut walker.resources.rng, 11);
            let end = walker.walk(&mut Uniform, self.longest_walk.min(length));
            if end == WalkEnd::Slice || walker.slice_is_over() {
                return;
            }
        }
    }

    /// Repeats walks along one hint until the slice ends. Returns false if no hint concerns an open
    /// goal.
    fn follow(&mut self, walker: &mut Walker<'_>, guided: &mut HintStrategy) -> bool {
        let machine = &walker.machine;
        let watched = machine.compiled.goals.iter().zip(0..);
        let open_goals = watched.filter(|&(_, position)| !machine.is_gone(position));
        let open_goals: HashSet<GoalId> = open_goals.map(|(watched, _)| watched.id).collect();
        let Some((hint, attempts)) = self.hints.next(|goal| open_goals.contains(&goal)) else {
            return false;
        };
        loop {
            walker.restart();
            guided.begin(hint, *attempts, &mut walker.resources);
            *attempts = attempts.saturating_add(1);
            if walker.walk(guided, self.longest_walk) == WalkEnd::Slice || walker.slice_is_over() {
                return true;
            }
        }
    }

    /// Walks towards one open goal at a time. Some walks start from markings where earlier walks
    /// came near it.
    fn towards<'a>(
        &mut self,
        walker: &mut Walker<'a>,
        strategy: Strategy,
        mut walk: impl FnMut(&mut Walker<'a>, u32, u64) -> (WalkEnd, Nearest),
    ) {
        let mut limit = 256;
        let mut goal = None;
        let mut attempts = 0;
        loop {
            let continued = goal.filter(|&goal| !walker.machine.is_gone(goal) && attempts < 32);
            let was_reached = goal.is_some_and(|goal| walker.machine.is_gone(goal));
            let Some(current) = continued.or_else(|| {
                (limit, attempts) = (256, 0);
                walker.draw(has_aim)
            }) else {
                return;
            };
            goal = Some(current);
            attempts += 1;
            let id = walker.machine.compiled.goals[current as usize].id;
            let continues_from_goal = was_reached
                && walker.journal.runs().len() <= LONGEST_KEPT
                && below(&mut walker.resources.rng, 2) == 0;
            if !continues_from_goal {
                let pool = self.pools.get(&(id, strategy)).map_or(&[][..], Vec::as_slice);
                let pool_index = below(&mut walker.resources.rng, 2 * POOL);
                match pool.get(pool_index) {
                    Some((_, runs)) => walker.resume(runs),
                    None => walker.restart(),
                }
            }
            let start = walker.journal.firings();
            let (end, nearest) = walk(walker, current, limit);
            if nearest.distance < u64::MAX && nearest.firings > start {
                self.keep(walker, (id, strategy), nearest);
            }
            if end == WalkEnd::Slice || walker.slice_is_over() {
                return;
            }
            limit = (limit * 2).min(self.longest_walk);
        }
    }

    /// Adds the nearest marking of the walk to the pool, if it is near enough.
    fn keep(&mut self, walker: &Walker<'_>, key: (GoalId, Strategy), nearest: Nearest) {
        if self.pools.len() >= POOLS && !self.pools.contains_key(&key) {
            self.pools.pop_first();
        }
        let pool = self.pools.entry(key).or_default();
        let largest_distance = pool.last().map_or(u64::MAX, |(distance, _)| *distance);
        if pool.len() >= POOL && largest_distance <= nearest.distance {
            return;
        }
        let mut runs = Vec::new();
        let mut remaining = nearest.firings;
        for run in walker.journal.runs() {
            if remaining == 0 {
                break;
            }
            let count = remaining.min(u64::from(run.count));
            runs.push(RepeatedFiring { count: count as u32, ..*run });
            remaining -= count;
        }
        if runs.len() <= LONGEST_KEPT {
            let index = pool.partition_point(|(distance, _)| *distance <= nearest.distance);
            pool.insert(index, (nearest.distance, runs));
            pool.truncate(POOL);
        }
    }
}
