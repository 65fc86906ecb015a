//! A deadline for the current computation that is earlier than the end of the budget.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The value of a deadline in nanoseconds if there is no deadline.
const NEVER: u64 = u64::MAX;

/// A deadline that can be changed while threads read it.
#[derive(Debug)]
pub(super) struct DiagramDeadline {
    /// The time from which the deadline counts.
    begun: Instant,
    /// The deadline in nanoseconds after `begun`.
    at: AtomicU64,
}

/// A deadline that [`DiagramDeadline::bring_forward`] replaced, in nanoseconds.
pub(super) struct PreviousDeadline(u64);

impl DiagramDeadline {
    /// Creates a clock without a deadline.
    pub(super) fn new() -> Self {
        DiagramDeadline { begun: Instant::now(), at: AtomicU64::new(NEVER) }
    }

    /// Sets the deadline to `time` from now, or removes it for `None`.
    pub(super) fn set(&self, time: Option<Duration>) {
        let deadline =
            time.and_then(|time| u64::try_from((self.begun.elapsed() + time).as_nanos()).ok());
        self.at.store(deadline.unwrap_or(NEVER), Ordering::Relaxed);
    }

    /// Moves the deadline to `share` (0 to 1) of the remaining time. Returns the previous deadline
    /// for [`put_back`](Self::put_back). Does nothing if there is no deadline.
    pub(super) fn bring_forward(&self, share: f64) -> PreviousDeadline {
        let previous = self.at.load(Ordering::Relaxed);
        let now = self.begun.elapsed().as_nanos() as u64;
        if previous != NEVER {
            let shortened = previous.saturating_sub(now) as f64 * share;
            self.at.store(now.saturating_add(shortened as u64), Ordering::Relaxed);
        }
        PreviousDeadline(previous)
    }

    /// Restores an earlier deadline.
    pub(super) fn put_back(&self, previous: PreviousDeadline) {
        self.at.store(previous.0, Ordering::Relaxed);
    }

    /// Returns true if the deadline has passed.
    pub(super) fn rings(&self) -> bool {
        let deadline = self.at.load(Ordering::Relaxed);
        deadline != NEVER && self.begun.elapsed().as_nanos() >= u128::from(deadline)
    }
}
