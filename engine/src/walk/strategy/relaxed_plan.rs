//! Relaxed plans: the firings that a goal needs if tokens were never consumed.
//!
//! Distance alone considers only the transitions directly at a goal. A relaxed plan looks further:
//! if firing consumed nothing, how could each target cell get its value? Starting from the enabled
//! transitions, transitions are settled in order of cost. The cost of a transition is its own cost
//! plus the cost of the tokens it lacks. Each place remembers the first transition that marks it.
//! Reading this backwards from the target cells gives a *relaxed plan*, a multiset of transitions,
//! some of which are enabled now. The walk fires them while it can, in order or at random, and then
//! makes a new plan. (FF: J. Hoffmann, B. Nebel, *The FF planning system*, JAIR 14, 2001; the
//! additive cost is from B. Bonet, H. Geffner, *Planning as heuristic search*, 2001.)
//!
//! ```text
//! place a 1 · place b · place c            goal  c ≥ 2
//! transition t: a -> b                     plan  2·t, 2·u      (the first t is enabled)
//! transition u: b -> c + a
//! ```
//!
//! The length of the plan measures the distance to the goal, even while the target cells themselves
//! do not change for a long time. Markings with the shortest plans are good starting points for
//! later walks. If no plan exists, the target of this walk is unreachable from here, and the walk
//! ends. Another alternative of the goal may still be reachable. A target may also ask for fewer
//! tokens: then transitions that decrease the cell are used. Costs contain some random noise, so
//! that plans differ between walks.

use super::blind::random_enabled;
use super::directed::Nearest;
use super::monotone_queue::MonotoneQueue;
use crate::walk::machine::{WatchedMarking, random_below};
use crate::walk::target::WalkTarget;
use crate::walk::walker::{FiringStrategy, Resources};
use parikh_net::{PlaceId, TransitionId};

/// The cost of a firing, without noise.
const FIRING_COST: u64 = 16;
/// Limit on the firings of one transition in a plan.
const MAX_FIRINGS: u64 = 1 << 30;
/// Stands for "no transition" in [`PlaceProducer::transition`].
const NO_TRANSITION: u32 = u32::MAX;

/// The state of a transition while the current plan is made.
#[derive(Clone, Copy)]
struct TransitionCost {
    /// Number of the plan for which `unmet` and `cost` were computed. Values from an earlier plan
    /// are outdated.
    epoch: u32,
    /// Number of input places that lack tokens and that no settled transition increases. The
    /// transition can be settled at 0.
    unmet: u32,
    /// Cost of firing the transition and of producing its lacking tokens, without the inputs still
    /// counted in `unmet`.
    cost: u64,
    /// Number of firings in the plan. Meaningless until the transition is settled.
    times: u64,
}

/// The transition that supplies a place in the current plan.
#[derive(Clone, Copy)]
struct PlaceProducer {
    /// Number of the plan for which the entry was computed.
    epoch: u32,
    /// The first settled transition that increases the tokens of the place.
    transition: u32,
}

/// A mover, that is, a settled transition that changes a target cell towards its target interval. A
/// target cell is a token count or sum for which the goal requires certain values.
#[derive(Clone, Copy)]
struct Mover {
    cell: u32,
    transition: u32,
    /// Number of firings of the transition for this cell.
    times: u64,
}

/// A strategy that follows relaxed plans: firings that would reach the target if no tokens were
/// consumed.
pub(in crate::walk) struct RelaxedPlanStrategy {
    target: WalkTarget,
    /// The position of the goal to reach. `None` if the target is to cover a marking, and the walk
    /// ends as soon as all target intervals are reached.
    goal: Option<u32>,
    transitions: Vec<TransitionCost>,
    places: Vec<PlaceProducer>,
    /// For each class, the number of the last plan in which a transition of the class was settled.
    settled_class_epoch: Vec<u32>,
    /// Number of the current plan.
    epoch: u32,
    /// Transitions whose lacking tokens can all be produced, by cost. They are settled in this
    /// order.
    queue: MonotoneQueue,
    /// The transitions settled so far, that is, those with a final cost, in the order of settling.
    settled: Vec<u32>,
    /// The settled transitions that change target cells towards their target intervals, in the
    /// order of settling.
    movers: Vec<Mover>,
    /// Target cells that still need a mover, that is, a transition that changes the cell towards
    /// its target interval. Each has the distance to its target interval that remains after the
    /// firings of its movers so far. A place needs only one mover, a sum may need several.
    unreached_cells: Vec<(u32, u64)>,
    /// The steps of the plan: pairs of a class and its remaining firings.
    steps: Vec<(u32, u64)>,
    /// True if each step fires the first enabled class of the plan, false if it fires a random one.
    is_in_order: bool,
    /// Exclusive upper bound of the random number added to the cost of each transition. With 1,
    /// costs have no noise.
    noise: usize,
    /// Chance of an undirected firing, in 256ths.
    undirected_chance: usize,
    /// Number of times that the chosen class should fire in a row. `None` leaves the number to the
    /// walker.
    wanted_repetitions: Option<u64>,
    /// Number of consecutive plans that brought neither a shorter plan nor a smaller distance.
    plans_without_progress: u32,
    /// Limit on the number of consecutive plans that bring neither a shorter plan nor a smaller
    /// distance.
    pub(in crate::walk) max_plans_without_progress: u32,
    /// The smallest distance of a marking of the walk to the target so far.
    smallest_distance: u64,
    /// The point of the walk from which the plan was shortest. Its `distance` is the number of
    /// firings in this plan.
    shortest_plan: Nearest,
    /// Number of firings since the initial marking.
    firings: u64,
}

