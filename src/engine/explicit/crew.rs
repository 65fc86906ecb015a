//! Many markings expanded at once, by several threads.
//!
//! A search in breadth expands markings in the order of their numbers, and nothing that it finds
//! later changes what the next few thousand of them, a *chunk*, lead to. So a chunk is expanded in
//! three steps:
//!
//! 1. *Fire.* Threads take blocks of the chunk, one after the other, compute all successors of
//!    their markings, look them up, and keep what is not there ([`Block`]). Nothing is changed.
//! 2. *File.* Threads take parts of the table, one after the other, and go through the successors
//!    kept that are for this part, in their order; those that no other one is equal to they put
//!    there, without a number yet.
//! 3. *Number.* One thread goes through what was put there in the order in which a single thread
//!    would have met it, and stores it with the number and the parent that it would have had there.
//!
//! So the numbers, and with them witnesses, are those of one thread, however many there are and
//! however the chunks fall, and a search may change between the two ways at any marking. The third
//! step is short: most successors are not new, and of those that are it writes a word or two. No
//! thread waits for another but at the end of a step, and nothing has a lock but the list of what
//! is left to be taken. That everything is looked up in the first step already is what makes it
//! fast: markings close to each other lead to markings close to each other, which a thread finds in
//! its cache as long as it takes them in their order, and not by parts of the table.
//!
//! A firing for which a field is too narrow ends its chunk, before its marking; that one is then
//! expanded alone, which widens the field. So does whatever else is out of the ordinary.
//!
//! Rejected: a set in shards with locks, in which numbers depend on who comes first, parents take
//! sixteen times as much, and changing the layout has to stop everybody.

use super::block::{Block, Maker};
use super::room::Room;
use super::space::{ExpandedMarking, Space, Stuck};
use super::threads::{Tasks, together};
use parikh_solvers::Budget;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// The least markings that are worth the threads.
const FEW: u32 = if cfg!(debug_assertions) { 2 } else { 1 << 10 };

/// The most markings of the first chunk, …
const FIRST: u32 = 64;

/// … and of any other, …
const MOST: u32 = if cfg!(debug_assertions) { 200 } else { 1 << 14 };

/// … the most bytes of what is kept of its successors, about, …
const BYTES: usize = if cfg!(debug_assertions) { 1 << 18 } else { 16 << 20 };

/// … and the time that they may take. No test is to depend on it.
const TIME: Duration = Duration::from_millis(if cfg!(debug_assertions) { 1 << 30 } else { 50 });

/// Where chunks of so many markings are still too long, one thread goes on alone.
const LEAST: u32 = if cfg!(debug_assertions) { 1 } else { 16 };

/// The most markings of a block, so that it stays in a thread's cache, …
const BLOCK: u32 = 512;

/// … and the least blocks of a chunk for each thread: several, for some take longer than others.
const BLOCKS: u32 = 8;

/// Markings between two looks at the budget.
const POLLING: u32 = 16;

/// What is done with each marking that is expanded, by whichever thread.
pub(crate) trait Visitor: Sync {
    /// What a thread has for itself.
    type Scratch: Send;
    /// What is noted of some markings in a row.
    type Notes: Default + Send + Sync;

    /// For one more thread.
    fn scratch(&self) -> Self::Scratch;

    /// Leaves of the enabled transitions those that are to be fired.
    fn choose(
        &self,
        scratch: &mut Self::Scratch,
        seen: ExpandedMarking<'_>,
        enabled: &mut Vec<u32>,
    );

    /// Notes what is to be known of the marking just chosen for, when all that was chosen is fired.
    fn note(&self, scratch: &mut Self::Scratch, seen: ExpandedMarking<'_>, notes: &mut Self::Notes);
}

/// What was done, in the order in which one thread would have done it.
pub(crate) enum Done<'a, N> {
    /// Some markings in a row are expanded, this was noted of them, and they took so many firings.
    Expanded(N, u64),
    /// A marking that is new: the transition that was fired, its key and its number. Its parent is
    /// among those expanded last.
    New(u32, &'a [u64], u32),
}

/// One thread's own, in lines of the cache that no other thread writes to.
#[repr(align(128))]
struct Lane<S> {
    scratch: S,
    key: Vec<u64>,
    enabled: Vec<u32>,
    maker: Maker,
}

/// Threads that expand markings at once. See the module.
pub(crate) struct Crew<V: Visitor> {
    threads: usize,
    budget: Budget,
    lanes: Vec<Lane<V::Scratch>>,
    blocks: Vec<Block<V::Notes>>,
    /// For which layout of keys the lanes are.
    layout: u64,
    /// The most markings of the next chunk.
    most: u32,
    /// Where the memory of the blocks was taken.
    room: Option<Room>,
}

impl<V: Visitor> Crew<V> {
    /// So many threads.
    pub(crate) fn new(threads: usize, budget: &Budget) -> Self {
        let (lanes, blocks) = (Vec::new(), Vec::new());
        let (budget, most) = (budget.clone(), FIRST);
        Crew { threads, budget, lanes, blocks, layout: 0, most, room: None }
    }

