//! The reachable set by saturation. Nodes are closed under the transitions of their own level and
//! below, from the bottom up. The result of a firing is closed at once, at every level that the
//! firing passes.
//!
//! ```text
//! saturate(n)                 saturates the children of n, then calls `close`
//! close(chain)                fires the transitions of this level until the chain does not change
//! saturate_fired(n, suffix)   the result of firing `suffix` on n, saturated at every level
//! ```
//!
//! Within a chain, a transition visits the values in the direction in which it moves them. It thus
//! fires again on the values that it has just produced (*chaining*). It visits only values that
//! have changed since its last round.
//!
//! Each node comes with a number that its *guide* interprets and that determines the closure. It is
//! a context (`contexts`), or the part of a set that firings must not leave
//! (`restricted_saturation`).
//!
//! The algorithm needs no bounds, and it does not end on an unbounded net. Prove boundedness first,
//! or limit the time.

use crate::cache::Operation;
use crate::contexts::LocalTransition;
use crate::relation::TransitionRelation;
use crate::store::{ChainEntry, Diagrams, EMPTY, LARGE, ONE, Set, Stop};
use crate::touch::{EMPTY_SUFFIX, LevelTouch};

/// The interpretation of the carried number, that is, the number that saturation passes down with
/// each node. It determines the transitions that the node is closed under and the vectors that are
/// allowed.
pub(crate) trait SaturationGuide {
    /// The kind of the cached results of `saturate`.
    const SATURATE: Operation;
    /// The kind of the cached results of `saturate_fired`.
    const SATURATE_FIRED: Operation;

    /// Returns the transitions that fire at this level.
    fn locals(&self, level: u32, carried: u32) -> &[LocalTransition];
    /// Returns the number carried below `value`, or `None` if `value` is not allowed.
    fn carried_below(&self, diagrams: &Diagrams<'_>, carried: u32, value: u32) -> Option<u32>;
    /// Returns the part of `id` that is allowed under `carried`. The caller still has to saturate
    /// this part.
    fn enter(diagrams: &mut Diagrams<'_>, id: u32, carried: u32) -> Result<u32, Stop>;
    /// Returns true if it is known that nothing can be added to `id`. False is always a valid
    /// result.
    fn is_full(id: u32, carried: u32) -> bool;
}

/// The guide of unrestricted saturation: the carried number is a context.
struct ContextGuide<'r>(&'r TransitionRelation);

impl SaturationGuide for ContextGuide<'_> {
    const SATURATE: Operation = Operation::Saturate;
    const SATURATE_FIRED: Operation = Operation::SaturateFired;

    #[inline]
    fn locals(&self, _: u32, carried: u32) -> &[LocalTransition] {
        &self.0.contexts.contexts[carried as usize].locals
    }

