//! Plans: an examination as goals.

use super::question::{Combination, Question, Standing};
use crate::board::Board;
use crate::mcc::Examination;
use parikh_net::{Goal, GoalId, LinearSum, Net, Predicate};

/// The goals of a run and the questions they answer.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    goals: Vec<Goal>,
    questions: Vec<Question>,
    /// Per question its goals that are neither settled nor let go; 0 once it is decided.
    unsettled: Vec<usize>,
    decided: Vec<bool>,
    /// Which questions were answered by the model's claim that its units are safe.
    assumed: Vec<bool>,
}

impl Plan {
    /// The plan of an examination that needs no query file; `None` for those that do, and for
    /// those that are more than goals.
    pub fn of_examination(examination: Examination, net: &Net) -> Option<Plan> {
        let mut plan = Plan::default();
        let name = examination.name();
        match examination {
            Examination::ReachabilityDeadlock => {
                plan.ask(name, Combination::Exists, vec![Goal::Reach(Predicate::Dead)]);
            }
            Examination::OneSafe => {
                let two = |place| Goal::Reach(Predicate::at_least(place, 2));
                plan.ask(name, Combination::NoneReachable, net.places().map(two).collect());
            }
            Examination::QuasiLiveness => {
                let enabled = |t| Goal::Reach(Predicate::Enabled(t));
                plan.ask(name, Combination::AllReachable, net.transitions().map(enabled).collect());
            }
            Examination::StableMarking => {
                let changed = |place| {
                    let initially = net.initial()[place];
                    let more = Predicate::at_least(place, initially + 1);
                    let fewer = match initially {
                        0 => Predicate::False,
                        tokens => Predicate::no_more_than(place, tokens - 1),
                    };
                    Goal::Reach(Predicate::or([more, fewer]))
                };
                plan.ask(name, Combination::SomeUnreachable, net.places().map(changed).collect());
            }
            _ => return None,
        }
        Some(plan)
    }

    /// Adds EF φ.
    pub fn ask_exists(&mut self, id: &str, predicate: Predicate) {
        self.ask(id, Combination::Exists, vec![Goal::Reach(predicate)]);
    }

    /// Adds AG ψ, given φ = ¬ψ.
    pub fn ask_never(&mut self, id: &str, negated: Predicate) {
        self.ask(id, Combination::Never, vec![Goal::Reach(negated)]);
    }

    /// Adds the maximum of a sum.
    pub fn ask_maximum(&mut self, id: &str, sum: LinearSum) {
        self.ask(id, Combination::Maximum, vec![Goal::Maximise(sum)]);
    }

    fn ask(&mut self, id: &str, combination: Combination, goals: Vec<Goal>) {
        let range = self.goals.len()..self.goals.len() + goals.len();
        self.unsettled.push(goals.len());
        self.decided.push(false);
        self.assumed.push(false);
        self.goals.extend(goals);
        self.questions.push(Question { id: id.to_owned(), combination, goals: range });
    }

    /// All goals in order; a [`GoalId`] is the position in this list.
    pub fn goals(&self) -> &[Goal] {
        &self.goals
    }

    /// The questions in the order they were asked.
    pub fn questions(&self) -> &[Question] {
        &self.questions
    }

    /// The questions without a decision yet.
    pub fn open_questions(&self) -> impl Iterator<Item = &Question> {
        self.questions.iter().zip(&self.decided).filter(|(_, decided)| !**decided).map(|(q, _)| q)
    }

    /// Takes note of a settled goal. The answer of its question, if that decides it; the goals
    /// that the question does not need any more are abandoned on the board.
    pub fn settle(&mut self, board: &Board<'_>, settled: GoalId) -> Option<Standing> {
        let at = self.questions.partition_point(|question| question.goals.end <= settled.index());
        let question = &self.questions[at];
        if self.decided[at] {
            return None;
        }
        self.unsettled[at] = self.unsettled[at].saturating_sub(1);
        let standing = question.standing(board, settled, self.unsettled[at]);
        if let Standing::Open = standing {
            return None;
        }
        self.decided[at] = true;
        self.assumed[at] = matches!(&standing, Standing::Answered(answer) if answer.assumes_units);
        question.goal_ids().for_each(|goal| board.abandon(goal));
        Some(standing)
    }

    /// What is to be asked again when the model's claim of safe units proves false: the questions
    /// without a decision and those that the claim answered; and how many the latter are.
    pub fn without_unit_claim(&self) -> (Plan, usize) {
        let mut again = Plan::default();
        for (at, question) in self.questions.iter().enumerate() {
            if !self.decided[at] || self.assumed[at] {
                let goals = self.goals[question.goals.clone()].to_vec();
                again.ask(&question.id, question.combination, goals);
            }
        }
        (again, self.assumed.iter().filter(|&&assumed| assumed).count())
    }

