//! Parallel expansion of many markings by several threads.
//!
//! A breadth-first search expands markings in the order of their numbers. The next few thousand
//! markings are a *chunk*, and their successors do not depend on later discoveries. So a chunk is
//! expanded in three steps:
//!
//! 1. *Fire.* Threads take blocks of the chunk, compute all successors of their markings, look them
//!    up, and keep the unknown ones ([`Block`]). The set of markings does not change.
//! 2. *File.* Threads take segments of the hash table and process the kept successors of each
//!    segment in order. A successor that is not stored and equals no earlier successor is inserted
//!    in the table, without a number yet.
//! 3. *Number.* One thread visits the inserted successors in the order in which a single thread
//!    would have found them. It stores each with the number and the parent that it would have had
//!    there.
//!
//! So numbers and witnesses do not depend on the number of threads or on the chunks. A search may
//! switch between sequential and parallel expansion at any marking. The third step is short,
//! because most successors are not new and each new one takes a word or two. Threads wait for each
//! other only at the end of a step, and the only lock protects the list of remaining tasks. The
//! look-up in the first step makes the method fast. Neighbouring markings have neighbouring
//! successors, and these are in the thread's cache if it processes markings in order. They would
//! not be if threads processed segments of the table.
//!
//! A firing that overflows a field ends its chunk before its marking. This marking is then expanded
//! sequentially, which widens the field. All other special cases are handled in the same way.
//!
//! Rejected: a sharded set with locks. Its numbers depend on timing, parents take sixteen times as
//! much memory, and a layout change has to stop all threads.

use super::block::{Block, BlockBuilder};
use super::memory::MemoryAccount;
use super::space::{ExpandedMarking, Space, SpaceError};
use super::threads::{Tasks, run_on_threads};
use parikh_solvers::Budget;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Minimum number of unexpanded markings for parallel expansion.
const MIN_MARKINGS: u32 = if cfg!(debug_assertions) { 2 } else { 1 << 10 };

/// Limit on the number of markings of the first chunk, that is, of the first range of markings that
/// is expanded in parallel.
const FIRST_CHUNK_MARKINGS: u32 = 64;

/// Limit on the number of markings of every later chunk, which may be larger than the first.
const MAX_CHUNK_MARKINGS: u32 = if cfg!(debug_assertions) { 200 } else { 1 << 14 };

/// Limit on the approximate size of a chunk's kept successors, in bytes.
const MAX_CHUNK_BYTES: usize = if cfg!(debug_assertions) { 1 << 18 } else { 16 << 20 };

/// Desired maximum duration of a chunk. After a longer chunk, the limit on the markings of the next
/// chunk is divided by four. In debug builds the duration is practically unlimited, so that tests
/// do not depend on it.
const MAX_CHUNK_TIME: Duration =
    Duration::from_millis(if cfg!(debug_assertions) { 1 << 30 } else { 50 });

/// Minimum of the limit on the markings of a chunk. If the limit falls below it, because chunks are
/// too large or take too long, the expansion becomes sequential.
const MIN_CHUNK_MARKINGS: u32 = if cfg!(debug_assertions) { 1 } else { 16 };

/// Limit on the markings of a block, that is, of the part of a chunk that a thread expands at a
/// time. So the block stays in the thread's cache.
const MAX_BLOCK_MARKINGS: u32 = 512;

/// Desired number of blocks per thread in a chunk: several, since blocks take different times.
const MIN_BLOCKS_PER_THREAD: u32 = 8;

/// Number of markings between two checks of the budget.
const POLLING: u32 = 16;

/// The operations of a search on each expanded marking, called by any thread.
pub(crate) trait Visitor: Sync {
    /// A thread's working data for visits, such as buffers.
    type Scratch: Send;
    /// The results about consecutive markings, such as counts.
    type Notes: Default + Send + Sync;

    /// Creates the working data of another thread.
    fn scratch(&self) -> Self::Scratch;

    /// Reduces the transitions enabled in the marking `seen`, given by their indices, to those that
    /// should fire.
    fn select_transitions(
        &self,
        scratch: &mut Self::Scratch,
        seen: ExpandedMarking<'_>,
        enabled: &mut Vec<u32>,
    );

