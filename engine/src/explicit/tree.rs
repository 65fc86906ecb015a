//! Tree compression: folds keys of many words into one word by a tree of pairs.
//!
//! The markings of one net are similar. A firing changes a few words, and there are far fewer
//! distinct halves of keys than whole keys. So each word of a key gets a number. Two neighbouring
//! numbers form a word again, which gets a number, and so on, until one word is left, the *root*. A
//! marking takes eight bytes however many places the net has, plus its new parts, which are usually
//! few (A. Laarman, J. van de Pol, M. Weber, *Parallel recursive state compression for free*, SPIN
//! 2011). Keys are equal exactly if their roots are equal, so markings are compared by their roots.
//!
//! All parts, words and pairs of all positions, share one [`MarkingSet`]. A number always stands
//! for the same 64 bits. Only their interpretation depends on the position.
//!
//! A successor is folded relative to the marking loaded last, its *base*. Numbers of unchanged
//! words are reused. So a firing that changes two words looks up about two paths of the tree,
//! usually among the [recent parts](Folder::recent_parts).
//!
//! Several threads may fold keys at the same time, each with its own [`Folder`], as long as all
//! parts are known. Most parts are, and keys with unknown parts are left for one thread.

use super::memory::{MemoryAccount, OutOfMemory};
use super::set::{Hash, MarkingSet};

/// Number of slots of the cache of recent parts. The cache takes 256 KB and fits in a processor
/// cache.
const CACHE_SLOTS: usize = 1 << 14;

/// The parts (words and pairs) of the folded keys, with their numbers. All keys have the same
/// number of words. See the module documentation.
pub(crate) struct KeyTree {
    /// Words and pairs with their numbers.
    parts: MarkingSet,
    /// The folder of the thread that adds parts.
    folder: Folder,
}

/// Folds and unfolds keys relative to a base, that is, the key that was loaded or [made the
/// base](KeyTree::rebase) last. Each thread has its own folder.
#[derive(Clone)]
pub(crate) struct Folder {
    /// Start and length of each level in `numbers`: the words, the pairs of words, …, the last two
    /// numbers.
    levels: Vec<(usize, usize)>,
    /// Cache of recent parts: (part, number plus 1) at a position derived from the part, with 0 if
    /// empty. Consecutive markings have most parts in common.
    recent_parts: Vec<(u64, u32)>,
    /// The key that new keys are folded relative to.
    base: Vec<u64>,
    /// The numbers of the words and pairs of the base, level by level.
    numbers: Vec<u32>,
    /// True if there is a base.
    has_base: bool,
    /// Positions of the current level that differ from the base, ascending.
    changed: Vec<usize>,
    /// The overwritten entries of `numbers`: position and old number, in order.
    undo: Vec<(usize, u32)>,
}

/// The error of folding a key of which a part (a word or a pair of numbers) has no number yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UnknownPart;

impl KeyTree {
    /// Creates the tree for keys of `words` words, at least one.
    pub(crate) fn new(words: usize, memory: &MemoryAccount) -> Self {
        let mut levels = vec![(0, words)];
        while let Some(&(start, width)) = levels.last()
            && width > 2
        {
            levels.push((start + width, width.div_ceil(2)));
        }
        let (start, width) = levels[levels.len() - 1];
        let folder = Folder {
            levels,
            recent_parts: vec![(0, 0); CACHE_SLOTS],
            base: vec![0; words],
            numbers: vec![0; start + width],
            has_base: false,
            changed: Vec::new(),
            undo: Vec::new(),
        };
        KeyTree { parts: MarkingSet::new(1, memory), folder }
    }

    /// Makes `key` the base, that is, the key relative to which the next keys are folded. Returns
    /// its root, that is, the single word into which it is folded. Adds its parts that have no
    /// number yet.
    ///
    /// # Errors
    /// Returns an error if there is no memory for its parts. Then there is no base.
    pub(crate) fn rebase(&mut self, key: &[u64]) -> Result<u64, OutOfMemory> {
        let folder = &mut self.folder;
        if !folder.has_base {
            // Without a base, every word counts as changed.
            folder.base.iter_mut().zip(key).for_each(|(base, &word)| *base = !word);
        }
        folder.has_base = false;
        let root = folder.fold_and_record(key, number_in(&mut self.parts))?;
        folder.base.copy_from_slice(key);
        folder.undo.clear();
        folder.has_base = true;
        Ok(root)
    }

