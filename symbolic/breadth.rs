//! Images of sets, and reachability layer by layer: what saturation is measured and tested against, and what
//! tells how far markings are from each other.

use crate::cache::Operation;
use crate::relation::{END, Relation};
use crate::store::{Diagrams, EMPTY, Set, Stop};

/// Sets by distance: layer k holds the members that take k firings and no fewer. All are kept until
/// [released](Layers::release).
#[derive(Debug, Default)]
pub struct Layers {
    /// By distance.
    pub layers: Vec<Set>,
}

impl Layers {
    /// No longer kept.
    pub fn release(self, diagrams: &mut Diagrams<'_>) {
        for set in self.layers {
            diagrams.release(set);
        }
    }
}

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
        if !self.work[base..].is_sorted_by_key(|entry| entry.value) {
            self.work[base..].sort_unstable_by_key(|entry| entry.value); // codes of large values
        }
        let result = self.chain(base, EMPTY)?;
        self.cache.put(Operation::Fire, suffix, id, 0, result);
        Ok(result)
    }

    /// All vectors that firing transitions makes of members of `from`, these included, in rounds: each fires all
    /// transitions on what the round before found (with `chaining`: also on what this round has found).
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

    /// The members of `within` by their distance from `from`, until a layer meets `target` or nothing is new.
    /// The layers are kept.
    ///
    /// # Errors
    ///
    /// When the limits are reached; nothing is kept then.
    pub fn layers(
        &mut self,
        relation: &Relation,
        from: Set,
        within: Option<Set>,
        target: Set,
    ) -> Result<Layers, Stop> {
        let mut layers = Layers::default();
        let needed = [from, target, within.unwrap_or(Set::EMPTY)];
        needed.iter().for_each(|&set| self.keep(set));
        let grown = self.grow_layers(relation, from, within, target, &mut layers);
        needed.iter().for_each(|&set| self.release(set));
        match grown {
            Ok(()) => Ok(layers),
            Err(stop) => {
                layers.release(self);
                self.clean(Err(stop))
            }
        }
    }

    fn grow_layers(
        &mut self,
        relation: &Relation,
        from: Set,
        within: Option<Set>,
        target: Set,
        layers: &mut Layers,
    ) -> Result<(), Stop> {
        let mut found = from;
        let mut last = from;
        while !last.is_empty() {
            self.keep(last);
            layers.layers.push(last);
            if !self.intersection(last, target)?.is_empty() {
                return Ok(());
            }
            let mut image = self.image(relation, last)?;
            if let Some(within) = within {
                image = self.intersection(image, within)?;
            }
            last = self.difference(image, found)?;
            found = self.union(found, last)?;
            self.keep(found);
            self.keep(last);
            let collected = self.safe_point();
            self.release(last);
            self.release(found);
            collected?;
        }
        Ok(())
    }
}
