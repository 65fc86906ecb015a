//! Coloured nets without their unfolding, against enumeration. Abstractions refute only unreachable
//! predicates, witnesses of walks replay, and the search for an enabled binding misses none.

use crate::examinations::expected;
use crate::support::oracle;
use crate::support::scale::scaled;
use crate::unfolding::{bindings, explore};
use parikh::answer::{AnswerWitness, Plan, QuestionValue};
use parikh::board::{Board, Knowledge};
use parikh::evidence::abstraction::{
    ColourClasses, ColouredModel, Quotient, SimulatingNet, base_sorts,
};
use parikh::mcc::Examination;
use parikh::run::{self, Event, RunConfig};
use parikh::unfold;
use parikh_generate::random_coloured;
use parikh_net::coloured::{ColouredNet, text};
use parikh_net::{Goal, LinearSum, Predicate, TransitionId};
use parikh_solvers::Budget;
use std::collections::BTreeMap;
use std::time::Duration;

/// Returns a random predicate over the nodes of a skeleton.
fn predicate(model: &ColouredModel, rng: &mut fastrand::Rng, depth: usize) -> Predicate {
    let net = model.skeleton().net();
    let t = |rng: &mut fastrand::Rng| TransitionId::new(rng.usize(..net.transition_count()));
    match rng.usize(0..if depth > 0 { 8 } else { 6 }) {
        0 => Predicate::Enabled(t(rng)),
        1 => Predicate::Disabled(t(rng)),
        2 => [Predicate::Dead, Predicate::NotDead][rng.usize(..2)].clone(),
        3..6 => {
            let place = net.places().nth(rng.usize(..net.place_count())).unwrap();
            let more = Predicate::at_least(place, rng.u64(0..4));
            if rng.bool() { more } else { more.negated() }
        }
        kind => {
            let parts: Vec<_> =
                (0..rng.usize(2..4)).map(|_| predicate(model, rng, depth - 1)).collect();
            if kind == 6 { Predicate::and(parts) } else { Predicate::or(parts) }
        }
    }
}

/// Returns the predicate weakened to the abstraction.
fn weakened(model: &ColouredModel, on: &SimulatingNet, predicate: &Predicate) -> Predicate {
    match on.weakened(model.skeleton(), &Goal::Reach(predicate.clone())) {
        Some(Goal::Reach(weakened)) => weakened,
        other => panic!("{other:?}"),
    }
}

/// Returns random classes of colours: of indistinguishable colours, of colours that constants do
/// not distinguish, or arbitrary.
pub(crate) fn some_classes(net: &ColouredNet, seed: u64) -> ColourClasses {
    let mut rng = fastrand::Rng::with_seed(seed);
    match seed % 4 {
        0 => Quotient::indistinguishable(net),
        1 => ColourClasses::by_constants(net),
        2 => {
            let erase: Vec<bool> = net.sorts().iter().map(|_| rng.bool()).collect();
            ColourClasses::by_key(net, |sort, colour| if erase[sort.index()] { 0 } else { colour })
        }
        _ => {
            let some = rng.u64(2..4);
            ColourClasses::by_key(net, |sort, colour| (colour * 7 + sort.index() as u64) % some)
        }
    }
}

