//! The set of markings visited so far: packed keys, numbered in the order of discovery.
//!
//! Only the first words of a key are stored, since the other words follow from them
//! ([`derived`](super::derived)). They are stored as they are, or folded into one word, the root,
//! by a [`KeyTree`]. The words or roots are in a [`MarkingSet`], and the predecessors of the
//! markings in [`Parents`]. A marking of one word takes eight bytes for the word, six to eight in
//! the table, and up to four for its parent. If it is folded, its part of the shared tree comes on
//! top.
//!
//! A store that is [`OutOfMemory`] accepts no more keys. It can still be read, unless memory was
//! short during [`repack`](PackedStore::repack), which empties it.

use super::block::{Block, Lookup};
use super::layout::Layout;
use super::memory::{MemoryAccount, OutOfMemory};
use super::parents::Parents;
use super::set::{
    Hash, InsertPosition, MarkingSet, NO_NUMBER, TABLE_SEGMENTS, TableSegment, keys_equal,
};
use super::threads::{Tasks, run_on_threads};
use super::tree::{Folder, KeyTree};
use parikh_solvers::Budget;

/// A successor that is new according to its segment of the hash table.
#[derive(Clone, Copy)]
struct NewSuccessor {
    /// Index of the successor's block among the blocks being added.
    block: u32,
    /// Index of the successor among the block's kept successors.
    successor_index: u32,
    /// Position of the successor in the table.
    position: InsertPosition,
}

/// A segment of the hash table with the new successors found in it. It has its own cache lines,
/// like a [`Block`].
#[repr(align(128))]
struct SegmentInserter<'s> {
    /// Index of the segment.
    segment_index: usize,
    /// The segment of the table.
    segment: TableSegment<'s>,
    /// New successors in this segment, in the order of blocks and firings.
    new_successors: Vec<NewSuccessor>,
}

/// Number of successors whose table lines are prefetched together.
const PREFETCHED_TOGETHER: usize = 16;

/// A set of packed markings. See the module documentation.
pub(crate) struct PackedStore {
    /// The storage layout of keys.
    layout: Layout,
    /// The tree that folds keys, if the layout is folded.
    tree: Option<KeyTree>,
    /// The stored words or roots of the markings.
    set: MarkingSet,
    /// The parents of the markings, if firing sequences will be requested.
    parents: Option<Parents>,
    memory: MemoryAccount,
    /// Roots of the keys being added, that is, the single words into which the keys are folded.
    /// Empty if keys are not folded.
    roots: Vec<u64>,
    /// Hashes of the keys being added.
    hashes: Vec<Hash>,
    /// For each segment of the hash table, the new successors of the blocks being added.
    new_by_segment: Vec<Vec<NewSuccessor>>,
}

impl PackedStore {
    /// Creates a set with one key, of at least one word, which gets number 0. The second argument
    /// tells if the set stores parents. Keys are not folded. The memory of the set is limited by
    /// `max_bytes` and by the memory limit of `budget`.
    ///
    /// # Errors
    /// Returns an error if there is no memory for it.
    pub(crate) fn new(
        key: &[u64],
        stores_parents: bool,
        max_bytes: u64,
        budget: &Budget,
    ) -> Result<Self, OutOfMemory> {
        let memory = MemoryAccount::new(max_bytes, budget);
        let mut set = MarkingSet::new(key.len(), &memory);
        set.insert(key, Hash::of(key))?;
        let layout = Layout { words_per_key: key.len(), stored: key.len(), is_folded: false };
        let parents = stores_parents.then(|| Parents::new(&memory));
        let (roots, hashes) = (Vec::new(), Vec::new());
        Ok(PackedStore {
            layout,
            tree: None,
            set,
            parents,
            memory,
            roots,
            hashes,
            new_by_segment: Vec::new(),
        })
    }

    /// Returns the number of markings. A marking without memory for its parent does not count.
    pub(crate) fn len(&self) -> u32 {
        let with_parents = self.parents.as_ref().map_or(NO_NUMBER, |parents| parents.len() + 1);
        self.set.len().min(with_parents)
    }

