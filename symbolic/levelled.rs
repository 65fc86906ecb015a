//! The nodes of a set level by level, for what is computed over all of them: counts, maxima, files.

use crate::store::{Diagrams, ONE, Set};

/// The nodes of a set, top level first; within a level each after the one to its right.
pub(crate) struct Levelled {
    pub(crate) nodes: Vec<u32>,
    /// Where each level begins in `nodes`, and the end.
    pub(crate) starts: Vec<usize>,
    /// Where each node is within its level, by its number among all nodes.
    place: Vec<u32>,
}

impl Levelled {
    pub(crate) fn new(diagrams: &Diagrams<'_>, set: Set) -> Levelled {
        let mut nodes = Vec::new();
        let mut starts = Vec::new();
        let mut place = vec![u32::MAX; diagrams.nodes.len()];
        let mut heads = if set.0 > ONE { vec![set.0] } else { Vec::new() };
        let mut chain = Vec::new();
        while !heads.is_empty() {
            let start = nodes.len();
            starts.push(start);
            for head in heads.drain(..) {
                let mut at = head;
                while at > ONE && place[at as usize] == u32::MAX {
                    // Anything but `u32::MAX`: a chain has no node twice, so this is for other
                    // chains.
                    place[at as usize] = 0;
                    chain.push(at);
                    at = diagrams.node(at).right;
                }
                while let Some(id) = chain.pop() {
                    place[id as usize] = (nodes.len() - start) as u32;
                    nodes.push(id);
                }
            }
            for &id in &nodes[start..] {
                let down = diagrams.node(id).down;
                if down > ONE && place[down as usize] == u32::MAX {
                    heads.push(down);
                }
            }
        }
        starts.push(nodes.len());
        Levelled { nodes, starts, place }
    }

    /// How many levels have nodes.
    pub(crate) fn levels(&self) -> usize {
        self.starts.len() - 1
    }

    /// The nodes of a level.
    pub(crate) fn level(&self, level: usize) -> &[u32] {
        &self.nodes[self.starts[level]..self.starts[level + 1]]
    }

    /// Where `id` is within its level.
    pub(crate) fn place(&self, id: u32) -> usize {
        self.place[id as usize] as usize
    }
}