    /// Adds the results about a marking to `notes`. It is the marking of the last call of
    /// `select_transitions`, after the selected transitions have fired.
    fn note(&self, scratch: &mut Self::Scratch, seen: ExpandedMarking<'_>, notes: &mut Self::Notes);
}

/// A result of a parallel expansion. Results are reported in the order in which a single thread
/// would have found them, block by block.
pub(crate) enum ExpansionEvent<'a, N> {
    /// The consecutive markings of a block have been expanded. The fields are the visitor's results
    /// about these markings, and the number of firings.
    Expanded(N, u64),
    /// A new marking: the fired transition, the key of the marking, and its number. Its parent is
    /// among the markings of the last `Expanded`.
    NewMarking(u32, &'a [u64], u32),
}

/// The buffers of one thread, in separate cache lines.
#[repr(align(128))]
struct ThreadState<S> {
    /// The visitor's working data of the thread.
    scratch: S,
    /// Key of the marking being expanded.
    key: Vec<u64>,
    /// Transitions to fire in the marking being expanded.
    enabled: Vec<u32>,
    builder: BlockBuilder,
}

/// Threads that expand markings in parallel. See the module documentation.
pub(crate) struct ParallelExpansion<V: Visitor> {
    /// Number of threads, including the calling thread.
    threads: usize,
    budget: Budget,
    /// The buffers of the threads. Empty before the first parallel expansion.
    thread_states: Vec<ThreadState<V::Scratch>>,
    /// The blocks of the current chunk, in the order of markings. Reused for every chunk.
    blocks: Vec<Block<V::Notes>>,
    /// The number of layout changes when the thread buffers were created.
    layout_version: u64,
    /// Limit on the markings of the next chunk.
    max_chunk_markings: u32,
    /// The memory account that the memory of the blocks was taken from. `None` if no memory has
    /// been taken yet.
    memory: Option<MemoryAccount>,
}

impl<V: Visitor> ParallelExpansion<V> {
    /// Creates a parallel expansion with `threads` threads.
    pub(crate) fn new(threads: usize, budget: &Budget) -> Self {
        let (thread_states, blocks) = (Vec::new(), Vec::new());
        let (budget, max_markings) = (budget.clone(), FIRST_CHUNK_MARKINGS);
        ParallelExpansion {
            threads,
            budget,
            thread_states,
            blocks,
            layout_version: 0,
            max_chunk_markings: max_markings,
            memory: None,
        }
    }

    /// Returns true if the markings from `first` on should be expanded in parallel. This requires
    /// several threads, at least [`MIN_MARKINGS`] unexpanded markings, a [steady](Space::is_steady)
    /// layout of keys, and memory for the blocks.
    pub(crate) fn can_expand(&mut self, space: &Space<'_>, first: u32) -> bool {
        let unexpanded = space.store().len() - first;
        self.threads > 1
            && unexpanded >= MIN_MARKINGS
            && space.is_steady()
            && self.reserve_memory(space)
    }

