//! Decides whether some member of a set satisfies a predicate.
//!
//! The members that satisfy an atom, enable a transition or disable one form a set again, and so
//! does the union of two sets. One function (`NodeStore::build`) builds all of these sets level by
//! level. It first goes down from the root to find the *parts* that are needed, then up again to
//! build the nodes. A part is a node together with the information about the beginning of the
//! vector that matters: nothing, the sum so far, or the node of the other set.

use super::{Clock, ClosedSet, ClosedSetFlaw};
use crate::certificate::Flaw;
use parikh_net::{Atom, Net, Predicate, TransitionId};
use std::collections::HashMap;
use std::hash::Hash;

/// Properties of a closed set that are computed once.
#[derive(Debug)]
pub(super) struct SetShape {
    /// The level of each place, by place index.
    pub(super) level_of: Vec<usize>,
    /// The length of the vectors of each node, by node number.
    heights: Vec<u32>,
    /// The smallest and the largest value at each level, over all nodes of the set. A level without
    /// nodes has (`u64::MAX`, 0).
    value_ranges: Vec<(u64, u64)>,
}

impl SetShape {
    pub(super) fn new(set: &ClosedSet, level_of: Vec<usize>, heights: Vec<u32>) -> Self {
        let levels = level_of.len();
        let mut values = vec![(u64::MAX, 0); levels];
        for (&(value, ..), &height) in set.nodes.iter().zip(&heights[2..]) {
            // Nodes that are not reachable from the root may have longer vectors than markings.
            if let Some(level) = levels.checked_sub(height as usize) {
                values[level] = (values[level].0.min(value), values[level].1.max(value));
            }
        }
        SetShape { level_of, heights, value_ranges: values }
    }

    /// Returns the smallest and the largest weighted sum if each level takes any value of its
    /// range, as if the levels were independent. `weights` are levels with their weights. Returns
    /// `None` on overflow.
    fn range(&self, weights: &[(usize, i64)]) -> Option<(i128, i128)> {
        weights.iter().try_fold((0i128, 0i128), |(min_sum, max_sum), &(level, weight)| {
            let (low, high) = self.value_ranges[level];
            let [one_end, other_end] =
                [low, high].map(|value| i128::from(weight) * i128::from(value));
            Some((
                min_sum.checked_add(one_end.min(other_end))?,
                max_sum.checked_add(one_end.max(other_end))?,
            ))
        })
    }
}

/// The maximum number of nodes for one question is `MAX_NODES.0`, plus `MAX_NODES.1` for each node
/// of the set. Even for a small set, comparisons with large weights can need many nodes.
const MAX_NODES: (usize, usize) = (1 << 22, 32);

