//! From which members of a set firings lead to some others, step by step.
//!
//! A step (t, n) backwards: two ways are gone side by side, one for a member, and one for what n firings of t make of
//! it, which is to be in what was found before. Above and below what t touches both agree. In the set itself nothing
//! is to be looked for on the way: no firing leaves it.
//!
//! What was found is made again and again; what nothing refers to any more is dropped now and then.

use super::ClosedSet;
use super::members::{Below, Shape, Store, too_large};
use crate::certificate::Flaw;
use parikh_net::{Net, Predicate, TransitionId};
use std::collections::BTreeMap;

/// What n firings need and change at a level.
type Touch = (usize, u64, i64);

/// Nodes that may be made before those of no use are dropped.
const DROPPED_AT: usize = 1 << 21;

/// Whether the steps lead from all members to one that satisfies `target`.
pub(super) fn cover(
    set: &ClosedSet,
    shape: &Shape,
    net: &Net,
    target: &Predicate,
    steps: &[(TransitionId, u64)],
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<bool, Flaw> {
    let mut store = Store::new(set, shape, net, goes_on);
    // The same node again where something made is in the set already: in the end all of it should be.
    for (&node, number) in set.nodes.iter().zip(2..) {
        store.known.entry(node).or_insert(number);
    }
    let mut found = store.satisfying(set.root, target)?;
    for &(t, count) in steps {
        if t.index() >= net.transition_count() {
            return Err(Flaw::NoSuchTransition(t));
        }
        let touched = touched(net, shape, t, count)?;
        let before = store.before(set.root, found, &touched)?;
        found = store.union(found, before)?;
        if store.made.len() > DROPPED_AT {
            found = store.drop_but(found);
            if store.made.len() > DROPPED_AT / 2 {
                return Err(too_large());
            }
        }
    }
    Ok(found == set.root)
}

/// What `count` firings of `t` in a row need and change, by ascending level.
fn touched(net: &Net, shape: &Shape, t: TransitionId, count: u64) -> Result<Vec<Touch>, Flaw> {
    let mut touched: BTreeMap<usize, (u64, i64)> = BTreeMap::new();
    for arc in net.pre(t) {
        touched.entry(shape.level_of[arc.place.index()]).or_default().0 = arc.weight;
    }
    for change in net.delta(t) {
        touched.entry(shape.level_of[change.place.index()]).or_default().1 = change.delta;
    }
    let many = |(level, (pre, change)): (usize, (u64, i64))| {
        // The last one needs as much as the first, after what those before have taken.
        let taken = if change < 0 { change.unsigned_abs() } else { 0 };
        let pre = count.checked_sub(1)?.checked_mul(taken)?.checked_add(pre)?;
        Some((level, pre, change.checked_mul(i64::try_from(count).ok()?)?))
    };
    touched.into_iter().map(many).collect::<Option<_>>().ok_or(Flaw::Overflow)
}

impl Store<'_, '_> {
    /// The members of `from` that enable the firings, which lead from them to one of `to`.
    fn before(&mut self, from: u32, to: u32, touched: &[Touch]) -> Result<u32, Flaw> {
        if to == 0 {
            return Ok(0);
        }
        let Some(last) = touched.last().map(|touch| touch.0) else { return Ok(to) };
        self.make((from, to), |store, level, (from, to), values| {
            let touch = touched.iter().find(|touch| touch.0 == level);
            let (pre, change) = touch.map_or((0, 0), |&(_, pre, change)| (pre, change));
            let mut results = store.chain(to).peekable();
            for (value, down) in store.chain(from).filter(|&(value, _)| value >= pre) {
                let Some(after) = value.checked_add_signed(change) else { continue };
                while results.next_if(|&(value, _)| value < after).is_some() {}
                if let Some((_, result)) = results.next_if(|&(value, _)| value == after) {
                    values.push(match level >= last && down == result {
                        true => (value, Below::All(down)),
                        false => (value, Below::Part((down, result))),
                    });
                }
            }
            Ok(())
        })
    }

    /// Drops all nodes made but those of one set; its new number.
    fn drop_but(&mut self, set: u32) -> u32 {
        let first = self.set.nodes.len() + 2;
        let mut used = vec![false; self.made.len()];
        let mark = |number: u32, used: &mut Vec<bool>| {
            if let Some(at) = (number as usize).checked_sub(first) {
                used[at] = true;
            }
        };
        mark(set, &mut used);
        // Each refers to those before it.
        for at in (0..self.made.len()).rev().collect::<Vec<_>>() {
            if used[at] {
                let (_, down, right) = self.made[at];
                mark(down, &mut used);
                mark(right, &mut used);
            }
        }
        let mut numbers = vec![0u32; self.made.len()];
        let new = |number: u32, numbers: &[u32]| match (number as usize).checked_sub(first) {
            Some(at) => numbers[at],
            None => number,
        };
        let (made, heights) = (std::mem::take(&mut self.made), std::mem::take(&mut self.heights));
        self.known.retain(|_, number| (*number as usize) < first);
        for (at, ((value, down, right), height)) in made.into_iter().zip(heights).enumerate() {
            if used[at] {
                let node = (value, new(down, &numbers), new(right, &numbers));
                numbers[at] = (first + self.made.len()) as u32;
                self.known.insert(node, numbers[at]);
                self.made.push(node);
                self.heights.push(height);
            }
        }
        new(set, &numbers)
    }
}