    /// Expands a chunk of markings from `first` on in parallel, and reports the results through
    /// `report`. Returns the number of expanded markings. 0 means that `first` must be expanded
    /// sequentially.
    ///
    /// # Errors
    /// Returns an error if the space is full. Earlier results remain valid.
    pub(crate) fn expand(
        &mut self,
        space: &mut Space<'_>,
        first: u32,
        visitor: &V,
        mut report: impl FnMut(ExpansionEvent<'_, V::Notes>),
    ) -> Result<u32, SpaceError> {
        if !self.can_expand(space, first) {
            return Ok(0);
        }
        let start_time = Instant::now();
        self.follow_layout(space, visitor);
        let markings = (space.store().len() - first).min(self.max_chunk_markings);
        self.fire_all(space, first, markings, visitor);
        // Blocks after the first cut block are dropped: their markings do not follow the last
        // expanded marking.
        let first_cut = self.blocks.iter().position(|block| block.is_cut);
        let complete_blocks = match first_cut {
            Some(first_cut) => &mut self.blocks[..=first_cut],
            None => &mut self.blocks[..],
        };
        let expanded_count: u32 =
            complete_blocks.iter().map(|block| block.successor_ends.len() as u32).sum();
        let kept_bytes: usize = complete_blocks.iter().map(Block::bytes).sum();
        if expanded_count == 0 {
            // The work on the later blocks was wasted, so the next chunk is smaller.
            self.max_chunk_markings = (self.max_chunk_markings / 4).max(MIN_CHUNK_MARKINGS);
            return Ok(0);
        }
        space.store_mut().add_blocks(complete_blocks, self.threads, |block, new_successor| {
            match new_successor {
                None => {
                    let notes = std::mem::take(&mut block.notes);
                    report(ExpansionEvent::Expanded(notes, block.firings));
                }
                Some((index, number)) => {
                    report(ExpansionEvent::NewMarking(
                        block.fired_transitions[index as usize],
                        block.key(index),
                        number,
                    ));
                }
            }
        })?;
        space.count_expanded(expanded_count);
        match (kept_bytes, start_time.elapsed()) {
            (kept_bytes, duration) if kept_bytes > MAX_CHUNK_BYTES || duration > MAX_CHUNK_TIME => {
                self.max_chunk_markings /= 4
            }
            (kept_bytes, duration)
                if kept_bytes <= MAX_CHUNK_BYTES / 2 && duration <= MAX_CHUNK_TIME / 2 =>
            {
                self.max_chunk_markings = (self.max_chunk_markings * 2).min(MAX_CHUNK_MARKINGS);
            }
            _ => {}
        }
        if self.max_chunk_markings < MIN_CHUNK_MARKINGS {
            // Other processes occupy the processors, or a few markings take as much time or memory
            // as a whole chunk should.
            self.threads = 1;
        }
        Ok(expanded_count)
    }

    /// Takes the memory for the blocks from the account of the store, unless it has been taken
    /// before. Returns true if the blocks have their memory.
    fn reserve_memory(&mut self, space: &Space<'_>) -> bool {
        let memory = space.store().memory();
        if self.memory.is_none() && memory.take(MAX_CHUNK_BYTES as u64).is_ok() {
            self.memory = Some(memory.clone());
        }
        self.memory.is_some()
    }

    /// Creates the thread buffers, if there are none or the layout of keys has changed.
    fn follow_layout(&mut self, space: &Space<'_>, visitor: &V) {
        if self.thread_states.is_empty() || self.layout_version != space.layout_version() {
            self.layout_version = space.layout_version();
            self.thread_states.clear();
            self.thread_states.extend((0..self.threads).map(|_| ThreadState {
                scratch: visitor.scratch(),
                key: vec![0; space.packing().words_per_key()],
                enabled: Vec::new(),
                builder: BlockBuilder::new(space.store().folder()),
            }));
        }
    }

    /// Fires the selected transitions of the `marking_count` markings from `first_marking` on, and
    /// collects the successors in `blocks`. Blocks that no thread reached count as cut.
    fn fire_all(&mut self, space: &Space<'_>, first_marking: u32, marking_count: u32, visitor: &V) {
        let layout = space.packing().layout();
        let block_size = marking_count
            .div_ceil(MIN_BLOCKS_PER_THREAD * self.threads as u32)
            .min(MAX_BLOCK_MARKINGS);
        self.blocks.truncate(marking_count.div_ceil(block_size) as usize);
        self.blocks.resize_with(marking_count.div_ceil(block_size) as usize, Block::new);
        let budget = &self.budget;
        let firsts = (first_marking..first_marking + marking_count).step_by(block_size as usize);
        for (block, first) in self.blocks.iter_mut().zip(firsts.clone()) {
            block.begin(first, layout);
        }
        let tasks = Tasks::new(self.blocks.iter_mut().zip(firsts));
        let (stop, kept_bytes) = (AtomicBool::new(false), AtomicUsize::new(0));
        let threads = self.threads;
        run_on_threads(&mut self.thread_states, |state| {
            while !stop.load(Relaxed)
                && let Some((block, first)) = tasks.next()
            {
                let end = first + block_size.min(first_marking + marking_count - first);
                state.builder.begin();
                for number in first..end {
                    let is_late = number % POLLING == 0 && budget.is_exhausted();
                    // The other threads work on blocks of a similar size.
                    let is_too_large =
                        kept_bytes.load(Relaxed) + threads * block.bytes() > MAX_CHUNK_BYTES;
                    if is_late || is_too_large || !state.fire(number, block, space, visitor) {
                        break;
                    }
                }
                block.is_cut = block.successor_ends.len() < (end - first) as usize;
                if block.unfolded.is_empty() && block.sort_by_segment().is_err() {
                    // Without sorted successors, the block's markings are not expanded.
                    block.begin(first, layout);
                }
                kept_bytes.fetch_add(block.bytes(), Relaxed);
                stop.fetch_or(block.is_cut, Relaxed);
            }
        });
    }
}

impl<V: Visitor> Drop for ParallelExpansion<V> {
    fn drop(&mut self) {
        self.memory.iter().for_each(|memory| memory.give_back(MAX_CHUNK_BYTES as u64));
    }
}

impl<S> ThreadState<S> {
    /// Fires the selected transitions of a marking. Returns false if a firing does not fit the
    /// layout of keys, or memory is short.
    fn fire<V: Visitor<Scratch = S>>(
        &mut self,
        number: u32,
        block: &mut Block<V::Notes>,
        space: &Space<'_>,
        visitor: &V,
    ) -> bool {
        let ThreadState { scratch, key, enabled, builder } = self;
        let (store, packing, moves) = (space.store(), space.packing(), space.moves());
        store.load_with(number, &mut builder.folder, key);
        packing.derive(key);
        moves.enabled(key, enabled);
        let seen = ExpandedMarking { number, key, packing };
        visitor.select_transitions(scratch, seen, enabled);
        let fits = block.fire(key, enabled, moves, store, builder).is_ok();
        if fits {
            visitor.note(scratch, seen, &mut block.notes);
        }
        fits
    }
}

#[cfg(test)]
mod tests {
    use super::super::set::NO_NUMBER;
    use super::super::space::{SpaceOptions, representatives};
    use super::super::state_space::EffectFilter;
    use super::*;
    use parikh_net::PlaceId;
    use parikh_net::{Facts, Net, NetBuilder, TransitionId, text};

