//! A set of keys (packed markings) of fixed length, numbered in the order of insertion.
//!
//! The set has two parts. The *arena* contains the keys one after another in chunks that never
//! move, so that growing copies nothing. The *table* maps keys to numbers. Its buckets are cache
//! lines with twelve numbers and twelve hash bytes each. An unsuccessful look-up reads one line. A
//! successful one reads two, the second in the arena.
//!
//! All information in the table is also in the arena. So a full table is *freed first* and then
//! rebuilt with a larger size by one pass through the arena. Two tables never exist at the same
//! time. `hashbrown` was rejected for this reason. It needs both tables for growing. It also asks
//! for the hashes of keys in the order of the old table, with a cache miss each.
//!
//! Several threads may look up keys at the same time, each in its own [`TableSegment`]. Keys that
//! they insert have no number yet. One thread gives the numbers afterwards, in the order of a
//! sequential insertion ([`assign_number`](MarkingSet::assign_number)).
//!
//! All large allocations use `try_reserve` and are limited by the [`MemoryAccount`]. A set that is
//! [`OutOfMemory`] accepts no more keys, but its arena can still be read.

use super::memory::{MemoryAccount, OutOfMemory, try_with_capacity};
use super::threads::{Tasks, run_on_threads};
use std::hint::black_box;

/// Approximate size of a chunk of keys, in bytes.
const CHUNK_BYTES: usize = 1 << 16;
/// Number of slots per bucket.
const SLOTS_PER_BUCKET: usize = 12;
/// Maximum load of a small table, in 1/16 of the slots. Beyond it, the table grows to about twice
/// its size.
const MAX_LOAD_SMALL: u64 = 13;
/// Number of buckets from which a table counts as large. This is 4 MB, about the size of a cache.
const LARGE_TABLE_BUCKETS: usize = 1 << 16;
/// Maximum load of a large table, in 1/16 of the slots.
const MAX_LOAD_LARGE: u64 = 15;
/// Load, in 1/16 of the slots, after growing a table that was large before. Frequent rebuilding is
/// acceptable if memory is the limit of the search.
const LOAD_AFTER_GROWING: u64 = 11;
/// Stands for "no key" or "no marking" where a number is expected.
pub(crate) const NO_NUMBER: u32 = u32::MAX;
/// Number of segments of a table. The number of buckets of a table is a multiple of it.
pub(crate) const TABLE_SEGMENTS: usize = 32;

/// A bucket of one cache line. Slots are filled in order and never emptied.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Bucket {
    /// The lowest [`SLOTS_PER_BUCKET`] bytes contain one hash byte per slot. The highest byte
    /// contains the number of used slots.
    tags_and_count: u128,
    /// Key numbers, by slot. A key that a [`TableSegment`] has inserted has a provisional number at
    /// first. Slots beyond the used ones contain 0.
    numbers: [u32; SLOTS_PER_BUCKET],
}

/// A bucket without keys.
const EMPTY_BUCKET: Bucket = Bucket { tags_and_count: 0, numbers: [0; SLOTS_PER_BUCKET] };
/// Position of the number of used slots in [`Bucket::tags_and_count`].
const USED_SLOTS_SHIFT: u32 = 120;

impl Bucket {
    /// Returns the number of used slots.
    fn used_slots(&self) -> usize {
        (self.tags_and_count >> USED_SLOTS_SHIFT) as usize
    }

    /// Fills the next free slot of the bucket, which must exist.
    fn push(&mut self, tag: u8, number: u32) {
        let slot = self.used_slots();
        self.numbers[slot] = number;
        self.tags_and_count =
            (self.tags_and_count | u128::from(tag) << (8 * slot)) + (1 << USED_SLOTS_SHIFT);
    }

    /// Returns a mask with the highest bit of each hash byte that equals `tag`. May contain false
    /// positives, also beyond the used slots.
    fn tag_matches(&self, tag: u8) -> u128 {
        const ONES: u128 = u128::from_ne_bytes([1; 16]) >> (8 * (16 - SLOTS_PER_BUCKET));
        let differences = (self.tags_and_count & (ONES * 0xff)) ^ (ONES * u128::from(tag));
        differences.wrapping_sub(ONES) & !differences & (ONES << 7)
    }
}

/// The 64-bit hash of a key. The upper half selects the bucket, the lowest byte is the tag.
#[derive(Clone, Copy)]
pub(crate) struct Hash(u64);