    /// The answers of questions without a single goal, such as one-safe on a net without places.
    pub fn vacuous(&mut self) -> Vec<super::Answer> {
        let mut answers = Vec::new();
        for (at, question) in self.questions.iter().enumerate() {
            if !question.goals.is_empty() || self.decided[at] {
                continue;
            }
            self.decided[at] = true;
            let value = question.combination != Combination::SomeUnreachable;
            answers.push(super::Answer {
                id: question.id.clone(),
                value: super::Value::Bool(value),
                techniques: vec!["TOPOLOGICAL"],
                reason: "the net has no such node".to_owned(),
                assumes_units: false,
                witness: None,
                pump: None,
            });
        }
        answers
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{Answer, Value};
    use crate::evidence::Proof;
    use parikh_net::{FiringSequence, text};

    fn net() -> Net {
        text::parse("place p 1\nplace q\ntransition t: p -> q\ntransition u: q -> p").unwrap()
    }

    fn answer(plan: &mut Plan, board: &Board<'_>, goal: usize) -> Option<Answer> {
        match plan.settle(board, GoalId::new(goal)) {
            Some(Standing::Answered(answer)) => Some(answer),
            _ => None,
        }
    }

    fn proof() -> Proof {
        Proof::Exhausted { states: 2, stubborn: false }
    }

    #[test]
    fn quasi_liveness_needs_all_and_fails_with_one() {
        let net = net();
        let mut plan = Plan::of_examination(Examination::QuasiLiveness, &net).unwrap();
        let board = Board::new(&net, plan.goals().to_vec());
        let t = net.transition_named("t").unwrap();
        board.under("W").reached(GoalId::new(0), FiringSequence::new());
        assert!(answer(&mut plan, &board, 0).is_none());
        board.under("W").reached(GoalId::new(1), [t].into_iter().collect());
        let all = answer(&mut plan, &board, 1).unwrap();
        assert_eq!((all.value, all.techniques), (Value::Bool(true), vec!["W"]));

        let mut plan = Plan::of_examination(Examination::QuasiLiveness, &net).unwrap();
        let board = Board::new(&net, plan.goals().to_vec());
        board.over("X").unreachable(GoalId::new(1), proof());
        let one = answer(&mut plan, &board, 1).unwrap();
        assert_eq!(one.value, Value::Bool(false));
        assert!(one.reason.contains("transition `u`"), "{}", one.reason);
        assert_eq!(board.open_count(), 0);
    }

    #[test]
    fn one_safe_needs_all_refuted_and_stable_marking_one() {
        let net = net();
        let mut plan = Plan::of_examination(Examination::OneSafe, &net).unwrap();
        let board = Board::new(&net, plan.goals().to_vec());
        board.over("X").unreachable(GoalId::new(0), proof());
        assert!(answer(&mut plan, &board, 0).is_none());
        board.over("X").unreachable(GoalId::new(1), proof());
        assert_eq!(answer(&mut plan, &board, 1).unwrap().value, Value::Bool(true));

        let mut plan = Plan::of_examination(Examination::StableMarking, &net).unwrap();
        let board = Board::new(&net, plan.goals().to_vec());
        let t = net.transition_named("t").unwrap();
        for goal in 0..2 {
            board.under("W").reached(GoalId::new(goal), [t].into_iter().collect());
        }
        assert!(answer(&mut plan, &board, 0).is_none());
        assert_eq!(answer(&mut plan, &board, 1).unwrap().value, Value::Bool(false));
    }

    #[test]
    fn formulas_and_maxima_answer_by_their_one_goal() {
        let net = net();
        let q = net.place_named("q").unwrap();
        let t = net.transition_named("t").unwrap();
        let mut plan = Plan::default();
        plan.ask_exists("ef", Predicate::at_least(q, 1));
        plan.ask_never("ag", Predicate::at_least(q, 1));
        plan.ask_maximum("max", LinearSum::place(q));
        let board = Board::new(&net, plan.goals().to_vec());
        for goal in 0..3 {
            board.under("W").reached(GoalId::new(goal), [t].into_iter().collect());
        }
        board.over("X").at_most(GoalId::new(2), 1, proof());
        assert_eq!(answer(&mut plan, &board, 0).unwrap().value, Value::Bool(true));
        assert_eq!(answer(&mut plan, &board, 1).unwrap().value, Value::Bool(false));
        let max = answer(&mut plan, &board, 2).unwrap();
        assert_eq!((max.value, max.techniques), (Value::Number(1), vec!["W", "X"]));
        assert_eq!(plan.open_questions().count(), 0);
    }

    #[test]
    fn a_net_of_nothing_is_vacuously_safe_and_quasi_live_but_has_no_stable_place() {
        let net = text::parse("").unwrap();
        for (examination, value) in [
            (Examination::OneSafe, true),
            (Examination::QuasiLiveness, true),
            (Examination::StableMarking, false),
        ] {
            let mut plan = Plan::of_examination(examination, &net).unwrap();
            let answers = plan.vacuous();
            assert_eq!(answers[0].value, Value::Bool(value), "{examination}");
        }
    }
}
