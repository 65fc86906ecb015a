//! Nodes, each made once.
//!
//! Nodes live in one array and are named by their index. A table of open addressing (load at most
//! one half) finds the node with given parts, so that equal sets are equal numbers. Nothing is
//! counted per node: what is no longer needed is found by marking (`collect`), at points where
//! everything needed is on the stacks here.
//!
//! Values are tokens. Up to 2³¹ − 1 they stand for themselves; a larger one stands in a list, and
//! the node holds 2³¹ plus its place there. The order of values within a node's chain is that of
//! these *codes*: any total order makes diagrams canonical.

use crate::cache::{Cache, hash};
use std::collections::HashMap;

/// A set of vectors: a node of the [`Diagrams`] that made it, and meaningless with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Set(pub(crate) u32);

impl Set {
    /// ∅.
    pub const EMPTY: Set = Set(EMPTY);

    /// Whether it has no member.
    pub fn is_empty(self) -> bool {
        self.0 == EMPTY
    }
}

pub(crate) const EMPTY: u32 = 0;
/// The set of the empty vector, below the last level.
pub(crate) const ONE: u32 = 1;

/// Codes from here on are places in the list of large values.
pub(crate) const LARGE: u32 = 1 << 31;

/// Why an operation gave up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stop {
    /// The caller's function said so.
    #[error("stopped by its caller")]
    Asked,
    /// The nodes that are needed do not fit the ceiling.
    #[error("the diagrams do not fit their memory")]
    Memory,
    /// A place would hold more than 2⁶³ − 1 tokens.
    #[error("a place would hold more than 2^63 - 1 tokens")]
    Overflow,
}

/// What a computation may use.
#[derive(Clone, Copy)]
pub struct Limits<'a> {
    /// Bytes for nodes, their table and the caches.
    pub bytes: usize,
    /// Asked about every millisecond with the figures so far; `true` ends the computation.
    pub stop: &'a (dyn Fn(&Figures) -> bool + Sync),
}

impl Default for Limits<'_> {
    fn default() -> Self {
        Limits { bytes: 4 << 30, stop: &|_| false }
    }
}

/// How large the diagrams are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Nodes now, those included that nothing needs any more.
    pub nodes: usize,
    /// The most nodes at one time.
    pub peak: usize,
    /// How often nodes were collected.
    pub collections: u64,
    /// Bytes of nodes, their table and caches.
    pub bytes: usize,
}

#[derive(Clone, Copy)]
pub(crate) struct Node {
    pub(crate) value: u32,
    pub(crate) down: u32,
    pub(crate) right: u32,
}

/// One value of a chain that is being made: what is below it, and when that changed last.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) value: u32,
    pub(crate) down: u32,
    pub(crate) changed: u32,
}

/// Nodes, their table and caches: where sets live.
pub struct Diagrams<'a> {
    pub(crate) nodes: Vec<Node>,
    /// Nodes of no use, linked by `right`; `EMPTY` ends the list.
    pub(crate) free: u32,
    pub(crate) used: usize,
    /// Indices of nodes by the hash of their parts; `EMPTY` where nothing is.
    pub(crate) slots: Vec<u32>,
    pub(crate) cache: Cache,
    /// Chains being made, each on top of those of the calls around it. What is here is not
    /// collected.
    pub(crate) work: Vec<Entry>,
    /// When each transition was last fired in the chains being made.
    pub(crate) fired: Vec<u32>,
    /// Sets that their owner wants kept.
    pub(crate) kept: Vec<u32>,
    large: Vec<u64>,
    large_at: HashMap<u64, u32>,
    pub(crate) limits: Limits<'a>,
    pub(crate) peak: usize,
    pub(crate) collections: u64,
    /// Nodes that were ever made.
    pub(crate) made: u64,
    /// Collect when so many nodes are in use.
    pub(crate) collect_at: usize,
    /// Collect at every so many-th safe point, whatever is in use: for tests. 0 for never.
    pub(crate) collect_each: u32,
    pub(crate) safe_points: u32,
    ticks: u32,
    /// The relation that the cache speaks of.
    pub(crate) cached_for: u64,
}

/// Operations between two looks at the limits.
const TICKS: u32 = 1 << 13;
/// Nodes below which nothing is collected. Most of what saturation makes is soon of no use, and
/// looking for nodes costs more where they no longer fit the processor's caches: the slotted ring
/// of 100 nodes, with 3 million made and 0.1 million left, took 3.4 s where this was 2²⁰, 1.7 s
/// with 2¹⁶ and 2.6 s with 2¹⁴, in spite of what is computed again.
pub(crate) const FEW: usize = 1 << 16;

