//! Sorts: the finite sets that colours are of.

/// A sort of a coloured net.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SortId(pub(crate) u32);

impl SortId {
    /// Its position, from 0.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A named sort.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sort {
    pub(crate) name: String,
    pub(crate) kind: SortKind,
    pub(crate) size: u64,
}

impl Sort {
    /// The model's name of it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What its colours are.
    pub fn kind(&self) -> &SortKind {
        &self.kind
    }

    /// How many colours it has, at least 1.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Whether colours have a successor and a predecessor.
    pub fn is_cyclic(&self) -> bool {
        matches!(self.kind, SortKind::Enumeration { cyclic: true, .. })
    }

    /// Whether `<` and its like compare its colours: all but products, by position.
    pub fn is_ordered(&self) -> bool {
        !matches!(self.kind, SortKind::Product(_))
    }
}

/// What a sort's colours are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SortKind {
    /// The one black token.
    Dot,
    /// Constants in the order of their declaration, each named once.
    Enumeration {
        /// Their names.
        constants: Vec<Box<str>>,
        /// Whether the first follows the last.
        cyclic: bool,
    },
    /// The whole numbers from `start` to `end`, both included.
    Range {
        /// The first.
        start: i64,
        /// The last.
        end: i64,
    },
    /// Tuples with a component of each of these sorts, at least one.
    Product(Vec<SortId>),
    /// The blocks that another sort is cut into.
    Partition {
        /// That sort.
        of: SortId,
        /// The blocks' names.
        elements: Vec<Box<str>>,
        /// For each colour of that sort its block.
        block_of: Vec<u32>,
    },
}
