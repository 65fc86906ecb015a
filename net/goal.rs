//! Goals: the five questions that every examination is turned into.

use crate::id::{PlaceId, TransitionId};
use crate::net::Net;
use crate::predicate::Predicate;
use crate::run_property::{RunAtom, RunProperty};
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
    /// Does this stay reachable wherever the net goes? Is it true that from every reachable marking
    /// a marking can be reached that satisfies this: are these markings a home space (AG EF)?
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

    /// What it says of single markings and firings, one part after the other.
    pub fn mentions(&self) -> Vec<Mention<'_>> {
        match self {
            Goal::Reach(predicate) | Goal::Home(predicate) => vec![Mention::Condition(predicate)],
            Goal::Maximise(sum) => vec![Mention::Sum(sum)],
            Goal::Tree(property) => property.atoms().iter().map(Mention::Condition).collect(),
            Goal::Run(property) => {
                fn mention(atom: &RunAtom) -> Mention<'_> {
                    match atom {
                        RunAtom::Holds(predicate) => Mention::Condition(predicate),
                        RunAtom::Fires(any) => Mention::Firings(any),
                    }
                }
                property.atoms().iter().map(mention).collect()
            }
        }
    }

    /// Whether it asks for more than what holds in single markings: for runs, or their tree.
    pub fn is_about_time(&self) -> bool {
        !matches!(self, Goal::Reach(_) | Goal::Maximise(_) | Goal::Home(_))
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

/// A part of what a goal speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mention<'g> {
    /// What a marking satisfies.
    Condition(&'g Predicate),
    /// What a marking is worth.
    Sum(&'g LinearSum),
    /// That one of these fires.
    Firings(&'g [TransitionId]),
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

impl SortedGoals {
    /// The goal of this id. Each list has its goals by ascending id.
    pub fn get(&self, id: GoalId) -> Option<Goal> {
        fn find<G>(goals: &[(GoalId, G)], id: GoalId) -> Option<&G> {
            goals.binary_search_by_key(&id, |(id, _)| *id).ok().map(|at| &goals[at].1)
        }
        find(&self.markings, id)
            .map(|goal| goal.clone().into())
            .or_else(|| find(&self.homes, id).map(|wanted| Goal::Home(wanted.clone())))
            .or_else(|| find(&self.runs, id).map(|it| Goal::Run(Box::new(it.clone()))))
            .or_else(|| find(&self.trees, id).map(|it| Goal::Tree(Box::new(it.clone()))))
    }

    /// The goals with these ids.
    #[must_use]
    pub fn only(&self, wanted: &[GoalId]) -> SortedGoals {
        fn some<G: Clone>(goals: &[(GoalId, G)], wanted: &[GoalId]) -> Vec<(GoalId, G)> {
            goals.iter().filter(|(id, _)| wanted.contains(id)).cloned().collect()
        }
        SortedGoals {
            markings: some(&self.markings, wanted),
            homes: some(&self.homes, wanted),
            runs: some(&self.runs, wanted),
            trees: some(&self.trees, wanted),
        }
    }

    /// The kinds of the goals, each with its goal.
    pub fn kinds(&self) -> impl Iterator<Item = (GoalId, Kind)> {
        let markings = self.markings.iter().map(|(id, goal)| (*id, goal.kind()));
        let homes = self.homes.iter().map(|(id, _)| (*id, Kind::Home));
        let runs = self.runs.iter().map(|(id, _)| (*id, Kind::Run));
        let trees = self.trees.iter().map(|(id, _)| (*id, Kind::Tree));
        markings.chain(homes).chain(runs).chain(trees)
    }
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
