//! An engine that panics affects only itself: the other engines answer correctly, and the run ends
//! and reports the failure.
//!
//! The test adds failing engines to a run's list of engines.

use crate::support::oracle::{OracleLimits, explore};
use parikh::answer::{Plan, QuestionValue};
use parikh::engine::Hint;
use parikh::engine::registry::ENGINES;
use parikh::engine::{
    Assignment, Engine, ResultKinds, Role, Session, SliceProgress, SupportedGoals,
    stateless_session,
};
use parikh::mcc::Examination;
use parikh::net::{Features, GoalKind, Net, text};
use parikh::run::{self, Event, RunConfig, RunReport};
use parikh::solvers::Budget;
use parikh_generate::{self as generate, Shape};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Accepts every net and every goal.
const EVERYTHING: SupportedGoals = SupportedGoals {
    kinds: &[GoalKind::Reach, GoalKind::Maximise, GoalKind::Home],
    features: Features::WEIGHTS,
};

/// The points at which an engine fails.
const START: usize = 0;
const SLICE: usize = 1;
const DEEPEN: usize = 2;
const CANDIDATES: usize = 3;
const STATISTICS: usize = 4;

/// Number of failures, by point.
static FAILED: [AtomicUsize; 5] = [const { AtomicUsize::new(0) }; 5];

struct Failing<const AT: usize>;

impl<const AT: usize> Failing<AT> {
    fn at(part: usize) {
        if part == AT {
            FAILED[AT].fetch_add(1, Ordering::Relaxed);
            panic!("this engine fails, and nothing else should");
        }
    }
}

impl<const AT: usize> Session for Failing<AT> {
    fn slice(&mut self, _budget: &Budget) -> SliceProgress {
        Self::at(SLICE);
        SliceProgress::Finished
    }

    fn deepen(&mut self) -> bool {
        Self::at(DEEPEN);
        false
    }

    fn candidates(&self) -> Vec<Hint> {
        Self::at(CANDIDATES);
        Vec::new()
    }

    fn statistics(&self) -> String {
        Self::at(STATISTICS);
        "nothing was done".to_owned()
    }
}

fn start<const AT: usize>(_: Assignment<'_>) -> Result<Box<dyn Session + '_>, String> {
    Failing::<AT>::at(START);
    Ok(Box::new(Failing::<AT>))
}

/// Returns engines of every role that fail at the point `AT`.
fn failing<const AT: usize>() -> Vec<Engine> {
    let roles = [Role::Once { share: 0.5 }, Role::Slices, Role::Search, Role::Walk, Role::Guided];
    let engine = |role| Engine {
        name: "failing",
        technique: "FAILING",
        result_kinds: ResultKinds::Both,
        role,
        supported: EVERYTHING,
        start: start::<AT>,
    };
    roles.map(engine).into()
}

fn ask(
    net: &Net,
    engines: &'static [Engine],
    time: Duration,
) -> (RunReport, Vec<(String, QuestionValue)>) {
    let mut plan = Plan::of_examination(Examination::ReachabilityDeadlock, net).unwrap();
    for (number, p) in net.places().enumerate() {
        plan.ask_maximum(&number.to_string(), parikh::net::LinearSum::place(p));
    }
    let config = RunConfig { engines, ..RunConfig::default() };
    let mut answers = Vec::new();
    let report = run::run_net(net, plan, &config, &Budget::lasting(time), |event| {
        if let Event::Answered(answer) = event {
            answers.push((answer.id.clone(), answer.value.clone()));
        }
    });
    (report, answers)
}

/// Runs with failing engines before all others, and with failing engines only.
fn survives<const AT: usize>() {
    let before: Vec<Engine> = failing::<AT>().into_iter().chain(ENGINES.iter().copied()).collect();
    let (before, alone): (&'static [Engine], &'static [Engine]) =
        (before.leak(), failing::<AT>().leak());
    let mut failures = 0;
    for seed in 0..12 {
        let net = generate::random(seed, &Shape::small(seed));
        let Some(space) = explore(&net, OracleLimits { states: 60, tokens: 100 }) else { continue };
        for (engines, time) in [(before, 10_000), (alone, 150)] {
            let time = Duration::from_millis(time);
            let began = Instant::now();
            let (report, answers) = ask(&net, engines, time);
            let context = || format!("part {AT}, seed {seed}:\n{}", text::print(&net));
            if engines.len() == before.len() {
                assert!(report.unanswered.is_empty(), "{:?} {}", report.unanswered, context());
            }
            // Repeated failures must not keep a run busy beyond its deadline.
            assert!(began.elapsed() < time + Duration::from_secs(10), "{}", context());
            for (id, value) in answers {
                let expected = match id.parse() {
                    Ok(place) => {
                        let p = parikh::net::PlaceId::new(place);
                        QuestionValue::Number(space.maximum(&parikh::net::LinearSum::place(p)))
                    }
                    Err(_) => QuestionValue::Bool(space.deadlock()),
                };
                assert_eq!(value, expected, "{id}, {}", context());
            }
            failures += report.faults;
        }
    }
    let failed = FAILED[AT].load(Ordering::Relaxed);
    assert!(failed > 0, "part {AT} was never called");
    assert!(failures > 0 && failures <= failed, "{failures} of {failed} failures were reported");
}

#[test]
fn at_its_start() {
    survives::<START>();
}

#[test]
fn in_a_slice() {
    survives::<SLICE>();
}

#[test]
fn when_it_is_to_try_more() {
    survives::<DEEPEN>();
}

#[test]
fn asked_for_candidates() {
    survives::<CANDIDATES>();
}

#[test]
fn saying_what_it_did() {
    survives::<STATISTICS>();
}

/// An engine that ignores deadlines: it sleeps until its budget is spent, and longer.
fn late(_: Assignment<'_>) -> Result<Box<dyn Session + '_>, String> {
    stateless_session(|budget| {
        while !budget.is_exhausted() {
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(LATE);
        "nothing was found".to_owned()
    })
}

/// A time longer than a run waits for late engines.
const LATE: Duration = Duration::from_millis(1500);

/// Questions that a late engine leaves open are reported at the deadline, not at the engine's end:
/// once, with all unanswered questions.
#[test]
fn late_at_the_deadline() {
    let net =
        text::parse("place p 1\nplace q\ntransition t: p -> q\ntransition u: q -> p").unwrap();
    let engine = Engine {
        name: "late",
        technique: "LATE",
        result_kinds: ResultKinds::Both,
        role: Role::Walk,
        supported: EVERYTHING,
        start: late,
    };
    let plan = Plan::of_examination(Examination::Liveness, &net).unwrap();
    let config = RunConfig { engines: vec![engine].leak(), ..RunConfig::default() };
    let mut overruns = Vec::new();
    let budget = Budget::lasting(Duration::from_millis(500));
    let report = run::run_net(&net, plan, &config, &budget, |event| {
        if let Event::Overrun { engines, report } = event {
            overruns.push((engines.to_vec(), report.unanswered.len()));
        }
    });
    assert_eq!(overruns, [(vec!["late".to_owned()], 1)]);
    assert_eq!(report.unanswered.len(), 1, "{report:?}");
}
