//! Every examination against enumeration, in runs with default options except the deadline, on nets
//! of a few dozen markings.
//!
//! Other tests restrict a run to single engines or phases. In these tests, the parts of a run
//! interact as in normal use.

use crate::support::oracle::{GoalTruth, OracleLimits, StateSpace, explore};
use crate::support::scale::scaled;
use crate::support::shrinking::shrinking;
use parikh::answer::{AnswerWitness, GoalAnswer, Plan, QuestionValue};
use parikh::evidence::{check_pumping, replay};
use parikh::mcc::Examination;
use parikh::net::{Goal, LinearSum, Net, Predicate, text};
use parikh::run::{self, Event, RunConfig};
use parikh::solvers::Budget;
use parikh_generate::{self as generate, Shape};
use std::collections::HashMap;
use std::time::Duration;

/// A deadline that suffices for nets of this size on a busy machine. A run that answers everything
/// ends earlier.
const DEADLINE: Duration = Duration::from_secs(10);

/// The results of runs: the number of questions, and of open questions.
#[derive(Default)]
struct Tally {
    asked: usize,
    open: usize,
}

impl Tally {
    /// Runs a plan and returns its answers by id.
    fn run(&mut self, net: &Net, plan: Plan) -> HashMap<String, GoalAnswer> {
        self.run_for(net, plan, DEADLINE)
    }

    fn run_for(&mut self, net: &Net, plan: Plan, time: Duration) -> HashMap<String, GoalAnswer> {
        self.asked += plan.questions().len();
        let mut answers = HashMap::new();
        let budget = Budget::lasting(time);
        let report = run::run_net(net, plan, &RunConfig::default(), &budget, |event| {
            if let Event::Answered(answer) = event {
                let twice = answers.insert(answer.id.clone(), answer.clone());
                assert!(twice.is_none(), "{} is answered twice:\n{}", answer.id, text::print(net));
            }
        });
        assert_eq!(report.faults, 0, "{}", text::print(net));
        assert_eq!(report.answered, answers.len(), "{}", text::print(net));
        self.open += report.unanswered.len();
        answers
    }

    fn check(&self) {
        let Tally { asked, open } = self;
        eprintln!("{asked} questions, {open} left open");
        assert!(open * 100 <= *asked, "{open} of {asked} questions were left open");
    }
}

