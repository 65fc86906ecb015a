//! Proofs by induction against enumeration: with more time, on more nets, and what stops them.

use crate::support::documents::refutes;
use crate::support::oracle::{Limits, Truth, explore};
use crate::support::scale::scaled;
use parikh::board::{Board, Knowledge, Reach};
use parikh::engine::intervals::Intervals;
use parikh::engine::pdr;
use parikh::engine::registry::Assignment;
use parikh::ground::Ground;
use parikh::net::generate::{Shape, random, random_goals};
use parikh::net::{Facts, Goal, GoalId, Net, Predicate};
use parikh::solvers::Budget;
use parikh::structure;
use std::time::Duration;

/// What came of some goals.
#[derive(Debug, Default)]
struct Tally {
    reached: usize,
    refuted: usize,
    bounded: usize,
    open: usize,
}

/// Runs it alone on a net, with what place invariants say or with nothing.
fn run(net: &Net, goals: &[Goal], with_facts: bool, time: Duration, tally: &mut Tally, seed: u64) {
    let context = || format!("seed {seed}, {with_facts}:\n{}", parikh::net::text::print(net));
    let mut facts = Facts::none(net);
    if with_facts {
        let flows = structure::flows::place_flows(net, &Budget::unlimited()).unwrap();
        structure::bounds::place_bounds(net, &flows, &Budget::unlimited()).write(&mut facts);
    }
    let board = Board::new(net, goals.to_vec());
    let listed = goals.iter().cloned().enumerate().map(|(i, goal)| (GoalId::new(i), goal));
    let known = Intervals::new(net, &facts);
    let ground = Ground::original(net, listed.collect(), facts, &known);
    let work = Assignment {
        ground: &ground,
        board: &board,
        seed: 1,
        threads: 2,
        dump: None,
        smt_solver: None,
        hints: vec![],
    };
    let mut session = (pdr::ENGINE.start)(work).expect("works on any net");
    session.slice(&Budget::lasting(time));
    assert_eq!(board.faults(), 0, "{}", context());
    let Some(space) = explore(net, Limits { states: 5000, tokens: 1000 }) else { return };
    for (id, goal) in board.ids().zip(goals) {
        tally.open += usize::from(board.is_open(id));
        match (space.answer(goal), board.knowledge(id).expect("no contradiction")) {
            (Truth::Reachable(truth), Knowledge::Reach(reach)) => match reach {
                Reach::Open => {}
                Reach::Reached { .. } => {
                    assert!(truth, "{goal:?}: {}", context());
                    tally.reached += 1;
                }
                Reach::Unreachable { proof, .. } => {
                    assert!(!truth, "{goal:?}: {}", context());
                    let document = proof.document.expect("always with one");
                    let Goal::Reach(predicate) = goal else { panic!("{goal:?}") };
                    assert_eq!(refutes(&document, net, predicate), Ok(()), "{}", context());
                    assert!(refutes(&document, net, &Predicate::True).is_err(), "{}", context());
                    tally.refuted += 1;
                }
            },
            (Truth::Maximum(truth), Knowledge::Maximum(maximum)) => {
                let proved = maximum.proved.map(|proved| proved.0);
                assert!(proved.is_none_or(|proved| proved >= truth), "{goal:?}: {}", context());
                let seen = maximum.seen.map(|seen| seen.0);
                assert!(seen.is_none_or(|seen| seen <= truth), "{goal:?}: {}", context());
                tally.bounded += usize::from(proved == Some(truth));
            }
            _ => unreachable!("a goal and its knowledge are of one kind"),
        }
    }
}

#[test]
fn proofs_by_induction_say_what_enumeration_says() {
    let mut tally = Tally::default();
    for seed in 0..scaled(1500) {
        let net = random(seed, &Shape::small(seed));
        if explore(&net, Limits { states: 500, tokens: 200 }).is_none() {
            continue;
        }
        let mut goals = random_goals(seed, &net, 4);
        goals.push(Goal::Reach(Predicate::Dead));
        run(&net, &goals, seed % 2 == 0, Duration::from_millis(100), &mut tally, seed);
    }
    println!("{tally:?}");
    let settled = tally.reached + tally.refuted + tally.bounded;
    assert!(tally.refuted > 300 && tally.reached > 300 && tally.bounded > 100, "{tally:?}");
    assert!(tally.open * 5 < settled, "{tally:?}");
}

/// Nets whose documents were refused once: of a sum that keeps its remainder for all transitions but one that
/// never fires, and of one whose places were spoken of nowhere else.
#[test]
fn sums_that_keep_their_remainder_are_shown_to() {
    let mut tally = Tally::default();
    for seed in [14_974, 48_508, 202_359] {
        let net = random(seed, &Shape::small(seed));
        let mut goals = random_goals(seed, &net, 3);
        goals.push(Goal::Reach(Predicate::Dead));
        run(&net, &goals, false, Duration::from_secs(5), &mut tally, seed);
    }
    assert!(tally.refuted + tally.bounded > 1, "{tally:?}");
}