impl Hash {
    pub(crate) fn of(key: &[u64]) -> Self {
        let mix = |sum: u64, &word: &u64| {
            let product = u128::from(sum ^ word) * u128::from(0xe703_7ed1_a0b4_28db_u64);
            product as u64 ^ (product >> 64) as u64
        };
        // One more round than there are words, so that the last word affects all bits.
        Hash(mix(key.iter().fold(0xa076_1d64_78bd_642f, mix), &0x9e37_79b9_7f4a_7c15))
    }

    /// Returns the byte that a bucket stores for the key.
    fn tag(self) -> u8 {
        self.0 as u8
    }

    /// Returns the lower 32 hash bits, which are independent of the choice of the bucket.
    pub(crate) fn low_bits(self) -> usize {
        self.0 as u32 as usize
    }

    /// Returns the index of the first bucket to search, in a table of `buckets` buckets.
    fn bucket(self, buckets: usize) -> usize {
        // Scales the upper 32 bits of the hash to the range of indices, which works for any number
        // of buckets.
        (((self.0 >> 32) * buckets as u64) >> 32) as usize
    }

    /// Returns the segment of the table that contains the key's first bucket. It does not depend on
    /// the table size.
    pub(crate) fn segment(self) -> usize {
        self.bucket(TABLE_SEGMENTS)
    }
}

/// Result of a look-up in a table.
enum TableLookup {
    /// The key is in the table, with this number.
    Found(u32),
    /// The key is missing, and this bucket has a free slot.
    FreeInBucket(usize),
    /// The key was not found, and no searched bucket has a free slot.
    TableFull,
}

/// Searches the buckets from index `from` on for a key with this tag. `is_key` gets the number of a
/// stored key and returns true if this is the searched key. The search ends at the first bucket
/// with a free slot.
#[inline(always)]
fn search_buckets(
    buckets: &[Bucket],
    from: usize,
    tag: u8,
    is_key: impl Fn(u32) -> bool,
) -> TableLookup {
    for (bucket_index, bucket) in (from..).zip(&buckets[from..]) {
        let mut matches = bucket.tag_matches(tag);
        while matches != 0 {
            let slot = (matches.trailing_zeros() / 8) as usize;
            matches &= matches - 1;
            if slot < bucket.used_slots() && is_key(bucket.numbers[slot]) {
                return TableLookup::Found(bucket.numbers[slot]);
            }
        }
        if bucket.used_slots() < SLOTS_PER_BUCKET {
            return TableLookup::FreeInBucket(bucket_index);
        }
    }
    TableLookup::TableFull
}

/// Like [`search_buckets`], on a whole table from the first bucket of `hash` on. After the last
/// bucket, the search continues at the beginning of the table.
#[inline(always)]
fn search_table(buckets: &[Bucket], hash: Hash, is_key: impl Fn(u32) -> bool) -> TableLookup {
    match search_buckets(buckets, hash.bucket(buckets.len()), hash.tag(), &is_key) {
        TableLookup::TableFull => search_buckets(buckets, 0, hash.tag(), is_key),
        slot => slot,
    }
}

/// The keys of a set, one after another in chunks, by key number.
pub(crate) struct Arena {
    words_per_key: usize,
    /// A chunk contains 2^shift keys.
    shift: u32,
    /// Chunks of the same capacity. All but the last are full.
    chunks: Vec<Vec<u64>>,
    /// Number of keys.
    len: u32,
}

impl Arena {
    /// Returns the key with the given number.
    pub(crate) fn key(&self, number: u32) -> &[u64] {
        let chunk = &self.chunks[(number >> self.shift) as usize];
        let start = (number & ((1 << self.shift) - 1)) as usize * self.words_per_key;
        &chunk[start..start + self.words_per_key]
    }

    /// Adds a key and returns its number. Returns an error if memory or numbers run out.
    fn append(&mut self, key: &[u64], memory: &MemoryAccount) -> Result<u32, OutOfMemory> {
        let chunk = (self.len >> self.shift) as usize;
        if self.len == NO_NUMBER - 1 {
            return Err(OutOfMemory);
        }
        if chunk == self.chunks.len() {
            self.chunks.push(memory.allocate(self.words_per_key << self.shift)?);
        }
        self.chunks[chunk].extend_from_slice(key);
        self.len += 1;
        Ok(self.len - 1)
    }

