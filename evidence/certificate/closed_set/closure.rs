//! Whether no firing leads out of a set.
//!
//! A transition leads out if for some member that enables it the result is none. Instead of making
//! the results, two ways are gone side by side through the nodes: one for the member, and one for
//! its result, in which each value is moved by what the transition changes there. Where the second
//! way ends, the first must hold no vector that enables the rest.
//!
//! The ways begin at the first place that the transition knows: above, a member and its result are
//! alike, so both come to the same *head*, a node where the vectors of some beginning go on. They
//! end after the last place that it changes, where both are at the same node. Each pair of nodes is
//! looked at once per transition.

use super::{Clock, ClosedSet, ClosedSetFlaw};
use parikh_net::Net;
use std::collections::{BTreeMap, HashSet};

/// What a transition needs and changes at a level.
type Touch = (usize, u64, i64);

impl ClosedSet {
    /// Whether every firing of a member leads to a member.
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
            let touched: Vec<Touch> =
                touched.into_iter().map(|(level, (pre, change))| (level, pre, change)).collect();
            let Some(last) = touched.iter().rposition(|&(_, _, change)| change != 0) else {
                continue; // a member is its own result
            };
            let mut ways = Ways {
                set: self,
                touched: &touched,
                last,
                seen: HashSet::new(),
                barren: HashSet::new(),
                clock: &mut *clock,
            };
            let top = touched[0].0;
            for &head in &heads[top] {
                if !ways.stay(top, head)? {
                    return Err(ClosedSetFlaw::Leaves(t));
                }
            }
        }
        Ok(())
    }

    /// By level, the nodes where the vectors of some member's beginning go on.
    fn heads(&self, heights: &[u32]) -> Vec<Vec<u32>> {
        let levels = self.order.len();
        let mut heads: Vec<Vec<u32>> = vec![Vec::new(); levels + 1];
        let mut is_head = vec![false; heights.len()];
        heads[0].push(self.root);
        for level in 0..levels {
            let mut below = Vec::new();
            for &head in &heads[level] {
                let mut at = head;
                while at > 1 {
                    let (_, down, right) = self.node(at);
                    if !std::mem::replace(&mut is_head[down as usize], true) {
                        below.push(down);
                    }
                    at = right;
                }
            }
            heads[level + 1] = below;
        }
        heads
    }
}

/// The most pairs of nodes that one transition may ask for: some, and so many for each node of the
/// set. Mostly there are about as many as nodes.
const MOST_PAIRS: (usize, usize) = (1 << 20, 16);

/// The ways through the set that one transition asks for.
struct Ways<'w, 'g> {
    set: &'w ClosedSet,
    /// By ascending level.
    touched: &'w [Touch],
    /// Where in `touched` the last change is.
    last: usize,
    /// Pairs that are fine, or on the list of those to look at. Nodes know their level.
    seen: HashSet<(u32, u32)>,
    /// Nodes without a vector that enables the rest.
    barren: HashSet<u32>,
    clock: &'w mut Clock<'g>,
}

impl Ways<'_, '_> {
    /// Whether what the transition makes of the vectors of a head are some of them. On a list of
    /// its own instead of a stack: nets have as many levels as places.
    fn stay(&mut self, level: usize, head: u32) -> Result<bool, ClosedSetFlaw> {
        let mut open = vec![(level, 0usize, head, head)];
        while let Some((level, position, from, to)) = open.pop() {
            if position > self.last && from == to || !self.seen.insert((from, to)) {
                continue;
            }
            if self.seen.len() > MOST_PAIRS.0 + MOST_PAIRS.1 * self.set.nodes.len() {
                return Err(ClosedSetFlaw::Pairs);
            }
            let touch = self.touched.get(position).filter(|touch| touch.0 == level);
            let (pre, change) = touch.map_or((0, 0), |&(_, pre, change)| (pre, change));
            let next = position + usize::from(touch.is_some());
            let (mut at, mut to) = (from, to);
            while at > 1 {
                self.clock.tick()?;
                let (value, down, right) = self.set.node(at);
                at = right;
                if value < pre {
                    continue;
                }
                // Results grow as values do: what was passed once is not asked for again.
                let after = value.checked_add_signed(change);
                while to > 1 && after.is_none_or(|after| self.set.node(to).0 < after) {
                    to = self.set.node(to).2;
                }
                if to > 1 && after == Some(self.set.node(to).0) {
                    open.push((level + 1, next, down, self.set.node(to).1));
                } else if self.enables(level + 1, next, down)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Whether some vector of a node meets what is needed from `position` on.
    fn enables(
        &mut self,
        level: usize,
        position: usize,
        number: u32,
    ) -> Result<bool, ClosedSetFlaw> {
        let mut open = vec![(level, position, number)];
        while let Some((level, position, number)) = open.pop() {
            if position == self.touched.len() {
                return Ok(true); // no node but 0 is without a vector, and 0 is never below
            }
            if !self.barren.insert(number) {
                continue;
            }
            let touch = Some(self.touched[position]).filter(|touch| touch.0 == level);
            let mut at = number;
            while at > 1 {
                self.clock.tick()?;
                let (value, down, right) = self.set.node(at);
                at = right;
                if touch.is_none_or(|touch| value >= touch.1) {
                    open.push((level + 1, position + usize::from(touch.is_some()), down));
                }
            }
        }
        Ok(false)
    }
}
