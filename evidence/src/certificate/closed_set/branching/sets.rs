//! Subsets of a closed set, as decision diagrams with shared nodes: equal sets have the same node.
//!
//! Results of operations are kept in a cache in which later results overwrite earlier ones. The
//! cache affects the time only, never the result.

use super::super::ClosedSet;
use super::super::members::too_large;
use crate::certificate::Flaw;
use std::sync::atomic::{AtomicBool, Ordering};

/// The empty set.
pub(super) const EMPTY: u32 = 0;
/// The set of the empty vector, below the last level.
pub(super) const TERMINAL: u32 = 1;

/// The maximum number of nodes, which take some hundred megabytes.
const MAX_NODES: usize = 8 << 20;

/// The number of cached results.
const CACHE_SIZE: usize = 1 << 20;

/// The number of operations between two checks of the stop flag.
const POLL_INTERVAL: u32 = 1 << 10;

/// Operations in the cache. The number of the set of transitions or of the list of touches is
/// stored in the higher bits of the key.
#[derive(Clone, Copy)]
pub(super) enum Operation {
    Union = 1,
    Intersection = 2,
    Difference = 3,
    /// The predecessors of a set by the firing that a list of touches describes: of a whole
    /// transition, or of its remaining levels.
    Predecessors = 4,
    /// Predecessors by any single firing of a set of transitions.
    PredecessorsByAny = 5,
    /// Predecessors by any number of firings of a set of transitions.
    Reaching = 6,
}

impl Operation {
    /// Returns the cache key of an operation. `number` is the number of its set of transitions or
    /// list of touches, and 0 for union, intersection and difference.
    pub(super) fn cache_key(self, number: u32) -> u32 {
        self as u32 | number << 3
    }
}

/// A cached result: the key of the operation, the nodes of its operands, and the node of the
/// result.
#[derive(Clone, Copy)]
struct CachedOperation {
    operation: u32,
    a: u32,
    b: u32,
    result: u32,
}

/// The table of nodes, and the cache of results.
pub(super) struct SubsetTable<'s> {
    /// The nodes (value, down, right). `down` has the remaining components of the vectors with this
    /// value. `right` has the vectors with larger values.
    nodes: Vec<(u64, u32, u32)>,
    /// Hash table of the nodes, with open addressing. A free slot has [`EMPTY`].
    slots: Vec<u32>,
    cache: Vec<CachedOperation>,
    /// A stack with the entries (value, child) of the chains of nodes that are being built.
    work: Vec<(u64, u32)>,
    steps: u32,
    stop: &'s AtomicBool,
}