    /// Writes the stored words of the key with this number to the start of `key`.
    pub(crate) fn read(&self, number: u32, key: &mut [u64]) {
        let (stored, key) = (self.set.key(number), &mut key[..self.layout.stored]);
        match &self.tree {
            Some(tree) => tree.read(stored[0], key),
            None => key.copy_from_slice(stored),
        }
    }

    /// Like [`read`](Self::read), and prepares for [adding](Self::add) successors of this marking.
    pub(crate) fn load(&mut self, number: u32, key: &mut [u64]) {
        let (stored, key) = (self.set.key(number), &mut key[..self.layout.stored]);
        match &mut self.tree {
            Some(tree) => tree.load(stored[0], key),
            None => key.copy_from_slice(stored),
        }
    }

    /// Returns the number of the marking's parent. [`NO_NUMBER`] for the initial marking, and for
    /// all markings if parents are not stored.
    pub(crate) fn parent(&self, number: u32) -> u32 {
        self.parents.as_ref().map_or(NO_NUMBER, |parents| parents.of(number))
    }

    /// Returns the memory account.
    pub(crate) fn memory(&self) -> &MemoryAccount {
        &self.memory
    }

    /// Adds successors of the marking loaded last, whose number is `parent`. Their whole keys are
    /// one after another in `keys`. Calls `report` for each key in order, with its position, its
    /// number, and true if it is new. First all keys are hashed, then all table lines are
    /// prefetched so that the memory accesses overlap, then each key is looked up.
    ///
    /// # Errors
    /// Returns an error if memory is short or no number is left for a new key. Keys reported before
    /// remain valid.
    pub(crate) fn add(
        &mut self,
        keys: &[u64],
        parent: u32,
        mut report: impl FnMut(usize, u32, bool),
    ) -> Result<(), OutOfMemory> {
        let Layout { words_per_key: words, stored, .. } = self.layout;
        self.hashes.clear();
        self.roots.clear();
        for key in keys.chunks_exact(words) {
            let hash = match &mut self.tree {
                Some(tree) => {
                    let root = tree.fold(&key[..stored])?;
                    self.roots.push(root);
                    Hash::of(&[root])
                }
                None => Hash::of(&key[..stored]),
            };
            self.hashes.push(hash);
        }
        self.hashes.iter().for_each(|&hash| self.set.prefetch(hash));
        for (index, &hash) in self.hashes.iter().enumerate() {
            let key = match &self.tree {
                Some(_) => &self.roots[index..=index],
                None => &keys[index * words..][..stored],
            };
            let (number, is_new) = self.set.insert(key, hash)?;
            if is_new && let Some(parents) = &mut self.parents {
                // Without memory for its parent, the marking is not reported.
                parents.push(parent)?;
            }
            report(index, number, is_new);
        }
        Ok(())
    }

    /// Returns a [`Folder`] with which another thread loads markings and folds successors. `None`
    /// if keys are not folded.
    pub(crate) fn folder(&self) -> Option<Folder> {
        self.tree.as_ref().map(KeyTree::folder)
    }

    /// Like [`load`](Self::load), with the folder of another thread. It must be `None` if keys are
    /// not folded.
    pub(crate) fn load_with(&self, number: u32, folder: &mut Option<Folder>, key: &mut [u64]) {
        let (stored, key) = (self.set.key(number), &mut key[..self.layout.stored]);
        match (&self.tree, folder) {
            (Some(tree), Some(folder)) => tree.load_with(folder, stored[0], key),
            _ => key.copy_from_slice(stored),
        }
    }

