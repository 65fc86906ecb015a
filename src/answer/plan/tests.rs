//! Tests of plans: which questions a settled goal decides, and which goals remain.

use super::*;
use crate::answer::{Cause, QuestionValue};
use parikh_engine::board::Proof;
use parikh_net::{FiringSequence, text};

fn net() -> Net {
    text::parse("place p 1\nplace q\ntransition t: p -> q\ntransition u: q -> p").unwrap()
}

/// Returns the ids and answers of the questions that a settled goal decides.
fn decided_by(
    plan: &mut Plan,
    board: &Board<'_>,
    goal: usize,
) -> Vec<(String, Option<GoalAnswer>)> {
    let mut decided = Vec::new();
    plan.settle(board, GoalId::new(goal), |(question, answer)| {
        decided.push((question.id.clone(), answer));
    });
    decided
}

fn answer(plan: &mut Plan, board: &Board<'_>, goal: usize) -> Option<GoalAnswer> {
    decided_by(plan, board, goal).pop()?.1
}

fn formula(source: &str, net: &Net) -> Formula {
    parikh_formula::text::read_one(source, "test", net).formula.unwrap()
}

fn proof() -> Proof {
    Proof::searched(2, false)
}

#[test]
fn quasi_liveness_needs_all_and_fails_with_one() {
    let net = net();
    let mut plan = Plan::of_examination(Examination::QuasiLiveness, &net).unwrap();
    let board = Board::new(&net, plan.goals().to_vec());
    let t = net.transition_named("t").unwrap();
    board.witness_reporter("W").report_reached(GoalId::new(0), FiringSequence::new());
    assert!(answer(&mut plan, &board, 0).is_none());
    board.witness_reporter("W").report_reached(GoalId::new(1), [t].into_iter().collect());
    let all = answer(&mut plan, &board, 1).unwrap();
    assert_eq!((all.value, all.techniques), (QuestionValue::Bool(true), vec!["W"]));

    let mut plan = Plan::of_examination(Examination::QuasiLiveness, &net).unwrap();
    let board = Board::new(&net, plan.goals().to_vec());
    board.proof_reporter("X").report_unreachable(GoalId::new(1), proof());
    let one = answer(&mut plan, &board, 1).unwrap();
    assert_eq!(one.value, QuestionValue::Bool(false));
    assert!(one.reason.to_string().contains("transition `u`"), "{}", one.reason);
    assert_eq!(board.open_count(), 0);
}

#[test]
fn one_safe_needs_all_refuted_and_stable_marking_one() {
    let net = net();
    let mut plan = Plan::of_examination(Examination::OneSafe, &net).unwrap();
    let board = Board::new(&net, plan.goals().to_vec());
    board.proof_reporter("X").report_unreachable(GoalId::new(0), proof());
    assert!(answer(&mut plan, &board, 0).is_none());
    board.proof_reporter("X").report_unreachable(GoalId::new(1), proof());
    assert_eq!(answer(&mut plan, &board, 1).unwrap().value, QuestionValue::Bool(true));

    let mut plan = Plan::of_examination(Examination::StableMarking, &net).unwrap();
    let board = Board::new(&net, plan.goals().to_vec());
    let t = net.transition_named("t").unwrap();
    for goal in 0..2 {
        board.witness_reporter("W").report_reached(GoalId::new(goal), [t].into_iter().collect());
    }
    assert!(answer(&mut plan, &board, 0).is_none());
    assert_eq!(answer(&mut plan, &board, 1).unwrap().value, QuestionValue::Bool(false));
}

