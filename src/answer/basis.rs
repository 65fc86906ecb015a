//! The basis of an answer: the goals that decide it. The techniques, the grade and the assumptions
//! of the answer follow from the board's knowledge of these goals.

use super::reason::Reason;
use super::{AnswerWitness, Grade, QuestionValue, ReasonNodes};
use parikh_engine::board::{Basis, Board, Knowledge, ReachKnowledge, Technique};
use parikh_net::GoalId;
use std::collections::{BTreeSet, HashSet, VecDeque};

/// The explanation of an answer.
pub(super) struct Explanation {
    /// The reason.
    pub(super) reason: Reason,
    /// The nodes that the reason names.
    pub(super) nodes: ReasonNodes,
}

/// The goals that an answer rests on, with the strength and the assumptions of their evidence.
#[derive(Debug, Default)]
pub(super) struct AnswerBasis {
    /// The goals without duplicates, including the goals that their proofs presuppose.
    pub(super) goals: Vec<GoalId>,
    pub(super) techniques: BTreeSet<Technique>,
    pub(super) grade: Grade,
    /// Number of goals whose proof assumes that the units of the model are safe.
    pub(super) assumed: usize,
    /// True if some witness or proof comes from a reduced net.
    reduced: bool,
    /// True if some proof is about an abstraction of the coloured net.
    abstracted: bool,
}

impl AnswerBasis {
    /// Collects the basis of these goals and of the goals that their proofs presuppose. Returns
    /// `None` if one of the goals has no result, or if engines contradict each other on it. A
    /// proved bound suffices as the result of an open maximum.
    pub(super) fn of(
        board: &Board<'_>,
        goals: impl Iterator<Item = GoalId>,
    ) -> Option<AnswerBasis> {
        let mut basis = AnswerBasis::default();
        let mut seen = HashSet::new();
        let mut goals: VecDeque<GoalId> = goals.collect();
        while let Some(goal) = goals.pop_front() {
            if !seen.insert(goal) {
                continue;
            }
            basis.goals.push(goal);
            let knowledge = board.knowledge(goal)?;
            let Basis { technique: by, proof_and_evidence: argued, premise_goals: given } =
                knowledge.basis()?;
            basis.techniques.insert(by);
            basis.reduced |= board.is_by_reduction(goal);
            if let Some((proof, evidence)) = argued {
                basis.grade = basis.grade.max(Grade::of(evidence));
                basis.assumed += usize::from(proof.assumes_units());
                basis.abstracted |= proof.abstracted;
                basis.reduced |= proof.reduced.is_some();
            }
            goals.extend(given.iter().copied());
        }
        Some(basis)
    }

    /// Builds the answer to a question from its basis.
    pub(super) fn answer(
        self,
        id: &str,
        value: QuestionValue,
        explanation: Explanation,
        exhibit: Option<AnswerWitness>,
    ) -> super::GoalAnswer {
        let Explanation { reason, nodes } = explanation;
        super::GoalAnswer {
            id: id.to_owned(),
            value,
            techniques: self.techniques.into_iter().collect(),
            reason,
            assumes_units: self.assumed > 0,
            grade: self.grade,
            rests_on: self.goals.into(),
            exhibit,
            nodes,
            reduced: self.reduced,
            abstracted: self.abstracted,
        }
    }
}

/// Returns true if the known witness of the goal is proved to be shortest, and false if this is
/// unknown. Returns `None` if shortest witnesses are not determined. Also returns `None` unless the
/// goal asks for reachability and has a kept witness with at least one firing.
pub(super) fn shortest(board: &Board<'_>, goal: GoalId) -> Option<bool> {
    let fires = match board.knowledge(goal) {
        Some(Knowledge::Reach(ReachKnowledge::Reached { witness, .. })) => {
            witness.is_some_and(|witness| !witness.is_initial())
        }
        _ => false,
    };
    board.is_shortest(goal).filter(|_| fires)
}
