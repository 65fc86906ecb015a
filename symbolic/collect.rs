//! What is no longer needed: nodes are marked from the sets that are kept and from the stacks, and
//! the others go to a free list.
//!
//! Collecting happens at safe points only, where no function holds a node that is not reachable
//! from there: in saturation before each firing. Every function keeps to the rule that its caller
//! protects the arguments (they are kept, or on the stack `work`, or below something that is), and
//! whoever gets a result puts it on the stack before the next firing.

use crate::store::{Diagrams, EMPTY, FEW, Node, Stop};

/// The share of all nodes ever made that may be in use before nodes are collected: one of so many.
const OF_MADE: u64 = 16;

impl Diagrams<'_> {
    /// Collects where it is due. To be called where everything needed is kept or on the stacks.
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
        // Where most of the memory is needed, collecting again and again only takes time.
        let needed = self.used * (size_of::<Node>() + 8);
        if needed > self.limits.bytes / 8 * 5 {
            return Err(Stop::Memory);
        }
        // Collections become rarer the more nodes were made, however few each leaves: what they
        // take away is made again. The table of nodes doubles, so a part of the room stays free.
        let many = usize::try_from(self.made / OF_MADE).unwrap_or(usize::MAX);
        let many = many.min(self.most_nodes() / 3);
        self.collect_at = (self.used * 2).max(FEW).max(many).min(self.most_nodes());
        Ok(())
    }

    /// How many nodes fit the memory, table and caches beside them.
    fn most_nodes(&self) -> usize {
        let room = self.limits.bytes.saturating_sub(self.cache.bytes());
        (room / (size_of::<Node>() + 8)).max(FEW / 8) / 4 * 3
    }

    /// Collects now: whatever is neither kept nor on a stack is gone.
    pub(crate) fn collect(&mut self) {
        self.peak = self.peak.max(self.used);
        self.collections += 1;
        let mut marks = vec![0u64; self.nodes.len().div_ceil(64)];
        marks[0] = 0b11;
        let mut open: Vec<u32> = Vec::new();
        for at in 0..self.kept.len() + self.work.len() {
            open.push(match at < self.kept.len() {
                true => self.kept[at],
                false => self.work[at - self.kept.len()].down,
            });
            while let Some(mut id) = open.pop() {
                while marks[id as usize / 64] >> (id % 64) & 1 == 0 {
                    marks[id as usize / 64] |= 1 << (id % 64);
                    let node = self.nodes[id as usize];
                    open.push(node.down);
                    id = node.right;
                }
            }
        }
        self.free = EMPTY;
        self.used = 0;
        for id in 2..self.nodes.len() {
            match marks[id / 64] >> (id % 64) & 1 {
                0 => {
                    self.nodes[id] = Node { value: 0, down: EMPTY, right: self.free };
                    self.free = id as u32;
                }
                _ => self.used += 1,
            }
        }
        self.slots.fill(EMPTY);
        self.index_all();
        self.cache.retain(|id| marks[id as usize / 64] >> (id % 64) & 1 == 1);
    }
}
