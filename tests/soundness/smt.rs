//! Engines with an SMT solver against enumeration, with more time than among all other engines, and
//! on numbers beyond other engines.

use crate::support::documents::refutes;
use crate::support::oracle::{GoalTruth, OracleLimits, explore};
use crate::support::scale::scaled;
use parikh::board::{Board, Knowledge, ReachKnowledge};
use parikh::engine::smt;
use parikh::engine::{Assignment, Engine};
use parikh::net::{Facts, Goal, GoalId, LinearSum, Net, Predicate, text};
use parikh::solvers::Budget;
use parikh::structure;
use parikh::structure::intervals::Intervals;
use parikh::working_net::WorkingNet;
use parikh_generate::{Shape, random, random_goals};
use std::time::Duration;

/// Runs an engine on goals, with bounds from place invariants. Returns the knowledge and the
/// engine's statistics.
fn work(
    engine: &Engine,
    net: &Net,
    goals: &[Goal],
    time: Duration,
) -> (Vec<(GoalId, Knowledge)>, String) {
    let mut facts = Facts::empty(net);
    let flows = structure::flows::place_flows(net, &Budget::unlimited()).unwrap();
    structure::bounds::place_bounds(net, &flows, &Budget::unlimited()).write(&mut facts);
    let board = Board::new(net, goals.to_vec());
    let listed = goals.iter().cloned().enumerate().map(|(i, goal)| (GoalId::new(i), goal));
    let known = Intervals::new(net, &facts);
    let working_net = WorkingNet::original(net, listed.collect(), facts, &known);
    let work = Assignment::new(&working_net, &board, 1);
    let mut session = (engine.start)(work).expect("Z3 is here");
    session.slice(&Budget::lasting(time));
    assert_eq!(board.faults(), 0, "{}", text::print(net));
    let known = board.ids().map(|id| (id, board.knowledge(id).expect("no contradiction")));
    (known.collect(), session.statistics())
}

#[test]
fn smt_engines_agree_with_enumeration() {
    let (mut reachable, mut reached, mut maxima, mut met, mut refuted) = (0, 0, 0, 0, 0);
    for seed in 0..scaled(150) {
        let net = random(seed, &Shape::small(seed));
        let Some(space) = explore(&net, OracleLimits { states: 500, tokens: 200 }) else {
            continue;
        };
        let mut goals = random_goals(seed, &net, 3);
        goals.push(Goal::Reach(Predicate::Dead));
        for engine in [smt::BMC, smt::K_INDUCTION] {
            let (known, _) = work(&engine, &net, &goals, Duration::from_millis(60));
            for (goal, (_, known)) in goals.iter().zip(known) {
                let context =
                    || format!("{engine:?}, seed {seed}: {goal:?}\n{}", text::print(&net));
                match (space.answer(goal), known) {
                    (GoalTruth::Reachable(truth), Knowledge::Reach(reach)) => {
                        let is_bmc = engine.name == smt::BMC.name;
                        reachable += usize::from(truth && is_bmc);
                        match reach {
                            ReachKnowledge::Open => {}
                            ReachKnowledge::Reached { .. } => {
                                assert!(truth, "{}", context());
                                reached += usize::from(is_bmc);
                            }
                            ReachKnowledge::Unreachable { proof, .. } => {
                                assert!(!truth, "{}", context());
                                let document = proof.document.expect("always with one");
                                let Goal::Reach(predicate) = goal else { panic!("{goal:?}") };
                                assert_eq!(refutes(&document, &net, predicate), Ok(()));
                                refuted += 1;
                            }
                        }
                    }
                    (GoalTruth::Maximum(truth), Knowledge::Maximum(maximum)) => {
                        let seen = maximum.largest_seen.map(|seen| seen.value);
                        assert!(seen.is_none_or(|seen| seen <= truth), "{}", context());
                        let proved = maximum.proved.map(|proved| proved.bound);
                        assert!(proved.is_none_or(|proved| proved >= truth), "{}", context());
                        maxima += 1;
                        met += usize::from(seen == Some(truth));
                    }
                    _ => unreachable!("a goal and its knowledge are of one kind"),
                }
            }
        }
    }
    println!("{reached} of {reachable} reached, {met} of {maxima} maxima met, {refuted} refuted");
    assert!(reached * 10 > reachable * 8 && reachable > 50, "{reached} of {reachable}");
    assert!(met * 2 > maxima && refuted > 20, "{met} of {maxima} met, {refuted} refuted");
}

