//! A set of markings that no firing leaves, given as a diagram: every reachable marking is in it.
//!
//! ```text
//! node k:  (value, down, right)     ⟦k⟧ = { value·w | w ∈ ⟦down⟧ } ∪ ⟦right⟧     ⟦0⟧ = ∅     ⟦1⟧ = { () }
//! ```
//!
//! Nodes come in the order in which they refer to each other, so one pass finds how long the vectors of each are,
//! how many there are, and how much they sum up to at most. Values grow to the right, so that a vector is found along
//! one way only, and is counted once.
//!
//! # Soundness
//! The initial marking is a member, and whatever a transition makes of a member is one: by induction, every
//! reachable marking is. So there are no more of them than members, and what no member is, none of them is. The converse
//! is not shown here: a closed set may have members that cannot be reached.
//!
//! A transition leads out of the set if for some member that enables it the result is none. Instead of making the
//! results, two ways are gone side by side through the nodes: one for the member, and one for its result, in which
//! each value is moved by what the transition changes there. Where the second way ends, the first must hold
//! no vector that enables the rest. Each pair is looked at once per transition.
//!
//! # Cost
//! Transitions times pairs of nodes that lie on these ways, mostly about as many as nodes.

use num_bigint::BigUint;
use parikh_net::{LinearSum, Net, PlaceId, TransitionId};
use std::collections::{HashMap, HashSet};

/// A diagram over the places of a net, as it was found or read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClosedSet {
    /// The place of each number of a vector, from the top.
    pub order: Vec<PlaceId>,
    /// Nodes (value, down, right) from number 2 on, each after those that it refers to.
    pub nodes: Vec<(u64, u32, u32)>,
    /// The node whose vectors are meant.
    pub root: u32,
}

/// Why a diagram shows nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClosedSetFlaw {
    /// A place has no level, or two.
    #[error("the order is not one of all places of the net")]
    Order,
    /// A node refers to none before it, or to one of another length, or its values do not grow.
    #[error("node {0} is not in order")]
    Node(usize),
    /// The root's vectors are no markings.
    #[error("the root is no node of the top level")]
    Root,
    /// The initial marking is missing.
    #[error("the initial marking is not in the set")]
    Initial,
    /// A firing leads out of it.
    #[error("firing a transition leads out of the set")]
    Leaves(TransitionId),
    /// It would take too long.
    #[error("more work than was allowed")]
    Work,
}

/// A set that was checked.
#[derive(Debug)]
pub struct CheckedClosedSet<'s> {
    set: &'s ClosedSet,
}

impl ClosedSet {
    /// Whether it holds every reachable marking of `net`, in at most so many steps.
    ///
    /// # Errors
    /// Why not, or why that is not known.
    pub fn check(&self, net: &Net, mut work: u64) -> Result<CheckedClosedSet<'_>, ClosedSetFlaw> {
        let mut level_of: HashMap<PlaceId, usize> = HashMap::new();
        for (level, &place) in self.order.iter().enumerate() {
            if place.index() >= net.place_count() || level_of.insert(place, level).is_some() {
                return Err(ClosedSetFlaw::Order);
            }
        }
        if level_of.len() != net.place_count() {
            return Err(ClosedSetFlaw::Order);
        }
        self.check_nodes()?;
        let initial: Vec<u64> = self.order.iter().map(|&place| net.initial()[place]).collect();
        if !self.contains(&initial) {
            return Err(ClosedSetFlaw::Initial);
        }
        for t in net.transitions() {
            // What is needed and what is changed at each level that is touched.
            let mut touched: HashMap<usize, (u64, i64)> = HashMap::new();
            for arc in net.pre(t) {
                let touch = touched.entry(level_of[&arc.place]).or_default();
                *touch = (touch.0 + arc.weight, touch.1 - arc.weight as i64);
            }
            for arc in net.post(t) {
                touched.entry(level_of[&arc.place]).or_default().1 += arc.weight as i64;
            }
            let mut touched: Vec<(usize, u64, i64)> =
                touched.into_iter().map(|(level, (pre, change))| (level, pre, change)).collect();
            touched.sort_unstable();
            let mut ways = Ways { set: self, touched: &touched, seen: HashSet::new(), work };
            match ways.stay(self.root, self.root) {
                Some(true) => work = ways.work,
                Some(false) => return Err(ClosedSetFlaw::Leaves(t)),
                None => return Err(ClosedSetFlaw::Work),
            }
        }
        Ok(CheckedClosedSet { set: self })
    }

    fn check_nodes(&self) -> Result<(), ClosedSetFlaw> {
        let mut lengths: Vec<usize> = vec![0, 0];
        for (at, &(value, down, right)) in self.nodes.iter().enumerate() {
            let flaw = ClosedSetFlaw::Node(at + 2);
            let Some(&below) = lengths.get(down as usize).filter(|_| down > 0) else {
                return Err(flaw);
            };
            let in_order = match right {
                0 => true,
                1 => false,
                _ => {
                    lengths.get(right as usize) == Some(&(below + 1)) && value < self.node(right).0
                }
            };
            if !in_order {
                return Err(flaw);
            }
            lengths.push(below + 1);
        }
        match self.root > 0 && lengths.get(self.root as usize) == Some(&self.order.len()) {
            true => Ok(()),
            false => Err(ClosedSetFlaw::Root),
        }
    }

    fn node(&self, number: u32) -> (u64, u32, u32) {
        self.nodes[number as usize - 2]
    }

    /// What is below `value` in the chain that begins at a node; 0 where nothing is.
    fn below(&self, mut number: u32, value: u64) -> u32 {
        while number > 1 {
            let (here, down, right) = self.node(number);
            if here == value {
                return down;
            }
            number = right;
        }
        0
    }

    fn contains(&self, vector: &[u64]) -> bool {
        vector.iter().fold(self.root, |number, &value| self.below(number, value)) == 1
    }
}

