//! Parallel cycles, with any number of markings, known as a product.

use super::answers::{Answers, KnownCount, KnownNet};
use super::sketch::Sketch;

/// Makes `count` cycles of `length` places with one token each. If `are_coupled`, the step that
/// closes cycle i reads the first place of cycle i + 1, so that the cycles are not independent; the
/// last cycle is free.
///
/// ```text
/// place p_i_0 1    place p_i_1    …
/// transition t_i_j:    p_i_j -> p_i_{j+1}
/// transition t_i_last: p_i_last + p_{i+1}_0 -> p_i_0 + p_{i+1}_0
/// ```
///
/// # Known answers
/// One-safe, live, no deadlock, length^count markings: the initial marking reaches each of them
/// without closing a cycle. Firings: independent count·length^count; coupled, every cycle but the
/// last has (length − 1)·length^(count−1) + length^(count−2), the last one length^count. Every
/// marking has `count` tokens.
///
/// # Panics
/// Without cycles, or when they have fewer than two places.
pub fn cycles(count: u32, length: u32, are_coupled: bool) -> KnownNet {
    assert!(count >= 1 && length >= 2, "at least one cycle of two places");
    let kind = if are_coupled { "coupled" } else { "free" };
    let mut sketch = Sketch::new(format!("cycles-{count}x{length}-{kind}"));
    let mut places = Vec::new();
    for i in 0..count {
        let cycle: Vec<_> =
            (0..length).map(|j| sketch.place(&format!("p_{i}_{j}"), u32::from(j == 0))).collect();
        places.push(cycle);
    }
    for (i, cycle) in places.iter().enumerate() {
        for (j, &from) in cycle.iter().enumerate() {
            let to = cycle[(j + 1) % cycle.len()];
            let (mut inputs, mut outputs) = (vec![(from, 1)], vec![(to, 1)]);
            if are_coupled && j + 1 == cycle.len() && i + 1 < places.len() {
                let gate = places[i + 1][0];
                inputs.push((gate, 1));
                outputs.push((gate, 1));
            }
            sketch.transition(&format!("t_{i}_{j}"), &inputs, &outputs);
        }
    }
    let states = KnownCount::power(length, count);
    let firings = if are_coupled && count >= 2 {
        let not_closing = KnownCount::power(length, count - 1).times(u128::from(length - 1));
        let closing = KnownCount::power(length, count - 2);
        not_closing.plus(closing).times(u128::from(count - 1)).plus(states)
    } else {
        states.times(count.into())
    };
    let known = Answers {
        states,
        firings,
        max_in_place: Some(1),
        max_in_marking: Some(count.into()),
        has_deadlock: false,
        is_quasi_live: true,
        is_live: true,
        has_stable_place: false,
    };
    KnownNet { net: sketch.build(), known }
}
