//! Sorts: finite sets of colours.

/// A sort of a coloured net.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SortId(pub(crate) u32);

impl SortId {
    /// Returns the position in the net's list of sorts, from 0.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A named sort.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sort {
    pub(crate) name: String,
    /// The kind of the sort, with its colours.
    pub(crate) kind: SortKind,
    /// Number of colours, at least 1.
    pub(crate) size: u64,
}

impl Sort {
    /// Returns the name in the model.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the kind.
    pub fn kind(&self) -> &SortKind {
        &self.kind
    }

    /// Returns the number of colours, at least 1.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Returns true if colours have a successor and a predecessor.
    pub fn is_cyclic(&self) -> bool {
        matches!(self.kind, SortKind::Enumeration { cyclic: true, .. })
    }

    /// Returns true if `<` and similar comparisons apply: all sorts but products, by position.
    pub fn is_ordered(&self) -> bool {
        !matches!(self.kind, SortKind::Product(_))
    }
}

/// The kind of a sort.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SortKind {
    /// The black token.
    Dot,
    /// Constants in the order of their declaration, each named once.
    Enumeration {
        /// The constants' names.
        constants: Vec<Box<str>>,
        /// True if the first constant is the successor of the last.
        cyclic: bool,
    },
    /// The whole numbers from `start` to `end`, both included.
    Range {
        /// The first number.
        start: i64,
        /// The last number.
        end: i64,
    },
    /// Tuples with one component from each of these sorts. The list is not empty.
    Product(Vec<SortId>),
    /// The blocks of a partition of another sort.
    Partition {
        /// The partitioned sort.
        of: SortId,
        /// The blocks' names.
        elements: Vec<Box<str>>,
        /// The block of each colour of the partitioned sort, as an index in `elements`.
        block_of: Vec<u32>,
    },
}
