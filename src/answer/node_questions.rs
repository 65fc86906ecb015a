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

use super::Plan;
use super::examinations::{all_stay_reachable, changed, enabled, token_counts};
use super::goal_question::{GoalFormula, JointMeaning, not, reach};
use super::within_caps::{adapt_formula, largest_of};
use crate::mcc::Examination;
use parikh_formula::UnsupportedFormula;
use parikh_net::{Goal, Net, PlaceId, Predicate, TransitionId};

/// The questions of an examination about each node.
#[derive(Clone, Debug, Default)]
pub struct NodeQuestions {
    /// The plan of the questions. The id of a question is the name of its node.
    pub plan: Plan,
    /// The nodes about which nothing can be asked on this net, by name, with the reasons.
    pub refused: Vec<(String, UnsupportedFormula)>,
}

impl Plan {
    /// Creates the questions of an examination about each node, in the order of the model's nodes.
    /// Returns `None` for other examinations.
    ///
    /// On a net with caps, that is, assumed bounds of places, all questions of LivenessAll are
    /// refused.
    pub fn of_each_node(examination: Examination, net: &Net) -> Option<NodeQuestions> {
        let mut questions = NodeQuestions::default();
        match examination {
            Examination::UpperBoundsAll => {
                for (node, sum) in token_counts(net).into_iter().enumerate() {
                    let goal = sum.map(Goal::Maximise).ok_or(UnsupportedFormula::TooLarge);
                    let goal = goal.and_then(|goal| largest_of(goal, net));
                    questions.add(node, place_name(net, node), goal, |plan, id, goal| {
                        plan.ask_largest(id, vec![goal]);
                    });
                }
            }
            Examination::StableMarkingAll => {
                for (node, changed) in changed(net).into_iter().enumerate() {
                    let stable = changed.map(|changed| not(reach(changed)));
                    let stable = stable.ok_or(UnsupportedFormula::TooLarge);
                    let meaning = JointMeaning::Changing;
                    questions.add_formula(net, node, place_name(net, node), meaning, stable);
                }
            }
            Examination::QuasiLivenessAll => {
                for (node, enabled) in enabled(net).into_iter().enumerate() {
                    let (name, meaning) = (transition_name(net, node), JointMeaning::Reachable);
                    questions.add_formula(net, node, name, meaning, Ok(reach(enabled)));
                }
            }
            Examination::LivenessAll => {
                for (node, enabled) in enabled(net).into_iter().enumerate() {
                    let live = all_stay_reachable(Predicate::Dead, vec![enabled]);
                    let (name, meaning) = (transition_name(net, node), JointMeaning::Staying);
                    questions.add_formula(net, node, name, meaning, Ok(live));
                }
            }
            _ => return None,
        }
        Some(questions)
    }
}

impl NodeQuestions {
    /// Adds a formula about a node, or the reason why it cannot be asked.
    fn add_formula(
        &mut self,
        net: &Net,
        node: usize,
        name: &str,
        meaning: JointMeaning,
        formula: Result<GoalFormula, UnsupportedFormula>,
    ) {
        let formula = formula.and_then(|formula| adapt_formula(formula, net));
        self.add(node, name, formula, |plan, id, formula| plan.ask(id, meaning, formula));
    }

    /// Adds a question about a node with `ask`, or the reason why it cannot be asked. `node` is the
    /// index of the node among the model's places or transitions.
    fn add<T>(
        &mut self,
        node: usize,
        name: &str,
        question: Result<T, UnsupportedFormula>,
        ask: impl FnOnce(&mut Plan, &str, T),
    ) {
        match question {
            Ok(question) => {
                ask(&mut self.plan, name, question);
                self.plan.set_node(Some(node));
                self.plan.set_adapted_to_caps(true);
            }
            Err(reason) => self.refused.push((name.to_owned(), reason)),
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    #[test]
    fn every_node_has_a_question_with_its_name() {
        let net = text::parse("place p 1\nplace q\ntransition t: p -> q\ntransition u: q -> p");
        let net = net.unwrap();
        let ids = |examination| -> Vec<String> {
            let NodeQuestions { plan, refused } = Plan::of_each_node(examination, &net).unwrap();
            assert!(refused.is_empty());
            plan.questions().iter().map(|question| question.id.clone()).collect()
        };
        assert_eq!(ids(Examination::UpperBoundsAll), ["p", "q"]);
        assert_eq!(ids(Examination::StableMarkingAll), ["p", "q"]);
        assert_eq!(ids(Examination::QuasiLivenessAll), ["t", "u"]);
        assert_eq!(ids(Examination::LivenessAll), ["t", "u"]);
        assert!(Plan::of_each_node(Examination::UpperBounds, &net).is_none());
    }
}
