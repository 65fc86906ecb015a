//! What some markings in a row lead to that was not known before, as one thread finds it.
//!
//! The thread fires all that is chosen and looks all of it up, while nobody changes the set of
//! markings. Most successors are there: these are forgotten at once, as are those that the block
//! itself has met a moment ago. The others are kept in the order of the markings and of their
//! firings, with what finds them in a table, and sorted by the part of the table that is to be
//! asked when it is certain which of them are new.

use super::layout::Layout;
use super::moves::Moves;
use super::set::{Hash, PARTS, equal};
use super::tree::Folder;
use std::collections::TryReserveError;

/// How many of the successors met last are compared with those that come.
const LATE: usize = 1 << 13;

/// Successors of markings in a row that were not known, and what a thread noted of these markings.
/// See the module. No two are in one line of the cache, as threads write to them at the same time.
#[repr(align(128))]
pub(crate) struct Block<N> {
    /// The number of the first marking.
    pub(crate) first: u32,
    /// By marking how many successors are kept of it and those before it.
    pub(crate) ends: Vec<u32>,
    /// How many there were, known ones among them.
    pub(crate) firings: u64,
    /// By successor the transition, …
    pub(crate) fired: Vec<u32>,
    /// … the whole key, …
    keys: Vec<u64>,
    /// … the root of what is stored, if that is folded, …
    roots: Vec<u64>,
    /// … and what finds it.
    pub(crate) hashes: Vec<Hash>,
    /// Successors with parts that have no number yet: they have neither a root nor a hash.
    /// Ascending.
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

/// What a thread has for itself, to make one block after the other.
pub(crate) struct Maker {
    /// Successors of a marking, one key after the other, …
    keys: Vec<u64>,
    /// … and the roots of what is stored of them, if that is folded, and what finds them.
    found: Vec<(Option<u64>, Hash)>,
    /// Successors kept of late, each at a place that comes from its hash, and one more; 0 for none.
    late: Vec<u32>,
    /// If keys are folded.
    pub(crate) folder: Option<Folder>,
}

impl Maker {
    pub(crate) fn new(folder: Option<Folder>) -> Self {
        Maker { keys: Vec::new(), found: Vec::new(), late: vec![0; LATE], folder }
    }

    /// For another block.
    pub(crate) fn begin(&mut self) {
        self.late.fill(0);
    }
}

/// What a block asks of the markings that are stored already.
pub(crate) trait Lookup {
    /// The root of what is stored of a successor of the marking that `folder` has loaded, if its
    /// parts are known.
    fn root_apart(&self, folder: &mut Option<Folder>, stored: &[u64]) -> Option<u64>;

    /// Reads the table's line of what has this hash, so that it is in the cache when it is asked
    /// for.
    fn touch(&self, hash: Hash);

    /// Whether there is a marking of which this is stored: some words, or the root.
    fn contains(&self, stored: &[u64], hash: Hash) -> bool;
}

/// No successors of a marking, for one firing does not fit the layout of keys, or memory is short.
pub(crate) struct Unfit;

impl<N: Default> Block<N> {
    pub(crate) fn new() -> Self {
        Block {
            first: 0,
            ends: Vec::new(),
            firings: 0,
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
        self.firings = 0;
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

    /// Fires each of `chosen` in `key`, the marking that comes next, which `maker` has loaded last,
    /// and adds what is not in `store`.
    ///
    /// # Errors
    /// When one does not fit. Nothing is added then.
    pub(crate) fn fire(
        &mut self,
        key: &[u64],
        chosen: &[u32],
        moves: &Moves,
        store: &impl Lookup,
        maker: &mut Maker,
    ) -> Result<(), Unfit> {
        let Layout { words, stored, folded } = self.layout;
        let Maker { keys, found, late, folder } = maker;
        self.reserve(chosen.len()).map_err(|_| Unfit)?;
        keys.clear();
        found.clear();
        keys.try_reserve(chosen.len() * words).map_err(|_| Unfit)?;
        found.try_reserve(chosen.len()).map_err(|_| Unfit)?;
        for &t in chosen {
            let at = keys.len();
            keys.extend_from_slice(key);
            moves.fire(t, &mut keys[at..]).map_err(|_| Unfit)?;
        }
        for key in keys.chunks_exact(words) {
            let root = if folded { store.root_apart(folder, &key[..stored]) } else { None };
            let hash = match root {
                Some(root) => Hash::of(&[root]),
                None => Hash::of(&key[..stored]),
            };
            found.push((root, hash));
        }
        // So that the memory works on all of them at once.
        found.iter().for_each(|it| store.touch(it.1));
        for ((&t, key), &(root, hash)) in chosen.iter().zip(keys.chunks_exact(words)).zip(&*found) {
            let at = self.fired.len() as u32;
            let root_key = [root.unwrap_or(0)];
            let stored = if folded { &root_key[..] } else { &key[..stored] };
            if folded && root.is_none() {
                self.unfolded.push(at);
            } else {
                let late = &mut late[hash.short() % LATE];
                let is_late =
                    late.checked_sub(1).is_some_and(|late| equal(self.stored(late), stored));
                if is_late || store.contains(stored, hash) {
                    continue;
                }
                *late = at + 1;
            }
            self.keys.extend_from_slice(key);
            self.fired.push(t);
            self.hashes.push(hash);
            if folded {
                self.roots.push(root_key[0]);
            }
        }
        self.firings += chosen.len() as u64;
        self.ends.push(self.fired.len() as u32);
        Ok(())
    }

    /// Room for so many successors of one more marking.
    fn reserve(&mut self, more: usize) -> Result<(), TryReserveError> {
        let Layout { words, folded, .. } = self.layout;
        let folded = if folded { more } else { 0 };
        self.ends.try_reserve(1)?;
        self.keys.try_reserve(more * words)?;
        self.fired.try_reserve(more)?;
        self.hashes.try_reserve(more)?;
        self.unfolded.try_reserve(folded)?;
        self.roots.try_reserve(folded)
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
