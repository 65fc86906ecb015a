//! The state equation engine on random small nets, against plain enumeration. No bound is below an
//! enumerated maximum. No reachable goal is refuted. The checker accepts every certificate.
//! Modified certificates prove nothing false.

use crate::support::documents::refutes;
use crate::support::oracle::{GoalTruth, OracleLimits, StateSpace, explore};
use crate::support::scale::scaled;
use crate::support::shrinking::shrinking;
use parikh::board::{Board, Knowledge, Maximum, ProvedBound, ReachKnowledge};
use parikh::engine::Task;
use parikh::engine::state_equation::{self, StateEquationConfig, StateEquationStatistics};
use parikh::evidence::{Document, LinearCertificate};
use parikh::evidence_files::document_in_names;
use parikh::net::{Facts, Goal, GoalId, LinearSum, Net, Predicate, marking_goals};
use parikh::solvers::Budget;
use parikh_generate::{Shape, random, random_goals};

/// Runs the engine alone.
fn solve(net: &Net, goals: Vec<Goal>) -> (Board<'_>, StateEquationStatistics) {
    let with_ids: Vec<(GoalId, Goal)> =
        goals.iter().cloned().enumerate().map(|(at, goal)| (GoalId::new(at), goal)).collect();
    let board = Board::new(net, goals);
    let task = Task {
        net,
        goals: &marking_goals(&with_ids),
        facts: &Facts::empty(net),
        board: &board,
        budget: &Budget::unlimited(),
        seed: 1,
    };
    let statistics = state_equation::run(
        &task,
        board.proof_reporter("STATE_EQUATION"),
        &StateEquationConfig::default(),
    );
    (board, statistics)
}

/// Returns the certificate of a goal, and the predicate that it refutes.
fn document_of(board: &Board<'_>, goal: GoalId) -> Option<(Document, Predicate)> {
    let (proof, refuted) = match (board.knowledge(goal)?, board.goal(goal)) {
        (Knowledge::Reach(ReachKnowledge::Unreachable { proof, .. }), Goal::Reach(predicate)) => {
            (proof, predicate.clone())
        }
        (
            Knowledge::Maximum(Maximum {
                proved: Some(ProvedBound { bound: most, proof, .. }),
                ..
            }),
            Goal::Maximise(sum),
        ) => {
            let most = i64::try_from(most).expect("small nets");
            (proof, Predicate::at_most(sum.clone(), most).negated())
        }
        _ => return None,
    };
    Some((proof.document.as_deref()?.clone(), refuted))
}

/// Returns random goals, and goals of every kind of examination.
fn goals_of(seed: u64, net: &Net) -> Vec<Goal> {
    let mut goals = random_goals(seed, net, 8);
    goals.push(Goal::Reach(Predicate::Dead));
    goals.extend(net.transitions().map(|t| Goal::Reach(Predicate::Enabled(t))));
    goals.extend(net.places().map(|p| Goal::Reach(Predicate::at_least(p, 2))));
    goals
}

#[derive(Default)]
struct Tally {
    goals: usize,
    unreachable: usize,
    refuted: usize,
    maxima: usize,
    tight: usize,
    certified: u64,
    uncertified: u64,
    unanswered: u64,
}

fn compare(net: &Net, space: &StateSpace<'_>, goals: Vec<Goal>, seed: u64, tally: &mut Tally) {
    let (board, statistics) = solve(net, goals.clone());
    assert_eq!(
        (statistics.faults, board.faults()),
        (0, 0),
        "net {seed} {}",
        parikh::net::text::print(net)
    );
    // Each refutation counts once, and bounds count in addition.
    let proofs = statistics.certified;
    let counted = proofs.at_once + proofs.repaired + proofs.solved + proofs.without_numbers;
    assert!(counted + proofs.given_up >= statistics.infeasible);
    tally.certified += counted;
    tally.uncertified += statistics.certified.given_up + statistics.too_large;
    tally.unanswered += statistics.unanswered;
    for (at, goal) in goals.iter().enumerate() {
        let id = GoalId::new(at);
        tally.goals += 1;
        let knowledge = board.knowledge(id).expect("one engine does not contradict itself");
        let proved = match (space.answer(goal), knowledge) {
            (GoalTruth::Reachable(reachable), Knowledge::Reach(reach)) => {
                let refuted = matches!(reach, ReachKnowledge::Unreachable { .. });
                assert!(!(refuted && reachable), "net {seed}: {goal:?}");
                tally.unreachable += usize::from(!reachable);
                tally.refuted += usize::from(refuted);
                refuted
            }
            (GoalTruth::Maximum(most), Knowledge::Maximum(maximum)) => {
                let proved = maximum.proved.map(|proved| proved.bound);
                assert!(proved.is_none_or(|proved| proved >= most), "net {seed}: {goal:?}");
                tally.maxima += 1;
                tally.tight += usize::from(proved == Some(most));
                proved.is_some()
            }
            _ => unreachable!(),
        };
        let document = document_of(&board, id);
        assert_eq!(document.is_some(), proved, "net {seed}: {goal:?}");
        if let Some((document, refuted)) = document {
            assert!(matches!(document, Document::Linear(_)));
            assert_eq!(refutes(&document, net, &refuted), Ok(()), "net {seed}: {goal:?}");
            assert_eq!(document_in_names(&document, net).resolve(net), Ok(document));
        }
    }
}

