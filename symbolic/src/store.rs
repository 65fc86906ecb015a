//! The unique table of nodes.
//!
//! Nodes live in one array; a node is named by its index. An open-addressing hash table (load at
//! most one half) finds the node with given parts, so equal sets have equal indices. Nodes have no
//! reference counts. Mark-and-sweep collection (`collect`) frees unused nodes, at points where
//! every node in use is on the stacks of [`Diagrams`].
//!
//! Values are numbers of tokens. A value up to 2³¹ − 1 is its own *code*. A larger value is stored
//! in a list, and its code is 2³¹ plus its index there. The values of a chain are sorted by code:
//! any total order makes diagrams canonical.

use crate::cache::{Cache, hash};
use std::collections::HashMap;

/// A set of vectors: a node of the [`Diagrams`] that created it. It has no meaning in another
/// [`Diagrams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Set(pub(crate) u32);

impl Set {
    /// The empty set.
    pub const EMPTY: Set = Set(EMPTY);

    /// Returns true if the set has no member.
    pub fn is_empty(self) -> bool {
        self.0 == EMPTY
    }
}

pub(crate) const EMPTY: u32 = 0;
/// The set that contains only the empty vector: the bottom of every diagram.
pub(crate) const ONE: u32 = 1;

/// The first code of a large value. Codes from here on index the list of large values.
pub(crate) const LARGE: u32 = 1 << 31;

/// The reason why an operation gave up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stop {
    /// The caller's stop function returned true.
    #[error("stopped by its caller")]
    Requested,
    /// Nodes, hash tables, caches and chains under construction exceed the memory limit, or most of
    /// the limit is in use after a collection. Also returned if nodes or suffixes of a relation
    /// become too many to be numbered.
    #[error("the diagrams exceed their memory limit")]
    Memory,
    /// A place would hold more than 2⁶³ − 1 tokens.
    #[error("a place would hold more than 2^63 - 1 tokens")]
    Overflow,
    /// A weighted sum of tokens exceeds 128 bits.
    #[error("a weighted sum of tokens exceeds 128 bits")]
    SumOverflow,
}

/// Limits of a computation.
#[derive(Clone, Copy)]
pub struct Limits<'a> {
    /// Memory limit in bytes for nodes, large token numbers, hash tables, caches, and chains under
    /// construction.
    pub bytes: usize,
    /// Called about every millisecond with the current sizes. The computation ends if this function
    /// returns `true`.
    pub stop: &'a (dyn Fn(&DiagramFigures) -> bool + Sync),
}

impl Default for Limits<'_> {
    fn default() -> Self {
        Limits { bytes: 4 << 30, stop: &|_| false }
    }
}

/// The size of the diagrams.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DiagramFigures {
    /// Current number of nodes, including unused ones that are not collected yet.
    pub nodes: usize,
    /// The largest number of nodes at any time.
    pub peak: usize,
    /// Number of garbage collections.
    pub collections: u64,
    /// Bytes of nodes, hash table, caches, and chains under construction.
    pub bytes: usize,
}

#[derive(Clone, Copy)]
pub(crate) struct Node {
    pub(crate) value: u32,
    /// The node of the next level for vectors with this value.
    pub(crate) down: u32,
    /// The next node of the chain, with a larger value; `EMPTY` at the end.
    pub(crate) right: u32,
}

/// One value of a chain under construction, with the node below it and the time of its last change.
#[derive(Clone, Copy)]
pub(crate) struct ChainEntry {
    pub(crate) value: u32,
    /// The node of the next level.
    pub(crate) down: u32,
    /// The time of the last change in a saturation; 0 outside.
    pub(crate) changed: u32,
}

/// The store of all sets: nodes, hash table and caches.
pub struct Diagrams<'a> {
    pub(crate) nodes: Vec<Node>,
    /// Head of the list of free nodes, linked by `right`. `EMPTY` ends the list.
    pub(crate) free: u32,
    /// Number of nodes in use, including nodes that are not collected yet.
    pub(crate) used: usize,
    /// Hash table of node indices, keyed by the parts of a node. `EMPTY` marks a free slot.
    pub(crate) slots: Vec<u32>,
    /// The cache of operation results.
    pub(crate) cache: Cache,
    /// Stack of chains under construction; each call's chain lies on top of its caller's. Nodes on
    /// this stack are not collected.
    pub(crate) chains: Vec<ChainEntry>,
    /// Time of the last round of each transition, for the chains under construction.
    pub(crate) last_fired: Vec<u32>,
    /// Sets protected from collection by [`Diagrams::protect`], one entry per call.
    pub(crate) protected_nodes: Vec<u32>,
    /// The large values, indexed by code minus `LARGE`.
    large: Vec<u64>,
    /// The code of each large value.
    code_of_large: HashMap<u64, u32>,
    /// The limits on time and memory.
    pub(crate) limits: Limits<'a>,
    /// The largest number of nodes in use before a collection.
    pub(crate) peak: usize,
    /// Number of garbage collections.
    pub(crate) collections: u64,
    /// Number of nodes ever created.
    pub(crate) created: u64,
    /// Number of nodes in use at which the next collection starts.
    pub(crate) collect_at: usize,
    /// For tests: collect at every `collect_each`-th safe point, whatever is in use. 0 disables
    /// this.
    pub(crate) collect_each: u32,
    /// Number of safe points, for tests.
    pub(crate) safe_points: u32,
    /// Number of operations since the last check of the limits.
    ticks: u32,
    /// Number of the relation whose results the cache holds; 0 before the first relation.
    pub(crate) cached_for: u64,
}