    /// Whether markings from `from` on are worth the threads.
    pub(crate) fn is_worth_it(&mut self, space: &Space<'_>, from: u32) -> bool {
        let found = space.store().len() - from;
        self.threads > 1 && found >= FEW && space.is_steady() && self.has_room(space)
    }

    /// Expands markings from `from` on, as many as are good to do at once, and tells what came of
    /// it. How many these were: none where `from` is to be expanded alone.
    ///
    /// # Errors
    /// When the space takes no more. What was told before is so.
    pub(crate) fn expand(
        &mut self,
        space: &mut Space<'_>,
        from: u32,
        visitor: &V,
        mut tell: impl FnMut(Done<'_, V::Notes>),
    ) -> Result<u32, Stuck> {
        if !self.is_worth_it(space, from) {
            return Ok(0);
        }
        let begun = Instant::now();
        self.follow_layout(space, visitor);
        let markings = (space.store().len() - from).min(self.most);
        self.fire_all(space, from, markings, visitor);
        // What comes after a block that was cut is not in a row.
        let cut = self.blocks.iter().position(|block| block.is_cut);
        let blocks = match cut {
            Some(cut) => &mut self.blocks[..=cut],
            None => &mut self.blocks[..],
        };
        let expanded: u32 = blocks.iter().map(|block| block.ends.len() as u32).sum();
        let bytes: usize = blocks.iter().map(Block::bytes).sum();
        if expanded == 0 {
            // What the others did was for nothing: less of it, should this go on.
            self.most = (self.most / 4).max(LEAST);
            return Ok(0);
        }
        space.store_mut().add_blocks(blocks, self.threads, |block, added| match added {
            None => {
                let notes = std::mem::take(&mut block.notes);
                tell(Done::Expanded(notes, block.firings));
            }
            Some((at, number)) => {
                tell(Done::New(block.fired[at as usize], block.key(at), number));
            }
        })?;
        space.expanded_apart(expanded);
        match (bytes, begun.elapsed()) {
            (bytes, took) if bytes > BYTES || took > TIME => self.most /= 4,
            (bytes, took) if bytes <= BYTES / 2 && took <= TIME / 2 => {
                self.most = (self.most * 2).min(MOST);
            }
            _ => {}
        }
        if self.most < LEAST {
            // Others have the processors, or a marking takes as long as a chunk should.
            self.threads = 1;
        }
        Ok(expanded)
    }

    /// Whether there is room for the blocks; taken once.
    fn has_room(&mut self, space: &Space<'_>) -> bool {
        let room = space.store().room();
        if self.room.is_none() && room.take(BYTES as u64).is_ok() {
            self.room = Some(room.clone());
        }
        self.room.is_some()
    }

    /// Makes the lanes for the layout of keys that there is now.
    fn follow_layout(&mut self, space: &Space<'_>, visitor: &V) {
        if self.lanes.is_empty() || self.layout != space.layouts() {
            self.layout = space.layouts();
            self.lanes.clear();
            self.lanes.extend((0..self.threads).map(|_| Lane {
                scratch: visitor.scratch(),
                key: vec![0; space.packing().words()],
                enabled: Vec::new(),
                maker: Maker::new(space.store().folder()),
            }));
        }
    }

    /// Fires all that is chosen in so many markings. Blocks that nobody came to are cut.
    fn fire_all(&mut self, space: &Space<'_>, from: u32, markings: u32, visitor: &V) {
        let layout = space.packing().layout();
        let size = markings.div_ceil(BLOCKS * self.threads as u32).min(BLOCK);
        self.blocks.truncate(markings.div_ceil(size) as usize);
        self.blocks.resize_with(markings.div_ceil(size) as usize, Block::new);
        let budget = &self.budget;
        let firsts = (from..from + markings).step_by(size as usize);
        for (block, first) in self.blocks.iter_mut().zip(firsts.clone()) {
            block.begin(first, layout);
        }
        let tasks = Tasks::new(self.blocks.iter_mut().zip(firsts));
        let (stop, made) = (AtomicBool::new(false), AtomicUsize::new(0));
        let threads = self.threads;
        together(&mut self.lanes, |lane| {
            while !stop.load(Relaxed)
                && let Some((block, first)) = tasks.next()
            {
                let last = first + size.min(from + markings - first);
                lane.maker.begin();
                for number in first..last {
                    let late = number % POLLING == 0 && budget.is_exhausted();
                    // The others are at work on blocks like this one.
                    let large = made.load(Relaxed) + threads * block.bytes() > BYTES;
                    if late || large || !lane.fire(number, block, space, visitor) {
                        break;
                    }
                }
                block.is_cut = block.ends.len() < (last - first) as usize;
                if block.unfolded.is_empty() && block.sort().is_err() {
                    // No successors, no markings.
                    block.begin(first, layout);
                }
                made.fetch_add(block.bytes(), Relaxed);
                stop.fetch_or(block.is_cut, Relaxed);
            }
        });
    }
}

impl<V: Visitor> Drop for Crew<V> {
    fn drop(&mut self) {
        self.room.iter().for_each(|room| room.give_back(BYTES as u64));
    }
}

impl<S> Lane<S> {
    /// Fires what is chosen in a marking; whether all of it fits.
    fn fire<V: Visitor<Scratch = S>>(
        &mut self,
        number: u32,
        block: &mut Block<V::Notes>,
        space: &Space<'_>,
        visitor: &V,
    ) -> bool {
        let Lane { scratch, key, enabled, maker } = self;
        let (store, packing, moves) = (space.store(), space.packing(), space.moves());
        store.load_apart(number, &mut maker.folder, key);
        packing.derive(key);
        moves.enabled(key, enabled);
        let seen = ExpandedMarking { number, key, packing };
        visitor.choose(scratch, seen, enabled);
        let fired = block.fire(key, enabled, moves, store, maker).is_ok();
        if fired {
            visitor.note(scratch, seen, &mut block.notes);
        }
        fired
    }
}

#[cfg(test)]
mod tests {
    use super::super::set::NONE;
    use super::super::space::{Purpose, representatives};
    use super::super::state_space::Distinct;
    use super::*;
    use parikh_net::PlaceId;
    use parikh_net::{Facts, Net, NetBuilder, TransitionId, text};