impl RelaxedPlanStrategy {
    /// Creates the strategy without a target.
    pub(in crate::walk) fn new(machine: &WatchedMarking<'_>) -> Self {
        let net = machine.compiled.net;
        let transition = TransitionCost { epoch: 0, unmet: 0, cost: 0, times: 0 };
        RelaxedPlanStrategy {
            target: WalkTarget::new(machine.compiled.cell_count()),
            goal: None,
            transitions: vec![transition; net.transition_count()],
            places: vec![PlaceProducer { epoch: 0, transition: NO_TRANSITION }; net.place_count()],
            settled_class_epoch: vec![0; net.effect_count()],
            epoch: 0,
            queue: MonotoneQueue::new(),
            settled: Vec::new(),
            movers: Vec::new(),
            unreached_cells: Vec::new(),
            steps: Vec::new(),
            is_in_order: true,
            noise: 1,
            undirected_chance: 0,
            wanted_repetitions: None,
            plans_without_progress: 0,
            max_plans_without_progress: 64,
            smallest_distance: u64::MAX,
            shortest_plan: Nearest { distance: u64::MAX, firings: 0 },
            firings: 0,
        }
    }

    /// Sets a goal as target and starts a new walk at the machine's current marking. `firings` is
    /// the number of firings so far.
    pub(in crate::walk) fn begin(
        &mut self,
        machine: &WatchedMarking<'_>,
        goal: u32,
        firings: u64,
        resources: &mut Resources,
    ) {
        self.goal = Some(goal);
        self.target.take(machine, goal, &mut resources.rng);
        self.reset(machine, firings, resources);
    }

    /// Sets the target to cover the marking with the cell values `values`, with a larger value in
    /// the cell `growing_cell`.
    pub(in crate::walk) fn begin_covering(
        &mut self,
        machine: &WatchedMarking<'_>,
        values: &[i64],
        growing_cell: u32,
        resources: &mut Resources,
    ) {
        self.goal = None;
        self.target.take_covering(machine, values, growing_cell);
        self.reset(machine, 0, resources);
    }

    /// Resets the state of the walk, and draws its random parameters.
    fn reset(&mut self, machine: &WatchedMarking<'_>, firings: u64, resources: &mut Resources) {
        self.smallest_distance = self.target.distance(machine);
        self.shortest_plan = Nearest { distance: u64::MAX, firings };
        self.firings = firings;
        self.is_in_order = random_below(&mut resources.rng, 2) == 0;
        self.noise = [1, 4, 16, 64][random_below(&mut resources.rng, 4)];
        self.undirected_chance = [0, 4, 16, 64][random_below(&mut resources.rng, 4)];
        self.plans_without_progress = 0;
        self.steps.clear();
    }

    /// Returns the point of the walk with the shortest remaining plan.
    pub(in crate::walk) fn nearest(&self) -> Nearest {
        self.shortest_plan
    }

    /// Returns the index of a step whose class is enabled and has remaining firings: the first such
    /// step if `is_in_order`, otherwise a random one. Returns `None` if there is none.
    fn next_step(&self, machine: &WatchedMarking<'_>, resources: &mut Resources) -> Option<usize> {
        let steps = self.steps.iter().enumerate();
        let mut possible_steps =
            steps.filter(|&(_, &(class, remaining))| remaining > 0 && machine.is_enabled(class));
        if self.is_in_order {
            return possible_steps.next().map(|(index, _)| index);
        }
        let mut chosen = None;
        for (count, (index, _)) in possible_steps.enumerate() {
            if random_below(&mut resources.rng, count + 1) == 0 {
                chosen = Some(index);
            }
        }
        chosen
    }