fn hash(a: u64, b: u32, c: u32) -> usize {
    let mixed = (a ^ u64::from(b) << 32 ^ u64::from(c)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ mixed >> 29 ^ u64::from(b)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (mixed ^ mixed >> 32) as usize
}

impl<'s> SubsetTable<'s> {
    /// Copies the closed set into a new table, and returns the table and the node of the set.
    /// Computations end when `stop` is set.
    pub(super) fn of(
        set: &ClosedSet,
        stop: &'s AtomicBool,
    ) -> Result<(SubsetTable<'s>, u32), Flaw> {
        let empty = CachedOperation { operation: 0, a: 0, b: 0, result: 0 };
        let mut sets = SubsetTable {
            nodes: vec![(0, EMPTY, EMPTY); 2],
            slots: vec![EMPTY; 1 << 12],
            cache: vec![empty; CACHE_SIZE],
            work: Vec::new(),
            steps: 0,
            stop,
        };
        // The new number of each node of `set`. Equal nodes get the same number.
        let mut numbers = vec![EMPTY, TERMINAL];
        for &(value, down, right) in &set.nodes {
            let (down, right) = (numbers[down as usize], numbers[right as usize]);
            numbers.push(sets.node_number(value, down, right)?);
        }
        let all = numbers[set.root as usize];
        Ok((sets, all))
    }

    /// Returns the node with this number: its value, the node of the next level, and the next node
    /// of the chain.
    pub(super) fn node(&self, id: u32) -> (u64, u32, u32) {
        self.nodes[id as usize]
    }

    /// Counts an operation, and regularly checks the stop flag.
    pub(super) fn tick(&mut self) -> Result<(), Flaw> {
        self.steps = self.steps.wrapping_add(1);
        match self.steps.is_multiple_of(POLL_INTERVAL) && self.stop.load(Ordering::Relaxed) {
            true => Err(Flaw::Stopped),
            false => Ok(()),
        }
    }

    /// Returns the number of the node (value, down, right), or `right` itself if `down` is empty.
    /// Adds the node if it is new.
    fn node_number(&mut self, value: u64, down: u32, right: u32) -> Result<u32, Flaw> {
        if down == EMPTY {
            return Ok(right);
        }
        let mask = self.slots.len() - 1;
        let mut slot = hash(value, down, right) & mask;
        while self.slots[slot] != EMPTY {
            if self.nodes[self.slots[slot] as usize] == (value, down, right) {
                return Ok(self.slots[slot]);
            }
            slot = (slot + 1) & mask;
        }
        self.tick()?;
        if self.nodes.len() >= MAX_NODES {
            return Err(too_large());
        }
        let id = self.nodes.len() as u32;
        self.nodes.push((value, down, right));
        self.slots[slot] = id;
        if self.nodes.len() * 2 > self.slots.len() {
            self.grow();
        }
        Ok(id)
    }

    /// Doubles the hash table.
    fn grow(&mut self) {
        self.slots = vec![EMPTY; self.slots.len() * 2];
        let mask = self.slots.len() - 1;
        for (id, &(value, down, right)) in (0u32..).zip(&self.nodes).skip(2) {
            let mut slot = hash(value, down, right) & mask;
            while self.slots[slot] != EMPTY {
                slot = (slot + 1) & mask;
            }
            self.slots[slot] = id;
        }
    }

    /// Returns the cached result of an operation on `a` and `b`, or `None`. `operation` is a cache
    /// key.
    pub(super) fn cached(&self, operation: u32, a: u32, b: u32) -> Option<u32> {
        let line = self.cache[hash(u64::from(operation), a, b) & (CACHE_SIZE - 1)];
        ((line.operation, line.a, line.b) == (operation, a, b)).then_some(line.result)
    }

    /// Stores the result of an operation in the cache.
    pub(super) fn store(&mut self, operation: u32, a: u32, b: u32, result: u32) {
        self.cache[hash(u64::from(operation), a, b) & (CACHE_SIZE - 1)] =
            CachedOperation { operation, a, b, result };
    }

    /// Begins a chain of nodes with the values that are pushed from now on. Returns the start of
    /// the chain for `end_chain`.
    pub(super) fn begin_chain(&self) -> usize {
        self.work.len()
    }

    /// Adds a value to the chain that is being built. Values must increase.
    pub(super) fn push_child(&mut self, value: u64, down: u32) {
        self.work.push((value, down));
    }

    /// Builds the chain that `begin_chain` began at `chain_start`, and returns its first node.
    pub(super) fn end_chain(&mut self, chain_start: usize) -> Result<u32, Flaw> {
        let mut right = EMPTY;
        while self.work.len() > chain_start {
            if let Some((value, down)) = self.work.pop() {
                right = self.node_number(value, down, right)?;
            }
        }
        Ok(right)
    }

    /// Returns the child of `set` at a value, or the empty set if there is none.
    pub(super) fn child(&self, set: u32, value: u64) -> u32 {
        let mut current = set;
        while current > TERMINAL {
            let (other, down, right) = self.node(current);
            if other >= value {
                return if other == value { down } else { EMPTY };
            }
            current = right;
        }
        EMPTY
    }

    pub(super) fn contains(&self, set: u32, vector: &[u64]) -> bool {
        vector.iter().fold(set, |current, &value| self.child(current, value)) == TERMINAL
    }

    /// Returns the union of two sets.
    pub(super) fn union(&mut self, a: u32, b: u32) -> Result<u32, Flaw> {
        let (a, b) = (a.min(b), a.max(b));
        if a == b || a == EMPTY {
            return Ok(b);
        }
        if let Some(known) = self.cached(Operation::Union.cache_key(0), a, b) {
            return Ok(known);
        }
        self.tick()?;
        let chain_start = self.begin_chain();
        let (mut a_node, mut b_node) = (a, b);
        while a_node != EMPTY || b_node != EMPTY {
            // A node is a triple (value, down, right).
            let (left, right) = (self.node(a_node), self.node(b_node));
            if b_node == EMPTY || a_node != EMPTY && left.0 < right.0 {
                self.push_child(left.0, left.1);
                a_node = left.2;
            } else if a_node == EMPTY || right.0 < left.0 {
                self.push_child(right.0, right.1);
                b_node = right.2;
            } else {
                let down = self.union(left.1, right.1)?;
                self.push_child(left.0, down);
                (a_node, b_node) = (left.2, right.2);
            }
        }
        let result = self.end_chain(chain_start)?;
        self.store(Operation::Union.cache_key(0), a, b, result);
        Ok(result)
    }

    /// Returns the intersection of two sets.
    pub(super) fn intersection(&mut self, a: u32, b: u32) -> Result<u32, Flaw> {
        let (a, b) = (a.min(b), a.max(b));
        if a == b || a == EMPTY {
            return Ok(a);
        }
        if let Some(known) = self.cached(Operation::Intersection.cache_key(0), a, b) {
            return Ok(known);
        }
        self.tick()?;
        let chain_start = self.begin_chain();
        let (mut a_node, mut b_node) = (a, b);
        while a_node != EMPTY && b_node != EMPTY {
            // A node is a triple (value, down, right).
            let (left, right) = (self.node(a_node), self.node(b_node));
            if left.0 == right.0 {
                let down = self.intersection(left.1, right.1)?;
                self.push_child(left.0, down);
            }
            a_node = if left.0 <= right.0 { left.2 } else { a_node };
            b_node = if right.0 <= left.0 { right.2 } else { b_node };
        }
        let result = self.end_chain(chain_start)?;
        self.store(Operation::Intersection.cache_key(0), a, b, result);
        Ok(result)
    }

    /// Returns the members of `a` that are not in `b`.
    pub(super) fn difference(&mut self, a: u32, b: u32) -> Result<u32, Flaw> {
        if a == b || a == EMPTY || b == EMPTY {
            return Ok(if b == EMPTY { a } else { EMPTY });
        }
        if let Some(known) = self.cached(Operation::Difference.cache_key(0), a, b) {
            return Ok(known);
        }
        self.tick()?;
        let chain_start = self.begin_chain();
        let (mut a_node, mut b_node) = (a, b);
        while a_node != EMPTY {
            // A node is a triple (value, down, right).
            let (left, right) = (self.node(a_node), self.node(b_node));
            if b_node != EMPTY && right.0 < left.0 {
                b_node = right.2;
                continue;
            }
            let down = match b_node != EMPTY && right.0 == left.0 {
                true => self.difference(left.1, right.1)?,
                false => left.1,
            };
            self.push_child(left.0, down);
            a_node = left.2;
        }
        let result = self.end_chain(chain_start)?;
        self.store(Operation::Difference.cache_key(0), a, b, result);
        Ok(result)
    }
}
