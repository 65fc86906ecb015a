//! Firing a transition many times at once.
//!
//! In a net with 4·10⁹ tokens on a place, what is behind the last of them is out of reach for a
//! walker that moves them one by one. A transition that may repeat is therefore fired, some of the
//! time, a whole run at once: as often as it can, half as often, a random number of times, or just
//! as often as it takes until *something happens*: until the first of its cells leaves the interval
//! in which no transition and no goal depends on it. The markings in between are passed by; the
//! last choice is the one that misses nothing but values.
//!
//! In safe nets nothing repeats. The walker notices that its attempts are in vain and makes fewer.

use super::compiled::Change;
use super::machine::{Machine, below};
use fastrand::Rng;
use parikh_net::{PlaceId, TransitionId};

/// No run is longer: it would not fit the journal.
const LONGEST: i64 = 1 << 39;
/// A transition that takes nothing for good could repeat for ever; it does at most this often.
const LONGEST_FREE: i64 = 1 << 20;
/// After this many attempts their success is judged.
const TRIAL: u32 = 4096;

/// How often runs are tried, and how that has worked.
pub(super) struct Acceleration {
    /// Of 256 firings, how many try for a run.
    chance: u32,
    tried: u32,
    gained: u32,
}

impl Acceleration {
    /// For a net as it is initially: tried often where there are many tokens.
    pub(super) fn new(machine: &Machine<'_>) -> Self {
        let largest = machine.tokens().max().unwrap_or(0);
        let chance = if largest > 1 { 64 } else { 8 };
        Acceleration { chance, tried: 0, gained: 0 }
    }

    /// Sets the chance, of 256.
    pub(super) fn set_chance(&mut self, chance: u32) {
        *self = Acceleration { chance, tried: 0, gained: 0 };
    }

    /// Whether runs are tried at all.
    #[inline]
    pub(super) fn is_on(&self) -> bool {
        self.chance > 0
    }

    /// How often to fire now, at least once.
    #[inline]
    pub(super) fn count(
        &mut self,
        machine: &Machine<'_>,
        class: u32,
        transition: u32,
        rng: &mut Rng,
    ) -> u64 {
        if below(rng, 256) >= self.chance as usize {
            return 1;
        }
        self.try_count(machine, class, transition, rng)
    }

    fn try_count(
        &mut self,
        machine: &Machine<'_>,
        class: u32,
        transition: u32,
        rng: &mut Rng,
    ) -> u64 {
        let most = most(machine, class, transition);
        self.tried += 1;
        self.gained += u32::from(most > 1);
        if self.tried >= TRIAL {
            if self.gained * 64 < self.tried {
                self.chance /= 4;
            }
            (self.tried, self.gained) = (0, 0);
        }
        if most <= 1 {
            return 1;
        }
        let count = match below(rng, 4) {
            0 => most,
            1 => most / 2,
            2 => 1 + ((u128::from(rng.u64(..)) * most as u128) >> 64) as i64,
            _ => until_something_happens(machine, class).min(most),
        };
        count.max(1) as u64
    }
}

/// How often a transition that is enabled can fire in a row, within bounds.
pub(super) fn most(machine: &Machine<'_>, class: u32, transition: u32) -> i64 {
    let net = machine.compiled.net;
    let mut most = LONGEST;
    let mut free = true;
    for &Change { cell, delta } in machine.compiled.changes_of(class) {
        let value = machine.value(cell);
        let is_place = (cell as usize) < machine.compiled.places;
        let times = if delta > 0 {
            (i64::MAX - value.max(0)) / delta
        } else if is_place {
            free = false;
            let place = PlaceId::new(cell as usize);
            let weight = net.pre_weight(TransitionId::new(transition as usize), place) as i64;
            // The last firing needs `weight` too.
            (value - weight) / -delta.max(-i64::MAX) + 1
        } else {
            (value.min(0) - i64::MIN.saturating_add(1))
                .checked_div(-delta.max(-i64::MAX))
                .unwrap_or(1)
        };
        most = most.min(times);
    }
    if free { most.min(LONGEST_FREE) } else { most }
}

/// How many firings until one of the class's cells leaves its interval.
fn until_something_happens(machine: &Machine<'_>, class: u32) -> i64 {
    let mut soonest = LONGEST;
    for &Change { cell, delta } in machine.compiled.changes_of(class) {
        let value = i128::from(machine.value(cell));
        let (low, high) = machine.interval(cell);
        let delta = i128::from(delta);
        let times = if delta > 0 {
            (i128::from(high) - value + delta - 1) / delta
        } else {
            (value - i128::from(low)) / -delta + 1
        };
        soonest = soonest.min(i64::try_from(times).unwrap_or(LONGEST));
    }
    soonest.max(1)
}