impl<'a> Diagrams<'a> {
    /// No sets yet.
    pub fn new(limits: Limits<'a>) -> Self {
        let terminal = Node { value: 0, down: EMPTY, right: EMPTY };
        Diagrams {
            nodes: vec![terminal, terminal],
            free: EMPTY,
            used: 0,
            slots: vec![EMPTY; 1 << 12],
            cache: Cache::new(1 << 12),
            work: Vec::new(),
            fired: Vec::new(),
            kept: Vec::new(),
            large: Vec::new(),
            large_at: HashMap::new(),
            limits,
            peak: 0,
            collections: 0,
            made: 0,
            collect_at: FEW,
            collect_each: 0,
            safe_points: 0,
            ticks: 0,
            cached_for: 0,
        }
    }

    /// Other limits, from now on.
    pub fn set_limits(&mut self, limits: Limits<'a>) {
        self.limits = limits;
    }

    /// Collects at every `each`-th opportunity, for tests; 0 collects only where memory asks for
    /// it.
    pub fn collect_each(&mut self, each: u32) {
        self.collect_each = each;
    }

    /// How large all of it is.
    pub fn figures(&self) -> Figures {
        let peak = self.peak.max(self.used);
        let bytes = self.bytes();
        Figures { nodes: self.used, peak, collections: self.collections, bytes }
    }

    /// Keeps `set` until it is [released](Self::release): every other set may be gone after an
    /// operation that fires transitions.
    pub fn keep(&mut self, set: Set) {
        self.kept.push(set.0);
    }

