//! The memory that the tables of one set of markings share.

use parikh_solvers::Budget;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// No room for another marking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Full;

/// What tables take, all of one set of markings together, and what they may take. Clones are the
/// same room.
#[derive(Clone)]
pub(crate) struct Room {
    taken: Arc<AtomicU64>,
    peak: Arc<AtomicU64>,
    ceiling: u64,
    budget: Budget,
}

impl Room {
    /// Of `ceiling` bytes, and of no more than `budget` has.
    pub(crate) fn new(ceiling: u64, budget: &Budget) -> Self {
        Room { taken: Arc::default(), peak: Arc::default(), ceiling, budget: budget.clone() }
    }

    #[cfg(test)]
    pub(crate) fn unlimited() -> Self {
        Room::new(u64::MAX, &Budget::unlimited())
    }

    /// Bytes taken.
    pub(crate) fn taken(&self) -> u64 {
        self.taken.load(Relaxed)
    }

    /// The most bytes that were ever taken.
    pub(crate) fn peak(&self) -> u64 {
        self.peak.load(Relaxed)
    }

    /// Takes so many bytes more.
    ///
    /// # Errors
    /// When they are more than there are.
    pub(crate) fn take(&self, bytes: u64) -> Result<(), Full> {
        let taken = self.taken().saturating_add(bytes);
        if taken > self.ceiling || bytes > self.budget.memory_left() {
            return Err(Full);
        }
        self.taken.store(taken, Relaxed);
        self.peak.fetch_max(taken, Relaxed);
        Ok(())
    }

    /// Gives back what was taken.
    pub(crate) fn give_back(&self, bytes: u64) {
        self.taken.fetch_sub(bytes, Relaxed);
    }
}

/// An empty vector with room for `capacity`, if there is.
pub(crate) fn reserved<T>(capacity: usize) -> Result<Vec<T>, Full> {
    let mut vector = Vec::new();
    vector.try_reserve_exact(capacity).map_err(|_| Full)?;
    Ok(vector)
}
