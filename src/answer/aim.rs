//! What a question asks: a formula over goals, each with what it is to the question.

use crate::formula::{Proposition, Query};
use parikh_net::{Goal, GoalId, Predicate, TransitionId};

/// A question about goals.
#[derive(Clone, Debug)]
pub struct Question {
    /// The formula's id, or the examination's name.
    pub id: String,
    /// What is asked.
    pub query: Query<Aim>,
    /// What all parts mean together.
    pub whole: Whole,
    /// Its goals, each once.
    pub(super) goals: Vec<GoalId>,
}

/// A goal and what it is to a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aim {
    /// The goal.
    pub goal: GoalId,
    /// Its role.
    pub role: Role,
}

impl Aim {
    /// Whether the question takes note of this value of the goal.
    pub(super) fn hears(self, value: bool) -> bool {
        value || self.role != Role::WithinCaps
    }
}

/// What a goal is to a question, for whoever says why.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// A part of what is asked.
    #[default]
    Part,
    /// A dead marking without what is to stay reachable.
    DeadEnd,
    /// What is to stay reachable can happen at all.
    Possible,
    /// A case is in a dead marking and not done.
    Stuck,
    /// A case is done and leaves tokens behind.
    Improper,
    /// A case can be completed: its final marking is covered, or stays so.
    Completion,
    /// A transition of a process fires.
    Fires,
    /// The final marking is reached.
    FinalMarking,
    /// The transition is on a run to the final marking.
    OnRun(TransitionId),
    /// A marking with it is sought within the caps of the net: that there is none says nothing.
    WithinCaps,
}

/// What all parts of a question mean together, for whoever says why they decide it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whole {
    /// A formula: its parts are said.
    Formula,
    /// Each of them can be reached.
    Reachable,
    /// None of them can be reached.
    Unreachable,
    /// Every place can change.
    Changing,
    /// Each of them stays reachable.
    Staying,
    /// Each transition is on a run to the final marking.
    OnRuns,
    /// A process is sound.
    Sound,
}

impl Question {
    /// The ids of its goals, each once, in their order in the question.
    pub fn goals(&self) -> &[GoalId] {
        &self.goals
    }
}

/// A formula over goals, each with its role.
pub(super) type GoalFormula = Proposition<(Goal, Role)>;

/// That a goal is reached, or stays reachable.
pub(super) fn atom(goal: Goal, role: Role) -> GoalFormula {
    Proposition::Atom((goal, role))
}

pub(super) fn not(part: GoalFormula) -> GoalFormula {
    Proposition::Not(Box::new(part))
}

/// That this can be reached, a part of what is asked.
pub(super) fn reach(predicate: Predicate) -> GoalFormula {
    atom(Goal::Reach(predicate), Role::Part)
}
