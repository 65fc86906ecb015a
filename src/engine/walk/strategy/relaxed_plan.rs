//! Plans: what a goal needs, if tokens were never used up.
//!
//! Distance alone sees only the transitions right at a goal. Planning looks further: if firing took
//! nothing away, how would each wished cell come about? Starting from what is enabled, transitions
//! are settled in the order of their cost, one for themselves plus the cost of the tokens they
//! still need; each place remembers the first transition that marks it. Reading this backwards from
//! the wishes gives a *relaxed plan*, a multiset of transitions, some of which are enabled now. The
//! walk fires them while it can, in order or at random, and plans anew from where it ends up. (FF:
//! J. Hoffmann, B. Nebel, *The FF planning system*, JAIR 14, 2001; the additive cost is of B.
//! Bonet, H. Geffner, *Planning as heuristic search*, 2001.)
//!
//! ```text
//! place a 1 · place b · place c            wish  c ≥ 2
//! transition t: a -> b                     plan  2·t, 2·u      (the first t is enabled)
//! transition u: b -> c + a
//! ```
//!
//! How long the plan is says how near the goal is, and says it where the wished cells themselves do
//! not move for a long while; the ways to where plans were shortest are worth going again. When no
//! plan exists, the goal is out of reach from here and the walk is given up. That a wish may
//! be for fewer tokens makes no difference: what takes from the cell is then looked for. Costs are
//! drawn a little at random, so that each walk has plans of its own.

use super::blind::any;
use super::directed::Nearest;
use super::monotone_queue::MonotoneQueue;
use crate::engine::walk::aim::Aim;
use crate::engine::walk::machine::{Machine, below};
use crate::engine::walk::walker::{Choose, Resources};
use parikh_net::{PlaceId, TransitionId};

/// The cost of a firing; noise comes on top.
const COST: u64 = 16;
/// The most firings of one transition in a plan.
const MANY: u64 = 1 << 30;
/// No transition.
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct OfTransition {
    epoch: u32,
    unmet: u32,
    cost: u64,
    /// How often the plan fires it.
    times: u64,
}

#[derive(Clone, Copy)]
struct OfPlace {
    epoch: u32,
    /// What marks it first.
    by: u32,
}

#[derive(Clone, Copy)]
struct Mover {
    cell: u32,
    transition: u32,
    times: u64,
}

/// Follows relaxed plans.
pub(in crate::engine::walk) struct RelaxedPlan {
    aim: Aim,
    /// `None` when the walk ends as soon as all wishes are fulfilled.
    goal: Option<u32>,
    transitions: Vec<OfTransition>,
    places: Vec<OfPlace>,
    settled_class: Vec<u32>,
    epoch: u32,
    queue: MonotoneQueue,
    settled: Vec<u32>,
    /// What moves the wished cells the right way.
    movers: Vec<Mover>,
    /// For each wished cell that is out of its interval, how far it still is with all its movers.
    open: Vec<(u32, u64)>,
    /// (class, firings left).
    steps: Vec<(u32, u64)>,
    in_order: bool,
    noise: usize,
    /// Firings left to chance, of 256.
    chance: usize,
    wanted: Option<u64>,
    plans: u32,
    /// Plans a walk may make without coming nearer.
    pub(in crate::engine::walk) patience: u32,
    /// How far the wished cells were when they were nearest.
    distance: u64,
    /// Where the plan was shortest, in firings.
    shortest: Nearest,
    /// Since the initial marking.
    firings: u64,
}

impl RelaxedPlan {
    /// Aims at nothing yet.
    pub(in crate::engine::walk) fn new(machine: &Machine<'_>) -> Self {
        let net = machine.compiled.net;
        let transition = OfTransition { epoch: 0, unmet: 0, cost: 0, times: 0 };
        RelaxedPlan {
            aim: Aim::new(machine.compiled.cells()),
            goal: None,
            transitions: vec![transition; net.transition_count()],
            places: vec![OfPlace { epoch: 0, by: NONE }; net.place_count()],
            settled_class: vec![0; net.effect_count()],
            epoch: 0,
            queue: MonotoneQueue::new(),
            settled: Vec::new(),
            movers: Vec::new(),
            open: Vec::new(),
            steps: Vec::new(),
            in_order: true,
            noise: 1,
            chance: 0,
            wanted: None,
            plans: 0,
            patience: 64,
            distance: u64::MAX,
            shortest: Nearest { distance: u64::MAX, firings: 0 },
            firings: 0,
        }
    }

