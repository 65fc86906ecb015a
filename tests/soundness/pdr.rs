//! Proofs by induction against enumeration: more time, more nets, and the limits.

use crate::support::documents::refutes;
use crate::support::oracle::{GoalTruth, OracleLimits, explore};
use crate::support::scale::scaled;
use fastrand::Rng;
use parikh::board::{Board, Knowledge, ReachKnowledge};
use parikh::engine::pdr;
use parikh::engine::{Assignment, Engine};
use parikh::net::{Facts, Goal, GoalId, LinearSum, Net, NetBuilder, PlaceId, Predicate};
use parikh::solvers::Budget;
use parikh::structure;
use parikh::structure::intervals::Intervals;
use parikh::working_net::WorkingNet;
use parikh_generate::{Shape, random, random_goals};
use std::time::Duration;

/// Time limit per random net.
const TIME: Duration = Duration::from_millis(100);

/// Counters of the goals by result.
#[derive(Debug, Default)]
struct Tally {
    reached: usize,
    refuted: usize,
    bounded: usize,
    open: usize,
}

/// Runs the engine alone on a net, with or without bounds from place invariants. Returns the
/// knowledge of each goal.
fn run(
    engine: &Engine,
    net: &Net,
    goals: &[Goal],
    with_facts: bool,
    time: Duration,
    tally: &mut Tally,
    seed: u64,
) -> Vec<Knowledge> {
    let context =
        || format!("seed {seed}, {with_facts}, {goals:?}:\n{}", parikh::net::text::print(net));
    let mut facts = Facts::empty(net);
    if with_facts {
        let flows = structure::flows::place_flows(net, &Budget::unlimited()).unwrap();
        structure::bounds::place_bounds(net, &flows, &Budget::unlimited()).write(&mut facts);
    }
    let board = Board::new(net, goals.to_vec());
    let listed = goals.iter().cloned().enumerate().map(|(i, goal)| (GoalId::new(i), goal));
    let known = Intervals::new(net, &facts);
    let working_net = WorkingNet::original(net, listed.collect(), facts, &known);
    let work = Assignment { threads: 2, ..Assignment::new(&working_net, &board, 1) };
    let mut session = (engine.start)(work).expect("works on any net");
    session.slice(&Budget::lasting(time));
    assert_eq!(board.faults(), 0, "{}", context());
    let known: Vec<Knowledge> = board.ids().filter_map(|id| board.knowledge(id)).collect();
    assert_eq!(known.len(), goals.len(), "no contradiction: {}", context());
    let Some(space) = explore(net, OracleLimits { states: 5000, tokens: 1000 }) else {
        return known;
    };
    for (id, goal) in board.ids().zip(goals) {
        tally.open += usize::from(board.is_open(id));
        match (space.answer(goal), board.knowledge(id).expect("no contradiction")) {
            (GoalTruth::Reachable(truth), Knowledge::Reach(reach)) => match reach {
                ReachKnowledge::Open => {}
                ReachKnowledge::Reached { .. } => {
                    assert!(truth, "{goal:?}: {}", context());
                    tally.reached += 1;
                }
                ReachKnowledge::Unreachable { proof, .. } => {
                    assert!(!truth, "{goal:?}: {}", context());
                    let document = proof.document.expect("always with one");
                    let Goal::Reach(predicate) = goal else { panic!("{goal:?}") };
                    assert_eq!(refutes(&document, net, predicate), Ok(()), "{}", context());
                    assert!(refutes(&document, net, &Predicate::True).is_err(), "{}", context());
                    tally.refuted += 1;
                }
            },
            (GoalTruth::Maximum(truth), Knowledge::Maximum(maximum)) => {
                let proved = maximum.proved.map(|proved| proved.bound);
                assert!(proved.is_none_or(|proved| proved >= truth), "{goal:?}: {}", context());
                let seen = maximum.largest_seen.map(|seen| seen.value);
                assert!(seen.is_none_or(|seen| seen <= truth), "{goal:?}: {}", context());
                tally.bounded += usize::from(proved == Some(truth));
            }
            _ => unreachable!("a goal and its knowledge are of one kind"),
        }
    }
    known
}

