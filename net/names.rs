//! The names of the nodes of one kind, in one piece of text: a net of 10⁵ transitions keeps three
//! allocations instead of 10⁵.

use crate::table::{FREE, Table, hash};

/// Names by dense index, with look-up by name. Names are unique; the builder sees to it.
#[derive(Clone, Debug, Default)]
pub struct Names {
    text: String,
    /// End of each name in `text`.
    ends: Vec<u32>,
    table: Table,
}

impl Names {
    /// Appends a name that is not there yet.
    pub(crate) fn push(&mut self, name: &str) -> Result<(), TooMuchText> {
        self.push_hashed(name, hash(name))
    }

    /// The same of a name whose hash is known.
    pub(crate) fn push_hashed(&mut self, name: &str, hash: u32) -> Result<(), TooMuchText> {
        let end = u32::try_from(self.text.len() + name.len()).map_err(|_| TooMuchText)?;
        let index = u32::try_from(self.ends.len()).ok().filter(|&index| index != FREE);
        self.table.insert(hash, index.ok_or(TooMuchText)?);
        self.text.push_str(name);
        self.ends.push(end);
        Ok(())
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
        self.find_hashed(name, hash(name))
    }

    /// The same of a name whose hash is known.
    pub(crate) fn find_hashed(&self, name: &str, hash: u32) -> Option<usize> {
        self.table.find(hash, |index| self.get(index) == name)
    }

    /// All names by index.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|index| self.get(index))
    }
}

/// The names of one kind exceed 4 GiB, or there are too many.
#[derive(Debug)]
pub(crate) struct TooMuchText;
