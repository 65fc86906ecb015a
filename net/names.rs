//! The names of the nodes of one kind, in one piece of text: a net of 10⁵ transitions keeps three
//! allocations instead of 10⁵.

use std::hash::{BuildHasher, RandomState};

/// Names by dense index, with look-up by name. Names are unique; the builder sees to it.
#[derive(Clone, Debug, Default)]
pub struct Names {
    text: String,
    /// End of each name in `text`.
    ends: Vec<u32>,
    /// A hash table with open addressing: indices, or [`FREE`]; at most half of it is taken.
    table: Vec<u32>,
    hasher: RandomState,
}

/// No name has this index: there are fewer.
const FREE: u32 = u32::MAX;

impl Names {
    /// Appends a name that is not there yet.
    pub(crate) fn push(&mut self, name: &str) -> Result<(), TooMuchText> {
        let end = u32::try_from(self.text.len() + name.len()).map_err(|_| TooMuchText)?;
        let index = u32::try_from(self.ends.len()).ok().filter(|&index| index != FREE);
        let index = index.ok_or(TooMuchText)?;
        self.text.push_str(name);
        self.ends.push(end);
        if self.table.len() < 2 * self.ends.len() {
            self.table = vec![FREE; (4 * self.ends.len()).next_power_of_two()];
            for index in 0..index {
                self.enter(index);
            }
        }
        self.enter(index);
        Ok(())
    }

    /// Puts an index where its name is looked for.
    fn enter(&mut self, index: u32) {
        let mut slot = self.slot(self.get(index as usize));
        while self.table[slot] != FREE {
            slot = (slot + 1) & (self.table.len() - 1);
        }
        self.table[slot] = index;
    }

    /// Where the search for a name begins; the table is not empty.
    fn slot(&self, name: &str) -> usize {
        self.hasher.hash_one(name) as usize & (self.table.len() - 1)
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The name at `index`.
    pub fn get(&self, index: usize) -> &str {
        let start = if index == 0 { 0 } else { self.ends[index - 1] as usize };
        &self.text[start..self.ends[index] as usize]
    }

    /// The index of `name`.
    pub fn find(&self, name: &str) -> Option<usize> {
        if self.table.is_empty() {
            return None;
        }
        let mut slot = self.slot(name);
        while self.table[slot] != FREE {
            let index = self.table[slot] as usize;
            if self.get(index) == name {
                return Some(index);
            }
            slot = (slot + 1) & (self.table.len() - 1);
        }
        None
    }

    /// All names by index.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|index| self.get(index))
    }
}

/// The names of one kind exceed 4 GiB, or there are too many.
#[derive(Debug)]
pub(crate) struct TooMuchText;
