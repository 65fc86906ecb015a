//! A part of the set of visited markings: a sorted table with gaps, and the markings to expand.
//!
//! A marking is stored as its *remainder*, that is, its permuted word without the bits that select
//! the shard. The remainder also determines the first slot of the search, the *home*: the homes of
//! ascending remainders ascend. Remainders are stored in ascending order, at their homes or behind.
//! So a search ends at the first larger remainder, and a larger table is filled in one pass.
//! See Amble, Knuth, "Ordered hash tables", The Computer Journal 17, 1974; Cleary, "Compact hash
//! tables using bidirectional linear probing", IEEE Transactions on Computers 33, 1984 (for
//! remainders).
//!
//! New markings wait in a queue until they are expanded. A queue has room for [`MIN_QUEUE`]
//! markings, or for a sixteenth of the homes of its table, whichever is more. If it is full, a bit
//! in the slot shows that the marking waits, and the queue is refilled from the table later.

use super::super::memory::{OutOfMemory, try_with_capacity};
use parikh_solvers::Budget;
use std::hint::black_box;

/// Number of slots behind the last home.
const SPARE_SLOTS: usize = 64;

/// Number of homes of the smallest table.
const FIRST_HOMES: usize = if cfg!(debug_assertions) { 10 } else { 64 };

/// Limit on the number of markings in a queue while the table is small.
const MIN_QUEUE: usize = if cfg!(debug_assertions) { 3 } else { 256 };

/// Distance between a successor that is inserted and one that is prefetched.
const PREFETCH_DISTANCE: usize = 8;

/// A slot of a table: a remainder, and a bit that shows if the marking waits outside of the queue.
pub(super) trait MarkingSlot: Copy + Ord + Send + Sync {
    /// A slot without a marking, larger than all others.
    const EMPTY: Self;

    /// Largest number of bits of a remainder.
    const MAX_BITS: u32;

    /// Creates a slot from a remainder of at most [`MAX_BITS`](Self::MAX_BITS) bits.
    fn new(remainder: u64, waits: bool) -> Self;

    /// Returns the remainder. For an empty slot, returns a larger number than every remainder.
    fn remainder(self) -> u64;

    /// Returns true if the slot has a marking that waits outside of the queue.
    fn waits(self) -> bool;
}

macro_rules! slot {
    ($word:ty) => {
        impl MarkingSlot for $word {
            const EMPTY: Self = Self::MAX;
            const MAX_BITS: u32 = Self::BITS - 2;

            fn new(remainder: u64, waits: bool) -> Self {
                ((remainder as Self) << 1) | Self::from(waits)
            }

            fn remainder(self) -> u64 {
                u64::from(self >> 1)
            }

            fn waits(self) -> bool {
                self & 1 == 1 && self != Self::EMPTY
            }
        }
    };
}

slot!(u32);
slot!(u64);

/// A part of the set of visited markings. See the module documentation.
pub(super) struct MarkingShard<S> {
    /// The markings, ascending, with empty slots between them.
    slots: Vec<S>,
    /// Number of homes. The table has [`SPARE_SLOTS`] more slots.
    homes: usize,
    /// Number of bits of a remainder.
    remainder_bits: u32,
    /// Number of markings in the table.
    len: usize,
    /// Markings to expand.
    queue: Vec<S>,
    /// Limit on the number of markings in the queue, for which it has memory.
    max_queue: usize,
    /// Number of markings that wait outside of the queue.
    unqueued: usize,
    /// The remainder at which the next search for waiting markings begins.
    search_from: u64,
}

impl<S: MarkingSlot> MarkingShard<S> {
    /// Creates an empty part with index `index` of `shards` parts. Tables of different parts have
    /// different sizes, so that they do not grow all at once.
    pub(super) fn new(index: usize, shards: usize, remainder_bits: u32) -> Self {
        let homes = FIRST_HOMES + FIRST_HOMES * 2 * index / (5 * shards);
        MarkingShard {
            slots: vec![S::EMPTY; homes + SPARE_SLOTS],
            homes,
            remainder_bits,
            len: 0,
            queue: Vec::with_capacity(MIN_QUEUE),
            max_queue: MIN_QUEUE,
            unqueued: 0,
            search_from: 0,
        }
    }

    /// Returns the number of markings.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Returns the memory of the table and the queue, in bytes.
    pub(super) fn bytes(&self) -> usize {
        (self.slots.capacity() + self.queue.capacity()) * size_of::<S>()
    }

    /// Returns the number of markings in the queue.
    pub(super) fn queued(&self) -> usize {
        self.queue.len()
    }

    /// Returns the number of markings to expand.
    pub(super) fn waiting(&self) -> usize {
        self.queue.len() + self.unqueued
    }

    /// Takes the remainder of a marking out of the queue. Returns `None` if the queue is empty.
    pub(super) fn pop(&mut self) -> Option<u64> {
        self.queue.pop().map(S::remainder)
    }

    /// Moves waiting markings to the queue, if it is empty.
    pub(super) fn refill_queue(&mut self) {
        if self.unqueued == 0 || !self.queue.is_empty() {
            return;
        }
        let first = self.home(self.search_from);
        for at in (first..self.slots.len()).chain(0..first) {
            let slot = self.slots[at];
            if slot.waits() {
                self.slots[at] = S::new(slot.remainder(), false);
                self.queue.push(self.slots[at]);
                self.unqueued -= 1;
                self.search_from = slot.remainder();
                if self.unqueued == 0 || self.queue.len() == self.max_queue {
                    break;
                }
            }
        }
    }

