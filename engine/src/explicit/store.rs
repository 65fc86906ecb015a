//! The set of markings visited so far: packed keys, numbered in the order of discovery.
//!
//! Only the first words of a key are stored, since the other words follow from them
//! ([`derived`](super::derived)). They are stored as they are, or folded into one word, the root,
//! by a [`KeyTree`]. The words or roots are in a [`MarkingSet`], and the predecessors of the
//! markings in [`Parents`]. A marking of one word takes eight bytes for the word, six to eight in
//! the table, up to four for its parent, and its part of the shared tree.
//!
//! A store that is [`OutOfMemory`] accepts no more keys, but can still be read.

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

/// A successor that a part of the table has found to be new.
#[derive(Clone, Copy)]
struct NewSuccessor {
    block: u32,
    at: u32,
    put: InsertPosition,
}

/// A part of the table with its new successors. It has its own cache lines, like a [`Block`].
#[repr(align(128))]
struct SegmentInserter<'s> {
    at: usize,
    part: TableSegment<'s>,
    fresh: Vec<NewSuccessor>,
}

/// Number of successors whose table lines are prefetched together.
const PREFETCHED_TOGETHER: usize = 16;

/// A set of packed markings. See the module documentation.
pub(crate) struct PackedStore {
    layout: Layout,
    tree: Option<KeyTree>,
    set: MarkingSet,
    parents: Option<Parents>,
    memory: MemoryAccount,
    /// Roots (if folded) of the keys being added.
    roots: Vec<u64>,
    hashes: Vec<Hash>,
    /// For each part of the table, the new successors of the blocks being added.
    fresh: Vec<Vec<NewSuccessor>>,
}

