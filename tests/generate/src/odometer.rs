//! Odometers, whose runs are long and consist of nested loops.

use super::answers::{Answers, KnownCount, KnownNet};
use super::sketch::Sketch;
use parikh_net::PlaceId;

/// Makes a counter with `digits` digits of base `base`. Each digit is a place with as many tokens
/// as its value, beside a place with the rest. A digit increases when all lower digits are full,
/// and empties them.
///
/// ```text
/// place units 0    place no_units 9    place tens 0    place no_tens 9
/// transition up_0: no_units -> units
/// transition up_1: 9*units + no_tens -> 9*no_units + tens
/// ```
///
/// # Known answers
/// The net counts from 0 to base^digits − 1 and stops: a single firing sequence, base^digits
/// markings, each with (base − 1) · digits tokens. Only the last marking is dead; every transition
/// fires.
///
/// # Panics
/// Without digits, and with a base below 2.
pub fn odometer(digits: u32, base: u32) -> KnownNet {
    let states = KnownCount::power(base, digits);
    let known = Answers {
        states,
        firings: states.exact().map(|states| states - 1).into(),
        max_in_place: Some(u64::from(base) - 1),
        max_in_marking: Some((u64::from(base) - 1) * u64::from(digits)),
        has_deadlock: true,
        is_quasi_live: true,
        is_live: false,
        has_stable_place: false,
    };
    KnownNet { net: net(digits, base), known }
}

/// Returns the net of [`odometer`] alone, for any number of markings.
///
/// # Panics
/// Without digits, or with a base below 2.
pub fn net(digits: u32, base: u32) -> parikh_net::Net {
    assert!(digits >= 1 && base >= 2, "at least one digit that counts");
    let full = base - 1;
    let mut sketch = Sketch::new(format!("odometer-{digits}-{base}"));
    let mut lower: Vec<(PlaceId, PlaceId)> = Vec::new();
    for digit in 0..digits {
        let tokens = sketch.place(&format!("digit_{digit}"), 0);
        let missing = sketch.place(&format!("no_digit_{digit}"), full);
        let mut inputs: Vec<(PlaceId, u32)> =
            lower.iter().map(|&(tokens, _)| (tokens, full)).collect();
        let mut outputs: Vec<(PlaceId, u32)> =
            lower.iter().map(|&(_, missing)| (missing, full)).collect();
        inputs.push((missing, 1));
        outputs.push((tokens, 1));
        sketch.transition(&format!("up_{digit}"), &inputs, &outputs);
        lower.push((tokens, missing));
    }
    sketch.build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_counts_up_to_the_end() {
        let net = odometer(2, 10).net;
        let mut marking = net.initial().clone();
        let mut firings = 0;
        while let Some(t) = net.transitions().find(|&t| net.is_enabled(&marking, t)) {
            net.fire(&mut marking, t).unwrap();
            firings += 1;
        }
        assert_eq!(firings, 99);
    }
}
