//! The exploration of all markings that are words, by one or several threads.
//!
//! The permuted words ([`WordPermutation`]) are divided among [`MarkingShard`]s by their highest
//! bits. Threads work in *rounds* of two steps:
//!
//! 1. *Fire.* Threads take shards, expand some waiting markings of each, and collect the successors
//!    by shard.
//! 2. *Insert.* Threads take shards, and insert the successors that all threads have collected for
//!    the shard.
//!
//! Each step hands a shard to one thread at a time, so there are no locks or atomic words in the
//! tables. If few markings wait, one thread expands them one by one, because a round has a fixed
//! cost.
//!
//! The order of the exploration depends on the threads. The counts do not.

use super::super::memory::OutOfMemory;
use super::super::progress::{ExplorationError, POLLING_INTERVAL, ProgressTest};
use super::super::threads::{Tasks, run_on_threads};
use super::layout::WordLayout;
use super::scatter::WordPermutation;
use super::shard::{MarkingShard, MarkingSlot};
use super::steps::{CompiledTransitions, FieldOverflow};
use super::tokens::{GroupTokens, ValueRange};
use parikh_solvers::Budget;

/// Binary logarithm of the number of shards.
const SHARD_BITS: u32 = if cfg!(debug_assertions) { 3 } else { 10 };

/// Minimum number of waiting markings for a round.
const MIN_ROUND: usize = if cfg!(debug_assertions) { 20 } else { 4096 };

/// Limit on the number of markings of a shard that are expanded in a round.
const MAX_MARKINGS_PER_SHARD: usize = if cfg!(debug_assertions) { 3 } else { 512 };

/// Limit on the number of successors that a thread collects in a round. A thread exceeds it by the
/// successors of one marking at most.
const MAX_SUCCESSORS: usize = if cfg!(debug_assertions) { 60 } else { 1 << 21 };

/// Number of shards that a thread takes at a time for insertions.
const SHARDS_PER_TASK: usize = 16;

/// The reason why the exploration ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExplorationEnd {
    /// A token count exceeds the field of its place, because its claimed bound is wrong.
    FieldOverflow,
    /// Time or memory is exhausted.
    Error(ExplorationError),
}

impl From<FieldOverflow> for ExplorationEnd {
    fn from(_: FieldOverflow) -> Self {
        ExplorationEnd::FieldOverflow
    }
}

impl From<OutOfMemory> for ExplorationEnd {
    fn from(error: OutOfMemory) -> Self {
        ExplorationEnd::Error(error.into())
    }
}

impl From<ExplorationError> for ExplorationEnd {
    fn from(error: ExplorationError) -> Self {
        ExplorationEnd::Error(error)
    }
}

/// The findings about expanded markings.
#[derive(Clone, Debug)]
pub(super) struct ExplorationFindings {
    /// Number of markings.
    pub(super) markings: u64,
    /// For each transition, by index: the number of markings that enable it.
    pub(super) enabled_in: Vec<u64>,
    /// Maximum total number of tokens.
    pub(super) max_total: u128,
    /// The ranges of values of the groups whose number of tokens varies.
    pub(super) value_ranges: Vec<ValueRange>,
}

impl ExplorationFindings {
    fn new(steps: &CompiledTransitions, tokens: &GroupTokens) -> Self {
        ExplorationFindings {
            markings: 0,
            enabled_in: vec![0; steps.transition_count()],
            max_total: 0,
            value_ranges: tokens.empty_ranges(),
        }
    }

    /// Adds the findings of another thread, about other markings.
    fn join(&mut self, other: &ExplorationFindings) {
        self.markings += other.markings;
        self.max_total = self.max_total.max(other.max_total);
        self.enabled_in.iter_mut().zip(&other.enabled_in).for_each(|(sum, more)| *sum += more);
        self.value_ranges.iter_mut().zip(&other.value_ranges).for_each(|(all, it)| all.join(it));
    }
}

/// The compiled net, the permutation and the budget, which all threads share.
struct ExplorationSetup<'a> {
    steps: &'a CompiledTransitions,
    tokens: &'a GroupTokens,
    scatter: WordPermutation,
    /// Number of bits of a permuted word without the bits that select the shard.
    remainder_bits: u32,
    budget: &'a Budget,
}