    struct Plain<'n>(&'n Net);

    impl<'n> Visitor for Plain<'n> {
        type Scratch = Distinct<'n>;
        type Notes = Vec<u32>;

        fn scratch(&self) -> Distinct<'n> {
            Distinct::new(self.0)
        }

        fn choose(
            &self,
            distinct: &mut Distinct<'n>,
            _: ExpandedMarking<'_>,
            enabled: &mut Vec<u32>,
        ) {
            distinct.retain(enabled);
        }

        fn note(&self, _: &mut Distinct<'n>, seen: ExpandedMarking<'_>, notes: &mut Vec<u32>) {
            notes.push(seen.number);
        }
    }

    /// What an exploration found: of each marking its tokens and its parent, until it was stuck.
    #[derive(Default)]
    struct Found {
        markings: Vec<(Vec<u64>, u32)>,
        stuck: Option<Stuck>,
        together: u32,
        widened: u64,
        folded: bool,
        peak: u64,
    }

    /// How to explore.
    #[derive(Clone, Copy)]
    struct Way {
        threads: usize,
        /// The most markings to expand.
        most: u32,
        ceiling: u64,
        /// The budget is cancelled at this marking; the exploration goes on, as nobody here asks.
        cancel_at: u32,
    }

    const ONE: Way = Way { threads: 1, most: u32::MAX, ceiling: u64::MAX, cancel_at: u32::MAX };

