//! The answer of a question, once its goals decide it.

use super::aim::{Aim, Question, Role, Whole};
use super::basis::Basis;
use super::{Answer, Exhibit, Nodes, Value, reasons, sound, within_caps};
use crate::board::{Argument, Board, Home, Knowledge, Reach, Run, Witness};
use parikh_net::GoalId;

impl Question {
    /// The answer `value`, which these goals decide: each with whether it is reached, or stays
    /// reachable. `None` when engines contradict each other on one of them.
    pub(super) fn truth(
        &self,
        board: &Board<'_>,
        value: bool,
        decided_by: &[(Aim, bool)],
    ) -> Option<Answer> {
        let mut basis = Basis::of(board, decided_by.iter().map(|(aim, _)| aim.goal))?;
        if basis.goals.is_empty() {
            basis.techniques.insert("TOPOLOGICAL");
        }
        let reason = reasons::of_truth(board, self, value, decided_by, basis.assumed);
        let exhibit = match &basis.goals[..] {
            [goal] => board.knowledge(*goal).and_then(exhibit_of),
            _ => None,
        };
        let nodes = nodes(board, self, decided_by);
        Some(basis.answer(&self.id, Value::Bool(value), reason, exhibit, nodes))
    }

    /// The answer that there is no largest maximum; `None` when that is not known of the goal.
    pub(super) fn infinite(&self, board: &Board<'_>, goal: GoalId) -> Option<Answer> {
        let basis = Basis::of(board, [goal].into_iter())?;
        let Some(Knowledge::Maximum(maximum)) = board.knowledge(goal) else { return None };
        let (pumping, _) = maximum.unbounded?;
        if !within_caps::repeats(&pumping, board.net()) {
            return None;
        }
        let reason = pumping.in_words();
        let nodes = Nodes::of_goals(board, [goal].into_iter());
        Some(basis.answer(&self.id, Value::Infinite, reason, Some(Exhibit::Pump(pumping)), nodes))
    }

    /// The answer that the largest maximum is that of the goal `of`: it was seen, and no bound is
    /// above it. `None` when engines contradict each other on a goal.
    pub(super) fn number(
        &self,
        board: &Board<'_>,
        largest: i128,
        of: Option<GoalId>,
    ) -> Option<Answer> {
        let mut basis = Basis::of(board, self.goals.iter().copied())?;
        let Some(of) = of else {
            basis.techniques.insert("TOPOLOGICAL");
            let reason = reasons::NO_NODE.to_owned();
            let nodes = Nodes::default();
            return Some(basis.answer(&self.id, Value::Number(0), reason, None, nodes));
        };
        let Some(Knowledge::Maximum(maximum)) = board.knowledge(of) else { return None };
        let (_, witness, by) = maximum.seen.clone()?;
        basis.techniques.insert(by);
        let reason = match self.goals.len() {
            1 => reasons::of_maximum(&maximum)?,
            count => reasons::of_largest(board, of, count),
        };
        let exhibit = witness.and_then(shown);
        let nodes = Nodes::of_goals(board, [of].into_iter());
        Some(basis.answer(&self.id, Value::Number(largest), reason, exhibit, nodes))
    }
}

/// The nodes that an answer speaks of which these goals decided. One about all nodes of a kind
/// ("each of them can be reached") names none.
fn nodes(board: &Board<'_>, question: &Question, decided_by: &[(Aim, bool)]) -> Nodes {
    let is_said = |(aim, holds): &&(Aim, bool)| aim.role != Role::Possible || !holds;
    let said: Vec<Aim> = decided_by.iter().filter(is_said).map(|(aim, _)| *aim).collect();
    match (&said[..], question.whole) {
        ([aim], _) => sound::nodes(board, question, *aim).unwrap_or_else(|| {
            let mut nodes = Nodes::of_goals(board, [aim.goal].into_iter());
            nodes.places.extend(reasons::places_of_sums(board, aim.goal));
            nodes
        }),
        (_, Whole::Formula) => {
            let mut nodes = Nodes::of_goals(board, said.iter().map(|aim| aim.goal));
            let told = said.iter().take(reasons::SAID.0);
            nodes.places.extend(told.flat_map(|aim| reasons::places_of_sums(board, aim.goal)));
            nodes
        }
        _ => Nodes::default(),
    }
}

/// Whether the goal stays reachable because every firing can be undone. Then the answer also rests
/// on the goal that it is reached at all.
pub(super) fn is_kept_by_undoing(board: &Board<'_>, aim: Aim) -> bool {
    match board.knowledge(aim.goal) {
        Some(Knowledge::Home(Home::Kept { proof, .. })) => proof.argument == Argument::Undone,
        _ => false,
    }
}

/// A witness of a goal as what shows an answer.
fn exhibit_of(knowledge: Knowledge) -> Option<Exhibit> {
    match knowledge {
        Knowledge::Reach(Reach::Reached { witness, .. })
        | Knowledge::Home(Home::Lost { witness, .. }) => witness.and_then(shown),
        Knowledge::Run(Run::Exists { run, .. }) => run.map(|run| Exhibit::Lasso((*run).clone())),
        _ => None,
    }
}

fn shown(witness: Witness) -> Option<Exhibit> {
    match witness {
        Witness::Loops(run, spot) => Some(Exhibit::Loops(run.prefix(&spot))),
        flat => flat.to_sequence().map(Exhibit::Firings),
    }
}