    /// Returns the root of `key`, that is, the single word into which it is folded. Adds its parts
    /// that have no number yet. There must be a base, which stays the same.
    ///
    /// # Errors
    /// Returns an error if there is no memory for its parts.
    pub(crate) fn fold(&mut self, key: &[u64]) -> Result<u64, OutOfMemory> {
        self.folder.fold(key, number_in(&mut self.parts))
    }

    /// Returns the root of `key`, folded with `folder`, which must have a base.
    ///
    /// # Errors
    /// Returns an error if a part has no number yet.
    pub(crate) fn fold_with(&self, folder: &mut Folder, key: &[u64]) -> Result<u64, UnknownPart> {
        folder.fold(key, |part| self.parts.find(&[part], Hash::of(&[part])).ok_or(UnknownPart))
    }

    /// Makes the key of `root` the base, and writes it to `key`.
    pub(crate) fn load(&mut self, root: u64, key: &mut [u64]) {
        self.folder.load(root, key, &self.parts);
    }

    /// Like [`load`](Self::load), for the base of `folder`.
    pub(crate) fn load_with(&self, folder: &mut Folder, root: u64, key: &mut [u64]) {
        folder.load(root, key, &self.parts);
    }

    /// Writes the key of `root` to `key`.
    pub(crate) fn read(&self, root: u64, key: &mut [u64]) {
        let numbers = &mut vec![0; self.folder.numbers.len()];
        unfold(root, &self.folder.levels, &self.parts, numbers, key);
    }

    /// Returns a folder for another thread.
    pub(crate) fn folder(&self) -> Folder {
        self.folder.clone()
    }
}

/// Returns a function that returns the number of a part, after adding the part to `parts` if it is
/// missing.
fn number_in(parts: &mut MarkingSet) -> impl FnMut(u64) -> Result<u32, OutOfMemory> {
    |part| Ok(parts.insert(&[part], Hash::of(&[part]))?.0)
}

impl Folder {
    /// Returns the root of `key`. `look_up` returns the number of a part. The numbers of the base
    /// stay as they are.
    fn fold<E>(
        &mut self,
        key: &[u64],
        look_up: impl FnMut(u64) -> Result<u32, E>,
    ) -> Result<u64, E> {
        let root = self.fold_and_record(key, look_up);
        for (index, number) in self.undo.drain(..).rev() {
            self.numbers[index] = number;
        }
        root
    }

    /// Folds `key` into `numbers` and returns its root. Records the overwritten numbers in `undo`.
    fn fold_and_record<E>(
        &mut self,
        key: &[u64],
        mut look_up: impl FnMut(u64) -> Result<u32, E>,
    ) -> Result<u64, E> {
        if key.len() == 1 {
            return Ok(key[0]);
        }
        self.changed.clear();
        for (index, (&word, &base)) in key.iter().zip(&self.base).enumerate() {
            if word != base {
                let number = number_of(&mut self.recent_parts, word, &mut look_up)?;
                self.undo.push((index, self.numbers[index]));
                self.numbers[index] = number;
                self.changed.push(index);
            }
        }
        for level in 1..self.levels.len() {
            let ((lower_start, width), (upper_start, _)) =
                (self.levels[level - 1], self.levels[level]);
            let mut changed_count = 0;
            for i in 0..self.changed.len() {
                let index = self.changed[i] / 2;
                if changed_count > 0 && self.changed[changed_count - 1] == index {
                    continue;
                }
                // With an odd number of entries, the last one has no partner and keeps its number.
                let number = match 2 * index + 1 < width {
                    true => {
                        let pair = self.pair(lower_start + 2 * index);
                        number_of(&mut self.recent_parts, pair, &mut look_up)?
                    }
                    false => self.numbers[lower_start + 2 * index],
                };
                self.undo.push((upper_start + index, self.numbers[upper_start + index]));
                self.numbers[upper_start + index] = number;
                self.changed[changed_count] = index;
                changed_count += 1;
            }
            self.changed.truncate(changed_count);
        }
        Ok(self.pair(self.numbers.len() - 2))
    }

    /// Returns the pair of the numbers at `index` and the next position.
    fn pair(&self, index: usize) -> u64 {
        u64::from(self.numbers[index]) << 32 | u64::from(self.numbers[index + 1])
    }