    /// Returns the size of one chunk in bytes.
    fn chunk_bytes(&self) -> u64 {
        (8 * self.words_per_key as u64) << self.shift
    }
}

/// A numbered set of keys. See the module documentation.
pub(crate) struct MarkingSet {
    arena: Arena,
    /// The buckets of the hash table. Their number is 0 or a multiple of [`TABLE_SEGMENTS`].
    table: Vec<Bucket>,
    /// Number of keys at which the table is rebuilt with more buckets.
    grow_at: u64,
    memory: MemoryAccount,
}

/// The position of a new key in a segment of the hash table.
#[derive(Clone, Copy)]
pub(crate) enum InsertPosition {
    /// The index of the bucket in the whole table, and the slot in this bucket.
    Slot(u32, u8),
    /// Not inserted: from the key's first bucket on, no bucket of the segment has a free slot.
    NotInserted,
}

/// A segment of the hash table, filled by a single thread. See the module documentation.
pub(crate) struct TableSegment<'s> {
    arena: &'s Arena,
    buckets: &'s mut [Bucket],
    /// Index of the segment's first bucket in the whole table.
    first_bucket: usize,
    /// Number of buckets of the whole table.
    table_buckets: usize,
}

impl TableSegment<'_> {
    /// Prefetches the bucket of a key, like [`MarkingSet::prefetch`].
    pub(crate) fn prefetch(&self, hash: Hash) {
        black_box(self.buckets[hash.bucket(self.table_buckets) - self.first_bucket].tags_and_count);
    }

    /// Inserts `key` into the segment without a final number, and returns its position. Returns
    /// `None` if the segment already has an equal key, which is stored or was inserted before in
    /// this way. `new_index` counts the keys inserted in this way into the segment before.
    /// `equals_new_key` gets the `new_index` of such a key and returns true if that key equals
    /// `key`.
    pub(crate) fn insert_unnumbered(
        &mut self,
        key: &[u64],
        hash: Hash,
        new_index: u32,
        equals_new_key: impl Fn(u32) -> bool,
    ) -> Option<InsertPosition> {
        let (arena, home_bucket) =
            (self.arena, hash.bucket(self.table_buckets) - self.first_bucket);
        let is_key = |number: u32| match number.checked_sub(arena.len) {
            None => keys_equal(arena.key(number), key),
            Some(new_index) => equals_new_key(new_index),
        };
        match search_buckets(self.buckets, home_bucket, hash.tag(), is_key) {
            TableLookup::Found(_) => None,
            TableLookup::TableFull => Some(InsertPosition::NotInserted),
            TableLookup::FreeInBucket(free_bucket) => {
                let slot = self.buckets[free_bucket].used_slots() as u8;
                self.buckets[free_bucket].push(hash.tag(), arena.len + new_index);
                Some(InsertPosition::Slot((self.first_bucket + free_bucket) as u32, slot))
            }
        }
    }
}

impl MarkingSet {
    /// Creates an empty set of keys with `words` words each, at least one. Memory is taken from
    /// `memory`.
    pub(crate) fn new(words: usize, memory: &MemoryAccount) -> Self {
        let shift = (CHUNK_BYTES / 8 / words).max(1).ilog2();
        let arena = Arena { words_per_key: words, shift, chunks: Vec::new(), len: 0 };
        MarkingSet { arena, table: Vec::new(), grow_at: 0, memory: memory.clone() }
    }

    /// Returns the number of keys.
    pub(crate) fn len(&self) -> u32 {
        self.arena.len
    }

    /// Returns the key with the given number.
    pub(crate) fn key(&self, number: u32) -> &[u64] {
        self.arena.key(number)
    }

    /// Prefetches the bucket of a key for a later [`insert`](Self::insert). Called for all
    /// successors of a marking first, so that the memory accesses overlap.
    pub(crate) fn prefetch(&self, hash: Hash) {
        if !self.table.is_empty() {
            black_box(self.table[hash.bucket(self.table.len())].tags_and_count);
        }
    }

    /// Returns the number of `key`, if it is in the set.
    pub(crate) fn find(&self, key: &[u64], hash: Hash) -> Option<u32> {
        match search_table(&self.table, hash, |number| keys_equal(self.arena.key(number), key)) {
            TableLookup::Found(number) => Some(number),
            TableLookup::FreeInBucket(_) | TableLookup::TableFull => None,
        }
    }

