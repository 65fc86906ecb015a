//! The reachable set by saturation: nodes are closed under the transitions of their own level and
//! below, from the bottom up, and what a firing makes is closed at once, at every level it comes
//! by.
//!
//! ```text
//! saturate(n)            children saturated first; then `close`
//! close(chain)           fires the transitions of this level, until the chain does not change
//! fired(n, suffix)       what firing the suffix below makes of n, saturated at every level
//! ```
//!
//! Within a chain, a transition goes over the values in the direction in which it moves them, so
//! that it fires again what it has just made (*chaining*), and looks only at what has changed since
//! its last round.
//!
//! What is carried down beside a node, its *guide*, says what it is closed under: its context
//! (`contexts`), or the part of a set that nothing may leave (`within`).
//!
//! Nothing here needs bounds, and nothing ends where places are unbounded: prove boundedness first,
//! or limit the time.

use crate::cache::Operation;
use crate::contexts::Local;
use crate::relation::Relation;
use crate::store::{Diagrams, EMPTY, Entry, ONE, Set, Stop};
use crate::touch::END;

/// What is carried down beside a node and says what it is closed under: a number at each level.
pub(crate) trait Guide {
    const SATURATE: Operation;
    const SATURATE_FIRED: Operation;

    /// The transitions of this level.
    fn locals(&self, level: u32, carried: u32) -> &[Local];
    /// What is carried below `value`; `None` where nothing may be.
    fn below(&self, diagrams: &Diagrams<'_>, carried: u32, value: u32) -> Option<u32>;
    /// What of `id` may be where `carried` is; it is still to be saturated for it.
    fn enter(diagrams: &mut Diagrams<'_>, id: u32, carried: u32) -> Result<u32, Stop>;
    /// Whether nothing can be added to `id`.
    fn is_full(id: u32, carried: u32) -> bool;
}

/// Saturation for contexts.
struct Everywhere<'r>(&'r Relation);

impl Guide for Everywhere<'_> {
    const SATURATE: Operation = Operation::Saturate;
    const SATURATE_FIRED: Operation = Operation::SaturateFired;

    #[inline]
    fn locals(&self, _: u32, carried: u32) -> &[Local] {
        &self.0.contexts.all[carried as usize].locals
    }

    #[inline]
    fn below(&self, diagrams: &Diagrams<'_>, carried: u32, value: u32) -> Option<u32> {
        Some(self.0.contexts.below(carried, diagrams.tokens(value)))
    }

    #[inline]
    fn enter(_: &mut Diagrams<'_>, id: u32, _: u32) -> Result<u32, Stop> {
        Ok(id)
    }

    fn is_full(_: u32, _: u32) -> bool {
        false
    }
}

