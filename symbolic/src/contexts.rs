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
//! [`MAX_CONTEXTS`] contexts at a level, plain saturation treats the transitions there.

use crate::touch::{EMPTY_SUFFIX, LevelTouch, Suffix};
use std::collections::HashMap;
use std::ops::Range;

/// The largest number of contexts of one level that reads may create. A level may always have as
/// many contexts as the level above.
const MAX_CONTEXTS: usize = 4;

/// A transition, or the suffix of one, that fires at a given level.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalTransition {
    /// The effect of the transition at this level.
    pub(crate) touch: LevelTouch,
    /// The number of the suffix for the levels below.
    pub(crate) next: u32,
}

/// The transitions that a node of one level is saturated for, with the contexts of its children.
pub(crate) struct Context {
    /// The transitions that fire at the level of the context.
    pub(crate) locals: Vec<LocalTransition>,
    /// Token numbers at which reads of suffixes at this level begin or cease to hold, ascending.
    thresholds: Vec<u64>,
    /// The context below, indexed by the number of thresholds that the value reaches.
    contexts_below: Vec<u32>,
}

/// All contexts by number. Context 0 belongs to the top level.
pub(crate) struct Contexts {
    /// The contexts, indexed by number.
    pub(crate) contexts: Vec<Context>,
}

impl Contexts {
    /// Computes the contexts level by level, from the top.
    pub(crate) fn new(
        levels: u32,
        suffixes: &[Suffix],
        transitions: &[u32],
        is_conditional: bool,
    ) -> Self {
        let suffix_of = |id: u32| suffixes[id as usize];
        let is_read = |id: u32| is_conditional && suffix_of(id).touch.change == 0;
        let mut starting_at_level: Vec<Vec<u32>> = vec![Vec::new(); levels as usize + 1];
        for &id in transitions {
            starting_at_level[suffix_of(id).touch.level as usize].push(id);
        }
        let mut contexts: Vec<Context> = Vec::new();
        // The pending suffixes of each context of this level. The number of its first context is
        // `first_context`.
        let mut frontier: Vec<Vec<u32>> = vec![Vec::new()];
        let mut first_context = 0;
        for level in 0..=levels {
            let firing = |pending: &[u32]| -> Vec<u32> {
                let pending = pending.iter().copied();
                let pending = pending.filter(|&id| suffix_of(id).touch.level == level);
                let mut firing: Vec<u32> =
                    pending.chain(starting_at_level[level as usize].iter().copied()).collect();
                firing.sort_unstable();
                firing.dedup();
                firing
            };
            let first_below = first_context + frontier.len() as u32;
            // First, transitions that only read this level are passed on to the levels below. If
            // this creates too many contexts, these transitions fire at this level.
            for passes_reads in [true, false] {
                let is_passed = |id: &u32| passes_reads && is_read(*id);
                let max_contexts = MAX_CONTEXTS.max(frontier.len());
                let mut pending_below: Vec<Vec<u32>> = Vec::new();
                let mut context_below: HashMap<Vec<u32>, u32> = HashMap::new();
                let mut level_contexts: Vec<Context> = Vec::new();
                for pending in &frontier {
                    let firing = firing(pending);
                    let (read, local): (Vec<u32>, Vec<u32>) =
                        firing.iter().partition(|id| is_passed(id));
                    // A read holds from `pre` on, and below the number after `max`.
                    let touch_of = |id: u32| suffix_of(id).touch;
                    let bounds_of =
                        |&id: &u32| [Some(touch_of(id).pre), touch_of(id).max.checked_add(1)];
                    let mut thresholds: Vec<u64> =
                        read.iter().flat_map(bounds_of).flatten().collect();
                    thresholds.sort_unstable();
                    thresholds.dedup();
                    // For each read, the numbers of reached thresholds with which it holds.
                    let reached_where_it_holds: Vec<Range<usize>> = read
                        .iter()
                        .map(|&id| {
                            let touch = touch_of(id);
                            let from = thresholds.partition_point(|&it| it <= touch.pre);
                            from..thresholds.partition_point(|&it| it <= touch.max) + 1
                        })
                        .collect();
                    let mut successors = Vec::new();
                    for reached in 0..=thresholds.len() {
                        if passes_reads && pending_below.len() > max_contexts {
                            break;
                        }
                        let passed = read.iter().zip(&reached_where_it_holds);
                        let passed = passed.filter(|(_, holds)| holds.contains(&reached));
                        let passed = passed.map(|(id, _)| id);
                        let deeper =
                            pending.iter().filter(|&&id| suffix_of(id).touch.level > level);
                        let mut pending_here: Vec<u32> =
                            passed.map(|&id| suffix_of(id).next).chain(deeper.copied()).collect();
                        pending_here.sort_unstable();
                        pending_here.dedup();
                        debug_assert!(
                            !pending_here.contains(&EMPTY_SUFFIX),
                            "a transition that changes nothing"
                        );
                        let context =
                            *context_below.entry(pending_here).or_insert_with_key(|pending_here| {
                                pending_below.push(pending_here.clone());
                                first_below + (pending_below.len() - 1) as u32
                            });
                        successors.push(context);
                    }
                    let locals = local.iter().map(|&id| suffix_of(id));
                    let locals =
                        locals.map(|Suffix { touch, next }| LocalTransition { touch, next });
                    let locals = locals.collect();
                    level_contexts.push(Context { locals, thresholds, contexts_below: successors });
                }
                if pending_below.len() <= max_contexts || !passes_reads {
                    contexts.append(&mut level_contexts);
                    frontier = pending_below;
                    break;
                }
            }
            first_context = first_below;
        }
        Contexts { contexts }
    }

    /// Returns the context below `context` for a value of `tokens`.
    #[inline]
    pub(crate) fn context_below(&self, context: u32, tokens: u64) -> u32 {
        let context = &self.contexts[context as usize];
        match context.thresholds.is_empty() {
            true => context.contexts_below[0],
            false => {
                let reached_thresholds =
                    context.thresholds.partition_point(|&threshold| threshold <= tokens);
                context.contexts_below[reached_thresholds]
            }
        }
    }
}
