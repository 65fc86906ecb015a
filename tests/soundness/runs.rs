//! Existence of runs with a property, against plain enumeration: each engine alone, and whole runs
//! of the program.

use crate::support::oracle::{GoalTruth, OracleLimits, explore};
use crate::support::scale::{scale, scaled};
use crate::support::shrinking::shrinking;
use fastrand::Rng;
use parikh::answer::Plan;
use parikh::board::{Knowledge, RunKnowledge};
use parikh::engine::registry::ENGINES;
use parikh::engine::{Engine, ResultKinds, Role};
use parikh::net::run_property::{RunAtom, RunProperty};
use parikh::net::{Goal, GoalKind, Net, TransitionId};
use parikh::run::{Event, RunConfig, Schedule, run_net};
use parikh::solvers::Budget;
use parikh_generate::{Shape, random, random_fairness, random_ltl, random_predicate};
use parikh_temporal::Ltl;
use std::time::Duration;

/// Returns the time limit of walks per net, because walks do not know when nothing is left to find.
fn short() -> Duration {
    Duration::from_millis(if scale() == 1 { 30 } else { 3 })
}

const LONG: Duration = Duration::from_secs(2);

/// Returns random properties of the runs of a net. A third mention firings, and half are about fair
/// runs only.
fn properties(seed: u64, net: &Net, count: usize) -> Vec<RunProperty> {
    let mut rng = Rng::with_seed(seed);
    let mut atoms: Vec<RunAtom> =
        (0..3).map(|_| RunAtom::Holds(random_predicate(&mut rng, net, 2))).collect();
    if rng.u8(..3) == 0 && net.transition_count() > 0 {
        atoms[2] = RunAtom::Fires(vec![TransitionId::new(rng.usize(..net.transition_count()))]);
    }
    let mut formulas = Ltl::default();
    let property = |_| {
        let operators = rng.usize(1..6);
        let formula = random_ltl(&mut formulas, &mut rng, 3, operators);
        let property = RunProperty::new(&formulas, formula, &atoms);
        property.with_fairness(random_fairness(&mut rng, net))
    };
    (0..count).map(property).collect()
}

/// Runs these engines on properties of random nets and compares the results with the truth. Returns
/// the numbers of found runs and of excluded properties.
fn tried(engines: &'static [Engine], time: Duration, count: u64) -> (usize, usize) {
    tried_by(&RunConfig { engines, threads: 1, ..RunConfig::default() }, time, count)
}

/// Like [`tried`], with any configuration.
fn tried_by(config: &RunConfig, time: Duration, count: u64) -> (usize, usize) {
    let (mut found, mut excluded) = (0, 0);
    for seed in 0..scaled(count) {
        let net = random(seed, &Shape::small(seed));
        shrinking(&net, |net| {
            let Some(space) = explore(net, OracleLimits { states: 200, tokens: 60 }) else {
                return;
            };
            let all = properties(seed, net, 4);
            let goals: Vec<Goal> = all.iter().map(|it| Goal::Run(Box::new(it.clone()))).collect();
            let truth: Vec<bool> =
                goals.iter().map(|goal| space.answer(goal) == GoalTruth::Exists(true)).collect();
            let budget = Budget::unlimited().slice(time);
            let report = run_net(net, Plan::of_goals(goals), config, &budget, |event| {
                if let Event::Settled { id, knowledge: Knowledge::Run(run), .. } = event {
                    let exists = matches!(run, RunKnowledge::Exists { .. });
                    assert_eq!(exists, truth[id.index()], "net {seed}, {id:?}: {run:?}");
                    found += usize::from(exists);
                    excluded += usize::from(!exists);
                }
            });
            assert_eq!(report.faults, 0, "net {seed}");
        });
    }
    (found, excluded)
}

#[test]
fn every_engine_alone_is_right_about_runs() {
    for engine in ENGINES.iter().filter(|it| it.supported.kinds.contains(&GoalKind::Run)) {
        let engines: &'static [Engine] = Vec::leak(vec![*engine]);
        let time = if engine.result_kinds == ResultKinds::Witnesses { short() } else { LONG };
        let (found, excluded) = tried(engines, time, 150);
        match engine.role {
            Role::RunProofs | Role::TreeDiagrams => {
                assert!(found == 0 && excluded > 50, "{engine:?}: {excluded}");
            }
            // The engine for growing runs leaves nets alone in which all places have proved bounds.
            _ if engine.name == "growing runs" => assert!(found > 50, "{found}, {excluded}"),
            _ => assert!(found > 100, "{engine:?}: {found}, {excluded}"),
        }
    }
}

/// Runs found on reduced nets are replayed on the original net. The absence of runs on a reduced
/// net implies nothing.
#[test]
fn runs_of_reduced_nets_are_replayed_and_their_absence_proves_nothing() {
    let schedule = Some(Schedule::own_runs_only());
    let engines = Vec::leak(ENGINES.iter().filter(|it| it.role == Role::Runs).copied().collect());
    let config = RunConfig { engines, threads: 1, schedule, ..RunConfig::default() };
    let (found, excluded) = tried_by(&config, LONG, 300);
    assert!(found > 50 && excluded == 0, "{found}, {excluded}");
}

#[test]
fn answers_of_complete_runs_about_run_properties_are_right() {
    let (found, excluded) = tried(ENGINES, LONG, 100);
    assert!(found > 100 && excluded > 100, "{found}, {excluded}");
}