    /// Makes a plan from the current marking and stores it in `steps`. Returns false if no plan is
    /// found.
    fn make_plan(&mut self, machine: &WatchedMarking<'_>, resources: &mut Resources) -> bool {
        self.steps.clear();
        if !self.settle_transitions(machine, resources) {
            return false;
        }
        self.read_backwards(machine);
        let length = self.steps.iter().fold(0, |sum: u64, &(_, times)| sum.saturating_add(times));
        if self.goal.is_some() && length < self.shortest_plan.distance {
            self.shortest_plan = Nearest { distance: length, firings: self.firings };
            self.plans_without_progress = 0;
        }
        true
    }

    /// Settles transitions in order of cost until no cell outside its target interval needs a
    /// further mover, or no transition is left. Returns false if such a cell has no mover at all.
    fn settle_transitions(
        &mut self,
        machine: &WatchedMarking<'_>,
        resources: &mut Resources,
    ) -> bool {
        let net = machine.compiled.net;
        self.epoch += 1;
        self.queue.clear();
        self.settled.clear();
        self.movers.clear();
        let target_cells = self.target.cells().iter();
        let distances = target_cells
            .map(|&cell| (cell, self.target.interval(cell).distance_to(machine.value(cell))));
        self.unreached_cells.clear();
        self.unreached_cells.extend(distances.filter(|&(_, distance)| distance > 0));
        let target_count = self.unreached_cells.len();
        for class in machine.enabled().iter() {
            let cost = FIRING_COST + random_below(&mut resources.rng, self.noise) as u64;
            self.queue.push(cost, machine.first_member(class));
        }
        let mut inspected = machine.enabled().len();
        while !self.unreached_cells.is_empty() {
            let Some((cost, t)) = self.queue.pop() else { break };
            let class = machine.class_of(t);
            // A transition of the same effect class was settled before, at no higher cost.
            if std::mem::replace(&mut self.settled_class_epoch[class as usize], self.epoch)
                == self.epoch
            {
                continue;
            }
            self.settled.push(t);
            let transition_cost = &mut self.transitions[t as usize];
            transition_cost.times = 0;
            for change in machine.compiled.changes_of(class) {
                let (cell, value) = (change.cell, machine.value(change.cell));
                let interval = self.target.interval(cell);
                let helps =
                    if change.delta > 0 { value < interval.low } else { value > interval.high };
                if helps {
                    self.add_mover(machine, cell, t, change.delta.unsigned_abs());
                }
                if change.delta < 0 || cell as usize >= machine.compiled.place_count {
                    continue;
                }
                let place = &mut self.places[cell as usize];
                // A cheaper or equally cheap transition already produces tokens on this place.
                if place.epoch == self.epoch {
                    continue;
                }
                *place = PlaceProducer { epoch: self.epoch, transition: t };
                let consumers = net.consumers(PlaceId::new(cell as usize));
                inspected += consumers.len();
                for arc in consumers.iter().filter(|arc| arc.weight as i64 > value) {
                    let needed = ((arc.weight as i64 - value) as u64).div_ceil(change.delta as u64);
                    let consumer = arc.transition.index();
                    let state = &mut self.transitions[consumer];
                    if state.epoch != self.epoch {
                        let noise = random_below(&mut resources.rng, self.noise) as u64;
                        *state = TransitionCost {
                            epoch: self.epoch,
                            unmet: machine.missing_inputs(consumer as u32),
                            cost: FIRING_COST + noise,
                            times: 0,
                        };
                    }
                    state.cost = state.cost.saturating_add(cost.saturating_mul(needed));
                    state.unmet -= 1;
                    if state.unmet == 0 {
                        self.queue.push(state.cost, consumer as u32);
                    }
                }
            }
        }
        resources.work += (inspected / 4) as u64;
        // A sum whose movers together do not reach its target interval still counts as moved.
        let mut moved_cells: Vec<u32> = self.movers.iter().map(|mover| mover.cell).collect();
        moved_cells.sort_unstable();
        moved_cells.dedup();
        moved_cells.len() == target_count
    }

    /// Adds a mover of a target cell. For a place, the first suitable transition suffices and fires
    /// as often as necessary. For a sum, each suitable transition fires once, since different
    /// places of the sum may need different transitions.
    fn add_mover(&mut self, machine: &WatchedMarking<'_>, cell: u32, transition: u32, delta: u64) {
        let Some(index) = self.unreached_cells.iter().position(|&(open_cell, _)| open_cell == cell)
        else {
            return;
        };
        let distance = self.unreached_cells[index].1;
        let is_place = (cell as usize) < machine.compiled.place_count;
        let times = if is_place { distance.div_ceil(delta).min(MAX_FIRINGS) } else { 1 };
        self.movers.push(Mover { cell, transition, times });
        self.unreached_cells[index].1 = distance.saturating_sub(delta.saturating_mul(times));
        if is_place || self.unreached_cells[index].1 == 0 {
            self.unreached_cells.swap_remove(index);
        }
    }