    /// A visitor that fires one transition per effect, and notes the numbers of the visited
    /// markings.
    struct EffectVisitor<'n>(&'n Net);

    impl<'n> Visitor for EffectVisitor<'n> {
        type Scratch = EffectFilter<'n>;
        type Notes = Vec<u32>;

        fn scratch(&self) -> EffectFilter<'n> {
            EffectFilter::new(self.0)
        }

        fn select_transitions(
            &self,
            distinct: &mut EffectFilter<'n>,
            _: ExpandedMarking<'_>,
            enabled: &mut Vec<u32>,
        ) {
            distinct.retain(enabled);
        }

        fn note(&self, _: &mut EffectFilter<'n>, seen: ExpandedMarking<'_>, notes: &mut Vec<u32>) {
            notes.push(seen.number);
        }
    }

    /// Result of an exploration up to its end or an error.
    #[derive(Default)]
    struct Exploration {
        /// For each marking, its tokens by place and its parent.
        markings: Vec<(Vec<u64>, u32)>,
        /// The error that ended the exploration.
        error: Option<SpaceError>,
        /// Number of markings expanded in parallel.
        expanded_in_parallel: u32,
        /// Number of times that a field was widened.
        repackings: u64,
        /// True if keys were folded at the end.
        folded: bool,
        /// Largest memory of the tables, in bytes.
        peak: u64,
    }

    /// Parameters of an exploration.
    #[derive(Clone, Copy)]
    struct ExplorationParameters {
        threads: usize,
        /// Number of expanded markings at which the exploration stops. In parallel, a chunk may
        /// exceed it.
        max_expanded: u32,
        ceiling: u64,
        /// The budget is cancelled at this marking. The exploration continues, as the test does not
        /// check the budget.
        cancel_at: u32,
    }

