//! Computes the members of a set from which firings lead into another set.
//!
//! Two paths are followed in parallel, one for a member and one for the result of a firing. Above
//! the first level that a transition touches both agree, so these levels are processed for all
//! transitions together.

use super::sets::{EMPTY, Operation, SubsetTable, TERMINAL};
use crate::certificate::Flaw;
use std::collections::HashMap;

/// A touch, that is, the effect of a transition at one level: the level, the required tokens, and
/// the change.
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
    by_first_level: HashMap<usize, Vec<u32>>,
}

/// All lists of touches (see [`FiringTouch`]), without duplicates.
pub(super) struct TouchLists {
    /// The lists, by number. A list is its first touch with the number of the remaining list.
    lists: Vec<TouchList>,
    /// The number assigned to a list.
    numbers: HashMap<TouchList, u32>,
    /// The number of transition sets that were prepared.
    prepared_set_count: u32,
}

impl TouchLists {
    pub(super) fn new() -> Self {
        // Entry 0 stands for the empty list; its values are not used.
        let empty_list = ((usize::MAX, 0, 0), 0);
        TouchLists { lists: vec![empty_list], numbers: HashMap::new(), prepared_set_count: 0 }
    }

    /// Prepares a set of transitions for the computation of predecessors. No transition may have an
    /// empty list of touches.
    pub(super) fn prepare(&mut self, transitions: &[Vec<FiringTouch>]) -> TransitionLists {
        let mut by_first_level: HashMap<usize, Vec<u32>> = HashMap::new();
        for touches in transitions {
            let number = touches.iter().rev().fold(0, |next, &touch| {
                *self.numbers.entry((touch, next)).or_insert_with(|| {
                    self.lists.push((touch, next));
                    (self.lists.len() - 1) as u32
                })
            });
            let lists_here = by_first_level.entry(touches[0].0).or_default();
            if !lists_here.contains(&number) {
                lists_here.push(number);
            }
        }
        self.prepared_set_count += 1;
        TransitionLists { number: self.prepared_set_count, by_first_level }
    }
}

impl TransitionLists {
    /// Returns the numbers of the lists whose first touch is at this level.
    fn starting_at(&self, level: usize) -> &[u32] {
        self.by_first_level.get(&level).map_or(&[], Vec::as_slice)
    }
}

impl SubsetTable<'_> {
    /// Returns the vectors of `from` that a firing maps to a vector of `to`. The vectors begin at
    /// `level`, and the list with number `list` gives the rest of the firing.
    fn predecessors(
        &mut self,
        lists: &TouchLists,
        level: usize,
        (from, to): (u32, u32),
        list: u32,
    ) -> Result<u32, Flaw> {
        if list == 0 {
            return self.intersection(from, to);
        }
        if from == EMPTY || to == EMPTY {
            return Ok(EMPTY);
        }
        let key = Operation::Predecessors.cache_key(list);
        if let Some(known) = self.cached(key, from, to) {
            return Ok(known);
        }
        self.tick()?;
        let ((at_level, pre, change), next) = lists.lists[list as usize];
        let (pre, change, list) =
            if at_level == level { (pre, change, next) } else { (0, 0, list) };
        let chain_start = self.begin_chain();
        let (mut from_node, mut to_node) = (from, to);
        while from_node != EMPTY && to_node != EMPTY {
            // A node is a triple (value, down, right).
            let (left, right) = (self.node(from_node), self.node(to_node));
            let result_value = left.0.checked_add_signed(change).filter(|_| left.0 >= pre);
            // The values of results ascend with the values of members, so the path of results never
            // goes back.
            match result_value {
                Some(result_value) if right.0 < result_value => to_node = right.2,
                Some(result_value) if right.0 == result_value => {
                    let down = self.predecessors(lists, level + 1, (left.1, right.1), list)?;
                    self.push_child(left.0, down);
                    (from_node, to_node) = (left.2, right.2);
                }
                _ => from_node = left.2,
            }
        }
        let result = self.end_chain(chain_start)?;
        self.store(key, from, to, result);
        Ok(result)
    }

    /// Returns the vectors of `from` that some firing maps to a vector of `to`. The vectors begin
    /// at `level`. Only transitions whose first touched level is `level` or a later level count.
    pub(super) fn predecessors_by_any(
        &mut self,
        lists: &TouchLists,
        firings: &TransitionLists,
        level: usize,
        (from, to): (u32, u32),
    ) -> Result<u32, Flaw> {
        if from <= TERMINAL || to <= TERMINAL {
            return Ok(EMPTY);
        }
        let key = Operation::PredecessorsByAny.cache_key(firings.number);
        if let Some(known) = self.cached(key, from, to) {
            return Ok(known);
        }
        self.tick()?;
        let chain_start = self.begin_chain();
        let (mut from_node, mut to_node) = (from, to);
        while from_node != EMPTY && to_node != EMPTY {
            let (from_value, from_down, from_right) = self.node(from_node);
            let (to_value, to_down, to_right) = self.node(to_node);
            if from_value == to_value {
                let down =
                    self.predecessors_by_any(lists, firings, level + 1, (from_down, to_down))?;
                self.push_child(from_value, down);
            }
            from_node = if from_value <= to_value { from_right } else { from_node };
            to_node = if to_value <= from_value { to_right } else { to_node };
        }
        let mut result = self.end_chain(chain_start)?;
        for &list in firings.starting_at(level) {
            if result == from {
                break;
            }
            let more = self.predecessors(lists, level, (from, to), list)?;
            result = self.union(result, more)?;
        }
        self.store(key, from, to, result);
        Ok(result)
    }

    /// Returns the vectors of `within` from which firings lead to `to` inside `within`. `to` is a
    /// subset of `within`. Only transitions whose first touched level is `level` or a later level
    /// count. The fixed point for the later levels is computed first. Then firings that begin at
    /// `level` are added, each followed by the fixed point for the later levels (saturation).
    pub(super) fn reaching(
        &mut self,
        lists: &TouchLists,
        firings: &TransitionLists,
        level: usize,
        (within, to): (u32, u32),
    ) -> Result<u32, Flaw> {
        if to <= TERMINAL || to == within {
            return Ok(to);
        }
        let key = Operation::Reaching.cache_key(firings.number);
        if let Some(known) = self.cached(key, within, to) {
            return Ok(known);
        }
        self.tick()?;
        let mut found = self.reaching_below(lists, firings, level, (within, to))?;
        loop {
            let previous = found;
            for &list in firings.starting_at(level) {
                let more = self.predecessors(lists, level, (within, found), list)?;
                let extended = self.union(found, more)?;
                if extended != found {
                    found = self.reaching_below(lists, firings, level, (within, extended))?;
                }
            }
            if found == previous {
                break;
            }
        }
        self.store(key, within, to, found);
        self.store(key, within, found, found);
        Ok(found)
    }

    /// Returns the vectors of `within` from which firings lead to `to` inside `within`. Only
    /// transitions whose first touched level is later than `level` count.
    fn reaching_below(
        &mut self,
        lists: &TouchLists,
        firings: &TransitionLists,
        level: usize,
        (within, to): (u32, u32),
    ) -> Result<u32, Flaw> {
        let chain_start = self.begin_chain();
        let mut current = to;
        while current != EMPTY {
            let (value, down, right) = self.node(current);
            let within_child = self.child(within, value);
            let found = self.reaching(lists, firings, level + 1, (within_child, down))?;
            self.push_child(value, found);
            current = right;
        }
        self.end_chain(chain_start)
    }
}
