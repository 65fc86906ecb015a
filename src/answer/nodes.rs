//! The places and transitions that an answer's reason names, in machine-readable form.

use parikh_engine::board::Board;
use parikh_net::goal::Mention;
use parikh_net::{Goal, GoalId, PlaceId, Predicate, TransitionId};
use std::collections::BTreeSet;

/// Places and transitions of the analysed net, without duplicates, in ascending order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReasonNodes {
    /// Places.
    pub places: BTreeSet<PlaceId>,
    /// Transitions.
    pub transitions: BTreeSet<TransitionId>,
}

impl ReasonNodes {
    /// Collects the places and transitions that these goals mention.
    pub(super) fn of_goals(board: &Board<'_>, goals: impl Iterator<Item = GoalId>) -> ReasonNodes {
        let mut nodes = ReasonNodes::default();
        goals.for_each(|goal| nodes.add_goal(board.goal(goal)));
        // On a net with caps, that is, assumed bounds of places, goals also mention a place that is
        // marked until a firing exceeds a cap. The question does not mention this place.
        if board.net().has_caps() {
            let own = board.net().model_places().len();
            nodes.places.retain(|place| place.index() < own);
        }
        nodes
    }

    fn add_goal(&mut self, goal: &Goal) {
        for mention in goal.mentions() {
            match mention {
                Mention::Condition(predicate) => self.add_predicate(predicate),
                Mention::Sum(sum) => {
                    self.places.extend(sum.terms().iter().map(|&(place, _)| place));
                }
                Mention::Firings(any) => self.transitions.extend(any),
            }
        }
    }

    fn add_predicate(&mut self, predicate: &Predicate) {
        match predicate {
            Predicate::Atom(atom) => {
                self.places.extend(atom.sum.terms().iter().map(|&(place, _)| place));
            }
            Predicate::Enabled(t) | Predicate::Disabled(t) => drop(self.transitions.insert(*t)),
            Predicate::And(parts) | Predicate::Or(parts) => {
                parts.iter().for_each(|part| self.add_predicate(part));
            }
            Predicate::True | Predicate::False | Predicate::Dead | Predicate::NotDead => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{Plan, QuestionValue};
    use crate::mcc::Examination;
    use parikh_engine::board::Proof;
    use parikh_net::{FiringSequence, text};

    #[test]
    fn the_node_that_decides_is_named_and_all_of_them_are_not() {
        let net = text::parse("place p 1\nplace q\ntransition t: p -> q\ntransition u: q -> p");
        let net = net.unwrap();
        let t = net.transition_named("t").unwrap();
        let answer = |is_dead: bool| {
            let mut plan = Plan::of_examination(Examination::QuasiLiveness, &net).unwrap();
            let board = Board::new(&net, plan.goals().to_vec());
            let [first, second] = [0, 1].map(GoalId::new);
            board.witness_reporter("W").report_reached(first, FiringSequence::new());
            plan.settle(&board, first, |(question, _)| panic!("{}", question.id));
            match is_dead {
                true => {
                    board.proof_reporter("X").report_unreachable(second, Proof::searched(2, false))
                }
                false => {
                    board.witness_reporter("W").report_reached(second, [t].into_iter().collect())
                }
            };
            let mut decided = None;
            plan.settle(&board, second, |(_, answer)| decided = answer);
            decided.unwrap()
        };
        let dead = answer(true);
        assert_eq!(dead.value, QuestionValue::Bool(false));
        assert_eq!(dead.nodes.transitions, [TransitionId::new(1)].into());
        let live = answer(false);
        assert_eq!((live.value, live.nodes), (QuestionValue::Bool(true), ReasonNodes::default()));
    }
}
