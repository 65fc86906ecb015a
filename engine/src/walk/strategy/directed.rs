//! Strategies for walks that decrease the distance to one goal.
//!
//! Only classes that change a target cell can decrease the distance, and usually these are few.
//! Every step compares them and fires the one with the largest gain. If none has a gain, a random
//! class is drawn, and drawn again if it would increase the distance. A random fraction of the
//! steps, which differs from walk to walk, is undirected, so that a walk can leave a local minimum.
//!
//! A second strategy learns: each class has a *potency*, which rises when firing the class
//! decreased the distance and falls when it increased the distance (Jensen, Larsen, Srba, *Random
//! potency-first search*, TAPAAL). Candidates are drawn, and one is chosen with probability
//! proportional to its potency.

use super::blind::random_enabled;
use crate::walk::machine::{WatchedMarking, random_below};
use crate::walk::target::WalkTarget;
use crate::walk::walker::{FiringStrategy, Resources};
use parikh_net::{PlaceId, Predicate};

/// Limit on the number of relevant classes, that is, classes with an arc at a place of the target.
/// If there are more, only some enabled classes are drawn and compared.
const MAX_COMPARED: usize = 48;
/// Number of enabled classes drawn and compared.
const CANDIDATES: usize = 8;
/// Limit on the number of further draws to find a class that does not increase the distance.
const MAX_REDRAWS: usize = 4;

/// The point of a directed walk with the smallest distance.
#[derive(Clone, Copy, Debug)]
pub(in crate::walk) struct Nearest {
    /// The distance to the target at this point.
    pub(in crate::walk) distance: u64,
    /// The number of firings from the initial marking to this point.
    pub(in crate::walk) firings: u64,
}

/// Directed strategy: decreases the distance to a goal.
pub(in crate::walk) struct DistanceStrategy {
    target: WalkTarget,
    /// Classes with a transition adjacent to a place of a target cell. A target cell is a token
    /// count or sum for which the goal requires certain values.
    relevant: Vec<u32>,
    /// For each class, true if it is in `relevant`. Such a class may leave all target cells
    /// unchanged.
    is_relevant: Vec<bool>,
    /// Chance, in 256ths, that a step chooses the class by distance. Other steps are random.
    directed_chance: usize,
    /// Number of times that the chosen class should fire in a row. `None` leaves the number to the
    /// walker.
    wanted_repetitions: Option<u64>,
    /// True if the walk ends when all target intervals are reached.
    is_covering: bool,
    /// The point of the current walk with the smallest distance.
    nearest: Nearest,
}

impl DistanceStrategy {
    /// Creates the strategy without a target.
    pub(in crate::walk) fn new(machine: &WatchedMarking<'_>) -> Self {
        DistanceStrategy {
            target: WalkTarget::new(machine.compiled.cell_count()),
            relevant: Vec::new(),
            is_relevant: vec![false; machine.compiled.net.effect_count()],
            directed_chance: 256,
            wanted_repetitions: None,
            is_covering: false,
            nearest: Nearest { distance: u64::MAX, firings: 0 },
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
        self.target.take_upwards(machine, goal, &mut resources.rng);
        self.is_covering = false;
        self.reset(machine, firings, resources);
    }

    /// Sets the conjunction of the predicates as target and starts a new walk at the machine's
    /// current marking.
    pub(in crate::walk) fn begin_all(
        &mut self,
        machine: &WatchedMarking<'_>,
        parts: &[&Predicate],
        resources: &mut Resources,
    ) {
        self.target.take_all(machine, parts, &mut resources.rng);
        self.is_covering = false;
        self.reset(machine, 0, resources);
    }

    /// Sets the target to cover the marking with the cell values `values`, with a larger value in
    /// the cell `growing_cell`. The walk then ends as soon as the target is reached.
    pub(in crate::walk) fn begin_covering(
        &mut self,
        machine: &WatchedMarking<'_>,
        values: &[i64],
        growing_cell: u32,
        resources: &mut Resources,
    ) {
        self.target.take_covering(machine, values, growing_cell);
        self.is_covering = true;
        self.reset(machine, 0, resources);
    }

    /// Starts a new walk: draws the chance of directed steps, computes the distance of the current
    /// marking, and collects the relevant classes. `firings` is the number of firings so far.
    fn reset(&mut self, machine: &WatchedMarking<'_>, firings: u64, resources: &mut Resources) {
        self.directed_chance = [255, 250, 230, 180][random_below(&mut resources.rng, 4)];
        self.nearest = Nearest { distance: self.target.distance(machine), firings };
        for class in self.relevant.drain(..) {
            self.is_relevant[class as usize] = false;
        }
        let net = machine.compiled.net;
        for &cell in self.target.cells() {
            let cell = cell as usize;
            let single_place = [PlaceId::new(cell)];
            let sum_places: Vec<PlaceId>;
            let places = if cell < machine.compiled.place_count {
                &single_place[..]
            } else {
                let terms = machine.compiled.sums[cell - machine.compiled.place_count].terms();
                sum_places = terms.iter().map(|&(place, _)| place).collect();
                &sum_places
            };
            for &place in places {
                for arc in net.consumers(place).iter().chain(net.producers(place)) {
                    let class = net.effect_of(arc.transition).index();
                    resources.work += 1;
                    if !std::mem::replace(&mut self.is_relevant[class], true) {
                        self.relevant.push(class as u32);
                    }
                }
            }
        }
    }

    /// Returns the point of the walk with the smallest distance.
    pub(in crate::walk) fn nearest(&self) -> Nearest {
        self.nearest
    }

    /// Returns the class with the largest gain, that is, decrease in distance, among the compared
    /// classes. Returns `None` if no compared class has a positive gain.
    fn class_with_largest_gain(
        &self,
        machine: &WatchedMarking<'_>,
        resources: &mut Resources,
    ) -> Option<u32> {
        let mut best = None;
        let mut largest_gain = 0;
        let mut tie_count = 0;
        let mut consider = |class: u32, resources: &mut Resources| {
            let gain = self.target.gain(machine, class);
            if gain > largest_gain {
                (best, largest_gain, tie_count) = (Some(class), gain, 1);
            } else if gain == largest_gain && gain > 0 {
                tie_count += 1;
                if random_below(&mut resources.rng, tie_count) == 0 {
                    best = Some(class);
                }
            }
        };
        if self.relevant.len() <= MAX_COMPARED {
            for &class in self.relevant.iter().filter(|&&class| machine.is_enabled(class)) {
                consider(class, resources);
            }
        } else {
            for _ in 0..CANDIDATES {
                let class = random_enabled(machine, resources);
                consider(class, resources);
            }
        }
        best
    }
}

impl FiringStrategy for DistanceStrategy {
    fn choose(
        &mut self,
        machine: &mut WatchedMarking<'_>,
        resources: &mut Resources,
    ) -> Option<u32> {
        self.wanted_repetitions = None;
        if self.is_covering && self.nearest.distance == 0 {
            return None;
        }
        if random_below(&mut resources.rng, 256) >= self.directed_chance {
            return Some(random_enabled(machine, resources));
        }
        resources.work += 1;
        if let Some(best) = self.class_with_largest_gain(machine, resources) {
            self.wanted_repetitions = Some(self.target.firings_to_interval(machine, best));
            return Some(best);
        }
        let mut class = random_enabled(machine, resources);
        for _ in 0..MAX_REDRAWS {
            if !self.is_relevant[class as usize] || self.target.gain(machine, class) >= 0 {
                break;
            }
            class = random_enabled(machine, resources);
        }
        Some(class)
    }

