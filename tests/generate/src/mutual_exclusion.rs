//! Mutual exclusion by a lock with several permits.

use super::answers::{Answers, KnownCount, KnownNet, choose};
use super::sketch::Sketch;

/// Makes `processes` processes that share a lock of `permits` permits.
///
/// ```text
/// place lock K    place idle 1    place wait    place critical    # the last three per process
/// transition request: idle -> wait
/// transition enter:   wait + lock -> critical
/// transition leave:   critical -> idle + lock
/// ```
///
/// # Known answers
/// Let n be the number of processes and k that of permits. At most k processes are critical.
/// Markings: Σ_{j ≤ min(k, n)} C(n, j)·2ⁿ⁻ʲ, j being critical and the
/// others idle or waiting. Without a permit the only deadlock is that all wait, no `enter` or
/// `leave` ever fires, and the lock is stable (as `critical` is); else live. The most tokens on a
/// place max(1, k), in a marking n + k.
///
/// # Panics
/// Without processes.
pub fn mutual_exclusion(processes: u32, permits: u32) -> KnownNet {
    assert!(processes >= 1, "a lock needs a process");
    let mut sketch = Sketch::new(format!("mutual-exclusion-{processes}-{permits}"));
    let lock = sketch.place("lock", permits);
    for i in 0..processes {
        let idle = sketch.place(&format!("idle_{i}"), 1);
        let wait = sketch.place(&format!("wait_{i}"), 0);
        let critical = sketch.place(&format!("critical_{i}"), 0);
        sketch.transition(&format!("request_{i}"), &[(idle, 1)], &[(wait, 1)]);
        sketch.transition(&format!("enter_{i}"), &[(wait, 1), (lock, 1)], &[(critical, 1)]);
        sketch.transition(&format!("leave_{i}"), &[(critical, 1)], &[(idle, 1), (lock, 1)]);
    }
    let n = processes;
    let mut states = KnownCount::Exactly(0);
    let mut firings = KnownCount::Exactly(0);
    for j in 0..=permits.min(n) {
        let critical = choose(n.into(), j.into());
        let others = n - j;
        let markings = product(critical, KnownCount::power(2, others));
        states = states.plus(markings);
        // Every critical process may leave. Every other process may request or, with a permit left,
        // enter: over all markings with this j, half of the others are idle and half waiting.
        firings = firings.plus(markings.times(j.into()));
        if others > 0 {
            let half = product(critical, KnownCount::power(2, others - 1)).times(others.into());
            firings = firings.plus(half);
            if j < permits {
                firings = firings.plus(half);
            }
        }
    }
    let known = Answers {
        states,
        firings,
        max_in_place: Some(u64::from(permits.max(1))),
        max_in_marking: Some(u64::from(n) + u64::from(permits)),
        has_deadlock: permits == 0,
        is_quasi_live: permits > 0,
        is_live: permits > 0,
        has_stable_place: permits == 0,
    };
    KnownNet { net: sketch.build(), known }
}

fn product(a: KnownCount, b: KnownCount) -> KnownCount {
    match b {
        KnownCount::Exactly(factor) => a.times(factor),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_permit_excludes_and_none_blocks() {
        let one = mutual_exclusion(3, 1).known;
        assert_eq!(one.states, KnownCount::Exactly(8 + 3 * 4));
        assert!(one.one_safe() && one.is_live && !one.has_deadlock);
        let none = mutual_exclusion(3, 0).known;
        assert_eq!(none.states, KnownCount::Exactly(8));
        assert!(none.has_deadlock && !none.is_quasi_live);
        assert!(!mutual_exclusion(3, 2).known.one_safe());
    }
}
