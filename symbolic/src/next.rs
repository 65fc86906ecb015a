//! The members of a set from which one firing leads into another set.
//!
//! The recursion descends through both sets together from the top, for all transitions at once.
//! Above its first level a transition changes nothing, so all transitions share this part. At each
//! node, the transitions that begin at its level fire backwards, from the second set into the
//! first.

use crate::cache::Operation;
use crate::relation::TransitionRelation;
use crate::store::{Diagrams, EMPTY, ONE, Set, Stop};
use crate::touch::{EMPTY_SUFFIX, Suffix};

impl Diagrams<'_> {
    /// Returns the members of `from` from which one firing leads to a member of `to`. `backwards`
    /// holds the [reversed](TransitionRelation::reversed) transitions; it does not contain
    /// transitions without effect.
    ///
    /// May collect garbage: the caller must [protect](Self::protect) every other set that it needs
    /// later.
    ///
    /// # Errors
    ///
    /// Returns an error when a limit is reached, or if a reversed firing would give more than 2⁶³ −
    /// 1 tokens.
    pub fn leading_into(
        &mut self,
        backwards: &TransitionRelation,
        from: Set,
        to: Set,
    ) -> Result<Set, Stop> {
        self.prepare_cache(backwards);
        let result = self.fire_any(backwards, 0, to.0, from.0).and_then(|result| {
            self.protect(Set(result));
            let collected = self.safe_point();
            self.release(Set(result));
            collected.map(|()| Set(result))
        });
        self.clear_on_error(result)
    }

    /// Fires every transition that begins at this level or below on the vectors of `id`, and
    /// returns the results that lie in `within`.
    fn fire_any(
        &mut self,
        relation: &TransitionRelation,
        level: u32,
        id: u32,
        within: u32,
    ) -> Result<u32, Stop> {
        if id <= ONE || within == EMPTY {
            return Ok(EMPTY);
        }
        if let Some(result) = self.cache.get(Operation::FireAnyWithin, 0, id, within) {
            return Ok(result);
        }
        self.tick()?;
        let base = self.chains.len();
        let (mut left_chain, mut right_chain) = (id, within);
        while left_chain != EMPTY && right_chain != EMPTY {
            let (left, right) = (self.node(left_chain), self.node(right_chain));
            if left.value == right.value {
                let down = self.fire_any(relation, level + 1, left.down, right.down)?;
                if down != EMPTY {
                    self.push(left.value, down);
                }
            }
            if left.value <= right.value {
                left_chain = left.right;
            }
            if right.value <= left.value {
                right_chain = right.right;
            }
        }
        let mut result = self.chain(base, EMPTY)?;
        for &suffix in relation.beginning_at(level) {
            if result == within {
                break;
            }
            let image = self.fire_within(relation, level, suffix, id, within)?;
            result = self.union_of(result, image)?;
        }
        self.cache.put(Operation::FireAnyWithin, 0, id, within, result);
        Ok(result)
    }

    /// Fires `suffix` on the members of `id`, and returns the results that lie in `within`. Results
    /// outside of `within` are never built, because they may be far more.
    fn fire_within(
        &mut self,
        relation: &TransitionRelation,
        level: u32,
        suffix: u32,
        id: u32,
        within: u32,
    ) -> Result<u32, Stop> {
        if suffix == EMPTY_SUFFIX {
            return self.intersection_of(id, within);
        }
        if id == EMPTY || within == EMPTY {
            return Ok(EMPTY);
        }
        if let Some(result) = self.cache.get(Operation::FireWithin, suffix, id, within) {
            return Ok(result);
        }
        self.tick()?;
        let Suffix { touch, next } = relation.suffix(suffix);
        let is_touched = touch.level == level;
        let next = if is_touched { next } else { suffix };
        let base = self.chains.len();
        let (mut chain, mut within_chain) = (id, within);
        while chain != EMPTY {
            let node = self.node(chain);
            chain = node.right;
            let mut new_value = node.value;
            if is_touched {
                let tokens = self.tokens(node.value);
                if !touch.admits(tokens) {
                    continue;
                }
                new_value = self.shifted(tokens, touch.change)?;
                if self.has_large() {
                    within_chain = within; // codes of large values are not sorted by tokens
                }
            }
            while within_chain != EMPTY && self.node(within_chain).value < new_value {
                within_chain = self.node(within_chain).right;
            }
            if within_chain != EMPTY && self.node(within_chain).value == new_value {
                let within_down = self.node(within_chain).down;
                let down = self.fire_within(relation, level + 1, next, node.down, within_down)?;
                if down != EMPTY {
                    self.push(new_value, down);
                }
            }
        }
        let result = self.chain_in_order(base)?;
        self.cache.put(Operation::FireWithin, suffix, id, within, result);
        Ok(result)
    }
}