/// Returns true if some member satisfies `predicate`.
pub(super) fn has_member(
    set: &ClosedSet,
    shape: &SetShape,
    net: &Net,
    predicate: &Predicate,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<bool, Flaw> {
    if is_impossible(shape, predicate) {
        return Ok(false);
    }
    let mut store = NodeStore::new(set, shape, net, goes_on);
    Ok(store.satisfying(set.root, predicate)? != 0)
}

/// Returns true if the ranges of the values per level exclude the predicate, one comparison at a
/// time. False may also mean that this test is too weak.
fn is_impossible(shape: &SetShape, predicate: &Predicate) -> bool {
    match predicate {
        Predicate::False => true,
        Predicate::Atom(atom) => shape
            .range(&terms_by_level(shape, atom))
            .is_some_and(|(least, _)| least > i128::from(atom.bound)),
        Predicate::And(parts) => parts.iter().any(|part| is_impossible(shape, part)),
        Predicate::Or(parts) => parts.iter().all(|part| is_impossible(shape, part)),
        _ => false,
    }
}

/// Returns the terms of an atom, as levels with coefficients, by ascending level.
fn terms_by_level(shape: &SetShape, atom: &Atom) -> Vec<(usize, i64)> {
    let terms = atom.sum.terms().iter();
    let mut terms: Vec<(usize, i64)> =
        terms.map(|&(place, weight)| (shape.level_of[place.index()], weight)).collect();
    terms.sort_unstable();
    terms
}

/// The child of a part for one value. A part is a node with the information about the beginning of
/// its vectors that the construction of a subset needs.
pub(super) enum PartChild<S> {
    /// A finished child: the node with this number, with all of its vectors.
    Node(u32),
    /// A part of the next level whose node is not built yet.
    Part(S),
}

/// The children of a part, with their values, by ascending value.
pub(super) type PartChildren<S> = Vec<(u64, PartChild<S>)>;

/// The store of decision-diagram nodes: those of a closed set, and those of the subsets built from
/// the set.
pub(super) struct NodeStore<'s, 'g> {
    /// The closed set, whose nodes come first.
    pub(super) set: &'s ClosedSet,
    /// The levels of the places, and the range of values at each level of the closed set.
    pub(super) shape: &'s SetShape,
    /// The net that the questions are about.
    net: &'s Net,
    /// The nodes (value, down, right) that were built, numbered after those of the set.
    pub(super) built: Vec<(u64, u32, u32)>,
    /// The length of the vectors of each built node.
    pub(super) heights: Vec<u32>,
    /// The numbers of the built nodes (value, down, right), so that equal nodes are built once.
    /// Nodes of the set may have entries, too.
    pub(super) numbers: HashMap<(u64, u32, u32), u32>,
    /// The maximum number of built nodes, and of values that one call of `build` processes.
    max_nodes: usize,
    /// The clock for `goes_on`.
    clock: Clock<'g>,
}

impl<'s, 'g> NodeStore<'s, 'g> {
    pub(super) fn new(
        set: &'s ClosedSet,
        shape: &'s SetShape,
        net: &'s Net,
        goes_on: &'g mut dyn FnMut() -> bool,
    ) -> Self {
        let (built, heights, numbers) = (Vec::new(), Vec::new(), HashMap::new());
        let max_nodes = MAX_NODES.0 + MAX_NODES.1 * set.nodes.len();
        NodeStore {
            set,
            shape,
            net,
            built,
            heights,
            numbers,
            max_nodes,
            clock: Clock::new(goes_on),
        }
    }
}

impl NodeStore<'_, '_> {
    /// Returns the node with this number, which is at least 2.
    fn node(&self, number: u32) -> (u64, u32, u32) {
        let index = number as usize - 2;
        match index.checked_sub(self.set.nodes.len()) {
            None => self.set.nodes[index],
            Some(index) => self.built[index],
        }
    }

    /// Iterates over the values of a node with their children, by ascending value.
    pub(super) fn children(&self, mut number: u32) -> impl Iterator<Item = (u64, u32)> {
        std::iter::from_fn(move || {
            let (value, down, right) = (number > 1).then(|| self.node(number))?;
            number = right;
            Some((value, down))
        })
    }

    /// Returns the members of `set` that satisfy a predicate. Sets are numbers of nodes, and 0 is
    /// the empty set.
    pub(super) fn satisfying(&mut self, set: u32, predicate: &Predicate) -> Result<u32, Flaw> {
        match predicate {
            _ if set == 0 => Ok(0),
            Predicate::True => Ok(set),
            Predicate::False => Ok(0),
            Predicate::Atom(atom) => self.atom(set, atom),
            Predicate::Enabled(t) => self.enabling(set, *t, true),
            Predicate::Disabled(t) => self.enabling(set, *t, false),
            Predicate::Dead => {
                let every_transition = self.net.transitions();
                every_transition.into_iter().try_fold(set, |set, t| self.enabling(set, t, false))
            }
            Predicate::NotDead => {
                let every_transition = self.net.transitions();
                every_transition.into_iter().try_fold(0, |so_far, t| {
                    let more = self.enabling(set, t, true)?;
                    self.union(so_far, more)
                })
            }
            Predicate::And(parts) => {
                // Process disjunctions last: the other parts leave fewer members.
                let (plain, disjunctions): (Vec<_>, Vec<_>) =
                    parts.iter().partition(|part| !matches!(part, Predicate::Or(_)));
                let mut ordered_parts = plain.into_iter().chain(disjunctions);
                ordered_parts.try_fold(set, |set, part| self.satisfying(set, part))
            }
            Predicate::Or(parts) => parts.iter().try_fold(0, |so_far, part| {
                let more = self.satisfying(set, part)?;
                self.union(so_far, more)
            }),
        }
    }

    /// Returns the members of `set` that enable `t`, or the members that disable `t` if `enabled`
    /// is false.
    fn enabling(&mut self, set: u32, t: TransitionId, enabled: bool) -> Result<u32, Flaw> {
        let (net, shape) = (self.net, self.shape);
        let mut needs: Vec<(usize, u64)> =
            net.pre(t).iter().map(|arc| (shape.level_of[arc.place.index()], arc.weight)).collect();
        needs.sort_unstable();
        let Some(&(last_level, _)) = needs.last() else { return Ok(if enabled { set } else { 0 }) };
        if set == 0 {
            return Ok(0);
        }
        self.build(set, |store, level, node, values| {
            let need = needs.binary_search_by_key(&level, |need| need.0);
            let need = need.ok().map(|need_index| needs[need_index].1);
            for (value, down) in store.children(node) {
                match need {
                    // The value disables `t`, whatever the remaining values are.
                    Some(need) if value < need => {
                        if !enabled {
                            values.push((value, PartChild::Node(down)));
                        }
                    }
                    _ if level == last_level => {
                        if enabled {
                            values.push((value, PartChild::Node(down)));
                        }
                    }
                    _ => values.push((value, PartChild::Part(down))),
                }
            }
            Ok(())
        })
    }

    /// Returns the members of `set` that satisfy an atom.
    fn atom(&mut self, set: u32, atom: &Atom) -> Result<u32, Flaw> {
        let weights = terms_by_level(self.shape, atom);
        let bound = i128::from(atom.bound);
        let ranges = self.ranges(&weights)?;
        let add = |a: i128, b: i128| a.checked_add(b).ok_or(Flaw::Overflow);
        match ranges[set as usize] {
            (_, max_sum) if max_sum <= bound => return Ok(set),
            (min_sum, _) if min_sum > bound => return Ok(0),
            _ => {}
        }
        self.build((set, 0i128), |store, level, (node, sum), values| {
            let term = weights.binary_search_by_key(&level, |term| term.0);
            let weight = term.map_or(0, |index| weights[index].1);
            for (value, down) in store.children(node) {
                let sum = add(sum, i128::from(weight) * i128::from(value))?;
                let (min_sum, max_sum) = ranges[down as usize];
                if add(sum, max_sum)? <= bound {
                    values.push((value, PartChild::Node(down)));
                } else if add(sum, min_sum)? <= bound {
                    values.push((value, PartChild::Part((down, sum))));
                }
            }
            Ok(())
        })
    }

    /// Returns the smallest and the largest weighted sum of the vectors of each node, by node
    /// number.
    fn ranges(&mut self, weights: &[(usize, i64)]) -> Result<Vec<(i128, i128)>, Flaw> {
        let levels = self.shape.level_of.len();
        let mut weight_at = vec![0i64; levels + 1];
        weights.iter().for_each(|&(level, weight)| weight_at[level] = weight);
        let mut ranges: Vec<(i128, i128)> = vec![(0, 0), (0, 0)];
        let nodes = self.set.nodes.iter().chain(&self.built);
        let heights = self.shape.heights[2..].iter().chain(&self.heights);
        for (&(value, down, right), &height) in nodes.zip(heights) {
            self.clock.tick().map_err(flaw)?;
            let level = levels.checked_sub(height as usize).unwrap_or(levels);
            let own = i128::from(weight_at[level]) * i128::from(value);
            let (min_sum, max_sum) = ranges[down as usize];
            let mut range = (own.checked_add(min_sum), own.checked_add(max_sum));
            if right > 1 {
                let (min_sum, max_sum) = ranges[right as usize];
                range = (range.0.map(|a| a.min(min_sum)), range.1.map(|b| b.max(max_sum)));
            }
            match range {
                (Some(min_sum), Some(max_sum)) => ranges.push((min_sum, max_sum)),
                _ => return Err(Flaw::Overflow),
            }
        }
        Ok(ranges)
    }

    /// Returns the union of two sets.
    pub(super) fn union(&mut self, a: u32, b: u32) -> Result<u32, Flaw> {
        if a == 0 || b == 0 || a == b {
            return Ok(a.max(b));
        }
        self.build((a, b), |store, _, (a, b), values| {
            let (mut of_a, mut of_b) = (store.children(a).peekable(), store.children(b).peekable());
            loop {
                let order = match (of_a.peek(), of_b.peek()) {
                    (None, None) => return Ok(()),
                    (Some(a), Some(b)) => a.0.cmp(&b.0),
                    (Some(_), None) => std::cmp::Ordering::Less,
                    (None, Some(_)) => std::cmp::Ordering::Greater,
                };
                let from_a = order.is_le().then(|| of_a.next()).flatten();
                let from_b = order.is_ge().then(|| of_b.next()).flatten();
                values.extend(match (from_a, from_b) {
                    (Some((value, a)), Some((_, b))) if a != b => {
                        Some((value, PartChild::Part((a, b))))
                    }
                    (Some((value, child)), _) | (_, Some((value, child))) => {
                        Some((value, PartChild::Node(child)))
                    }
                    (None, None) => None,
                });
            }
        })
    }

    /// Builds the set that the part `top` of the first level defines, and returns its node number.
    /// The closure `children` appends the children of a part at a level, by ascending value. It is
    /// called level by level from the top.
    pub(super) fn build<S: Copy + Eq + Hash>(
        &mut self,
        top: S,
        mut children: impl FnMut(&Self, usize, S, &mut PartChildren<S>) -> Result<(), Flaw>,
    ) -> Result<u32, Flaw> {
        /// A child of a part: a node, or the number of a part of the next level.
        enum ChildEntry {
            Node(u64, u32),
            Part(u64, usize),
        }
        // For each level, the entries of all parts, and the index of each part's first entry.
        let mut levels: Vec<(Vec<usize>, Vec<ChildEntry>)> = Vec::new();
        let mut parts = vec![top];
        let (mut values, mut entry_count) = (Vec::new(), 0);
        while !parts.is_empty() {
            let level = levels.len();
            let mut numbers: HashMap<S, usize> = HashMap::new();
            let mut next_parts = Vec::new();
            let (mut starts, mut entries) = (Vec::with_capacity(parts.len() + 1), Vec::new());
            for &part in &parts {
                starts.push(entries.len());
                children(self, level, part, &mut values)?;
                if entry_count + entries.len() + values.len() > self.max_nodes {
                    return Err(too_large());
                }
                for (value, child) in values.drain(..) {
                    self.clock.tick().map_err(flaw)?;
                    entries.push(match child {
                        PartChild::Node(node) => ChildEntry::Node(value, node),
                        PartChild::Part(part) => {
                            let number = *numbers.entry(part).or_insert_with(|| {
                                next_parts.push(part);
                                next_parts.len() - 1
                            });
                            ChildEntry::Part(value, number)
                        }
                    });
                }
            }
            starts.push(entries.len());
            entry_count += entries.len();
            levels.push((starts, entries));
            parts = next_parts;
        }
        // The nodes built for the parts of the next lower level, by the part's number.
        let mut nodes_below: Vec<u32> = Vec::new();
        for (starts, entries) in levels.iter().rev() {
            let mut nodes_here = Vec::with_capacity(starts.len() - 1);
            for range in starts.windows(2) {
                let mut right = 0;
                for entry in entries[range[0]..range[1]].iter().rev() {
                    self.clock.tick().map_err(flaw)?;
                    let (value, down) = match *entry {
                        ChildEntry::Node(value, node) => (value, node),
                        ChildEntry::Part(value, number) => (value, nodes_below[number]),
                    };
                    right = self.add_node(value, down, right)?;
                }
                nodes_here.push(right);
            }
            nodes_below = nodes_here;
        }
        Ok(nodes_below[0])
    }

    /// Returns the number of the node (value, down, right), or `right` itself if `down` is empty.
    fn add_node(&mut self, value: u64, down: u32, right: u32) -> Result<u32, Flaw> {
        if down == 0 {
            return Ok(right);
        }
        let next_number = self.set.nodes.len() + self.built.len() + 2;
        let number = *self.numbers.entry((value, down, right)).or_insert(next_number as u32);
        if number as usize == next_number {
            if self.built.len() >= self.max_nodes || next_number >= u32::MAX as usize {
                return Err(too_large());
            }
            let height = self.height(down) + 1;
            self.built.push((value, down, right));
            self.heights.push(height);
        }
        Ok(number)
    }

    /// Returns the length of the vectors of a node.
    fn height(&self, number: u32) -> u32 {
        match (number as usize).checked_sub(self.shape.heights.len()) {
            None => self.shape.heights[number as usize],
            Some(index) => self.heights[index],
        }
    }
}

/// Converts the only flaw of the clock, that the check was stopped.
fn flaw(_: ClosedSetFlaw) -> Flaw {
    Flaw::Stopped
}

/// Returns the error that a set needs too many nodes.
pub(super) fn too_large() -> Flaw {
    Flaw::TooLarge("too many nodes".to_owned())
}
