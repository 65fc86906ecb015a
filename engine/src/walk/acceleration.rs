//! Acceleration: firing a transition many times in one step.
//!
//! In a net with 4·10⁹ tokens on a place, a walk that moves them one by one never gets far. So a
//! transition that can repeat is sometimes fired many times in one step. The count is the largest
//! possible, half of it, random, or the smallest count with an effect. The latter is the number of
//! firings until some changed cell leaves the interval in which no transition and no goal depends
//! on its value. The walk does not visit the markings in between. The last kind of count skips no
//! change of enabledness and no atom.
//!
//! In safe nets nothing repeats. The walker measures the success rate and reduces the number of
//! attempts.

use super::compiled::CompiledChange;
use super::machine::{WatchedMarking, random_below};
use fastrand::Rng;
use parikh_net::{PlaceId, TransitionId};

/// Limit on the number of firings in one accelerated step, so that the number fits in the journal.
const MAX_COUNT: i64 = 1 << 39;
/// Limit on the number of firings in one accelerated step if the transition decreases no place, so
/// that it could fire forever.
const MAX_FREE_COUNT: i64 = 1 << 20;
/// Number of attempted accelerations between two evaluations of the success rate. If few attempts
/// succeed, the chance of further attempts is reduced.
const ATTEMPTS_PER_EVALUATION: u32 = 4096;

/// Acceleration, that is, many firings of one transition in one step: the chance of attempts, and
/// their success rate.
#[derive(Clone, Copy)]
pub(super) struct Acceleration {
    /// Chance of attempting acceleration, in 256ths.
    chance: u32,
    /// Number of attempts since the last evaluation of the success rate.
    attempts: u32,
    /// Number of attempts since the last evaluation in which the transition could fire more than
    /// once.
    successes: u32,
}

impl Acceleration {
    /// Creates the state with a chance of 64/256 if some place has several tokens in the machine's
    /// current marking, and of 8/256 otherwise.
    pub(super) fn new(machine: &WatchedMarking<'_>) -> Self {
        let largest = machine.tokens().max().unwrap_or(0);
        let chance = if largest > 1 { 64 } else { 8 };
        Acceleration { chance, attempts: 0, successes: 0 }
    }

    /// Sets the chance, in 256ths, and restarts the measurement of the success rate.
    pub(super) fn set_chance(&mut self, chance: u32) {
        *self = Acceleration { chance, attempts: 0, successes: 0 };
    }

    /// Returns false if the chance of acceleration is 0, so that every step is a single firing.
    #[inline]
    pub(super) fn is_on(&self) -> bool {
        self.chance > 0
    }

    /// Returns the number of firings for this step, at least 1. The number is larger than 1 only if
    /// acceleration is attempted at random and the transition can fire more than once.
    #[inline]
    pub(super) fn count(
        &mut self,
        machine: &WatchedMarking<'_>,
        class: u32,
        transition: u32,
        rng: &mut Rng,
    ) -> u64 {
        if random_below(rng, 256) >= self.chance as usize {
            return 1;
        }
        self.choose_count(machine, class, transition, rng)
    }

    /// Returns the number of firings of an accelerated step, and updates the success rate.
    fn choose_count(
        &mut self,
        machine: &WatchedMarking<'_>,
        class: u32,
        transition: u32,
        rng: &mut Rng,
    ) -> u64 {
        let max_count = max_repetitions(machine, class, transition);
        self.attempts += 1;
        self.successes += u32::from(max_count > 1);
        if self.attempts >= ATTEMPTS_PER_EVALUATION {
            if self.successes * 64 < self.attempts {
                self.chance /= 4;
            }
            (self.attempts, self.successes) = (0, 0);
        }
        if max_count <= 1 {
            return 1;
        }
        let count = match random_below(rng, 4) {
            0 => max_count,
            1 => max_count / 2,
            2 => 1 + ((u128::from(rng.u64(..)) * max_count as u128) >> 64) as i64,
            _ => firings_until_change(machine, class).min(max_count),
        };
        count.max(1) as u64
    }
}

/// Returns the number of times that an enabled transition can fire in succession without an
/// overflow of a cell. The number is at most [`MAX_COUNT`], or [`MAX_FREE_COUNT`] if the transition
/// decreases no place.
pub(super) fn max_repetitions(machine: &WatchedMarking<'_>, class: u32, transition: u32) -> i64 {
    let net = machine.compiled.net;
    let mut max_count = MAX_COUNT;
    let mut decreases_no_place = true;
    for &CompiledChange { cell, delta } in machine.compiled.changes_of(class) {
        let value = machine.value(cell);
        let is_place = (cell as usize) < machine.compiled.place_count;
        let times = if delta > 0 {
            (i64::MAX - value.max(0)) / delta
        } else if is_place {
            decreases_no_place = false;
            let place = PlaceId::new(cell as usize);
            let weight = net.pre_weight(TransitionId::new(transition as usize), place) as i64;
            // The last firing also needs `weight` tokens.
            (value - weight) / -delta.max(-i64::MAX) + 1
        } else {
            (value.min(0) - i64::MIN.saturating_add(1))
                .checked_div(-delta.max(-i64::MAX))
                .unwrap_or(1)
        };
        max_count = max_count.min(times);
    }
    if decreases_no_place { max_count.min(MAX_FREE_COUNT) } else { max_count }
}

/// Returns the number of firings after which some cell, that is, a token count or a watched sum,
/// leaves its interval. As long as the cell stays in its interval, its changes affect neither the
/// enabledness of a transition nor the truth of a goal. The number is at least 1 and at most
/// [`MAX_COUNT`].
fn firings_until_change(machine: &WatchedMarking<'_>, class: u32) -> i64 {
    let mut smallest_count = MAX_COUNT;
    for &CompiledChange { cell, delta } in machine.compiled.changes_of(class) {
        let value = i128::from(machine.value(cell));
        let (low, high) = machine.interval(cell);
        let delta = i128::from(delta);
        let times = if delta > 0 {
            (i128::from(high) - value + delta - 1) / delta
        } else {
            (value - i128::from(low)) / -delta + 1
        };
        smallest_count = smallest_count.min(i64::try_from(times).unwrap_or(MAX_COUNT));
    }
    smallest_count.max(1)
}