impl ExplorationSetup<'_> {
    /// Returns the index of the shard of a marking, and the remainder of the marking.
    fn locate(&self, word: u64) -> (usize, u64) {
        let scattered = self.scatter.scatter(word);
        let shard = scattered >> self.remainder_bits;
        (shard as usize, scattered & !(u64::MAX << self.remainder_bits))
    }

    /// Returns the marking with this remainder in a shard.
    fn word(&self, shard: usize, remainder: u64) -> u64 {
        self.scatter.gather(((shard as u64) << self.remainder_bits) | remainder)
    }

    /// Expands a marking: adds it to `findings`, and calls `report` with the location of each
    /// successor.
    fn expand(
        &self,
        word: u64,
        findings: &mut ExplorationFindings,
        mut report: impl FnMut(usize, u64),
    ) -> Result<(), FieldOverflow> {
        let ExplorationFindings { markings, enabled_in, max_total, value_ranges } = findings;
        *markings += 1;
        *max_total = (*max_total).max(self.tokens.total(word, value_ranges));
        self.steps.fire_all(word, |transition, successor| {
            enabled_in[transition as usize] += 1;
            if let Some(successor) = successor {
                let (shard, remainder) = self.locate(successor);
                report(shard, remainder);
            }
        })
    }
}

/// The findings and collected successors of one thread.
#[repr(align(128))]
struct ExplorationWorker<S> {
    findings: ExplorationFindings,
    /// The remainders of the successors, by shard.
    successors: Vec<Vec<S>>,
    /// The result of the last step.
    result: Result<(), ExplorationEnd>,
}

impl<S: MarkingSlot> ExplorationWorker<S> {
    /// Expands waiting markings of the given shards.
    fn fire<'s>(
        &mut self,
        setup: &ExplorationSetup<'_>,
        shards: &Tasks<impl Iterator<Item = (usize, &'s mut MarkingShard<S>)>>,
    ) -> Result<(), ExplorationEnd>
    where
        S: 's,
    {
        let ExplorationWorker { findings, successors, .. } = self;
        successors.iter_mut().for_each(Vec::clear);
        let mut successor_count = 0;
        while successor_count < MAX_SUCCESSORS
            && let Some((index, shard)) = shards.next()
        {
            if let Some(spent) = setup.budget.exhausted() {
                return Err(ExplorationError::from(spent).into());
            }
            shard.refill_queue();
            for _ in 0..MAX_MARKINGS_PER_SHARD {
                let Some(remainder) = shard.pop() else { break };
                setup.expand(setup.word(index, remainder), findings, |to, remainder| {
                    successors[to].push(S::new(remainder, false));
                    successor_count += 1;
                })?;
                if successor_count >= MAX_SUCCESSORS {
                    break;
                }
            }
        }
        Ok(())
    }
}

/// An exploration with slots of one type.
struct Exploration<'a, S> {
    setup: ExplorationSetup<'a>,
    shards: Vec<MarkingShard<S>>,
    workers: Vec<ExplorationWorker<S>>,
    /// The index of the shard with which the next round begins.
    first_shard: usize,
}

/// Visits all markings that are reachable from the initial marking of `layout`.
///
/// # Errors
/// Returns an error if a field overflows, the budget is exhausted, memory is short, or `progress`
/// ends the exploration.
pub(super) fn explore(
    layout: &WordLayout,
    steps: &CompiledTransitions,
    tokens: &GroupTokens,
    threads: usize,
    progress: &ProgressTest,
    budget: &Budget,
) -> Result<ExplorationFindings, ExplorationEnd> {
    // At least one bit for the shard and one for the remainder.
    let bits = layout.bits().max(2);
    let shard_bits = SHARD_BITS.min(bits - 1);
    let (scatter, remainder_bits) = (WordPermutation::new(bits), bits - shard_bits);
    let setup = ExplorationSetup { steps, tokens, scatter, remainder_bits, budget };
    if remainder_bits <= u32::MAX_BITS {
        Exploration::<u32>::new(setup, shard_bits, threads).run(layout.initial(), progress)
    } else {
        Exploration::<u64>::new(setup, shard_bits, threads).run(layout.initial(), progress)
    }
}

