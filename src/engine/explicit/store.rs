//! The set of markings seen so far: packed keys of one width, numbered in the order they came.
//!
//! Two parts. The *arena* holds the keys one after the other in chunks that never move, so that
//! growing copies nothing; beside it, one `u32` per marking, the number of the marking it was
//! first reached from. The *table* finds the number of a key: buckets of one cache line, each with
//! twelve numbers and twelve bytes of their keys' hashes. A look-up that fails reads one line; one
//! that succeeds reads two, the second in the arena.
//!
//! The table holds nothing that the arena does not, so when it is full it is *freed first* and
//! then rebuilt larger by one sweep through the arena: there is no moment with two tables in
//! memory. `hashbrown` was rejected for this: it grows by holding both, and asks for the hash of
//! one key at a time in the old table's order, which is a cache miss each.
//!
//! Everything that can be large is reserved by `try_reserve` under a ceiling of bytes. A set that
//! is [`Full`] takes no more keys, but its arena and its parents can still be read.

use parikh_solvers::Budget;
use std::hint::black_box;

/// Numbers per bucket.
const SLOTS: usize = 12;
/// Bytes of a chunk of keys, about.
const CHUNK: usize = 1 << 18;
/// Grow when more than this share (in 1/16) of the slots is taken …
const LOAD: u64 = 13;
/// … to twice as many slots, until the table has this many buckets, …
const LARGE: usize = 1 << 20;
/// … and then to as many as bring the load down to this one (in 1/16): rebuilding more often is
/// the lesser evil when memory is what ends the search.
const LOAD_AFTER: u64 = 9;
/// No marking: the parent of the initial one.
pub(crate) const NONE: u32 = u32::MAX;

/// No room for another marking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Full;

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

/// What is to be added: a key and its place in the table.
#[derive(Clone, Copy)]
pub(crate) struct Hash(pub(crate) u64);

impl Hash {
    fn tag(self) -> u8 {
        self.0 as u8
    }

    fn bucket(self, buckets: usize) -> usize {
        // The upper half scaled to the range: any number of buckets will do.
        (((self.0 >> 32) * buckets as u64) >> 32) as usize
    }
}

