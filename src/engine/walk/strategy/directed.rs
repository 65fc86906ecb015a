//! Downhill towards one goal, by the distance of its cells from what is wished for.
//!
//! Only the classes that change a wished cell can bring the goal nearer, and mostly these are few:
//! they are looked at in every step, and the best of those that gain is fired. When none does, any
//! class is drawn, and drawn again when it would undo what was gained. Some steps are left to
//! chance, more in some walks than in others, so that a walk gets out of a hollow.
//!
//! A second way is to learn: each class has a *potency*, which rises when firing it brought the
//! goal nearer and falls when it led away (Jensen, Larsen, Srba, *Random potency-first search*,
//! TAPAAL); candidates are drawn and one is taken with a chance in proportion to its potency.

use super::blind::any;
use crate::engine::walk::aim::Aim;
use crate::engine::walk::machine::{Machine, below};
use crate::engine::walk::walker::{Choose, Resources};
use parikh_net::{PlaceId, Predicate};

/// With more classes that matter than this, candidates are drawn instead.
const LOOK_AT_ALL: usize = 48;
/// How many candidates are drawn.
const CANDIDATES: usize = 8;
/// Draws of a class that does not lead away.
const RELUCTANCE: usize = 4;

/// Where a directed walk has been nearest.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine::walk) struct Nearest {
    /// The distance there.
    pub(in crate::engine::walk) distance: u64,
    /// After how many firings that was.
    pub(in crate::engine::walk) firings: u64,
}

/// Downhill.
pub(in crate::engine::walk) struct Directed {
    aim: Aim,
    /// Classes that change a wished cell.
    relevant: Vec<u32>,
    is_relevant: Vec<bool>,
    /// How often to be greedy, of 256.
    greed: usize,
    wanted: Option<u64>,
    /// The walk ends when all wishes are fulfilled.
    covering: bool,
    nearest: Nearest,
}

