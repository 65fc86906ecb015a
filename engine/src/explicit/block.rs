//! The unknown successors of a block of consecutive markings, as computed by one thread.
//!
//! The thread fires the selected transitions of each marking and looks up all successors while
//! nobody changes the set of markings. Most successors are stored already and are dropped at once,
//! as are successors that the block has met recently. The other successors are kept in the order of
//! markings and firings, with their hashes. At the end they are grouped by the segment of the hash
//! table that contains their first bucket.

use super::layout::Layout;
use super::moves::Moves;
use super::set::{Hash, TABLE_SEGMENTS, keys_equal};
use super::tree::Folder;
use std::collections::TryReserveError;

/// Number of slots of the cache of recent successors.
const RECENT_SLOTS: usize = 1 << 13;

/// The successors of consecutive markings that are not known to be stored, with the visitor's
/// results about these markings. See the module documentation. Each block has its own cache lines,
/// because threads write to blocks at the same time.
#[repr(align(128))]
pub(crate) struct Block<N> {
    /// Number of the first expanded marking of the block.
    pub(crate) first_marking: u32,
    /// For each expanded marking of the block, the number of successors kept for this and all
    /// earlier markings of the block. Successors that are stored already, or that the block has met
    /// recently, are not kept.
    pub(crate) successor_ends: Vec<u32>,
    /// Number of firings, including those to known markings.
    pub(crate) firings: u64,
    /// For each kept successor, the fired transition.
    pub(crate) fired_transitions: Vec<u32>,
    /// Whole keys (packed markings) of the kept successors, one after another: the stored words and
    /// the words that follow from them.
    keys: Vec<u64>,
    /// For each kept successor, its root, that is, the single word into which its stored words are
    /// folded. 0 while the root is unknown. Empty if keys are not folded.
    roots: Vec<u64>,
    /// For each kept successor, the hash of its root, or of its stored words if keys are not
    /// folded. A placeholder while the root is unknown.
    pub(crate) hashes: Vec<Hash>,
    /// Indices of the kept successors with an unknown root, because a part of the key has no number
    /// in the tree yet. Ascending.
    pub(crate) unfolded: Vec<u32>,
    /// Indices of the kept successors, grouped by segment of the hash table, ascending within a
    /// segment.
    by_segment: Vec<u32>,
    /// Start of each segment's successors in `by_segment`. The last entry is the end of the last
    /// segment.
    segment_starts: [u32; TABLE_SEGMENTS + 1],
    /// The visitor's results about the markings of the block, such as counts.
    pub(crate) notes: N,
    /// True if not all planned markings of the block have been expanded.
    pub(crate) is_cut: bool,
    /// The storage layout of keys.
    layout: Layout,
}

/// The buffers with which a thread makes one block after another.
pub(crate) struct BlockBuilder {
    /// Keys of the successors of one marking, one after another.
    keys: Vec<u64>,
    /// For each successor of one marking, its root and its hash. The root is `None` if keys are not
    /// folded or a part of the key has no number yet.
    roots_and_hashes: Vec<(Option<u64>, Hash)>,
    /// Cache of recently kept successors of the block: the index of a successor plus 1, at a
    /// position derived from its hash. 0 if empty.
    recent: Vec<u32>,
    /// The thread's folder, which folds keys into one word. `None` if keys are not folded.
    pub(crate) folder: Option<Folder>,
}

impl BlockBuilder {
    /// Creates empty buffers. `folder` is `None` if keys are not folded.
    pub(crate) fn new(folder: Option<Folder>) -> Self {
        BlockBuilder {
            keys: Vec::new(),
            roots_and_hashes: Vec::new(),
            recent: vec![0; RECENT_SLOTS],
            folder,
        }
    }

    /// Forgets the recent successors, for the next block.
    pub(crate) fn begin(&mut self) {
        self.recent.fill(0);
    }
}

