//! Home properties against plain enumeration: each engine alone, and whole runs for liveness,
//! reversibility and formulas.

use crate::support::oracle::{OracleLimits, StateSpace, explore};
use crate::support::scale::scaled;
use crate::support::shrinking::shrinking;
use fastrand::Rng;
use parikh::answer::{GoalAnswer, Grade, Plan, QuestionValue};
use parikh::board::{Argument, Board, HomeKnowledge, Knowledge};
use parikh::engine::registry::ENGINES;
use parikh::engine::{Assignment, Role};
use parikh::engine::{Task, explicit};
use parikh::evidence::replay;
use parikh::formula::Formula;
use parikh::mcc::Examination;
use parikh::net::{Facts, FiringSequence, Goal, GoalId, Marking, Net, PlaceId, Predicate, text};
use parikh::run::{self, Event, RunConfig};
use parikh::solvers::Budget;
use parikh::structure::intervals::Intervals;
use parikh::working_net::WorkingNet;
use parikh_generate::{self as generate, Shape};
use std::collections::{HashMap, HashSet};
use std::time::Duration;

fn nets(first: u64, count: u64, mut test: impl FnMut(u64, &Net, &StateSpace<'_>)) {
    for seed in first..first + scaled(count) {
        let net = generate::random(seed, &Shape::small(seed));
        shrinking(&net, |net| {
            if let Some(space) = explore(net, OracleLimits { states: 300, tokens: 60 }) {
                test(seed, net, &space);
            }
        });
    }
}

/// Returns home properties of a net: liveness of every transition, the initial marking, and some
/// predicates.
fn homes(seed: u64, net: &Net) -> Vec<Predicate> {
    let mut rng = Rng::with_seed(seed);
    let mut homes: Vec<Predicate> = net.transitions().map(Predicate::Enabled).collect();
    if let [first, .., last] = &homes[..] {
        homes.push(Predicate::or([first.clone(), last.clone()]));
    }
    homes.push(Predicate::exactly(net.initial()));
    if let Some(last) = net.places().next_back() {
        homes.push(Predicate::at_least(last, 1));
    }
    let random = generate::random_goals(rng.u64(..), net, 4).into_iter();
    homes.extend(random.filter_map(|goal| match goal {
        Goal::Reach(predicate) => Some(predicate),
        _ => None,
    }));
    homes
}

#[test]
fn each_engine_agrees_with_enumeration() {
    let mut settled: HashMap<&str, (u64, u64)> = HashMap::new();
    nets(40_000, 400, |seed, net, space| {
        let homes = homes(seed, net);
        let reach = homes.iter().cloned().map(Goal::Reach);
        let goals: Vec<Goal> = reach.chain(homes.iter().cloned().map(Goal::Home)).collect();
        let listed: Vec<(GoalId, Goal)> =
            goals.iter().enumerate().map(|(at, goal)| (GoalId::new(at), goal.clone())).collect();
        let stay: Vec<bool> = homes.iter().map(|wanted| space.stays(wanted)).collect();
        let facts = Facts::empty(net);
        let known = Intervals::new(net, &facts);
        for engine in ENGINES.iter().filter(|engine| engine.role == Role::Homes) {
            let board = Board::new(net, goals.clone());
            let working_net = WorkingNet::original(net, listed.clone(), facts.clone(), &known);
            // Reachability goals may be settled before or after.
            let budget = Budget::unlimited().slice(Duration::from_secs(20));
            let reach = || {
                let task: Task<'_> = Task::on(&working_net, &board, &budget, 1);
                let config = explicit::ExplicitConfig::default();
                explicit::run(
                    &task,
                    board.witness_reporter("T"),
                    board.proof_reporter("T"),
                    &config,
                );
            };
            if seed % 2 == 0 {
                reach();
            }
            let (working_net, board) = (&working_net, &board);
            let assignment = Assignment { threads: 2, ..Assignment::new(working_net, board, seed) };
            let slice = Budget::unlimited().slice(Duration::from_millis(4));
            let slice = if engine.name == "regions" { &slice } else { &budget };
            (engine.start)(assignment).unwrap().slice(slice);
            if seed % 2 == 1 {
                reach();
            }
            assert_eq!(board.faults(), 0, "{} seed {seed}:\n{}", engine.name, text::print(net));
            for (at, wanted) in homes.iter().enumerate() {
                let stays = stay[at];
                let context = || format!("{} {wanted:?}:\n{}", engine.name, text::print(net));
                let counts = settled.entry(engine.name).or_default();
                match board.knowledge(GoalId::new(homes.len() + at)).unwrap() {
                    Knowledge::Home(HomeKnowledge::Open) => {
                        assert!(!engine.name.starts_with("graph"), "left open: {}", context());
                    }
                    Knowledge::Home(HomeKnowledge::StaysReachable { .. }) => {
                        assert!(stays, "{}", context());
                        counts.0 += 1;
                    }
                    Knowledge::Home(HomeKnowledge::BecomesUnreachable { witness, .. }) => {
                        assert!(!stays, "{}", context());
                        if let Some(witness) = witness {
                            assert!(replay(net, &witness.to_sequence().unwrap()).is_ok());
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
        ("downhill", 20, 0),
        ("regions", 0, 100),
        ("terminal components", 100, 100),
        ("graph", 100, 100),
        ("graph of a reduced net", 20, 20),
    ] {
        let found = settled[engine];
        assert!(found.0 >= scaled(kept) && found.1 >= scaled(lost), "{engine}: {found:?}");
    }
}

/// The engines that use diagrams and weights, on more nets.
#[test]
fn diagrams_and_weights_agree_with_enumeration() {
    let (mut done, mut left) = (0, 0);
    let mut settled: HashMap<&str, (u64, u64)> = HashMap::new();
    for seed in 300_000.. {
        if done == scaled(2_000) {
            break;
        }
        let net = generate::random(seed, &Shape::small(seed));
        let Some(space) = explore(&net, OracleLimits { states: 100, tokens: 60 }) else { continue };
        done += 1;
        let homes = homes(seed, &net);
        let goals: Vec<Goal> = homes.iter().cloned().map(Goal::Home).collect();
        let listed: Vec<(GoalId, Goal)> =
            goals.iter().enumerate().map(|(at, goal)| (GoalId::new(at), goal.clone())).collect();
        let stay: Vec<bool> = homes.iter().map(|wanted| space.stays(wanted)).collect();
        let facts = Facts::empty(&net);
        let known = Intervals::new(&net, &facts);
        for engine in
            ENGINES.iter().filter(|it| ["downhill", "terminal components"].contains(&it.name))
        {
            let board = Board::new(&net, goals.clone());
            let working_net = WorkingNet::original(&net, listed.clone(), facts.clone(), &known);
            let (working_net, board) = (&working_net, &board);
            let assignment = Assignment { threads: 2, ..Assignment::new(working_net, board, seed) };
            let budget = Budget::unlimited().slice(Duration::from_secs(20));
            (engine.start)(assignment).unwrap().slice(&budget);
            let context = || format!("{} seed {seed}:\n{}", engine.name, text::print(&net));
            assert_eq!(board.faults(), 0, "{}", context());
            let counts = settled.entry(engine.name).or_default();
            for (at, wanted) in homes.iter().enumerate() {
                match board.knowledge(GoalId::new(at)).unwrap() {
                    Knowledge::Home(HomeKnowledge::Open) if engine.name == "downhill" => {}
                    Knowledge::Home(HomeKnowledge::Open) => left += 1,
                    Knowledge::Home(HomeKnowledge::StaysReachable { .. }) => {
                        assert!(stay[at], "{wanted:?} {}", context());
                        counts.0 += 1;
                    }
                    Knowledge::Home(HomeKnowledge::BecomesUnreachable { .. }) => {
                        assert!(!stay[at], "{wanted:?} {}", context());
                        counts.1 += 1;
                    }
                    other => panic!("{other:?}"),
                }
            }
        }
    }
    let (kept, lost) = settled["terminal components"];
    assert!(kept > done && lost > done && left * 50 < kept + lost, "{settled:?}, {left} left");
    assert!(settled["downhill"].0 > done / 10, "{settled:?}");
}

fn answers(net: &Net, plan: Plan, certified_only: bool) -> HashMap<String, GoalAnswer> {
    let budget =
        Budget::unlimited().slice(Duration::from_secs(if certified_only { 1 } else { 30 }));
    let config = RunConfig { threads: 2, certified_only, ..RunConfig::default() };
    let mut answers = HashMap::new();
    let report = run::run_net(net, plan, &config, &budget, |event| {
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
    nets(50_000, 60, |seed, net, space| {
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
        assert_eq!(answers["Liveness"].value, QuestionValue::Bool(live), "{}", context());
        for (number, wanted) in homes(seed, net).iter().enumerate() {
            let truth = space.stays(wanted);
            let value = |what: &str| answers[&format!("{what} {number}")].value.clone();
            assert_eq!(value("stays"), QuestionValue::Bool(truth), "{wanted:?} {}", context());
            assert_eq!(value("lost"), QuestionValue::Bool(!truth), "{wanted:?} {}", context());
        }
    });
}

#[test]
fn certified_answers_rest_on_no_search() {
    let mut certified = 0;
    nets(60_000, 12, |seed, net, space| {
        let plan = Plan::of_examination(Examination::Liveness, net).unwrap();
        for answer in answers(net, plan, true).values() {
            let live = net.transitions().all(|t| space.stays(&Predicate::Enabled(t)));
            assert_eq!(
                answer.value,
                QuestionValue::Bool(live),
                "seed {seed}:\n{}",
                text::print(net)
            );
            assert!(!matches!(answer.grade, Grade::Searched { .. }), "seed {seed}");
            certified += 1;
        }
    });
    assert!(certified >= scaled(4), "{certified}");
}

/// Returns the markings reachable from `from`, and true if these are all. The search ends soon
/// after it has found more than `most` markings.
fn some_markings(net: &Net, from: &Marking, most: usize) -> (Vec<Marking>, bool) {
    let mut found = vec![from.clone()];
    let mut seen: HashSet<Marking> = found.iter().cloned().collect();
    let mut at = 0;
    while at < found.len() {
        for t in net.transitions().filter(|&t| net.is_enabled(&found[at], t)).collect::<Vec<_>>() {
            let mut next = found[at].clone();
            if net.fire(&mut next, t).is_ok() && seen.insert(next.clone()) {
                found.push(next);
            }
        }
        if found.len() > most {
            return (found, false);
        }
        at += 1;
    }
    (found, true)
}

/// Up to 150 markings reachable from each marking, cached because they are needed many times.
struct Visits<'n> {
    net: &'n Net,
    made: HashMap<Marking, (Vec<Marking>, bool)>,
}

impl<'n> Visits<'n> {
    fn of(net: &'n Net) -> Self {
        Visits { net, made: HashMap::new() }
    }

    /// Returns the markings that [`some_markings`] finds.
    fn after(&mut self, marking: &Marking) -> &(Vec<Marking>, bool) {
        let visit = || some_markings(self.net, marking, 150);
        self.made.entry(marking.clone()).or_insert_with(visit)
    }
}

/// Returns a random net. Half of the nets have an additional transition that adds a token to a
/// place, and are usually unbounded.
fn growing(seed: u64) -> Net {
    let mut rng = Rng::with_seed(seed);
    let net = generate::random(seed, &Shape::small(seed));
    if rng.bool() || net.place_count() == 0 {
        return net;
    }
    let place = PlaceId::new(rng.usize(..net.place_count()));
    let name = net.place_name(place);
    let more = [format!("-> {name}"), format!("{name} -> 2*{name}")];
    let line = format!("transition more: {}", more[rng.usize(..2)]);
    text::parse(&format!("{}\n{line}", text::print(&net))).unwrap()
}

/// Unbounded nets, of which some markings are enumerated. A condition reported to stay reachable is
/// not lost in any completely explored part. A condition reported as lost after a sequence is not
/// reachable after the sequence. After a transition reported to fire finitely often, no marking
/// covers the marking before the firing.
#[test]
fn results_about_unbounded_nets_are_right() {
    let (mut infinite, mut kept, mut lost) = (0, HashMap::new(), HashMap::new());
    for seed in 70_000..70_000 + scaled(1_000) {
        let net = growing(seed);
        let (markings, whole) = some_markings(&net, net.initial(), 150);
        if whole {
            continue;
        }
        infinite += 1;
        let homes = homes(seed, &net);
        let reach = homes.iter().cloned().map(Goal::Reach);
        let goals: Vec<Goal> = reach.chain(homes.iter().cloned().map(Goal::Home)).collect();
        let listed: Vec<(GoalId, Goal)> =
            goals.iter().enumerate().map(|(at, goal)| (GoalId::new(at), goal.clone())).collect();
        let mut visits = Visits::of(&net);
        let facts = Facts::empty(&net);
        let known = Intervals::new(&net, &facts);
        for engine in ENGINES.iter().filter(|engine| engine.role == Role::Homes) {
            let board = Board::new(&net, goals.clone());
            let working_net = WorkingNet::original(&net, listed.clone(), facts.clone(), &known);
            let (under, context) =
                (board.witness_reporter("T"), || format!("{} {}", engine.name, text::print(&net)));
            for (at, wanted) in homes.iter().enumerate() {
                if wanted.holds(&net, net.initial()) {
                    under.report_reached(GoalId::new(at), FiringSequence::new());
                }
            }
            let assignment =
                Assignment { threads: 2, ..Assignment::new(&working_net, &board, seed) };
            let slice = Budget::unlimited().slice(Duration::from_millis(20));
            (engine.start)(assignment).unwrap().slice(&slice);
            assert_eq!(board.faults(), 0, "{}", context());
            for (at, wanted) in homes.iter().enumerate() {
                match board.knowledge(GoalId::new(homes.len() + at)).unwrap() {
                    Knowledge::Home(HomeKnowledge::StaysReachable { .. }) => {
                        *kept.entry(engine.name).or_insert(0u64) += 1;
                        for marking in &markings {
                            let (after, whole) = visits.after(marking);
                            let again = !whole || after.iter().any(|m| wanted.holds(&net, m));
                            assert!(again, "{wanted:?} {marking:?} {}", context());
                        }
                    }
                    Knowledge::Home(HomeKnowledge::BecomesUnreachable {
                        witness: Some(witness),
                        ..
                    }) => {
                        *lost.entry(engine.name).or_insert(0u64) += 1;
                        let end = replay(&net, &witness.to_sequence().unwrap()).unwrap();
                        let (after, _) = some_markings(&net, &end, 300);
                        let again = after.iter().find(|m| wanted.holds(&net, m));
                        assert_eq!(again, None, "{wanted:?} {}", context());
                    }
                    Knowledge::Home(HomeKnowledge::BecomesUnreachable {
                        witness: None,
                        proof,
                        ..
                    }) if proof.argument == Argument::FinitelyManyFirings => {
                        *lost.entry(engine.name).or_insert(0u64) += 1;
                        // The claim to check: after a firing of the transition, no marking is
                        // reachable that covers the marking before the firing.
                        let Predicate::Enabled(t) = wanted else { continue };
                        for marking in markings.iter().filter(|m| net.is_enabled(m, *t)).take(20) {
                            let mut next = marking.clone();
                            net.fire(&mut next, *t).unwrap();
                            let (after, _) = visits.after(&next);
                            let covers = |m: &Marking| {
                                m.tokens().iter().zip(marking.tokens()).all(|(a, b)| a >= b)
                            };
                            assert!(!after.iter().any(covers), "{wanted:?} {}", context());
                        }
                    }
                    _ => {}
                }
            }
        }
    }
    assert!(infinite >= scaled(100), "{infinite}");
    for engine in ["commoner", "undone"] {
        assert!(kept.get(engine).is_some_and(|&kept| kept >= scaled(1)), "{kept:?}");
    }
    for engine in ["finite firings", "regions"] {
        assert!(lost.get(engine).is_some_and(|&lost| lost >= scaled(12)), "{lost:?}");
    }
}

/// For each structural condition that decides liveness, an example, and nets that violate exactly
/// one part of the condition.
#[test]
fn each_condition_of_structural_liveness_results_is_needed() {
    let live = |text: &str| {
        let net = text::parse(text).unwrap();
        let plan = Plan::of_examination(Examination::Liveness, &net).unwrap();
        answers(&net, plan, false)["Liveness"].value.clone()
    };
    let yes = QuestionValue::Bool(true);
    let no = QuestionValue::Bool(false);
    // No transitions; a transition without inputs; a transition without arcs; no enabled
    // transition.
    assert_eq!(live("place p 1"), yes);
    assert_eq!(live("place p\ntransition t: -> p"), yes);
    assert_eq!(live("place p\ntransition t: ->"), yes);
    assert_eq!(live("place p\ntransition t: p -> p"), no);
    // Free-choice and unbounded: u consumes the tokens of t forever.
    assert_eq!(live("place p 1\nplace q\ntransition t: p -> p + q\ntransition u: q ->"), yes);
    // Two strongly connected nets without place invariants: the first is unbounded and live. In the
    // second, the only token never suffices.
    assert_eq!(live("place p 1\nplace q\ntransition t: p -> q\ntransition u: q -> 2*p"), yes);
    assert_eq!(live("place p 1\nplace q\ntransition t: 2*p -> q\ntransition u: q -> 2*p"), no);
    // The transition fires finitely often: the counter runs out.
    assert_eq!(live("place p 1\nplace q 9\ntransition t: p + q -> p\ntransition u: p -> p"), no);
    // Not free-choice: two processes take two locks in different orders.
    assert_eq!(
        live(
            "place a 1\nplace b 1\nplace p 1\nplace q 1\nplace p1\nplace q1
             transition p_a: p + a -> p1\ntransition p_b: p1 + b -> p + a + b
             transition q_b: q + b -> q1\ntransition q_a: q1 + a -> q + a + b"
        ),
        no
    );
}

#[test]
fn reduced_nets_in_several_parts_are_searched() {
    // Two cycles with far too many markings. Reduced, each cycle becomes a part with an
    // unconditional transition. In the second net, a third part fires once.
    let circles = "place a 100000\nplace b\nplace c 100000\nplace d\ntransition t: a -> b\ntransition u: b -> a
        transition v: c -> d\ntransition w: d -> c";
    let sinks = format!("{circles}\nplace e 1\nplace f\ntransition x: e -> f");
    for (text, live) in [(circles, [true; 5]), (&sinks, [true, true, true, true, false])] {
        let net = text::parse(text).unwrap();
        let homes: Vec<Predicate> = net.transitions().map(Predicate::Enabled).collect();
        let goals: Vec<Goal> = homes.iter().cloned().map(Goal::Home).collect();
        let listed = goals.iter().cloned().enumerate();
        let listed = listed.map(|(at, goal)| (GoalId::new(at), goal)).collect();
        let facts = Facts::empty(&net);
        let known = Intervals::new(&net, &facts);
        let board = Board::new(&net, goals);
        let working_net = WorkingNet::original(&net, listed, facts, &known);
        let engine = ENGINES.iter().find(|it| it.name == "graph of a reduced net").unwrap();
        let assignment = Assignment { threads: 2, ..Assignment::new(&working_net, &board, 1) };
        let said = (engine.start)(assignment)
            .unwrap()
            .slice(&Budget::unlimited().slice(Duration::from_secs(60)));
        for (at, live) in (0..homes.len()).zip(live) {
            match board.knowledge(GoalId::new(at)).unwrap() {
                Knowledge::Home(HomeKnowledge::StaysReachable { .. }) => {
                    assert!(live, "{said:?}: {text}")
                }
                Knowledge::Home(HomeKnowledge::BecomesUnreachable { .. }) => {
                    assert!(!live, "{said:?}: {text}")
                }
                other => panic!("{other:?} of {at}, {said:?}: {text}"),
            }
        }
    }
}
