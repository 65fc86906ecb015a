//! Keys of many words folded into one, by a tree of pairs.
//!
//! Markings of one net are much alike: a firing changes a few words, and of each half of a key there are far
//! fewer than of whole keys. So a key is cut into its words, each word is given a number, two numbers side
//! by side are one word again, which is given a number, and so on, until one word is left, the *root*: a
//! marking takes eight bytes however many places the net has, plus what is new of its parts, which most often
//! is next to nothing (A. Laarman, J. van de Pol, M. Weber, *Parallel recursive state compression for
//! free*, SPIN 2011). Equal keys have equal roots, and different ones different roots, so markings are compared
//! by their roots.
//!
//! All parts, words and pairs, of all positions, share one [`Set`]: what a number stands for depends on
//! nothing but the number, and how to read it on the position.
//!
//! A successor is folded along the marking that was loaded last, its *base*: where no word has changed the
//! numbers are the same, so a firing that touches two words looks up about two paths of the tree, most often
//! among the parts that were [looked up of late](Parts::late).

use super::room::{Full, Room};
use super::set::{Hash, Set};

/// Parts that are remembered: as many as stay in a cache.
const LATE: usize = 1 << 14;

/// Words and pairs with their numbers.
struct Parts {
    set: Set,
    /// Parts looked up of late, each at a place that comes from its bits, with their numbers and one more;
    /// 0 for none. Markings that come one after the other have most parts in common.
    late: Vec<(u64, u32)>,
}

impl Parts {
    fn number(&mut self, part: u64) -> Result<u32, Full> {
        let at = (part.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - LATE.ilog2())) as usize;
        let (late, number) = self.late[at];
        if late == part && number > 0 {
            return Ok(number - 1);
        }
        let (number, _) = self.set.insert(&[part], Hash::of(&[part]))?;
        self.late[at] = (part, number + 1);
        Ok(number)
    }
}

/// The parts of keys of one width. See the module.
pub(crate) struct Tree {
    parts: Parts,
    /// Where the numbers of each level start, and how many they are: of the words, of pairs of them, …, of
    /// the last two.
    levels: Vec<(usize, usize)>,
    base: Vec<u64>,
    /// The numbers of the base, level by level.
    numbers: Vec<u32>,
    /// Whether there is a base.
    is_based: bool,
    /// Positions of the level at work that differ from the base's, ascending.
    changed: Vec<usize>,
    /// What was overwritten in `numbers`.
    undo: Vec<(usize, u32)>,
}

impl Tree {
    /// For keys of `words` words, at least one.
    pub(crate) fn new(words: usize, room: &Room) -> Self {
        let mut levels = vec![(0, words)];
        while let Some(&(start, width)) = levels.last()
            && width > 2
        {
            levels.push((start + width, width.div_ceil(2)));
        }
        let (start, width) = levels[levels.len() - 1];
        Tree {
            parts: Parts { set: Set::new(1, room), late: vec![(0, 0); LATE] },
            levels,
            base: vec![0; words],
            numbers: vec![0; start + width],
            is_based: false,
            changed: Vec::new(),
            undo: Vec::new(),
        }
    }

    /// Makes `key` the base; its root.
    ///
    /// # Errors
    /// When there is no room for its parts: then there is no base.
    pub(crate) fn rebase(&mut self, key: &[u64]) -> Result<u64, Full> {
        if !self.is_based {
            // Every word has changed.
            self.base.iter_mut().zip(key).for_each(|(base, &word)| *base = !word);
        }
        self.is_based = false;
        let root = self.fold_along(key)?;
        self.base.copy_from_slice(key);
        self.undo.clear();
        self.is_based = true;
        Ok(root)
    }

    /// The root of `key`, where there is a base.
    ///
    /// # Errors
    /// When there is no room for its parts.
    pub(crate) fn fold(&mut self, key: &[u64]) -> Result<u64, Full> {
        let root = self.fold_along(key);
        for (at, number) in self.undo.drain(..).rev() {
            self.numbers[at] = number;
        }
        root
    }

