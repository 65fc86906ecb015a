//! Unbounded counters beside bounded switches.

use super::answers::{Answers, KnownCount, KnownNet};
use super::sketch::Sketch;

/// Makes `count` counters, each counting up while its switch is on and down while it is off.
///
/// ```text
/// place on 1    place off    place counter
/// transition up:   on -> on + counter
/// transition down: off + counter -> off
/// transition flip: on -> off
/// transition flop: off -> on
/// ```
///
/// # Known answers
/// Infinitely many markings: `counter` is unbounded, `on` and `off` hold at most one token. No
/// deadlock, live. Every marking with one token per switch is reachable.
///
/// # Panics
/// Without counters.
pub fn counters(count: u32) -> KnownNet {
    assert!(count >= 1, "at least one counter");
    let mut sketch = Sketch::new(format!("counters-{count}"));
    for i in 0..count {
        let on = sketch.place(&format!("on_{i}"), 1);
        let off = sketch.place(&format!("off_{i}"), 0);
        let counter = sketch.place(&format!("counter_{i}"), 0);
        sketch.transition(&format!("up_{i}"), &[(on, 1)], &[(on, 1), (counter, 1)]);
        sketch.transition(&format!("down_{i}"), &[(off, 1), (counter, 1)], &[(off, 1)]);
        sketch.transition(&format!("flip_{i}"), &[(on, 1)], &[(off, 1)]);
        sketch.transition(&format!("flop_{i}"), &[(off, 1)], &[(on, 1)]);
    }
    let known = Answers {
        states: KnownCount::Infinite,
        firings: KnownCount::Infinite,
        max_in_place: None,
        max_in_marking: None,
        has_deadlock: false,
        is_quasi_live: true,
        is_live: true,
        has_stable_place: false,
    };
    KnownNet { net: sketch.build(), known }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_counts_as_far_as_one_likes() {
        let net = counters(1).net;
        let mut marking = net.initial().clone();
        let up = net.transition_named("up_0").unwrap();
        for _ in 0..1_000 {
            net.fire(&mut marking, up).unwrap();
        }
        assert_eq!(marking.largest(), 1_000);
    }
}