    /// Adds the successors in `blocks`, with the segments of the table divided among `threads`
    /// threads. Then calls `report` for each block: first with `None`, then for each new successor
    /// with its index in the block and its number. Order and numbers are the same as if the
    /// successors were added one by one.
    ///
    /// # Errors
    /// Returns an error if memory is short, or if the numbers may not suffice for all successors.
    /// Successors reported before remain valid.
    pub(crate) fn add_blocks<N: Default + Send + Sync>(
        &mut self,
        blocks: &mut [Block<N>],
        threads: usize,
        mut report: impl FnMut(&mut Block<N>, Option<(u32, u32)>),
    ) -> Result<(), OutOfMemory> {
        for block in &mut *blocks {
            self.fold_remaining(block)?;
        }
        let mut new_by_segment = std::mem::take(&mut self.new_by_segment);
        let looked_up = self.insert_unnumbered(blocks, threads, &mut new_by_segment);
        let numbered =
            looked_up.and_then(|()| self.number_new(blocks, &new_by_segment, &mut report));
        if numbered.is_err() {
            self.set.drop_table();
        }
        self.new_by_segment = new_by_segment;
        numbered
    }

    /// Inserts the new successors of `blocks` into the table, without numbers yet. Writes them to
    /// the lists in the last parameter, one list per segment of the table.
    fn insert_unnumbered<N: Default + Send + Sync>(
        &mut self,
        blocks: &[Block<N>],
        threads: usize,
        new_by_segment: &mut Vec<Vec<NewSuccessor>>,
    ) -> Result<(), OutOfMemory> {
        new_by_segment.resize_with(TABLE_SEGMENTS, Vec::new);
        for (segment, new_successors) in new_by_segment.iter_mut().enumerate() {
            new_successors.clear();
            let max_fresh = blocks.iter().map(|block| block.in_segment(segment).len()).sum();
            new_successors.try_reserve(max_fresh).map_err(|_| OutOfMemory)?;
        }
        let max_new_keys = blocks.iter().map(|block| block.hashes.len() as u64).sum();
        // Each thread has a share of the segments. It processes one block for all its segments
        // before the next block, while the block is in its cache.
        let mut thread_segments: Vec<Vec<SegmentInserter<'_>>> = Vec::new();
        thread_segments.resize_with(threads.min(TABLE_SEGMENTS), Vec::new);
        for (segment_index, (segment, fresh)) in
            self.set.segments(max_new_keys, threads)?.zip(&mut *new_by_segment).enumerate()
        {
            let fresh = std::mem::take(fresh);
            thread_segments[segment_index % threads.min(TABLE_SEGMENTS)].push(SegmentInserter {
                segment_index,
                segment,
                new_successors: fresh,
            });
        }
        let tasks = Tasks::new(thread_segments.iter_mut());
        run_on_threads(&mut vec![(); threads], |()| {
            while let Some(segments) = tasks.next() {
                for block_index in 0..blocks.len() {
                    segments
                        .iter_mut()
                        .for_each(|segment| segment.insert_block(block_index, blocks));
                }
            }
        });
        for segment in thread_segments.into_iter().flatten() {
            new_by_segment[segment.segment_index] = segment.new_successors;
        }
        Ok(())
    }

    /// If roots of the block's successors are missing, computes these roots, and adds the missing
    /// parts of the keys to the tree. In this case, groups the successors by segment of the table.
    fn fold_remaining<N: Default>(&mut self, block: &mut Block<N>) -> Result<(), OutOfMemory> {
        if let Some(tree) = &mut self.tree
            && !block.unfolded.is_empty()
        {
            for index in std::mem::take(&mut block.unfolded) {
                let root = tree.rebase(&block.key(index)[..self.layout.stored])?;
                block.set_root(index, root);
            }
            block.sort_by_segment().map_err(|_| OutOfMemory)?;
        }
        Ok(())
    }

