//! The successors of some markings in a row, as one thread computes them.
//!
//! They come in the order of the markings and of their firings, with what finds them in a table, and sorted by
//! the part of the table that is to be asked. Nothing of the set of markings is changed by making a block.

use super::moves::Moves;
use super::set::{Hash, PARTS};
use super::store::Layout;

/// Successors of markings in a row, and what a thread noted of these markings. See the module.
pub(crate) struct Block<N> {
    /// The number of the first marking.
    pub(crate) first: u32,
    /// By marking how many successors there are of it and those before it.
    pub(crate) ends: Vec<u32>,
    /// By successor the transition, …
    pub(crate) fired: Vec<u32>,
    /// … the whole key, …
    keys: Vec<u64>,
    /// … the root of what is stored, if that is folded, …
    roots: Vec<u64>,
    /// … and what finds it.
    pub(crate) hashes: Vec<Hash>,
    /// Successors with parts that have no number yet: they have neither a root nor a hash.
    pub(crate) unfolded: Vec<u32>,
    /// All successors, those of the same part of the table side by side, else in their order …
    order: Vec<u32>,
    /// … and where those of each part begin.
    starts: [u32; PARTS + 1],
    /// What was noted of the markings.
    pub(crate) notes: N,
    /// Whether it ends before the last marking that it was to hold.
    pub(crate) is_cut: bool,
    layout: Layout,
}

/// No successors of a marking, for one firing does not fit the layout of keys, or memory is short.
pub(crate) struct Unfit;

impl<N: Default> Block<N> {
    pub(crate) fn new() -> Self {
        Block {
            first: 0,
            ends: Vec::new(),
            fired: Vec::new(),
            keys: Vec::new(),
            roots: Vec::new(),
            hashes: Vec::new(),
            unfolded: Vec::new(),
            order: Vec::new(),
            starts: [0; PARTS + 1],
            notes: N::default(),
            is_cut: true,
            layout: Layout { words: 1, stored: 1, folded: false },
        }
    }

    /// Empties it, for successors of markings from `first` on.
    pub(crate) fn begin(&mut self, first: u32, layout: Layout) {
        (self.first, self.layout, self.is_cut) = (first, layout, true);
        self.ends.clear();
        self.fired.clear();
        self.keys.clear();
        self.roots.clear();
        self.hashes.clear();
        self.unfolded.clear();
        self.order.clear();
        self.starts = [0; PARTS + 1];
        self.notes = N::default();
    }

    /// Adds what firing each of `chosen` in `key`, the next marking, makes of it. `root_of` what is stored of a
    /// key, if that is folded, is `None` where it has parts that are not known.
    ///
    /// # Errors
    /// When one does not fit. Nothing is added then.
    pub(crate) fn fire(
        &mut self,
        key: &[u64],
        chosen: &[u32],
        moves: &Moves,
        mut root_of: impl FnMut(&[u64]) -> Option<u64>,
    ) -> Result<(), Unfit> {
        let Layout { words, stored, folded } = self.layout;
        let before = self.fired.len();
        let (more, roots) = (chosen.len(), if folded { chosen.len() } else { 0 });
        let reserved = self.ends.try_reserve(1).is_ok()
            && self.keys.try_reserve(more * words).is_ok()
            && self.fired.try_reserve(more).is_ok()
            && self.hashes.try_reserve(more).is_ok()
            && self.unfolded.try_reserve(roots).is_ok()
            && self.roots.try_reserve(roots).is_ok();
        let fits = reserved
            && chosen.iter().all(|&t| {
                let at = self.keys.len();
                self.keys.extend_from_slice(key);
                moves.fire(t, &mut self.keys[at..]).is_ok()
            });
        if !fits {
            self.keys.truncate(before * words);
            return Err(Unfit);
        }
        self.fired.extend_from_slice(chosen);
        for at in before..self.fired.len() {
            let key = &self.keys[at * words..][..stored];
            let hash = match folded {
                false => Hash::of(key),
                true => {
                    let root = root_of(key);
                    if root.is_none() {
                        self.unfolded.push(at as u32);
                    }
                    self.roots.push(root.unwrap_or(0));
                    Hash::of(&[root.unwrap_or(0)])
                }
            };
            self.hashes.push(hash);
        }
        self.ends.push(self.fired.len() as u32);
        Ok(())
    }

    /// The whole key of a successor.
    pub(crate) fn key(&self, at: u32) -> &[u64] {
        &self.keys[at as usize * self.layout.words..][..self.layout.words]
    }

    /// What is stored of it.
    pub(crate) fn stored(&self, at: u32) -> &[u64] {
        match self.layout.folded {
            true => &self.roots[at as usize..=at as usize],
            false => &self.keys[at as usize * self.layout.words..][..self.layout.stored],
        }
    }

    /// Gives a successor the root that it lacks.
    pub(crate) fn set_root(&mut self, at: u32, root: u64) {
        (self.roots[at as usize], self.hashes[at as usize]) = (root, Hash::of(&[root]));
    }

    /// Sorts all successors by the parts of the table, when they have their hashes.
    ///
    /// # Errors
    /// When memory is short.
    pub(crate) fn sort(&mut self) -> Result<(), Unfit> {
        self.order.try_reserve(self.hashes.len()).map_err(|_| Unfit)?;
        let mut next = [0; PARTS];
        self.hashes.iter().for_each(|hash| next[hash.part()] += 1);
        let mut start = 0;
        for (at, next) in next.iter_mut().enumerate() {
            self.starts[at] = start;
            start += std::mem::replace(next, start);
        }
        self.starts[PARTS] = start;
        self.order.resize(self.hashes.len(), 0);
        for (at, hash) in (0..).zip(&self.hashes) {
            let next = &mut next[hash.part()];
            self.order[*next as usize] = at;
            *next += 1;
        }
        Ok(())
    }

    /// The successors for one part of the table, in their order.
    pub(crate) fn of_part(&self, part: usize) -> &[u32] {
        &self.order[self.starts[part] as usize..self.starts[part + 1] as usize]
    }

    /// Bytes of the successors, about.
    pub(crate) fn bytes(&self) -> usize {
        8 * self.keys.len() + 32 * self.fired.len()
    }
}
