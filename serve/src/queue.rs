//! A queue with a limited number of places, in front of a limited number of workers.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// A queue with a limited number of slots, in front of a limited number of workers.
#[derive(Clone)]
pub(super) struct JobQueue {
    workers: Arc<Semaphore>,
    occupied: Arc<AtomicUsize>,
    slots: usize,
}

/// A slot of the queue. It stays occupied until it is dropped, also while its job runs.
pub(super) struct QueueSlot(JobQueue);

/// All slots of the queue are occupied.
#[derive(Debug, thiserror::Error)]
#[error("{0} jobs are waiting already: try again when some are done, or cancel one")]
pub(super) struct QueueIsFull(usize);

impl JobQueue {
    /// Returns a queue with `waiting` slots for jobs that wait, besides those of jobs that run.
    pub(super) fn new(workers: usize, waiting: usize) -> Self {
        let workers = workers.max(1);
        JobQueue {
            workers: Arc::new(Semaphore::new(workers)),
            occupied: Arc::default(),
            slots: waiting + workers,
        }
    }

    /// Takes a slot.
    ///
    /// # Errors
    /// All slots are occupied.
    pub(super) fn enter(&self) -> Result<QueueSlot, QueueIsFull> {
        let take = |occupied: usize| (occupied < self.slots).then_some(occupied + 1);
        match self.occupied.fetch_update(Ordering::SeqCst, Ordering::SeqCst, take) {
            Ok(_) => Ok(QueueSlot(self.clone())),
            Err(occupied) => Err(QueueIsFull(occupied)),
        }
    }
}

impl QueueSlot {
    /// Waits for a worker. The worker is free again when the result is dropped. Jobs start in the
    /// order of their arrival. Returns `None` if the server ends.
    pub(super) async fn start(&self) -> Option<OwnedSemaphorePermit> {
        self.0.workers.clone().acquire_owned().await.ok()
    }
}

impl Drop for QueueSlot {
    fn drop(&mut self) {
        self.0.occupied.fetch_sub(1, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_queue_refuses_until_a_slot_is_free() {
        let queue = JobQueue::new(1, 1);
        let first = queue.enter().unwrap();
        let _second = queue.enter().unwrap();
        assert!(queue.enter().is_err());
        drop(first);
        assert!(queue.enter().is_ok());
    }
}