/// Number of operations between two checks of the limits.
const TICKS_PER_CHECK: u32 = 1 << 13;
/// Number of nodes below which no collection happens. Most nodes that saturation creates are soon
/// unused, and lookups cost more once the nodes exceed the processor's caches. The slotted ring of
/// 100 nodes (3 million nodes created, 0.1 million left) took 3.4 s with 2²⁰, 1.7 s with 2¹⁶ and
/// 2.6 s with 2¹⁴, although collected results are computed again.
pub(crate) const MIN_COLLECTED_NODES: usize = 1 << 16;

impl<'a> Diagrams<'a> {
    /// Creates a store without sets.
    pub fn new(limits: Limits<'a>) -> Self {
        let terminal = Node { value: 0, down: EMPTY, right: EMPTY };
        Diagrams {
            nodes: vec![terminal, terminal],
            free: EMPTY,
            used: 0,
            slots: vec![EMPTY; 1 << 12],
            cache: Cache::new(1 << 12),
            chains: Vec::new(),
            last_fired: Vec::new(),
            protected_nodes: Vec::new(),
            large: Vec::new(),
            code_of_large: HashMap::new(),
            limits,
            peak: 0,
            collections: 0,
            created: 0,
            collect_at: MIN_COLLECTED_NODES,
            collect_each: 0,
            safe_points: 0,
            ticks: 0,
            cached_for: 0,
        }
    }

    /// Replaces the limits.
    pub fn set_limits(&mut self, limits: Limits<'a>) {
        self.limits = limits;
    }

    /// Makes every `each`-th safe point collect garbage, for tests. A safe point is a point in the
    /// code at which a garbage collection is allowed. With 0, only the number of nodes triggers a
    /// collection.
    pub fn collect_each(&mut self, each: u32) {
        self.collect_each = each;
    }

    /// Returns the current sizes.
    pub fn figures(&self) -> DiagramFigures {
        let peak = self.peak.max(self.used);
        let bytes = self.bytes();
        DiagramFigures { nodes: self.used, peak, collections: self.collections, bytes }
    }

    /// Protects `set` from collection until it is [released](Self::release). An operation that
    /// fires transitions may free every set that is not protected.
    pub fn protect(&mut self, set: Set) {
        self.protected_nodes.push(set.0);
    }

