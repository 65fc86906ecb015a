//! Finds the members of a set from which firings lead to other members, step by step.
//!
//! A backward step (t, n) follows two paths in parallel: one for a member, and one for the result
//! of n firings of t, which must be in the set found so far. Above and below the levels that t
//! touches both paths agree. Intermediate markings need no check, because the set is closed under
//! firing.
//!
//! The set found so far is rebuilt in each step. Unused nodes are dropped from time to time.

use super::ClosedSet;
use super::members::{NodeStore, PartChild, SetShape, too_large};
use crate::certificate::Flaw;
use parikh_net::{Net, Predicate, TransitionId};
use std::collections::BTreeMap;

/// The level, the tokens that n firings require at this level, and their total change of the
/// tokens.
type StepTouch = (usize, u64, i64);

/// The number of built nodes after which unused nodes are dropped. If more than half of this number
/// are then still in use, the check ends with an error.
const DROP_THRESHOLD: usize = 1 << 21;

/// Returns true if the steps lead from every member to a member that satisfies `target`. False may
/// also mean that the diagram of `set` has two equal nodes, which this check cannot compare.
pub(super) fn covers(
    set: &ClosedSet,
    shape: &SetShape,
    net: &Net,
    target: &Predicate,
    steps: &[(TransitionId, u64)],
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<bool, Flaw> {
    cover_dropping((set, shape, net), target, steps, DROP_THRESHOLD, goes_on)
}

/// Decides [`covers`], and drops unused nodes when more than `dropped_at` nodes are built.
fn cover_dropping(
    (set, shape, net): (&ClosedSet, &SetShape, &Net),
    target: &Predicate,
    steps: &[(TransitionId, u64)],
    dropped_at: usize,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<bool, Flaw> {
    let mut store = NodeStore::new(set, shape, net, goes_on);
    // Reuse the nodes of the set for equal built nodes, because in the end the found set should be
    // the whole set.
    for (&node, number) in set.nodes.iter().zip(2..) {
        store.numbers.entry(node).or_insert(number);
    }
    let mut covered = store.satisfying(set.root, target)?;
    for &(t, count) in steps {
        if t.index() >= net.transition_count() {
            return Err(Flaw::NoSuchTransition(t));
        }
        let touched = repeated_touches(net, shape, t, count)?;
        let predecessors = store.predecessors(set.root, covered, &touched)?;
        covered = store.union(covered, predecessors)?;
        if store.built.len() > dropped_at {
            covered = store.drop_unused(covered);
            if store.built.len() > DROP_THRESHOLD / 2 {
                return Err(too_large());
            }
        }
    }
    Ok(covered == set.root)
}

/// Returns the requirements and changes of `count` firings of `t` in a row, by ascending level.
/// Returns an error if a number overflows, or for 0 firings of a transition with arcs.
fn repeated_touches(
    net: &Net,
    shape: &SetShape,
    t: TransitionId,
    count: u64,
) -> Result<Vec<StepTouch>, Flaw> {
    let mut touched: BTreeMap<usize, (u64, i64)> = BTreeMap::new();
    for arc in net.pre(t) {
        touched.entry(shape.level_of[arc.place.index()]).or_default().0 = arc.weight;
    }
    for change in net.delta(t) {
        touched.entry(shape.level_of[change.place.index()]).or_default().1 = change.delta;
    }
    let repeated = |(level, (pre, change)): (usize, (u64, i64))| {
        // The last firing needs as much as the first, after the earlier firings have consumed
        // tokens.
        let taken = if change < 0 { change.unsigned_abs() } else { 0 };
        let pre = count.checked_sub(1)?.checked_mul(taken)?.checked_add(pre)?;
        Some((level, pre, change.checked_mul(i64::try_from(count).ok()?)?))
    };
    touched.into_iter().map(repeated).collect::<Option<_>>().ok_or(Flaw::Overflow)
}

impl NodeStore<'_, '_> {
    /// Returns the members of `from` that enable the firings given by `touched`, and reach a member
    /// of `to` by these firings.
    fn predecessors(&mut self, from: u32, to: u32, touched: &[StepTouch]) -> Result<u32, Flaw> {
        if to == 0 {
            return Ok(0);
        }
        let Some(last_level) = touched.last().map(|touch| touch.0) else { return Ok(to) };
        self.build((from, to), |store, level, (from, to), values| {
            let touch = touched.binary_search_by_key(&level, |touch| touch.0);
            let (pre, change) = touch.map_or((0, 0), |index| (touched[index].1, touched[index].2));
            let mut results = store.children(to).peekable();
            for (value, down) in store.children(from).filter(|&(value, _)| value >= pre) {
                let Some(result_value) = value.checked_add_signed(change) else { continue };
                while results.next_if(|&(value, _)| value < result_value).is_some() {}
                if let Some((_, result)) = results.next_if(|&(value, _)| value == result_value) {
                    values.push(match level >= last_level && down == result {
                        true => (value, PartChild::Node(down)),
                        false => (value, PartChild::Part((down, result))),
                    });
                }
            }
            Ok(())
        })
    }

    /// Drops all built nodes that `set` does not use, and returns the new number of `set`.
    fn drop_unused(&mut self, set: u32) -> u32 {
        let first_built = self.set.nodes.len() + 2;
        let mut used = vec![false; self.built.len()];
        let mark_used = |number: u32, used: &mut Vec<bool>| {
            if let Some(index) = (number as usize).checked_sub(first_built) {
                used[index] = true;
            }
        };
        mark_used(set, &mut used);
        // A node refers to earlier nodes only.
        for index in (0..self.built.len()).rev() {
            if used[index] {
                let (_, down, right) = self.built[index];
                mark_used(down, &mut used);
                mark_used(right, &mut used);
            }
        }
        // Used nodes are renumbered in order, so the children of a node have their new numbers
        // before it.
        let mut numbers = vec![0u32; self.built.len()];
        let new_number =
            |number: u32, numbers: &[u32]| match (number as usize).checked_sub(first_built) {
                Some(index) => numbers[index],
                None => number,
            };
        let (old_nodes, heights) =
            (std::mem::take(&mut self.built), std::mem::take(&mut self.heights));
        self.numbers.retain(|_, number| (*number as usize) < first_built);
        for (index, ((value, down, right), height)) in
            old_nodes.into_iter().zip(heights).enumerate()
        {
            if used[index] {
                let node = (value, new_number(down, &numbers), new_number(right, &numbers));
                numbers[index] = (first_built + self.built.len()) as u32;
                self.numbers.insert(node, numbers[index]);
                self.built.push(node);
                self.heights.push(height);
            }
        }
        new_number(set, &numbers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    /// The set of all (p, q, r) with p + q + r = 3.
    fn set() -> ClosedSet {
        let mut nodes: Vec<(u64, u32, u32)> = Vec::new();
        let mut put = |value, down, right| {
            nodes.push((value, down, right));
            nodes.len() as u32 + 1
        };
        let r: Vec<u32> = (0..4).map(|value| put(value, 1, 0)).collect();
        let q: Vec<u32> = (0..4u64)
            .map(|sum| (0..=sum).rev().fold(0, |right, v| put(v, r[(sum - v) as usize], right)))
            .collect();
        let root = (0..4u64).rev().fold(0, |right, v| put(v, q[3 - v as usize], right));
        ClosedSet { order: (0..3).map(parikh_net::PlaceId::new).collect(), nodes, root }
    }

    #[test]
    fn backward_steps_cover_the_set_although_unused_nodes_are_dropped() {
        let net = text::parse(
            "place p 3\nplace q\nplace r\ntransition a: p -> q\ntransition b: q -> r\n\
             transition c: r -> p",
        )
        .unwrap();
        let set = set();
        let checked = set.check(&net, &mut || true).unwrap();
        let home = Predicate::at_least(parikh_net::PlaceId::new(0), 3);
        let [a, b, c] = [0, 1, 2].map(TransitionId::new);
        // Backwards: first all tokens from r to p, then all from q to r, by one and by two firings
        // at a time.
        let steps = [(c, 1), (c, 2), (b, 1), (b, 2)];
        let lead = |steps: &[(TransitionId, u64)], dropped_at| {
            let of = (&set, &checked.shape, &net);
            cover_dropping(of, &home, steps, dropped_at, &mut || true).unwrap()
        };
        for dropped_at in [0, 3, DROP_THRESHOLD] {
            assert!(lead(&steps, dropped_at));
            assert!(!lead(&steps[..3], dropped_at), "three of q");
            assert!(!lead(&[(b, 1), (b, 2), (c, 1), (c, 2)], dropped_at));
            assert!(!lead(&[(a, 1), (a, 2)], dropped_at));
        }
        let none = lead(&[(c, 1), (c, 1), (c, 1), (b, 1), (b, 1), (b, 1)], 0);
        assert!(none, "one at a time, as often as there are tokens");
        let checked =
            |steps: &[(TransitionId, u64)]| checked.leads_to(&net, &home, steps, &mut || true);
        assert_eq!(checked(&steps), Ok(()));
        assert_eq!(checked(&[(c, 0)]), Err(Flaw::Overflow));
        assert_eq!(checked(&[(c, u64::MAX)]), Err(Flaw::Overflow));
        let none = TransitionId::new(3);
        assert_eq!(checked(&[(none, 1)]), Err(Flaw::NoSuchTransition(none)));
    }
}
