//! The end of an exploration of all reachable markings: errors, and explorations that cannot be
//! complete in time.

use super::memory::OutOfMemory;
use super::space::SpaceError;
use parikh_solvers::Budget;
use parikh_solvers::budget::ExhaustionReason as Spent;
use std::collections::TryReserveError;
use std::time::{Duration, Instant};

/// Number of sequential expansions after which the budget is checked at the latest.
pub(super) const POLLING_INTERVAL: u32 = 64;

/// The reason why the reachable markings were not explored completely.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExplorationError {
    /// The budget is exhausted.
    #[error(transparent)]
    BudgetExhausted(#[from] Spent),
    /// No memory for another marking (own limit or limit of the process), or almost 2³² markings.
    #[error("no memory for another marking")]
    Full,
    /// A place would get 2⁶³ tokens or more.
    #[error("a place would hold 2^63 tokens or more")]
    TooManyTokens,
    /// The markings found so far cannot all be expanded in the time left.
    #[error("too many markings for the time left")]
    TooSlow,
}

/// The rule for the end of an exploration that does not visit all markings in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopRule {
    /// The exploration ends when its budget is used up.
    AtBudgetEnd,
    /// The exploration ends as soon as the markings found so far cannot be expanded in the time
    /// left, because other work needs the threads.
    WhenTooSlow,
}

/// A test if an exploration can still be complete in time.
pub(super) struct ProgressTest {
    stop_rule: StopRule,
    start: Instant,
}

impl ProgressTest {
    /// Time from the start to the first test. The mean rate varies much at the beginning.
    const FIRST_TEST: Duration = Duration::from_secs(2);

    pub(super) fn new(stop_rule: StopRule) -> Self {
        ProgressTest { stop_rule, start: Instant::now() }
    }

    /// Returns a test with the same rule for an exploration that starts now.
    pub(super) fn restarted(&self) -> Self {
        ProgressTest::new(self.stop_rule)
    }

    /// Returns [`ExplorationError::TooSlow`] if the time left does not suffice for the markings
    /// that are found and not expanded, at the mean rate so far. Expanding them can only add work,
    /// because it may find more markings.
    pub(super) fn check(
        &self,
        expanded: u64,
        found: u64,
        budget: &Budget,
    ) -> Result<(), ExplorationError> {
        let elapsed = self.start.elapsed();
        if self.stop_rule == StopRule::AtBudgetEnd || elapsed < Self::FIRST_TEST {
            return Ok(());
        }
        let needed = elapsed.mul_f64((found - expanded) as f64 / expanded.max(1) as f64);
        match budget.remaining() {
            Some(left) if needed > left => Err(ExplorationError::TooSlow),
            _ => Ok(()),
        }
    }
}

impl From<OutOfMemory> for ExplorationError {
    fn from(_: OutOfMemory) -> Self {
        ExplorationError::Full
    }
}

impl From<TryReserveError> for ExplorationError {
    fn from(_: TryReserveError) -> Self {
        ExplorationError::Full
    }
}

impl From<SpaceError> for ExplorationError {
    fn from(error: SpaceError) -> Self {
        match error {
            SpaceError::Full => ExplorationError::Full,
            SpaceError::Unpackable => ExplorationError::TooManyTokens,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exploration_ends_when_the_markings_found_need_more_time_than_is_left() {
        let begun_before = |seconds, stop_rule| ProgressTest {
            stop_rule,
            start: Instant::now().checked_sub(Duration::from_secs(seconds)).unwrap(),
        };
        let second = Budget::lasting(Duration::from_secs(1));
        let test = begun_before(10, StopRule::WhenTooSlow);
        // At 100 markings per second, 900 markings need nine seconds.
        assert_eq!(test.check(1000, 1900, &second), Err(ExplorationError::TooSlow));
        assert_eq!(test.check(1000, 1050, &second), Ok(()));
        assert_eq!(test.check(1000, 1900, &Budget::unlimited()), Ok(()));
        let early = begun_before(1, StopRule::WhenTooSlow);
        assert_eq!(early.check(1000, 9000, &second), Ok(()));
        let patient = begun_before(10, StopRule::AtBudgetEnd);
        assert_eq!(patient.check(1000, 1900, &second), Ok(()));
    }
}
