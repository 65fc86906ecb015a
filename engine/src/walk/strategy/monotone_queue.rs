//! A radix heap: a priority queue in which no added key is smaller than the last key removed.
//!
//! A key is in the bucket of the highest bit in which it differs from the last removed key. When
//! the bucket of equal keys is empty, the first non-empty bucket is redistributed relative to its
//! smallest key, and all its keys move to lower buckets. A key moves at most 64 times, and about
//! twice in practice, by appending to lists. A binary heap of some thousand keys instead waits for
//! memory at every level. (R. Ahuja, K. Mehlhorn, J. Orlin, R. Tarjan, *Faster algorithms for the
//! shortest path problem*, JACM 37, 1990.)

/// A priority queue whose keys never fall below the key removed last (a radix heap). Each entry has
/// a key and an item.
pub(super) struct MonotoneQueue {
    /// The key removed last. 0 if none was removed since the queue was created or cleared.
    last_removed: u64,
    /// Bucket b contains the keys whose highest bit that differs from `last_removed` is bit b − 1,
    /// each with its item. Bucket 0 contains the keys equal to `last_removed`.
    buckets: [Vec<(u64, u32)>; 65],
    /// Bit b is set exactly if bucket b + 1 is not empty.
    nonempty_buckets: u64,
}

impl MonotoneQueue {
    /// Creates an empty queue.
    pub(super) fn new() -> Self {
        MonotoneQueue { last_removed: 0, buckets: [const { Vec::new() }; 65], nonempty_buckets: 0 }
    }

    /// Empties the queue. The next keys may be smaller than those removed before.
    pub(super) fn clear(&mut self) {
        self.last_removed = 0;
        self.nonempty_buckets = 0;
        self.buckets.iter_mut().for_each(Vec::clear);
    }

    /// Adds a key that is not smaller than the last one removed.
    #[inline]
    pub(super) fn push(&mut self, key: u64, item: u32) {
        debug_assert!(key >= self.last_removed, "{key} after {}", self.last_removed);
        let bucket = u64::BITS - (key ^ self.last_removed).leading_zeros();
        if bucket > 0 {
            self.nonempty_buckets |= 1 << (bucket - 1);
        }
        self.buckets[bucket as usize].push((key, item));
    }

    /// Removes and returns an entry with the smallest key, or returns `None` if the queue is empty.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<(u64, u32)> {
        if let Some(first) = self.buckets[0].pop() {
            return Some(first);
        }
        if self.nonempty_buckets == 0 {
            return None;
        }
        let bucket = self.nonempty_buckets.trailing_zeros() as usize + 1;
        self.nonempty_buckets &= self.nonempty_buckets - 1;
        let mut entries = std::mem::take(&mut self.buckets[bucket]);
        self.last_removed = entries.iter().map(|&(key, _)| key).min()?;
        for (key, item) in entries.drain(..) {
            self.push(key, item);
        }
        // Reuse the allocated memory.
        self.buckets[bucket] = entries;
        self.buckets[0].pop()
    }
}

#[cfg(test)]
mod tests {
    use super::MonotoneQueue;
    use fastrand::Rng;
    use std::cmp::Reverse;
    use std::collections::BinaryHeap;

    #[test]
    fn keys_have_the_order_of_a_heap() {
        let mut queue = MonotoneQueue::new();
        for seed in 0..200 {
            let mut rng = Rng::with_seed(seed);
            let mut heap = BinaryHeap::new();
            queue.clear();
            let (mut last, mut left) = (0u64, 400);
            while left > 0 || !heap.is_empty() {
                if left > 0 && rng.u32(..3) > 0 {
                    left -= 1;
                    let more = rng.u64(..) >> [0, 30, 58, 62, 63][rng.usize(..5)];
                    let key = last.saturating_add(more);
                    queue.push(key, left);
                    heap.push((Reverse(key), left));
                } else {
                    let taken = queue.pop();
                    let smallest = heap.peek().map(|&(Reverse(key), _)| key);
                    assert_eq!(taken.map(|(key, _)| key), smallest, "seed {seed}");
                    if let Some((key, item)) = taken {
                        last = key;
                        heap.retain(|&other| other != (Reverse(key), item));
                    }
                }
            }
            assert_eq!(queue.pop(), None);
        }
    }
}
