//! Nodes by hash, for rules that look for another node like this one.
//!
//! A bucket is a chain of ids, latest first, and readers follow at most so many of it: a net with
//! 10⁵ alike nodes costs no more than any other. Ids that are gone stay until they are pushed out of
//! reach; checks see to it that they do no harm. An id whose hash changes cuts its former chain, and
//! when it comes back the chain may run in a circle: that loses chances, and nothing else.

use std::collections::HashMap;

/// The id after the last one of a chain.
const END: u32 = u32::MAX;

/// What an id in no chain has for the next one.
const NOWHERE: u32 = u32::MAX - 1;

/// Ids by hash, about 20 bytes each. Half of the hash is kept: what shares that is looked at, and told
/// apart by whoever looks.
#[derive(Debug, Default)]
pub(super) struct Buckets {
    latest: HashMap<u32, u32>,
    /// The next id of the same bucket, by id.
    next: Vec<u32>,
    /// The bucket of each id.
    bucket: Vec<u32>,
}

impl Buckets {
    /// Puts `id` in front of the bucket of `hash`, unless it is in it already.
    pub(super) fn insert(&mut self, hash: u64, id: usize) {
        if self.next.len() <= id {
            self.next.resize(id + 1, NOWHERE);
            self.bucket.resize(id + 1, 0);
        }
        let hash = half(hash);
        if self.bucket[id] != hash || self.next[id] == NOWHERE {
            self.next[id] = self.latest.insert(hash, id as u32).unwrap_or(END);
            self.bucket[id] = hash;
        }
    }

    /// The ids in the bucket of `hash`, latest first, at most `most` of them.
    pub(super) fn of(&self, hash: u64, most: usize) -> impl Iterator<Item = usize> {
        let hash = half(hash);
        let mut at = self.latest.get(&hash).copied().unwrap_or(END);
        let ids = std::iter::from_fn(move || {
            let id = at as usize;
            if at == END || self.bucket[id] != hash {
                return None;
            }
            at = self.next[id];
            Some(id)
        });
        ids.take(most)
    }
}

fn half(hash: u64) -> u32 {
    (hash ^ hash >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_hold_each_id_once_and_moves_do_no_harm() {
        let mut buckets = Buckets::default();
        [3, 1, 4, 1, 5].into_iter().for_each(|id| buckets.insert(7, id));
        assert_eq!(buckets.of(7, 9).collect::<Vec<_>>(), [5, 4, 1, 3]);
        buckets.insert(8, 4);
        assert_eq!(buckets.of(7, 9).collect::<Vec<_>>(), [5]);
        buckets.insert(7, 4);
        assert_eq!(buckets.of(7, 3).count(), 3);
        assert_eq!(buckets.of(9, 9).count(), 0);
    }
}