/// Calls `test` on random nets with at most 60 markings.
fn small_nets(first: u64, count: u64, mut test: impl FnMut(u64, &Net, &StateSpace<'_>)) {
    let mut left = scaled(count);
    for seed in first.. {
        let net = generate::random(seed, &Shape::small(seed));
        let is_small = shrinking(&net, |net| {
            let space = explore(net, OracleLimits { states: 60, tokens: 100 });
            space.is_some_and(|space| {
                test(seed, net, &space);
                true
            })
        });
        left -= u64::from(is_small);
        if left == 0 {
            return;
        }
    }
}

#[test]
fn examinations_over_all_places_or_transitions_agree_with_enumeration() {
    let mut tally = Tally::default();
    small_nets(1_000_000, 150, |seed, net, space| {
        let expected = [
            (Examination::ReachabilityDeadlock, space.deadlock()),
            (Examination::OneSafe, space.most_in_place() <= 1),
            (Examination::QuasiLiveness, net.transitions().all(|t| space.fires(t))),
            (Examination::StableMarking, space.stable_place()),
        ];
        for (examination, expected) in expected {
            let plan = Plan::of_examination(examination, net).unwrap();
            let answers = tally.run(net, plan);
            let Some(answer) = answers.get(examination.name()) else { continue };
            let context = || format!("{examination}, seed {seed}:\n{}", text::print(net));
            assert_eq!(answer.value, QuestionValue::Bool(expected), "{}", context());
        }
    });
    tally.check();
}

/// Returns the goals of three query files with at most 8 queries each: about numbers of tokens,
/// about enabled transitions, and about maxima.
fn queries(seed: u64, net: &Net) -> [Vec<Goal>; 3] {
    let (reach, maxima): (Vec<Goal>, Vec<Goal>) = generate::random_goals(seed, net, 24)
        .into_iter()
        .partition(|goal| matches!(goal, Goal::Reach(_)));
    let transitions: Vec<_> = net.transitions().collect();
    let fireable = transitions.iter().enumerate().map(|(at, &t)| {
        let other = transitions[(at + seed as usize) % transitions.len()];
        Goal::Reach(match at % 3 {
            0 => Predicate::Enabled(t),
            1 => Predicate::and([Predicate::Enabled(t), Predicate::Disabled(other)]),
            _ => Predicate::or([
                Predicate::and([Predicate::Enabled(t), Predicate::Enabled(other)]),
                Predicate::and([Predicate::Disabled(t), Predicate::Disabled(other)]),
            ]),
        })
    });
    let bounds = net.places().map(|p| Goal::Maximise(LinearSum::place(p))).chain(maxima);
    [reach.into_iter().take(8).collect(), fireable.take(8).collect(), bounds.take(8).collect()]
}

#[test]
fn query_files_agree_with_enumeration() {
    let mut tally = Tally::default();
    small_nets(2_000_000, 100, |seed, net, space| {
        for goals in queries(seed, net) {
            let mut plan = Plan::default();
            for (number, goal) in goals.iter().enumerate() {
                let id = number.to_string();
                match goal {
                    Goal::Reach(predicate) if number % 2 == 0 => {
                        plan.ask_exists(&id, predicate.clone());
                    }
                    Goal::Reach(predicate) => plan.ask_never(&id, predicate.clone()),
                    Goal::Maximise(sum) => plan.ask_maximum(&id, sum.clone()),
                    Goal::Home(predicate) => plan.ask_home(&id, predicate.clone()),
                    _ => unreachable!("none is made"),
                }
            }
            let answers = tally.run(net, plan);
            for (number, goal) in goals.iter().enumerate() {
                let Some(answer) = answers.get(&number.to_string()) else { continue };
                let expected = match space.answer(goal) {
                    GoalTruth::Reachable(truth) => QuestionValue::Bool(truth == (number % 2 == 0)),
                    GoalTruth::Maximum(most) => QuestionValue::Number(most),
                    GoalTruth::Stays(truth) | GoalTruth::Exists(truth) => {
                        QuestionValue::Bool(truth)
                    }
                };
                let context = || format!("seed {seed}, {goal:?}:\n{}", text::print(net));
                assert_eq!(answer.value, expected, "{}", context());
                witnessed(net, goal, answer, &context);
            }
        }
    });
    tally.check();
}

/// Checks that a witness, if there is one, satisfies the goal.
fn witnessed(net: &Net, goal: &Goal, answer: &GoalAnswer, context: &dyn Fn() -> String) {
    let Some(AnswerWitness::Firings(witness)) = &answer.exhibit else { return };
    let end = replay(net, witness).unwrap_or_else(|error| panic!("{error}: {}", context()));
    match (goal, &answer.value) {
        (Goal::Reach(predicate), _) => assert!(predicate.holds(net, &end), "{}", context()),
        (Goal::Maximise(sum), value) => {
            assert_eq!(*value, QuestionValue::Number(sum.value(&end)), "{}", context());
        }
        _ => {}
    }
}

/// Nets with many markings or tokens, most of them unbounded: every infinite maximum comes with a
/// self-covering sequence that replays and adds tokens to the place.
#[test]
fn infinite_bounds_come_with_a_pump() {
    let mut infinite = 0;
    let mut tally = Tally::default();
    for seed in 3_000_000..3_000_000 + scaled(60) {
        let net = generate::random(seed, &Shape::small(seed));
        if explore(&net, OracleLimits { states: 2_000, tokens: 20 }).is_some() {
            continue;
        }
        let mut plan = Plan::default();
        for p in net.places().take(3) {
            plan.ask_maximum(net.place_name(p), LinearSum::place(p));
        }
        for (name, answer) in tally.run_for(&net, plan, Duration::from_millis(300)) {
            if answer.value != QuestionValue::Infinite {
                continue;
            }
            let pumping =
                answer.exhibit.as_ref().and_then(AnswerWitness::pump).expect("+inf has a pump");
            let growth = check_pumping(&net, pumping).unwrap();
            let sum = LinearSum::place(net.place_named(&name).unwrap());
            assert!(growth.grows(&sum), "seed {seed}, {name}:\n{}", text::print(&net));
            infinite += 1;
        }
    }
    assert!(infinite > 10, "only {infinite} maxima were infinite");
}
