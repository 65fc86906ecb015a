//! Checks that a set is closed under firing.
//!
//! A transition leads out of the set if some member enables it and the result is not a member. The
//! check does not build the results. Instead it follows two paths through the diagram in parallel:
//! one for the member, and one for its result, whose values differ by the change of the transition.
//! If the second path has no continuation, the first one must have no vector that enables the rest
//! of the transition.
//!
//! The paths begin at the first level that the transition touches. Above it, a member and its
//! result agree, so both are at the same *head*: a node that continues some prefix of a member. The
//! paths end after the last level that the transition changes, where both are at the same node.
//! Each pair of nodes is visited once per transition.

use super::{Clock, ClosedSet, ClosedSetFlaw};
use parikh_net::Net;
use std::collections::{BTreeMap, HashSet};

/// A level that a transition touches, the tokens that the transition requires at this level, and
/// the change of the tokens by a firing.
type ClosureTouch = (usize, u64, i64);

impl ClosedSet {
    /// Checks that every firing of a member leads to a member.
    pub(super) fn check_closed(
        &self,
        net: &Net,
        level_of: &[usize],
        heights: &[u32],
        clock: &mut Clock<'_>,
    ) -> Result<(), ClosedSetFlaw> {
        let heads = self.heads(heights);
        for t in net.transitions() {
            let mut touched: BTreeMap<usize, (u64, i64)> = BTreeMap::new();
            for arc in net.pre(t) {
                let touch = touched.entry(level_of[arc.place.index()]).or_default();
                *touch = (touch.0 + arc.weight, touch.1 - arc.weight as i64);
            }
            for arc in net.post(t) {
                touched.entry(level_of[arc.place.index()]).or_default().1 += arc.weight as i64;
            }
            let touched: Vec<ClosureTouch> =
                touched.into_iter().map(|(level, (pre, change))| (level, pre, change)).collect();
            let Some(last) = touched.iter().rposition(|&(_, _, change)| change != 0) else {
                continue; // a member is its own result
            };
            let mut paths = ParallelPaths {
                set: self,
                touched: &touched,
                last_change: last,
                seen_pairs: HashSet::new(),
                disabling: HashSet::new(),
                clock: &mut *clock,
            };
            let first_level = touched[0].0;
            for &head in &heads[first_level] {
                if !paths.stays_inside(first_level, head)? {
                    return Err(ClosedSetFlaw::Leaves(t));
                }
            }
        }
        Ok(())
    }

    /// Returns, by level, the heads: the nodes that continue some prefix of a member.
    fn heads(&self, heights: &[u32]) -> Vec<Vec<u32>> {
        let levels = self.order.len();
        let mut heads: Vec<Vec<u32>> = vec![Vec::new(); levels + 1];
        let mut is_head = vec![false; heights.len()];
        heads[0].push(self.root);
        for level in 0..levels {
            let mut next_heads = Vec::new();
            for &head in &heads[level] {
                let mut current = head;
                while current > 1 {
                    let (_, down, right) = self.node(current);
                    if !std::mem::replace(&mut is_head[down as usize], true) {
                        next_heads.push(down);
                    }
                    current = right;
                }
            }
            heads[level + 1] = next_heads;
        }
        heads
    }
}

/// The maximum number of pairs of nodes for one transition is `MAX_PAIRS.0`, plus `MAX_PAIRS.1` for
/// each node of the set. A pair has one node on the path of a member, and one on the path of its
/// result. Usually the number of pairs is about the number of nodes.
const MAX_PAIRS: (usize, usize) = (1 << 20, 16);

/// A search along two parallel paths through the set for one transition: the path of a member, and
/// the path of the result of its firing.
struct ParallelPaths<'w, 'g> {
    /// The set under check.
    set: &'w ClosedSet,
    /// The touched levels, ascending.
    touched: &'w [ClosureTouch],
    /// The index in `touched` of the last level at which the number of tokens changes.
    last_change: usize,
    /// Pairs of nodes, on the path of a member and on the path of its result, that were taken from
    /// the worklist. A node determines its level.
    seen_pairs: HashSet<(u32, u32)>,
    /// Nodes that [`enables`](Self::enables) has visited. Unless the check has failed, none of them
    /// has a vector that enables the rest of the transition.
    disabling: HashSet<u32>,
    /// The clock for `goes_on`.
    clock: &'w mut Clock<'g>,
}

impl ParallelPaths<'_, '_> {
    /// Returns true if every firing from a vector of the node `head` leads to a vector of `head`.
    /// The search uses a worklist instead of recursion, because a net has as many levels as places.
    fn stays_inside(&mut self, level: usize, head: u32) -> Result<bool, ClosedSetFlaw> {
        let mut worklist = vec![(level, 0usize, head, head)];
        while let Some((level, position, from, to)) = worklist.pop() {
            if position > self.last_change && from == to || !self.seen_pairs.insert((from, to)) {
                continue;
            }
            if self.seen_pairs.len() > MAX_PAIRS.0 + MAX_PAIRS.1 * self.set.nodes.len() {
                return Err(ClosedSetFlaw::TooManyPairs);
            }
            let touch = self.touched.get(position).filter(|touch| touch.0 == level);
            let (pre, change) = touch.map_or((0, 0), |&(_, pre, change)| (pre, change));
            let next_position = position + usize::from(touch.is_some());
            let (mut current, mut to) = (from, to);
            while current > 1 {
                self.clock.tick()?;
                let (value, down, right) = self.set.node(current);
                current = right;
                if value < pre {
                    continue;
                }
                // The values of results ascend with the values of members, so the path of results
                // never goes back.
                let after = value.checked_add_signed(change);
                while to > 1 && after.is_none_or(|after| self.set.node(to).0 < after) {
                    to = self.set.node(to).2;
                }
                if to > 1 && after == Some(self.set.node(to).0) {
                    worklist.push((level + 1, next_position, down, self.set.node(to).1));
                } else if self.enables(level + 1, next_position, down)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Returns true if some vector of the node `number` at `level` satisfies the requirements of
    /// the touches from `position` on.
    fn enables(
        &mut self,
        level: usize,
        position: usize,
        number: u32,
    ) -> Result<bool, ClosedSetFlaw> {
        let mut worklist = vec![(level, position, number)];
        while let Some((level, position, number)) = worklist.pop() {
            if position == self.touched.len() {
                // Every node but 0 has a vector, and 0 is never a `down` child.
                return Ok(true);
            }
            if !self.disabling.insert(number) {
                continue;
            }
            let touch = Some(self.touched[position]).filter(|touch| touch.0 == level);
            let mut current = number;
            while current > 1 {
                self.clock.tick()?;
                let (value, down, right) = self.set.node(current);
                current = right;
                if touch.is_none_or(|touch| value >= touch.1) {
                    worklist.push((level + 1, position + usize::from(touch.is_some()), down));
                }
            }
        }
        Ok(false)
    }
}
