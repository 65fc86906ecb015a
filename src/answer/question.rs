//! Construction of the answer to a decided question.

use super::basis::{AnswerBasis, Explanation};
use super::goal_question::{GoalQuestion, RoledGoal};
use super::reason::{Cause, Reason, StageSize, WitnessSize};
use super::{AnswerWitness, GoalAnswer, QuestionValue, ReasonNodes, reasons, within_caps};
use parikh_engine::board::{
    Argument, Board, HomeKnowledge, Knowledge, ReachKnowledge, RunKnowledge, SeenValue, Witness,
};
use parikh_net::GoalId;

impl GoalQuestion {
    /// Returns the answer `value`. `decided_by` lists the decisive goals with their truth values.
    /// Returns `None` if one of these goals has no result, or if engines contradict each other on
    /// it.
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
        let explanation = reasons::of_truth(board, self, value, decided_by, basis.assumed);
        let exhibit = match &basis.goals[..] {
            [goal] => board.knowledge(*goal).and_then(witness_of_answer),
            _ => None,
        };
        Some(basis.answer(&self.id, QuestionValue::Bool(value), explanation, exhibit))
    }

    /// Returns the answer that the maximum is infinite. Returns `None` if the goal is not known to
    /// be unbounded, or if engines contradict each other on it. On a net with caps, also returns
    /// `None` if the self-covering sequence passes a cap.
    pub(super) fn infinite(&self, board: &Board<'_>, goal: GoalId) -> Option<GoalAnswer> {
        let basis = AnswerBasis::of(board, [goal].into_iter())?;
        let Some(Knowledge::Maximum(maximum)) = board.knowledge(goal) else { return None };
        let (pumping, _) = maximum.unbounded?;
        if !within_caps::repeats(&pumping, board.net()) {
            return None;
        }
        let cause = Cause::Unbounded { stages: StageSize::of(&pumping) };
        let notes = reasons::colour_notes(board, [goal].into_iter());
        let (reason, nodes) =
            (Reason { cause, notes }, ReasonNodes::of_goals(board, [goal].into_iter()));
        let (explanation, exhibit) =
            (Explanation { reason, nodes }, Some(AnswerWitness::Pump(pumping)));
        Some(basis.answer(&self.id, QuestionValue::Infinite, explanation, exhibit))
    }

    /// Returns the answer `largest`. A marking with this value of the goal `of` was seen, and the
    /// proved bound of every goal is at most this value. Without `of`, the question has no goals
    /// and the answer is 0. Returns `None` if engines contradict each other on a goal, if no value
    /// of `of` was seen, or if a goal has no proved bound.
    pub(super) fn number(
        &self,
        board: &Board<'_>,
        largest: i128,
        of: Option<GoalId>,
    ) -> Option<GoalAnswer> {
        let mut basis = AnswerBasis::of(board, self.goals.iter().copied())?;
        let Some(of) = of else {
            basis.techniques.insert("TOPOLOGICAL");
            let (reason, nodes) = (Cause::NoSuchNode.into(), ReasonNodes::default());
            let explanation = Explanation { reason, nodes };
            return Some(basis.answer(&self.id, QuestionValue::Number(0), explanation, None));
        };
        let Some(Knowledge::Maximum(maximum)) = board.knowledge(of) else { return None };
        let SeenValue { witness, technique: by, .. } = maximum.largest_seen?;
        basis.techniques.insert(by);
        let cause = match self.goals.len() {
            1 => {
                let size = witness.as_ref().map(WitnessSize::of);
                Cause::Maximum { size, proof: maximum.proved?.proof.summary() }
            }
            maxima => Cause::Largest { subject: reasons::subject_of(board, of), maxima },
        };
        let notes = reasons::colour_notes(board, [of].into_iter());
        let nodes = ReasonNodes::of_goals(board, [of].into_iter());
        let reason = Reason { cause, notes };
        let (explanation, exhibit) =
            (Explanation { reason, nodes }, witness.and_then(answer_witness));
        Some(basis.answer(&self.id, QuestionValue::Number(largest), explanation, exhibit))
    }
}

/// Returns true if the condition of the goal is proved to stay reachable because every firing can
/// be undone by further firings. Such a proof only shows that every reachable marking stays
/// reachable. So the answer also rests on the goal that the condition is reachable at all.
pub(super) fn is_kept_by_undoing(board: &Board<'_>, aim: RoledGoal) -> bool {
    match board.knowledge(aim.goal) {
        Some(Knowledge::Home(HomeKnowledge::StaysReachable { proof, .. })) => {
            proof.argument == Argument::ReversibleFirings
        }
        _ => false,
    }
}

/// Returns the kept witness of a reachable goal, of a lost home property or of an existing run, in
/// the form that an answer contains. Returns `None` if the witness was not kept, and for other
/// results.
fn witness_of_answer(knowledge: Knowledge) -> Option<AnswerWitness> {
    match knowledge {
        Knowledge::Reach(ReachKnowledge::Reached { witness, .. })
        | Knowledge::Home(HomeKnowledge::BecomesUnreachable { witness, .. }) => {
            witness.and_then(answer_witness)
        }
        Knowledge::Run(RunKnowledge::Exists { run, .. }) => {
            run.map(|run| AnswerWitness::Lasso((*run).clone()))
        }
        _ => None,
    }
}

fn answer_witness(witness: Witness) -> Option<AnswerWitness> {
    match witness {
        Witness::Loops(run, position) => Some(AnswerWitness::Loops(run.prefix(&position))),
        flat => flat.to_sequence().map(AnswerWitness::Firings),
    }
}