#[test]
fn every_node_has_a_question_with_its_name() {
    let net = net();
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

#[test]
fn formulas_and_maxima_answer_by_their_one_goal() {
    let net = net();
    let q = net.place_named("q").unwrap();
    let t = net.transition_named("t").unwrap();
    let mut plan = Plan::default();
    plan.ask_exists("ef", Predicate::at_least(q, 1));
    plan.ask_never("ag", Predicate::at_least(q, 2).negated());
    plan.ask_maximum("max", LinearSum::place(q));
    let board = Board::new(&net, plan.goals().to_vec());
    for goal in 0..3 {
        board.witness_reporter("W").report_reached(GoalId::new(goal), [t].into_iter().collect());
    }
    board.proof_reporter("X").report_at_most(GoalId::new(2), 1, proof());
    assert_eq!(answer(&mut plan, &board, 0).unwrap().value, QuestionValue::Bool(true));
    assert_eq!(answer(&mut plan, &board, 1).unwrap().value, QuestionValue::Bool(false));
    let max = answer(&mut plan, &board, 2).unwrap();
    assert_eq!((max.value, max.techniques), (QuestionValue::Number(1), vec!["W", "X"]));
    assert_eq!(plan.open_questions().count(), 0);
}

#[test]
fn formulas_with_the_same_goal_share_it_and_are_all_answered() {
    let net = net();
    let [p, q] = ["p", "q"].map(|name| net.place_named(name).unwrap());
    let t = net.transition_named("t").unwrap();
    let [in_p, in_q] = [p, q].map(|place| Predicate::at_least(place, 1));
    let mut plan = Plan::default();
    plan.ask_exists("one", Predicate::or([in_q.clone(), Predicate::at_least(p, 2)]));
    plan.ask_maximum("max", LinearSum::place(q));
    plan.ask_never("complement", Predicate::or([Predicate::at_least(p, 2), in_q]));
    plan.ask_maximum("again", LinearSum::place(q));
    plan.ask_exists("another", in_p);
    assert_eq!(plan.goals().len(), 3);
    let board = Board::new(&net, plan.goals().to_vec());
    board.witness_reporter("W").report_reached(GoalId::new(0), [t].into_iter().collect());
    let answers: Vec<_> = decided_by(&mut plan, &board, 0)
        .into_iter()
        .map(|(id, answer)| (id, answer.unwrap().value))
        .collect();
    let expected = [("one", true), ("complement", false)];
    assert_eq!(answers, expected.map(|(id, value)| (id.to_owned(), QuestionValue::Bool(value))));
    assert!(decided_by(&mut plan, &board, 0).is_empty());
    let asking: Vec<_> = plan.asking(GoalId::new(1)).map(|question| &question.id).collect();
    assert_eq!(asking, ["max", "again"]);
    assert_eq!(plan.open_questions().count(), 3);
}

#[test]
fn the_empty_net_is_safe_and_quasi_live_and_has_no_stable_place() {
    let net = text::parse("").unwrap();
    for (examination, value) in [
        (Examination::OneSafe, true),
        (Examination::QuasiLiveness, true),
        (Examination::StableMarking, false),
    ] {
        let mut plan = Plan::of_examination(examination, &net).unwrap();
        let board = Board::new(&net, plan.goals().to_vec());
        let mut answers = Vec::new();
        plan.begin(&board, |(_, answer)| answers.push(answer.unwrap()));
        let [answer] = &answers[..] else { panic!("{answers:?}") };
        assert_eq!(answer.value, QuestionValue::Bool(value), "{examination}");
        assert_eq!(answer.reason.cause, Cause::NoSuchNode);
    }
}

#[test]
fn an_answer_rests_on_the_deciding_goals_and_releases_the_others() {
    let net = net();
    let [p, q] = ["p", "q"].map(|name| net.place_named(name).unwrap());
    let t = net.transition_named("t").unwrap();
    let mut plan = Plan::default();
    let source = "EF q >= 1 && AG p <= 1 || EF AG q >= 1";
    plan.ask_formula("both", &formula(source, &net), &net).unwrap();
    plan.ask_never("alone", Predicate::at_least(p, 2));
    assert_eq!(
        plan.goals()[..2],
        [Goal::Reach(Predicate::at_least(q, 1)), Goal::Reach(Predicate::at_least(p, 2)),]
    );
    // The other five goals belong to EF AG q ≥ 1: the home property of q = 0 with its two
    // consequences, an equivalent CTL goal, and an aid of the CTL goal.
    assert_eq!(plan.goals().len(), 7);
    let board = Board::new(&net, plan.goals().to_vec());
    plan.begin(&board, |(question, _)| panic!("{}", question.id));
    board.witness_reporter("W").report_reached(GoalId::new(0), [t].into_iter().collect());
    assert!(answer(&mut plan, &board, 0).is_none());
    board.proof_reporter("X").report_unreachable(GoalId::new(1), proof());
    let decided = decided_by(&mut plan, &board, 1);
    let [(_, Some(both)), (_, Some(alone))] = &decided[..] else { panic!("{decided:?}") };
    assert_eq!(both.value, QuestionValue::Bool(true));
    assert_eq!(both.rests_on[..], [GoalId::new(0), GoalId::new(1)]);
    assert_eq!(both.techniques, ["W", "X"]);
    assert_eq!(
        both.reason.to_string(),
        "EF `q` ≥ 1: a witness of 1 firing was replayed; AG `p` ≤ 1: all 2 reachable markings \
         were visited"
    );
    assert!(both.exhibit.is_none());
    assert_eq!(alone.rests_on[..], [GoalId::new(1)]);
    assert_eq!(board.open_count(), 0);
}

#[test]
fn a_goal_stays_while_some_question_needs_it() {
    let net = net();
    let [p, q] = ["p", "q"].map(|name| net.place_named(name).unwrap());
    let mut plan = Plan::default();
    plan.ask_formula("either", &formula("EF p >= 2 && EF q >= 2", &net), &net).unwrap();
    plan.ask_exists("one", Predicate::at_least(q, 2));
    plan.ask_exists("again", Predicate::at_least(p, 2));
    assert_eq!(plan.goals().len(), 2);
    let board = Board::new(&net, plan.goals().to_vec());
    board.proof_reporter("X").report_unreachable(GoalId::new(0), proof());
    assert_eq!(decided_by(&mut plan, &board, 0).len(), 2);
    assert_eq!(board.open_goals(), [GoalId::new(1)]);
    board.proof_reporter("X").report_unreachable(GoalId::new(1), proof());
    let decided = decided_by(&mut plan, &board, 1);
    assert_eq!(decided.iter().map(|(id, _)| &**id).collect::<Vec<_>>(), ["one"]);
}
