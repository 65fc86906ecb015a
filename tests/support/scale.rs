//! The number of random cases: `PARIKH_SCALE=30 cargo test` runs 30 times as many cases as usual,
//! in every randomised test. Tests read no other environment variable.
//!
//! The usual numbers are for daily use: all tests take less than four minutes on two cores. Cases
//! are numbered from a fixed seed, so a larger scale runs the usual cases first.

use proptest::test_runner::{Config, RngSeed};

/// Returns the factor, 1 by default.
pub(crate) fn scale() -> u64 {
    let Ok(text) = std::env::var("PARIKH_SCALE") else { return 1 };
    match text.parse() {
        Ok(scale) if scale > 0 => scale,
        _ => panic!("PARIKH_SCALE={text}: expected a whole number, at least 1"),
    }
}

/// Returns the number of cases at the current scale.
pub(crate) fn scaled(usual: u64) -> u64 {
    usual.saturating_mul(scale())
}

/// Returns the configuration of a property test with a fixed seed. `usual` is the number of cases
/// at scale 1.
pub(crate) fn cases(usual: u32) -> Config {
    Config {
        cases: scaled(usual.into()).try_into().unwrap_or(u32::MAX),
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..Config::default()
    }
}
