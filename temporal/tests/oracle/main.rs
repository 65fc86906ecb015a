//! Everything of this crate against the two simple evaluators, on random formulas, words and
//! graphs.
//!
//! `PARIKH_SCALE=30` tries 30 times as many cases as usual. Cases are numbered from the same seed,
//! so a larger scale goes through the usual ones first.

mod checking;
mod evaluators;
mod random;
mod rewriting;
mod simplification;
mod stutter;
mod translation;
mod values;

/// How many times as many cases as usual.
fn scaled(usual: u64) -> u64 {
    let Ok(text) = std::env::var("PARIKH_SCALE") else { return usual };
    match text.parse::<u64>() {
        Ok(scale) if scale > 0 => usual.saturating_mul(scale),
        _ => panic!("PARIKH_SCALE={text}: expected a whole number, at least 1"),
    }
}
