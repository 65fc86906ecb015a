//! Questions as formulas over goals. Each occurrence of a goal has a role, which explains its
//! purpose.

use parikh_formula::{Proposition, Query};
use parikh_net::{Goal, GoalId, Predicate, TransitionId};

/// A question: a formula over goals, or the largest of several maxima.
#[derive(Clone, Debug)]
pub struct GoalQuestion {
    /// The formula's id, or the examination's name.
    pub id: String,
    /// The formula over goals, or the goals whose largest maximum is asked.
    pub query: Query<RoledGoal>,
    /// The statement that all goals of the question make together. It determines the wording of the
    /// answer's reason.
    pub joint_meaning: JointMeaning,
    /// For a question about one place or one transition: the index of the node among the places or
    /// transitions of the model. `None` for other questions.
    pub(super) node: Option<usize>,
    /// The goals of the question, without duplicates.
    pub(super) goals: Vec<GoalId>,
}

/// An occurrence of a goal in a question, with its role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoledGoal {
    /// The goal.
    pub goal: GoalId,
    /// The role of the goal in the question.
    pub role: GoalRole,
}

impl RoledGoal {
    /// Returns true if this value of the goal counts for the question. A goal of the role
    /// [`GoalRole::WithinCaps`] counts only if it is true.
    pub(super) fn accepts_value(self, value: bool) -> bool {
        value || self.role != GoalRole::WithinCaps
    }
}

/// The role of a goal in a question. The reason of an answer is worded by the role.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GoalRole {
    /// A part of the question itself.
    #[default]
    QuestionPart,
    /// A dead marking is reachable in which no condition holds that should stay reachable.
    DeadEnd,
    /// A condition that must stay reachable is reachable at all.
    Possible,
    /// A case, that is, a run of a process, reaches a dead marking that covers no final marking.
    Stuck,
    /// A marking is reachable that covers a final marking and is not final itself.
    Improper,
    /// A case can be completed. As a [`Goal::Reach`]: some reachable marking covers a final
    /// marking. As a [`Goal::Home`]: from every reachable marking, a marking that covers a final
    /// marking is reachable.
    Completion,
    /// A transition of a process can fire.
    Fires,
    /// A final marking is reachable.
    FinalMarking,
    /// The transition fires on some run to a final marking.
    OnRun(TransitionId),
    /// A marking is reachable without passing a cap of the net, that is, an assumed bound of a
    /// place. If no such marking exists, this goal decides nothing.
    WithinCaps,
}

/// The statement that all goals of a question make together. It determines the wording of the
/// answer's reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointMeaning {
    /// A formula: the reason lists its decisive parts.
    Formula,
    /// Every condition is reachable.
    Reachable,
    /// No condition is reachable.
    Unreachable,
    /// Every place can change its number of tokens.
    Changing,
    /// All conditions stay reachable from every reachable marking.
    Staying,
    /// Every transition fires on a run to a final marking.
    OnRuns,
    /// The process is sound.
    Sound,
}

impl GoalQuestion {
    /// Returns the ids of the goals without duplicates, in the order of the question.
    pub fn goals(&self) -> &[GoalId] {
        &self.goals
    }
}

/// A formula over goals with roles, before goals have ids.
pub(super) type GoalFormula = Proposition<(Goal, GoalRole)>;

/// Returns the formula that consists of this goal.
pub(super) fn atom(goal: Goal, role: GoalRole) -> GoalFormula {
    Proposition::Atom((goal, role))
}

pub(super) fn not(part: GoalFormula) -> GoalFormula {
    Proposition::Not(Box::new(part))
}

/// Returns the formula EF `predicate`, as a part of the question.
pub(super) fn reach(predicate: Predicate) -> GoalFormula {
    atom(Goal::Reach(predicate), GoalRole::QuestionPart)
}

/// Maximum number of disjuncts that become goals of their own.
const MAX_PARTS: usize = 4;

/// Returns the formula EF `predicate`. For a disjunction of at most [`MAX_PARTS`] parts, the
/// formula has the consequence that EF φ is true for some part φ. So different engines may refute
/// different parts. A reached part decides nothing: only a witness of the whole predicate makes the
/// formula true.
pub(super) fn reach_with_parts(predicate: Predicate) -> GoalFormula {
    let Predicate::Or(parts) = &predicate else { return reach(predicate) };
    if parts.len() > MAX_PARTS {
        return reach(predicate);
    }
    let parts = Proposition::junction(false, parts.iter().cloned().map(reach));
    Proposition::implying(reach(predicate), [parts])
}
