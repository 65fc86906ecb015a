//! Diagrams as text, for checkers and for later use.
//!
//! ```text
//! parikh-diagram 1
//! levels 2
//! 0 1 0           node 2: value down right; nodes 0 and 1 are ∅ and the set of the empty vector
//! 1 2 0           node 3
//! 0 2 3           node 4
//! root 4
//! ```
//!
//! Each node refers only to earlier nodes. Values grow to the right.

use crate::levelled::LevelledNet;
use crate::store::{Diagrams, EMPTY, ONE, Set, Stop};
use std::collections::HashMap;
use std::fmt::Write as _;

/// A stand-alone set: nodes (value, down, right), each after the nodes that it refers to. The first
/// node has number 2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagram {
    /// Length of the member vectors.
    pub levels: u32,
    /// The nodes from the bottom up.
    pub nodes: Vec<(u64, u32, u32)>,
    /// The number of the root node.
    pub root: u32,
}

/// An error in a diagram, with its position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct FileError {
    /// Line number from 1. For a diagram that was not read from text, the line where the node would
    /// be.
    pub line: usize,
    /// The expected content.
    pub what: &'static str,
}

impl Diagram {
    /// Returns the diagram as text.
    pub fn write(&self) -> String {
        let mut text = format!("parikh-diagram 1\nlevels {}\n", self.levels);
        for (value, down, right) in &self.nodes {
            let _ = writeln!(text, "{value} {down} {right}");
        }
        let _ = writeln!(text, "root {}", self.root);
        text
    }

    /// Parses and checks the text form that [`write`](Self::write) produces.
    ///
    /// # Errors
    ///
    /// Returns the position of the first invalid line.
    pub fn read(text: &str) -> Result<Diagram, FileError> {
        let mut lines = text.lines().enumerate().map(|(line_index, line)| (line_index + 1, line));
        let mut next = || lines.next().unwrap_or((text.lines().count() + 1, ""));
        let error = |line: usize, what: &'static str| FileError { line, what };
        let (line, head) = next();
        if head != "parikh-diagram 1" {
            return Err(error(line, "expected `parikh-diagram 1`"));
        }
        let (line, levels) = next();
        let levels = levels.strip_prefix("levels ").and_then(|levels| levels.parse().ok());
        let levels = levels.ok_or(error(line, "expected `levels`, and how many"))?;
        let mut nodes = Vec::new();
        loop {
            let (line, node) = next();
            if let Some(root) = node.strip_prefix("root ") {
                let root = root.parse().map_err(|_| error(line, "expected the root's number"))?;
                let (line, rest) = next();
                if !rest.is_empty() {
                    return Err(error(line, "expected nothing after the root"));
                }
                let diagram = Diagram { levels, nodes, root };
                diagram.check()?;
                return Ok(diagram);
            }
            let mut numbers = node.split(' ');
            let value = numbers.next().and_then(|number| number.parse().ok());
            let down = numbers.next().and_then(|number| number.parse().ok());
            let right = numbers.next().and_then(|number| number.parse().ok());
            match (value, down, right, numbers.next()) {
                (Some(value), Some(down), Some(right), None) => nodes.push((value, down, right)),
                _ => {
                    return Err(error(
                        line,
                        "expected `value down right` or `root` and its number",
                    ));
                }
            }
        }
    }

    /// Checks that nodes refer to earlier nodes of the right level, and that values grow to the
    /// right.
    fn check(&self) -> Result<(), FileError> {
        // The number of levels from each node down.
        let mut heights: Vec<u32> = vec![0, 0];
        for (index, &(value, down, right)) in self.nodes.iter().enumerate() {
            let error = |what| Err(FileError { line: index + 3, what });
            if value > i64::MAX as u64 {
                return error("a number of tokens is at most 2^63 - 1");
            }
            let (Some(&height_below), true) = (heights.get(down as usize), down != EMPTY) else {
                return error("below must be an earlier node, and not the empty set");
            };
            let height = height_below + 1;
            if right == ONE || right != EMPTY && heights.get(right as usize) != Some(&height) {
                return error("to the right must be an earlier node of the same level");
            }
            if right != EMPTY && self.nodes[right as usize - 2].0 <= value {
                return error("values grow to the right");
            }
            heights.push(height);
        }
        let line = self.nodes.len() + 3;
        match heights.get(self.root as usize) {
            Some(_) if self.root == EMPTY => Ok(()),
            Some(&height) if height == self.levels => Ok(()),
            _ => Err(FileError { line, what: "the root must be a node of the top level" }),
        }
    }
}

impl Diagrams<'_> {
    /// Returns the number of nodes in the diagram of `set`.
    pub fn nodes_of(&self, set: Set) -> usize {
        LevelledNet::new(self, set).nodes.len()
    }

    /// Returns the stand-alone diagram of `set`, whose members have `levels` numbers.
    pub fn export(&self, set: Set, levels: u32) -> Diagram {
        let levelled = LevelledNet::new(self, set);
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
                    if let (Some(&exported_nodes), true) =
                        (exported_number.get(&chain_node), !self.has_large())
                    {
                        right = exported_nodes;
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

    /// Builds the set of a stand-alone diagram.
    ///
    /// # Errors
    ///
    /// Returns an error when a limit is reached.
    ///
    /// # Panics
    ///
    /// Panics if a node of `diagram` refers to a later node. [`Diagram::read`] rejects such
    /// diagrams.
    pub fn import(&mut self, diagram: &Diagram) -> Result<Set, Stop> {
        let mut ids = vec![EMPTY, ONE];
        for &(tokens, down, right) in &diagram.nodes {
            let value = self.code(tokens);
            let single = self.make(value, ids[down as usize], EMPTY)?;
            let right = ids[right as usize];
            let chain_head = match right > ONE && self.node(right).value <= value {
                true => self.union_of(single, right)?,
                false => self.make(value, ids[down as usize], right)?,
            };
            ids.push(chain_head);
        }
        Ok(Set(ids[diagram.root as usize]))
    }
}
