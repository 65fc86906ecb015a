//! The names of the nodes of one kind in one piece of text: a net of 10⁵ transitions needs three
//! allocations instead of 10⁵.

use crate::table::{FREE, Table, hash};

/// Unique names by dense index, with look-up by name. The builder guarantees uniqueness.
#[derive(Clone, Debug, Default)]
pub struct Names {
    text: String,
    /// The end of each name in `text`.
    name_ends: Vec<u32>,
    /// The indices by the hashes of the names.
    table: Table,
}

impl Names {
    /// Appends a new name.
    pub(crate) fn push(&mut self, name: &str) -> Result<(), TooMuchText> {
        self.push_hashed(name, hash(name))
    }

    /// Appends a new name whose hash is known.
    pub(crate) fn push_hashed(&mut self, name: &str, hash: u32) -> Result<(), TooMuchText> {
        let end = u32::try_from(self.text.len() + name.len()).map_err(|_| TooMuchText)?;
        let index = u32::try_from(self.name_ends.len()).ok().filter(|&index| index != FREE);
        self.table.insert(hash, index.ok_or(TooMuchText)?);
        self.text.push_str(name);
        self.name_ends.push(end);
        Ok(())
    }

    /// Returns the number of names.
    pub fn len(&self) -> usize {
        self.name_ends.len()
    }

    /// Returns true if there are no names.
    pub fn is_empty(&self) -> bool {
        self.name_ends.is_empty()
    }

    /// Returns the name at `index`.
    pub fn get(&self, index: usize) -> &str {
        let start = if index == 0 { 0 } else { self.name_ends[index - 1] as usize };
        &self.text[start..self.name_ends[index] as usize]
    }

    /// Returns the index of `name`, or `None` if it is not among the names.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.find_hashed(name, hash(name))
    }

    /// Returns the index of a name whose hash is known, or `None` if it is not among the names.
    pub(crate) fn find_hashed(&self, name: &str, hash: u32) -> Option<usize> {
        self.table.find(hash, |index| self.get(index) == name)
    }

    /// Returns the names by index.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|index| self.get(index))
    }
}

/// The error for names that exceed 4 GiB, or too many names.
#[derive(Debug)]
pub(crate) struct TooMuchText;