    /// Undoes one call of [`protect`](Self::protect) for `set`.
    pub fn release(&mut self, set: Set) {
        if let Some(index) = self.protected_nodes.iter().rposition(|&kept| kept == set.0) {
            self.protected_nodes.swap_remove(index);
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        let nodes = self.nodes.capacity() * size_of::<Node>() + self.slots.len() * 4;
        // The hash table has a control byte for each entry.
        let large = self.large.capacity() * 8
            + self.code_of_large.capacity() * (size_of::<(u64, u32)>() + 1);
        nodes + large + self.cache.bytes() + self.chains.capacity() * size_of::<ChainEntry>()
    }

    /// Counts an operation, and checks the limits every [`TICKS_PER_CHECK`] operations.
    #[inline]
    pub(crate) fn tick(&mut self) -> Result<(), Stop> {
        self.ticks += 1;
        if self.ticks < TICKS_PER_CHECK {
            return Ok(());
        }
        self.check_limits()
    }

    #[cold]
    fn check_limits(&mut self) -> Result<(), Stop> {
        self.ticks = 0;
        if self.cache.is_crowded() && self.cache.bytes() * 3 < self.limits.bytes {
            self.double_cache();
        }
        if self.bytes() > self.limits.bytes {
            return Err(Stop::Memory); // the chains under construction can be as large as the nodes
        }
        match (self.limits.stop)(&self.figures()) {
            true => Err(Stop::Requested),
            false => Ok(()),
        }
    }

    /// Clears the stacks if `result` is an error, and returns `result`.
    pub(crate) fn clear_on_error<T>(&mut self, result: Result<T, Stop>) -> Result<T, Stop> {
        if result.is_err() {
            self.chains.clear();
            self.last_fired.clear();
        }
        result
    }

    #[inline]
    pub(crate) fn node(&self, id: u32) -> Node {
        self.nodes[id as usize]
    }

    /// Returns the unique node (value, down, right), or `right` if `down` is empty.
    #[inline]
    pub(crate) fn make_node(&mut self, value: u32, down: u32, right: u32) -> Result<u32, Stop> {
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
        let id = self.allocate(Node { value, down, right })?;
        self.slots[slot] = id;
        self.used += 1;
        self.created += 1;
        if self.used * 2 > self.slots.len() {
            self.grow()?;
        }
        Ok(id)
    }

    #[inline]
    fn allocate(&mut self, node: Node) -> Result<u32, Stop> {
        self.tick()?;
        if self.free != EMPTY {
            let id = self.free;
            self.free = self.nodes[id as usize].right;
            self.nodes[id as usize] = node;
            return Ok(id);
        }
        if self.nodes.len() == self.nodes.capacity() {
            let new_nodes = (self.nodes.len() / 2).max(1 << 12);
            if self.bytes() + new_nodes * size_of::<Node>() > self.limits.bytes
                || self.nodes.len() + new_nodes > u32::MAX as usize
            {
                return Err(Stop::Memory);
            }
            self.nodes.reserve_exact(new_nodes);
        }
        self.nodes.push(node);
        Ok((self.nodes.len() - 1) as u32)
    }

    /// Doubles the cache if it then takes at most two thirds of the memory limit and everything
    /// together stays within the limit.
    fn double_cache(&mut self) {
        let added_bytes = self.cache.bytes();
        if added_bytes * 3 <= self.limits.bytes && self.bytes() + added_bytes <= self.limits.bytes {
            self.cache.double();
        }
    }

    /// Doubles the hash table, and usually the cache with it.
    #[cold]
    fn grow(&mut self) -> Result<(), Stop> {
        let slots = self.slots.len() * 2;
        // The cache gets about one byte for each byte of nodes. Under a tight memory limit it stays
        // small.
        let doubled_cache = self.cache.bytes() * 2;
        let bytes_left = self.limits.bytes.saturating_sub(self.bytes());
        if bytes_left < self.slots.len() * 4 {
            return Err(Stop::Memory);
        }
        if self.cache.bytes() < slots * 8
            && doubled_cache * 3 <= self.limits.bytes
            && doubled_cache <= bytes_left
        {
            self.cache.double();
        }
        self.slots = Vec::new();
        self.slots.resize(slots, EMPTY);
        self.index_all();
        Ok(())
    }

    /// Inserts every node in use into the (empty) hash table.
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

    /// Builds the chain of `chains[base..]` in front of `tail`, and pops its entries from the
    /// stack.
    pub(crate) fn chain(&mut self, base: usize, tail: u32) -> Result<u32, Stop> {
        let mut right = tail;
        // A chain counts as one operation for every 32 entries.
        self.ticks += ((self.chains.len() - base) / 32) as u32;
        for index in (base..self.chains.len()).rev() {
            let ChainEntry { value, down, .. } = self.chains[index];
            right = self.make_node(value, down, right)?;
        }
        self.chains.truncate(base);
        Ok(right)
    }

    /// Builds the chain of `chains[base..]` after sorting it by code. Firings can disturb the order
    /// of the codes of large values.
    pub(crate) fn chain_in_order(&mut self, base: usize) -> Result<u32, Stop> {
        if !self.chains[base..].is_sorted_by_key(|entry| entry.value) {
            self.chains[base..].sort_unstable_by_key(|entry| entry.value);
        }
        self.chain(base, EMPTY)
    }

    #[inline]
    pub(crate) fn push(&mut self, value: u32, down: u32) {
        self.chains.push(ChainEntry { value, down, changed: 0 });
    }

    /// Returns the code of a number of tokens, and adds a large number to the list.
    #[inline]
    pub(crate) fn code(&mut self, tokens: u64) -> u32 {
        match tokens < u64::from(LARGE) {
            true => tokens as u32,
            false => self.large_code(tokens),
        }
    }

    #[cold]
    fn large_code(&mut self, tokens: u64) -> u32 {
        *self.code_of_large.entry(tokens).or_insert_with(|| {
            self.large.push(tokens);
            LARGE + (self.large.len() - 1) as u32
        })
    }

    /// Returns the code of a number of tokens. Returns `None` for a large number without a code,
    /// which therefore occurs in no set.
    pub(crate) fn known_code(&self, tokens: u64) -> Option<u32> {
        match tokens < u64::from(LARGE) {
            true => Some(tokens as u32),
            false => self.code_of_large.get(&tokens).copied(),
        }
    }

    /// Returns true if a large value has ever received a code. The order of codes may then differ
    /// from the order of token numbers.
    pub(crate) fn has_large(&self) -> bool {
        !self.large.is_empty()
    }

    /// Returns the number of tokens that a code stands for.
    #[inline]
    pub(crate) fn tokens(&self, code: u32) -> u64 {
        match code < LARGE {
            true => u64::from(code),
            false => self.large[(code - LARGE) as usize],
        }
    }

    /// Returns the code of `tokens + change`, or an overflow error if the sum is negative or above
    /// 2⁶³ − 1.
    #[inline]
    pub(crate) fn shifted(&mut self, tokens: u64, change: i64) -> Result<u32, Stop> {
        match tokens.checked_add_signed(change) {
            Some(sum) if sum <= i64::MAX as u64 => Ok(self.code(sum)),
            _ => Err(Stop::Overflow),
        }
    }
}
