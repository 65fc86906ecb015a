//! The number of threads that try orders of places, which may grow while they work.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The number of threads on which orders of places are tried. The number may grow during the tries.
/// Clones share the number.
#[derive(Clone, Debug)]
pub struct OrderThreads {
    /// Number of threads at the moment, at least 1.
    count: Arc<AtomicUsize>,
    /// Largest number of threads.
    max: usize,
}

impl OrderThreads {
    /// Interval in which a thread that may work later looks at the number of threads.
    const POLL_INTERVAL: Duration = Duration::from_millis(2);

    /// Creates a number of threads that does not grow, at least 1.
    pub fn new(count: usize) -> Self {
        OrderThreads::growing(count, count)
    }

    /// Creates a number of threads that may grow to `max`.
    pub fn growing(count: usize, max: usize) -> Self {
        let count = count.max(1);
        OrderThreads { count: Arc::new(AtomicUsize::new(count)), max: max.max(count) }
    }

    /// Returns the number of threads at the moment.
    pub(super) fn current(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    /// Returns the largest number of threads.
    pub(super) fn max(&self) -> usize {
        self.max
    }

    /// Raises the number of threads to the largest number.
    pub fn use_all(&self) {
        self.count.store(self.max, Ordering::Relaxed);
    }

    /// Waits until the thread with this index may work, and returns true. Returns false as soon as
    /// `is_over` does.
    pub(super) fn wait_for(&self, thread: usize, is_over: &dyn Fn() -> bool) -> bool {
        while self.current() <= thread {
            if is_over() {
                return false;
            }
            std::thread::sleep(Self::POLL_INTERVAL);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::{TryLog, explore_logged};
    use super::*;
    use parikh_solvers::Budget;

    #[test]
    fn threads_that_join_later_wait_until_they_are_wanted_or_the_tries_are_over() {
        let threads = OrderThreads::growing(1, 2);
        assert!(threads.wait_for(0, &|| false));
        assert!(!threads.wait_for(1, &|| true));
        let other = threads.clone();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| threads.wait_for(1, &|| false));
            other.use_all();
            assert!(waiting.join().unwrap());
        });
        // The thread that waits ends with the tries.
        let net = parikh_net::text::parse("place p 3\nplace q\ntransition t: p -> q").unwrap();
        let threads = OrderThreads::growing(1, 4);
        let log = TryLog::default();
        let count = explore_logged(&net, &threads, &Budget::unlimited(), &log, |reached| {
            reached.diagrams.count(reached.set)
        });
        assert_eq!(count.unwrap(), 4u32.into());
    }
}
