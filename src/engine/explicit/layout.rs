//! Where the tokens of a place are in a key, and what of a key is stored.

/// Where the tokens of one place are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    /// The word.
    pub(crate) word: u32,
    /// The lowest bit in it.
    pub(crate) shift: u8,
    /// Bits, 0 for a place that never changes.
    pub(crate) width: u8,
}

impl Field {
    /// Its bits, moved to the lowest end.
    pub(crate) fn low_mask(self) -> u64 {
        (1 << self.width) - 1
    }

    /// Its bits in its word.
    pub(crate) fn mask(self) -> u64 {
        self.low_mask() << self.shift
    }

    /// Its highest bit in its word. Only of a field that has bits.
    pub(crate) fn high_bit(self) -> u64 {
        1 << (self.shift + self.width - 1)
    }
}

/// How keys are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Words of a key.
    pub(crate) words: usize,
    /// How many of them are stored, the first ones; at least one.
    pub(crate) stored: usize,
    /// Whether they are folded into one.
    pub(crate) folded: bool,
}