    /// Numbers the new successors in the order of a sequential insertion. Calls `report` for each
    /// block first with `None`, then with the index and number of each new successor.
    fn number_new<N: Default>(
        &mut self,
        blocks: &mut [Block<N>],
        new_by_segment: &[Vec<NewSuccessor>],
        report: &mut impl FnMut(&mut Block<N>, Option<(u32, u32)>),
    ) -> Result<(), OutOfMemory> {
        let mut remaining_by_segment: Vec<&[NewSuccessor]> =
            new_by_segment.iter().map(Vec::as_slice).collect();
        let mut new_in_block: Vec<(u32, InsertPosition)> = Vec::new();
        for (block_index, block) in (0..).zip(blocks) {
            report(block, None);
            new_in_block.clear();
            for remaining in &mut remaining_by_segment {
                let (in_block, rest) =
                    remaining.split_at(remaining.partition_point(|it| it.block <= block_index));
                new_in_block.extend(in_block.iter().map(|it| (it.successor_index, it.position)));
                *remaining = rest;
            }
            new_in_block.sort_unstable_by_key(|it| it.0);
            let mut marking = 0;
            for &(index, position) in &new_in_block {
                let hash = block.hashes[index as usize];
                let Some(number) = self.set.assign_number(block.stored(index), hash, position)?
                else {
                    continue;
                };
                while block.successor_ends[marking as usize] <= index {
                    marking += 1;
                }
                if let Some(parents) = &mut self.parents {
                    parents.push(block.first_marking + marking)?;
                }
                report(block, Some((index, number)));
            }
        }
        Ok(())
    }

    /// Changes the layout of the stored keys. `convert` gets a key of the old layout, whose stored
    /// words are filled in. It writes the whole key of the new layout to its second argument.
    /// Distinct keys must stay distinct in their stored words. Numbers and parents stay the same.
    ///
    /// # Errors
    /// Returns an error if memory is short. Then the markings are lost and the set is empty.
    pub(crate) fn repack(
        &mut self,
        layout: Layout,
        mut convert: impl FnMut(&mut [u64], &mut [u64]),
    ) -> Result<(), OutOfMemory> {
        let old_layout = std::mem::replace(&mut self.layout, layout);
        let old_tree = self.tree.take();
        let mut tree = layout.is_folded.then(|| KeyTree::new(layout.stored, &self.memory));
        let set = std::mem::replace(&mut self.set, MarkingSet::new(1, &self.memory));
        let (mut old_key, mut new_key) =
            (vec![0; old_layout.words_per_key], vec![0; layout.words_per_key]);
        let words = if layout.is_folded { 1 } else { layout.stored };
        self.set = set.converted(words, |stored, output| {
            match &old_tree {
                Some(tree) => tree.read(stored[0], &mut old_key[..old_layout.stored]),
                None => old_key[..old_layout.stored].copy_from_slice(stored),
            }
            convert(&mut old_key, &mut new_key);
            match &mut tree {
                Some(tree) => output[0] = tree.rebase(&new_key[..layout.stored])?,
                None => output.copy_from_slice(&new_key[..layout.stored]),
            }
            Ok(())
        })?;
        self.tree = tree;
        Ok(())
    }
}

impl Lookup for PackedStore {
    fn root_if_known(&self, folder: &mut Option<Folder>, stored: &[u64]) -> Option<u64> {
        self.tree.as_ref()?.fold_with(folder.as_mut()?, stored).ok()
    }

    fn prefetch(&self, hash: Hash) {
        self.set.prefetch(hash);
    }

    fn contains(&self, stored: &[u64], hash: Hash) -> bool {
        self.set.find(stored, hash).is_some()
    }
}

