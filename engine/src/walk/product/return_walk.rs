//! Return to a marking: the difference of the current marking from it, and the choice of firings
//! that may lead back.
//!
//! In a large net a random walk never returns, because some other part of the net always continues.
//! But a part returns if only transitions fire that consume recently moved tokens, until everything
//! begun is completed. So the next transition is one that consumes from a place with more tokens
//! than in the base marking, or produces on a place with fewer tokens.

use crate::walk::machine::{WatchedMarking, random_below};
use fastrand::Rng;
use parikh_net::PlaceId;

/// Maximum number of places inspected for one choice, and of arcs inspected per place.
const MAX_INSPECTED: usize = 12;

/// The differences in tokens between the current marking and the base marking, that is, the start
/// of an attempt to find a cycle.
pub(super) struct ReturnDistance {
    /// For each place, its tokens minus its tokens in the base marking.
    differences: Vec<i64>,
    /// The places with a difference, in no order.
    changed_places: Vec<u32>,
    /// For each place with a difference, its position in `changed_places`. Meaningless for other
    /// places.
    positions: Vec<u32>,
    /// Buffer for a choice: classes with their weights.
    candidates: Vec<(u32, u32)>,
}

impl ReturnDistance {
    /// Creates the state at the base marking.
    pub(super) fn new(places: usize) -> Self {
        ReturnDistance {
            differences: vec![0; places],
            changed_places: Vec::new(),
            positions: vec![0; places],
            candidates: Vec::new(),
        }
    }

    /// Makes the current marking the base.
    pub(super) fn begin(&mut self) {
        self.changed_places.drain(..).for_each(|place| self.differences[place as usize] = 0);
    }

    /// Records `count` firings of an effect class.
    pub(super) fn record_firings(&mut self, machine: &WatchedMarking<'_>, class: u32, count: i64) {
        for change in machine.compiled.changes_of(class) {
            // The cells after the places hold sums, which have no difference here.
            let Some(moved) = self.differences.get_mut(change.cell as usize) else { continue };
            let before = *moved;
            *moved += count * change.delta;
            if before == 0 {
                self.positions[change.cell as usize] = self.changed_places.len() as u32;
                self.changed_places.push(change.cell);
            } else if *moved == 0 {
                let slot = self.positions[change.cell as usize] as usize;
                self.changed_places.swap_remove(slot);
                if let Some(&other) = self.changed_places.get(slot) {
                    self.positions[other as usize] = slot as u32;
                }
            }
        }
    }

    /// Returns true if the firings since the base marking can repeat forever and read the same
    /// letters each time. So no place may have fewer tokens than at the base. Places on which the
    /// letters depend must have exactly as many. The argument is true for these places.
    pub(super) fn is_back(&self, looked_at: &[bool]) -> bool {
        let is_harmless =
            |&place: &u32| self.differences[place as usize] > 0 && !looked_at[place as usize];
        self.changed_places.iter().all(is_harmless)
    }

    /// Returns an enabled class that may lead back to the base marking. Returns a random enabled
    /// class if no such class was found, and `None` if no class is enabled.
    pub(super) fn choose(&mut self, machine: &WatchedMarking<'_>, rng: &mut Rng) -> Option<u32> {
        let net = machine.compiled.net;
        self.candidates.clear();
        let mut total = 0;
        let count = self.changed_places.len();
        let first_place = random_below(rng, count.max(1));
        for offset in 0..count.min(MAX_INSPECTED) {
            let place = self.changed_places[(first_place + offset) % count];
            let id = PlaceId::new(place as usize);
            let has_more_tokens = self.differences[place as usize] > 0;
            let arcs = if has_more_tokens { net.consumers(id) } else { net.producers(id) };
            let first_arc = random_below(rng, arcs.len().max(1));
            for offset in 0..arcs.len().min(MAX_INSPECTED) {
                let transition = arcs[(first_arc + offset) % arcs.len()].transition;
                let class = net.effect_of(transition).index() as u32;
                if !machine.is_enabled(class) || machine.is_without_effect(class) {
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
            return (!enabled.is_empty()).then(|| enabled.nth(random_below(rng, enabled.len())));
        }
        let mut drawn = random_below(rng, total as usize) as u32;
        let chosen = self.candidates.iter().find(|&&(_, weight)| {
            let is_chosen = drawn < weight;
            drawn = drawn.saturating_sub(weight);
            is_chosen
        });
        chosen.map(|&(class, _)| class)
    }

    /// Returns the number of places whose tokens get nearer to the base marking when the class
    /// fires, minus the number that get farther away.
    fn gain(&self, machine: &WatchedMarking<'_>, class: u32) -> i64 {
        let mut gain = 0;
        for change in machine.compiled.changes_of(class) {
            if let Some(&moved) = self.differences.get(change.cell as usize) {
                let new_difference = moved.saturating_add(change.delta);
                gain +=
                    moved.saturating_abs().saturating_sub(new_difference.saturating_abs()).signum();
            }
        }
        gain
    }
}
