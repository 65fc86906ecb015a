//! The members of a set from which one firing leads into another set.
//!
//! The recursion descends through both sets together from the top, for all transitions at once.
//! Above its first level a transition changes nothing, so all transitions share this part. At each
//! node, the transitions that begin at its level fire.

use crate::cache::Operation;
use crate::relation::TransitionRelation;
use crate::store::{Diagrams, EMPTY, ONE, Set, Stop};
use crate::touch::{END, Suffix};

impl Diagrams<'_> {
    /// Returns the members of `from` from which one firing leads to a member of `to`. `backwards`
    /// holds the [reversed](TransitionRelation::reversed) transitions; it does not contain
    /// transitions without effect.
    ///
    /// May collect: the caller must [keep](Self::keep) every other set that it needs later.
    ///
    /// # Errors
    ///
    /// Returns an error when a limit is reached.
    pub fn leading_into(
        &mut self,
        backwards: &TransitionRelation,
        from: Set,
        to: Set,
    ) -> Result<Set, Stop> {
        self.cached_for(backwards);
        let result = self.fire_any(backwards, 0, to.0, from.0).and_then(|result| {
            self.keep(Set(result));
            let collected = self.safe_point();
            self.release(Set(result));
            collected.map(|()| Set(result))
        });
        self.clean(result)
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
        let base = self.work.len();
        let (mut one, mut other) = (id, within);
        while one != EMPTY && other != EMPTY {
            let (left, right) = (self.node(one), self.node(other));
            if left.value == right.value {
                let down = self.fire_any(relation, level + 1, left.down, right.down)?;
                if down != EMPTY {
                    self.push(left.value, down);
                }
            }
            if left.value <= right.value {
                one = left.right;
            }
            if right.value <= left.value {
                other = right.right;
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

    /// Fires `suffix` on the members of `id`, and returns the results that lie in `within`. The
    /// results outside may be far more.
    fn fire_within(
        &mut self,
        relation: &TransitionRelation,
        level: u32,
        suffix: u32,
        id: u32,
        within: u32,
    ) -> Result<u32, Stop> {
        if suffix == END {
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
        let here = touch.level == level;
        let next = if here { next } else { suffix };
        let base = self.work.len();
        let (mut at, mut other) = (id, within);
        while at != EMPTY {
            let node = self.node(at);
            at = node.right;
            let mut moved = node.value;
            if here {
                let tokens = self.tokens(node.value);
                if tokens < touch.pre {
                    continue;
                }
                moved = self.shifted(tokens, touch.change)?;
                if self.has_large() {
                    other = within; // codes of large values are not sorted by tokens
                }
            }
            while other != EMPTY && self.node(other).value < moved {
                other = self.node(other).right;
            }
            if other != EMPTY && self.node(other).value == moved {
                let inside = self.node(other).down;
                let down = self.fire_within(relation, level + 1, next, node.down, inside)?;
                if down != EMPTY {
                    self.push(moved, down);
                }
            }
        }
        let result = self.chain_in_order(base)?;
        self.cache.put(Operation::FireWithin, suffix, id, within, result);
        Ok(result)
    }
}
