//! Hash buckets of node ids, for rules that look for similar nodes.
//!
//! A bucket is a doubly linked chain of ids, latest first. An id whose hash changes leaves its
//! chain immediately. The id of a removed node leaves when a reader first meets it. Readers follow
//! only a limited number of entries, so that a net with 10⁵ similar nodes does not cost more than
//! any other. Because of the removal, they count only existing nodes.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// The value of `newer` in the latest link of a chain, and of `older` in the earliest link.
const NO_NEIGHBOUR: u32 = u32::MAX;

/// The value of `newer` for an id that is in no chain.
const NOT_IN_CHAIN: u32 = u32::MAX - 1;

/// The position of an id in a chain, that is, in the doubly linked list of the ids in one bucket.
#[derive(Clone, Copy, Debug)]
struct Link {
    /// The bucket whose ids form the chain.
    bucket: u32,
    /// The next id inserted into the chain.
    newer: u32,
    /// The previous id inserted into the chain.
    older: u32,
}

/// Ids by the hash of their content, in about 24 bytes each. A bucket is chosen by 32 bits computed
/// from the hash. So its ids may have different content, which readers must compare.
#[derive(Debug, Default)]
pub(super) struct Buckets {
    /// The latest of the ids in each bucket. A bucket without ids has no entry.
    latest: HashMap<u32, u32>,
    /// The link of each id, indexed by id. An id in no chain has [`NOT_IN_CHAIN`] as `newer`.
    links: Vec<Link>,
}

impl Buckets {
    /// Inserts `id` at the front of the bucket of `hash`, unless it is already in this bucket.
    pub(super) fn insert(&mut self, hash: u64, id: usize) {
        if self.links.len() <= id {
            self.links.resize(id + 1, Link { bucket: 0, newer: NOT_IN_CHAIN, older: NOT_IN_CHAIN });
        }
        let bucket = bucket_of(hash);
        if self.links[id].newer != NOT_IN_CHAIN {
            if self.links[id].bucket == bucket {
                return;
            }
            self.remove(id);
        }
        let older = self.latest.insert(bucket, id as u32).unwrap_or(NO_NEIGHBOUR);
        if let Some(link) = self.links.get_mut(older as usize) {
            link.newer = id as u32;
        }
        self.links[id] = Link { bucket, newer: NO_NEIGHBOUR, older };
    }

    /// Returns the latest ids in the bucket of `hash` for which `is_alive` returns true, at most
    /// `max_ids` ids, latest first. Removes the visited ids for which `is_alive` returns false.
    pub(super) fn ids(
        &mut self,
        hash: u64,
        max_ids: usize,
        is_alive: impl Fn(usize) -> bool,
    ) -> Vec<usize> {
        let mut ids = Vec::new();
        let mut next_id = self.latest.get(&bucket_of(hash)).copied().unwrap_or(NO_NEIGHBOUR);
        while next_id != NO_NEIGHBOUR && ids.len() < max_ids {
            let id = next_id as usize;
            next_id = self.links[id].older;
            if is_alive(id) {
                ids.push(id);
            } else {
                self.remove(id);
            }
        }
        ids
    }

    /// Removes `id` from its chain. The id must be in a chain.
    fn remove(&mut self, id: usize) {
        let Link { bucket, newer, older } = self.links[id];
        if let Some(link) = self.links.get_mut(older as usize) {
            link.newer = newer;
        }
        match (self.links.get_mut(newer as usize), self.latest.entry(bucket)) {
            (Some(link), _) => link.older = older,
            (None, Entry::Occupied(latest)) if older == NO_NEIGHBOUR => {
                latest.remove();
            }
            (None, latest) => {
                latest.insert_entry(older);
            }
        }
        self.links[id].newer = NOT_IN_CHAIN;
    }
}

/// Returns the bucket of a hash.
fn bucket_of(hash: u64) -> u32 {
    (hash ^ hash >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_id_is_once_in_the_bucket_of_its_last_insertion() {
        let mut buckets = Buckets::default();
        let all = |_: usize| true;
        [3, 1, 4, 1, 5].into_iter().for_each(|id| buckets.insert(7, id));
        assert_eq!(buckets.ids(7, 9, all), [5, 4, 1, 3]);
        buckets.insert(8, 4);
        assert_eq!(buckets.ids(7, 9, all), [5, 1, 3]);
        assert_eq!(buckets.ids(8, 9, all), [4]);
        buckets.insert(7, 4);
        assert_eq!(buckets.ids(7, 3, all), [4, 5, 1]);
        assert!(buckets.ids(8, 9, all).is_empty());
        assert!(buckets.ids(9, 9, all).is_empty());
    }

    #[test]
    fn removed_ids_do_not_count() {
        let mut buckets = Buckets::default();
        (0..100).for_each(|id| buckets.insert(7, id));
        assert_eq!(buckets.ids(7, 2, |id| id < 2 || id == 50), [50, 1]);
        assert_eq!(buckets.ids(7, 9, |id| id != 50), [1, 0]);
        assert!(buckets.ids(7, 9, |_| false).is_empty());
        buckets.insert(7, 50);
        assert_eq!(buckets.ids(7, 9, |_| true), [50]);
    }
}