impl SegmentInserter<'_> {
    /// Inserts the successors of one of the `blocks` that belong to this segment and are new, in
    /// their order.
    fn insert_block<N: Default>(&mut self, block_index: usize, blocks: &[Block<N>]) {
        let block = &blocks[block_index];
        let SegmentInserter { segment_index, segment: table_segment, new_successors } = self;
        for group in block.in_segment(*segment_index).chunks(PREFETCHED_TOGETHER) {
            group
                .iter()
                .for_each(|&successor| table_segment.prefetch(block.hashes[successor as usize]));
            for &successor in group {
                let (key, hash) = (block.stored(successor), block.hashes[successor as usize]);
                let is_fresh = |fresh_index: u32| {
                    let NewSuccessor { block, successor_index: successor, .. } =
                        new_successors[fresh_index as usize];
                    keys_equal(blocks[block as usize].stored(successor), key)
                };
                if let Some(put) = table_segment.insert_unnumbered(
                    key,
                    hash,
                    new_successors.len() as u32,
                    is_fresh,
                ) {
                    new_successors.push(NewSuccessor {
                        block: block_index as u32,
                        successor_index: successor,
                        position: put,
                    });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(i: u32) -> [u64; 4] {
        [u64::from(i % 317), u64::from(i % 7) << 50, u64::from(i / 317), 9]
    }

    fn layout(stored: usize, folded: bool) -> Layout {
        Layout { words_per_key: 4, stored, is_folded: folded }
    }

    #[test]
    fn numbers_of_markings_survive_new_layouts() {
        let mut store = PackedStore::new(&key(0), true, u64::MAX, &Budget::unlimited()).unwrap();
        let mut read = [0; 4];
        for (start, layout) in
            [layout(4, false), layout(3, false), layout(3, true), layout(4, true)]
                .iter()
                .enumerate()
        {
            let convert = |old: &mut [u64], new: &mut [u64]| {
                new.copy_from_slice(old);
                new[3] = 9;
            };
            store.repack(*layout, convert).unwrap();
            store.load(0, &mut read);
            let (start, end) = (start as u32 * 20_000, (start as u32 + 1) * 20_000);
            for round in 0..2 {
                for i in start.max(1)..end {
                    let expected = (0, i, round == 0);
                    let is = |at, number, is_new| assert_eq!((at, number, is_new), expected);
                    store.add(&key(i), i / 2, is).unwrap();
                }
            }
            store.read(start + 1, &mut read);
            assert_eq!(read[..layout.stored], key(start + 1)[..layout.stored]);
            assert_eq!((store.parent(777), store.parent(0)), (388, NO_NUMBER));
        }
        assert!(store.memory().used_bytes() < 25 * 80_000, "{}", store.memory().used_bytes());
    }

    #[test]
    fn a_full_store_returns_an_error_and_stays_readable() {
        for folded in [false, true] {
            let mut store = PackedStore::new(&key(0), true, 2 << 20, &Budget::unlimited()).unwrap();
            store.repack(layout(4, folded), |old, new| new.copy_from_slice(old)).unwrap();
            let fits = |i: &u32| store.add(&key(*i), i / 2, |_, _, _| {}).is_ok();
            let count = (1..).take_while(fits).last().unwrap();
            assert!(
                count > 10_000 && store.memory().peak() <= 2 << 20,
                "{count} {}",
                store.memory().peak()
            );
            let mut read = [0; 4];
            store.read(9999, &mut read);
            assert_eq!((read, store.parent(9999)), (key(9999), 4999));
        }
    }

    #[test]
    fn every_marking_has_a_parent_at_any_memory_limit() {
        // Parents take a kilobyte from time to time, keys 64 KB. At some of these limits there is
        // no memory left for the parents.
        let mut short_of_parents = 0;
        for ceiling in (200_000..400_000).step_by(512) {
            let mut store = PackedStore::new(&key(0), true, ceiling, &Budget::unlimited()).unwrap();
            let full = (1..).find(|&i| store.add(&key(i), i / 2, |_, _, _| {}).is_err()).unwrap();
            short_of_parents += u32::from(store.set.len() > full);
            assert_eq!(store.len(), full);
            assert_eq!(store.parent(full - 1), (full - 1) / 2);
        }
        assert!(short_of_parents > 0);
    }

    #[test]
    fn a_store_without_room_for_another_layout_is_empty() {
        let mut store = PackedStore::new(&key(0), true, 1 << 20, &Budget::unlimited()).unwrap();
        (1..20_000).for_each(|i| store.add(&key(i), i / 2, |_, _, _| {}).unwrap_or_default());
        let wider = Layout { words_per_key: 40, stored: 40, is_folded: false };
        let spread = |old: &mut [u64], new: &mut [u64]| new[..4].copy_from_slice(old);
        assert_eq!(store.repack(wider, spread), Err(OutOfMemory));
        assert_eq!(store.len(), 0);
    }
}
