//! The colours that a place may ever hold, as they are found, with indexes for those who look for
//! colours with given components.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Colours are numbers already: one multiplication spreads them enough.
#[derive(Default)]
pub(crate) struct ColourHasher(u64);

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

pub(crate) type ByColour<T> = HashMap<u64, T, BuildHasherDefault<ColourHasher>>;

/// Where in the list of its place a colour is.
enum Positions {
    Dense(Vec<u32>),
    Sparse(ByColour<u32>),
}

const NOWHERE: u32 = u32::MAX;

/// A table of this many places is small enough for any place.
const DENSE: u64 = 1 << 20;

/// Colours by some of their components.
struct Index {
    /// Stride and size of the components.
    key: Vec<(u64, u64)>,
    rows: ByColour<Vec<u64>>,
}

impl Index {
    fn key_of(&self, colour: u64) -> u64 {
        let components = self.key.iter();
        components.fold(0, |key, &(stride, size)| key * size + colour / stride % size)
    }
}

/// The colours of one place. They are found in some order, and looked at in that order; only those
/// looked at are seen by joins.
pub(super) struct Colours {
    positions: Positions,
    order: Vec<u64>,
    looked_at: usize,
    indexes: Vec<Index>,
}

impl Colours {
    pub(super) fn new(size: u64) -> Self {
        let positions = match size {
            ..=DENSE => Positions::Dense(Vec::new()),
            _ => Positions::Sparse(ByColour::default()),
        };
        Colours { positions, order: Vec::new(), looked_at: 0, indexes: Vec::new() }
    }

    /// The index on these components, made if it is not there. Before the first colour.
    pub(super) fn index(&mut self, key: &[(u64, u64)]) -> usize {
        if let Some(at) = self.indexes.iter().position(|index| index.key == key) {
            return at;
        }
        self.indexes.push(Index { key: key.to_vec(), rows: ByColour::default() });
        self.indexes.len() - 1
    }

    pub(super) fn position(&self, colour: u64) -> Option<usize> {
        let at = match &self.positions {
            Positions::Dense(table) => table.get(colour as usize).copied().unwrap_or(NOWHERE),
            Positions::Sparse(map) => map.get(&colour).copied().unwrap_or(NOWHERE),
        };
        (at != NOWHERE).then_some(at as usize)
    }

    /// Adds a colour if it is new.
    pub(super) fn add(&mut self, colour: u64) -> bool {
        let next = self.order.len() as u32;
        let slot = match &mut self.positions {
            Positions::Dense(table) => {
                if table.len() <= colour as usize {
                    table.resize(colour as usize + 1, NOWHERE);
                }
                &mut table[colour as usize]
            }
            Positions::Sparse(map) => map.entry(colour).or_insert(NOWHERE),
        };
        if *slot != NOWHERE {
            return false;
        }
        *slot = next;
        self.order.push(colour);
        true
    }

    /// How many were found.
    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    /// The next colour to look at, which is seen from now on.
    pub(super) fn look_at_next(&mut self) -> Option<u64> {
        let colour = *self.order.get(self.looked_at)?;
        self.looked_at += 1;
        for index in &mut self.indexes {
            let key = index.key_of(colour);
            index.rows.entry(key).or_default().push(colour);
        }
        Some(colour)
    }

    /// Whether a colour was looked at.
    pub(super) fn is_seen(&self, colour: u64) -> bool {
        self.position(colour).is_some_and(|at| at < self.looked_at)
    }

    /// The colours looked at with this key in an index.
    pub(super) fn row(&self, index: usize, key: u64) -> &[u64] {
        self.indexes[index].rows.get(&key).map_or(&[], |row| row)
    }

    /// Sorts the colours; positions are ranks from here on.
    pub(super) fn seal(&mut self) {
        self.indexes = Vec::new();
        self.order.sort_unstable();
        for (rank, &colour) in (0..).zip(&self.order) {
            match &mut self.positions {
                Positions::Dense(table) => table[colour as usize] = rank,
                Positions::Sparse(map) => {
                    map.insert(colour, rank);
                }
            }
        }
    }

    /// All colours, ascending once sealed.
    pub(super) fn all(&self) -> &[u64] {
        &self.order
    }
}
