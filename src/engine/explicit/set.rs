//! A set of keys of some words, numbered in the order they came.
//!
//! Two parts. The *arena* holds the keys one after the other in chunks that never move, so that
//! growing copies nothing. The *table* finds the number of a key: buckets of one cache line, each with
//! twelve numbers and twelve bytes of their keys' hashes. A look-up that fails reads one line; one
//! that succeeds reads two, the second in the arena.
//!
//! The table holds nothing that the arena does not, so when it is full it is *freed first* and
//! then rebuilt larger by one sweep through the arena: there is no moment with two tables in
//! memory. `hashbrown` was rejected for this: it grows by holding both, and asks for the hash of
//! one key at a time in the old table's order, which is a cache miss each.
//!
//! Everything that can be large is reserved by `try_reserve`, below what its [`Room`] has left. A set
//! that is [`Full`] takes no more keys, but its arena can still be read.

use super::room::{Full, Room, reserved};
use std::hint::black_box;

/// Bytes of a chunk of keys, about.
const CHUNK: usize = 1 << 16;
/// Numbers per bucket.
const SLOTS: usize = 12;
/// Grow when more than this share (in 1/16) of the slots is taken …
const LOAD: u64 = 13;
/// … to twice as many slots, until the table has this many buckets: 4 MB, about what stays in a cache.
const LARGE: usize = 1 << 16;
/// A larger one is filled further, …
const LOAD_LARGE: u64 = 15;
/// … and grows to as many slots as bring the load down to this one (in 1/16): rebuilding more often is
/// the lesser evil when memory is what ends the search.
const LOAD_AFTER: u64 = 11;
/// No key has this number.
pub(crate) const NONE: u32 = u32::MAX;

/// One cache line. Slots are filled in order and never emptied.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Bucket {
    /// In the lowest [`SLOTS`] bytes a byte of hash each, in the highest byte how many are taken.
    head: u128,
    numbers: [u32; SLOTS],
}

const EMPTY: Bucket = Bucket { head: 0, numbers: [0; SLOTS] };
const TAKEN_SHIFT: u32 = 120;

impl Bucket {
    fn taken(&self) -> usize {
        (self.head >> TAKEN_SHIFT) as usize
    }

    fn push(&mut self, tag: u8, number: u32) {
        let at = self.taken();
        self.numbers[at] = number;
        self.head = (self.head | u128::from(tag) << (8 * at)) + (1 << TAKEN_SHIFT);
    }

    /// The highest bit of each byte that holds `tag`; now and then of another one too, also
    /// beyond the slots taken.
    fn matches(&self, tag: u8) -> u128 {
        const ONES: u128 = u128::from_ne_bytes([1; 16]) >> (8 * (16 - SLOTS));
        let differences = (self.head & (ONES * 0xff)) ^ (ONES * u128::from(tag));
        differences.wrapping_sub(ONES) & !differences & (ONES << 7)
    }
}

/// What finds a key in a table: its bits, well spread.
#[derive(Clone, Copy)]
pub(crate) struct Hash(u64);

impl Hash {
    pub(crate) fn of(key: &[u64]) -> Self {
        let mix = |sum: u64, &word: &u64| {
            let product = u128::from(sum ^ word) * u128::from(0xe703_7ed1_a0b4_28db_u64);
            product as u64 ^ (product >> 64) as u64
        };
        // Once more than there are words: what the last one changes is to reach all bits.
        Hash(mix(key.iter().fold(0xa076_1d64_78bd_642f, mix), &0x9e37_79b9_7f4a_7c15))
    }

    fn tag(self) -> u8 {
        self.0 as u8
    }

    fn bucket(self, buckets: usize) -> usize {
        // The upper half scaled to the range: any number of buckets will do.
        (((self.0 >> 32) * buckets as u64) >> 32) as usize
    }
}

/// A set of keys. See the module.
pub(crate) struct Set {
    words: usize,
    /// A chunk holds 2^shift keys.
    shift: u32,
    keys: Vec<Vec<u64>>,
    table: Vec<Bucket>,
    len: u32,
    /// The table is rebuilt when there are this many keys.
    grow_at: u64,
    room: Room,
}

impl Set {
    /// An empty set of keys of `words` words, at least one, that takes its memory from `room`.
    pub(crate) fn new(words: usize, room: &Room) -> Self {
        let shift = (CHUNK / 8 / words).max(1).ilog2();
        let (keys, table) = (Vec::new(), Vec::new());
        Set { words, shift, keys, table, len: 0, grow_at: 0, room: room.clone() }
    }

    /// How many keys it holds.
    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    /// The key with this number.
    pub(crate) fn key(&self, number: u32) -> &[u64] {
        let chunk = &self.keys[(number >> self.shift) as usize];
        let at = (number & ((1 << self.shift) - 1)) as usize * self.words;
        &chunk[at..at + self.words]
    }

    /// Reads the bucket of a key, so that it is in the cache when [`insert`](Self::insert) comes.
    /// Asked for all successors of a marking first, the reads overlap.
    pub(crate) fn touch(&self, hash: Hash) {
        if !self.table.is_empty() {
            black_box(self.table[hash.bucket(self.table.len())].head);
        }
    }