    const SEQUENTIAL: ExplorationParameters = ExplorationParameters {
        threads: 1,
        max_expanded: u32::MAX,
        ceiling: u64::MAX,
        cancel_at: u32::MAX,
    };

    /// Explores the markings of `net` and checks the order of the reported events.
    fn explore(net: &Net, parameters: ExplorationParameters) -> Exploration {
        let fired = representatives(net, false);
        let listed = |t: TransitionId| fired[t.index()];
        let options =
            SpaceOptions { listed: &listed, needs_sequences: true, max_bytes: parameters.ceiling };
        let budget = Budget::unlimited();
        let mut space = Space::new(net, &Facts::empty(net), options, &budget).unwrap();
        let (visitor, mut expansion) =
            (EffectVisitor(net), ParallelExpansion::new(parameters.threads, &budget));
        let (mut scratch, mut enabled) = (visitor.scratch(), Vec::new());
        let mut exploration = Exploration::default();
        let (mut number, mut reported) = (0, 1);
        while number < space.store().len().min(parameters.max_expanded) {
            if number >= parameters.cancel_at {
                budget.cancel();
            }
            let (mut noted, mut next) = (number, space.store().len());
            let expanded = expansion.expand(&mut space, number, &visitor, |done| match done {
                ExpansionEvent::Expanded(notes, _) => {
                    let end = noted + notes.len() as u32;
                    assert!(notes.into_iter().eq(noted..end));
                    noted = end;
                }
                ExpansionEvent::NewMarking(_, _, number) => {
                    assert_eq!(number, next);
                    next += 1;
                    reported = next;
                }
            });
            let expanded = match expanded {
                Ok(0) => {
                    space.load(number, &mut enabled);
                    visitor.select_transitions(
                        &mut scratch,
                        space.loaded_marking(number),
                        &mut enabled,
                    );
                    let new = |_, _: &[u64], number| reported = number + 1;
                    space.expand(number, &enabled, new).map(|again| u32::from(!again))
                }
                Ok(expanded) => {
                    assert_eq!(noted, number + expanded);
                    exploration.expanded_in_parallel += expanded;
                    Ok(expanded)
                }
                Err(stuck) => Err(stuck),
            };
            match expanded {
                Ok(expanded) => number += expanded,
                Err(stuck) => {
                    exploration.error = Some(stuck);
                    break;
                }
            }
        }
        exploration.repackings = space.repackings;
        exploration.folded = space.packing().layout().is_folded;
        exploration.peak = space.store().memory().peak();
        let mut enabled = Vec::new();
        // If there was no memory for another layout, no markings are left.
        let marking_count = space.store().len();
        assert!(
            marking_count == reported || marking_count == 0,
            "{marking_count} markings, {reported} told"
        );
        for number in 0..marking_count {
            space.load(number, &mut enabled);
            let tokens = net.places().map(|p| space.loaded_marking(number).tokens(p)).collect();
            exploration.markings.push((tokens, space.store().parent(number)));
        }
        if let Some(last) = marking_count.checked_sub(1) {
            let end = parikh_evidence::replay(net, &space.sequence_to(last)).unwrap();
            let tokens: Vec<u64> = net.places().map(|p| end[p]).collect();
            assert_eq!(tokens, exploration.markings[last as usize].0);
            assert!(exploration.markings[1..].iter().all(|(_, parent)| *parent != NO_NUMBER));
        }
        exploration
    }

    /// Random nets with weights, source transitions and growing places, some of them unbounded.
    fn random_net(rng: &mut fastrand::Rng) -> Net {
        let mut builder = NetBuilder::new("random");
        let count = rng.usize(3..12);
        let places: Vec<PlaceId> =
            (0..count).map(|i| builder.place(&format!("p{i}"), rng.u64(0..4)).unwrap()).collect();
        let grows = rng.u8(0..4) == 0;
        for i in 0..rng.usize(3..14) {
            let t = builder.transition(&format!("t{i}")).unwrap();
            let weight = rng.u64(1..3);
            for _ in 0..rng.usize(1..3) {
                builder.take(t, *rng.choice(&places).unwrap(), weight).unwrap();
                builder.put(t, *rng.choice(&places).unwrap(), weight).unwrap();
            }
            if grows && rng.u8(0..4) == 0 {
                builder.put(t, *rng.choice(&places).unwrap(), rng.u64(1..40)).unwrap();
            }
        }
        builder.build().unwrap()
    }

