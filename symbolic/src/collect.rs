//! Garbage collection: marks the nodes reachable from kept sets and from the stack, and frees the
//! others.
//!
//! A collection happens only at safe points, where no function holds an unprotected node. In
//! saturation, the safe point is before each firing. Every function relies on two rules. The caller
//! protects the arguments: they are kept, on the stack `chains`, or below a protected node. The
//! caller of a function puts the result on the stack before the next firing.

use crate::store::{Diagrams, EMPTY, MIN_COLLECTED_NODES, Node, Stop};

/// The next collection starts only when the nodes in use exceed one `MIN_USED_FRACTION`-th of all
/// nodes created up to the previous collection. Under a tight memory limit it starts earlier.
const MIN_USED_FRACTION: u64 = 16;

impl Diagrams<'_> {
    /// Collects garbage if it is due. Every node in use must be kept or on the stack. Returns
    /// [`Stop::Memory`] if most of the memory is in use after the collection.
    #[inline]
    pub(crate) fn safe_point(&mut self) -> Result<(), Stop> {
        if self.collect_each > 0 {
            self.safe_points += 1;
            if self.safe_points.is_multiple_of(self.collect_each) {
                self.collect();
            }
        }
        match self.used < self.collect_at {
            true => Ok(()),
            false => self.collect_or_stop(),
        }
    }

    #[cold]
    fn collect_or_stop(&mut self) -> Result<(), Stop> {
        self.collect();
        // If most of the memory is in use, repeated collections only waste time.
        let needed = self.used * (size_of::<Node>() + 8);
        if needed > self.limits.bytes / 8 * 5 {
            return Err(Stop::Memory);
        }
        // Collections become rarer as more nodes are created, because collected nodes are often
        // created again. A part of the memory stays free, because the node array and the hash table
        // grow by doubling.
        let min_nodes = usize::try_from(self.created / MIN_USED_FRACTION).unwrap_or(usize::MAX);
        let min_nodes = min_nodes.min(self.max_nodes() / 3);
        self.collect_at =
            (self.used * 2).max(MIN_COLLECTED_NODES).max(min_nodes).min(self.max_nodes());
        Ok(())
    }

    /// Returns three quarters of the number of nodes that fit the memory limit together with hash
    /// table and cache. Returns at least three quarters of one eighth of [`MIN_COLLECTED_NODES`].
    fn max_nodes(&self) -> usize {
        let bytes_left = self.limits.bytes.saturating_sub(self.cache.bytes());
        (bytes_left / (size_of::<Node>() + 8)).max(MIN_COLLECTED_NODES / 8) / 4 * 3
    }

    /// Collects now: frees every node that is not reachable from a kept set or the stack.
    pub(crate) fn collect(&mut self) {
        self.peak = self.peak.max(self.used);
        self.collections += 1;
        let mut is_marked = vec![0u64; self.nodes.len().div_ceil(64)];
        is_marked[0] = 0b11;
        let mut open: Vec<u32> = Vec::new();
        for index in 0..self.protected_nodes.len() + self.chains.len() {
            open.push(match index < self.protected_nodes.len() {
                true => self.protected_nodes[index],
                false => self.chains[index - self.protected_nodes.len()].down,
            });
            while let Some(mut id) = open.pop() {
                while is_marked[id as usize / 64] >> (id % 64) & 1 == 0 {
                    is_marked[id as usize / 64] |= 1 << (id % 64);
                    let node = self.nodes[id as usize];
                    open.push(node.down);
                    id = node.right;
                }
            }
        }
        self.free = EMPTY;
        self.used = 0;
        for id in 2..self.nodes.len() {
            match is_marked[id / 64] >> (id % 64) & 1 {
                0 => {
                    self.nodes[id] = Node { value: 0, down: EMPTY, right: self.free };
                    self.free = id as u32;
                }
                _ => self.used += 1,
            }
        }
        self.slots.fill(EMPTY);
        self.index_all();
        self.cache.retain(|id| is_marked[id as usize / 64] >> (id % 64) & 1 == 1);
    }
}
