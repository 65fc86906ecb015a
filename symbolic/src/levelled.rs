//! The nodes of a set by level, for computations over all nodes: counts, maxima, files.

use crate::store::{Diagrams, ONE, Set};

/// The nodes of the decision diagram of a set, top level first. Within a level, each node comes
/// after its right neighbour.
pub(crate) struct LevelledNodes {
    pub(crate) nodes: Vec<u32>,
    /// The start of each level in `nodes`, and the total number of nodes.
    pub(crate) starts: Vec<usize>,
    /// The position of each node in its level, indexed by node number; `u32::MAX` for nodes outside
    /// of the set.
    positions: Vec<u32>,
}

impl LevelledNodes {
    /// Collects the nodes of a set, level by level.
    pub(crate) fn new(diagrams: &Diagrams<'_>, set: Set) -> LevelledNodes {
        let mut nodes = Vec::new();
        let mut starts = Vec::new();
        let mut position = vec![u32::MAX; diagrams.nodes.len()];
        let mut heads = if set.0 > ONE { vec![set.0] } else { Vec::new() };
        let mut chain = Vec::new();
        while !heads.is_empty() {
            let start = nodes.len();
            starts.push(start);
            for head in heads.drain(..) {
                let mut chain_node = head;
                while chain_node > ONE && position[chain_node as usize] == u32::MAX {
                    // Mark the node as seen. A chain contains no node twice, so the mark is for
                    // other chains.
                    position[chain_node as usize] = 0;
                    chain.push(chain_node);
                    chain_node = diagrams.node(chain_node).right;
                }
                while let Some(id) = chain.pop() {
                    position[id as usize] = (nodes.len() - start) as u32;
                    nodes.push(id);
                }
            }
            for &id in &nodes[start..] {
                let down = diagrams.node(id).down;
                if down > ONE && position[down as usize] == u32::MAX {
                    heads.push(down);
                }
            }
        }
        starts.push(nodes.len());
        LevelledNodes { nodes, starts, positions: position }
    }

    /// Returns the number of levels that have nodes.
    pub(crate) fn levels(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns the nodes of a level.
    pub(crate) fn level(&self, level: usize) -> &[u32] {
        &self.nodes[self.starts[level]..self.starts[level + 1]]
    }

    /// Returns the position of `id` in its level.
    pub(crate) fn position_of(&self, id: u32) -> usize {
        self.positions[id as usize] as usize
    }
}