#[test]
fn merging_colours_keeps_goals_reachable_and_exact_merging_adds_none() {
    let (mut exact, mut finer, mut unreachable, mut spurious) = (0, 0, 0, 0);
    for seed in 0..scaled(2_000) {
        let net = random_coloured(seed);
        let Some((markings, _)) = explore(&net, 100) else { continue };
        let model = ColouredModel::new(net).unwrap();
        let net = model.net();
        let mut rng = fastrand::Rng::with_seed(seed);
        let classes = some_classes(net, seed);
        let Some(quotient) = Quotient::of(net, &classes) else { continue };
        let shown =
            || format!("seed {seed}\n{}\n{}", text::print(net), text::print(quotient.net()));
        let config = unfold::UnfoldingConfig::default();
        let (flat, _) = unfold::unfold(quotient.net(), &config, &Budget::unlimited()).unwrap();
        let on = SimulatingNet::of_quotient(&quotient, flat);
        let limits = oracle::OracleLimits { states: 2_000, tokens: 1_000 };
        let Some(space) = oracle::explore(on.net(), limits) else {
            // An exact quotient has finitely many markings, like the net.
            assert!(!quotient.is_exact(), "{}", shown());
            continue;
        };
        if quotient.is_exact() && !classes.is_trivial() {
            exact += 1;
            let sorts = base_sorts(net).filter_map(|(_, sort)| classes.of(sort));
            finer += u64::from({ sorts }.any(|of| of.iter().any(|&class| class > 0)));
        }
        for _ in 0..10 {
            let goal = predicate(&model, &mut rng, 2);
            let weakened = weakened(&model, &on, &goal);
            let there = markings.iter().any(|it| model.holds(&goal, it).unwrap());
            let here = space.markings().iter().any(|it| weakened.holds(on.net(), it));
            assert!(!there || here, "{goal:?} {weakened:?}: {}", shown());
            assert!(there || !here || !quotient.is_exact(), "{goal:?} {weakened:?}: {}", shown());
            unreachable += u64::from(!here);
            spurious += u64::from(here && !there);
        }
    }
    let least = scaled(2_000) / 40;
    assert!(
        exact > least && finer > least / 4 && unreachable > least && spurious > least,
        "{exact} {finer} {unreachable} {spurious}"
    );
}

#[test]
fn the_skeleton_simulates_every_firing_and_weakened_goals_are_implied() {
    let mut steps = 0;
    for seed in 0..scaled(1_000) {
        let net = random_coloured(seed);
        let Some((markings, _)) = explore(&net, 100) else { continue };
        let model = ColouredModel::new(net).unwrap();
        let (net, skeleton) = (model.net(), model.skeleton());
        assert!(skeleton.is_complete());
        let shown = || format!("seed {seed}\n{}", text::print(net));
        let folding = skeleton.net().folding().unwrap();
        let mut rng = fastrand::Rng::with_seed(seed);
        let goals: Vec<Predicate> = (0..10).map(|_| predicate(&model, &mut rng, 2)).collect();
        for marking in &markings {
            let totals = model.totals(marking).unwrap();
            for (at, t) in net.transition_ids().enumerate() {
                let mut enabled = false;
                for binding in bindings(net, t) {
                    let mut after = marking.clone();
                    if net.fire(&mut after, t, &binding).is_err() {
                        continue;
                    }
                    enabled = true;
                    steps += 1;
                    let after = model.totals(&after).unwrap();
                    let goes_along = folding.transitions(at).any(|it| {
                        let mut totals = totals.clone();
                        skeleton.net().fire(&mut totals, it).is_ok() && totals == after
                    });
                    assert!(goes_along, "{}", shown());
                }
                let found = net.some_binding(marking, t, &mut 1_000_000).unwrap();
                assert_eq!(found.is_some(), enabled, "{}", shown());
                if let Some(binding) = found {
                    assert_eq!(net.fire(&mut marking.clone(), t, &binding), Ok(()));
                }
            }
            for goal in &goals {
                let weakened = weakened(&model, skeleton.abstraction(), goal);
                let holds = model.holds(goal, marking).unwrap();
                let also = weakened.holds(skeleton.net(), &totals);
                assert!(!holds || also, "{goal:?} weakened to {weakened:?}: {}", shown());
            }
        }
    }
    assert!(steps > 2 * scaled(1_000), "{steps}");
}

/// Runs a plan without unfolding and compares the answers with the expected ones.
fn compare(
    model: &ColouredModel,
    plan: Plan,
    right: &BTreeMap<String, QuestionValue>,
    answered: &mut BTreeMap<String, usize>,
) {
    let shown = || text::print(model.net());
    let config = RunConfig { threads: 2, ..RunConfig::default() };
    let budget = Budget::unlimited().slice(Duration::from_millis(40));
    let report = run::run_coloured(model, plan, &config, &budget, |event| {
        let Event::Answered(answer) = event else { return };
        assert_eq!(answer.value, right[&answer.id], "{}: {answer:?}\n{}", answer.id, shown());
        if let Some(AnswerWitness::Firings(sequence)) = &answer.exhibit {
            let all = sequence.firings() as u64;
            model.visit(sequence, [all], |_, _| {}).unwrap();
        }
        let kind = answer.id.split(' ').next().unwrap();
        *answered.entry(format!("{kind} {}", answer.grade)).or_insert(0) += 1;
    });
    assert_eq!(report.faults, 0, "{}", shown());
}