    fn explore(net: &Net, way: Way) -> Found {
        let fired = representatives(net, false);
        let listed = |t: TransitionId| fired[t.index()];
        let purpose = Purpose { listed: &listed, sequences: true, ceiling: way.ceiling };
        let budget = Budget::unlimited();
        let mut space = Space::new(net, &Facts::none(net), purpose, &budget).unwrap();
        let (visitor, mut crew) = (Plain(net), Crew::new(way.threads, &budget));
        let (mut scratch, mut enabled) = (visitor.scratch(), Vec::new());
        let mut found = Found::default();
        let (mut number, mut told) = (0, 1);
        while number < space.store().len().min(way.most) {
            if number >= way.cancel_at {
                budget.cancel();
            }
            let (mut noted, mut next) = (number, space.store().len());
            let expanded = crew.expand(&mut space, number, &visitor, |done| match done {
                Done::Expanded(notes, _) => {
                    let end = noted + notes.len() as u32;
                    assert!(notes.into_iter().eq(noted..end));
                    noted = end;
                }
                Done::New(_, _, number) => {
                    assert_eq!(number, next);
                    next += 1;
                    told = next;
                }
            });
            let expanded = match expanded {
                Ok(0) => {
                    space.load(number, &mut enabled);
                    visitor.choose(&mut scratch, space.seen(number), &mut enabled);
                    let new = |_, _: &[u64], number| told = number + 1;
                    space.expand(number, &enabled, new).map(|again| u32::from(!again))
                }
                Ok(expanded) => {
                    assert_eq!(noted, number + expanded);
                    found.together += expanded;
                    Ok(expanded)
                }
                Err(stuck) => Err(stuck),
            };
            match expanded {
                Ok(expanded) => number += expanded,
                Err(stuck) => {
                    found.stuck = Some(stuck);
                    break;
                }
            }
        }
        found.widened = space.repackings;
        found.folded = space.packing().layout().folded;
        found.peak = space.store().room().peak();
        let mut enabled = Vec::new();
        // Where there was no room for another layout, nothing is left.
        let left = space.store().len();
        assert!(left == told || left == 0, "{left} markings, {told} told");
        for number in 0..left {
            space.load(number, &mut enabled);
            let tokens = net.places().map(|p| space.seen(number).tokens(p)).collect();
            found.markings.push((tokens, space.store().parent(number)));
        }
        if let Some(last) = left.checked_sub(1) {
            let end = crate::evidence::replay(net, &space.sequence_to(last)).unwrap();
            let tokens: Vec<u64> = net.places().map(|p| end[p]).collect();
            assert_eq!(tokens, found.markings[last as usize].0);
            assert!(found.markings[1..].iter().all(|(_, parent)| *parent != NONE));
        }
        found
    }

    /// Weights, sources, places that grow, some without end.
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

    /// Two tokens on each of two rings, of so many places: keys of many words, which are folded,
    /// and widened when two tokens meet.
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

    fn assert_same(one: &Found, many: &Found, context: &dyn Fn() -> String) {
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
            let one = explore(&net, Way { most, ..ONE });
            let context = || text::print(&net);
            for threads in [2, 3, 8] {
                let cancel_at = if rng.u8(0..4) == 0 { rng.u32(0..most) } else { u32::MAX };
                let many = explore(&net, Way { threads, most, cancel_at, ..ONE });
                assert_same(&one, &many, &context);
                assert_eq!(one.stuck, many.stuck, "{}", context());
                // One that was told to stop there may expand a chunk more than the other.
                assert!(many.markings.len() >= one.markings.len(), "{}", context());
                together += many.together;
                if many.together > 0 {
                    widened += many.widened;
                    folded += u32::from(many.folded);
                }
            }
            if (one.markings.len() as u32) < most {
                assert_eq!(explore(&net, ONE).markings.len(), one.markings.len());
            }
        }
        assert!(together > 50_000 && widened > 100 && folded > 10, "{together} {widened} {folded}");
    }

    #[test]
    fn without_memory_what_was_found_is_a_beginning_of_the_same() {
        let mut rng = fastrand::Rng::with_seed(12);
        let (mut full, mut together) = (0, 0);
        for round in 0..60 {
            let net = if round % 4 == 0 { rings(40) } else { random_net(&mut rng) };
            let most = 6000;
            let one = explore(&net, Way { most, ..ONE });
            for threads in [2, 3] {
                let ceiling = BYTES as u64 + rng.u64(30_000..300_000);
                let many = explore(&net, Way { threads, most, ceiling, ..ONE });
                assert!(many.peak <= ceiling);
                assert_same(&one, &many, &|| text::print(&net));
                if many.stuck.is_some() && many.together > 0 {
                    full += u32::from(!many.markings.is_empty());
                    together += many.together;
                }
            }
        }
        assert!(full > 10 && together > 5000, "{full} {together}");
    }

    #[test]
    fn few_markings_are_left_to_one_thread() {
        let net = text::parse("place a 1\nplace b\ntransition t: a -> b\ntransition u: b -> a");
        let found = explore(&net.unwrap(), Way { threads: 4, ..ONE });
        assert_eq!((found.markings.len(), found.together), (2, 0));
    }
}
