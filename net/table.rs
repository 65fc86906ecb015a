//! A hash table of indices into what is kept elsewhere: names in one piece of text, effects in
//! rows.

use std::hash::{BuildHasher, Hash, RandomState};
use std::sync::OnceLock;

/// Indices by the hashes of what they stand for, with open addressing; at most half of it is taken.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    /// The lower half of a hash, and an index or [`FREE`].
    slots: Vec<(u32, u32)>,
    len: usize,
}

/// No index: nothing here has as many.
pub(crate) const FREE: u32 = u32::MAX;

/// The hash of a key; others in each process, so that no file is written against it.
pub(crate) fn hash(key: &(impl Hash + ?Sized)) -> u32 {
    static STATE: OnceLock<RandomState> = OnceLock::new();
    STATE.get_or_init(RandomState::new).hash_one(key) as u32
}

impl Table {
    /// The index with this hash that `is` the one looked for.
    pub(crate) fn find(&self, hash: u32, is: impl Fn(usize) -> bool) -> Option<usize> {
        let mut at = self.begin(hash)?;
        loop {
            match self.slots[at] {
                (_, FREE) => return None,
                (other, index) if other == hash && is(index as usize) => {
                    return Some(index as usize);
                }
                _ => at = (at + 1) & (self.slots.len() - 1),
            }
        }
    }

    /// Adds an index that is not there; it is below [`FREE`].
    pub(crate) fn insert(&mut self, hash: u32, index: u32) {
        self.len += 1;
        if self.slots.len() < 2 * self.len {
            let larger = vec![(0, FREE); (4 * self.len).next_power_of_two()];
            let slots = std::mem::replace(&mut self.slots, larger);
            slots.into_iter().filter(|&(_, index)| index != FREE).for_each(|slot| self.enter(slot));
        }
        self.enter((hash, index));
    }

    fn enter(&mut self, slot: (u32, u32)) {
        let Some(mut at) = self.begin(slot.0) else { return };
        while self.slots[at].1 != FREE {
            at = (at + 1) & (self.slots.len() - 1);
        }
        self.slots[at] = slot;
    }

    /// Where the search for a hash begins.
    fn begin(&self, hash: u32) -> Option<usize> {
        // As long as the table has fewer than 2³² slots, the hash has bits for all of them.
        Some(hash as usize & self.slots.len().checked_sub(1)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_are_found_again_and_others_are_not() {
        let keys: Vec<String> = (0..5_000).map(|at| format!("t(x={at})")).collect();
        let mut table = Table::default();
        for (index, key) in (0..).zip(&keys) {
            assert_eq!(table.find(hash(key), |it| keys[it] == *key), None);
            table.insert(hash(key), index);
        }
        for (index, key) in keys.iter().enumerate() {
            assert_eq!(table.find(hash(key), |it| keys[it] == *key), Some(index));
        }
        // One hash for all: slow, but right.
        let mut table = Table::default();
        (0..100).for_each(|index| table.insert(7, index));
        assert_eq!(table.find(7, |it| it == 99), Some(99));
        assert_eq!(table.find(7, |it| it == 100), None);
    }
}