/// Queries of a block to the set of stored markings.
pub(crate) trait Lookup {
    /// Returns the root of a successor's stored words, that is, the single word into which they are
    /// folded. Returns `None` if a part of the key has no number yet, or if keys are not folded.
    /// The predecessor must be loaded in `folder`.
    fn root_if_known(&self, folder: &mut Option<Folder>, stored: &[u64]) -> Option<u64>;

    /// Loads the table's cache line for a hash, so that a later query is fast.
    fn prefetch(&self, hash: Hash);

    /// Returns true if the set has the marking with these stored words. If keys are folded,
    /// `stored` has the marking's root only. `hash` is the hash of `stored`.
    fn contains(&self, stored: &[u64], hash: Hash) -> bool;
}

/// The error of a block whose firing gives a place more tokens than its field in the key can hold,
/// or for which memory is short.
pub(crate) struct BlockError;

impl<N: Default> Block<N> {
    /// Creates an empty block. [`begin`](Self::begin) must be called before use.
    pub(crate) fn new() -> Self {
        Block {
            first_marking: 0,
            successor_ends: Vec::new(),
            firings: 0,
            fired_transitions: Vec::new(),
            keys: Vec::new(),
            roots: Vec::new(),
            hashes: Vec::new(),
            unfolded: Vec::new(),
            by_segment: Vec::new(),
            segment_starts: [0; TABLE_SEGMENTS + 1],
            notes: N::default(),
            is_cut: true,
            layout: Layout { words_per_key: 1, stored: 1, is_folded: false },
        }
    }

    /// Empties the block and prepares it for the successors of the markings from `first` on.
    pub(crate) fn begin(&mut self, first: u32, layout: Layout) {
        (self.first_marking, self.layout, self.is_cut) = (first, layout, true);
        self.firings = 0;
        self.successor_ends.clear();
        self.fired_transitions.clear();
        self.keys.clear();
        self.roots.clear();
        self.hashes.clear();
        self.unfolded.clear();
        self.by_segment.clear();
        self.segment_starts = [0; TABLE_SEGMENTS + 1];
        self.notes = N::default();
    }

    /// Fires each transition of `transitions` in the next marking of the block. `key` is the
    /// marking's whole key, and the folder of `builder` must have loaded this marking last. Keeps
    /// the successors that are neither in `store` nor among the recent successors of the block, and
    /// all successors with an unknown root.
    ///
    /// # Errors
    /// Returns an error if a firing does not fit the layout of keys, or memory is short. Then
    /// nothing is added to the block.
    pub(crate) fn fire(
        &mut self,
        key: &[u64],
        transitions: &[u32],
        moves: &Moves,
        store: &impl Lookup,
        builder: &mut BlockBuilder,
    ) -> Result<(), BlockError> {
        let Layout { words_per_key: words, stored, is_folded: folded } = self.layout;
        let BlockBuilder { keys, roots_and_hashes, recent, folder } = builder;
        self.reserve(transitions.len()).map_err(|_| BlockError)?;
        keys.clear();
        roots_and_hashes.clear();
        keys.try_reserve(transitions.len() * words).map_err(|_| BlockError)?;
        roots_and_hashes.try_reserve(transitions.len()).map_err(|_| BlockError)?;
        for &t in transitions {
            let start = keys.len();
            keys.extend_from_slice(key);
            moves.fire(t, &mut keys[start..]).map_err(|_| BlockError)?;
        }
        for key in keys.chunks_exact(words) {
            let root = if folded { store.root_if_known(folder, &key[..stored]) } else { None };
            let hash = match root {
                Some(root) => Hash::of(&[root]),
                None => Hash::of(&key[..stored]),
            };
            roots_and_hashes.push((root, hash));
        }
        // Prefetch all lines of the hash table, so that the memory accesses overlap.
        roots_and_hashes.iter().for_each(|it| store.prefetch(it.1));
        for ((&t, key), &(root, hash)) in
            transitions.iter().zip(keys.chunks_exact(words)).zip(&*roots_and_hashes)
        {
            let successor = self.fired_transitions.len() as u32;
            let root_key = [root.unwrap_or(0)];
            let stored_words = if folded { &root_key[..] } else { &key[..stored] };
            if folded && root.is_none() {
                self.unfolded.push(successor);
            } else {
                let recent = &mut recent[hash.low_bits() % RECENT_SLOTS];
                let is_recent = recent
                    .checked_sub(1)
                    .is_some_and(|recent| keys_equal(self.stored(recent), stored_words));
                if is_recent || store.contains(stored_words, hash) {
                    continue;
                }
                *recent = successor + 1;
            }
            self.keys.extend_from_slice(key);
            self.fired_transitions.push(t);
            self.hashes.push(hash);
            if folded {
                self.roots.push(root_key[0]);
            }
        }
        self.firings += transitions.len() as u64;
        self.successor_ends.push(self.fired_transitions.len() as u32);
        Ok(())
    }

