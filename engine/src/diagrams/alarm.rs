//! A deadline for the current computation that is earlier than the end of the budget.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The value of `nanoseconds` that means no deadline.
const NO_DEADLINE: u64 = u64::MAX;

/// A deadline that one thread can change while others read it.
#[derive(Debug)]
pub(super) struct DiagramDeadline {
    epoch: Instant,
    /// The deadline in nanoseconds after `epoch`.
    nanoseconds: AtomicU64,
}

/// A deadline that [`DiagramDeadline::shorten`] replaced, in nanoseconds since the same start, or
/// [`NO_DEADLINE`].
pub(super) struct PreviousDeadline(u64);

impl DiagramDeadline {
    /// Creates an object that has no deadline yet.
    pub(super) fn new() -> Self {
        DiagramDeadline { epoch: Instant::now(), nanoseconds: AtomicU64::new(NO_DEADLINE) }
    }

    /// Sets the deadline to `time` from now, or removes it for `None`.
    pub(super) fn set(&self, time: Option<Duration>) {
        let deadline =
            time.and_then(|time| u64::try_from((self.epoch.elapsed() + time).as_nanos()).ok());
        self.nanoseconds.store(deadline.unwrap_or(NO_DEADLINE), Ordering::Relaxed);
    }

    /// Moves the deadline to `share` (0 to 1) of the remaining time. Returns the previous deadline
    /// for [`restore`](Self::restore). Without a deadline, there is none afterwards either.
    pub(super) fn shorten(&self, share: f64) -> PreviousDeadline {
        let previous = self.nanoseconds.load(Ordering::Relaxed);
        let now = self.epoch.elapsed().as_nanos() as u64;
        if previous != NO_DEADLINE {
            let shortened = previous.saturating_sub(now) as f64 * share;
            self.nanoseconds.store(now.saturating_add(shortened as u64), Ordering::Relaxed);
        }
        PreviousDeadline(previous)
    }

    /// Restores the deadline that was replaced before.
    pub(super) fn restore(&self, previous: PreviousDeadline) {
        self.nanoseconds.store(previous.0, Ordering::Relaxed);
    }

    /// Returns true if there is a deadline and it has passed.
    pub(super) fn has_passed(&self) -> bool {
        let deadline = self.nanoseconds.load(Ordering::Relaxed);
        deadline != NO_DEADLINE && self.epoch.elapsed().as_nanos() >= u128::from(deadline)
    }
}
