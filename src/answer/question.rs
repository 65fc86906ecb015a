//! Construction of the answer to a decided question.

use super::aim::{GoalQuestion, GoalRole, JointMeaning, RoledGoal};
use super::basis::AnswerBasis;
use super::{AnswerWitness, GoalAnswer, QuestionValue, ReasonNodes, reasons, sound, within_caps};
use parikh_engine::board::{Argument, Board, Home, Knowledge, Reach, RunKnowledge, Witness};
use parikh_net::GoalId;

impl GoalQuestion {
    /// Returns the answer `value`. `decided_by` lists the decisive goals with their truth values.
    /// Returns `None` if engines contradict each other on one of them.
    pub(super) fn truth(
        &self,
        board: &Board<'_>,
        value: bool,
        decided_by: &[(RoledGoal, bool)],
    ) -> Option<GoalAnswer> {
        let mut basis = AnswerBasis::of(board, decided_by.iter().map(|(aim, _)| aim.goal))?;
        if basis.goals.is_empty() {
            basis.techniques.insert("TOPOLOGICAL");
        }
        let reason = reasons::of_truth(board, self, value, decided_by, basis.assumed);
        let exhibit = match &basis.goals[..] {
            [goal] => board.knowledge(*goal).and_then(exhibit_of),
            _ => None,
        };
        let nodes = nodes(board, self, decided_by);
        Some(basis.answer(&self.id, QuestionValue::Bool(value), reason, exhibit, nodes))
    }

    /// Returns the answer that the maximum is infinite. Returns `None` if the goal is not known to
    /// be unbounded.
    pub(super) fn infinite(&self, board: &Board<'_>, goal: GoalId) -> Option<GoalAnswer> {
        let basis = AnswerBasis::of(board, [goal].into_iter())?;
        let Some(Knowledge::Maximum(maximum)) = board.knowledge(goal) else { return None };
        let (pumping, _) = maximum.unbounded?;
        if !within_caps::repeats(&pumping, board.net()) {
            return None;
        }
        let reason = pumping.in_words();
        let nodes = ReasonNodes::of_goals(board, [goal].into_iter());
        Some(basis.answer(
            &self.id,
            QuestionValue::Infinite,
            reason,
            Some(AnswerWitness::Pump(pumping)),
            nodes,
        ))
    }

    /// Returns the answer `largest`, the maximum of the goal `of`: the value was seen, and no upper
    /// bound exceeds it. Without `of`, the question has no goals and the answer is 0. Returns
    /// `None` if engines contradict each other on a goal.
    pub(super) fn number(
        &self,
        board: &Board<'_>,
        largest: i128,
        of: Option<GoalId>,
    ) -> Option<GoalAnswer> {
        let mut basis = AnswerBasis::of(board, self.goals.iter().copied())?;
        let Some(of) = of else {
            basis.techniques.insert("TOPOLOGICAL");
            let reason = reasons::NO_NODE.to_owned();
            let nodes = ReasonNodes::default();
            return Some(basis.answer(&self.id, QuestionValue::Number(0), reason, None, nodes));
        };
        let Some(Knowledge::Maximum(maximum)) = board.knowledge(of) else { return None };
        let (_, witness, by) = maximum.seen.clone()?;
        basis.techniques.insert(by);
        let reason = match self.goals.len() {
            1 => reasons::of_maximum(&maximum)?,
            count => reasons::of_largest(board, of, count),
        };
        let exhibit = witness.and_then(shown);
        let nodes = ReasonNodes::of_goals(board, [of].into_iter());
        Some(basis.answer(&self.id, QuestionValue::Number(largest), reason, exhibit, nodes))
    }
}

/// Returns the places and transitions that the reason names. Answers about all nodes of a kind
/// ("all of them can be reached") name none.
fn nodes(
    board: &Board<'_>,
    question: &GoalQuestion,
    decided_by: &[(RoledGoal, bool)],
) -> ReasonNodes {
    let is_said = |(aim, holds): &&(RoledGoal, bool)| aim.role != GoalRole::Possible || !holds;
    let said: Vec<RoledGoal> = decided_by.iter().filter(is_said).map(|(aim, _)| *aim).collect();
    match (&said[..], question.whole) {
        ([aim], _) => sound::nodes(board, question, *aim).unwrap_or_else(|| {
            let mut nodes = ReasonNodes::of_goals(board, [aim.goal].into_iter());
            nodes.places.extend(reasons::places_of_sums(board, aim.goal));
            nodes
        }),
        (_, JointMeaning::Formula) => {
            let mut nodes = ReasonNodes::of_goals(board, said.iter().map(|aim| aim.goal));
            let told = said.iter().take(reasons::SAID.0);
            nodes.places.extend(told.flat_map(|aim| reasons::places_of_sums(board, aim.goal)));
            nodes
        }
        _ => ReasonNodes::default(),
    }
}

/// Returns true if the goal stays reachable because every firing can be undone. Then the answer
/// also rests on the goal that the condition is reachable at all.
pub(super) fn is_kept_by_undoing(board: &Board<'_>, aim: RoledGoal) -> bool {
    match board.knowledge(aim.goal) {
        Some(Knowledge::Home(Home::Kept { proof, .. })) => proof.argument == Argument::Undone,
        _ => false,
    }
}

/// Returns the witness of a goal as an exhibit, if it has one.
fn exhibit_of(knowledge: Knowledge) -> Option<AnswerWitness> {
    match knowledge {
        Knowledge::Reach(Reach::Reached { witness, .. })
        | Knowledge::Home(Home::Lost { witness, .. }) => witness.and_then(shown),
        Knowledge::Run(RunKnowledge::Exists { run, .. }) => {
            run.map(|run| AnswerWitness::Lasso((*run).clone()))
        }
        _ => None,
    }
}

fn shown(witness: Witness) -> Option<AnswerWitness> {
    match witness {
        Witness::Loops(run, spot) => Some(AnswerWitness::Loops(run.prefix(&spot))),
        flat => flat.to_sequence().map(AnswerWitness::Firings),
    }
}
