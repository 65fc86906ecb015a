//! The whole pipeline on random nets against plain enumeration, restricted to turns on nets reduced
//! for some goals, followed by the search of the original net.
//!
//! Formulas occur in several wordings and with their complements, which share goals. Every witness
//! must satisfy the original formula.

use crate::support::documents::refutes;
use crate::support::oracle::{GoalTruth, OracleLimits, StateSpace, explore};
use crate::support::scale::scaled;
use fastrand::Rng;
use parikh::answer::{AnswerWitness, GoalAnswer, Plan, QuestionValue};
use parikh::board::{Knowledge, ReachKnowledge};
use parikh::evidence::replay;
use parikh::mcc::Examination;
use parikh::net::{Goal, Net, Predicate, text};
use parikh::run::{self, Event, RunConfig, Schedule};
use parikh::solvers::Budget;
use parikh_generate::{self as generate, RandomKind, Shape};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Number of searches of nets reduced for some goals, in all runs of a test binary.
static TURNS: AtomicU64 = AtomicU64::new(0);

/// Returns all answers by id. Panics on internal errors and on open questions.
fn answers(net: &Net, plan: Plan, threads: usize) -> HashMap<String, GoalAnswer> {
    let schedule = Some(Schedule::own_reductions_only());
    let config =
        RunConfig { threads, own_reduction_below: f64::INFINITY, schedule, ..RunConfig::default() };
    let mut answers = HashMap::new();
    let budget = Budget::unlimited().slice(Duration::from_secs(300));
    let report = run::run_net(net, plan, &config, &budget, |event| {
        if let Event::Answered(answer) = event {
            let twice = answers.insert(answer.id.clone(), answer.clone());
            assert!(twice.is_none(), "{} is answered twice", answer.id);
        }
    });
    assert_eq!(report.faults, 0, "{}", text::print(net));
    let open: Vec<_> = report.unanswered.iter().map(|question| &question.id).collect();
    assert!(open.is_empty(), "{open:?} are open:\n{}", text::print(net));
    let turns = report.statistics.iter().filter(|(stage, _)| stage == "explicit, reduced").count();
    TURNS.fetch_add(turns as u64, Ordering::Relaxed);
    answers
}

/// Returns the same predicate with permuted and duplicated operands.
fn reworded(rng: &mut Rng, predicate: &Predicate) -> Predicate {
    let again = |rng: &mut Rng, parts: &[Predicate]| {
        let mut parts: Vec<_> = parts.iter().map(|part| reworded(rng, part)).collect();
        parts.push(parts[rng.usize(0..parts.len())].clone());
        rng.shuffle(&mut parts);
        parts
    };
    match predicate {
        Predicate::And(parts) => Predicate::and(again(rng, parts)),
        Predicate::Or(parts) => Predicate::or(again(rng, parts)),
        leaf => leaf.clone(),
    }
}

/// Returns a random net small enough to enumerate.
fn bounded(seed: u64, shape: &Shape) -> Option<Net> {
    let net = generate::random(seed, shape);
    explore(&net, OracleLimits { states: 500, tokens: 100 }).is_some().then_some(net)
}

fn check_formulas(seed: u64, net: &Net, space: &StateSpace<'_>, threads: usize) {
    let mut rng = Rng::with_seed(seed);
    let goals = generate::random_goals(seed, net, 4);
    let mut plan = Plan::default();
    for (number, goal) in goals.iter().enumerate() {
        match goal {
            Goal::Reach(predicate) => {
                plan.ask_exists(&format!("exists {number}"), predicate.clone());
                plan.ask_never(&format!("never {number}"), reworded(&mut rng, predicate));
                plan.ask_never(&format!("negated {number}"), predicate.clone().negated());
            }
            Goal::Maximise(sum) => {
                plan.ask_maximum(&format!("most {number}"), sum.clone());
                plan.ask_maximum(&format!("again {number}"), sum.clone());
            }
            _ => panic!("none is made"),
        }
    }
    assert!(plan.goals().len() <= 2 * goals.len(), "equal goals are not shared");
    let answers = answers(net, plan, threads);
    for (number, goal) in goals.iter().enumerate() {
        let value = |what: &str| answers[&format!("{what} {number}")].value.clone();
        let context = || format!("seed {seed}, {goal:?}:\n{}", text::print(net));
        match (space.answer(goal), goal) {
            (GoalTruth::Reachable(truth), Goal::Reach(predicate)) => {
                let negation = space.reaches(&predicate.clone().negated());
                assert_eq!(value("exists"), QuestionValue::Bool(truth), "{}", context());
                assert_eq!(value("never"), QuestionValue::Bool(!truth), "{}", context());
                assert_eq!(value("negated"), QuestionValue::Bool(!negation), "{}", context());
                let exhibit = &answers[&format!("exists {number}")].exhibit;
                if let Some(AnswerWitness::Firings(witness)) = exhibit {
                    let end = replay(net, witness).unwrap();
                    assert!(predicate.holds(net, &end), "{}", context());
                }
            }
            (GoalTruth::Maximum(truth), Goal::Maximise(sum)) => {
                assert_eq!(value("most"), QuestionValue::Number(truth), "{}", context());
                assert_eq!(value("again"), QuestionValue::Number(truth), "{}", context());
                let exhibit = answers[&format!("most {number}")].exhibit.as_ref();
                let witness = exhibit.and_then(AnswerWitness::sequence).unwrap();
                assert_eq!(sum.value(&replay(net, witness).unwrap()), truth, "{}", context());
            }
            _ => unreachable!("a goal and the truth about it are of one kind"),
        }
    }
}