#[test]
fn answers_without_unfolding_are_those_of_enumeration() {
    let mut answered = BTreeMap::new();
    for seed in 0..scaled(150) {
        let net = random_coloured(seed);
        let Some((markings, _)) = explore(&net, 150) else { continue };
        let model = ColouredModel::new(net).unwrap();
        let (net, skeleton) = (model.net(), model.skeleton().net());
        let mut right = expected(net, &markings);
        let mut plan = Plan::default();
        for place in skeleton.places() {
            let name = format!("most {}", skeleton.place_name(place));
            plan.ask_maximum(&name, LinearSum::place(place));
        }
        for (at, transition) in net.transitions().iter().enumerate() {
            let fires = skeleton.folding().unwrap().transitions(at).map(Predicate::Enabled);
            plan.ask_exists(&format!("fires {}", transition.name), Predicate::or(fires));
        }
        let mut rng = fastrand::Rng::with_seed(seed);
        for at in 0..8 {
            let wanted = predicate(&model, &mut rng, 2);
            let there = markings.iter().any(|it| model.holds(&wanted, it).unwrap());
            right.insert(format!("reach {at}"), QuestionValue::Bool(there));
            plan.ask_exists(&format!("reach {at}"), wanted);
        }
        compare(&model, plan, &right, &mut answered);
        let examinations = [
            Examination::OneSafe,
            Examination::StableMarking,
            Examination::QuasiLiveness,
            Examination::ReachabilityDeadlock,
        ];
        let examination = examinations[seed as usize % examinations.len()];
        let plan = Plan::of_examination(examination, skeleton).unwrap();
        compare(&model, plan, &right, &mut answered);
    }
    // Witnesses and refutations of each kind occurred.
    for kind in ["fires", "reach", "OneSafe", "StableMarking", "QuasiLiveness"] {
        for grade in ["replayed", "certified"] {
            let kind = format!("{kind} {grade}");
            assert!(answered.contains_key(&kind), "{kind}: {answered:?}");
        }
    }
    assert!(answered["most certified"] > 50, "{answered:?}");
}

#[test]
fn who_had_a_turn_is_told() {
    // The place q never holds a token, which is proved without colours. A walk shows that r
    // receives all colours.
    let model = model(
        "sort A = 1..3
         var x: A
         place p: A = {all}
         place q: A
         place r: A
         transition t: p{x} -> r{x}
         transition u: q{x} -> q{x}",
    );
    let mut plan = Plan::default();
    let place = |name: &str| model.skeleton().net().place_named(name).unwrap();
    plan.ask_exists("never", Predicate::at_least(place("q"), 1));
    plan.ask_exists("all", Predicate::at_least(place("r"), 3));
    let config = RunConfig { threads: 2, ..RunConfig::default() };
    let budget = Budget::lasting(Duration::from_secs(20));
    let report = run::run_coloured(&model, plan, &config, &budget, |_| {});
    assert_eq!((report.answered, report.faults), (2, 0));
    let abstraction = report
        .turns
        .iter()
        .find(|turn| turn.engine.starts_with("the skeleton") || turn.engine.contains("quotient"));
    let abstraction = abstraction.unwrap_or_else(|| panic!("{:?}", report.turns));
    assert!(abstraction.statistics.contains("goals settled in this time"), "{abstraction:?}");
    assert!(abstraction.open_goals > 0, "{abstraction:?}");
    assert!(report.turns.iter().any(|turn| turn.engine == "coloured walk"), "{:?}", report.turns);
}

pub(crate) fn model(net: &str) -> ColouredModel {
    let net: ColouredNet = text::parse(net).unwrap();
    ColouredModel::new(net).unwrap()
}

#[test]
fn colours_are_erased_and_differences_are_counted() {
    let model = model(
        "sort A = 1..3
         var x, y: A
         place p: A = {all}
         place q: A
         place r: A
         transition t [x < y]: p{x + y} -> q{x}
         transition u: p{all - x - y} -> r{x}",
    );
    let net = model.skeleton().net();
    let inputs = |name: &str| -> Vec<u64> {
        let at = net.folding().unwrap().transition_named(name).unwrap();
        let all = net.folding().unwrap().transitions(at);
        all.map(|t| net.pre(t).iter().map(|arc| arc.weight).sum()).collect()
    };
    assert_eq!((inputs("t"), inputs("u")), (vec![2], vec![1, 2]));
    assert_eq!(net.initial().tokens(), [3, 0, 0]);
}

