//! Propositional unrolling against plain enumeration: the markings reached within k firings, with
//! each encoding of tokens, and one or many firings per step. Nets of parallel processes have
//! components and true unit claims. Random small nets have weights, unbounded places and false
//! claims.

use crate::support::scale::scaled;
use fastrand::Rng;
use parikh::encodings::propositional::{PropositionalGoal, TokenEncoding};
use parikh::encodings::{EncodeError, Encoding, EncodingPart, Numbers};
use parikh::net::units::Unit;
use parikh::net::{
    Facts, Goal, LinearSum, Marking, Net, NetBuilder, PlaceId, Predicate, UnitId, Units, text,
};
use parikh::solvers::Budget;
use parikh::solvers::sat::{SatAnswer, SatSolver};
use parikh::solvers::sat_batsat::BatSat;
use parikh::structure::facts::facts_for;
use parikh_generate::{Shape, random, random_goals};
use std::collections::HashMap;

/// Returns a net of processes that move alone or in pairs, read each other's places, start and
/// stop, and use a buffer. The running places of a process form a unit.
fn processes(seed: u64) -> Net {
    let mut rng = Rng::with_seed(seed);
    let mut builder = NetBuilder::new("processes");
    let mut tokens = Vec::new();
    let mut place = |builder: &mut NetBuilder, name: &str, first| {
        tokens.push(first);
        builder.place(name, first).unwrap()
    };
    let buffer = place(&mut builder, "buffer", rng.u64(..2));
    let unit = |name: &str, places, parent| Unit { name: name.into(), places, parent };
    let root = Some(UnitId::new(0));
    let mut units = vec![unit("root", Vec::new(), None), unit("shared", vec![buffer], root)];
    let mut own: Vec<Vec<PlaceId>> = Vec::new();
    for process in 0..rng.usize(2..5) {
        let rests = rng.u64(..2);
        // A process that both runs and rests initially breaks the claim when it starts again.
        let runs = if rng.u8(..16) == 0 { 1 } else { 1 - rests };
        let rests = place(&mut builder, &format!("rest{process}"), rests);
        units.push(unit(&format!("r{process}"), vec![rests], root));
        let first = |at| if at == 0 { runs } else { 0 };
        let runs = 0..rng.usize(2..5);
        let runs = runs.map(|at| place(&mut builder, &format!("p{process}_{at}"), first(at)));
        let places: Vec<PlaceId> = runs.collect();
        units.push(unit(&format!("u{process}"), places.clone(), root));
        own.push([&[rests][..], &places].concat());
    }
    for at in 0..rng.usize(4..10) {
        let t = builder.transition(&format!("t{at}")).unwrap();
        let mut all: Vec<usize> = (0..own.len()).collect();
        rng.shuffle(&mut all);
        for &process in &all[..1 + usize::from(rng.u8(..4) == 0)] {
            let mut place = || own[process][rng.usize(..own[process].len())];
            builder.take(t, place(), 1).unwrap();
            builder.put(t, place(), 1).unwrap();
        }
        if let (Some(&process), true) = (all.get(2), rng.bool()) {
            let read = own[process][rng.usize(..own[process].len())];
            builder.take(t, read, 1).unwrap();
            builder.put(t, read, 1).unwrap();
        }
        match rng.usize(..12) {
            0 => builder.put(t, buffer, rng.u64(1..3)).unwrap(),
            1 | 2 => builder.take(t, buffer, rng.u64(1..3)).unwrap(),
            _ => {}
        }
    }
    if let Ok(units) = Units::new(units, UnitId::new(0), true, &Marking::new(tokens), |_| "") {
        builder.set_units(units);
    }
    builder.build().unwrap()
}

/// Returns the length of a shortest firing sequence to each marking, up to `most` firings.
fn depths(net: &Net, most: u32) -> HashMap<Marking, u32> {
    let mut depths = HashMap::from([(net.initial().clone(), 0)]);
    let mut last = vec![net.initial().clone()];
    for depth in 1..=most {
        for marking in std::mem::take(&mut last) {
            for t in net.transitions() {
                let mut next = marking.clone();
                if net.fire(&mut next, t).is_ok() && !depths.contains_key(&next) {
                    depths.insert(next.clone(), depth);
                    last.push(next);
                }
            }
        }
    }
    depths
}

