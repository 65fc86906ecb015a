//! Stand-alone diagrams, for certificates.

use crate::levelled::LevelledNodes;
use crate::store::{Diagrams, EMPTY, ONE, Set};
use std::collections::HashMap;

/// A stand-alone set of vectors. Each node is (value, down, right) as in the crate documentation,
/// with node numbers for `down` and `right`. The node at index k of `nodes` has number k + 2.
/// Number 0 is the empty set, number 1 the set of the empty vector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagram {
    /// Length of the member vectors.
    pub levels: u32,
    /// The nodes from the bottom up: each node comes after the nodes that it refers to.
    pub nodes: Vec<(u64, u32, u32)>,
    /// The number of the root node.
    pub root: u32,
}

impl Diagrams<'_> {
    /// Returns the number of nodes in the diagram of `set`.
    pub fn nodes_of(&self, set: Set) -> usize {
        LevelledNodes::new(self, set).nodes.len()
    }

    /// Returns the stand-alone diagram of `set`, whose members have `levels` numbers.
    pub fn export(&self, set: Set, levels: u32) -> Diagram {
        let levelled = LevelledNodes::new(self, set);
        let mut exported_nodes: HashMap<(u64, u32, u32), u32> = HashMap::new();
        let mut nodes = Vec::new();
        // The exported number of the chain that starts at each node.
        let mut exported_number: HashMap<u32, u32> = HashMap::from([(EMPTY, EMPTY), (ONE, ONE)]);
        let mut chain: Vec<(u64, u32)> = Vec::new();
        for level in (0..levelled.levels()).rev() {
            for &id in levelled.level(level) {
                chain.clear();
                let mut chain_node = id;
                // The chain to the right is usually known already. Only chains with large values
                // have to be sorted again.
                let mut right = EMPTY;
                while chain_node != EMPTY {
                    let node = self.node(chain_node);
                    chain.push((self.tokens(node.value), exported_number[&node.down]));
                    chain_node = node.right;
                    if let (Some(&known_chain), true) =
                        (exported_number.get(&chain_node), !self.has_large())
                    {
                        right = known_chain;
                        break;
                    }
                }
                chain.sort_unstable();
                for &(value, down) in chain.iter().rev() {
                    right = *exported_nodes.entry((value, down, right)).or_insert_with(|| {
                        nodes.push((value, down, right));
                        nodes.len() as u32 + 1
                    });
                }
                exported_number.insert(id, right);
            }
        }
        Diagram { levels, nodes, root: exported_number[&set.0] }
    }
}
