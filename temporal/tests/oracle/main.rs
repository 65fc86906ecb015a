//! Tests of this crate against the two simple evaluators, on random formulas, words and graphs.
//!
//! `PARIKH_SCALE=30` runs 30 times as many cases as usual. Cases are numbered from the same seed,
//! so a larger scale starts with the usual cases.

mod checking;
mod evaluators;
mod random;
mod rewriting;
mod simplification;
mod translation;
mod values;

/// Returns the number of cases, scaled by PARIKH_SCALE.
fn scaled(usual: u64) -> u64 {
    let Ok(text) = std::env::var("PARIKH_SCALE") else { return usual };
    match text.parse::<u64>() {
        Ok(scale) if scale > 0 => usual.saturating_mul(scale),
        _ => panic!("PARIKH_SCALE={text}: expected a whole number, at least 1"),
    }
}
