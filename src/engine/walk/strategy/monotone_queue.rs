//! What is to be settled next, cheapest first, when nothing added is cheaper than what was taken
//! out last.
//!
//! A key stands in the bucket of the highest bit in which it differs from the key taken out last.
//! When the bucket of equal keys is empty, the first one that is not is dealt out again after its
//! smallest key, and all of it moves down: a key moves 64 times at most and twice or so as a rule,
//! by adding to the end of lists, where a heap of some thousand keys waits for memory at every
//! level. (R. Ahuja, K. Mehlhorn, J. Orlin, R. Tarjan, *Faster algorithms for the shortest path
//! problem*, JACM 37, 1990.)

/// Keys with what they are the keys of.
pub(super) struct MonotoneQueue {
    last: u64,
    /// By the number of the highest bit that differs from `last`, counted from 1; 0 where none
    /// does.
    buckets: [Vec<(u64, u32)>; 65],
    /// Bit b is set just if bucket b + 1 is not empty.
    filled: u64,
}

impl MonotoneQueue {
    /// Empty.
    pub(super) fn new() -> Self {
        MonotoneQueue { last: 0, buckets: [const { Vec::new() }; 65], filled: 0 }
    }

    /// Empty again, for any keys.
    pub(super) fn clear(&mut self) {
        self.last = 0;
        self.filled = 0;
        self.buckets.iter_mut().for_each(Vec::clear);
    }

    /// Adds a key that is not below the last one taken out.
    #[inline]
    pub(super) fn push(&mut self, key: u64, item: u32) {
        debug_assert!(key >= self.last, "{key} after {}", self.last);
        let bucket = u64::BITS - (key ^ self.last).leading_zeros();
        if bucket > 0 {
            self.filled |= 1 << (bucket - 1);
        }
        self.buckets[bucket as usize].push((key, item));
    }

    /// Takes out one with the smallest key.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<(u64, u32)> {
        if let Some(first) = self.buckets[0].pop() {
            return Some(first);
        }
        if self.filled == 0 {
            return None;
        }
        let bucket = self.filled.trailing_zeros() as usize + 1;
        self.filled &= self.filled - 1;
        let mut dealt = std::mem::take(&mut self.buckets[bucket]);
        self.last = dealt.iter().map(|&(key, _)| key).min()?;
        for (key, item) in dealt.drain(..) {
            self.push(key, item);
        }
        // Its memory is needed again.
        self.buckets[bucket] = dealt;
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
    fn keys_come_as_from_a_heap() {
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
