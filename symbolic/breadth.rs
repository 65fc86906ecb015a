//! Images of sets, and reachability in rounds: what saturation is measured and tested against.

use crate::cache::Operation;
use crate::relation::Relation;
use crate::store::{Diagrams, EMPTY, Set, Stop};
use crate::touch::END;

impl Diagrams<'_> {
    /// What firing some transition once makes of members of `set`.
    ///
    /// # Errors
    ///
    /// When the limits are reached.
    pub fn image(&mut self, relation: &Relation, set: Set) -> Result<Set, Stop> {
        self.cached_for(relation);
        let mut all = EMPTY;
        for &suffix in &relation.transitions {
            let made = self.fire(relation, 0, set.0, suffix);
            let made = self.clean(made)?;
            let both = self.union_of(all, made);
            all = self.clean(both)?;
        }
        Ok(Set(all))
    }

    /// What firing `suffix` makes of the members of `id`, and nothing else.
    pub(crate) fn fire(
        &mut self,
        relation: &Relation,
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
        let here = touch.level == level;
        let next = if here { relation.suffix(suffix).next } else { suffix };
        let mut at = id;
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
            }
            let down = self.fire(relation, level + 1, node.down, next)?;
            if down != EMPTY {
                self.push(moved, down);
            }
        }
        let result = self.chain_in_order(base)?;
        self.cache.put(Operation::Fire, suffix, id, 0, result);
        Ok(result)
    }

    /// All vectors that firing transitions makes of members of `from`, these included, in rounds:
    /// each fires all transitions on what the round before found (with `chaining`: also on what
    /// this round has found).
    ///
    /// Collects: sets that are to be used later must be [kept](Self::keep).
    ///
    /// # Errors
    ///
    /// When the limits are reached.
    pub fn reachable_in_breadth(
        &mut self,
        relation: &Relation,
        from: Set,
        chaining: bool,
    ) -> Result<Set, Stop> {
        self.cached_for(relation);
        let result = self.breadth(relation, from.0, chaining).map(Set);
        self.clean(result)
    }

    fn breadth(&mut self, relation: &Relation, from: u32, chaining: bool) -> Result<u32, Stop> {
        let base = self.work.len();
        // On the stack: all found so far, and what the next round starts from.
        self.push(0, from);
        self.push(0, from);
        while self.work[base + 1].down != EMPTY {
            let mut made = if chaining { self.work[base + 1].down } else { EMPTY };
            for &suffix in &relation.transitions {
                let start = if chaining { made } else { self.work[base + 1].down };
                let image = self.fire(relation, 0, start, suffix)?;
                made = self.union_of(made, image)?;
            }
            let found = self.work[base].down;
            self.work[base + 1].down = self.difference_of(made, found)?;
            self.work[base].down = self.union_of(found, made)?;
            self.safe_point()?;
        }
        let found = self.work[base].down;
        self.work.truncate(base);
        Ok(found)
    }
}
