//! The names of the nodes of one kind, in one piece of text: a net of 10⁵ transitions keeps three
//! allocations instead of 10⁵.

/// Names by dense index, with look-up by name. Names are unique; the builder sees to it.
#[derive(Clone, Debug, Default)]
pub struct Names {
    text: String,
    /// End of each name in `text`.
    ends: Vec<u32>,
    /// Indices in the order of their names, for look-up by binary search.
    sorted: Vec<u32>,
}

impl Names {
    /// Appends a name; [`seal`](Self::seal) must follow before look-up.
    pub(crate) fn push(&mut self, name: &str) -> Result<(), TooMuchText> {
        let end = u32::try_from(self.text.len() + name.len()).map_err(|_| TooMuchText)?;
        self.text.push_str(name);
        self.ends.push(end);
        Ok(())
    }

    /// Sorts the look-up table.
    pub(crate) fn seal(&mut self) {
        let mut sorted: Vec<u32> = (0..self.ends.len() as u32).collect();
        sorted.sort_unstable_by(|&a, &b| self.get(a as usize).cmp(self.get(b as usize)));
        self.sorted = sorted;
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
        let at = self.sorted.binary_search_by(|&i| self.get(i as usize).cmp(name)).ok()?;
        Some(self.sorted[at] as usize)
    }

    /// All names by index.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|index| self.get(index))
    }
}

/// The names of one kind exceed 4 GiB.
#[derive(Debug)]
pub(crate) struct TooMuchText;
