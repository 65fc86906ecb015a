//! The parent of each marking: the marking from which it was first reached.
//!
//! A breadth-first search expands markings in the order of their numbers, so the sequence of
//! parents never decreases. It is stored as a bit vector: a bit 0 for each increment of the parent,
//! and a bit 1 for each marking. This takes one bit per marking and one per expanded marking, so at
//! most two bits per parent instead of 32. The parent of a marking is the number of zeros before
//! its one (P. Elias, *Efficient storage and retrieval by content and address of static files*, J.
//! ACM 21(2), 1974). At the first decreasing parent, all parents are converted to plain numbers.

use super::memory::{MemoryAccount, OutOfMemory};
use super::set::NO_NUMBER;

/// Number of words of the bit vector for each stored count of ones.
const WORDS_PER_COUNT: usize = 32;
/// Binary logarithm of the chunk size for plain numbers.
const CHUNK_SHIFT: u32 = 14;

/// The parents of markings 1, 2, 3 …; marking 0 has none.
pub(crate) struct Parents {
    /// The stored parents, as a bit vector or as plain numbers.
    kind: ParentKind,
    /// Number of parents.
    len: u32,
    memory: MemoryAccount,
}

/// The representation of the parents.
enum ParentKind {
    /// A bit vector, while the parents never decrease.
    Steps(ParentSteps),
    /// Chunks of 2^[`CHUNK_SHIFT`] parents, after a parent was smaller than the one before.
    Plain(Vec<Vec<u32>>),
}

/// Parents as a bit vector. A word is added to `bits` when its first bit is written, and a count to
/// `ones_before` with every [`WORDS_PER_COUNT`]th word.
#[derive(Default)]
struct ParentSteps {
    /// The bit vector: a 0 for each increment of the parent, a 1 for each marking.
    bits: Vec<u64>,
    /// Number of bits written.
    bit_len: u64,
    /// For each i, the number of ones before word i · [`WORDS_PER_COUNT`].
    ones_before: Vec<u32>,
    last_parent: u32,
    /// Memory taken from the account, in bytes.
    taken_bytes: u64,
}

impl Parents {
    /// Creates an empty list, for a set with only the initial marking. Memory is taken from
    /// `memory`.
    pub(crate) fn new(memory: &MemoryAccount) -> Self {
        Parents { kind: ParentKind::Steps(ParentSteps::default()), len: 0, memory: memory.clone() }
    }

    /// Returns the number of parents, which is one less than the number of markings.
    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    /// Adds the parent of the next marking.
    ///
    /// # Errors
    /// Returns an error if memory is short.
    pub(crate) fn push(&mut self, parent: u32) -> Result<(), OutOfMemory> {
        if let ParentKind::Steps(steps) = &self.kind
            && parent < steps.last_parent
        {
            self.convert_to_plain()?;
        }
        match &mut self.kind {
            ParentKind::Steps(steps) => steps.push(parent, self.len, &self.memory)?,
            ParentKind::Plain(chunks) => push_plain(chunks, self.len, parent, &self.memory)?,
        }
        self.len += 1;
        Ok(())
    }

    /// Returns the parent of the marking with this number. [`NO_NUMBER`] for marking 0, the initial
    /// marking.
    pub(crate) fn of(&self, number: u32) -> u32 {
        let Some(index) = number.checked_sub(1) else { return NO_NUMBER };
        match &self.kind {
            ParentKind::Steps(steps) => steps.parent(index),
            ParentKind::Plain(chunks) => {
                chunks[(index >> CHUNK_SHIFT) as usize][(index & ((1 << CHUNK_SHIFT) - 1)) as usize]
            }
        }
    }

    /// Converts the bit vector to plain numbers. Leaves the bit vector as it is if memory is short.
    fn convert_to_plain(&mut self) -> Result<(), OutOfMemory> {
        let ParentKind::Steps(steps) = &self.kind else { return Ok(()) };
        let mut chunks = Vec::new();
        if let Err(full) = write_plain(steps, &mut chunks, &self.memory) {
            self.memory.give_back((chunks.len() * (4 << CHUNK_SHIFT)) as u64);
            return Err(full);
        }
        self.memory.give_back(steps.taken_bytes);
        self.kind = ParentKind::Plain(chunks);
        Ok(())
    }
}

/// Appends all parents of the bit vector to `chunks`, which are empty, as plain numbers.
fn write_plain(
    steps: &ParentSteps,
    chunks: &mut Vec<Vec<u32>>,
    memory: &MemoryAccount,
) -> Result<(), OutOfMemory> {
    let (mut parent, mut index) = (0, 0);
    for bit in 0..steps.bit_len {
        match steps.bits[(bit / 64) as usize] >> (bit % 64) & 1 {
            0 => parent += 1,
            _ => {
                push_plain(chunks, index, parent, memory)?;
                index += 1;
            }
        }
    }
    Ok(())
}

