//! A set of markings that is closed under firing, given as a decision diagram. It contains every
//! reachable marking.
//!
//! ```text
//! node k:  (value, down, right)     ⟦k⟧ = { value·w | w ∈ ⟦down⟧ } ∪ ⟦right⟧     ⟦0⟧ = ∅     ⟦1⟧ = { () }
//! ```
//!
//! A node refers only to earlier nodes. So one pass computes the length of the vectors of each
//! node, their number, and the maximum of a sum over them. Values increase to the right, so each
//! vector has exactly one path and is counted once.
//!
//! In a document, `order` lists the places from the top, and node 2 is the first of `nodes`.
//!
//! ```json
//! {"closed_set": {"order": ["p", "q"], "nodes": [[0, 1, 0], [1, 1, 0], [1, 2, 0], [0, 3, 4]], "root": 5}}
//! ```
//!
//! says that there are no markings but (p, q) = (0, 1) and (1, 0).
//!
//! # Soundness
//! The initial marking is a member, and every successor of a member is a member (`closure`). By
//! induction every reachable marking is a member. So the number of members bounds the number of
//! reachable markings, and a predicate that no member satisfies (`members`) is unreachable. The
//! converse is not proved: a closed set may have unreachable members.
//!
//! A CTL formula at the initial marking depends only on that marking and its direct and indirect
//! successors, all of which are members. So the formula is true of the initial marking in the set
//! if and only if it is true in the net (`branching`).
//!
//! # Cost
//! Questions about single sums take memory and time proportional to the number of nodes. The check
//! of closure takes time proportional to the number of transitions times the number of visited
//! pairs of nodes. For each transition this is usually about the number of nodes between its first
//! and its last place.

mod branching;
mod closure;
mod members;
mod steps;

pub use super::flaw::ClosedSetFlaw;
use super::{Flaw, check_names};
use members::SetShape;
use num_bigint::BigUint;
use parikh_net::{LinearSum, Net, PlaceId, Predicate, TransitionId, TreeProperty};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// A decision diagram over the places of a net, as found or read. It is not yet checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClosedSet<P = PlaceId> {
    /// The place of each component of a vector, from the top level down.
    pub order: Vec<P>,
    /// The nodes (value, down, right), numbered from 2. `down` has the remaining components after
    /// the value, and `right` has the vectors with larger values. Node 0 is the empty set, and node
    /// 1 has only the empty vector. A node stands after the nodes that it refers to.
    pub nodes: Vec<(u64, u32, u32)>,
    /// The node of the whole set.
    pub root: u32,
}

/// A closed set that was checked to contain every reachable marking.
#[derive(Debug)]
pub struct CheckedClosedSet<'s> {
    set: &'s ClosedSet,
    shape: SetShape,
}

/// The number of steps between two calls of `goes_on`.
const POLL_INTERVAL: u32 = 1 << 12;

/// A counter of steps that calls `goes_on` regularly.
struct Clock<'g> {
    steps: u32,
    goes_on: &'g mut dyn FnMut() -> bool,
}

impl<'g> Clock<'g> {
    fn new(goes_on: &'g mut dyn FnMut() -> bool) -> Self {
        Clock { steps: 0, goes_on }
    }

    /// Counts a step. Returns an error if `goes_on` is called and returns false.
    fn tick(&mut self) -> Result<(), ClosedSetFlaw> {
        self.steps = self.steps.wrapping_add(1);
        match self.steps.is_multiple_of(POLL_INTERVAL) && !(self.goes_on)() {
            true => Err(ClosedSetFlaw::Work),
            false => Ok(()),
        }
    }
}

impl ClosedSet {
    /// Checks that the set contains every reachable marking of `net`. Calls `goes_on` regularly.
    ///
    /// # Errors
    /// The first condition found violated, or the exceeded limit on pairs of nodes;
    /// [`ClosedSetFlaw::Work`] when `goes_on` returns false.
    pub fn check(
        &self,
        net: &Net,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<CheckedClosedSet<'_>, ClosedSetFlaw> {
        let mut clock = Clock::new(goes_on);
        let mut levels: Vec<Option<usize>> = vec![None; net.place_count()];
        for (level, &place) in self.order.iter().enumerate() {
            match levels.get_mut(place.index()) {
                Some(free @ None) => *free = Some(level),
                _ => return Err(ClosedSetFlaw::Order),
            }
        }
        let level_of: Vec<usize> =
            levels.into_iter().collect::<Option<_>>().ok_or(ClosedSetFlaw::Order)?;
        let heights = self.heights(&mut clock)?;
        let initial: Vec<u64> = self.order.iter().map(|&place| net.initial()[place]).collect();
        if !self.contains(&initial) {
            return Err(ClosedSetFlaw::Initial);
        }
        self.check_closed(net, &level_of, &heights, &mut clock)?;
        Ok(CheckedClosedSet { set: self, shape: SetShape::new(self, level_of, heights) })
    }