#[derive(Default, Debug)]
struct Tally {
    asked: usize,
    reached: usize,
    /// Number of goals reached in fewer steps than firings.
    sooner: usize,
    /// Number of goals on nets whose claims hold.
    claimed: usize,
}

const MOST: u32 = 3;

fn compare(net: &Net, goals: &[Predicate], seed: u64, tally: &mut Tally) {
    let within = depths(net, MOST);
    let claim_holds = within.keys().all(|m| net.units().is_none_or(|u| u.breach(m).is_none()));
    let encoding =
        |part: EncodingPart, k| Encoding::new([part], Numbers::Bits).unwrap().with_steps(k);
    let facts = facts_for(net, &encoding(EncodingPart::Steps, 1), 0, &Budget::unlimited()).unwrap();
    for goal in goals {
        let shortest = within.iter().filter(|(m, _)| goal.holds(net, m)).map(|(_, &d)| d).min();
        for (values, part, k) in TokenEncoding::ALL.into_iter().flat_map(|values| {
            let parts = [EncodingPart::Unrolling, EncodingPart::Steps].into_iter();
            parts.flat_map(move |part| (1..=MOST).map(move |k| (values, part, k)))
        }) {
            let about =
                || format!("net {seed}, {values}, {part}, {k}: {goal:?}\n{}", text::print(net));
            let asked = Goal::Reach(goal.clone());
            let question = PropositionalGoal::new(net, &asked, &encoding(part, k), values, &facts);
            let question = question.unwrap_or_else(|error| panic!("{error}: {}", about()));
            let mut sat = BatSat::new();
            sat.add_all(question.cnf());
            let answer = sat.solve(&[], &Budget::unlimited());
            let soon = shortest.is_some_and(|depth| depth <= k);
            tally.asked += 1;
            tally.claimed += usize::from(net.units().is_some() && claim_holds);
            match answer {
                SatAnswer::Satisfiable(model) => {
                    let mut marking = net.initial().clone();
                    for step in question.firing_sequence(&model).steps() {
                        for _ in 0..step.count {
                            let fired = net.fire(&mut marking, step.transition);
                            fired.unwrap_or_else(|_| panic!("{}", about()));
                        }
                    }
                    assert!(goal.holds(net, &marking), "{}", about());
                    assert!(soon || part == EncodingPart::Steps, "{}", about());
                    tally.reached += 1;
                    tally.sooner += usize::from(!soon);
                }
                SatAnswer::Unsatisfiable { .. } => {
                    // Only encodings that use components may be wrong, if the units' claim is
                    // false.
                    assert!(!soon || !claim_holds && values != TokenEncoding::Order, "{}", about());
                }
                SatAnswer::NoAnswer(why) => panic!("{why}"),
            }
        }
    }
}

fn goals(seed: u64, net: &Net) -> Vec<Predicate> {
    let mut goals = vec![Predicate::Dead];
    for goal in random_goals(seed, net, 3) {
        if let Goal::Reach(predicate) = goal {
            goals.push(predicate);
        }
    }
    goals
}

#[test]
fn unrollings_reach_exactly_the_markings_within_their_bound() {
    let mut tally = Tally::default();
    for seed in 0..scaled(300) {
        let net = random(seed, &Shape::small(seed));
        compare(&net, &goals(seed, &net), seed, &mut tally);
    }
    eprintln!("{tally:?}");
    assert!(tally.reached * 10 > tally.asked && tally.sooner > 50, "{tally:?}");
}