    /// Reserves memory for `successors` successors of one more marking.
    fn reserve(&mut self, successors: usize) -> Result<(), TryReserveError> {
        let Layout { words_per_key: words, is_folded: folded, .. } = self.layout;
        let root_count = if folded { successors } else { 0 };
        self.successor_ends.try_reserve(1)?;
        self.keys.try_reserve(successors * words)?;
        self.fired_transitions.try_reserve(successors)?;
        self.hashes.try_reserve(successors)?;
        self.unfolded.try_reserve(root_count)?;
        self.roots.try_reserve(root_count)
    }

    /// Returns the whole key of the kept successor with this index.
    pub(crate) fn key(&self, successor: u32) -> &[u64] {
        &self.keys[successor as usize * self.layout.words_per_key..][..self.layout.words_per_key]
    }

    /// Returns the stored words of the kept successor with this index, or its root if keys are
    /// folded.
    pub(crate) fn stored(&self, successor: u32) -> &[u64] {
        match self.layout.is_folded {
            true => &self.roots[successor as usize..=successor as usize],
            false => {
                &self.keys[successor as usize * self.layout.words_per_key..][..self.layout.stored]
            }
        }
    }

    /// Sets the missing root of the kept successor with this index, and its hash.
    pub(crate) fn set_root(&mut self, successor: u32, root: u64) {
        (self.roots[successor as usize], self.hashes[successor as usize]) =
            (root, Hash::of(&[root]));
    }

    /// Groups the indices of all kept successors by segment of the hash table. No root may be
    /// missing.
    ///
    /// # Errors
    /// Returns an error if memory is short.
    pub(crate) fn sort_by_segment(&mut self) -> Result<(), BlockError> {
        self.by_segment.try_reserve(self.hashes.len()).map_err(|_| BlockError)?;
        let mut next_positions = [0; TABLE_SEGMENTS];
        self.hashes.iter().for_each(|hash| next_positions[hash.segment()] += 1);
        let mut start = 0;
        for (index, next) in next_positions.iter_mut().enumerate() {
            self.segment_starts[index] = start;
            start += std::mem::replace(next, start);
        }
        self.segment_starts[TABLE_SEGMENTS] = start;
        self.by_segment.resize(self.hashes.len(), 0);
        for (index, hash) in (0..).zip(&self.hashes) {
            let next = &mut next_positions[hash.segment()];
            self.by_segment[*next as usize] = index;
            *next += 1;
        }
        Ok(())
    }

    /// Returns the indices of the kept successors in one segment of the hash table, ascending.
    pub(crate) fn in_segment(&self, segment: usize) -> &[u32] {
        &self.by_segment
            [self.segment_starts[segment] as usize..self.segment_starts[segment + 1] as usize]
    }

    /// Returns the approximate memory for the kept successors, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        8 * self.keys.len() + 32 * self.fired_transitions.len()
    }
}