impl PackedStore {
    /// Creates the set of one key, of at least one word. It takes at most `ceiling` bytes and no
    /// more memory than `budget` has. Keys are not folded.
    ///
    /// # Errors
    /// Returns an error if there is no memory for it.
    pub(crate) fn new(
        key: &[u64],
        with_parents: bool,
        ceiling: u64,
        budget: &Budget,
    ) -> Result<Self, OutOfMemory> {
        let room = MemoryAccount::new(ceiling, budget);
        let mut set = MarkingSet::new(key.len(), &room);
        set.insert(key, Hash::of(key))?;
        let layout = Layout { words: key.len(), stored: key.len(), folded: false };
        let parents = with_parents.then(|| Parents::new(&room));
        let (roots, hashes) = (Vec::new(), Vec::new());
        Ok(PackedStore {
            layout,
            tree: None,
            set,
            parents,
            memory: room,
            roots,
            hashes,
            fresh: Vec::new(),
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

    /// Like [`read`](Self::read), and prepares for adding successors of this marking.
    pub(crate) fn load(&mut self, number: u32, key: &mut [u64]) {
        let (stored, key) = (self.set.key(number), &mut key[..self.layout.stored]);
        match &mut self.tree {
            Some(tree) => tree.load(stored[0], key),
            None => key.copy_from_slice(stored),
        }
    }

    /// Returns the marking's parent. [`NONE`] for the initial marking.
    pub(crate) fn parent(&self, number: u32) -> u32 {
        self.parents.as_ref().map_or(NO_NUMBER, |parents| parents.of(number))
    }

    /// Returns the memory account.
    pub(crate) fn room(&self) -> &MemoryAccount {
        &self.memory
    }

    /// Adds the keys of successors of the marking loaded last, which are one after another in
    /// `keys`. Calls `added` for each in order, with its position, its number, and true if it is
    /// new. First all keys are hashed, then all table lines are prefetched so that the memory
    /// accesses overlap, then each key is looked up.
    ///
    /// # Errors
    /// Returns an error if there is no memory for a new key.
    pub(crate) fn add(
        &mut self,
        keys: &[u64],
        parent: u32,
        mut added: impl FnMut(usize, u32, bool),
    ) -> Result<(), OutOfMemory> {
        let Layout { words, stored, .. } = self.layout;
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
        for (at, &hash) in self.hashes.iter().enumerate() {
            let key = match &self.tree {
                Some(_) => &self.roots[at..=at],
                None => &keys[at * words..][..stored],
            };
            let (number, is_new) = self.set.insert(key, hash)?;
            if is_new && let Some(parents) = &mut self.parents {
                // Without memory for its parent, the marking is not reported.
                parents.push(parent)?;
            }
            added(at, number, is_new);
        }
        Ok(())
    }

    /// Returns the object that loads markings and folds successors on another thread, if keys are
    /// folded.
    pub(crate) fn folder(&self) -> Option<Folder> {
        self.tree.as_ref().map(KeyTree::folder)
    }

    /// Like [`load`](Self::load), on another thread.
    pub(crate) fn load_with(&self, number: u32, folder: &mut Option<Folder>, key: &mut [u64]) {
        let (stored, key) = (self.set.key(number), &mut key[..self.layout.stored]);
        match (&self.tree, folder) {
            (Some(tree), Some(folder)) => tree.load_with(folder, stored[0], key),
            _ => key.copy_from_slice(stored),
        }
    }

    /// Adds the successors in `blocks`, with the table divided among `threads` threads. Then, block
    /// by block, calls `added` for each new successor with its position and number. Order and
    /// numbers are the same as if they were added one by one.
    ///
    /// # Errors
    /// Returns an error if there is no memory for a new key.
    pub(crate) fn add_blocks<N: Default + Send + Sync>(
        &mut self,
        blocks: &mut [Block<N>],
        threads: usize,
        mut added: impl FnMut(&mut Block<N>, Option<(u32, u32)>),
    ) -> Result<(), OutOfMemory> {
        for block in &mut *blocks {
            self.fold_remaining(block)?;
        }
        let mut fresh = std::mem::take(&mut self.fresh);
        let looked_up = self.insert_unnumbered(blocks, threads, &mut fresh);
        let settled = looked_up.and_then(|()| self.number_new(blocks, &fresh, &mut added));
        if settled.is_err() {
            self.set.drop_table();
        }
        self.fresh = fresh;
        settled
    }

    /// Inserts the new successors of `blocks` into the table, part by part.
    fn insert_unnumbered<N: Default + Send + Sync>(
        &mut self,
        blocks: &[Block<N>],
        threads: usize,
        fresh: &mut Vec<Vec<NewSuccessor>>,
    ) -> Result<(), OutOfMemory> {
        fresh.resize_with(TABLE_SEGMENTS, Vec::new);
        for (part, fresh) in fresh.iter_mut().enumerate() {
            fresh.clear();
            let most = blocks.iter().map(|block| block.in_segment(part).len()).sum();
            fresh.try_reserve(most).map_err(|_| OutOfMemory)?;
        }
        let all = blocks.iter().map(|block| block.hashes.len() as u64).sum();
        // Each thread has a share of the parts. It processes one block for all its parts before the
        // next block, while the block is in its cache.
        let mut shares: Vec<Vec<SegmentInserter<'_>>> = Vec::new();
        shares.resize_with(threads.min(TABLE_SEGMENTS), Vec::new);
        for (at, (part, fresh)) in self.set.segments(all, threads)?.zip(&mut *fresh).enumerate() {
            let fresh = std::mem::take(fresh);
            shares[at % threads.min(TABLE_SEGMENTS)].push(SegmentInserter { at, part, fresh });
        }
        let tasks = Tasks::new(shares.iter_mut());
        run_on_threads(&mut vec![(); threads], |()| {
            while let Some(share) = tasks.next() {
                for number in 0..blocks.len() {
                    share.iter_mut().for_each(|part| part.put_all(number, blocks));
                }
            }
        });
        for part in shares.into_iter().flatten() {
            fresh[part.at] = part.fresh;
        }
        Ok(())
    }

    /// Folds the keys that other threads could not fold.
    fn fold_remaining<N: Default>(&mut self, block: &mut Block<N>) -> Result<(), OutOfMemory> {
        if let Some(tree) = &mut self.tree
            && !block.unfolded.is_empty()
        {
            for at in std::mem::take(&mut block.unfolded) {
                let root = tree.rebase(&block.key(at)[..self.layout.stored])?;
                block.set_root(at, root);
            }
            block.sort_by_segment().map_err(|_| OutOfMemory)?;
        }
        Ok(())
    }

    /// Numbers the new successors.
    fn number_new<N: Default>(
        &mut self,
        blocks: &mut [Block<N>],
        fresh: &[Vec<NewSuccessor>],
        added: &mut impl FnMut(&mut Block<N>, Option<(u32, u32)>),
    ) -> Result<(), OutOfMemory> {
        let mut fresh: Vec<&[NewSuccessor]> = fresh.iter().map(Vec::as_slice).collect();
        let mut here: Vec<(u32, InsertPosition)> = Vec::new();
        for (number, block) in (0..).zip(blocks) {
            added(block, None);
            here.clear();
            for fresh in &mut fresh {
                let (first, rest) = fresh.split_at(fresh.partition_point(|it| it.block <= number));
                here.extend(first.iter().map(|it| (it.at, it.put)));
                *fresh = rest;
            }
            here.sort_unstable_by_key(|it| it.0);
            let mut marking = 0;
            for &(at, put) in &here {
                let hash = block.hashes[at as usize];
                let Some(number) = self.set.assign_number(block.stored(at), hash, put)? else {
                    continue;
                };
                while block.successor_ends[marking as usize] <= at {
                    marking += 1;
                }
                if let Some(parents) = &mut self.parents {
                    parents.push(block.first_marking + marking)?;
                }
                added(block, Some((at, number)));
            }
        }
        Ok(())
    }

    /// Changes the layout of the stored keys. `convert` turns the old stored words into a whole key
    /// of the new layout. Distinct keys must stay distinct in their stored words. Numbers and
    /// parents stay the same.
    ///
    /// # Errors
    /// Returns an error if memory is short. Then the markings are lost and the set is empty.
    pub(crate) fn repack(
        &mut self,
        layout: Layout,
        mut convert: impl FnMut(&mut [u64], &mut [u64]),
    ) -> Result<(), OutOfMemory> {
        let old = std::mem::replace(&mut self.layout, layout);
        let was = self.tree.take();
        let mut tree = layout.folded.then(|| KeyTree::new(layout.stored, &self.memory));
        let set = std::mem::replace(&mut self.set, MarkingSet::new(1, &self.memory));
        let (mut key, mut new) = (vec![0; old.words], vec![0; layout.words]);
        let words = if layout.folded { 1 } else { layout.stored };
        self.set = set.converted(words, |stored, to| {
            match &was {
                Some(tree) => tree.read(stored[0], &mut key[..old.stored]),
                None => key[..old.stored].copy_from_slice(stored),
            }
            convert(&mut key, &mut new);
            match &mut tree {
                Some(tree) => to[0] = tree.rebase(&new[..layout.stored])?,
                None => to.copy_from_slice(&new[..layout.stored]),
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
    /// Looks up the successors of a block in this part, in their order.
    fn put_all<N: Default>(&mut self, number: usize, blocks: &[Block<N>]) {
        let block = &blocks[number];
        let SegmentInserter { at, part, fresh } = self;
        for run in block.in_segment(*at).chunks(PREFETCHED_TOGETHER) {
            run.iter().for_each(|&at| part.prefetch(block.hashes[at as usize]));
            for &at in run {
                let (key, hash) = (block.stored(at), block.hashes[at as usize]);
                let is_fresh = |other: u32| {
                    let NewSuccessor { block, at, .. } = fresh[other as usize];
                    keys_equal(blocks[block as usize].stored(at), key)
                };
                if let Some(put) = part.insert_unnumbered(key, hash, fresh.len() as u32, is_fresh) {
                    fresh.push(NewSuccessor { block: number as u32, at, put });
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
        Layout { words: 4, stored, folded }
    }

    #[test]
    fn numbers_are_given_once_and_survive_other_layouts() {
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
        assert!(store.room().taken() < 25 * 80_000, "{}", store.room().taken());
    }

    #[test]
    fn a_full_store_says_so_and_stays_readable() {
        for folded in [false, true] {
            let mut store = PackedStore::new(&key(0), true, 2 << 20, &Budget::unlimited()).unwrap();
            store.repack(layout(4, folded), |old, new| new.copy_from_slice(old)).unwrap();
            let fits = |i: &u32| store.add(&key(*i), i / 2, |_, _, _| {}).is_ok();
            let count = (1..).take_while(fits).last().unwrap();
            assert!(
                count > 10_000 && store.room().peak() <= 2 << 20,
                "{count} {}",
                store.room().peak()
            );
            let mut read = [0; 4];
            store.read(9999, &mut read);
            assert_eq!((read, store.parent(9999)), (key(9999), 4999));
        }
    }

    #[test]
    fn every_marking_has_a_parent_wherever_the_room_ends() {
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
        let wider = Layout { words: 40, stored: 40, folded: false };
        let spread = |old: &mut [u64], new: &mut [u64]| new[..4].copy_from_slice(old);
        assert_eq!(store.repack(wider, spread), Err(OutOfMemory));
        assert_eq!(store.len(), 0);
    }
}