    /// Collects the plan backwards: first the movers, then the transitions that produce the tokens
    /// they lack, and so on. Afterwards the steps are in the order of settling.
    fn read_backwards(&mut self, machine: &WatchedMarking<'_>) {
        let net = machine.compiled.net;
        for &(cell, distance) in &self.unreached_cells {
            // The movers of this sum do not reach its target interval. So the mover settled first,
            // which is the cheapest one, fires more often.
            if let Some(mover) = self.movers.iter_mut().find(|mover| mover.cell == cell) {
                let delta = delta_at(machine, mover.transition, cell).unsigned_abs().max(1);
                mover.times = mover.times.saturating_add(distance.div_ceil(delta)).min(MAX_FIRINGS);
            }
        }
        for mover in &self.movers {
            let times = &mut self.transitions[mover.transition as usize].times;
            *times = (*times).max(mover.times);
        }
        for &t in self.settled.iter().rev() {
            let times = self.transitions[t as usize].times;
            if times == 0 {
                continue;
            }
            self.steps.push((machine.class_of(t), times));
            for arc in net.pre(TransitionId::new(t as usize)) {
                let cell = arc.place.index() as u32;
                let tokens = machine.value(cell) as u64;
                if tokens >= arc.weight {
                    continue;
                }
                // The producer was settled before `t`, so its firings are read later in this
                // backward loop.
                let producer = self.places[cell as usize].transition;
                let delta = delta_at(machine, producer, cell).unsigned_abs().max(1);
                // Tokens that t returns in each firing are needed only once.
                let consumed = delta_at(machine, t, cell).min(0).unsigned_abs();
                let needed = arc.weight.saturating_add(consumed.saturating_mul(times - 1)) - tokens;
                let producer_times = &mut self.transitions[producer as usize].times;
                *producer_times =
                    producer_times.saturating_add(needed.div_ceil(delta)).min(MAX_FIRINGS);
            }
        }
        self.steps.reverse();
    }
}

/// Returns the change of a cell by firing a transition once.
fn delta_at(machine: &WatchedMarking<'_>, transition: u32, cell: u32) -> i64 {
    let changes = machine.compiled.changes_of(machine.class_of(transition));
    changes.iter().find(|change| change.cell == cell).map_or(0, |change| change.delta)
}

impl FiringStrategy for RelaxedPlanStrategy {
    fn choose(
        &mut self,
        machine: &mut WatchedMarking<'_>,
        resources: &mut Resources,
    ) -> Option<u32> {
        self.wanted_repetitions = None;
        if self.goal.is_none() && self.smallest_distance == 0 {
            return None;
        }
        if self.undirected_chance > 0
            && random_below(&mut resources.rng, 256) < self.undirected_chance
        {
            return Some(random_enabled(machine, resources));
        }
        let mut step = self.next_step(machine, resources);
        resources.work += self.steps.len() as u64 / 8;
        if step.is_none() {
            let is_settled = self.goal.is_some_and(|goal| machine.is_unwatched(goal));
            if is_settled || self.plans_without_progress >= self.max_plans_without_progress {
                return None;
            }
            if self.target.distance(machine) == 0 {
                // All target intervals are reached, but the goal is still open. So the target is
                // set again, with other random choices between the goal's alternatives.
                self.target.take(machine, self.goal?, &mut resources.rng);
                self.smallest_distance = self.target.distance(machine);
                if self.smallest_distance == 0 {
                    return None;
                }
            }
            self.plans_without_progress += 1;
            if !self.make_plan(machine, resources) {
                return None;
            }
            step = self.next_step(machine, resources);
        }
        let (class, remaining) = self.steps[step?];
        self.wanted_repetitions = Some(remaining);
        Some(class)
    }

    fn wanted_repetitions(&self) -> Option<u64> {
        self.wanted_repetitions
    }

    fn after_firing(&mut self, machine: &WatchedMarking<'_>, class: u32, count: u64, firings: u64) {
        if let Some(step) = self.steps.iter_mut().find(|step| step.0 == class) {
            step.1 = step.1.saturating_sub(count);
        }
        self.firings = firings;
        let distance = self.target.distance(machine);
        if distance < self.smallest_distance {
            self.smallest_distance = distance;
            self.plans_without_progress = 0;
        }
    }
}