#[test]
fn encoded_components_exclude_no_reachable_goal() {
    let mut tally = Tally::default();
    for seed in 0..scaled(300) {
        let net = processes(seed);
        let mut goals = goals(seed, &net);
        // Goals about the places of several processes at once.
        let mut rng = Rng::with_seed(seed);
        let places: Vec<PlaceId> = net.places().collect();
        goals.extend((0..3).map(|_| {
            let mut marked = || Predicate::at_least(places[rng.usize(..places.len())], 1);
            Predicate::and([marked(), marked(), marked()])
        }));
        compare(&net, &goals, seed, &mut tally);
    }
    eprintln!("{tally:?}");
    assert!(tally.sooner > 30 && tally.claimed * 2 > tally.asked, "{tally:?}");
    assert!(tally.claimed < tally.asked, "{tally:?}");
}

/// Ten processes with two firings each: two steps suffice, and the places of a process are numbers
/// in binary.
#[test]
fn a_step_is_many_firings_and_a_component_few_variables() {
    let mut source = String::new();
    for process in 0..10 {
        let at = |at: usize| format!("a{process}_{at}");
        (0..8).for_each(|n| source += &format!("place {} {}\n", at(n), u8::from(n == 0)));
        for n in 0..8 {
            source += &format!("transition t{process}_{n}: {} -> {}\n", at(n), at((n + 3) % 8));
        }
    }
    let net = text::parse(&source).unwrap();
    let last = |process| Predicate::at_least(net.place_named(&format!("a{process}_6")).unwrap(), 1);
    let goal = Goal::Reach(Predicate::and((0..10).map(last)));
    let encoding = Encoding::new([EncodingPart::Steps], Numbers::Bits).unwrap().with_steps(2);
    let facts = facts_for(&net, &encoding, 0, &Budget::unlimited()).unwrap();
    let ask = |values, encoding: &Encoding| {
        let question = PropositionalGoal::new(&net, &goal, encoding, values, &facts).unwrap();
        let mut sat = BatSat::new();
        sat.add_all(question.cnf());
        let fired = match sat.solve(&[], &Budget::unlimited()) {
            SatAnswer::Satisfiable(model) => Some(question.firing_sequence(&model).firings()),
            _ => None,
        };
        (fired, question)
    };
    for values in TokenEncoding::ALL {
        let (fired, question) = ask(values, &encoding);
        assert_eq!(fired, Some(20), "{values}");
        let (fired, _) = ask(
            values,
            &Encoding::new([EncodingPart::Unrolling], Numbers::Bits).unwrap().with_steps(2),
        );
        assert_eq!(fired, None, "{values}");
        let mut text = Vec::new();
        question.write_dimacs(&mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains(" fire(1,t0_0)\n") && text.contains(" m2(a9_6) >= 1\n"), "{text}");
        // A component of eight places needs three bits.
        assert_eq!(
            text.matches("bit2(").count(),
            if values == TokenEncoding::Log { 30 } else { 0 }
        );
    }
    let refused = |goal: &Goal, parts: &[EncodingPart]| {
        let encoding = Encoding::new(parts.iter().copied(), Numbers::Bits).unwrap();
        PropositionalGoal::new(&net, goal, &encoding, TokenEncoding::Log, &facts)
            .map(|_| ())
            .unwrap_err()
    };
    assert_eq!(refused(&goal, &[EncodingPart::Flows]), EncodeError::OnlyBounded);
    let sum = Goal::Maximise(LinearSum::place(net.places().next().unwrap()));
    assert_eq!(refused(&sum, &[EncodingPart::Steps]), EncodeError::NoFirst(EncodingPart::Steps));
}

#[test]
fn a_place_with_too_many_values_is_declined() {
    let net =
        text::parse("place p\nplace q\ntransition t: -> 100*p\ntransition u: p -> q").unwrap();
    let goal = Goal::Reach(Predicate::at_least(net.place_named("q").unwrap(), 1));
    let encoding = Encoding::new([EncodingPart::Unrolling], Numbers::Bits).unwrap().with_steps(2);
    let refused =
        PropositionalGoal::new(&net, &goal, &encoding, TokenEncoding::Order, &Facts::empty(&net));
    let refused = refused.map(|_| ()).unwrap_err().to_string();
    assert!(refused.contains("too many possible values") && refused.contains("LIA"), "{refused}");
}