impl Drop for Parents {
    fn drop(&mut self) {
        self.memory.give_back(match &self.kind {
            ParentKind::Steps(steps) => steps.taken_bytes,
            ParentKind::Plain(chunks) => (chunks.len() * (4 << CHUNK_SHIFT)) as u64,
        });
    }
}

/// Appends a parent to `chunks`, which contain `index` parents so far.
fn push_plain(
    chunks: &mut Vec<Vec<u32>>,
    index: u32,
    parent: u32,
    memory: &MemoryAccount,
) -> Result<(), OutOfMemory> {
    if (index >> CHUNK_SHIFT) as usize == chunks.len() {
        chunks.push(memory.allocate(1 << CHUNK_SHIFT)?);
    }
    chunks[(index >> CHUNK_SHIFT) as usize].push(parent);
    Ok(())
}

impl ParentSteps {
    /// Extends the bit vector with zeros, to the end of the word with bit `last_bit`. `ones` is the
    /// number of ones so far.
    fn extend_to(
        &mut self,
        last_bit: u64,
        ones: u32,
        memory: &MemoryAccount,
    ) -> Result<(), OutOfMemory> {
        while self.bits.len() as u64 <= last_bit / 64 {
            let words = self.bits.len();
            if words == self.bits.capacity() {
                // Grows by a quarter, and the counts accordingly.
                let additional_words = (words / 4).max(64);
                let counts = additional_words / WORDS_PER_COUNT + 1;
                let bytes = (additional_words * 8 + counts * 4) as u64;
                memory.take(bytes)?;
                self.taken_bytes += bytes;
                self.bits.try_reserve_exact(additional_words).map_err(|_| OutOfMemory)?;
                self.ones_before.try_reserve_exact(counts).map_err(|_| OutOfMemory)?;
            }
            if words.is_multiple_of(WORDS_PER_COUNT) {
                self.ones_before.push(ones);
            }
            self.bits.push(0);
        }
        Ok(())
    }

    /// Appends the parent of the next marking. `ones` is the number of parents so far.
    fn push(&mut self, parent: u32, ones: u32, memory: &MemoryAccount) -> Result<(), OutOfMemory> {
        let new_bit = self.bit_len + u64::from(parent - self.last_parent);
        self.extend_to(new_bit, ones, memory)?;
        self.bits[(new_bit / 64) as usize] |= 1 << (new_bit % 64);
        (self.bit_len, self.last_parent) = (new_bit + 1, parent);
        Ok(())
    }

    /// Returns the parent of marking `index` + 1: the number of zeros before the `index`th one,
    /// counted from 0.
    fn parent(&self, index: u32) -> u32 {
        let sample = self.ones_before.partition_point(|&ones| ones <= index) - 1;
        let mut remaining = index - self.ones_before[sample];
        let mut word = sample * WORDS_PER_COUNT;
        while remaining >= self.bits[word].count_ones() {
            remaining -= self.bits[word].count_ones();
            word += 1;
        }
        let mut bits = self.bits[word];
        (0..remaining).for_each(|_| bits &= bits - 1);
        (word as u64 * 64 + u64::from(bits.trailing_zeros()) - u64::from(index)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_added_in_any_order_are_read_back() {
        let mut rng = fastrand::Rng::with_seed(3);
        for descends_at in [50_000, 40_000, 1, 0] {
            let room = MemoryAccount::unlimited();
            let mut parents = Parents::new(&room);
            let mut expected: Vec<u32> = Vec::new();
            let mut parent = 0;
            for at in 0..50_000_u32 {
                // Long runs of siblings, and long runs of markings without children.
                parent = match rng.u8(0..100) {
                    0 => parent + rng.u32(0..300),
                    1..40 => parent + 1,
                    _ => parent,
                };
                if at >= descends_at {
                    parent = rng.u32(0..=at);
                }
                parents.push(parent).unwrap();
                expected.push(parent);
            }
            assert_eq!(parents.of(0), NO_NUMBER);
            let numbers = (1..).zip(&expected);
            numbers.for_each(|(number, &parent)| assert_eq!(parents.of(number), parent));
            let bytes = room.used_bytes();
            assert_eq!(bytes < 50_000, descends_at == 50_000, "{bytes}");
            drop(parents);
            assert_eq!(room.used_bytes(), 0);
        }
    }
}
