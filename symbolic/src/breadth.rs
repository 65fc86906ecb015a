//! Images of sets, and breadth-first reachability: the reference for tests and benchmarks of
//! saturation.

use crate::cache::Operation;
use crate::relation::TransitionRelation;
use crate::store::{Diagrams, EMPTY, Set, Stop};
use crate::touch::END;

impl Diagrams<'_> {
    /// Returns the vectors that one firing of any transition produces from members of `set`.
    ///
    /// # Errors
    ///
    /// Returns an error when a limit is reached.
    pub fn image(&mut self, relation: &TransitionRelation, set: Set) -> Result<Set, Stop> {
        self.cached_for(relation);
        let mut union = EMPTY;
        for &suffix in &relation.transitions {
            let successors = self.fire(relation, 0, set.0, suffix);
            let successors = self.clean(successors)?;
            let extended = self.union_of(union, successors);
            union = self.clean(extended)?;
        }
        Ok(Set(union))
    }

    /// Returns the vectors that firing `suffix` produces from members of `id`, without saturation.
    pub(crate) fn fire(
        &mut self,
        relation: &TransitionRelation,
        level: u32,
        id: u32,
        suffix: u32,
    ) -> Result<u32, Stop> {
        if id == EMPTY || suffix == END {
            return Ok(id);
        }
        if let Some(result) = self.cache.get(Operation::Fire, suffix, id, 0) {
            return Ok(result);
        }
        self.tick()?;
        let base = self.work.len();
        let touch = relation.suffix(suffix).touch;
        let is_touched = touch.level == level;
        let next = if is_touched { relation.suffix(suffix).next } else { suffix };
        let mut position = id;
        while position != EMPTY {
            let node = self.node(position);
            position = node.right;
            let mut new_value = node.value;
            if is_touched {
                let tokens = self.tokens(node.value);
                if tokens < touch.pre {
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

    /// Returns all vectors reachable from members of `from`, including `from`, by breadth-first
    /// search. Each round fires all transitions on the vectors that the previous round found. With
    /// `chaining`, each transition also fires on the vectors that the current round has found so
    /// far.
    ///
    /// May collect: the caller must [keep](Self::keep) every other set that it needs later.
    ///
    /// # Errors
    ///
    /// Returns an error when a limit is reached.
    pub fn reachable_in_breadth(
        &mut self,
        relation: &TransitionRelation,
        from: Set,
        chaining: bool,
    ) -> Result<Set, Stop> {
        self.cached_for(relation);
        let result = self.breadth(relation, from.0, chaining).map(Set);
        self.clean(result)
    }

    /// Does the search of `reachable_in_breadth`, on node numbers.
    fn breadth(
        &mut self,
        relation: &TransitionRelation,
        from: u32,
        chaining: bool,
    ) -> Result<u32, Stop> {
        let base = self.work.len();
        // Two stack entries: all vectors found so far, and the start of the next round.
        self.push(0, from);
        self.push(0, from);
        while self.work[base + 1].down != EMPTY {
            let mut successors = if chaining { self.work[base + 1].down } else { EMPTY };
            for &suffix in &relation.transitions {
                let start = if chaining { successors } else { self.work[base + 1].down };
                let image = self.fire(relation, 0, start, suffix)?;
                successors = self.union_of(successors, image)?;
            }
            let found = self.work[base].down;
            self.work[base + 1].down = self.difference_of(successors, found)?;
            self.work[base].down = self.union_of(found, successors)?;
            self.safe_point()?;
        }
        let found = self.work[base].down;
        self.work.truncate(base);
        Ok(found)
    }
}