#[test]
fn no_reachable_goal_is_refuted_and_no_bound_is_too_low() {
    let mut tally = Tally::default();
    let mut nets = 0;
    for seed in 0..scaled(2500) {
        let net = random(seed, &Shape::small(seed));
        shrinking(&net, |net| {
            let Some(space) = explore(net, OracleLimits { states: 3000, tokens: 100 }) else {
                return;
            };
            nets += 1;
            compare(net, &space, goals_of(seed, net), seed, &mut tally);
        });
    }
    let Tally { goals, unreachable, refuted, maxima, tight, certified, uncertified, unanswered } =
        tally;
    eprintln!(
        "{nets} nets, {goals} goals: {refuted} of {unreachable} refuted, {tight} of {maxima} tight, {certified} proofs, {uncertified} uncertified, {unanswered} unanswered"
    );
    assert!(nets > 1500 && refuted * 100 > unreachable * 95 && tight * 10 > maxima * 9);
    assert!(certified > refuted as u64 / 2 && uncertified + unanswered < scaled(20));
}

#[test]
fn candidates_are_returned_for_reachable_goals() {
    let net = parikh::net::text::parse("place p 3\nplace q\ntransition t: p -> 2*q").unwrap();
    let q = net.place_named("q").unwrap();
    let goals = vec![Goal::Reach(Predicate::at_least(q, 4))];
    let board = Board::new(&net, goals.clone());
    let with_ids = [(GoalId::new(0), goals[0].clone())];
    let facts = Facts::empty(&net);
    let budget = Budget::unlimited();
    let task = Task {
        net: &net,
        goals: &marking_goals(&with_ids),
        facts: &facts,
        board: &board,
        budget: &budget,
        seed: 1,
    };
    let mut engine = state_equation::Engine::new(&task, &StateEquationConfig::default()).unwrap();
    let progress = engine.slice(&budget, &task, board.proof_reporter("STATE_EQUATION"));
    assert_eq!(progress, state_equation::SliceProgress::Finished);
    let candidates: Vec<_> = engine.candidates().collect();
    assert_eq!(candidates.len(), 1);
    assert!(candidates[0].is_integral);
    assert_eq!(candidates[0].firings, [(net.effect_of(net.transition_named("t").unwrap()), 2)]);
}