    /// Inserts `key` if it is missing. Returns its number, and true if it is new.
    ///
    /// # Errors
    /// Returns an error if memory is short or no number is left for a new key.
    pub(crate) fn insert(&mut self, key: &[u64], hash: Hash) -> Result<(u32, bool), OutOfMemory> {
        if u64::from(self.arena.len) >= self.grow_at {
            self.grow(self.arena.len.into(), 1)?;
        }
        let arena = &self.arena;
        match search_table(&self.table, hash, |number| keys_equal(arena.key(number), key)) {
            TableLookup::Found(number) => Ok((number, false)),
            TableLookup::FreeInBucket(bucket) => {
                let number = self.arena.append(key, &self.memory)?;
                self.table[bucket].push(hash.tag(), number);
                Ok((number, true))
            }
            // Unreachable: the table is never completely full.
            TableLookup::TableFull => Err(OutOfMemory),
        }
    }

    /// Returns the segments of the table, with space for `max_new_keys` more keys in all segments
    /// together. If the table grows, at most `threads` threads insert the stored keys again.
    ///
    /// # Errors
    /// Returns an error if memory is short or there are not enough numbers for the keys.
    pub(crate) fn segments(
        &mut self,
        max_new_keys: u64,
        threads: usize,
    ) -> Result<impl Iterator<Item = TableSegment<'_>>, OutOfMemory> {
        let keys = u64::from(self.arena.len);
        if keys + max_new_keys >= NO_NUMBER.into() {
            return Err(OutOfMemory);
        }
        if keys >= self.grow_at {
            self.grow(keys, threads)?;
        }
        // Some slots always stay free, so that every look-up ends, and ends soon.
        let slots = (self.table.len() * SLOTS_PER_BUCKET) as u64;
        if keys + max_new_keys > slots - slots / 32 {
            self.grow(keys + max_new_keys, threads)?;
        }
        let (arena, total_buckets) = (&self.arena, self.table.len());
        let segments = self.table.chunks_mut(total_buckets / TABLE_SEGMENTS).enumerate();
        Ok(segments.map(move |(segment, buckets)| TableSegment {
            arena,
            first_bucket: segment * (total_buckets / TABLE_SEGMENTS),
            buckets,
            table_buckets: total_buckets,
        }))
    }

    /// Stores a key for which [`TableSegment::insert_unnumbered`] has returned `position`, and
    /// returns its number. Returns `None` if the key exists already, which is possible only for
    /// [`InsertPosition::NotInserted`]. All such keys must get their numbers before any other use
    /// of the set.
    ///
    /// # Errors
    /// Returns an error if memory is short. Then the table must be [dropped](Self::drop_table).
    pub(crate) fn assign_number(
        &mut self,
        key: &[u64],
        hash: Hash,
        position: InsertPosition,
    ) -> Result<Option<u32>, OutOfMemory> {
        let arena = &self.arena;
        // Entries without a number are different keys: an equal key would not have been inserted in
        // its segment either. A provisional number may meanwhile be the number of some stored key.
        // If that key is equal, the answer "not new" is correct anyway.
        let is_key = |number| number < arena.len && keys_equal(arena.key(number), key);
        let (bucket, slot) = match position {
            InsertPosition::Slot(bucket, slot) => (bucket as usize, Some(slot)),
            InsertPosition::NotInserted => match search_table(&self.table, hash, is_key) {
                TableLookup::Found(_) => return Ok(None),
                TableLookup::FreeInBucket(free_bucket) => (free_bucket, None),
                // Unreachable: the table is never completely full.
                TableLookup::TableFull => return Err(OutOfMemory),
            },
        };
        let number = self.arena.append(key, &self.memory)?;
        match slot {
            Some(slot) => self.table[bucket].numbers[slot as usize] = number,
            None => self.table[bucket].push(hash.tag(), number),
        }
        Ok(Some(number))
    }

    /// Drops a table that contains keys without numbers. The next insertion rebuilds it. Until
    /// then, [`find`](Self::find) finds no key.
    pub(crate) fn drop_table(&mut self) {
        self.memory.give_back((self.table.len() * size_of::<Bucket>()) as u64);
        (self.table, self.grow_at) = (Vec::new(), 0);
    }

    /// Rebuilds the table with so many buckets that `key_count` keys leave room for more.
    /// `key_count` must be at least the current number of keys. At most `threads` threads insert
    /// the keys.
    fn grow(&mut self, key_count: u64, threads: usize) -> Result<(), OutOfMemory> {
        let load = if self.table.len() < LARGE_TABLE_BUCKETS {
            MAX_LOAD_SMALL / 2
        } else {
            LOAD_AFTER_GROWING
        };
        let slots = (key_count.max(2 * SLOTS_PER_BUCKET as u64) * 16).div_ceil(load);
        let buckets =
            (slots.div_ceil(SLOTS_PER_BUCKET as u64) as usize).next_multiple_of(TABLE_SEGMENTS);
        // Freeing the old table lowers the memory of the process, but the budget queries the kernel
        // only from time to time. So only the additional memory is taken here.
        let bytes = |buckets: usize| (buckets * size_of::<Bucket>()) as u64;
        let added_bytes = bytes(buckets.saturating_sub(self.table.len()));
        self.memory.take(added_bytes)?;
        let taken_bytes = bytes(self.table.len()) + added_bytes;
        self.table = Vec::new();
        self.grow_at = 0;
        let mut table =
            try_with_capacity(buckets).inspect_err(|_| self.memory.give_back(taken_bytes))?;
        table.resize(buckets, EMPTY_BUCKET);
        self.table = table;
        if self.fill(threads).is_err() {
            self.drop_table();
            return Err(OutOfMemory);
        }
        let max_load = if buckets < LARGE_TABLE_BUCKETS { MAX_LOAD_SMALL } else { MAX_LOAD_LARGE };
        self.grow_at = slots * max_load / 16;
        Ok(())
    }

    /// Inserts all keys into the empty table. Each thread visits all keys, and inserts those whose
    /// first bucket is in its share of the buckets. Keys without a free slot in their share are
    /// inserted at the end.
    fn fill(&mut self, threads: usize) -> Result<(), OutOfMemory> {
        let (arena, total_buckets) = (&self.arena, self.table.len());
        let threads =
            if total_buckets < LARGE_TABLE_BUCKETS { 1 } else { threads.clamp(1, TABLE_SEGMENTS) };
        let buckets_per_share =
            (total_buckets / TABLE_SEGMENTS * TABLE_SEGMENTS.div_ceil(threads)).max(1);
        let mut shares: Vec<BucketShare<'_>> = Vec::new();
        for (share_index, buckets) in self.table.chunks_mut(buckets_per_share).enumerate() {
            shares.push(BucketShare {
                buckets,
                first_bucket: share_index * buckets_per_share,
                unplaced_keys: Vec::new(),
                is_out_of_memory: false,
            });
        }
        let tasks = Tasks::new(shares.iter_mut());
        run_on_threads(&mut vec![(); threads], |()| {
            while let Some(share) = tasks.next() {
                share.is_out_of_memory = share.fill(arena, total_buckets).is_err();
            }
        });
        if shares.iter().any(|share| share.is_out_of_memory) {
            return Err(OutOfMemory);
        }
        let unplaced: Vec<Vec<u32>> = shares.into_iter().map(|share| share.unplaced_keys).collect();
        for number in unplaced.into_iter().flatten() {
            let hash = Hash::of(self.arena.key(number));
            match search_table(&self.table, hash, |_| false) {
                TableLookup::FreeInBucket(bucket_index) => {
                    self.table[bucket_index].push(hash.tag(), number)
                }
                // Unreachable: the table has more slots than there are keys.
                TableLookup::Found(_) | TableLookup::TableFull => return Err(OutOfMemory),
            }
        }
        Ok(())
    }

    /// Returns the set of the converted keys, with `words` words each and with the same numbers.
    /// `convert` gets an old key and writes the new key to its second argument. Distinct keys must
    /// stay distinct. Each chunk is freed after its keys are converted.
    ///
    /// # Errors
    /// Returns an error if memory is short or `convert` fails. Then the keys are lost.
    pub(crate) fn converted(
        mut self,
        words: usize,
        mut convert: impl FnMut(&[u64], &mut [u64]) -> Result<(), OutOfMemory>,
    ) -> Result<MarkingSet, OutOfMemory> {
        self.memory.give_back((self.table.len() * size_of::<Bucket>()) as u64);
        self.table = Vec::new();
        let mut converted = MarkingSet::new(words, &self.memory);
        let mut new = vec![0; words];
        self.arena.chunks.reverse();
        while let Some(chunk) = self.arena.chunks.last() {
            for old in chunk.chunks_exact(self.arena.words_per_key) {
                convert(old, &mut new)?;
                converted.arena.append(&new, &self.memory)?;
            }
            self.arena.chunks.pop();
            self.memory.give_back(self.arena.chunk_bytes());
        }
        converted.grow(converted.arena.len.into(), 1)?;
        Ok(converted)
    }
}