    #[inline]
    fn carried_below(&self, diagrams: &Diagrams<'_>, carried: u32, value: u32) -> Option<u32> {
        Some(self.0.contexts.context_below(carried, diagrams.tokens(value)))
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
    /// Returns all vectors reachable from members of `from`, including `from`.
    ///
    /// May collect garbage: the caller must [protect](Self::protect) every other set that it needs
    /// later.
    ///
    /// # Errors
    ///
    /// Returns an error when a limit is reached, or if a number of tokens would exceed 2⁶³ − 1.
    pub fn reachable(&mut self, relation: &TransitionRelation, from: Set) -> Result<Set, Stop> {
        self.prepare_cache(relation);
        self.protect(from);
        let result = self.saturate(relation, &ContextGuide(relation), 0, from.0, 0);
        self.release(from);
        self.clear_on_error(result.map(Set))
    }

    /// Returns the closure of a node for the carried number, from the bottom level up.
    pub(crate) fn saturate<G: SaturationGuide>(
        &mut self,
        relation: &TransitionRelation,
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
        let base = self.chains.len();
        let mut chain_node = id;
        while chain_node != EMPTY {
            let node = self.node(chain_node);
            if let Some(carried_below) = guide.carried_below(self, carried, node.value) {
                let down = self.saturate(relation, guide, level + 1, node.down, carried_below)?;
                self.push(node.value, down);
            }
            chain_node = node.right;
        }
        self.close(relation, guide, level, base, carried)?;
        let result = self.chain(base, EMPTY)?;
        self.cache.put(G::SATURATE, 0, id, carried, result);
        // The result is saturated already, so a second call returns at once.
        self.cache.put(G::SATURATE, 0, result, carried, result);
        Ok(result)
    }

    /// Closes the chain `chains[base..]` under the transitions of its level. The nodes below the
    /// chain are saturated.
    fn close<G: SaturationGuide>(
        &mut self,
        relation: &TransitionRelation,
        guide: &G,
        level: u32,
        base: usize,
        carried: u32,
    ) -> Result<(), Stop> {
        let locals = guide.locals(level, carried);
        if locals.is_empty() || self.chains.len() == base {
            return Ok(());
        }
        // The time is a counter of the changes of this chain. An entry is new for a transition if
        // it changed after the start of the transition's last round.
        for entry in &mut self.chains[base..] {
            entry.changed = 1;
        }
        let mut time = 1;
        let first_fired = self.last_fired.len();
        self.last_fired.resize(first_fired + locals.len(), 0);
        let mut time_before = 0;
        while time_before != time {
            time_before = time;
            for (index, &local) in locals.iter().enumerate() {
                let last_fired = std::mem::replace(&mut self.last_fired[first_fired + index], time);
                if last_fired < time {
                    let round = TransitionRound {
                        relation,
                        guide,
                        level,
                        base,
                        carried,
                        local,
                        last_fired,
                    };
                    self.fire_round(&round, &mut time)?;
                }
            }
        }
        self.last_fired.truncate(first_fired);
        Ok(())
    }

    /// Fires one transition on all entries that changed since its last round.
    fn fire_round<G: SaturationGuide>(
        &mut self,
        round: &TransitionRound<'_, G>,
        time: &mut u32,
    ) -> Result<(), Stop> {
        let &TransitionRound { relation, guide, level, base, carried, local, last_fired } = round;
        let is_ascending = local.touch.change >= 0;
        let (least, most) = admitted_codes(local.touch);
        let chain = &self.chains[base..];
        let mut index = base
            + match is_ascending {
                true => chain.partition_point(|entry| entry.value < least),
                false => chain.partition_point(|entry| entry.value <= most),
            };
        loop {
            match is_ascending {
                true if index == self.chains.len() => return Ok(()),
                false if index == base => return Ok(()),
                true => {}
                false => index -= 1,
            }
            let ChainEntry { value, down, changed } = self.chains[index];
            if !(least..=most).contains(&value) {
                return Ok(());
            }
            let tokens = self.tokens(value);
            if changed <= last_fired || !local.touch.admits(tokens) {
                index += usize::from(is_ascending);
                continue;
            }
            self.tick()?;
            self.safe_point()?;
            let new_value = self.shifted(tokens, local.touch.change)?;
            let carried_below = guide.carried_below(self, carried, value);
            let carried_to = guide.carried_below(self, carried, new_value);
            let successors = match (carried_below, carried_to) {
                (Some(from), Some(carried_to)) => self.saturate_fired(
                    relation,
                    guide,
                    level + 1,
                    down,
                    local.next,
                    from,
                    carried_to,
                )?,
                _ => EMPTY,
            };
            if successors != EMPTY {
                match self.chains[base..].binary_search_by_key(&new_value, |entry| entry.value) {
                    Ok(target) => {
                        let target = base + target;
                        let union = self.union_of(self.chains[target].down, successors)?;
                        if union != self.chains[target].down {
                            *time += 1;
                            self.chains[target].down = union;
                            self.chains[target].changed = *time;
                            if target == index {
                                continue; // the transition keeps the value here, so it may fire again on its own result
                            }
                        }
                    }
                    Err(target) => {
                        *time += 1;
                        let entry =
                            ChainEntry { value: new_value, down: successors, changed: *time };
                        self.chains.insert(base + target, entry);
                        index += usize::from(base + target <= index);
                    }
                }
            }
            index += usize::from(is_ascending);
        }
    }

    /// Returns the result of firing `suffix` on the members of `id`, closed for the carried number
    /// `to`. The node `id` is closed for the carried number `from`.
    #[expect(clippy::too_many_arguments, reason = "a recursion, with what changes on the way")]
    pub(crate) fn saturate_fired<G: SaturationGuide>(
        &mut self,
        relation: &TransitionRelation,
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
        if suffix == EMPTY_SUFFIX {
            if from == to {
                return Ok(id);
            }
            // The stack protects the entering node until it is saturated: nothing else may refer to
            // it.
            let entering = G::enter(self, id, to)?;
            self.push(0, entering);
            let result = self.saturate(relation, guide, level, entering, to)?;
            self.chains.pop();
            return Ok(result);
        }
        if let Some(result) = self.cache.get(G::SATURATE_FIRED, suffix, id, to) {
            return Ok(result);
        }
        self.tick()?;
        let base = self.chains.len();
        let mut chain_node = id;
        let touch = relation.suffix(suffix).touch;
        let is_touched = touch.level == level;
        let next = if is_touched { relation.suffix(suffix).next } else { suffix };
        let most = if is_touched { admitted_codes(touch).1 } else { u32::MAX };
        let mut is_sorted = true;
        while chain_node != EMPTY {
            let node = self.node(chain_node);
            if node.value > most {
                break;
            }
            chain_node = node.right;
            let mut new_value = node.value;
            if is_touched {
                let tokens = self.tokens(node.value);
                if !touch.admits(tokens) {
                    continue;
                }
                new_value = self.shifted(tokens, touch.change)?;
            }
            let from_below = guide.carried_below(self, from, node.value);
            let to_below = guide.carried_below(self, to, new_value);
            let (Some(from), Some(to)) = (from_below, to_below) else { continue };
            let down =
                self.saturate_fired(relation, guide, level + 1, node.down, next, from, to)?;
            if down != EMPTY {
                is_sorted &= self.chains[base..].last().is_none_or(|last| last.value < new_value);
                self.push(new_value, down);
            }
        }
        if !is_sorted {
            self.chains[base..].sort_unstable_by_key(|entry| entry.value); // codes of large values can be out of order
        }
        self.close(relation, guide, level, base, to)?;
        let result = self.chain(base, EMPTY)?;
        self.cache.put(G::SATURATE_FIRED, suffix, id, to, result);
        Ok(result)
    }

    /// Clears the cache if it holds results of another relation.
    pub(crate) fn prepare_cache(&mut self, relation: &TransitionRelation) {
        if self.cached_for != relation.number {
            self.cache.clear();
            self.cached_for = relation.number;
        }
    }
}

/// Returns the least and the largest code of the values with which a transition may be enabled at
/// the level of `touch`. Large values have other codes than their tokens, so the codes of some
/// other large values may lie between the two.
fn admitted_codes(touch: LevelTouch) -> (u32, u32) {
    let code = |tokens: u64| u32::try_from(tokens).ok().filter(|&code| code < LARGE);
    (code(touch.pre).unwrap_or(0), code(touch.max).unwrap_or(u32::MAX))
}

/// One round of a transition, with the chain that it fires on.
struct TransitionRound<'r, G> {
    /// The relation of the transition.
    relation: &'r TransitionRelation,
    /// The interpretation of the carried number.
    guide: &'r G,
    /// The level of the chain.
    level: u32,
    /// The start of the chain on the stack `chains`.
    base: usize,
    /// The carried number of the chain.
    carried: u32,
    /// The transition.
    local: LocalTransition,
    /// The time of the last round of the transition. Entries that changed later are new.
    last_fired: u32,
}