    /// Checks that the nodes are in order, and that the vectors of the root have one value per
    /// place. Returns the length of the vectors of each node, by node number.
    fn heights(&self, clock: &mut Clock<'_>) -> Result<Vec<u32>, ClosedSetFlaw> {
        let mut heights: Vec<u32> = vec![0, 0];
        for (index, &(value, down, right)) in self.nodes.iter().enumerate() {
            clock.tick()?;
            let flaw = ClosedSetFlaw::Node(index + 2);
            let Some(&below) = heights.get(down as usize).filter(|_| down > 0) else {
                return Err(flaw);
            };
            let is_in_order = match right {
                0 => true,
                1 => false,
                _ => {
                    let height = heights.get(right as usize);
                    height == Some(&(below + 1)) && value < self.node(right).0
                }
            };
            if !is_in_order {
                return Err(flaw);
            }
            heights.push(below + 1);
        }
        let height = heights.get(self.root as usize).filter(|_| self.root > 0);
        match height.is_some_and(|&height| height as usize == self.order.len()) {
            true => Ok(heights),
            false => Err(ClosedSetFlaw::Root),
        }
    }

    /// Returns the node (value, down, right) with this number, which is at least 2.
    fn node(&self, number: u32) -> (u64, u32, u32) {
        self.nodes[number as usize - 2]
    }

    fn contains(&self, vector: &[u64]) -> bool {
        let mut number = self.root;
        for &value in vector {
            while number > 1 && self.node(number).0 < value {
                number = self.node(number).2;
            }
            match number > 1 && self.node(number).0 == value {
                true => number = self.node(number).1,
                false => return false,
            }
        }
        number == 1
    }
}

impl CheckedClosedSet<'_> {
    /// Returns the number of members, an upper bound on the number of reachable markings.
    pub fn markings(&self) -> BigUint {
        let mut counts: Vec<BigUint> = vec![BigUint::ZERO, BigUint::from(1u8)];
        for &(_, down, right) in &self.set.nodes {
            counts.push(&counts[down as usize] + &counts[right as usize]);
        }
        counts[self.set.root as usize].clone()
    }

    /// Returns the maximum of a sum over the members, an upper bound for all reachable markings.
    /// Returns `None` if a number overflows `i128`.
    pub fn maximum(&self, sum: &LinearSum) -> Option<i128> {
        let weight: HashMap<PlaceId, i64> = sum.terms().iter().copied().collect();
        let mut lengths: Vec<usize> = vec![0, 0];
        let mut max_sums: Vec<i128> = vec![i128::MIN, 0];
        for &(value, down, right) in &self.set.nodes {
            let length = lengths[down as usize] + 1;
            // The vectors of a node are suffixes of markings.
            let place = self.set.order.len().checked_sub(length).map(|level| self.set.order[level]);
            let weight = place.and_then(|place| weight.get(&place)).copied().unwrap_or(0);
            let own = i128::from(weight).checked_mul(i128::from(value))?;
            max_sums.push(own.checked_add(max_sums[down as usize])?.max(max_sums[right as usize]));
            lengths.push(length);
        }
        Some(max_sums[self.set.root as usize])
    }

    /// Checks that no member satisfies `predicate`, and so no reachable marking does. The places
    /// and transitions of `predicate` must exist.
    ///
    /// # Errors
    /// [`Flaw::DoesNotFollow`] if a member satisfies `predicate`; [`Flaw::Stopped`],
    /// [`Flaw::Overflow`] or [`Flaw::TooLarge`] if the check cannot decide it.
    pub fn refutes(
        &self,
        net: &Net,
        predicate: &Predicate,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<(), Flaw> {
        match members::has_member(self.set, &self.shape, net, predicate, goes_on)? {
            true => Err(Flaw::DoesNotFollow),
            false => Ok(()),
        }
    }

    /// Decides whether a branching-time property is true in the initial marking. The places and
    /// transitions of the property must exist.
    ///
    /// # Errors
    /// [`Flaw::Stopped`], [`Flaw::Overflow`] or [`Flaw::TooLarge`] if the check cannot decide it.
    pub fn decide_tree(
        &self,
        net: &Net,
        property: &TreeProperty,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<bool, Flaw> {
        branching::holds(self.set, &self.shape, net, property, goes_on)
    }

    /// Checks that from every member some firing sequence leads to a member that satisfies
    /// `target`, by a backward search along `steps`. The search begins with the members that
    /// satisfy `target`. Each step (t, n) adds the members from which n firings of t lead into the
    /// set found so far. After the last step, the set must contain all members.
    ///
    /// # Errors
    /// [`Flaw::DoesNotFollow`] if the set after the last step is not shown to contain all members.
    /// An error if `target` or a step has an unknown place or transition. [`Flaw::Stopped`],
    /// [`Flaw::Overflow`] or [`Flaw::TooLarge`] if the check cannot decide it.
    pub fn leads_to(
        &self,
        net: &Net,
        target: &Predicate,
        steps: &[(TransitionId, u64)],
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<(), Flaw> {
        check_names(net, target)?;
        match steps::covers(self.set, &self.shape, net, target, steps, goes_on)? {
            true => Ok(()),
            false => Err(Flaw::DoesNotFollow),
        }
    }
}