/// A share of the buckets of a table that is being filled.
struct BucketShare<'s> {
    buckets: &'s mut [Bucket],
    /// Index of the first bucket.
    first_bucket: usize,
    /// Numbers of the keys for which no bucket of this share, from the key's first bucket on, has a
    /// free slot.
    unplaced_keys: Vec<u32>,
    /// True if there was no memory for `unplaced_keys`.
    is_out_of_memory: bool,
}

impl BucketShare<'_> {
    /// Inserts all keys whose first bucket is in this share. Keys without a free slot are added to
    /// `unplaced_keys` instead. `total_buckets` is the number of buckets of the whole table.
    fn fill(&mut self, arena: &Arena, total_buckets: usize) -> Result<(), OutOfMemory> {
        let keys = arena.chunks.iter().flat_map(|chunk| chunk.chunks_exact(arena.words_per_key));
        for (number, key) in (0..).zip(keys) {
            let hash = Hash::of(key);
            let Some(home_bucket) = hash.bucket(total_buckets).checked_sub(self.first_bucket)
            else {
                continue;
            };
            if home_bucket >= self.buckets.len() {
                continue;
            }
            match self.buckets[home_bucket..]
                .iter_mut()
                .find(|bucket| bucket.used_slots() < SLOTS_PER_BUCKET)
            {
                Some(bucket) => bucket.push(hash.tag(), number),
                None => {
                    self.unplaced_keys.try_reserve(1).map_err(|_| OutOfMemory)?;
                    self.unplaced_keys.push(number);
                }
            }
        }
        Ok(())
    }
}

