//! What an answer rests on: the goals that decide it, and from what is known of them who found it,
//! and how firmly it stands.

use super::{Exhibit, Grade, Nodes, Value};
use crate::board::{
    Argument, Board, Evidence, Home, Knowledge, Proof, Reach, Run, Technique, Tree, Witness,
};
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
            match board.knowledge(goal)? {
                Knowledge::Reach(Reach::Reached { by, .. }) => {
                    basis.techniques.insert(by);
                }
                Knowledge::Reach(Reach::Unreachable { proof, evidence, by })
                | Knowledge::Home(Home::Kept { proof, evidence, by }) => {
                    basis.add(by, &proof, &evidence);
                }
                Knowledge::Home(Home::Lost { proof, evidence, by, .. }) => {
                    match proof.argument {
                        // The dead marking at the end of the witness is all that there is to see.
                        Argument::DeadEnd => drop(basis.techniques.insert(by)),
                        _ => basis.add(by, &proof, &evidence),
                    }
                }
                Knowledge::Maximum(maximum) => {
                    if let Some((_, by)) = maximum.unbounded {
                        basis.techniques.insert(by);
                        continue;
                    }
                    let (_, proof, by) = maximum.proved?;
                    basis.add(by, &proof, maximum.evidence.as_ref()?);
                }
                Knowledge::Run(Run::Exists { by, .. }) => {
                    basis.techniques.insert(by);
                }
                Knowledge::Run(Run::Excluded { proof, evidence, given, by, .. })
                | Knowledge::Tree(Tree::Decided { proof, evidence, given, by, .. }) => {
                    basis.add(by, &proof, &evidence);
                    goals.extend(given.iter().copied());
                }
                Knowledge::Reach(Reach::Open)
                | Knowledge::Home(Home::Open)
                | Knowledge::Run(Run::Open)
                | Knowledge::Tree(Tree::Open) => return None,
            }
        }
        Some(basis)
    }

    fn add(&mut self, by: Technique, proof: &Proof, evidence: &Evidence) {
        self.techniques.insert(by);
        self.grade = self.grade.max(Grade::of(evidence));
        self.assumed += usize::from(proof.assumes_units());
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
        }
    }
}

/// How many firings a witness has, in words.
pub(super) fn length(witness: Option<&Witness>) -> String {
    witness.map_or_else(|| "0 firings".to_owned(), Witness::to_string)
}
