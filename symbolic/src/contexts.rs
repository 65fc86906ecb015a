//! The contexts of saturation: the transitions that a node is saturated for.
//!
//! Plain saturation fires a transition at the topmost level that it touches, so every change at a
//! level far below starts from there. A transition often only *reads* the levels above its first
//! change. Below a value that satisfies the read, the remaining suffix can fire at the level of its
//! first change, as a transition of that part alone (*conditional locality*). A node is therefore
//! saturated for a *context*: its level, and the suffixes whose reads are satisfied by the values
//! above.
//!
//! All contexts are computed in advance, from the top level down. The context below a value depends
//! only on how many of the read thresholds the value reaches. Many reads could create exponentially
//! many contexts, each with its own copy of the work below. If reads would create more than
//! [`MOST`] contexts at a level, plain saturation treats the transitions there.

use crate::touch::{END, Suffix};
use std::collections::HashMap;

/// The largest number of contexts at one level.
const MOST: usize = 4;

/// A transition, or the suffix of one, that fires at a given level.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalTransition {
    pub(crate) pre: u64,
    pub(crate) change: i64,
    pub(crate) next: u32,
}

pub(crate) struct Context {
    pub(crate) locals: Vec<LocalTransition>,
    /// Token numbers that suffixes read at this level, ascending.
    thresholds: Vec<u64>,
    /// The context below, indexed by the number of thresholds that the value reaches.
    below: Vec<u32>,
}

/// All contexts by number. Context 0 belongs to the top level.
pub(crate) struct Contexts {
    pub(crate) all: Vec<Context>,
}

impl Contexts {
    pub(crate) fn new(
        levels: u32,
        suffixes: &[Suffix],
        transitions: &[u32],
        conditional: bool,
    ) -> Self {
        let suffix = |id: u32| suffixes[id as usize];
        let reads = |id: u32| conditional && suffix(id).touch.change == 0;
        let mut starting: Vec<Vec<u32>> = vec![Vec::new(); levels as usize + 1];
        for &id in transitions {
            starting[suffix(id).touch.level as usize].push(id);
        }
        let mut all: Vec<Context> = Vec::new();
        // The pending suffixes of each context of this level; `first` is the number of its first
        // context.
        let mut frontier: Vec<Vec<u32>> = vec![Vec::new()];
        let mut first = 0;
        for level in 0..=levels {
            let here = |waiting: &[u32]| -> Vec<u32> {
                let waiting = waiting.iter().copied();
                let waiting = waiting.filter(|&id| suffix(id).touch.level == level);
                let mut here: Vec<u32> =
                    waiting.chain(starting[level as usize].iter().copied()).collect();
                here.sort_unstable();
                here.dedup();
                here
            };
            let next_first = first + frontier.len() as u32;
            // First try to pass reads on; if that creates too many contexts, treat them here.
            for passing in [true, false] {
                let passes = |id: &u32| passing && reads(*id);
                let mut below: Vec<Vec<u32>> = Vec::new();
                let mut below_at: HashMap<Vec<u32>, u32> = HashMap::new();
                let mut made: Vec<Context> = Vec::new();
                for waiting in &frontier {
                    let here = here(waiting);
                    let (read, local): (Vec<u32>, Vec<u32>) =
                        here.iter().partition(|id| passes(id));
                    let mut thresholds: Vec<u64> =
                        read.iter().map(|&id| suffix(id).touch.pre).collect();
                    thresholds.sort_unstable();
                    thresholds.dedup();
                    let mut successors = Vec::new();
                    for reached in 0..=thresholds.len() {
                        let passed = read
                            .iter()
                            .filter(|&&id| thresholds[..reached].contains(&suffix(id).touch.pre));
                        let deeper = waiting.iter().filter(|&&id| suffix(id).touch.level > level);
                        let mut waits: Vec<u32> =
                            passed.map(|&id| suffix(id).next).chain(deeper.copied()).collect();
                        waits.sort_unstable();
                        waits.dedup();
                        debug_assert!(!waits.contains(&END), "a transition that changes nothing");
                        let at = *below_at.entry(waits).or_insert_with_key(|waits| {
                            below.push(waits.clone());
                            next_first + (below.len() - 1) as u32
                        });
                        successors.push(at);
                    }
                    let locals = local.iter().map(|&id| LocalTransition {
                        pre: suffix(id).touch.pre,
                        change: suffix(id).touch.change,
                        next: suffix(id).next,
                    });
                    let locals = locals.collect();
                    made.push(Context { locals, thresholds, below: successors });
                }
                if below.len() <= MOST.max(frontier.len()) || !passing {
                    all.append(&mut made);
                    frontier = below;
                    break;
                }
            }
            first = next_first;
        }
        Contexts { all }
    }

    /// Returns the context below `context` for a value of `tokens`.
    #[inline]
    pub(crate) fn below(&self, context: u32, tokens: u64) -> u32 {
        let context = &self.all[context as usize];
        match context.thresholds.is_empty() {
            true => context.below[0],
            false => {
                let reached = context.thresholds.partition_point(|&least| least <= tokens);
                context.below[reached]
            }
        }
    }
}
