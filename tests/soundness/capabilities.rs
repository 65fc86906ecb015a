//! An engine, rule or certificate never receives a net feature that it does not declare. A net with
//! a feature that no engine supports leaves every question open, however simple the net is.

use parikh::answer::Plan;
use parikh::engine::{
    Assignment, Engine, ResultKinds, Role, Session, SupportedGoals, registry, stateless_session,
};
use parikh::evidence::Document;
use parikh::evidence::certificate::Flaw;
use parikh::mcc::Examination;
use parikh::net::{Features, Goal, GoalKind, Net, NetBuilder, Predicate, text};
use parikh::reduction::{self, needs};
use parikh::run::{self, RunConfig};
use parikh::solvers::Budget;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

const EXAMINATIONS: [Examination; 5] = [
    Examination::ReachabilityDeadlock,
    Examination::QuasiLiveness,
    Examination::StableMarking,
    Examination::OneSafe,
    Examination::Liveness,
];

/// Returns a net in which a token alternates between two places, and a third place is only read.
fn plain() -> Net {
    text::parse(
        "place p 1\nplace q\nplace r 1\ntransition t: p -> q\ntransition u: q -> p\n\
         transition v: r + p -> r + p",
    )
    .unwrap()
}

/// Returns the net [`plain`] with these features.
fn with(features: Features) -> Net {
    let mut builder = NetBuilder::of(&plain()).unwrap();
    builder.add_features(features);
    builder.build().unwrap()
}

/// Returns the number of questions that a run leaves open.
fn unanswered(net: &Net, examination: Examination, engines: &'static [Engine]) -> usize {
    let plan = Plan::of_examination(examination, net).unwrap();
    let config = RunConfig { engines, ..RunConfig::default() };
    let budget = Budget::lasting(Duration::from_secs(60));
    run::run_net(net, plan, &config, &budget, |_| {}).unanswered.len()
}

#[test]
fn a_net_with_an_unsupported_feature_leaves_every_question_open() {
    let unknown = with(Features::UNKNOWN);
    for examination in EXAMINATIONS {
        assert_eq!(unanswered(&plain(), examination, registry::ENGINES), 0, "{examination:?}");
        assert_eq!(unanswered(&unknown, examination, registry::ENGINES), 1, "{examination:?}");
    }
}

/// Number of starts of the engine below.
static STARTED: AtomicUsize = AtomicUsize::new(0);

fn counted(_: Assignment<'_>) -> Result<Box<dyn Session + '_>, String> {
    STARTED.fetch_add(1, Ordering::Relaxed);
    stateless_session(|_| "nothing was found".to_owned())
}

#[test]
fn an_engine_starts_only_if_it_supports_the_net_and_some_goal() {
    let engine = |kinds, features| Engine {
        name: "counted",
        technique: "COUNTED",
        result_kinds: ResultKinds::Both,
        role: Role::First,
        supported: SupportedGoals { kinds, features },
        start: counted,
    };
    let unknown = with(Features::UNKNOWN);
    let deadlock = Examination::ReachabilityDeadlock;
    for (kinds, features, starts) in [
        (&[GoalKind::Reach][..], Features::UNKNOWN, 1),
        (&[GoalKind::Reach], Features::WEIGHTS, 0),
        (&[GoalKind::Maximise, GoalKind::Home], Features::UNKNOWN, 0),
    ] {
        let before = STARTED.load(Ordering::Relaxed);
        unanswered(&unknown, deadlock, vec![engine(kinds, features)].leak());
        assert_eq!(STARTED.load(Ordering::Relaxed) - before, starts, "{kinds:?}, {features:?}");
    }
}

#[test]
fn weights_are_seen_and_features_are_kept() {
    assert_eq!(plain().features(), Features::PLAIN);
    let heavy = text::parse("place p 1\ntransition t: p -> 2*p").unwrap();
    assert_eq!(heavy.features(), Features::WEIGHTS);
    let unknown = with(Features::UNKNOWN);
    let again = NetBuilder::of(&unknown).unwrap().build().unwrap();
    assert_eq!(again.features(), Features::UNKNOWN);
    let parts = unknown.subnets().unwrap();
    assert!(parts.iter().all(|part| part.net.features() == Features::UNKNOWN));
}

#[test]
fn no_rule_is_applied_and_no_document_accepted_for_a_feature_that_it_does_not_take() {
    let goal = Goal::Reach(Predicate::at_least(plain().place_named("q").unwrap(), 1));
    let reduced = |net: &Net| {
        let needs = needs::of_goals(net, [&goal]);
        let config = reduction::ReductionConfig::default();
        let reduction = reduction::reduce(net, &needs, &Budget::unlimited(), &config);
        reduction.statistics.size_before != reduction.statistics.size_after
    };
    assert_eq!([plain(), with(Features::UNKNOWN)].map(|net| reduced(&net)), [true, false]);
    let document = Document::Markings(2);
    assert!(document.check(&plain(), &mut || true).is_ok());
    let unknown = with(Features::UNKNOWN);
    let refused = document.check(&unknown, &mut || true);
    assert!(matches!(refused, Err(Flaw::Features)));
}