impl Diagrams<'_> {
    /// All vectors that firing transitions makes of members of `from`, these included.
    ///
    /// Collects: sets that are to be used later must be [kept](Self::keep).
    ///
    /// # Errors
    ///
    /// When the limits are reached.
    pub fn reachable(&mut self, relation: &Relation, from: Set) -> Result<Set, Stop> {
        self.cached_for(relation);
        self.keep(from);
        let result = self.saturate(relation, &Everywhere(relation), 0, from.0, 0);
        self.release(from);
        self.clean(result.map(Set))
    }

    pub(crate) fn saturate<G: Guide>(
        &mut self,
        relation: &Relation,
        guide: &G,
        level: u32,
        id: u32,
        carried: u32,
    ) -> Result<u32, Stop> {
        if id <= ONE || G::is_full(id, carried) {
            return Ok(id);
        }
        if let Some(result) = self.cache.get(G::SATURATE, 0, id, carried) {
            return Ok(result);
        }
        self.tick()?;
        let base = self.work.len();
        let mut at = id;
        while at != EMPTY {
            let node = self.node(at);
            if let Some(below) = guide.below(self, carried, node.value) {
                let down = self.saturate(relation, guide, level + 1, node.down, below)?;
                self.push(node.value, down);
            }
            at = node.right;
        }
        self.close(relation, guide, level, base, carried)?;
        let result = self.chain(base, EMPTY)?;
        self.cache.put(G::SATURATE, 0, id, carried, result);
        // It stays what it is: the second look at it costs nothing.
        self.cache.put(G::SATURATE, 0, result, carried, result);
        Ok(result)
    }

    /// Closes the chain `work[base..]`, whose parts below are saturated, under the transitions of
    /// its level.
    fn close<G: Guide>(
        &mut self,
        relation: &Relation,
        guide: &G,
        level: u32,
        base: usize,
        carried: u32,
    ) -> Result<(), Stop> {
        let locals = guide.locals(level, carried);
        if locals.is_empty() || self.work.len() == base {
            return Ok(());
        }
        // Time is counted in changes. An entry is new to a transition if it changed since its last
        // round began.
        for entry in &mut self.work[base..] {
            entry.changed = 1;
        }
        let mut now = 1;
        let fired = self.fired.len();
        self.fired.resize(fired + locals.len(), 0);
        let mut before = 0;
        while before != now {
            before = now;
            for (at, &local) in locals.iter().enumerate() {
                let last = std::mem::replace(&mut self.fired[fired + at], now);
                if last < now {
                    let round = Round { relation, guide, level, base, carried, local, last };
                    self.round(&round, &mut now)?;
                }
            }
        }
        self.fired.truncate(fired);
        Ok(())
    }

    /// Fires one transition on all entries that changed after its last round.
    fn round<G: Guide>(&mut self, round: &Round<'_, G>, now: &mut u32) -> Result<(), Stop> {
        let &Round { relation, guide, level, base, carried, local, last } = round;
        let ascending = local.change >= 0;
        let mut at = if ascending { base } else { self.work.len() };
        loop {
            match ascending {
                true if at == self.work.len() => return Ok(()),
                false if at == base => return Ok(()),
                true => {}
                false => at -= 1,
            }
            let Entry { value, down, changed } = self.work[at];
            let tokens = self.tokens(value);
            if changed <= last || tokens < local.pre {
                at += usize::from(ascending);
                continue;
            }
            self.tick()?;
            self.safe_point()?;
            let moved = self.shifted(tokens, local.change)?;
            let below = guide.below(self, carried, value);
            let to = guide.below(self, carried, moved);
            let made = match (below, to) {
                (Some(from), Some(to)) => {
                    self.fired(relation, guide, level + 1, down, local.next, from, to)?
                }
                _ => EMPTY,
            };
            if made != EMPTY {
                match self.work[base..].binary_search_by_key(&moved, |entry| entry.value) {
                    Ok(there) => {
                        let there = base + there;
                        let both = self.union_of(self.work[there].down, made)?;
                        if both != self.work[there].down {
                            *now += 1;
                            self.work[there].down = both;
                            self.work[there].changed = *now;
                            if there == at {
                                continue; // nothing changes here: it may fire again from what it made
                            }
                        }
                    }
                    Err(there) => {
                        *now += 1;
                        let entry = Entry { value: moved, down: made, changed: *now };
                        self.work.insert(base + there, entry);
                        at += usize::from(base + there <= at);
                    }
                }
            }
            at += usize::from(ascending);
        }
    }

    /// What firing `suffix` makes of the members of `id`, closed under what `to` says. `id` is
    /// closed under what `from` says.
    #[expect(clippy::too_many_arguments, reason = "a recursion, with what changes on the way")]
    pub(crate) fn fired<G: Guide>(
        &mut self,
        relation: &Relation,
        guide: &G,
        level: u32,
        id: u32,
        suffix: u32,
        from: u32,
        to: u32,
    ) -> Result<u32, Stop> {
        if id == EMPTY {
            return Ok(EMPTY);
        }
        if suffix == END {
            if from == to {
                return Ok(id);
            }
            // Protected: until it is saturated, nothing else may hold what enters.
            let entering = G::enter(self, id, to)?;
            self.push(0, entering);
            let result = self.saturate(relation, guide, level, entering, to)?;
            self.work.pop();
            return Ok(result);
        }
        if let Some(result) = self.cache.get(G::SATURATE_FIRED, suffix, id, to) {
            return Ok(result);
        }
        self.tick()?;
        let base = self.work.len();
        let mut at = id;
        let touch = relation.suffix(suffix).touch;
        let here = touch.level == level;
        let next = if here { relation.suffix(suffix).next } else { suffix };
        let mut sorted = true;
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
            let below = guide.below(self, from, node.value);
            let below_to = guide.below(self, to, moved);
            let (Some(from), Some(to)) = (below, below_to) else { continue };
            let down = self.fired(relation, guide, level + 1, node.down, next, from, to)?;
            if down != EMPTY {
                sorted &= self.work[base..].last().is_none_or(|last| last.value < moved);
                self.push(moved, down);
            }
        }
        if !sorted {
            self.work[base..].sort_unstable_by_key(|entry| entry.value); // codes of large values
        }
        self.close(relation, guide, level, base, to)?;
        let result = self.chain(base, EMPTY)?;
        self.cache.put(G::SATURATE_FIRED, suffix, id, to, result);
        Ok(result)
    }

    /// The cache holds what was computed for one relation: forgets that of another.
    pub(crate) fn cached_for(&mut self, relation: &Relation) {
        if self.cached_for != relation.number {
            self.cache.clear();
            self.cached_for = relation.number;
        }
    }
}

/// One transition, and the chain that it fires on.
struct Round<'r, G> {
    relation: &'r Relation,
    guide: &'r G,
    level: u32,
    base: usize,
    carried: u32,
    local: Local,
    last: u32,
}
