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

/// When an alarm would have rung.
pub(super) struct Later(u64);

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

    /// From now on it rings when this share of the time is over, in [0, 1], that there would have
    /// been; when that would have been comes back. Without a time it stays as it is.
    pub(super) fn bring_forward(&self, share: f64) -> Later {
        let later = self.at.load(Ordering::Relaxed);
        let now = self.begun.elapsed().as_nanos() as u64;
        if later != NEVER {
            let left = later.saturating_sub(now) as f64 * share;
            self.at.store(now.saturating_add(left as u64), Ordering::Relaxed);
        }
        Later(later)
    }

    /// It rings when it would have rung.
    pub(super) fn put_back(&self, later: Later) {
        self.at.store(later.0, Ordering::Relaxed);
    }

    /// Whether the moment has come.
    pub(super) fn rings(&self) -> bool {
        let at = self.at.load(Ordering::Relaxed);
        at != NEVER && self.begun.elapsed().as_nanos() >= u128::from(at)
    }
}