    /// Aims at a goal, from where the machine is.
    pub(in crate::engine::walk) fn begin(
        &mut self,
        machine: &Machine<'_>,
        goal: u32,
        firings: u64,
        resources: &mut Resources,
    ) {
        self.goal = Some(goal);
        self.aim.take(machine, goal, &mut resources.rng);
        self.start(machine, firings, resources);
    }

    /// Aims at covering a marking with more than it has in one cell.
    pub(in crate::engine::walk) fn begin_covering(
        &mut self,
        machine: &Machine<'_>,
        values: &[i64],
        grow: u32,
        resources: &mut Resources,
    ) {
        self.goal = None;
        self.aim.take_covering(machine, values, grow);
        self.start(machine, 0, resources);
    }

    fn start(&mut self, machine: &Machine<'_>, firings: u64, resources: &mut Resources) {
        self.distance = self.aim.distance(machine);
        self.shortest = Nearest { distance: u64::MAX, firings };
        self.firings = firings;
        self.in_order = below(&mut resources.rng, 2) == 0;
        self.noise = [1, 4, 16, 64][below(&mut resources.rng, 4)];
        self.chance = [0, 4, 16, 64][below(&mut resources.rng, 4)];
        self.plans = 0;
        self.steps.clear();
    }

    /// Where the walk has been nearest: where what the plan still had to fire was least.
    pub(in crate::engine::walk) fn nearest(&self) -> Nearest {
        self.shortest
    }

    /// A live class of the plan.
    fn next(&self, machine: &Machine<'_>, resources: &mut Resources) -> Option<usize> {
        let steps = self.steps.iter().enumerate();
        let mut live = steps.filter(|&(_, &(class, left))| left > 0 && machine.is_live(class));
        if self.in_order {
            return live.next().map(|(at, _)| at);
        }
        let mut chosen = None;
        for (seen, (at, _)) in live.enumerate() {
            if below(&mut resources.rng, seen + 1) == 0 {
                chosen = Some(at);
            }
        }
        chosen
    }

    /// Makes a plan from here. `false` when there is none.
    fn plan(&mut self, machine: &Machine<'_>, resources: &mut Resources) -> bool {
        self.steps.clear();
        if !self.settle(machine, resources) {
            return false;
        }
        self.read_backwards(machine);
        let length = self.steps.iter().fold(0, |sum: u64, &(_, times)| sum.saturating_add(times));
        if self.goal.is_some() && length < self.shortest.distance {
            self.shortest = Nearest { distance: length, firings: self.firings };
            self.plans = 0;
        }
        true
    }