    /// Makes the key of `root` the base, and writes it to `key`.
    fn load(&mut self, root: u64, key: &mut [u64], parts: &MarkingSet) {
        unfold(root, &self.levels, parts, &mut self.numbers, key);
        self.base.copy_from_slice(key);
        self.undo.clear();
        self.has_base = true;
    }
}

/// Returns the number of a part from the cache, or from `look_up`, whose result is then cached.
fn number_of<E>(
    cache: &mut [(u64, u32)],
    part: u64,
    look_up: &mut impl FnMut(u64) -> Result<u32, E>,
) -> Result<u32, E> {
    let slot = (part.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - CACHE_SLOTS.ilog2())) as usize;
    let (cached_part, number) = cache[slot];
    if cached_part == part && number > 0 {
        return Ok(number - 1);
    }
    let number = look_up(part)?;
    cache[slot] = (part, number + 1);
    Ok(number)
}

/// Writes the key of `root` to `key`, and the numbers of its parts to `numbers`.
fn unfold(
    root: u64,
    levels: &[(usize, usize)],
    parts: &MarkingSet,
    numbers: &mut [u32],
    key: &mut [u64],
) {
    if let [only] = key {
        *only = root;
        return;
    }
    let length = numbers.len();
    (numbers[length - 2], numbers[length - 1]) = halves(root);
    for level in (1..levels.len()).rev() {
        let ((lower_start, width), (upper_start, _)) = (levels[level - 1], levels[level]);
        let (lower, upper) = numbers.split_at_mut(upper_start);
        for (children, &number) in
            lower[lower_start..lower_start + width].chunks_mut(2).zip(&*upper)
        {
            match children {
                [left, right] => (*left, *right) = halves(parts.key(number)[0]),
                // The last entry of a level with an odd number of entries.
                unpaired => unpaired.fill(number),
            }
        }
    }
    for (word, &number) in key.iter_mut().zip(&*numbers) {
        *word = parts.key(number)[0];
    }
}

/// Splits a pair into its two numbers.
fn halves(pair: u64) -> (u32, u32) {
    ((pair >> 32) as u32, pair as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn keys_are_read_back_and_have_distinct_roots() {
        let mut rng = fastrand::Rng::with_seed(5);
        for words in (1..20).chain([63, 64, 65, 127]) {
            let room = MemoryAccount::unlimited();
            let mut tree = KeyTree::new(words, &room);
            let mut key = vec![0; words];
            let mut keys: Vec<(u64, Vec<u64>)> = vec![(tree.rebase(&key).unwrap(), key.clone())];
            for _ in 0..500 {
                let (root, base) = &keys[rng.usize(0..keys.len())];
                tree.load(*root, &mut key);
                assert_eq!(&key, base);
                for _ in 0..rng.usize(1..4) {
                    for _ in 0..rng.usize(0..5) {
                        key[rng.usize(0..words)] = rng.u64(0..4) << rng.u32(0..60);
                    }
                    let root = match rng.bool() {
                        true => tree.fold(&key),
                        false => tree.rebase(&key),
                    };
                    keys.push((root.unwrap(), key.clone()));
                }
            }
            let mut root_of: HashMap<&[u64], u64> = HashMap::new();
            let mut key_of: HashMap<u64, &[u64]> = HashMap::new();
            for (root, expected) in &keys {
                tree.read(*root, &mut key);
                assert_eq!(&key, expected, "{words} words");
                assert_eq!(root_of.entry(expected).or_insert(*root), root);
                assert_eq!(key_of.entry(*root).or_insert(expected), expected);
            }
        }
    }

    #[test]
    fn a_failed_change_leaves_the_base_unchanged() {
        let room = MemoryAccount::new(200_000, &parikh_solvers::Budget::unlimited());
        let mut tree = KeyTree::new(5, &room);
        let first = tree.rebase(&[1, 2, 3, 4, 5]).unwrap();
        let full = (0..).find(|&i| tree.fold(&[1, 2, i, 4, i * i]).is_err()).unwrap();
        assert!(full > 1000 && room.used_bytes() <= 200_000);
        assert_eq!(tree.fold(&[1, 2, 3, 4, 5]), Ok(first));
    }
}
