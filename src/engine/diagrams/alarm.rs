//! A moment at which what is computed at present ends, though there is time for more after it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// No moment.
const NEVER: u64 = u64::MAX;

/// See the module.
#[derive(Debug)]
pub(super) struct Alarm {
    begun: Instant,
    /// Nanoseconds after that.
    at: AtomicU64,
}

impl Alarm {
    /// It never rings.
    pub(super) fn new() -> Self {
        Alarm { begun: Instant::now(), at: AtomicU64::new(NEVER) }
    }

    /// It rings in so much time, and until it is set again; never without a time.
    pub(super) fn set(&self, time: Option<Duration>) {
        let at = time.and_then(|time| u64::try_from((self.begun.elapsed() + time).as_nanos()).ok());
        self.at.store(at.unwrap_or(NEVER), Ordering::Relaxed);
    }

    /// Whether the moment has come.
    pub(super) fn rings(&self) -> bool {
        let at = self.at.load(Ordering::Relaxed);
        at != NEVER && self.begun.elapsed().as_nanos() >= u128::from(at)
    }
}