    /// Settles transitions by ascending cost until every wish has a mover.
    fn settle(&mut self, machine: &Machine<'_>, resources: &mut Resources) -> bool {
        let net = machine.compiled.net;
        self.epoch += 1;
        self.queue.clear();
        self.settled.clear();
        self.movers.clear();
        let wishes = self.aim.cells().iter();
        let missed = wishes.map(|&cell| (cell, self.aim.wish(cell).miss(machine.value(cell))));
        self.open.clear();
        self.open.extend(missed.filter(|&(_, missed)| missed > 0));
        let wished = self.open.len();
        for class in machine.enabled().iter() {
            let cost = COST + below(&mut resources.rng, self.noise) as u64;
            self.queue.push(cost, machine.first_of(class));
        }
        let mut looked_at = machine.enabled().len();
        while !self.open.is_empty() {
            let Some((cost, t)) = self.queue.pop() else { break };
            let class = machine.class_of(t);
            // Another one with the same effect was cheaper.
            if std::mem::replace(&mut self.settled_class[class as usize], self.epoch) == self.epoch
            {
                continue;
            }
            self.settled.push(t);
            let of_transition = &mut self.transitions[t as usize];
            of_transition.times = 0;
            for change in machine.compiled.changes_of(class) {
                let (cell, value) = (change.cell, machine.value(change.cell));
                let wish = self.aim.wish(cell);
                let helps = if change.delta > 0 { value < wish.low } else { value > wish.high };
                if helps {
                    self.add_mover(machine, cell, t, change.delta.unsigned_abs());
                }
                if change.delta < 0 || cell as usize >= machine.compiled.places {
                    continue;
                }
                let place = &mut self.places[cell as usize];
                if place.epoch == self.epoch {
                    continue;
                }
                *place = OfPlace { epoch: self.epoch, by: t };
                let consumers = net.consumers(PlaceId::new(cell as usize));
                looked_at += consumers.len();
                for arc in consumers.iter().filter(|arc| arc.weight as i64 > value) {
                    let needed = ((arc.weight as i64 - value) as u64).div_ceil(change.delta as u64);
                    let consumer = arc.transition.index();
                    let state = &mut self.transitions[consumer];
                    if state.epoch != self.epoch {
                        let noise = below(&mut resources.rng, self.noise) as u64;
                        *state = OfTransition {
                            epoch: self.epoch,
                            unmet: machine.missing(consumer as u32),
                            cost: COST + noise,
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
        resources.work += (looked_at / 4) as u64;
        // A sum that is moved by less than it should be is moved nevertheless.
        let mut moved: Vec<u32> = self.movers.iter().map(|mover| mover.cell).collect();
        moved.sort_unstable();
        moved.dedup();
        moved.len() == wished
    }

    /// A place is moved by the first transition that can, as often as it takes; a sum by all of
    /// them in turn, once each, since each of its places may have its own.
    fn add_mover(&mut self, machine: &Machine<'_>, cell: u32, transition: u32, delta: u64) {
        let Some(at) = self.open.iter().position(|&(open, _)| open == cell) else { return };
        let missed = self.open[at].1;
        let is_place = (cell as usize) < machine.compiled.places;
        let times = if is_place { missed.div_ceil(delta).min(MANY) } else { 1 };
        self.movers.push(Mover { cell, transition, times });
        self.open[at].1 = missed.saturating_sub(delta.saturating_mul(times));
        if is_place || self.open[at].1 == 0 {
            self.open.swap_remove(at);
        }
    }

    /// The plan: what moves the wishes, what that needs, and so on, in the order of settling.
    fn read_backwards(&mut self, machine: &Machine<'_>) {
        let net = machine.compiled.net;
        for &(cell, missed) in &self.open {
            // All there are, and still not enough: the cheapest does the rest.
            if let Some(mover) = self.movers.iter_mut().find(|mover| mover.cell == cell) {
                let delta = delta_at(machine, mover.transition, cell).unsigned_abs().max(1);
                mover.times = mover.times.saturating_add(missed.div_ceil(delta)).min(MANY);
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
                // Settled before `t`, since `t` was reached through it.
                let by = self.places[cell as usize].by;
                let delta = delta_at(machine, by, cell).unsigned_abs().max(1);
                // What t keeps from one firing to the next is needed once.
                let used = delta_at(machine, t, cell).min(0).unsigned_abs();
                let needed = arc.weight.saturating_add(used.saturating_mul(times - 1)) - tokens;
                let earlier = &mut self.transitions[by as usize].times;
                *earlier = earlier.saturating_add(needed.div_ceil(delta)).min(MANY);
            }
        }
        self.steps.reverse();
    }
}

/// What firing does to a cell.
fn delta_at(machine: &Machine<'_>, transition: u32, cell: u32) -> i64 {
    let changes = machine.compiled.changes_of(machine.class_of(transition));
    changes.iter().find(|change| change.cell == cell).map_or(0, |change| change.delta)
}

impl Choose for RelaxedPlan {
    fn choose(&mut self, machine: &mut Machine<'_>, resources: &mut Resources) -> Option<u32> {
        self.wanted = None;
        if self.goal.is_none() && self.distance == 0 {
            return None;
        }
        if self.chance > 0 && below(&mut resources.rng, 256) < self.chance {
            return Some(any(machine, resources));
        }
        let mut next = self.next(machine, resources);
        resources.work += self.steps.len() as u64 / 8;
        if next.is_none() {
            let gone = self.goal.is_some_and(|goal| machine.is_gone(goal));
            if gone || self.plans >= self.patience {
                return None;
            }
            if self.aim.distance(machine) == 0 {
                // All wishes came true, and still the goal is there: wish for something else.
                self.aim.take(machine, self.goal?, &mut resources.rng);
                self.distance = self.aim.distance(machine);
                if self.distance == 0 {
                    return None;
                }
            }
            self.plans += 1;
            if !self.plan(machine, resources) {
                return None;
            }
            next = self.next(machine, resources);
        }
        let (class, left) = self.steps[next?];
        self.wanted = Some(left);
        Some(class)
    }

    fn wanted(&self) -> Option<u64> {
        self.wanted
    }

    fn fired(&mut self, machine: &Machine<'_>, class: u32, count: u64, firings: u64) {
        if let Some(step) = self.steps.iter_mut().find(|step| step.0 == class) {
            step.1 = step.1.saturating_sub(count);
        }
        self.firings = firings;
        let distance = self.aim.distance(machine);
        if distance < self.distance {
            self.distance = distance;
            self.plans = 0;
        }
    }
}