impl Drop for MarkingSet {
    fn drop(&mut self) {
        let table = (self.table.len() * size_of::<Bucket>()) as u64;
        let chunks = self.arena.chunks.len() as u64;
        self.memory.give_back(chunks * self.arena.chunk_bytes() + table);
    }
}

/// Returns true if two keys of the same length are equal. Most keys have a word or two, too short
/// for a call of `memcmp`.
pub(crate) fn keys_equal(a: &[u64], b: &[u64]) -> bool {
    if a.len() > 8 { a == b } else { a.iter().zip(b).all(|(x, y)| x == y) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn insert(set: &mut MarkingSet, key: &[u64]) -> Result<(u32, bool), OutOfMemory> {
        set.insert(key, Hash::of(key))
    }

    #[test]
    fn each_key_has_one_number_and_is_found() {
        let room = MemoryAccount::unlimited();
        let mut set = MarkingSet::new(2, &room);
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
        assert!(room.used_bytes() > 1_300_000);
        let mut keys_to_convert = 90_000;
        let failed = set.converted(1, |_, _| {
            keys_to_convert -= 1;
            if keys_to_convert > 0 { Ok(()) } else { Err(OutOfMemory) }
        });
        assert!(failed.is_err());
        assert_eq!(room.used_bytes(), 0);
    }

    #[test]
    fn keys_with_equal_hashes_stay_distinct() {
        let mut set = MarkingSet::new(1, &MemoryAccount::unlimited());
        for i in 0..40 {
            assert_eq!(set.insert(&[i], Hash(7)), Ok((i as u32, true)));
        }
        assert_eq!(set.insert(&[33], Hash(7)), Ok((33, false)));
    }

    /// Adds keys segment by segment, and then numbers them in order. Returns the positions in
    /// `keys` of the new keys, with the keys' numbers. Also returns the number of keys that did not
    /// fit in their segments.
    fn add_by_segments(set: &mut MarkingSet, keys: &[u64]) -> (Vec<(usize, u32)>, usize) {
        let mut new_keys: Vec<(usize, InsertPosition)> = Vec::new();
        for (segment_index, mut segment) in set.segments(keys.len() as u64, 3).unwrap().enumerate()
        {
            let mut segment_keys: Vec<(usize, InsertPosition)> = Vec::new();
            let hash = |key: u64| Hash::of(&[key]);
            for (position, &key) in
                keys.iter().enumerate().filter(|it| hash(*it.1).segment() == segment_index)
            {
                segment.prefetch(hash(key));
                let is_fresh = |other: u32| keys[segment_keys[other as usize].0] == key;
                if let Some(put) = segment.insert_unnumbered(
                    &[key],
                    hash(key),
                    segment_keys.len() as u32,
                    is_fresh,
                ) {
                    segment_keys.push((position, put));
                }
            }
            new_keys.extend(segment_keys);
        }
        let not_inserted =
            new_keys.iter().filter(|(_, put)| matches!(put, InsertPosition::NotInserted)).count();
        new_keys.sort_unstable_by_key(|(position, _)| *position);
        let mut settle = |(position, put): (usize, InsertPosition)| {
            let key = keys[position];
            Some((position, set.assign_number(&[key], Hash::of(&[key]), put).unwrap()?))
        };
        (new_keys.into_iter().filter_map(&mut settle).collect(), not_inserted)
    }

    #[test]
    fn segments_give_the_same_numbers_as_single_insertions() {
        let mut rng = fastrand::Rng::with_seed(9);
        // Keys that overflow the last buckets of some segments, including the last segment, into
        // the following ones.
        let is_last = |key: &u64| Hash::of(&[*key]).bucket(64 * TABLE_SEGMENTS) % 64 == 63;
        let last: Vec<u64> = (0..40_000).filter(is_last).collect();
        let mut total_not_inserted = 0;
        for crowded in [false, true].repeat(30) {
            let (mut sequential_set, mut segmented_set) = (
                MarkingSet::new(1, &MemoryAccount::unlimited()),
                MarkingSet::new(1, &MemoryAccount::unlimited()),
            );
            for _ in 0..rng.usize(1..12) {
                let mut key =
                    |_| if crowded { rng.choice(&last).copied() } else { Some(rng.u64(0..900)) };
                let keys: Vec<u64> = (0..200).filter_map(&mut key).collect();
                let mut expected = Vec::new();
                for (at, &key) in keys.iter().enumerate() {
                    let (number, is_new) = insert(&mut sequential_set, &[key]).unwrap();
                    if is_new {
                        expected.push((at, number));
                    }
                }
                let (found, beyond) = add_by_segments(&mut segmented_set, &keys);
                assert_eq!(found, expected);
                total_not_inserted += beyond;
                for key in keys {
                    let hash = Hash::of(&[key]);
                    assert_eq!(segmented_set.find(&[key], hash), sequential_set.find(&[key], hash));
                }
            }
            assert_eq!(sequential_set.len(), segmented_set.len());
            assert_eq!(segmented_set.find(&[50_000], Hash::of(&[50_000])), None);
        }
        assert!(total_not_inserted > 300, "{total_not_inserted}");
    }

    #[test]
    fn a_set_finds_all_keys_after_its_table_was_dropped() {
        let room = MemoryAccount::unlimited();
        let mut set = MarkingSet::new(1, &room);
        (0..5000).for_each(|key| assert!(insert(&mut set, &[key]).unwrap().1));
        let taken = room.used_bytes();
        set.drop_table();
        assert!(room.used_bytes() < taken);
        (0..5000).for_each(|key| assert_eq!(insert(&mut set, &[key]), Ok((key as u32, false))));
    }

    #[test]
    fn more_keys_than_the_small_table_has_slots() {
        let mut set = MarkingSet::new(1, &MemoryAccount::unlimited());
        let keys = 3 * (LARGE_TABLE_BUCKETS * SLOTS_PER_BUCKET) as u64;
        assert!((0..keys).all(|key| insert(&mut set, &[key << 20]) == Ok((key as u32, true))));
        let mut again = (0..keys).step_by(1000);
        assert!(again.all(|key| insert(&mut set, &[key << 20]) == Ok((key as u32, false))));
        // Filled by several threads, to the maximum load.
        for threads in [2, 3, 7, 50] {
            let slots = keys * 16 / MAX_LOAD_LARGE;
            let buckets =
                (slots.div_ceil(SLOTS_PER_BUCKET as u64) as usize).next_multiple_of(TABLE_SEGMENTS);
            set.table = vec![EMPTY_BUCKET; buckets];
            set.fill(threads).unwrap();
            let taken: usize = set.table.iter().map(Bucket::used_slots).sum();
            assert_eq!(taken as u64, keys);
            let find = |key: u64| set.find(&[key << 20], Hash::of(&[key << 20]));
            assert!((0..keys).all(|key| find(key) == Some(key as u32)));
        }
    }
}
