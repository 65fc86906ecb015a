//! A binary counter: one long path, the worst case for step-by-step search.

use super::answers::{Answers, KnownCount, KnownNet};
use super::sketch::Sketch;

/// Makes a counter of `bits` bits that counts from 0 to 2ⁿ − 1 and stops.
///
/// ```text
/// place zero_i 1    place one_i
/// transition carry_i: one_0 + … + one_{i-1} + zero_i -> zero_0 + … + zero_{i-1} + one_i
/// ```
///
/// # Known answers
/// One-safe. Exactly one transition is enabled in each marking but the last: 2ⁿ markings,
/// 2ⁿ − 1 firings, and the deadlock "all ones" is 2ⁿ − 1 firings away and no nearer. Quasi-live,
/// not live. Every marking has n tokens.
///
/// # Panics
/// Without bits.
pub fn binary_counter(bits: u32) -> KnownNet {
    assert!(bits >= 1, "at least one bit");
    let mut sketch = Sketch::new(format!("binary-counter-{bits}"));
    let places: Vec<_> = (0..bits)
        .map(|i| (sketch.place(&format!("zero_{i}"), 1), sketch.place(&format!("one_{i}"), 0)))
        .collect();
    for (i, &(zero, one)) in places.iter().enumerate() {
        let mut inputs: Vec<_> = places[..i].iter().map(|&(_, one)| (one, 1)).collect();
        let mut outputs: Vec<_> = places[..i].iter().map(|&(zero, _)| (zero, 1)).collect();
        inputs.push((zero, 1));
        outputs.push((one, 1));
        sketch.transition(&format!("carry_{i}"), &inputs, &outputs);
    }
    let states = KnownCount::power(2, bits);
    let known = Answers {
        states,
        firings: states.exact().map(|states| states - 1).into(),
        max_in_place: Some(1),
        max_in_marking: Some(bits.into()),
        has_deadlock: true,
        is_quasi_live: true,
        is_live: false,
        has_stable_place: false,
    };
    KnownNet { net: sketch.build(), known }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_counts_to_the_end_one_way_only() {
        let net = binary_counter(10).net;
        let mut marking = net.initial().clone();
        let mut firings = 0;
        loop {
            let enabled: Vec<_> =
                net.transitions().filter(|&t| net.is_enabled(&marking, t)).collect();
            let [only] = enabled[..] else {
                assert!(enabled.is_empty());
                break;
            };
            net.fire(&mut marking, only).unwrap();
            firings += 1;
        }
        assert_eq!(firings, 1_023);
    }
}
