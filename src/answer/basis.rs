//! What an answer rests on: the goals that decide it, and from what is known of them who found it,
//! and how firmly it stands.

use super::{Exhibit, Grade, Nodes, Value};
use crate::board::{Board, Knowledge, Reach, Standing, Technique, Witness};
use parikh_net::GoalId;
use std::collections::{BTreeSet, HashSet, VecDeque};

/// A basis, goal by goal.
#[derive(Debug, Default)]
pub(super) struct Basis {
    /// Each goal once.
    pub(super) goals: Vec<GoalId>,
    pub(super) techniques: BTreeSet<Technique>,
    pub(super) grade: Grade,
    /// How many of the goals rest on the model's claim that its units are safe.
    pub(super) assumed: usize,
    /// Something known of one of the goals comes from a reduced net.
    reduced: bool,
    /// A proof is about an abstraction of the coloured net.
    abstracted: bool,
}

impl Basis {
    /// The basis of these goals; `None` where one of them is not settled, or engines contradict
    /// each other on it.
    pub(super) fn of(board: &Board<'_>, goals: impl Iterator<Item = GoalId>) -> Option<Basis> {
        let mut basis = Basis::default();
        let mut seen = HashSet::new();
        let mut goals: VecDeque<GoalId> = goals.collect();
        while let Some(goal) = goals.pop_front() {
            if !seen.insert(goal) {
                continue;
            }
            basis.goals.push(goal);
            let knowledge = board.knowledge(goal)?;
            let Standing { by, argued, given } = knowledge.standing()?;
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

    /// The answer to a question that rests on it.
    pub(super) fn answer(
        self,
        id: &str,
        value: Value,
        reason: String,
        exhibit: Option<Exhibit>,
        nodes: Nodes,
    ) -> super::Answer {
        super::Answer {
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

/// How many firings a witness has, in words.
pub(super) fn length(witness: Option<&Witness>) -> String {
    witness.map_or_else(|| "0 firings".to_owned(), Witness::to_string)
}

/// Whether a witness is known to be shortest, where that was asked and it fires something.
pub(super) fn shortest(board: &Board<'_>, goal: GoalId) -> &'static str {
    let fires = match board.knowledge(goal) {
        Some(Knowledge::Reach(Reach::Reached { witness, .. })) => {
            witness.is_some_and(|witness| !witness.is_initial())
        }
        _ => false,
    };
    match board.is_shortest(goal).filter(|_| fires) {
        None => "",
        Some(true) => ", and none is shorter",
        Some(false) => ", and whether one is shorter was not found out",
    }
}
