//! Firing of one transition on a set.

use crate::cache::Operation;
use crate::relation::TransitionRelation;
use crate::store::{Diagrams, EMPTY, Stop};
use crate::touch::EMPTY_SUFFIX;

impl Diagrams<'_> {
    /// Returns the vectors that firing `suffix` produces from members of `id`, without saturation.
    pub(crate) fn fire(
        &mut self,
        relation: &TransitionRelation,
        level: u32,
        id: u32,
        suffix: u32,
    ) -> Result<u32, Stop> {
        if id == EMPTY || suffix == EMPTY_SUFFIX {
            return Ok(id);
        }
        if let Some(result) = self.cache.get(Operation::Fire, suffix, id, 0) {
            return Ok(result);
        }
        self.tick()?;
        let base = self.chains.len();
        let touch = relation.suffix(suffix).touch;
        let is_touched = touch.level == level;
        let next = if is_touched { relation.suffix(suffix).next } else { suffix };
        let mut chain_node = id;
        while chain_node != EMPTY {
            let node = self.node(chain_node);
            chain_node = node.right;
            let mut new_value = node.value;
            if is_touched {
                let tokens = self.tokens(node.value);
                if !touch.admits(tokens) {
                    continue;
                }
                new_value = self.shifted(tokens, touch.change)?;
            }
            let down = self.fire(relation, level + 1, node.down, next)?;
            if down != EMPTY {
                self.push(new_value, down);
            }
        }
        let result = self.chain_in_order(base)?;
        self.cache.put(Operation::Fire, suffix, id, 0, result);
        Ok(result)
    }
}
