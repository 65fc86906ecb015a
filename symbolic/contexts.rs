//! Which transitions a node is saturated for.
//!
//! Plain saturation treats a transition at the topmost level it touches, and every change of a
//! level far below has to come down from there. Where it only *reads* the levels above its first
//! change, that is more than is needed: below a value that lets it pass, the rest of it can be
//! treated at its first change, as if it were a transition of that part alone (*conditional
//! locality*). A node is then saturated for a *context*: its level, and the suffixes that the
//! values above have let pass.
//!
//! All contexts are made beforehand, from the top level down, and a context's successor depends
//! only on how many of the thresholds read there a value reaches. Many readers could make
//! exponentially many contexts, each with its own copy of the work below. So where reads would lead
//! to more than [`MOST`] contexts at a level, they are treated as in plain saturation at that
//! level.

use crate::touch::{END, Suffix};
use std::collections::HashMap;

/// The most contexts at one level.
const MOST: usize = 4;

/// A transition, or the rest of one, that is treated at a level.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Local {
    pub(crate) pre: u64,
    pub(crate) change: i64,
    pub(crate) next: u32,
}

pub(crate) struct Context {
    pub(crate) locals: Vec<Local>,
    /// Ascending; tokens that are read here by suffixes that then wait further down.
    thresholds: Vec<u64>,
    /// The context below, by how many thresholds are reached.
    below: Vec<u32>,
}

/// Contexts by number; 0 is that of the top level.
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
        // The suffixes that wait, per context of this level, and where they are in `all`.
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
            // With reads passed on, if that does not lead to too many contexts, else without.
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
                    let locals = local.iter().map(|&id| Local {
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

    /// The context below `context` for a number of tokens there.
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
