//! A set of markings that no firing leaves, given as a diagram: every reachable marking is in it.
//!
//! ```text
//! node k:  (value, down, right)     ⟦k⟧ = { value·w | w ∈ ⟦down⟧ } ∪ ⟦right⟧     ⟦0⟧ = ∅     ⟦1⟧ = { () }
//! ```
//!
//! Nodes come in the order in which they refer to each other, so one pass finds how long the
//! vectors of each are, how many there are, and how much they sum up to at most. Values grow to the
//! right, so that a vector is found along one way only, and is counted once.
//!
//! As a document: `order` has the places from the top, node 2 is the first of `nodes`.
//!
//! ```json
//! {"closed_set": {"order": ["p", "q"], "nodes": [[0, 1, 0], [1, 1, 0], [1, 2, 0], [0, 3, 4]], "root": 5}}
//! ```
//!
//! says that there are no markings but (p, q) = (0, 1) and (1, 0).
//!
//! # Soundness
//! The initial marking is a member, and whatever a transition makes of a member is one (`closure`):
//! by induction, every reachable marking is. So there are no more of them than members, and what no
//! member satisfies (`members`), none of them does. The converse is not shown here: a closed set
//! may have members that cannot be reached.
//!
//! A formula of CTL speaks of what comes after the initial marking, which are members, and of
//! what comes after these; so it is true of the initial marking in the set exactly where it is
//! in the net (`branching`).
//!
//! # Cost
//! Memory and time in proportion to the nodes for what is asked of single sums. Closure asks for
//! transitions times pairs of nodes that lie on their ways, mostly about as many as nodes between
//! the first and the last place of each.

mod branching;
mod closure;
mod members;
mod steps;

pub use super::flaw::ClosedSetFlaw;
use super::{Flaw, check_names};
use members::Shape;
use num_bigint::BigUint;
use parikh_net::{LinearSum, Net, PlaceId, Predicate, TransitionId, TreeProperty};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// A diagram over the places of a net, as it was found or read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClosedSet<P = PlaceId> {
    /// The place of each number of a vector, from the top.
    pub order: Vec<P>,
    /// Nodes (value, down, right) from number 2 on, each after those that it refers to.
    pub nodes: Vec<(u64, u32, u32)>,
    /// The node whose vectors are meant.
    pub root: u32,
}

/// A set that was checked.
#[derive(Debug)]
pub struct CheckedClosedSet<'s> {
    set: &'s ClosedSet,
    shape: Shape,
}

/// Steps between two questions whether to go on.
const STEPS: u32 = 1 << 12;

/// Asks now and then whether to go on.
struct Clock<'g> {
    steps: u32,
    goes_on: &'g mut dyn FnMut() -> bool,
}

impl<'g> Clock<'g> {
    fn new(goes_on: &'g mut dyn FnMut() -> bool) -> Self {
        Clock { steps: 0, goes_on }
    }

    fn tick(&mut self) -> Result<(), ClosedSetFlaw> {
        self.steps = self.steps.wrapping_add(1);
        match self.steps.is_multiple_of(STEPS) && !(self.goes_on)() {
            true => Err(ClosedSetFlaw::Work),
            false => Ok(()),
        }
    }
}

impl ClosedSet {
    /// Whether it holds every reachable marking of `net`. Asks now and then whether to go on.
    ///
    /// # Errors
    /// Why not, or [`ClosedSetFlaw::Work`].
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
        Ok(CheckedClosedSet { set: self, shape: Shape::new(self, level_of, heights) })
    }

    /// How long the vectors of each node are.
    fn heights(&self, clock: &mut Clock<'_>) -> Result<Vec<u32>, ClosedSetFlaw> {
        let mut heights: Vec<u32> = vec![0, 0];
        for (at, &(value, down, right)) in self.nodes.iter().enumerate() {
            clock.tick()?;
            let flaw = ClosedSetFlaw::Node(at + 2);
            let Some(&below) = heights.get(down as usize).filter(|_| down > 0) else {
                return Err(flaw);
            };
            let in_order = match right {
                0 => true,
                1 => false,
                _ => {
                    let height = heights.get(right as usize);
                    height == Some(&(below + 1)) && value < self.node(right).0
                }
            };
            if !in_order {
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
    /// There are no more reachable markings than this.
    pub fn markings(&self) -> BigUint {
        let mut counts: Vec<BigUint> = vec![BigUint::ZERO, BigUint::from(1u8)];
        for &(_, down, right) in &self.set.nodes {
            counts.push(&counts[down as usize] + &counts[right as usize]);
        }
        counts[self.set.root as usize].clone()
    }

    /// No reachable marking has a larger sum than this; `None` where it does not fit 127 bits.
    pub fn most(&self, sum: &LinearSum) -> Option<i128> {
        let weight: HashMap<PlaceId, i64> = sum.terms().iter().copied().collect();
        let mut lengths: Vec<usize> = vec![0, 0];
        let mut most: Vec<i128> = vec![i128::MIN, 0];
        for &(value, down, right) in &self.set.nodes {
            let length = lengths[down as usize] + 1;
            // The vectors of a node are the ends of markings.
            let place = self.set.order.len().checked_sub(length).map(|level| self.set.order[level]);
            let weight = place.and_then(|place| weight.get(&place)).copied().unwrap_or(0);
            let own = i128::from(weight).checked_mul(i128::from(value))?;
            most.push(own.checked_add(most[down as usize])?.max(most[right as usize]));
            lengths.push(length);
        }
        Some(most[self.set.root as usize])
    }

    /// Accepts that no reachable marking satisfies `predicate`, whose nodes exist, if no member
    /// does.
    ///
    /// # Errors
    /// [`Flaw::DoesNotFollow`] where one does; [`Flaw::Stopped`], [`Flaw::Overflow`] or
    /// [`Flaw::TooLarge`] where that is not known.
    pub fn refutes(
        &self,
        net: &Net,
        predicate: &Predicate,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<(), Flaw> {
        match members::any(self.set, &self.shape, net, predicate, goes_on)? {
            true => Err(Flaw::DoesNotFollow),
            false => Ok(()),
        }
    }

    /// Whether the tree of runs has a property, whose nodes exist.
    ///
    /// # Errors
    /// [`Flaw::Stopped`], [`Flaw::Overflow`] or [`Flaw::TooLarge`] where that is not known.
    pub fn tree(
        &self,
        net: &Net,
        property: &TreeProperty,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<bool, Flaw> {
        branching::holds(self.set, &self.shape, net, property, goes_on)
    }

    /// Accepts that from every member firings lead to one that satisfies `target`, whose nodes
    /// exist, if the steps show it: backwards from those members, with each step (t, n) those are
    /// added that n firings of t lead from to what was there before; in the end these are all.
    ///
    /// # Errors
    /// As for [`refutes`](Self::refutes), and where a step is of no transition.
    pub fn leads_to(
        &self,
        net: &Net,
        target: &Predicate,
        steps: &[(TransitionId, u64)],
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<(), Flaw> {
        check_names(net, target)?;
        match steps::cover(self.set, &self.shape, net, target, steps, goes_on)? {
            true => Ok(()),
            false => Err(Flaw::DoesNotFollow),
        }
    }
}
