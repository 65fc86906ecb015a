//! A producer and a consumer that share a buffer and move batches of items: weighted arcs.

use super::answers::{Answers, KnownCount, KnownNet};
use super::sketch::Sketch;

/// Makes a buffer of `capacity` slots; the producer fills `puts` slots at once, the consumer
/// empties `takes`.
///
/// ```text
/// place rest 1    place made       # producer
/// place idle 1    place busy       # consumer
/// place slots C   place items      # buffer: slots + items = C
/// transition make: rest -> made
/// transition put:  made + A*slots -> rest + A*items
/// transition take: idle + B*items -> busy + B*slots
/// transition use:  busy -> idle
/// ```
///
/// # Known answers
/// With g = gcd(A, B) the levels of the buffer are exactly the multiples of g up to C: adding A
/// where it fits and else removing B visits them all once C ≥ A + B − g. Every level goes with
/// every state of the two others (a busy consumer at a level above C − B comes from one at level
/// − A by `put`), so 4·L markings, L = ⌊C/g⌋ + 1. Firings: `make` and `use` 2L each, `put`
/// 2·(⌊(C−A)/g⌋ + 1), `take` 2·(L − B/g). Live, no deadlock: where A no longer fits there are at
/// least B. The most tokens on a place C, in every marking C + 2.
///
/// # Panics
/// When a batch is 0, or the capacity is less than both batches together.
pub fn producer_consumer(capacity: u32, puts: u32, takes: u32) -> KnownNet {
    assert!(puts > 0 && takes > 0, "a batch is at least one item");
    let both_batches = u64::from(puts) + u64::from(takes);
    assert!(u64::from(capacity) >= both_batches, "the buffer must hold both batches");
    let mut sketch = Sketch::new(format!("producer-consumer-{capacity}-{puts}-{takes}"));
    let rest = sketch.place("rest", 1);
    let made = sketch.place("made", 0);
    let idle = sketch.place("idle", 1);
    let busy = sketch.place("busy", 0);
    let slots = sketch.place("slots", capacity);
    let items = sketch.place("items", 0);
    sketch.transition("make", &[(rest, 1)], &[(made, 1)]);
    sketch.transition("put", &[(made, 1), (slots, puts)], &[(rest, 1), (items, puts)]);
    sketch.transition("take", &[(idle, 1), (items, takes)], &[(busy, 1), (slots, takes)]);
    sketch.transition("use", &[(busy, 1)], &[(idle, 1)]);

    let step = gcd(puts, takes);
    let levels = u128::from(capacity / step) + 1;
    let puttable = u128::from((capacity - puts) / step) + 1;
    let takeable = levels - u128::from(takes / step);
    let known = Answers {
        states: KnownCount::Exactly(4 * levels),
        firings: KnownCount::Exactly(4 * levels + 2 * puttable + 2 * takeable),
        most_in_place: Some(u64::from(capacity)),
        most_in_marking: Some(u64::from(capacity) + 2),
        deadlock: false,
        quasi_live: true,
        live: true,
        stable_place: false,
    };
    KnownNet { net: sketch.build(), known }
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_multiples_of_the_common_divisor() {
        assert_eq!(producer_consumer(13, 3, 6).known.states, KnownCount::Exactly(4 * 5));
        assert_eq!(producer_consumer(13, 3, 5).known.states, KnownCount::Exactly(4 * 14));
    }
}