/// The part of a key's hash that comes from one of its words. The sum over the words is the hash
/// before [`finish`]: a firing updates it for the words it touches.
pub(crate) fn word_hash(index: usize, word: u64) -> u64 {
    let salted = word ^ (index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    fold(salted, 0xd6e8_feb8_6659_fd93)
}

/// The sum of [`word_hash`] over a key.
pub(crate) fn key_hash(key: &[u64]) -> u64 {
    key.iter().enumerate().fold(0, |sum: u64, (i, &word)| sum.wrapping_add(word_hash(i, word)))
}

/// Spreads a sum of word hashes over all bits.
pub(crate) fn finish(sum: u64) -> Hash {
    Hash(fold(sum ^ 0xa076_1d64_78bd_642f, 0xe703_7ed1_a0b4_28db))
}

fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

/// A set of packed markings. See the module.
pub(crate) struct Store {
    words: usize,
    /// A chunk holds 2^shift keys.
    shift: u32,
    keys: Vec<Vec<u64>>,
    parents: Vec<Vec<u32>>,
    with_parents: bool,
    table: Vec<Bucket>,
    len: u32,
    /// The table is rebuilt when there are this many markings.
    grow_at: u64,
    ceiling: u64,
    budget: Budget,
    peak: u64,
}

impl Store {
    /// An empty set of keys of `words` words that takes at most `ceiling` bytes, and no more
    /// memory than `budget` has.
    pub(crate) fn new(words: usize, with_parents: bool, ceiling: u64, budget: &Budget) -> Self {
        Store {
            words,
            shift: (CHUNK / 8 / words).max(1).ilog2(),
            keys: Vec::new(),
            parents: Vec::new(),
            with_parents,
            table: Vec::new(),
            len: 0,
            grow_at: 0,
            ceiling,
            budget: budget.clone(),
            peak: 0,
        }
    }

    /// How many markings it holds.
    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    /// The key with this number.
    pub(crate) fn key(&self, number: u32) -> &[u64] {
        let chunk = &self.keys[(number >> self.shift) as usize];
        let at = (number & ((1 << self.shift) - 1)) as usize * self.words;
        &chunk[at..at + self.words]
    }

    /// What a marking was first reached from; [`NONE`] for the initial one.
    pub(crate) fn parent(&self, number: u32) -> u32 {
        self.parents[(number >> self.shift) as usize][(number & ((1 << self.shift) - 1)) as usize]
    }

    /// Bytes of all parts.
    pub(crate) fn bytes(&self) -> u64 {
        let keys = self.keys.len() * ((self.words * 8) << self.shift);
        let parents = self.parents.len() * (4 << self.shift);
        (keys + parents + self.table.len() * size_of::<Bucket>()) as u64
    }

    /// The most bytes it ever took.
    pub(crate) fn peak(&self) -> u64 {
        self.peak.max(self.bytes())
    }

    /// Reads the bucket of `hash`, so that it is in the cache when [`insert`](Self::insert) comes.
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
    pub(crate) fn insert(
        &mut self,
        key: &[u64],
        hash: Hash,
        parent: u32,
    ) -> Result<(u32, bool), Full> {
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
        let number = self.append(key, parent)?;
        self.table[at].push(tag, number);
        Ok((number, true))
    }

    fn append(&mut self, key: &[u64], parent: u32) -> Result<u32, Full> {
        let chunk = (self.len >> self.shift) as usize;
        if self.len == NONE - 1 {
            return Err(Full);
        }
        if chunk == self.keys.len() {
            let keys = self.words << self.shift;
            self.afford((keys * 8 + (4 << self.shift)) as u64)?;
            self.keys.push(reserved(keys)?);
            if self.with_parents {
                self.parents.push(reserved(1 << self.shift)?);
            }
        }
        self.keys[chunk].extend_from_slice(key);
        if self.with_parents {
            self.parents[chunk].push(parent);
        }
        self.len += 1;
        Ok(self.len - 1)
    }

    /// Whether another `bytes` stay below the ceilings.
    fn afford(&self, bytes: u64) -> Result<(), Full> {
        let own = self.bytes().saturating_add(bytes) <= self.ceiling;
        if own && bytes <= self.budget.memory_left() { Ok(()) } else { Err(Full) }
    }

    fn grow(&mut self) -> Result<(), Full> {
        self.peak = self.peak();
        let load = if self.table.len() < LARGE { LOAD / 2 } else { LOAD_AFTER };
        let slots = (u64::from(self.len).max(8 * SLOTS as u64) * 16).div_ceil(load);
        let buckets = slots.div_ceil(SLOTS as u64) as usize;
        // A process whose old table is freed has that much more below its ceiling, but the kernel
        // is asked only now and then: compare with what the table adds.
        let added = buckets.saturating_sub(self.table.len()) * size_of::<Bucket>();
        self.afford(added as u64)?;
        self.table = Vec::new();
        self.grow_at = 0;
        let mut table = reserved(buckets)?;
        table.resize(buckets, EMPTY);
        self.table = table;
        for (chunk, keys) in self.keys.iter().enumerate() {
            let first = (chunk << self.shift) as u32;
            for (number, key) in (first..).zip(keys.chunks_exact(self.words)) {
                let hash = finish(key_hash(key));
                let mut at = hash.bucket(buckets);
                while self.table[at].taken() == SLOTS {
                    at = if at + 1 == buckets { 0 } else { at + 1 };
                }
                self.table[at].push(hash.tag(), number);
            }
        }
        self.grow_at = slots * LOAD / 16;
        Ok(())
    }

    /// Replaces every key by what `convert` makes of it (distinct keys stay distinct), with
    /// `words` words. Numbers and parents stay.
    ///
    /// # Errors
    /// When there is no room. If that shows too late, the markings are lost and the set is empty.
    pub(crate) fn repack(
        &mut self,
        words: usize,
        mut convert: impl FnMut(&[u64], &mut [u64]),
    ) -> Result<(), Full> {
        self.peak = self.peak();
        self.afford(u64::from(self.len) * 8 * words.saturating_sub(self.words) as u64)?;
        let with_parents = self.with_parents;
        let mut wide = Store::new(words, with_parents, self.ceiling, &self.budget);
        let mut key = vec![0; words];
        let parents = std::mem::take(&mut self.parents);
        let keys = std::mem::take(&mut self.keys);
        self.table = Vec::new();
        self.grow_at = 0;
        self.len = 0;
        let mut parents = parents.into_iter().flatten();
        // Chunk after chunk is freed as its markings move over.
        for chunk in keys {
            for old in chunk.chunks_exact(self.words) {
                convert(old, &mut key);
                wide.append(&key, parents.next().unwrap_or(NONE))?;
            }
        }
        wide.peak = self.peak;
        *self = wide;
        self.grow()
    }
}

/// Whether two keys of one length are equal. Most are two words, too few to call `memcmp` for.
fn equal(a: &[u64], b: &[u64]) -> bool {
    if a.len() > 8 { a == b } else { a.iter().zip(b).all(|(x, y)| x == y) }
}

/// An empty vector with room for `capacity`, if there is.
pub(crate) fn reserved<T>(capacity: usize) -> Result<Vec<T>, Full> {
    let mut vector = Vec::new();
    vector.try_reserve_exact(capacity).map_err(|_| Full)?;
    Ok(vector)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(key: &[u64]) -> Hash {
        finish(key_hash(key))
    }

    #[test]
    fn numbers_are_given_once_and_found_again() {
        let mut store = Store::new(2, true, u64::MAX, &Budget::unlimited());
        let key = |i: u32| [u64::from(i % 7), u64::from(i / 7)];
        for round in 0..2 {
            for i in 0..100_000 {
                let inserted = store.insert(&key(i), hash(&key(i)), i / 2);
                assert_eq!(inserted, Ok((i, round == 0)));
            }
        }
        assert_eq!(store.parent(777), 388);
        store
            .repack(3, |old, new| {
                new.copy_from_slice(&[0, old[0], old[1]]);
            })
            .unwrap();
        assert_eq!((store.key(15), store.parent(777)), (&[0, 1, 2][..], 388));
        assert_eq!(store.insert(&[0, 1, 2], hash(&[0, 1, 2]), 0), Ok((15, false)));
    }

    #[test]
    fn keys_of_one_hash_are_kept_apart() {
        let mut store = Store::new(1, false, u64::MAX, &Budget::unlimited());
        for i in 0..40 {
            assert_eq!(store.insert(&[i], Hash(7), NONE), Ok((i as u32, true)));
        }
        assert_eq!(store.insert(&[33], Hash(7), NONE), Ok((33, false)));
    }

    #[test]
    fn a_full_store_says_so_and_stays_readable() {
        let mut store = Store::new(1, true, 1 << 20, &Budget::unlimited());
        let mut i = 0;
        while store.insert(&[i], hash(&[i]), 5).is_ok() {
            i += 1;
        }
        assert!(i > 10_000 && store.bytes() <= 1 << 20, "{i} {}", store.bytes());
        assert_eq!((store.key(9), store.parent(9)), (&[9][..], 5));
    }
}