#[test]
fn deadness_is_weakened_to_a_condition_on_totals() {
    let model = model(
        "sort A = 1..3
         var x, y: A
         place p: A = {all}
         transition free: p{x + y} -> p{x}
         transition guarded [x < y]: p{x + y} -> p{x}
         transition equal: p{2'x} -> p{x}
         transition one: p{1} -> p{2}",
    );
    let net = model.skeleton().net();
    let free = net.transition_named("free").unwrap();
    let weakened = weakened(&model, model.skeleton().abstraction(), &Predicate::Dead);
    assert_eq!(weakened, Predicate::Disabled(free));
}

#[test]
fn indistinguishable_colours_are_found() {
    let model = model(
        "sort A = 1..3
         sort B = 1..4
         sort C = 1..5
         sort AB = A * B
         var a, a2: A
         var b, b2: B
         var c: C
         place p: AB = {(all,2)}
         place q: C = {all - 3}
         transition move [b != b2]: p{(a,b) + (a2,b2)} -> p{(a,b2) + (a,b2)}
         transition leave [c < 4]: p{(a,b)} + q{c} -> q{c}",
    );
    let net = model.net();
    let classes = Quotient::indistinguishable(net);
    let a = classes.of(net.sort_named("A").unwrap()).map(|of| of.to_vec());
    assert_eq!(a, Some(vec![0, 0, 0]));
    assert_eq!(classes.of(net.sort_named("B").unwrap()), None);
    // The classes are the numbers below 4, and the others.
    let c = classes.of(net.sort_named("C").unwrap()).map(|of| of.to_vec());
    assert_eq!(c, Some(vec![0, 0, 0, 1, 1]));
    let quotient = Quotient::of(net, &classes).unwrap();
    let printed = text::print(quotient.net());
    assert!(printed.contains("place p: AB = {3'(1,2)}"), "{printed}");
    assert!(printed.contains("c = 1") && !printed.contains('<'), "{printed}");
    // With a single class, the classes of a binding do not determine the guard's value.
    let one = ColourClasses::by_key(net, |sort, colour| match net.sort(sort).name() {
        "C" => 0,
        _ => colour,
    });
    let quotient = Quotient::of(net, &one).unwrap();
    assert_eq!(quotient.decided_transitions(), [true, false]);
    assert!(!text::print(quotient.net()).contains('<'));
}

#[test]
fn nothing_is_taken_over_from_another_goal_of_an_abstraction_or_what_it_reaches() {
    let model = model(
        "sort A = 1..3
         var x: A
         place p: A = {1}
         place q: A
         transition t [x > 1]: p{x} -> q{x}",
    );
    let net = model.skeleton().net();
    let q = net.place_named("q").unwrap();
    let goal = Goal::Reach(Predicate::at_least(q, 1));
    let board = Board::of_coloured(&model, vec![goal.clone()]);
    let id = board.open_goals()[0];
    let other = Goal::Reach(Predicate::at_least(q, 2));
    let skeleton = Board::new(net, vec![goal.clone(), other.clone()]);
    let ids = skeleton.open_goals();
    skeleton
        .witness_reporter("TEST")
        .report_reached(ids[0], [TransitionId::new(0)].into_iter().collect());
    skeleton
        .proof_reporter("TEST")
        .report_unreachable(ids[1], parikh::board::Proof::searched(2, false));
    let knowledge = |at: usize| -> Knowledge { skeleton.knowledge(ids[at]).unwrap() };
    // A witness of the abstraction proves nothing about the net, because colours may exclude it.
    let over = board.proof_reporter("TEST");
    let on = model.skeleton().abstraction();
    over.on_abstraction(on, id, &goal, &knowledge(0));
    assert!(board.is_open(id));
    over.on_abstraction(on, id, &other, &knowledge(1));
    assert_eq!((board.is_open(id), board.faults()), (true, 1));
    over.on_abstraction(on, id, &goal, &knowledge(1));
    assert!(!board.is_open(id));
}