/// Unbounded places, a billion tokens, weights: none is harder for arithmetic.
#[test]
fn large_numbers_take_few_steps() {
    let net = text::parse(
        "place p 1000000000\nplace lock 1\nplace q\nplace r\nplace s
         transition move: 3*p + lock -> 2*q + lock\ntransition back: 5*q -> r
         transition grow: 7*r -> 9*r\ntransition source: -> s",
    )
    .unwrap();
    let at_least = |name: &str, tokens| Predicate::at_least(net.place_named(name).unwrap(), tokens);
    let few = |name: &str| Predicate::at_most(LinearSum::place(net.place_named(name).unwrap()), 3);
    let goals = [
        Goal::Reach(at_least("q", 600_000_000)),
        Goal::Reach(Predicate::and([at_least("r", 100_000_000), few("q")])),
        Goal::Reach(Predicate::and([at_least("r", 2_000_000_000), at_least("s", 1 << 40)])),
        // One too many: `move` fires at most 333 333 333 times, and adds 2 tokens each time.
        Goal::Reach(at_least("q", 666_666_667)),
        Goal::Maximise(LinearSum::place(net.place_named("s").unwrap())),
    ];
    let (known, said) = work(&smt::BMC, &net, &goals, Duration::from_secs(5));
    for (id, known) in &known[..3] {
        assert!(
            matches!(known, Knowledge::Reach(ReachKnowledge::Reached { .. })),
            "{id:?}: {said}"
        );
    }
    assert!(matches!(known[3].1, Knowledge::Reach(ReachKnowledge::Open)), "{said}");
    let Knowledge::Maximum(maximum) = &known[4].1 else { panic!() };
    assert!(maximum.largest_seen.as_ref().unwrap().value > 1 << 60, "{said}");
    assert!(maximum.proved.is_none());
}

/// The default portfolio uses the integer encoding only on nets whose numbers are too large for
/// clauses.
#[test]
fn the_default_engine_runs_on_nets_with_many_tokens() {
    let goals = |net: &Net| {
        let q = net.place_named("q").unwrap();
        [Goal::Reach(Predicate::at_least(q, 1))]
    };
    let wide = text::parse("place p 1000\nplace q\ntransition t: 700*p -> q").unwrap();
    let (known, said) = work(&smt::WIDE, &wide, &goals(&wide), Duration::from_secs(5));
    assert!(matches!(known[0].1, Knowledge::Reach(ReachKnowledge::Reached { .. })), "{said}");
    let narrow = text::parse("place p 1\nplace q\ntransition t: p -> q").unwrap();
    let (known, said) = work(&smt::WIDE, &narrow, &goals(&narrow), Duration::from_secs(5));
    assert!(matches!(known[0].1, Knowledge::Reach(ReachKnowledge::Open)), "{said}");
    assert!(said.contains("no place has many values"), "{said}");
}

/// A goal that needs two steps of induction, and a reachable goal, for which no number of steps
/// suffices.
#[test]
fn step_cases_become_invariants_or_no_answer() {
    let net = text::parse(
        "place a 1\nplace b\nplace c\nplace d\nplace x\nplace y 1
         transition t: a -> b\ntransition u: b -> a
         transition v: c -> d\ntransition w: y -> y + x",
    )
    .unwrap();
    let at_least = |name: &str| Predicate::at_least(net.place_named(name).unwrap(), 1);
    // Place d is only marked from c, which is never marked.
    let goals = [Goal::Reach(at_least("d")), Goal::Reach(at_least("x"))];
    let (known, said) = work(&smt::K_INDUCTION, &net, &goals, Duration::from_secs(5));
    let Knowledge::Reach(ReachKnowledge::Unreachable { proof, .. }) = &known[0].1 else {
        panic!("{said}")
    };
    assert!(refutes(proof.document.as_ref().unwrap(), &net, &at_least("d")).is_ok());
    assert!(matches!(known[1].1, Knowledge::Reach(ReachKnowledge::Open)), "{said}");
    assert!(said.starts_with("1 step cases hold, 1 goals settled"), "{said}");
}