#[test]
fn proofs_by_induction_agree_with_enumeration() {
    let mut tally = Tally::default();
    for seed in 0..scaled(1500) {
        let net = random(seed, &Shape::small(seed));
        if explore(&net, OracleLimits { states: 500, tokens: 200 }).is_none() {
            continue;
        }
        let mut goals = random_goals(seed, &net, 4);
        goals.push(Goal::Reach(Predicate::Dead));
        run(&pdr::ENGINE, &net, &goals, seed % 2 == 0, TIME, &mut tally, seed);
    }
    println!("{tally:?}");
    let settled = tally.reached + tally.refuted + tally.bounded;
    assert!(tally.refuted > 300 && tally.reached > 300 && tally.bounded > 100, "{tally:?}");
    assert!(tally.open * 5 < settled, "{tally:?}");
}

/// Nets whose certificates were once rejected. On one net, a sum keeps its remainder for all
/// transitions except one that never fires. On another net, the places of a sum occur nowhere else.
#[test]
fn certificates_prove_constant_remainders() {
    let mut tally = Tally::default();
    for seed in [14_974, 48_508, 202_359] {
        let net = random(seed, &Shape::small(seed));
        let mut goals = random_goals(seed, &net, 3);
        goals.push(Goal::Reach(Predicate::Dead));
        run(&pdr::ENGINE, &net, &goals, false, Duration::from_secs(5), &mut tally, seed);
    }
    assert!(tally.refuted + tally.bounded > 1, "{tally:?}");
}

/// Returns a net of independent parts, and the places of each part. For each part, firings change
/// the sum of its tokens by multiples of 2, or by multiples of 3.
fn parts_that_keep_their_remainders(rng: &mut Rng) -> (Net, Vec<Vec<PlaceId>>) {
    let mut builder = NetBuilder::new("parts");
    let mut parts = Vec::new();
    for part in 0..rng.usize(1..4) {
        let mut place = |at| builder.place(&format!("p{part}_{at}"), rng.u64(..4)).unwrap();
        let places: Vec<PlaceId> = (0..3).map(&mut place).collect();
        let places = places[..rng.usize(1..4)].to_vec();
        let modulus = rng.u64(2..4);
        for at in 0..rng.usize(1..4) {
            let t = builder.transition(&format!("t{part}_{at}")).unwrap();
            let any = |rng: &mut Rng| places[rng.usize(..places.len())];
            let (taken, more) = (rng.u64(1..4), rng.u64(..4) / 3 * modulus);
            for _ in 0..taken {
                builder.take(t, any(rng), 1).unwrap();
            }
            // The outputs equal the inputs, or are a multiple less, or rarely more.
            let less = rng.u64(..2) * (taken / modulus) * modulus;
            for _ in 0..taken - less + more {
                builder.put(t, any(rng), 1).unwrap();
            }
        }
        parts.push(places);
    }
    (builder.build().unwrap(), parts)
}