#[test]
fn half_a_firing_is_refused_with_a_certificate_that_counts() {
    // The marking q = 1 needs half a firing of t. A place may have the name of a counter.
    let text = "place p 3\nplace q\nplace firings#0 1\ntransition t: 2*p -> 2*q";
    let net = parikh::net::text::parse(text).unwrap();
    let q = net.place_named("q").unwrap();
    let one = Predicate::and([Predicate::at_least(q, 1), Predicate::no_more_than(q, 1)]);
    let board = Board::new(&net, vec![Goal::Reach(one.clone())]);
    let goals = [(GoalId::new(0), Goal::Reach(one.clone()))];
    let (facts, budget) = (Facts::empty(&net), Budget::unlimited());
    let task = Task {
        net: &net,
        goals: &marking_goals(&goals),
        facts: &facts,
        board: &board,
        budget: &budget,
        seed: 1,
    };
    state_equation::run(
        &task,
        board.proof_reporter("STATE_EQUATION"),
        &StateEquationConfig::default(),
    );
    let knowledge = board.knowledge(GoalId::new(0)).unwrap();
    let Knowledge::Reach(ReachKnowledge::Unreachable { proof, .. }) = knowledge else {
        panic!("{knowledge:?}")
    };
    let Some(Document::Linear(certificate)) = proof.document.as_deref() else {
        panic!("{proof:?}")
    };
    assert_eq!(certificate.counters.len(), 1);
    let document = Document::Linear(certificate.clone());
    assert_eq!(document_in_names(&document, &net).resolve(&net).as_ref(), Ok(&document));
    let proves = |certificate: &LinearCertificate| {
        refutes(&Document::Linear(certificate.clone()), &net, &one).is_ok()
    };
    assert!(proves(certificate));
    // Without the firing counts, or with others, the certificate proves nothing.
    let mut less = certificate.clone();
    less.counters[0].clear();
    assert!(!proves(&less));
    less.counters.clear();
    assert!(!proves(&less));
    let mut unknown = certificate.clone();
    unknown.counters[0].push(parikh::net::TransitionId::new(1));
    assert!(!proves(&unknown));
}

#[test]
fn a_maximum_is_narrowed_to_whole_firings() {
    // In fractions, seven tokens become seven. With integer firing counts the maximum is 6, which
    // no run has shown here.
    let net = parikh::net::text::parse(
        "place p 7\nplace q\nplace r\ntransition t: 5*p -> 5*q\ntransition u: 3*p -> 3*r",
    )
    .unwrap();
    let sum = |names: [&str; 2]| {
        LinearSum::new(names.map(|name| (net.place_named(name).unwrap(), 1))).unwrap()
    };
    let sums = [sum(["q", "r"]), sum(["p", "r"])];
    let (board, statistics) = solve(&net, sums.map(Goal::Maximise).into());
    assert_eq!(board.proved(GoalId::new(0)), Some(6));
    assert_eq!(board.proved(GoalId::new(1)), Some(7));
    assert_eq!(statistics.faults, 0);
    let (document, refuted) = document_of(&board, GoalId::new(0)).unwrap();
    assert_eq!(refutes(&document, &net, &refuted), Ok(()));
    let Document::Linear(certificate) = document else { panic!("{document:?}") };
    assert!(!certificate.counters.is_empty());
}

#[test]
fn impossible_orders_of_firings_are_refuted() {
    // The firing counts admit each of these goals. In the first net, a and b feed each other from
    // nothing. In the second, t marks a trap that is empty in the goal.
    let cases = [
        ("place p\nplace q\nplace r\ntransition a: p -> q\ntransition b: q -> p + r", "unfed"),
        (
            "place p\nplace q\nplace r\nplace s 1\ntransition a: p -> q\ntransition b: q -> p + r
             transition c: s -> p",
            "unfed",
        ),
        (
            "place p\nplace q\nplace r\nplace o 2\ntransition t: -> p + r
             transition u: p -> 2*q\ntransition v: 2*q -> p\ntransition w: p + o -> q\ntransition x: 3*q -> q",
            "kept",
        ),
    ];
    for (at, (text, kind)) in cases.into_iter().enumerate() {
        let net = parikh::net::text::parse(text).unwrap();
        let place = |name: &str| net.place_named(name).unwrap();
        let some = Predicate::at_least(place("r"), 1);
        let goal = match at {
            0 => some,
            1 => Predicate::and([some, Predicate::at_least(place("s"), 1)]),
            _ => {
                let empty = ["p", "q"].map(|name| Predicate::no_more_than(place(name), 0));
                Predicate::and([some].into_iter().chain(empty))
            }
        };
        let (board, statistics) = solve(&net, vec![Goal::Reach(goal.clone())]);
        assert_eq!(statistics.faults, 0);
        let Some((document, refuted)) = document_of(&board, GoalId::new(0)) else {
            panic!("case {at} is open: {statistics}")
        };
        assert_eq!(refutes(&document, &net, &refuted), Ok(()));
        let Document::Linear(mut certificate) = document else { panic!("{document:?}") };
        let named = format!("{:?}", certificate.precedences).to_lowercase();
        assert!(named.contains(kind), "case {at}: {named}");
        // The precedences are necessary.
        certificate.precedences.clear();
        assert!(refutes(&Document::Linear(certificate), &net, &refuted).is_err());
    }
}
