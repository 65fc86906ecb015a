//! The possible colours of a place, in the order of discovery. Indexes support lookups by
//! components of tuples.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A hasher for colours. Colours are numbers already, so a single multiplication suffices.
#[derive(Default)]
pub struct ColourHasher(u64);

impl Hasher for ColourHasher {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(u64::from(byte)));
    }
    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0 ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

/// A map from the numbers of colours.
pub type ByColour<T> = HashMap<u64, T, BuildHasherDefault<ColourHasher>>;

/// The position of each colour in the list of its place.
enum ColourPositions {
    /// A table by colour, with [`MISSING`] for missing colours.
    Dense(Vec<u32>),
    /// A map, for sorts with too many colours for a table.
    Sparse(ByColour<u32>),
}

/// The entry of a colour that is not in the list.
const MISSING: u32 = u32::MAX;

/// Largest number of colours of a sort for which the positions are a table. It takes at most 4 MB
/// per place.
const MAX_TABLE_SIZE: u64 = 1 << 20;

/// An index of colours by some of their components.
struct ColourIndex {
    /// Stride and size of each component of a tuple that belongs to the key. A tuple is numbered in
    /// mixed radix. So its component is `colour / stride % size`, where `size` is the number of
    /// values of the component.
    key: Vec<(u64, u64)>,
    /// The processed colours by the number of their key components; see [`Self::key_of`].
    colours_by_key: ByColour<Vec<u64>>,
}

impl ColourIndex {
    /// Returns the number of the key components of a colour, in mixed radix.
    fn key_of(&self, colour: u64) -> u64 {
        let components = self.key.iter();
        components.fold(0, |key, &(stride, size)| key * size + colour / stride % size)
    }
}

/// The possible colours of a place. Colours are added in some order and processed in the same
/// order. Lookups by [`colours_with_key`](Self::colours_with_key) return only processed colours.
pub(super) struct PossibleColours {
    /// The position of each colour in `order`.
    positions: ColourPositions,
    /// The colours in the order in which they were added; ascending once sealed.
    order: Vec<u64>,
    /// Number of processed colours, from the beginning of `order`.
    processed: usize,
    /// The indexes of the processed colours.
    indexes: Vec<ColourIndex>,
}

impl PossibleColours {
    pub(super) fn new(size: u64) -> Self {
        let positions = match size {
            ..=MAX_TABLE_SIZE => ColourPositions::Dense(Vec::new()),
            _ => ColourPositions::Sparse(ByColour::default()),
        };
        PossibleColours { positions, order: Vec::new(), processed: 0, indexes: Vec::new() }
    }

    /// Returns the number of the index on the components `key`, each given by stride and size.
    /// Creates the index if necessary. Must be called before the first colour is added.
    pub(super) fn index(&mut self, key: &[(u64, u64)]) -> usize {
        if let Some(at) = self.indexes.iter().position(|index| index.key == key) {
            return at;
        }
        self.indexes.push(ColourIndex { key: key.to_vec(), colours_by_key: ByColour::default() });
        self.indexes.len() - 1
    }

    /// Returns the position of a colour in the list. Returns `None` if the colour was not added.
    pub(super) fn position(&self, colour: u64) -> Option<usize> {
        let at = match &self.positions {
            ColourPositions::Dense(table) => table.get(colour as usize).copied().unwrap_or(MISSING),
            ColourPositions::Sparse(map) => map.get(&colour).copied().unwrap_or(MISSING),
        };
        (at != MISSING).then_some(at as usize)
    }

    /// Adds a colour. Returns true if it is new.
    pub(super) fn add(&mut self, colour: u64) -> bool {
        let next = self.order.len() as u32;
        let slot = match &mut self.positions {
            ColourPositions::Dense(table) => {
                if table.len() <= colour as usize {
                    table.resize(colour as usize + 1, MISSING);
                }
                &mut table[colour as usize]
            }
            ColourPositions::Sparse(map) => map.entry(colour).or_insert(MISSING),
        };
        if *slot != MISSING {
            return false;
        }
        *slot = next;
        self.order.push(colour);
        true
    }

    /// Returns the number of added colours.
    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    /// Marks the next unprocessed colour as processed, adds it to the indexes, and returns it.
    /// Returns `None` if all colours are processed.
    pub(super) fn process_next(&mut self) -> Option<u64> {
        let colour = *self.order.get(self.processed)?;
        self.processed += 1;
        for index in &mut self.indexes {
            let key = index.key_of(colour);
            index.colours_by_key.entry(key).or_default().push(colour);
        }
        Some(colour)
    }

    /// Returns true if a colour is processed.
    pub(super) fn is_processed(&self, colour: u64) -> bool {
        self.position(colour).is_some_and(|at| at < self.processed)
    }

    /// Returns the processed colours whose key components in an index have the number `key`.
    pub(super) fn colours_with_key(&self, index: usize, key: u64) -> &[u64] {
        self.indexes[index].colours_by_key.get(&key).map_or(&[], |row| row)
    }

    /// Sorts the colours. After this call, the position of a colour is its rank in ascending order.
    pub(super) fn seal(&mut self) {
        self.indexes = Vec::new();
        self.order.sort_unstable();
        for (rank, &colour) in (0..).zip(&self.order) {
            match &mut self.positions {
                ColourPositions::Dense(table) => table[colour as usize] = rank,
                ColourPositions::Sparse(map) => {
                    map.insert(colour, rank);
                }
            }
        }
    }

    /// Returns all colours, in ascending order once sealed.
    pub(super) fn colours(&self) -> &[u64] {
        &self.order
    }
}