    /// Inserts the markings with these remainders.
    ///
    /// # Errors
    /// Returns an error if memory is short.
    pub(super) fn insert_all(
        &mut self,
        remainders: &[S],
        budget: &Budget,
    ) -> Result<(), OutOfMemory> {
        for (index, remainder) in remainders.iter().enumerate() {
            if let Some(later) = remainders.get(index + PREFETCH_DISTANCE) {
                black_box(self.slots[self.home(later.remainder())]);
            }
            self.insert(remainder.remainder(), budget)?;
        }
        Ok(())
    }

    /// Inserts the marking with this remainder. A new marking waits for its expansion.
    ///
    /// # Errors
    /// Returns an error if memory is short.
    pub(super) fn insert(&mut self, remainder: u64, budget: &Budget) -> Result<(), OutOfMemory> {
        loop {
            let home = self.home(remainder);
            let tail = &self.slots[home..];
            let at = tail.iter().position(|slot| slot.remainder() >= remainder);
            if at.is_some_and(|at| tail[at].remainder() == remainder) {
                return Ok(());
            }
            let free =
                at.and_then(|at| Some(at + tail[at..].iter().position(|it| *it == S::EMPTY)?));
            if let (Some(at), Some(free)) = (at, free)
                && self.len < self.max_len()
            {
                self.slots.copy_within(home + at..home + free, home + at + 1);
                let is_queued = self.queue.len() < self.max_queue;
                self.slots[home + at] = S::new(remainder, !is_queued);
                self.len += 1;
                match is_queued {
                    true => self.queue.push(S::new(remainder, false)),
                    false => self.unqueued += 1,
                }
                return Ok(());
            }
            self.grow(budget)?;
        }
    }

    /// Returns the slot at which the search for a remainder begins.
    fn home(&self, remainder: u64) -> usize {
        self.home_among(remainder, self.homes)
    }

    /// Returns the home of a remainder in a table with this number of homes.
    fn home_among(&self, remainder: u64, homes: usize) -> usize {
        ((u128::from(remainder) * homes as u128) >> self.remainder_bits) as usize
    }

    /// Returns the number of markings beyond which the table grows. Searches become slow if the
    /// table is more than seven eighths full.
    fn max_len(&self) -> usize {
        self.homes / 8 * 7
    }

    /// Replaces the table by one that is larger by two fifths, and the limit on the queue
    /// accordingly. After an error, the table is as before.
    fn grow(&mut self, budget: &Budget) -> Result<(), OutOfMemory> {
        let homes = self.homes + self.homes * 2 / 5;
        let slot_count = homes + SPARE_SLOTS;
        if (slot_count * size_of::<S>()) as u64 > budget.memory_left() {
            return Err(OutOfMemory);
        }
        let mut slots = try_with_capacity(slot_count)?;
        slots.resize(slot_count, S::EMPTY);
        let mut first_free = 0;
        for &slot in self.slots.iter().filter(|slot| **slot != S::EMPTY) {
            let at = self.home_among(slot.remainder(), homes).max(first_free);
            *slots.get_mut(at).ok_or(OutOfMemory)? = slot;
            first_free = at + 1;
        }
        let max_queue = self.max_queue.max(homes / 16);
        let missing = max_queue - self.queue.len();
        self.queue.try_reserve_exact(missing).map_err(|_| OutOfMemory)?;
        (self.slots, self.homes, self.max_queue) = (slots, homes, max_queue);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn each_marking_is_stored_and_expanded_once() {
        let mut rng = fastrand::Rng::with_seed(5);
        for round in 0..60 {
            let bits = rng.u32(1..=20);
            // Remainders that crowd at the end need the slots behind the last home.
            let crowded = round % 3 == 0;
            let (mut expected, mut expanded) = (BTreeSet::new(), BTreeSet::new());
            let mut shard: MarkingShard<u32> = MarkingShard::new(round % 7, 7, bits);
            let budget = Budget::unlimited();
            for _ in 0..rng.usize(1..3000) {
                let mut remainder = rng.u64(0..1 << bits);
                if crowded {
                    remainder |= ((1 << bits) - 1) & !0x1ff;
                }
                shard.insert(remainder, &budget).unwrap();
                expected.insert(remainder);
                assert_eq!(shard.len(), expected.len());
                assert_eq!(shard.waiting(), expected.len() - expanded.len());
                if rng.u8(0..3) == 0 {
                    shard.refill_queue();
                    assert!(expanded.insert(shard.pop().unwrap_or(u64::MAX)));
                    expanded.remove(&u64::MAX);
                }
            }
            while shard.waiting() > 0 {
                shard.refill_queue();
                assert!(shard.pop().is_some_and(|remainder| expanded.insert(remainder)));
            }
            assert_eq!(expanded, expected);
        }
    }

    #[test]
    fn a_shard_without_memory_reports_it() {
        let mut shard: MarkingShard<u64> = MarkingShard::new(0, 1, 20);
        let budget = Budget::unlimited().with_memory_ceiling(1);
        let mut insert_all = || (0..1 << 20).try_for_each(|key| shard.insert(key, &budget));
        // After the first error, the shard can still be used.
        assert_eq!([insert_all(), insert_all()], [Err(OutOfMemory); 2]);
        let far = 1 << 19;
        assert_eq!(shard.insert_all(&[u64::new(far, false); 3], &budget), Err(OutOfMemory));
    }
}
