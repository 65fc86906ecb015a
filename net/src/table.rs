//! A hash table of indices into data stored elsewhere: names in one piece of text, effects in rows.

use std::hash::{BuildHasher, Hash, RandomState};
use std::sync::OnceLock;

/// A hash table of indices, with open addressing. It stores hashes, and callers compare the keys.
/// At most half of the slots are used.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    /// Each slot has the low 32 bits of the hash of a key, and the index of the key. A free slot
    /// has [`FREE`] as its index.
    slots: Vec<(u32, u32)>,
    /// Number of indices in the table.
    len: usize,
}

/// The index in a free slot. No stored index is as large.
pub(crate) const FREE: u32 = u32::MAX;

/// Hashes a key with a seed that differs between processes, so that no file can be crafted to cause
/// collisions.
pub(crate) fn hash(key: &(impl Hash + ?Sized)) -> u32 {
    static STATE: OnceLock<RandomState> = OnceLock::new();
    STATE.get_or_init(RandomState::new).hash_one(key) as u32
}

impl Table {
    /// Returns the index with this hash for which `is_match` returns true.
    pub(crate) fn find(&self, hash: u32, is_match: impl Fn(usize) -> bool) -> Option<usize> {
        let mut slot = self.first_slot(hash)?;
        loop {
            match self.slots[slot] {
                (_, FREE) => return None,
                (other, index) if other == hash && is_match(index as usize) => {
                    return Some(index as usize);
                }
                _ => slot = (slot + 1) & (self.slots.len() - 1),
            }
        }
    }

    /// Inserts a new index below [`FREE`].
    pub(crate) fn insert(&mut self, hash: u32, index: u32) {
        self.len += 1;
        if self.slots.len() < 2 * self.len {
            let larger = vec![(0, FREE); (4 * self.len).next_power_of_two()];
            let slots = std::mem::replace(&mut self.slots, larger);
            slots
                .into_iter()
                .filter(|&(_, index)| index != FREE)
                .for_each(|slot| self.insert_slot(slot));
        }
        self.insert_slot((hash, index));
    }

    fn insert_slot(&mut self, slot: (u32, u32)) {
        let Some(mut index) = self.first_slot(slot.0) else { return };
        while self.slots[index].1 != FREE {
            index = (index + 1) & (self.slots.len() - 1);
        }
        self.slots[index] = slot;
    }

    /// Returns the first slot for a hash; `None` if the table has no slots.
    fn first_slot(&self, hash: u32) -> Option<usize> {
        // The number of slots is a power of two. Up to 2³² slots, the hash has enough bits to
        // choose any slot.
        Some(hash as usize & self.slots.len().checked_sub(1)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_the_inserted_indices_are_found() {
        let keys: Vec<String> = (0..5_000).map(|at| format!("t(x={at})")).collect();
        let mut table = Table::default();
        for (index, key) in (0..).zip(&keys) {
            assert_eq!(table.find(hash(key), |it| keys[it] == *key), None);
            table.insert(hash(key), index);
        }
        for (index, key) in keys.iter().enumerate() {
            assert_eq!(table.find(hash(key), |it| keys[it] == *key), Some(index));
        }
        // All keys have the same hash: slow, but correct.
        let mut table = Table::default();
        (0..100).for_each(|index| table.insert(7, index));
        assert_eq!(table.find(7, |it| it == 99), Some(99));
        assert_eq!(table.find(7, |it| it == 100), None);
    }
}
