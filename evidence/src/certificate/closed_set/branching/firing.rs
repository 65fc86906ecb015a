//! Computes the members of a set from which firings lead into another set.
//!
//! Two paths are followed in parallel, one for a member and one for the result of a firing. Above
//! the first level that a transition touches both agree, so these levels are processed for all
//! transitions together.

use super::sets::{END, NONE, Operation, SubsetTable};
use crate::certificate::Flaw;
use std::collections::HashMap;

/// The level, the required tokens and the change of a transition at this level.
pub(super) type FiringTouch = (usize, u64, i64);

/// A list of touches: the first touch, and the number of the remaining list. Number 0 is the empty
/// list.
type TouchList = (FiringTouch, u32);

/// A set of transitions as lists of touches, by the first level that they touch. Equal suffixes of
/// lists have the same number.
pub(super) struct TransitionLists {
    /// The number of this set of transitions, as a key of the cache.
    number: u32,
    /// For each level, the numbers of the lists whose first touch is at this level.
    beginning: HashMap<usize, Vec<u32>>,
}

/// All lists of touches, without duplicates.
pub(super) struct TouchLists {
    /// The lists, by number. A list is its first touch with the number of the remaining list.
    rests: Vec<TouchList>,
    /// The number assigned to a list.
    numbers: HashMap<TouchList, u32>,
    /// The number of transition sets that were prepared.
    relations: u32,
}

impl TouchLists {
    pub(super) fn new() -> Self {
        TouchLists { rests: vec![((usize::MAX, 0, 0), 0)], numbers: HashMap::new(), relations: 0 }
    }

    /// Prepares a set of transitions for the computation of predecessors. No transition may have an
    /// empty list of touches.
    pub(super) fn firings(&mut self, transitions: &[Vec<FiringTouch>]) -> TransitionLists {
        let mut by_first_level: HashMap<usize, Vec<u32>> = HashMap::new();
        for touches in transitions {
            let number = touches.iter().rev().fold(0, |next, &touch| {
                *self.numbers.entry((touch, next)).or_insert_with(|| {
                    self.rests.push((touch, next));
                    (self.rests.len() - 1) as u32
                })
            });
            let lists_here = by_first_level.entry(touches[0].0).or_default();
            if !lists_here.contains(&number) {
                lists_here.push(number);
            }
        }
        self.relations += 1;
        TransitionLists { number: self.relations, beginning: by_first_level }
    }
}

impl TransitionLists {
    /// Returns the numbers of the lists whose first touch is at this level.
    fn beginning_at(&self, level: usize) -> &[u32] {
        self.beginning.get(&level).map_or(&[], Vec::as_slice)
    }
}

impl SubsetTable<'_> {
    /// Returns the vectors of `from` that a firing maps to a vector of `to`. The vectors begin at
    /// `level`, and the list with number `list` gives the rest of the firing.
    fn before(
        &mut self,
        lists: &TouchLists,
        level: usize,
        (from, to): (u32, u32),
        list: u32,
    ) -> Result<u32, Flaw> {
        if list == 0 {
            return self.intersection(from, to);
        }
        if from == NONE || to == NONE {
            return Ok(NONE);
        }
        let key = Operation::Before.with(list);
        if let Some(known) = self.known(key, from, to) {
            return Ok(known);
        }
        self.tick()?;
        let ((at_level, pre, change), next) = lists.rests[list as usize];
        let (pre, change, list) =
            if at_level == level { (pre, change, next) } else { (0, 0, list) };
        let chain_start = self.begin();
        let (mut from_node, mut to_node) = (from, to);
        while from_node != NONE && to_node != NONE {
            let (left, right) = (self.node(from_node), self.node(to_node));
            let result_value = left.0.checked_add_signed(change).filter(|_| left.0 >= pre);
            // Results increase with the values, so the second path never goes back.
            match result_value {
                Some(result_value) if right.0 < result_value => to_node = right.2,
                Some(result_value) if right.0 == result_value => {
                    let down = self.before(lists, level + 1, (left.1, right.1), list)?;
                    self.push(left.0, down);
                    (from_node, to_node) = (left.2, right.2);
                }
                _ => from_node = left.2,
            }
        }
        let result = self.end(chain_start)?;
        self.remember(key, from, to, result);
        Ok(result)
    }

    /// Returns the vectors of `from` that some firing maps to a vector of `to`, for firings that
    /// begin at this level or below.
    pub(super) fn before_any(
        &mut self,
        lists: &TouchLists,
        firings: &TransitionLists,
        level: usize,
        (from, to): (u32, u32),
    ) -> Result<u32, Flaw> {
        if from <= END || to <= END {
            return Ok(NONE);
        }
        let key = Operation::BeforeAny.with(firings.number);
        if let Some(known) = self.known(key, from, to) {
            return Ok(known);
        }
        self.tick()?;
        let chain_start = self.begin();
        let (mut from_node, mut to_node) = (from, to);
        while from_node != NONE && to_node != NONE {
            let (left, right) = (self.node(from_node), self.node(to_node));
            if left.0 == right.0 {
                let down = self.before_any(lists, firings, level + 1, (left.1, right.1))?;
                self.push(left.0, down);
            }
            from_node = if left.0 <= right.0 { left.2 } else { from_node };
            to_node = if right.0 <= left.0 { right.2 } else { to_node };
        }
        let mut result = self.end(chain_start)?;
        for &list in firings.beginning_at(level) {
            if result == from {
                break;
            }
            let more = self.before(lists, level, (from, to), list)?;
            result = self.union(result, more)?;
        }
        self.remember(key, from, to, result);
        Ok(result)
    }

    /// Returns the vectors of `within` from which firings that begin at this level or below lead to
    /// `to` inside `within`. `to` is a subset of `within`. The fixed point for the firings below is
    /// computed first. Then firings that begin at this level are added, each followed by the fixed
    /// point below (saturation).
    pub(super) fn leading(
        &mut self,
        lists: &TouchLists,
        firings: &TransitionLists,
        level: usize,
        (within, to): (u32, u32),
    ) -> Result<u32, Flaw> {
        if to <= END || to == within {
            return Ok(to);
        }
        let key = Operation::Leading.with(firings.number);
        if let Some(known) = self.known(key, within, to) {
            return Ok(known);
        }
        self.tick()?;
        let mut found = self.leading_below(lists, firings, level, (within, to))?;
        loop {
            let previous = found;
            for &list in firings.beginning_at(level) {
                let more = self.before(lists, level, (within, found), list)?;
                let extended = self.union(found, more)?;
                if extended != found {
                    found = self.leading_below(lists, firings, level, (within, extended))?;
                }
            }
            if found == previous {
                break;
            }
        }
        self.remember(key, within, to, found);
        self.remember(key, within, found, found);
        Ok(found)
    }

    /// Returns the vectors of `within` from which firings that begin below this level lead to `to`
    /// inside `within`.
    fn leading_below(
        &mut self,
        lists: &TouchLists,
        firings: &TransitionLists,
        level: usize,
        (within, to): (u32, u32),
    ) -> Result<u32, Flaw> {
        let chain_start = self.begin();
        let mut current = to;
        while current != NONE {
            let (value, down, right) = self.node(current);
            let within_child = self.below(within, value);
            let found = self.leading(lists, firings, level + 1, (within_child, down))?;
            self.push(value, found);
            current = right;
        }
        self.end(chain_start)
    }
}