impl Directed {
    /// Aims at nothing yet.
    pub(in crate::engine::walk) fn new(machine: &Machine<'_>) -> Self {
        Directed {
            aim: Aim::new(machine.compiled.cells()),
            relevant: Vec::new(),
            is_relevant: vec![false; machine.compiled.net.effect_count()],
            greed: 256,
            wanted: None,
            covering: false,
            nearest: Nearest { distance: u64::MAX, firings: 0 },
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
        self.aim.take_upwards(machine, goal, &mut resources.rng);
        self.covering = false;
        self.start(machine, firings, resources);
    }

    /// Aims at a marking that satisfies all of these, from where the machine is.
    pub(in crate::engine::walk) fn begin_all(
        &mut self,
        machine: &Machine<'_>,
        parts: &[&Predicate],
        resources: &mut Resources,
    ) {
        self.aim.take_all(machine, parts, &mut resources.rng);
        self.covering = false;
        self.start(machine, 0, resources);
    }

    /// Aims at covering a marking with more than it has in one cell.
    pub(in crate::engine::walk) fn begin_covering(
        &mut self,
        machine: &Machine<'_>,
        values: &[i64],
        grow: u32,
        resources: &mut Resources,
    ) {
        self.aim.take_covering(machine, values, grow);
        self.covering = true;
        self.start(machine, 0, resources);
    }

    fn start(&mut self, machine: &Machine<'_>, firings: u64, resources: &mut Resources) {
        self.greed = [255, 250, 230, 180][below(&mut resources.rng, 4)];
        self.nearest = Nearest { distance: self.aim.distance(machine), firings };
        for class in self.relevant.drain(..) {
            self.is_relevant[class as usize] = false;
        }
        let net = machine.compiled.net;
        for &cell in self.aim.cells() {
            let cell = cell as usize;
            let one = [PlaceId::new(cell)];
            let several: Vec<PlaceId>;
            let places = if cell < machine.compiled.places {
                &one[..]
            } else {
                let terms = machine.compiled.sums[cell - machine.compiled.places].terms();
                several = terms.iter().map(|&(place, _)| place).collect();
                &several
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

    /// Where the walk has been nearest.
    pub(in crate::engine::walk) fn nearest(&self) -> Nearest {
        self.nearest
    }

    /// The best of those that gain.
    fn best(&self, machine: &Machine<'_>, resources: &mut Resources) -> Option<u32> {
        let mut best = None;
        let mut most = 0;
        let mut ties = 0;
        let mut consider = |class: u32, resources: &mut Resources| {
            let gain = self.aim.gain(machine, class);
            if gain > most {
                (best, most, ties) = (Some(class), gain, 1);
            } else if gain == most && gain > 0 {
                ties += 1;
                if below(&mut resources.rng, ties) == 0 {
                    best = Some(class);
                }
            }
        };
        if self.relevant.len() <= LOOK_AT_ALL {
            for &class in self.relevant.iter().filter(|&&class| machine.is_live(class)) {
                consider(class, resources);
            }
        } else {
            for _ in 0..CANDIDATES {
                let class = any(machine, resources);
                consider(class, resources);
            }
        }
        best
    }
}

impl Choose for Directed {
    fn choose(&mut self, machine: &mut Machine<'_>, resources: &mut Resources) -> Option<u32> {
        self.wanted = None;
        if self.covering && self.nearest.distance == 0 {
            return None;
        }
        if below(&mut resources.rng, 256) >= self.greed {
            return Some(any(machine, resources));
        }
        resources.work += 1;
        if let Some(best) = self.best(machine, resources) {
            self.wanted = Some(self.aim.times(machine, best));
            return Some(best);
        }
        let mut class = any(machine, resources);
        for _ in 0..RELUCTANCE {
            if !self.is_relevant[class as usize] || self.aim.gain(machine, class) >= 0 {
                break;
            }
            class = any(machine, resources);
        }
        Some(class)
    }

    fn wanted(&self) -> Option<u64> {
        self.wanted
    }

    fn fired(&mut self, machine: &Machine<'_>, class: u32, _: u64, firings: u64) {
        if self.is_relevant[class as usize] {
            let distance = self.aim.distance(machine);
            if distance < self.nearest.distance {
                self.nearest = Nearest { distance, firings };
            }
        }
    }
}

/// Learns which classes bring a goal nearer.
pub(in crate::engine::walk) struct Potency {
    aim: Aim,
    goal: Option<u32>,
    potency: Vec<f32>,
    distance: u64,
}

impl Potency {
    /// Knows nothing yet.
    pub(in crate::engine::walk) fn new(machine: &Machine<'_>) -> Self {
        Potency {
            aim: Aim::new(machine.compiled.cells()),
            goal: None,
            potency: vec![1.0; machine.compiled.net.effect_count()],
            distance: 0,
        }
    }

    /// Aims at a goal; forgets what it learned for another one.
    pub(in crate::engine::walk) fn begin(
        &mut self,
        machine: &Machine<'_>,
        goal: u32,
        resources: &mut Resources,
    ) {
        if self.goal.replace(goal) != Some(goal) {
            self.potency.fill(1.0);
        }
        self.aim.take_upwards(machine, goal, &mut resources.rng);
        self.distance = self.aim.distance(machine);
    }
}

impl Choose for Potency {
    fn choose(&mut self, machine: &mut Machine<'_>, resources: &mut Resources) -> Option<u32> {
        let mut chosen = any(machine, resources);
        let mut total = self.potency[chosen as usize];
        for _ in 1..CANDIDATES.min(machine.enabled().len()) {
            let other = any(machine, resources);
            let potency = self.potency[other as usize];
            total += potency;
            if resources.rng.f32() * total < potency {
                chosen = other;
            }
        }
        resources.work += 2;
        Some(chosen)
    }

    fn fired(&mut self, machine: &Machine<'_>, class: u32, _: u64, _: u64) {
        let distance = self.aim.distance(machine);
        if distance != self.distance {
            let potency = &mut self.potency[class as usize];
            let change = self.distance as f32 - distance as f32;
            // Bounded both ways: nothing is ruled out, and nothing rules alone.
            *potency = (*potency + change.clamp(-8.0, 8.0)).clamp(1.0, 64.0);
            self.distance = distance;
        }
    }
}