    fn wanted_repetitions(&self) -> Option<u64> {
        self.wanted_repetitions
    }

    fn after_firing(&mut self, machine: &WatchedMarking<'_>, class: u32, _: u64, firings: u64) {
        if self.is_relevant[class as usize] {
            let distance = self.target.distance(machine);
            if distance < self.nearest.distance {
                self.nearest = Nearest { distance, firings };
            }
        }
    }
}

/// A strategy that learns how well each effect class decreases the distance to a goal. One of a few
/// random classes is chosen with a chance proportional to this learnt value, the *potency*.
pub(in crate::walk) struct PotencyStrategy {
    target: WalkTarget,
    /// The goal for which the potencies were learnt, as a position among the watched goals.
    goal: Option<u32>,
    /// The potency of each class, from 1 to 64.
    potency: Vec<f32>,
    /// The distance of the current marking to the target.
    distance: u64,
}

impl PotencyStrategy {
    /// Creates the strategy without a target. All classes have the same potency, that is, the same
    /// learnt value.
    pub(in crate::walk) fn new(machine: &WatchedMarking<'_>) -> Self {
        PotencyStrategy {
            target: WalkTarget::new(machine.compiled.cell_count()),
            goal: None,
            potency: vec![1.0; machine.compiled.net.effect_count()],
            distance: 0,
        }
    }

    /// Sets a goal as target. Resets the potencies if the goal changes.
    pub(in crate::walk) fn begin(
        &mut self,
        machine: &WatchedMarking<'_>,
        goal: u32,
        resources: &mut Resources,
    ) {
        if self.goal.replace(goal) != Some(goal) {
            self.potency.fill(1.0);
        }
        self.target.take_upwards(machine, goal, &mut resources.rng);
        self.distance = self.target.distance(machine);
    }
}

impl FiringStrategy for PotencyStrategy {
    fn choose(
        &mut self,
        machine: &mut WatchedMarking<'_>,
        resources: &mut Resources,
    ) -> Option<u32> {
        let mut chosen = random_enabled(machine, resources);
        let mut total_potency = self.potency[chosen as usize];
        for _ in 1..CANDIDATES.min(machine.enabled().len()) {
            let candidate = random_enabled(machine, resources);
            let potency = self.potency[candidate as usize];
            total_potency += potency;
            if resources.rng.f32() * total_potency < potency {
                chosen = candidate;
            }
        }
        resources.work += 2;
        Some(chosen)
    }

    fn after_firing(&mut self, machine: &WatchedMarking<'_>, class: u32, _: u64, _: u64) {
        let distance = self.target.distance(machine);
        if distance != self.distance {
            let potency = &mut self.potency[class as usize];
            let change = self.distance as f32 - distance as f32;
            // The limits keep every class possible and prevent a single class from being chosen
            // nearly always.
            *potency = (*potency + change.clamp(-8.0, 8.0)).clamp(1.0, 64.0);
            self.distance = distance;
        }
    }
}