    fn fold_along(&mut self, key: &[u64]) -> Result<u64, Full> {
        if key.len() == 1 {
            return Ok(key[0]);
        }
        self.changed.clear();
        for (at, (&word, &base)) in key.iter().zip(&self.base).enumerate() {
            if word != base {
                let number = self.parts.number(word)?;
                self.undo.push((at, self.numbers[at]));
                self.numbers[at] = number;
                self.changed.push(at);
            }
        }
        for level in 1..self.levels.len() {
            let ((below, width), (above, _)) = (self.levels[level - 1], self.levels[level]);
            let mut kept = 0;
            for i in 0..self.changed.len() {
                let at = self.changed[i] / 2;
                if kept > 0 && self.changed[kept - 1] == at {
                    continue;
                }
                // The last one of an odd number has no partner, and stands for itself.
                let number = match 2 * at + 1 < width {
                    true => self.parts.number(self.pair(below + 2 * at))?,
                    false => self.numbers[below + 2 * at],
                };
                self.undo.push((above + at, self.numbers[above + at]));
                self.numbers[above + at] = number;
                self.changed[kept] = at;
                kept += 1;
            }
            self.changed.truncate(kept);
        }
        Ok(self.pair(self.numbers.len() - 2))
    }

    fn pair(&self, at: usize) -> u64 {
        u64::from(self.numbers[at]) << 32 | u64::from(self.numbers[at + 1])
    }

    /// Makes the key of `root` the base, and writes it to `key`.
    pub(crate) fn load(&mut self, root: u64, key: &mut [u64]) {
        let mut numbers = std::mem::take(&mut self.numbers);
        self.unfold(root, &mut numbers, key);
        self.numbers = numbers;
        self.base.copy_from_slice(key);
        self.undo.clear();
        self.is_based = true;
    }

    /// Writes the key of `root` to `key`.
    pub(crate) fn read(&self, root: u64, key: &mut [u64]) {
        self.unfold(root, &mut vec![0; self.numbers.len()], key);
    }

    fn unfold(&self, root: u64, numbers: &mut [u32], key: &mut [u64]) {
        if let [only] = key {
            *only = root;
            return;
        }
        let end = numbers.len();
        (numbers[end - 2], numbers[end - 1]) = halves(root);
        for level in (1..self.levels.len()).rev() {
            let ((below, width), (above, _)) = (self.levels[level - 1], self.levels[level]);
            let (lower, upper) = numbers.split_at_mut(above);
            for (two, &number) in lower[below..below + width].chunks_mut(2).zip(&*upper) {
                match two {
                    [left, right] => (*left, *right) = halves(self.parts.set.key(number)[0]),
                    // The last one of an odd number.
                    alone => alone.fill(number),
                }
            }
        }
        for (word, &number) in key.iter_mut().zip(&*numbers) {
            *word = self.parts.set.key(number)[0];
        }
    }
}

fn halves(pair: u64) -> (u32, u32) {
    ((pair >> 32) as u32, pair as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn keys_are_read_back_and_have_roots_of_their_own() {
        let mut rng = fastrand::Rng::with_seed(5);
        for words in (1..20).chain([63, 64, 65, 127]) {
            let room = Room::unlimited();
            let mut tree = Tree::new(words, &room);
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
    fn without_room_the_base_is_as_it_was() {
        let room = Room::new(200_000, &parikh_solvers::Budget::unlimited());
        let mut tree = Tree::new(5, &room);
        let first = tree.rebase(&[1, 2, 3, 4, 5]).unwrap();
        let full = (0..).find(|&i| tree.fold(&[1, 2, i, 4, i * i]).is_err()).unwrap();
        assert!(full > 1000 && room.taken() <= 200_000);
        assert_eq!(tree.fold(&[1, 2, 3, 4, 5]), Ok(first));
    }
}