    /// The number of `key` and whether it is new.
    ///
    /// # Errors
    /// When it is new and there is no room.
    pub(crate) fn insert(&mut self, key: &[u64], hash: Hash) -> Result<(u32, bool), Full> {
        if u64::from(self.len) >= self.grow_at {
            self.grow()?;
        }
        let tag = hash.tag();
        let mut at = hash.bucket(self.table.len());
        loop {
            let bucket = &self.table[at];
            let mut matches = bucket.matches(tag);
            while matches != 0 {
                let slot = (matches.trailing_zeros() / 8) as usize;
                matches &= matches - 1;
                if slot < bucket.taken() && equal(self.key(bucket.numbers[slot]), key) {
                    return Ok((bucket.numbers[slot], false));
                }
            }
            if bucket.taken() < SLOTS {
                break;
            }
            at = if at + 1 == self.table.len() { 0 } else { at + 1 };
        }
        let number = self.append(key)?;
        self.table[at].push(tag, number);
        Ok((number, true))
    }

    fn append(&mut self, key: &[u64]) -> Result<u32, Full> {
        let chunk = (self.len >> self.shift) as usize;
        if self.len == NONE - 1 {
            return Err(Full);
        }
        if chunk == self.keys.len() {
            self.room.take(self.chunk_bytes())?;
            self.keys.push(reserved(self.words << self.shift)?);
        }
        self.keys[chunk].extend_from_slice(key);
        self.len += 1;
        Ok(self.len - 1)
    }

    fn grow(&mut self) -> Result<(), Full> {
        let load = if self.table.len() < LARGE { LOAD / 2 } else { LOAD_AFTER };
        let slots = (u64::from(self.len).max(2 * SLOTS as u64) * 16).div_ceil(load);
        let buckets = slots.div_ceil(SLOTS as u64) as usize;
        // A process whose old table is freed has that much more below its ceiling, but the kernel
        // is asked only now and then: compare with what the table adds.
        let added = buckets.saturating_sub(self.table.len()) * size_of::<Bucket>();
        self.room.take(added as u64)?;
        self.table = Vec::new();
        self.grow_at = 0;
        let mut table = reserved(buckets)?;
        table.resize(buckets, EMPTY);
        self.table = table;
        let keys = self.keys.iter().flat_map(|chunk| chunk.chunks_exact(self.words));
        for (number, key) in (0..).zip(keys) {
            let hash = Hash::of(key);
            let mut at = hash.bucket(buckets);
            while self.table[at].taken() == SLOTS {
                at = if at + 1 == buckets { 0 } else { at + 1 };
            }
            self.table[at].push(hash.tag(), number);
        }
        let most = if buckets < LARGE { LOAD } else { LOAD_LARGE };
        self.grow_at = slots * most / 16;
        Ok(())
    }

    /// The set of what `convert` makes of the keys: of `words` words, distinct where they are, with the same
    /// numbers. Chunk after chunk is freed as its keys move over.
    ///
    /// # Errors
    /// When there is no room. The keys are lost then.
    pub(crate) fn converted(
        mut self,
        words: usize,
        mut convert: impl FnMut(&[u64], &mut [u64]) -> Result<(), Full>,
    ) -> Result<Set, Full> {
        self.room.give_back((self.table.len() * size_of::<Bucket>()) as u64);
        self.table = Vec::new();
        let mut converted = Set::new(words, &self.room);
        let mut new = vec![0; words];
        self.keys.reverse();
        while let Some(chunk) = self.keys.pop() {
            for old in chunk.chunks_exact(self.words) {
                convert(old, &mut new)?;
                converted.append(&new)?;
            }
            self.room.give_back(self.chunk_bytes());
        }
        converted.grow()?;
        Ok(converted)
    }

    fn chunk_bytes(&self) -> u64 {
        (8 * self.words as u64) << self.shift
    }
}

impl Drop for Set {
    fn drop(&mut self) {
        let table = (self.table.len() * size_of::<Bucket>()) as u64;
        self.room.give_back(self.keys.len() as u64 * self.chunk_bytes() + table);
    }
}

/// Whether two keys of one length are equal. Most are a word or two, too few to call `memcmp` for.
fn equal(a: &[u64], b: &[u64]) -> bool {
    if a.len() > 8 { a == b } else { a.iter().zip(b).all(|(x, y)| x == y) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn insert(set: &mut Set, key: &[u64]) -> Result<(u32, bool), Full> {
        set.insert(key, Hash::of(key))
    }

    #[test]
    fn numbers_are_given_once_and_found_again() {
        let room = Room::unlimited();
        let mut set = Set::new(2, &room);
        let key = |i: u32| [u64::from(i % 7), u64::from(i / 7)];
        for round in 0..2 {
            for i in 0..100_000 {
                assert_eq!(insert(&mut set, &key(i)), Ok((i, round == 0)));
            }
        }
        let one = |old: &[u64], new: &mut [u64]| {
            new[0] = old[0] << 32 | old[1];
            Ok(())
        };
        let mut set = set.converted(1, one).unwrap();
        assert_eq!((set.len(), set.key(15)), (100_000, &[1 << 32 | 2][..]));
        assert_eq!(insert(&mut set, &[1 << 32 | 2]), Ok((15, false)));
        assert!(room.taken() > 1_300_000);
        drop(set);
        assert_eq!(room.taken(), 0);
    }

    #[test]
    fn keys_of_one_hash_are_kept_apart() {
        let mut set = Set::new(1, &Room::unlimited());
        for i in 0..40 {
            assert_eq!(set.insert(&[i], Hash(7)), Ok((i as u32, true)));
        }
        assert_eq!(set.insert(&[33], Hash(7)), Ok((33, false)));
    }

    #[test]
    fn more_keys_than_the_small_table_has_slots() {
        let mut set = Set::new(1, &Room::unlimited());
        let keys = 3 * (LARGE * SLOTS) as u64;
        assert!((0..keys).all(|key| insert(&mut set, &[key << 20]) == Ok((key as u32, true))));
        let mut again = (0..keys).step_by(1000);
        assert!(again.all(|key| insert(&mut set, &[key << 20]) == Ok((key as u32, false))));
    }
}
