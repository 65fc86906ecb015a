//! Transitions as implicit relations: no relation diagram, only what each transition does at the
//! levels that it touches.
//!
//! A transition is a list of [touches](Touch) from top to bottom: at this level it needs `pre`
//! tokens and changes their number by `change`. Lists are made from the bottom up and each tail, a
//! *suffix*, once: two transitions that do the same from some level on share what was computed for
//! them there.
//!
//! A transition that changes nothing leads nowhere new and is left out here. Counting how often
//! transitions are enabled is a matter of `count`.

use crate::contexts::{Contexts, Local};
use crate::store::Stop;
use crate::touch::{END, Suffix, Touch};
use std::collections::HashMap;

/// The transitions of a net over levels, made ready for firing.
pub struct Relation {
    pub(crate) levels: u32,
    pub(crate) suffixes: Vec<Suffix>,
    /// One suffix a transition that changes something, each once.
    pub(crate) transitions: Vec<u32>,
    pub(crate) contexts: Contexts,
    /// The transitions by their topmost level.
    pub(crate) by_level: Vec<Vec<Local>>,
    /// The same, as suffixes.
    beginning: Vec<Vec<u32>>,
    /// Which of several relations this is, for caches: they know suffixes by number only.
    pub(crate) number: u64,
}

impl Relation {
    /// Transitions over `levels` levels, each with its touches by ascending level.
    ///
    /// # Errors
    ///
    /// [`Stop::Memory`] with more than 2²⁸ different suffixes.
    ///
    /// # Panics
    ///
    /// When a touch is at no level, out of order, or takes more than it needs.
    pub fn new(levels: u32, transitions: &[Vec<Touch>]) -> Result<Self, Stop> {
        Self::with_reads(levels, transitions, true)
    }

    /// As [`new`](Self::new); `conditional` says whether reads above the first change wait for
    /// nothing (see `contexts`), which only matters for the time it takes.
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new).
    pub fn with_reads(
        levels: u32,
        transitions: &[Vec<Touch>],
        conditional: bool,
    ) -> Result<Self, Stop> {
        static NUMBERS: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(1);
        let nothing = Suffix { touch: Touch { level: u32::MAX, pre: 0, change: 0 }, next: END };
        let mut suffixes = vec![nothing];
        let mut known: HashMap<Suffix, u32> = HashMap::new();
        let mut all = Vec::new();
        for touches in transitions {
            assert!(touches.windows(2).all(|pair| pair[0].level < pair[1].level), "out of order");
            assert!(touches.iter().all(|touch| touch.level < levels), "no such level");
            assert!(touches.iter().all(|t| t.pre.checked_add_signed(t.change).is_some()));
            if touches.iter().all(|touch| touch.change == 0) {
                continue;
            }
            let mut next = END;
            for &touch in touches.iter().rev().filter(|touch| touch.pre > 0 || touch.change != 0) {
                let suffix = Suffix { touch, next };
                next = *known.entry(suffix).or_insert_with(|| {
                    suffixes.push(suffix);
                    (suffixes.len() - 1) as u32
                });
            }
            all.push(next);
        }
        if suffixes.len() >= crate::cache::SUFFIXES as usize {
            return Err(Stop::Memory);
        }
        all.sort_unstable();
        all.dedup();
        let contexts = Contexts::new(levels, &suffixes, &all, conditional);
        let mut by_level = vec![Vec::new(); levels as usize + 1];
        let mut beginning = vec![Vec::new(); levels as usize + 1];
        for &id in &all {
            let Suffix { touch: Touch { level, pre, change }, next } = suffixes[id as usize];
            by_level[level as usize].push(Local { pre, change, next });
            beginning[level as usize].push(id);
        }
        let number = NUMBERS.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Ok(Relation { levels, suffixes, transitions: all, contexts, by_level, beginning, number })
    }

    /// The transitions backwards.
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new).
    pub fn reversed(&self) -> Result<Relation, Stop> {
        let transitions: Vec<Vec<Touch>> = self
            .transitions
            .iter()
            .map(|&suffix| self.touches(suffix).map(Touch::reversed).collect())
            .collect();
        Relation::with_reads(self.levels, &transitions, false)
    }

    /// The suffixes of the transitions whose topmost level this is.
    pub(crate) fn beginning_at(&self, level: u32) -> &[u32] {
        &self.beginning[level as usize]
    }

    pub(crate) fn suffix(&self, id: u32) -> Suffix {
        self.suffixes[id as usize]
    }

    pub(crate) fn touches(&self, mut id: u32) -> impl Iterator<Item = Touch> {
        std::iter::from_fn(move || {
            let suffix = self.suffixes[id as usize];
            let touch = (id != END).then_some(suffix.touch);
            id = suffix.next;
            touch
        })
    }

    /// How many levels a vector has.
    pub fn levels(&self) -> u32 {
        self.levels
    }
}
