//! A set of rows of machine words, numbered in insertion order.
//!
//! An open-addressing hash table of row numbers over one flat vector: eight bytes per word and
//! eight to sixteen more per row, without allocation per row.

/// A set of rows of equal length. A row holds a packed joint state or a packed search node.
#[derive(Debug)]
pub(crate) struct JointStateStore {
    /// The words of the rows, concatenated.
    words: Vec<u64>,
    /// Number of words of a row.
    width: usize,
    /// Row numbers plus one; 0 is a free slot. The length is a power of two.
    slots: Vec<u32>,
    /// Number of rows.
    count: u32,
}

impl JointStateStore {
    /// Creates an empty set of rows of `width` words.
    pub(crate) fn new(width: usize) -> Self {
        Self { words: Vec::new(), width, slots: vec![0; 1 << 10], count: 0 }
    }

    /// Returns the number of rows.
    pub(crate) fn len(&self) -> usize {
        self.count as usize
    }

    /// Returns the row with the given number.
    pub(crate) fn row(&self, number: u32) -> &[u64] {
        &self.words[number as usize * self.width..][..self.width]
    }

    /// Inserts a row. Returns its number, and true if it is new.
    pub(crate) fn insert(&mut self, row: &[u64]) -> (u32, bool) {
        if (self.count as usize + 1) * 2 > self.slots.len() {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let mut slot = hash(row) as usize & mask;
        loop {
            match self.slots[slot] {
                0 => {
                    self.words.extend_from_slice(row);
                    self.count += 1;
                    self.slots[slot] = self.count;
                    return (self.count - 1, true);
                }
                number if self.row(number - 1) == row => return (number - 1, false),
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    fn grow(&mut self) {
        let size = self.slots.len() * 2;
        self.slots.clear();
        self.slots.resize(size, 0);
        for number in 0..self.count {
            let mut slot = hash(self.row(number)) as usize & (size - 1);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (size - 1);
            }
            self.slots[slot] = number + 1;
        }
    }
}

/// Returns a hash of a row: multiply and mix, word by word.
fn hash(row: &[u64]) -> u64 {
    let mut hash = 0x9E37_79B9_7F4A_7C15u64;
    for word in row {
        hash = (hash ^ word).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
        hash ^= hash >> 32;
    }
    hash.wrapping_mul(0xC4CE_B9FE_1A85_EC53) >> 16
}
