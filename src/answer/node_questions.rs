//! Examinations with a question about each place or each transition of the model, as formulas over
//! goals. The questions have the goals of the examinations about all nodes at once, or of the
//! formula `bound(p)`.
//!
//! | examination | question about a node |
//! |---|---|
//! | UpperBoundsAll | the largest number of tokens on the place |
//! | QuasiLivenessAll | is the transition enabled in some reachable marking? |
//! | LivenessAll | can it be enabled again from every reachable marking? |
//! | StableMarkingAll | does the place always hold its initial number of tokens? |
//!
//! As in [the other examinations](super::examinations), a coloured place counts all its colours
//! together, and a coloured transition is enabled if one of its bindings is.

use super::examinations::{all_stay_reachable, changed, enabled, token_counts};
use super::goal_question::{GoalFormula, JointMeaning, not, reach};
use super::within_caps::{adapt_formula, largest_of};
use crate::mcc::Examination;
use parikh_formula::UnsupportedFormula;
use parikh_net::{Goal, Net, PlaceId, Predicate, TransitionId};

/// A question about a place or transition of the model.
pub(super) struct NodeQuestion<'n> {
    /// The name of the node.
    pub(super) name: &'n str,
    /// The question, adapted to nets with caps, or the reason why it cannot be asked.
    pub(super) query: Result<NodeQuery, UnsupportedFormula>,
}

/// A question about a node.
pub(super) enum NodeQuery {
    /// The maximum of the goal.
    Maximum(Goal),
    /// A formula, with the meaning of the corresponding question about all nodes.
    Formula(JointMeaning, GoalFormula),
}

/// Returns the questions of an examination about each node, in the order of the model's nodes.
/// Returns `None` for other examinations.
///
/// On a net with caps, that is, assumed bounds of places, no question of LivenessAll can be asked.
pub(super) fn node_questions(examination: Examination, net: &Net) -> Option<Vec<NodeQuestion<'_>>> {
    let question = |meaning, formula: Option<GoalFormula>| {
        let formula = formula.ok_or(UnsupportedFormula::TooLarge)?;
        Ok(NodeQuery::Formula(meaning, adapt_formula(formula, net)?))
    };
    let maximum = |sum: Option<_>| {
        let goal = sum.map(Goal::Maximise).ok_or(UnsupportedFormula::TooLarge)?;
        Ok(NodeQuery::Maximum(largest_of(goal, net)?))
    };
    let live = |enabled| all_stay_reachable(Predicate::Dead, vec![enabled]);
    let queries: Vec<Result<NodeQuery, UnsupportedFormula>> = match examination {
        Examination::UpperBoundsAll => token_counts(net).into_iter().map(maximum).collect(),
        Examination::StableMarkingAll => {
            let stable = changed(net).into_iter().map(|changed| Some(not(reach(changed?))));
            stable.map(|stable| question(JointMeaning::Changing, stable)).collect()
        }
        Examination::QuasiLivenessAll => {
            let fires = enabled(net).into_iter().map(|enabled| Some(reach(enabled)));
            fires.map(|fires| question(JointMeaning::Reachable, fires)).collect()
        }
        Examination::LivenessAll => {
            let live = enabled(net).into_iter().map(|enabled| Some(live(enabled)));
            live.map(|live| question(JointMeaning::Staying, live)).collect()
        }
        _ => return None,
    };
    let name = if examination.is_about_each_place() { place_name } else { transition_name };
    let questions = queries.into_iter().enumerate();
    Some(questions.map(|(node, query)| NodeQuestion { name: name(net, node), query }).collect())
}

/// Returns the name of a place of the model, given its index.
fn place_name(net: &Net, index: usize) -> &str {
    match net.folding() {
        None => net.place_name(PlaceId::new(index)),
        Some(folding) => folding.place_name(index),
    }
}

/// Returns the name of a transition of the model, given its index.
fn transition_name(net: &Net, index: usize) -> &str {
    match (net.folding(), net.translation()) {
        (Some(folding), _) => folding.transition_name(index),
        (None, Some(translation)) => translation.transition_name(TransitionId::new(index)),
        (None, None) => net.transition_name(TransitionId::new(index)),
    }
}
