//! Transitions as implicit relations: instead of a relation diagram, the effect of each transition
//! at the levels that it touches.
//!
//! A transition is a list of [touches](LevelTouch) from top to bottom: at each touched level it
//! needs `pre` tokens and changes their number by `change`. Lists are built from the bottom up, and
//! each tail (a *suffix*) is stored once. Two transitions with the same suffix share the cached
//! results for it.
//!
//! Transitions without effect lead to no new marking and are left out. The module `count` counts
//! their enablings.

use crate::contexts::{Contexts, LocalTransition};
use crate::store::Stop;
use crate::touch::{EMPTY_SUFFIX, LevelTouch, Suffix};
use std::collections::HashMap;

/// The transitions of a net over levels, prepared for firing.
pub struct TransitionRelation {
    /// Number of levels.
    pub(crate) levels: u32,
    /// The suffixes, that is, the parts of transitions from some level down, indexed by number.
    /// Number 0 is the empty suffix.
    pub(crate) suffixes: Vec<Suffix>,
    /// The suffix number of each whole transition that has an effect, without repetition.
    pub(crate) transitions: Vec<u32>,
    /// The contexts of saturation.
    pub(crate) contexts: Contexts,
    /// The transitions by their topmost level.
    pub(crate) by_level: Vec<Vec<LocalTransition>>,
    /// The suffix numbers of the transitions by their topmost level.
    suffixes_by_level: Vec<Vec<u32>>,
    /// Number of this relation among all relations. Caches store suffix numbers, which are valid
    /// for one relation only.
    pub(crate) number: u64,
}

impl TransitionRelation {
    /// Builds a relation from transitions over `levels` levels. Each transition lists its touches
    /// by ascending level.
    ///
    /// # Errors
    ///
    /// Returns [`Stop::Memory`] if there are 2²⁸ different suffixes or more.
    ///
    /// # Panics
    ///
    /// Panics if a touch has an invalid level, is out of order, takes more tokens than it needs,
    /// or needs more tokens than its upper limit.
    pub fn new(levels: u32, transitions: &[Vec<LevelTouch>]) -> Result<Self, Stop> {
        Self::with_reads(levels, transitions, true)
    }

    /// Builds a relation as [`new`](Self::new) does. With `is_conditional`, saturation uses
    /// conditional locality for reads above the first change (see `contexts`). This affects only
    /// the running time.
    ///
    /// # Errors
    ///
    /// The same as for [`new`](Self::new).
    pub fn with_reads(
        levels: u32,
        transitions: &[Vec<LevelTouch>],
        is_conditional: bool,
    ) -> Result<Self, Stop> {
        static NUMBERS: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(1);
        let empty_suffix = Suffix { touch: LevelTouch::new(u32::MAX, 0, 0), next: EMPTY_SUFFIX };
        let mut suffixes = vec![empty_suffix];
        let mut suffix_numbers: HashMap<Suffix, u32> = HashMap::new();
        let mut first_suffixes = Vec::new();
        for touches in transitions {
            assert!(touches.windows(2).all(|pair| pair[0].level < pair[1].level), "out of order");
            assert!(touches.iter().all(|touch| touch.level < levels), "no such level");
            assert!(touches.iter().all(|t| t.pre.checked_add_signed(t.change).is_some()));
            assert!(touches.iter().all(|touch| touch.pre <= touch.max), "never enabled");
            if touches.iter().all(|touch| touch.change == 0) {
                continue;
            }
            let mut next = EMPTY_SUFFIX;
            for &touch in touches.iter().rev().filter(|touch| !touch.is_trivial()) {
                let suffix = Suffix { touch, next };
                next = *suffix_numbers.entry(suffix).or_insert_with(|| {
                    suffixes.push(suffix);
                    (suffixes.len() - 1) as u32
                });
            }
            first_suffixes.push(next);
        }
        if suffixes.len() >= crate::cache::MAX_SUFFIXES as usize {
            return Err(Stop::Memory);
        }
        first_suffixes.sort_unstable();
        first_suffixes.dedup();
        let contexts = Contexts::new(levels, &suffixes, &first_suffixes, is_conditional);
        let mut by_level = vec![Vec::new(); levels as usize + 1];
        let mut beginning = vec![Vec::new(); levels as usize + 1];
        for &id in &first_suffixes {
            let Suffix { touch, next } = suffixes[id as usize];
            by_level[touch.level as usize].push(LocalTransition { touch, next });
            beginning[touch.level as usize].push(id);
        }
        let number = NUMBERS.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Ok(TransitionRelation {
            levels,
            suffixes,
            transitions: first_suffixes,
            contexts,
            by_level,
            suffixes_by_level: beginning,
            number,
        })
    }

    /// Returns the reversed transitions.
    ///
    /// # Errors
    ///
    /// The same as for [`new`](Self::new).
    pub fn reversed(&self) -> Result<TransitionRelation, Stop> {
        let transitions: Vec<Vec<LevelTouch>> = self
            .transitions
            .iter()
            .map(|&suffix| self.touches(suffix).map(LevelTouch::reversed).collect())
            .collect();
        TransitionRelation::with_reads(self.levels, &transitions, false)
    }

    /// Returns the suffixes of the transitions whose topmost level is `level`.
    pub(crate) fn beginning_at(&self, level: u32) -> &[u32] {
        &self.suffixes_by_level[level as usize]
    }

    pub(crate) fn suffix(&self, id: u32) -> Suffix {
        self.suffixes[id as usize]
    }

    /// Iterates over the touches of a suffix, from the top level down.
    pub(crate) fn touches(&self, mut id: u32) -> impl Iterator<Item = LevelTouch> {
        std::iter::from_fn(move || {
            let suffix = self.suffixes[id as usize];
            let touch = (id != EMPTY_SUFFIX).then_some(suffix.touch);
            id = suffix.next;
            touch
        })
    }

    /// Returns the number of levels of a vector.
    pub fn levels(&self) -> u32 {
        self.levels
    }
}