/// The ways through the set that one transition asks for.
struct Ways<'s> {
    set: &'s ClosedSet,
    /// Level, tokens needed, change; ascending.
    touched: &'s [(usize, u64, i64)],
    /// Pairs that are fine, each with how long its vectors are below the root's.
    seen: HashSet<(u32, u32)>,
    work: u64,
}

impl Ways<'_> {
    /// Whether what the transition makes of members below `from` is below `to`; `None` without work left.
    fn stay(&mut self, from: u32, to: u32) -> Option<bool> {
        // On a stack of its own: nets have as many levels as places. A pair knows its level, as equal nodes do.
        let mut open = vec![(0usize, 0usize, from, to)];
        while let Some((level, position, from, to)) = open.pop() {
            let rest = &self.touched[position..];
            if from == 0 || rest.is_empty() && from == to || !self.seen.insert((from, to)) {
                continue;
            }
            if from == 1 {
                return Some(false); // the empty vector is not in `to`, which is not 1
            }
            let touch = rest.first().filter(|touch| touch.0 == level);
            let next = position + usize::from(touch.is_some());
            let mut at = from;
            while at != 0 {
                self.work = self.work.checked_sub(1)?;
                let (value, down, right) = self.set.node(at);
                at = right;
                let moved = match touch {
                    Some(&(_, pre, _)) if value < pre => continue,
                    Some(&(_, _, change)) => value.checked_add_signed(change),
                    None => Some(value),
                };
                let to = moved.map_or(0, |moved| self.set.below(to, moved));
                if to != 0 {
                    open.push((level + 1, next, down, to));
                } else if self.enables(level + 1, next, down)? {
                    return Some(false);
                }
            }
        }
        Some(true)
    }

    /// Whether some vector of a node meets what is needed from `position` on.
    fn enables(&mut self, level: usize, position: usize, number: u32) -> Option<bool> {
        let mut seen: HashSet<u32> = HashSet::new();
        let mut open = vec![(level, position, number)];
        while let Some((level, position, number)) = open.pop() {
            if position == self.touched.len() {
                return Some(true); // no node but 0 is without a vector, and 0 is never below
            }
            if !seen.insert(number) {
                continue;
            }
            let touch = Some(self.touched[position]).filter(|touch| touch.0 == level);
            let mut at = number;
            while at > 1 {
                self.work = self.work.checked_sub(1)?;
                let (value, down, right) = self.set.node(at);
                at = right;
                if touch.is_none_or(|touch| value >= touch.1) {
                    open.push((level + 1, position + usize::from(touch.is_some()), down));
                }
            }
        }
        Some(false)
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
}
