//! The layout of a key, that is, of a packed marking: the field of each place, and the stored
//! words.

/// The bits of a key (packed marking) that contain a place's token count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    /// Index of the word in the key.
    pub(crate) word: u32,
    /// Index of the lowest bit in the word.
    pub(crate) shift: u8,
    /// Number of bits. 0 for a place that never changes.
    pub(crate) width: u8,
}

impl Field {
    /// Returns a mask of `width` low bits. This is also the largest token count that the field can
    /// hold.
    pub(crate) fn low_mask(self) -> u64 {
        (1 << self.width) - 1
    }

    /// Returns the mask of the field's bits in its word.
    pub(crate) fn mask(self) -> u64 {
        self.low_mask() << self.shift
    }

    /// Returns the mask of the field's highest bit in its word. The width must not be 0.
    pub(crate) fn high_bit(self) -> u64 {
        1 << (self.shift + self.width - 1)
    }
}

/// The number of words of a key (packed marking), and their storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Number of words of a key.
    pub(crate) words_per_key: usize,
    /// Number of leading words that are stored, at least 1. The other words follow from them.
    pub(crate) stored: usize,
    /// True if the stored words are folded into one word, the root (see `tree`).
    pub(crate) is_folded: bool,
}
