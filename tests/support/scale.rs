//! How much is tried: `PARIKH_SCALE=30 cargo test` tries 30 times as many random cases as usual, in
//! every test that draws any. It is the only variable that tests ask for, and it changes nothing
//! else.
//!
//! Usual numbers are for every day: all tests within four minutes on two cores. Cases are numbered
//! from the same seed, so a larger scale goes through the usual ones first.

use proptest::test_runner::{Config, RngSeed};

/// The factor, 1 unless said otherwise.
pub(crate) fn scale() -> u64 {
    let Ok(text) = std::env::var("PARIKH_SCALE") else { return 1 };
    match text.parse() {
        Ok(scale) if scale > 0 => scale,
        _ => panic!("PARIKH_SCALE={text}: expected a whole number, at least 1"),
    }
}

/// So many cases on usual days.
pub(crate) fn scaled(usual: u64) -> u64 {
    usual.saturating_mul(scale())
}

/// So many cases of a property on usual days, the same in every run.
pub(crate) fn cases(usual: u32) -> Config {
    Config {
        cases: scaled(usual.into()).try_into().unwrap_or(u32::MAX),
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..Config::default()
    }
}