impl<'a, S: MarkingSlot> Exploration<'a, S> {
    fn new(setup: ExplorationSetup<'a>, shard_bits: u32, threads: usize) -> Self {
        let shards = 1 << shard_bits;
        let new_shard = |index| MarkingShard::new(index, shards, setup.remainder_bits);
        let new_worker = |_| ExplorationWorker {
            findings: ExplorationFindings::new(setup.steps, setup.tokens),
            successors: vec![Vec::new(); shards],
            result: Ok(()),
        };
        Exploration {
            shards: (0..shards).map(new_shard).collect(),
            workers: (0..threads.max(1)).map(new_worker).collect(),
            setup,
            first_shard: 0,
        }
    }

    fn run(
        mut self,
        initial: u64,
        progress: &ProgressTest,
    ) -> Result<ExplorationFindings, ExplorationEnd> {
        let (shard, remainder) = self.setup.locate(initial);
        self.shards[shard].insert(remainder, self.setup.budget)?;
        loop {
            let waiting: usize = self.shards.iter().map(MarkingShard::waiting).sum();
            let found: usize = self.shards.iter().map(MarkingShard::len).sum();
            if waiting == 0 {
                let bytes: usize = self.shards.iter().map(MarkingShard::bytes).sum();
                tracing::debug!("markings in groups: {found} markings, {bytes} bytes");
                break;
            }
            progress.check((found - waiting) as u64, found as u64, self.setup.budget)?;
            match waiting >= MIN_ROUND {
                true => self.run_round()?,
                false => self.expand_few()?,
            }
        }
        let mut all = ExplorationFindings::new(self.setup.steps, self.setup.tokens);
        self.workers.iter().for_each(|worker| all.join(&worker.findings));
        Ok(all)
    }

    /// Expands some waiting markings of each shard, and inserts their successors.
    fn run_round(&mut self) -> Result<(), ExplorationEnd> {
        let Exploration { setup, shards, workers, first_shard } = self;
        let setup = &*setup;
        // If there are too many successors, the last shards are left out.
        *first_shard = (*first_shard + shards.len() / 3 + 1) % shards.len();
        let mut numbered: Vec<(usize, &mut MarkingShard<S>)> =
            shards.iter_mut().enumerate().collect();
        numbered.rotate_left(*first_shard);
        let tasks = Tasks::new(numbered.into_iter());
        run_on_threads(workers, |worker| worker.result = worker.fire(setup, &tasks));
        workers.iter().try_for_each(|worker| worker.result)?;
        let successors: Vec<&Vec<Vec<S>>> = workers.iter().map(|it| &it.successors).collect();
        let tasks = Tasks::new(shards.chunks_mut(SHARDS_PER_TASK).enumerate());
        let mut results = vec![Ok(()); successors.len()];
        run_on_threads(&mut results, |result| {
            while let Some((chunk_index, chunk)) = tasks.next() {
                for (index, shard) in (chunk_index * SHARDS_PER_TASK..).zip(chunk) {
                    for of_worker in &successors {
                        if result.is_ok() {
                            *result = shard.insert_all(&of_worker[index], setup.budget);
                        }
                    }
                }
            }
        });
        results.into_iter().try_for_each(|result| result.map_err(ExplorationEnd::from))
    }

    /// Expands waiting markings one by one, until no marking waits in a queue, or enough wait for a
    /// round.
    fn expand_few(&mut self) -> Result<(), ExplorationEnd> {
        let Exploration { setup, shards, workers, .. } = self;
        let findings = &mut workers[0].findings;
        // An entry for each marking in a queue: the index of its shard.
        let mut queued: Vec<usize> = Vec::new();
        for (index, shard) in shards.iter_mut().enumerate() {
            shard.refill_queue();
            queued.extend(std::iter::repeat_n(index, shard.queued()));
        }
        let mut successors: Vec<(usize, u64)> = Vec::new();
        let mut expanded = 0;
        while queued.len() < MIN_ROUND
            && let Some(index) = queued.pop()
        {
            expanded += 1;
            let is_wide = successors.len() > POLLING_INTERVAL as usize;
            if (is_wide || expanded % POLLING_INTERVAL == 0)
                && let Some(spent) = setup.budget.exhausted()
            {
                return Err(ExplorationError::from(spent).into());
            }
            let Some(remainder) = shards[index].pop() else { continue };
            successors.clear();
            let add = |shard, remainder| successors.push((shard, remainder));
            setup.expand(setup.word(index, remainder), findings, add)?;
            for &(index, remainder) in &successors {
                let before = shards[index].queued();
                shards[index].insert(remainder, setup.budget)?;
                if shards[index].queued() > before {
                    queued.push(index);
                }
            }
        }
        Ok(())
    }
}
