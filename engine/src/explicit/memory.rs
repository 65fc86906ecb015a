//! Memory accounting for the tables of one set of markings.

use parikh_solvers::Budget;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The error of a set of markings that has no memory, or no number, for another marking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OutOfMemory;

/// The memory account of all tables of one set of markings, with a limit. Clones share the account.
#[derive(Clone)]
pub(crate) struct MemoryAccount {
    /// Number of bytes taken now.
    used_bytes: Arc<AtomicU64>,
    /// Largest number of bytes taken at any time.
    peak: Arc<AtomicU64>,
    /// Limit on the number of bytes taken at the same time.
    max_bytes: u64,
    /// The budget with the memory limit of the process.
    budget: Budget,
}

impl MemoryAccount {
    /// Creates an account with a limit of `max_bytes` bytes and the memory limit of `budget`.
    pub(crate) fn new(max_bytes: u64, budget: &Budget) -> Self {
        MemoryAccount {
            used_bytes: Arc::default(),
            peak: Arc::default(),
            max_bytes,
            budget: budget.clone(),
        }
    }

    #[cfg(test)]
    pub(crate) fn unlimited() -> Self {
        MemoryAccount::new(u64::MAX, &Budget::unlimited())
    }

    /// Returns the number of bytes taken now.
    pub(crate) fn used_bytes(&self) -> u64 {
        self.used_bytes.load(Relaxed)
    }

    /// Returns the largest number of bytes taken at any time.
    pub(crate) fn peak(&self) -> u64 {
        self.peak.load(Relaxed)
    }

    /// Takes `bytes` more bytes.
    ///
    /// # Errors
    /// Returns an error if the account's own limit or the memory limit of the process would be
    /// exceeded.
    pub(crate) fn take(&self, bytes: u64) -> Result<(), OutOfMemory> {
        let new_total = self.used_bytes().saturating_add(bytes);
        if new_total > self.max_bytes || bytes > self.budget.memory_left() {
            return Err(OutOfMemory);
        }
        self.used_bytes.store(new_total, Relaxed);
        self.peak.fetch_max(new_total, Relaxed);
        Ok(())
    }

    /// Takes the memory for `capacity` elements, and returns an empty vector of this capacity.
    ///
    /// # Errors
    /// Returns an error if memory is short. Then nothing is taken.
    pub(crate) fn allocate<T>(&self, capacity: usize) -> Result<Vec<T>, OutOfMemory> {
        let bytes = (capacity * size_of::<T>()) as u64;
        self.take(bytes)?;
        try_with_capacity(capacity).inspect_err(|_| self.give_back(bytes))
    }

    /// Gives `bytes` bytes back to the account.
    pub(crate) fn give_back(&self, bytes: u64) {
        self.used_bytes.fetch_sub(bytes, Relaxed);
    }
}

/// Returns an empty vector with the given capacity, or an error if the allocation fails.
pub(crate) fn try_with_capacity<T>(capacity: usize) -> Result<Vec<T>, OutOfMemory> {
    let mut vector = Vec::new();
    vector.try_reserve_exact(capacity).map_err(|_| OutOfMemory)?;
    Ok(vector)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_allocation_uses_no_memory() {
        let account = MemoryAccount::new(1 << 60, &Budget::unlimited());
        assert_eq!(account.allocate::<u64>(1 << 56), Err(OutOfMemory));
        assert_eq!(account.used_bytes(), 0);
        let numbers: Vec<u64> = account.allocate(100).unwrap();
        assert_eq!((numbers.capacity(), account.used_bytes()), (100, 800));
    }
}