#[test]
fn sums_of_parts_that_keep_their_remainders_are_bounded_like_their_parts() {
    let (mut tally, mut by_depth) = (Tally::default(), Tally::default());
    for seed in 0..scaled(1500) {
        let mut rng = Rng::with_seed(seed);
        let (net, parts) = parts_that_keep_their_remainders(&mut rng);
        if explore(&net, OracleLimits { states: 500, tokens: 100 }).is_none() {
            continue;
        }
        let mut goals = Vec::new();
        for _ in 0..4 {
            let all: Vec<_> = parts.iter().flatten().filter(|_| rng.u32(..5) > 0).collect();
            let plain = rng.bool();
            let all: Vec<(PlaceId, i64)> = all
                .into_iter()
                .map(|&place| (place, if plain { 1 } else { [1, 1, 2, -1][rng.usize(..4)] }))
                .collect();
            let sum = LinearSum::new(all).unwrap();
            let value = sum.value(net.initial()) as i64;
            let atom = match rng.u32(..2) {
                0 => Predicate::at_most(sum.clone(), value - rng.i64(1..5)),
                _ => Predicate::at_most(sum.clone(), value + rng.i64(0..4)).negated(),
            };
            let place = PlaceId::new(rng.usize(..net.place_count()));
            goals.push(match rng.u32(..4) {
                0 if !sum.is_zero() => Goal::Maximise(sum),
                1 => Goal::Reach(Predicate::and([atom, Predicate::at_least(place, 1)])),
                _ => Goal::Reach(atom),
            });
        }
        run(&pdr::ENGINE, &net, &goals, seed % 2 == 0, TIME, &mut tally, seed);
        run(&pdr::K_INDUCTION, &net, &goals, seed % 2 == 0, TIME, &mut by_depth, seed);
    }
    println!("{tally:?}, {by_depth:?}");
    assert!(by_depth.refuted > 300, "{by_depth:?}");
    assert!(tally.refuted > 300 && tally.reached > 300 && tally.bounded > 100, "{tally:?}");
    assert!(tally.open * 20 < tally.reached + tally.refuted + tally.bounded, "{tally:?}");
}

/// With single clauses, ten of these parts need hundreds of clauses, and there are 300 parts.
#[test]
fn a_sum_of_hundreds_of_odd_numbers_is_bounded_at_once() {
    let mut builder = NetBuilder::new("odd");
    let mut terms = Vec::new();
    for part in 0..300 {
        let [a, b] = [("a", 3), ("b", 0)]
            .map(|(name, tokens)| builder.place(&format!("{name}{part}"), tokens).unwrap());
        for (name, from, taken, to, put) in [
            ("there", a, 1, b, 1),
            ("back", b, 1, a, 1),
            ("less", b, 2, b, 0),
            ("more", a, 1, a, 3),
        ] {
            let t = builder.transition(&format!("{name}{part}")).unwrap();
            builder.take(t, from, taken).unwrap();
            if put > 0 {
                builder.put(t, to, put).unwrap();
            }
        }
        terms.extend([(a, 1), (b, 1)]);
    }
    let net = builder.build().unwrap();
    let fewer = Predicate::at_most(LinearSum::new(terms).unwrap(), 299);
    let mut tally = Tally::default();
    let goals = [Goal::Reach(fewer.clone())];
    let known = run(&pdr::ENGINE, &net, &goals, false, Duration::from_secs(20), &mut tally, 0);
    let Some(Knowledge::Reach(ReachKnowledge::Unreachable { proof, .. })) = known.first() else {
        panic!("{known:?}")
    };
    let document = proof.document.as_ref().expect("always with one");
    assert_eq!(refutes(document, &net, &fewer), Ok(()));
}

#[test]
fn constant_sums_are_removed_from_larger_sums() {
    let mut builder = NetBuilder::new("inside");
    let [a, b, c] =
        [("a", 3), ("b", 0), ("c", 1)].map(|(name, tokens)| builder.place(name, tokens).unwrap());
    for (name, from, to) in [
        ("there", Some(a), Some(b)),
        ("back", Some(b), Some(a)),
        ("come", None, Some(c)),
        ("go", Some(c), None),
    ] {
        let t = builder.transition(name).unwrap();
        from.into_iter().for_each(|place| builder.take(t, place, 1).unwrap());
        to.into_iter().for_each(|place| builder.put(t, place, 1).unwrap());
    }
    let net = builder.build().unwrap();
    let sum = LinearSum::new([(a, 1), (b, 1), (c, 1)]).unwrap();
    let goals = [Goal::Reach(Predicate::at_most(sum, 2))];
    for engine in [pdr::ENGINE, pdr::K_INDUCTION] {
        let mut tally = Tally::default();
        let known = run(&engine, &net, &goals, true, Duration::from_secs(20), &mut tally, 0);
        let refuted = matches!(known[..], [Knowledge::Reach(ReachKnowledge::Unreachable { .. })]);
        assert!(refuted, "{}: {known:?}", engine.name);
    }
}
