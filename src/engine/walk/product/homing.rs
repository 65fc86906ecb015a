//! The way back to a marking: where the current one differs from it, and what may lead back.
//!
//! In a large net a random walk never comes back: something else always goes on elsewhere. What
//! fires only because of tokens that were moved since does come back, as soon as what has begun
//! is brought to its end. So what is drawn next takes from where there is more than there was, or
//! puts where there is less.

use crate::engine::walk::machine::{Machine, below};
use fastrand::Rng;
use parikh_net::PlaceId;

/// Places looked at for one choice, and arcs of each.
const LOOK: usize = 12;

/// Tokens moved since the walk was at its base.
pub(super) struct Homing {
    /// By place.
    moved: Vec<i64>,
    /// The places at which tokens were moved, in no order.
    places: Vec<u32>,
    /// By place where it stands among these.
    slots: Vec<u32>,
    candidates: Vec<(u32, u32)>,
}

impl Homing {
    /// At the base.
    pub(super) fn new(places: usize) -> Self {
        Homing {
            moved: vec![0; places],
            places: Vec::new(),
            slots: vec![0; places],
            candidates: Vec::new(),
        }
    }

    /// The base is here.
    pub(super) fn begin(&mut self) {
        self.places.drain(..).for_each(|place| self.moved[place as usize] = 0);
    }

    /// The class fired, `by` times.
    pub(super) fn fired(&mut self, machine: &Machine<'_>, class: u32, by: i64) {
        for change in machine.compiled.changes_of(class) {
            let Some(moved) = self.moved.get_mut(change.cell as usize) else { continue };
            let before = *moved;
            *moved += by * change.delta;
            if before == 0 {
                self.slots[change.cell as usize] = self.places.len() as u32;
                self.places.push(change.cell);
            } else if *moved == 0 {
                let slot = self.slots[change.cell as usize] as usize;
                self.places.swap_remove(slot);
                if let Some(&other) = self.places.get(slot) {
                    self.slots[other as usize] = slot as u32;
                }
            }
        }
    }

    /// Whether what fired since can fire again and again with the same letters, where those depend
    /// on these places: no place has fewer tokens, and none of these has more.
    pub(super) fn is_back(&self, looked_at: &[bool]) -> bool {
        let back = |&place: &u32| self.moved[place as usize] > 0 && !looked_at[place as usize];
        self.places.iter().all(back)
    }

    /// A class that may lead back, or any where none does, or where nothing was moved.
    pub(super) fn choose(&mut self, machine: &Machine<'_>, rng: &mut Rng) -> Option<u32> {
        let net = machine.compiled.net;
        self.candidates.clear();
        let mut total = 0;
        let count = self.places.len();
        let turn = below(rng, count.max(1));
        for at in 0..count.min(LOOK) {
            let place = self.places[(turn + at) % count];
            let id = PlaceId::new(place as usize);
            let more = self.moved[place as usize] > 0;
            let arcs = if more { net.consumers(id) } else { net.producers(id) };
            let arc_turn = below(rng, arcs.len().max(1));
            for at in 0..arcs.len().min(LOOK) {
                let transition = arcs[(arc_turn + at) % arcs.len()].transition;
                let class = net.effect_of(transition).index() as u32;
                if !machine.is_live(class) || machine.is_neutral(class) {
                    continue;
                }
                let weight = match self.gain(machine, class) {
                    0 => 4,
                    1.. => 16,
                    _ => 1,
                };
                total += weight;
                self.candidates.push((class, weight));
            }
        }
        if total == 0 {
            let enabled = machine.enabled();
            return (!enabled.is_empty()).then(|| enabled.nth(below(rng, enabled.len())));
        }
        let mut drawn = below(rng, total as usize) as u32;
        let chosen = self.candidates.iter().find(|&&(_, weight)| {
            let here = drawn < weight;
            drawn = drawn.saturating_sub(weight);
            here
        });
        chosen.map(|&(class, _)| class)
    }

    /// At how many places firing the class brings the tokens nearer to those of the base, less
    /// those at which it leads away.
    fn gain(&self, machine: &Machine<'_>, class: u32) -> i64 {
        let mut gain = 0;
        for change in machine.compiled.changes_of(class) {
            if let Some(&moved) = self.moved.get(change.cell as usize) {
                let after = moved.saturating_add(change.delta);
                gain += moved.saturating_abs().saturating_sub(after.saturating_abs()).signum();
            }
        }
        gain
    }
}
