//! Goals: the five questions that every examination is turned into.

use crate::id::PlaceId;
use crate::net::Net;
use crate::predicate::Predicate;
use crate::run_property::RunProperty;
use crate::sum::LinearSum;
use crate::tree_property::TreeProperty;
use std::fmt;

/// What is asked of the reachable markings of a net, or of its runs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Goal {
    /// Is there a reachable marking that satisfies this?
    Reach(Predicate),
    /// What is the largest value of this over the reachable markings?
    Maximise(LinearSum),
    /// Does this stay reachable wherever the net goes? Is it true that from every reachable marking a
    /// marking can be reached that satisfies this: are these markings a home space (AG EF)?
    Home(Predicate),
    /// Is there a run with this property? A formula of LTL says that no run violates it.
    Run(Box<RunProperty>),
    /// Does the tree of runs from the initial marking have this property, a formula of CTL?
    Tree(Box<TreeProperty>),
}

/// The five kinds of goals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Of a [`Goal::Reach`].
    Reach,
    /// Of a [`Goal::Maximise`].
    Maximise,
    /// Of a [`Goal::Home`].
    Home,
    /// Of a [`Goal::Run`].
    Run,
    /// Of a [`Goal::Tree`].
    Tree,
}

impl Goal {
    /// Its kind.
    pub fn kind(&self) -> Kind {
        match self {
            Goal::Reach(_) => Kind::Reach,
            Goal::Maximise(_) => Kind::Maximise,
            Goal::Home(_) => Kind::Home,
            Goal::Run(_) => Kind::Run,
            Goal::Tree(_) => Kind::Tree,
        }
    }

    /// The places whose tokens matter to the goal, ascending. Everything that reads enabledness
    /// counts with the input places of the transitions it mentions.
    pub fn support(&self, net: &Net) -> Vec<PlaceId> {
        match self {
            Goal::Reach(predicate) | Goal::Home(predicate) => predicate.support(net),
            Goal::Maximise(sum) => sum.terms().iter().map(|&(place, _)| place).collect(),
            Goal::Run(property) => property.support(net),
            Goal::Tree(property) => property.support(net),
        }
    }
}

/// A goal about single markings: what a search can see in a marking.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MarkingGoal {
    /// As [`Goal::Reach`].
    Reach(Predicate),
    /// As [`Goal::Maximise`].
    Maximise(LinearSum),
}

impl MarkingGoal {
    /// Its kind.
    pub fn kind(&self) -> Kind {
        match self {
            MarkingGoal::Reach(_) => Kind::Reach,
            MarkingGoal::Maximise(_) => Kind::Maximise,
        }
    }

    /// As [`Goal::support`].
    pub fn support(&self, net: &Net) -> Vec<PlaceId> {
        match self {
            MarkingGoal::Reach(predicate) => predicate.support(net),
            MarkingGoal::Maximise(sum) => sum.terms().iter().map(|&(place, _)| place).collect(),
        }
    }
}

impl From<MarkingGoal> for Goal {
    fn from(goal: MarkingGoal) -> Goal {
        match goal {
            MarkingGoal::Reach(predicate) => Goal::Reach(predicate),
            MarkingGoal::Maximise(sum) => Goal::Maximise(sum),
        }
    }
}

/// Goals by their kinds.
#[derive(Clone, Debug, Default)]
pub struct SortedGoals {
    /// Those about single markings, in their order.
    pub markings: Vec<(GoalId, MarkingGoal)>,
    /// What is to stay reachable, in their order.
    pub homes: Vec<(GoalId, Predicate)>,
    /// The properties of runs, in their order.
    pub runs: Vec<(GoalId, RunProperty)>,
    /// The properties of the tree of runs, in their order.
    pub trees: Vec<(GoalId, TreeProperty)>,
}

impl FromIterator<(GoalId, Goal)> for SortedGoals {
    fn from_iter<T: IntoIterator<Item = (GoalId, Goal)>>(goals: T) -> Self {
        let mut sorted = SortedGoals::default();
        for (id, goal) in goals {
            match goal {
                Goal::Reach(predicate) => sorted.markings.push((id, MarkingGoal::Reach(predicate))),
                Goal::Maximise(sum) => sorted.markings.push((id, MarkingGoal::Maximise(sum))),
                Goal::Home(wanted) => sorted.homes.push((id, wanted)),
                Goal::Run(property) => sorted.runs.push((id, *property)),
                Goal::Tree(property) => sorted.trees.push((id, *property)),
            }
        }
        sorted
    }
}

/// Those of `goals` that are about single markings.
pub fn marking_goals(goals: &[(GoalId, Goal)]) -> Vec<(GoalId, MarkingGoal)> {
    goals.iter().cloned().collect::<SortedGoals>().markings
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
