//! What stays reachable wherever the net goes, against plain enumeration: each engine alone, and whole
//! runs for liveness, reversibility and formulas.

use crate::support::oracle::{Limits, StateSpace, explore};
use crate::support::scale::scaled;
use fastrand::Rng;
use parikh::answer::{Answer, Grade, Plan, Value};
use parikh::board::{Board, Home, Knowledge};
use parikh::engine::intervals::Intervals;
use parikh::engine::registry::{Assignment, ENGINES, Role};
use parikh::engine::{Task, explicit};
use parikh::evidence::replay;
use parikh::formula::Formula;
use parikh::ground::Ground;
use parikh::mcc::Examination;
use parikh::net::generate::{self, Shape};
use parikh::net::{Facts, Goal, GoalId, Net, Predicate, text};
use parikh::run::{self, Config, Event};
use parikh::solvers::Budget;
use std::collections::HashMap;
use std::time::Duration;

fn nets(first: u64, count: u64, mut test: impl FnMut(u64, &Net, &StateSpace<'_>)) {
    for seed in first..first + scaled(count) {
        let net = generate::random(seed, &Shape::small(seed));
        if let Some(space) = explore(&net, Limits { states: 300, tokens: 60 }) {
            test(seed, &net, &space);
        }
    }
}

/// That every transition is live, the initial marking stays reachable, and some predicates do.
fn homes(seed: u64, net: &Net) -> Vec<Predicate> {
    let mut rng = Rng::with_seed(seed);
    let mut homes: Vec<Predicate> = net.transitions().map(Predicate::Enabled).collect();
    if let [first, .., last] = &homes[..] {
        homes.push(Predicate::or([first.clone(), last.clone()]));
    }
    homes.push(Predicate::exactly(net.initial()));
    let random = generate::random_goals(rng.u64(..), net, 4).into_iter();
    homes.extend(random.filter_map(|goal| match goal {
        Goal::Reach(predicate) => Some(predicate),
        _ => None,
    }));
    homes
}

#[test]
fn each_engine_says_what_enumeration_says() {
    let mut settled: HashMap<&str, (u64, u64)> = HashMap::new();
    nets(40_000, 400, |seed, net, space| {
        let homes = homes(seed, net);
        let reach = homes.iter().cloned().map(Goal::Reach);
        let goals: Vec<Goal> = reach.chain(homes.iter().cloned().map(Goal::Home)).collect();
        let listed: Vec<(GoalId, Goal)> =
            goals.iter().enumerate().map(|(at, goal)| (GoalId::new(at), goal.clone())).collect();
        let facts = Facts::none(net);
        let known = Intervals::new(net, &facts);
        for engine in ENGINES.iter().filter(|engine| engine.role == Role::Homes) {
            let board = Board::new(net, goals.clone());
            let ground = Ground::original(net, listed.clone(), facts.clone(), &known);
            // What is reached may come before or after.
            let budget = Budget::unlimited().slice(Duration::from_secs(20));
            let reach = || {
                let task: Task<'_> = ground.task(&board, &budget, 1);
                let config = explicit::Config::default();
                explicit::run(&task, board.under("T"), board.over("T"), &config);
            };
            if seed % 2 == 0 {
                reach();
            }
            let (ground, board, hints) = (&ground, &board, Vec::new());
            let assignment = Assignment { ground, board, seed, dump: None, hints };
            let slice = Budget::unlimited().slice(Duration::from_millis(4));
            let slice = if engine.name == "regions" { &slice } else { &budget };
            (engine.start)(assignment).unwrap().slice(slice);
            if seed % 2 == 1 {
                reach();
            }
            assert_eq!(board.faults(), 0, "{} seed {seed}:\n{}", engine.name, text::print(net));
            for (at, wanted) in homes.iter().enumerate() {
                let stays = space.stays(wanted);
                let context = || format!("{} {wanted:?}:\n{}", engine.name, text::print(net));
                let counts = settled.entry(engine.name).or_default();
                match board.knowledge(GoalId::new(homes.len() + at)).unwrap() {
                    Knowledge::Home(Home::Open) => {
                        assert!(!engine.name.starts_with("graph"), "left open: {}", context());
                    }
                    Knowledge::Home(Home::Kept { .. }) => {
                        assert!(stays, "{}", context());
                        counts.0 += 1;
                    }
                    Knowledge::Home(Home::Lost { witness, .. }) => {
                        assert!(!stays, "{}", context());
                        if let Some(witness) = witness {
                            assert!(replay(net, &witness.to_sequence()).is_ok());
                        }
                        counts.1 += 1;
                    }
                    other => panic!("{other:?}"),
                }
            }
        }
    });
    for (engine, kept, lost) in [
        ("finite firings", 0, 50),
        ("commoner", 10, 0),
        ("undone", 5, 0),
        ("regions", 0, 100),
        ("graph", 100, 100),
        ("graph of a reduced net", 20, 20),
    ] {
        let found = settled[engine];
        assert!(found.0 >= scaled(kept) && found.1 >= scaled(lost), "{engine}: {found:?}");
    }
}

fn answers(net: &Net, plan: Plan, certified_only: bool) -> HashMap<String, Answer> {
    let budget =
        Budget::unlimited().slice(Duration::from_secs(if certified_only { 1 } else { 30 }));
    let config = Config { threads: 1, certified_only, ..Config::default() };
    let mut answers = HashMap::new();
    let report = run::run(net, plan, &config, &budget, |event| {
        if let Event::Answered(answer) = event {
            answers.insert(answer.id.clone(), answer.clone());
        }
    });
    assert_eq!(report.faults, 0, "{}", text::print(net));
    assert!(certified_only || report.unanswered.is_empty(), "{report:?}: {}", text::print(net));
    answers
}

#[test]
fn liveness_reversibility_and_formulas_are_answered_right() {
    nets(50_000, 120, |seed, net, space| {
        let mut plan = Plan::of_examination(Examination::Liveness, net).unwrap();
        for (number, wanted) in homes(seed, net).into_iter().enumerate() {
            let stays = Formula::stays_possible(&wanted);
            plan.ask_formula(&format!("stays {number}"), &stays, net).unwrap();
            let lost = Formula::Not(Box::new(stays));
            plan.ask_formula(&format!("lost {number}"), &lost, net).unwrap();
        }
        let answers = answers(net, plan, false);
        let context = || format!("seed {seed}:\n{}", text::print(net));
        let live = net.transitions().all(|t| space.stays(&Predicate::Enabled(t)));
        assert_eq!(answers["Liveness"].value, Value::Bool(live), "{}", context());
        for (number, wanted) in homes(seed, net).iter().enumerate() {
            let truth = space.stays(wanted);
            let value = |what: &str| answers[&format!("{what} {number}")].value;
            assert_eq!(value("stays"), Value::Bool(truth), "{wanted:?} {}", context());
            assert_eq!(value("lost"), Value::Bool(!truth), "{wanted:?} {}", context());
        }
    });
}

#[test]
fn what_is_asked_to_be_certified_rests_on_no_search() {
    let mut certified = 0;
    nets(60_000, 12, |seed, net, space| {
        let plan = Plan::of_examination(Examination::Liveness, net).unwrap();
        for answer in answers(net, plan, true).values() {
            let live = net.transitions().all(|t| space.stays(&Predicate::Enabled(t)));
            assert_eq!(answer.value, Value::Bool(live), "seed {seed}:\n{}", text::print(net));
            assert!(!matches!(answer.grade, Grade::Searched { .. }), "seed {seed}");
            certified += 1;
        }
    });
    assert!(certified >= scaled(4), "{certified}");
}
