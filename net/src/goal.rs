//! Goals: the five kinds of questions to which every examination is reduced.

use crate::id::{PlaceId, TransitionId};
use crate::net::Net;
use crate::predicate::Predicate;
use crate::run_property::{RunAtom, RunProperty};
use crate::sum::LinearSum;
use crate::tree_property::TreeProperty;
use std::fmt;

/// A question about the reachable markings of a net, or about its runs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Goal {
    /// Is a marking reachable that satisfies the predicate?
    Reach(Predicate),
    /// The largest value of the sum over the reachable markings.
    Maximise(LinearSum),
    /// Can a marking with the predicate be reached from every reachable marking? In other words: do
    /// these markings form a home space (AG EF)?
    Home(Predicate),
    /// Is there a run with the property? An LTL formula holds if no run violates it.
    Run(Box<RunProperty>),
    /// Does the tree of runs from the initial marking have the property, a CTL formula?
    Tree(Box<TreeProperty>),
}

/// The five kinds of goals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GoalKind {
    /// The kind of [`Goal::Reach`].
    Reach,
    /// The kind of [`Goal::Maximise`].
    Maximise,
    /// The kind of [`Goal::Home`].
    Home,
    /// The kind of [`Goal::Run`].
    Run,
    /// The kind of [`Goal::Tree`].
    Tree,
}

impl Goal {
    /// Returns the kind.
    pub fn kind(&self) -> GoalKind {
        match self {
            Goal::Reach(_) => GoalKind::Reach,
            Goal::Maximise(_) => GoalKind::Maximise,
            Goal::Home(_) => GoalKind::Home,
            Goal::Run(_) => GoalKind::Run,
            Goal::Tree(_) => GoalKind::Tree,
        }
    }

    /// Returns the conditions, sums and firings that the goal mentions. For goals about runs and
    /// trees, there is one per atom, in the order of the atoms.
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

    /// Returns true for [`Goal::Run`] and [`Goal::Tree`], whose properties use temporal operators.
    pub fn is_about_time(&self) -> bool {
        !matches!(self, Goal::Reach(_) | Goal::Maximise(_) | Goal::Home(_))
    }

    /// Returns the places whose tokens the goal reads, ascending. A test of a transition's
    /// enabledness reads the input places of the transition.
    pub fn support(&self, net: &Net) -> Vec<PlaceId> {
        match self {
            Goal::Reach(predicate) | Goal::Home(predicate) => predicate.support(net),
            Goal::Maximise(sum) => sum.terms().iter().map(|&(place, _)| place).collect(),
            Goal::Run(property) => property.support(net),
            Goal::Tree(property) => property.support(net),
        }
    }
}

/// A statement of a goal about a marking or a firing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mention<'g> {
    /// A predicate on markings.
    Condition(&'g Predicate),
    /// A sum of tokens.
    Sum(&'g LinearSum),
    /// The firing of one of these transitions.
    Firings(&'g [TransitionId]),
}

/// A goal that an explicit search decides by looking at each reachable marking by itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MarkingGoal {
    /// The same as [`Goal::Reach`].
    Reach(Predicate),
    /// The same as [`Goal::Maximise`].
    Maximise(LinearSum),
}

impl MarkingGoal {
    /// Returns the kind.
    pub fn kind(&self) -> GoalKind {
        match self {
            MarkingGoal::Reach(_) => GoalKind::Reach,
            MarkingGoal::Maximise(_) => GoalKind::Maximise,
        }
    }

    /// Returns the places whose tokens the goal reads, ascending, as [`Goal::support`] does.
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

/// Goals grouped by kind.
#[derive(Clone, Debug, Default)]
pub struct SortedGoals {
    /// Goals about single markings, in the order in which they were added.
    pub markings: Vec<(GoalId, MarkingGoal)>,
    /// The predicates of home-space goals, in the order in which they were added.
    pub homes: Vec<(GoalId, Predicate)>,
    /// The properties of goals about runs, in the order in which they were added.
    pub runs: Vec<(GoalId, RunProperty)>,
    /// The properties of goals about the tree of runs, in the order in which they were added.
    pub trees: Vec<(GoalId, TreeProperty)>,
}

impl SortedGoals {
    /// Returns the goal with this id. Requires that each list is sorted by id.
    pub fn get(&self, id: GoalId) -> Option<Goal> {
        fn find<G>(goals: &[(GoalId, G)], id: GoalId) -> Option<&G> {
            goals.binary_search_by_key(&id, |(id, _)| *id).ok().map(|index| &goals[index].1)
        }
        find(&self.markings, id)
            .map(|goal| goal.clone().into())
            .or_else(|| find(&self.homes, id).map(|predicate| Goal::Home(predicate.clone())))
            .or_else(|| find(&self.runs, id).map(|it| Goal::Run(Box::new(it.clone()))))
            .or_else(|| find(&self.trees, id).map(|it| Goal::Tree(Box::new(it.clone()))))
    }

    /// Returns the goals with the given ids.
    #[must_use]
    pub fn with_ids(&self, ids: &[GoalId]) -> SortedGoals {
        fn goals_with_ids<G: Clone>(goals: &[(GoalId, G)], ids: &[GoalId]) -> Vec<(GoalId, G)> {
            goals.iter().filter(|(id, _)| ids.contains(id)).cloned().collect()
        }
        SortedGoals {
            markings: goals_with_ids(&self.markings, ids),
            homes: goals_with_ids(&self.homes, ids),
            runs: goals_with_ids(&self.runs, ids),
            trees: goals_with_ids(&self.trees, ids),
        }
    }

    /// Returns the id and kind of every goal.
    pub fn kinds(&self) -> impl Iterator<Item = (GoalId, GoalKind)> {
        let markings = self.markings.iter().map(|(id, goal)| (*id, goal.kind()));
        let homes = self.homes.iter().map(|(id, _)| (*id, GoalKind::Home));
        let runs = self.runs.iter().map(|(id, _)| (*id, GoalKind::Run));
        let trees = self.trees.iter().map(|(id, _)| (*id, GoalKind::Tree));
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

/// Returns the reachability goals and the goals that maximise a sum, with their ids.
pub fn marking_goals(goals: &[(GoalId, Goal)]) -> Vec<(GoalId, MarkingGoal)> {
    goals.iter().cloned().collect::<SortedGoals>().markings
}

/// The position of a goal in the list of all goals.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GoalId(u32);

impl GoalId {
    /// Makes the id of the goal at `index`.
    ///
    /// # Panics
    /// If `index` exceeds `u32::MAX`; there is at most one goal per node or formula.
    pub fn new(index: usize) -> Self {
        GoalId(u32::try_from(index).expect("at most one goal per node or formula"))
    }

    /// Returns the position, from 0.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for GoalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "goal {}", self.0)
    }
}
