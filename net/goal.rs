//! Goals: the three questions that every examination is turned into.

use crate::id::PlaceId;
use crate::net::Net;
use crate::predicate::Predicate;
use crate::sum::LinearSum;
use std::fmt;

/// What is asked of the reachable markings of a net.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Goal {
    /// Is there a reachable marking that satisfies this?
    Reach(Predicate),
    /// What is the largest value of this over the reachable markings?
    Maximise(LinearSum),
    /// Does this stay reachable wherever the net goes? Is it true that from every reachable marking a
    /// marking can be reached that satisfies this: are these markings a home space (AG EF)?
    Home(Predicate),
}

impl Goal {
    /// The places whose tokens matter to the goal, ascending. Everything that reads enabledness
    /// counts with the input places of the transitions it mentions.
    pub fn support(&self, net: &Net) -> Vec<PlaceId> {
        match self {
            Goal::Reach(predicate) | Goal::Home(predicate) => predicate.support(net),
            Goal::Maximise(sum) => sum.terms().iter().map(|&(place, _)| place).collect(),
        }
    }
}

/// A goal's position in the list it was handed over in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GoalId(u32);

impl GoalId {
    /// The id of the goal at `index`.
    ///
    /// # Panics
    /// When `index` exceeds `u32::MAX`; there is at most one goal per node or formula.
    pub fn new(index: usize) -> Self {
        GoalId(u32::try_from(index).expect("at most one goal per node or formula"))
    }

    /// Its position, from 0.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for GoalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "goal {}", self.0)
    }
}