fn check_examinations(seed: u64, net: &Net, space: &StateSpace<'_>, threads: usize) {
    let expected = [
        (Examination::ReachabilityDeadlock, space.deadlock()),
        (Examination::OneSafe, space.most_in_place() <= 1),
        (Examination::QuasiLiveness, net.transitions().all(|t| space.fires(t))),
        (Examination::StableMarking, space.stable_place()),
    ];
    for (examination, expected) in expected {
        let plan = Plan::of_examination(examination, net).unwrap();
        let answer = answers(net, plan, threads)[examination.name()].value.clone();
        let context = || format!("{examination}, seed {seed}:\n{}", text::print(net));
        assert_eq!(answer, QuestionValue::Bool(expected), "{}", context());
    }
}

#[test]
fn the_last_stages_agree_with_enumeration() {
    let nets = (0..).filter_map(|seed| Some((seed, bounded(seed, &Shape::small(seed))?)));
    let before = TURNS.load(Ordering::Relaxed);
    for (seed, net) in nets.take(scaled(600) as usize) {
        let space = explore(&net, OracleLimits::default()).unwrap();
        let threads = if seed % 8 == 0 { 2 } else { 1 };
        check_formulas(seed, &net, &space, threads);
        check_examinations(seed, &net, &space, threads);
    }
    let turns = TURNS.load(Ordering::Relaxed) - before;
    assert!(turns > scaled(600), "{turns} turns: hardly anything was tested");
}

/// There are more transitions than turns per round, so goals come in batches.
#[test]
fn batches_of_goals_agree_with_enumeration() {
    let shape = |seed: u64| Shape {
        places: 12,
        transitions: 66 + (seed % 140) as u32,
        weight: 2,
        tokens: 2,
        kind: if seed.is_multiple_of(2) { RandomKind::OneSafe } else { RandomKind::Bounded },
    };
    let nets = (0..).filter_map(|seed| Some((seed, bounded(seed, &shape(seed))?)));
    for (seed, net) in nets.take(40) {
        let space = explore(&net, OracleLimits::default()).unwrap();
        check_examinations(seed, &net, &space, 1);
    }
}

/// Both formulas rest on the certificate of the shared goal.
#[test]
fn formulas_that_share_a_goal_share_its_document() {
    let net = text::parse(
        "place idle1 1
         place idle2 1
         place lock 1
         place in1
         place in2
         transition enter1: idle1 + lock -> in1
         transition leave1: in1 -> idle1 + lock
         transition enter2: idle2 + lock -> in2
         transition leave2: in2 -> idle2 + lock",
    )
    .unwrap();
    let [in1, in2] =
        ["in1", "in2"].map(|name| Predicate::at_least(net.place_named(name).unwrap(), 1));
    let mut plan = Plan::default();
    plan.ask_exists("both", Predicate::and([in1.clone(), in2.clone()]));
    plan.ask_never("never both", Predicate::and([in2.clone(), in1.clone()]));
    let budget = Budget::unlimited().slice(Duration::from_secs(20));
    let (mut settled, mut answered) = (0, Vec::new());
    let config = RunConfig { threads: 2, ..RunConfig::default() };
    let report = run::run_net(&net, plan, &config, &budget, |event| match event {
        Event::Settled {
            goal,
            knowledge: Knowledge::Reach(ReachKnowledge::Unreachable { proof, .. }),
            ..
        } => {
            let document = proof.document.as_deref().expect("it is small");
            let both = Predicate::and([in1.clone(), in2.clone()]).sorted();
            assert_eq!(*goal, Goal::Reach(both.clone()));
            assert_eq!(refutes(document, &net, &both), Ok(()));
            settled += 1;
        }
        Event::Answered(answer) => answered.push((answer.id.clone(), answer.value.clone())),
        _ => {}
    });
    assert_eq!((report.faults, report.answered), (0, 2));
    assert_eq!(settled, 1);
    let expected =
        [("both", QuestionValue::Bool(false)), ("never both", QuestionValue::Bool(true))];
    assert_eq!(answered, expected.map(|(id, value)| (id.to_owned(), value)));
}