    /// Keeps `set` once less.
    pub fn release(&mut self, set: Set) {
        if let Some(at) = self.kept.iter().rposition(|&kept| kept == set.0) {
            self.kept.swap_remove(at);
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        let nodes = self.nodes.capacity() * size_of::<Node>() + self.slots.len() * 4;
        nodes + self.cache.bytes() + self.work.capacity() * size_of::<Entry>()
    }

    /// Counts an operation and looks at the limits now and then.
    #[inline]
    pub(crate) fn tick(&mut self) -> Result<(), Stop> {
        self.ticks += 1;
        if self.ticks < TICKS {
            return Ok(());
        }
        self.look()
    }

    #[cold]
    fn look(&mut self) -> Result<(), Stop> {
        self.ticks = 0;
        if self.cache.is_crowded() && self.cache.bytes() * 3 < self.limits.bytes {
            self.double_cache();
        }
        if self.bytes() > self.limits.bytes {
            return Err(Stop::Memory); // chains being made can be as large as nodes
        }
        match (self.limits.stop)(&self.figures()) {
            true => Err(Stop::Asked),
            false => Ok(()),
        }
    }

    /// What is left behind by an operation that gave up.
    pub(crate) fn clean<T>(&mut self, result: Result<T, Stop>) -> Result<T, Stop> {
        if result.is_err() {
            self.work.clear();
            self.fired.clear();
        }
        result
    }

    #[inline]
    pub(crate) fn node(&self, id: u32) -> Node {
        self.nodes[id as usize]
    }

    /// The one node (value, down, right); `right` itself where `down` is empty.
    #[inline]
    pub(crate) fn make(&mut self, value: u32, down: u32, right: u32) -> Result<u32, Stop> {
        if down == EMPTY {
            return Ok(right);
        }
        debug_assert!(right == EMPTY || value < self.node(right).value);
        let mask = self.slots.len() - 1;
        let mut slot = hash(value, down, right) as usize & mask;
        loop {
            let id = self.slots[slot];
            if id == EMPTY {
                break;
            }
            let node = self.nodes[id as usize];
            if node.down == down && node.right == right && node.value == value {
                return Ok(id);
            }
            slot = (slot + 1) & mask;
        }
        let id = self.fresh(Node { value, down, right })?;
        self.slots[slot] = id;
        self.used += 1;
        self.made += 1;
        if self.used * 2 > self.slots.len() {
            self.grow()?;
        }
        Ok(id)
    }

    #[inline]
    fn fresh(&mut self, node: Node) -> Result<u32, Stop> {
        self.tick()?;
        if self.free != EMPTY {
            let id = self.free;
            self.free = self.nodes[id as usize].right;
            self.nodes[id as usize] = node;
            return Ok(id);
        }
        if self.nodes.len() == self.nodes.capacity() {
            let more = (self.nodes.len() / 2).max(1 << 12);
            if self.bytes() + more * size_of::<Node>() > self.limits.bytes
                || self.nodes.len() + more > u32::MAX as usize
            {
                return Err(Stop::Memory);
            }
            self.nodes.reserve_exact(more);
        }
        self.nodes.push(node);
        Ok((self.nodes.len() - 1) as u32)
    }

    /// Doubles the cache, if there is room.
    fn double_cache(&mut self) {
        let more = self.cache.bytes();
        if more * 3 <= self.limits.bytes && self.bytes() + more <= self.limits.bytes {
            self.cache.double();
        }
    }

    /// Doubles the table, and the cache with it.
    #[cold]
    fn grow(&mut self) -> Result<(), Stop> {
        let slots = self.slots.len() * 2;
        // A byte of cache for a byte of nodes, about; where memory is short, the cache stays small.
        let cache = self.cache.bytes() * 2;
        let room = self.limits.bytes.saturating_sub(self.bytes());
        if room < self.slots.len() * 4 {
            return Err(Stop::Memory);
        }
        if self.cache.bytes() < slots * 8 && cache * 3 <= self.limits.bytes && cache <= room {
            self.cache.double();
        }
        self.slots = Vec::new();
        self.slots.resize(slots, EMPTY);
        self.index_all();
        Ok(())
    }

    /// Puts every node in use into an empty table.
    pub(crate) fn index_all(&mut self) {
        let mask = self.slots.len() - 1;
        for (id, node) in self.nodes.iter().enumerate().skip(2) {
            if node.down == EMPTY {
                continue; // free
            }
            let mut slot = hash(node.value, node.down, node.right) as usize & mask;
            while self.slots[slot] != EMPTY {
                slot = (slot + 1) & mask;
            }
            self.slots[slot] = id as u32;
        }
    }

    /// The chain of `work[base..]` on top of `tail`, and takes it from the stack.
    pub(crate) fn chain(&mut self, base: usize, tail: u32) -> Result<u32, Stop> {
        let mut right = tail;
        // A long chain is many operations.
        self.ticks += ((self.work.len() - base) / 32) as u32;
        for at in (base..self.work.len()).rev() {
            let Entry { value, down, .. } = self.work[at];
            right = self.make(value, down, right)?;
        }
        self.work.truncate(base);
        Ok(right)
    }

    /// The same of values that firings have moved: codes of large ones are in no order then.
    pub(crate) fn chain_in_order(&mut self, base: usize) -> Result<u32, Stop> {
        if !self.work[base..].is_sorted_by_key(|entry| entry.value) {
            self.work[base..].sort_unstable_by_key(|entry| entry.value);
        }
        self.chain(base, EMPTY)
    }

    #[inline]
    pub(crate) fn push(&mut self, value: u32, down: u32) {
        self.work.push(Entry { value, down, changed: 0 });
    }

    /// The code of a number of tokens.
    #[inline]
    pub(crate) fn code(&mut self, tokens: u64) -> u32 {
        match tokens < u64::from(LARGE) {
            true => tokens as u32,
            false => self.large_code(tokens),
        }
    }

    #[cold]
    fn large_code(&mut self, tokens: u64) -> u32 {
        *self.large_at.entry(tokens).or_insert_with(|| {
            self.large.push(tokens);
            LARGE + (self.large.len() - 1) as u32
        })
    }

    /// The code of a number of tokens that occurs in some set; `None` for one that occurs in none.
    pub(crate) fn known_code(&self, tokens: u64) -> Option<u32> {
        match tokens < u64::from(LARGE) {
            true => Some(tokens as u32),
            false => self.large_at.get(&tokens).copied(),
        }
    }

    /// Whether any value so far is a large one, whose code says nothing of its size.
    pub(crate) fn has_large(&self) -> bool {
        !self.large.is_empty()
    }

    /// The number of tokens of a code.
    #[inline]
    pub(crate) fn tokens(&self, code: u32) -> u64 {
        match code < LARGE {
            true => u64::from(code),
            false => self.large[(code - LARGE) as usize],
        }
    }

    /// The code of tokens + change, if that is a number of tokens.
    #[inline]
    pub(crate) fn shifted(&mut self, tokens: u64, change: i64) -> Result<u32, Stop> {
        match tokens.checked_add_signed(change) {
            Some(sum) if sum <= i64::MAX as u64 => Ok(self.code(sum)),
            _ => Err(Stop::Overflow),
        }
    }
}