    /// Two tokens on each of two rings with `size` places. The keys have many words, are folded,
    /// and are widened when two tokens meet.
    fn rings(size: usize) -> Net {
        let mut text = String::new();
        for ring in ["p", "q"] {
            for at in 0..size {
                let (tokens, next) = (u32::from(at == 0 || at == size / 2), (at + 1) % size);
                text += &format!(
                    "place {ring}{at} {tokens}\ntransition t{ring}{at}: {ring}{at} -> {ring}{next}\n"
                );
            }
        }
        text::parse(&text).unwrap()
    }

    /// Checks that the markings that both explorations found have the same numbers, tokens and
    /// parents.
    fn assert_same(one: &Exploration, many: &Exploration, context: &dyn Fn() -> String) {
        let common = one.markings.len().min(many.markings.len());
        for at in 0..common {
            assert_eq!(one.markings[at], many.markings[at], "marking {at} of\n{}", context());
        }
    }

    #[test]
    fn many_threads_give_the_numbers_and_the_parents_of_one() {
        let mut rng = fastrand::Rng::with_seed(11);
        let (mut together, mut widened, mut folded) = (0, 0, 0);
        for round in 0..150 {
            let net = if round % 30 == 0 { rings(90) } else { random_net(&mut rng) };
            let most = rng.u32(500..3000);
            let one = explore(&net, ExplorationParameters { max_expanded: most, ..SEQUENTIAL });
            let context = || text::print(&net);
            for threads in [2, 3, 8] {
                let cancel_at = if rng.u8(0..4) == 0 { rng.u32(0..most) } else { u32::MAX };
                let many = explore(
                    &net,
                    ExplorationParameters { threads, max_expanded: most, cancel_at, ..SEQUENTIAL },
                );
                assert_same(&one, &many, &context);
                assert_eq!(one.error, many.error, "{}", context());
                // With a limit, the parallel exploration may expand one chunk more.
                assert!(many.markings.len() >= one.markings.len(), "{}", context());
                together += many.expanded_in_parallel;
                if many.expanded_in_parallel > 0 {
                    widened += many.repackings;
                    folded += u32::from(many.folded);
                }
            }
            if (one.markings.len() as u32) < most {
                assert_eq!(explore(&net, SEQUENTIAL).markings.len(), one.markings.len());
            }
        }
        assert!(together > 50_000 && widened > 100 && folded > 10, "{together} {widened} {folded}");
    }

    #[test]
    fn without_memory_the_markings_are_a_prefix_of_the_complete_list() {
        let mut rng = fastrand::Rng::with_seed(12);
        let (mut full, mut together) = (0, 0);
        for round in 0..60 {
            let net = if round % 4 == 0 { rings(40) } else { random_net(&mut rng) };
            let most = 6000;
            let one = explore(&net, ExplorationParameters { max_expanded: most, ..SEQUENTIAL });
            for threads in [2, 3] {
                let ceiling = MAX_CHUNK_BYTES as u64 + rng.u64(30_000..300_000);
                let many = explore(
                    &net,
                    ExplorationParameters { threads, max_expanded: most, ceiling, ..SEQUENTIAL },
                );
                assert!(many.peak <= ceiling);
                assert_same(&one, &many, &|| text::print(&net));
                if many.error.is_some() && many.expanded_in_parallel > 0 {
                    full += u32::from(!many.markings.is_empty());
                    together += many.expanded_in_parallel;
                }
            }
        }
        assert!(full > 10 && together > 5000, "{full} {together}");
    }

    #[test]
    fn few_markings_are_left_to_one_thread() {
        let net = text::parse("place a 1\nplace b\ntransition t: a -> b\ntransition u: b -> a");
        let found = explore(&net.unwrap(), ExplorationParameters { threads: 4, ..SEQUENTIAL });
        assert_eq!((found.markings.len(), found.expanded_in_parallel), (2, 0));
    }
}
