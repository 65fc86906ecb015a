use super::*;
use crate::working_net::{Derivation, DerivedGoal};
use parikh_evidence::reduction::{CheckedReduction, LogError, NamedLog, Needs};
use parikh_net::lasso::{LassoRun, RunEnd};
use parikh_net::run_property::RunAtom;
use parikh_net::{Facts, LinearSum, MarkingGoal, Predicate, Provenance, RunProperty, text};
use parikh_structure::intervals::Intervals;
use parikh_temporal::{AtomId, Linear, Ltl};

fn net() -> Net {
    text::parse("place p 1\nplace q\ntransition t: p -> p + q").unwrap()
}

fn goals(net: &Net) -> Vec<Goal> {
    let q = net.place_named("q").unwrap();
    vec![
        Goal::Reach(Predicate::at_least(q, 2)),
        Goal::Maximise(LinearSum::place(q)),
        Goal::Reach(Predicate::at_least(q, 5)),
    ]
}

fn twice() -> FiringSequence {
    [TransitionId::new(0); 2].into_iter().collect()
}

#[test]
fn only_claims_that_replay_are_accepted() {
    let net = net();
    let board = Board::new(&net, goals(&net));
    let [two, _, five] = [0, 1, 2].map(GoalId::new);
    board.witness_reporter("TEST").report_reached(five, twice());
    assert_eq!((board.faults(), board.is_open(five)), (1, true));
    board.witness_reporter("TEST").report_reached(two, twice());
    assert!(!board.is_open(two));
    let Some(Knowledge::Reach(ReachKnowledge::Reached { witness: Some(witness), .. })) =
        board.knowledge(two)
    else {
        panic!("not reached")
    };
    assert_eq!(witness.to_sequence(), Some(twice()));
}

#[test]
fn a_maximum_is_settled_when_seen_and_proved_meet() {
    let net = net();
    let board = Board::new(&net, goals(&net));
    let max = GoalId::new(1);
    board.witness_reporter("TEST").report_reached(max, twice());
    let proof = || Proof::searched(3, false);
    board.proof_reporter("TEST").report_at_most(max, 4, proof());
    assert!(board.is_open(max));
    board.proof_reporter("TEST").report_at_most(max, 2, proof());
    assert!(!board.is_open(max));
    assert_eq!(board.largest_seen(max), Some(2));
}

#[test]
fn a_contradiction_silences_the_goal() {
    let net = net();
    let board = Board::new(&net, goals(&net));
    let [two, max, _] = [0, 1, 2].map(GoalId::new);
    board.proof_reporter("TEST").report_unreachable(two, Proof::searched(1, false));
    board.witness_reporter("TEST").report_reached(two, twice());
    // Settled goals are not replayed again, so the first verdict stays.
    assert!(board.knowledge(two).is_some());
    board.proof_reporter("TEST").report_at_most(max, 1, Proof::searched(1, false));
    board.witness_reporter("TEST").report_reached(max, twice());
    // An open goal is frozen.
    assert!(board.knowledge(max).is_none());
    assert_eq!(board.faults(), 1);
}

#[test]
fn unbounded_needs_a_pump_that_grows() {
    let net = net();
    let board = Board::new(&net, goals(&net));
    let max = GoalId::new(1);
    board.witness_reporter("TEST").report_unbounded(
        max,
        FiringSequence::new(),
        FiringSequence::new(),
    );
    assert_eq!((board.faults(), board.is_open(max)), (1, true));
    board.witness_reporter("TEST").report_unbounded(max, FiringSequence::new(), twice());
    assert!(!board.is_open(max));
}

/// A derived net that equals its parent. If `answer` is `Ok(Some(()))`, the back-translation
/// returns sequences unchanged. Otherwise it returns `answer`. `times` counts the translated
/// sequences.
struct FixedTranslation<'n> {
    net: &'n Net,
    answer: Result<Option<()>, TranslationLimit>,
    times: &'n AtomicUsize,
}

impl Derivation for FixedTranslation<'_> {
    fn net(&self) -> &Net {
        self.net
    }

    fn sequence(
        &self,
        _: &MarkingGoal,
        derived: &FiringSequence,
    ) -> Result<Option<(FiringSequence, u64)>, TranslationLimit> {
        self.times.fetch_add(1, Ordering::Relaxed);
        self.answer.map(|way| way.map(|()| (derived.clone(), derived.firings() as u64)))
    }

    fn pump(
        &self,
        prefix: &FiringSequence,
        pump: &FiringSequence,
    ) -> Result<Option<(FiringSequence, FiringSequence)>, TranslationLimit> {
        self.answer.map(|way| way.map(|()| (prefix.clone(), pump.clone())))
    }

    fn change_count(&self) -> u64 {
        0
    }

    fn check(
        &self,
        parent: &Net,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<CheckedReduction, LogError> {
        CheckedReduction::of_steps(parent, &Needs::default(), [], goes_on)
    }

    fn log(&self, _: &Net) -> NamedLog {
        unreachable!("nobody writes it down")
    }
}

/// Calls `report` with a reporter for a derived net whose back-translation gives `answer`.
/// Returns the number of sequences that were translated.
fn report_through(
    board: &Board<'_>,
    answer: Result<Option<()>, TranslationLimit>,
    report: impl FnOnce(WitnessReporter<'_>),
) -> usize {
    let (net, times) = (board.net(), AtomicUsize::new(0));
    let facts = Facts::empty(net);
    let intervals = Intervals::new(net, &facts);
    let listed: Vec<_> = board.ids().zip(board.goals().iter().cloned()).collect();
    let derived =
        |(id, goal): &(GoalId, Goal)| DerivedGoal { id: *id, goal: goal.clone(), constant: 0 };
    let goals = listed.iter().map(derived).collect();
    let original = WorkingNet::original(net, listed, facts.clone(), &intervals);
    let translation = FixedTranslation { net, answer, times: &times };
    let working_net =
        WorkingNet::derived(&original, Box::new(translation), goals, facts, &intervals);
    report(board.witness_reporter("TEST").on(&working_net));
    drop(working_net);
    times.into_inner()
}

#[test]
fn witnesses_too_long_to_translate_are_no_fault_and_no_verdict() {
    let net = net();
    let max = GoalId::new(1);
    for (answer, faults) in
        [(Err(TranslationLimit::Budget), 0), (Err(TranslationLimit::Length), 0), (Ok(None), 2)]
    {
        let board = Board::new(&net, goals(&net));
        report_through(&board, answer, |witness_reporter| {
            witness_reporter.report_reached(max, twice());
            witness_reporter.report_unbounded(max, FiringSequence::new(), twice());
        });
        assert_eq!(
            (board.faults(), board.largest_seen(max), board.is_open(max)),
            (faults, None, true)
        );
    }
}

#[test]
fn a_run_beyond_the_tokens_that_are_counted_is_a_limit_and_no_fault() {
    let net = text::parse(
        "place p 9223372036854775807\nplace q\ntransition up: -> p\ntransition t: p -> q",
    );
    let net = net.unwrap();
    let q = net.place_named("q").unwrap();
    let goals = vec![
        Goal::Reach(Predicate::at_least(q, 1)),
        Goal::Home(Predicate::at_least(q, 1)),
        Goal::Maximise(LinearSum::place(q)),
    ];
    let board = Board::new(&net, goals);
    let [reach, home, max] = [0, 1, 2].map(GoalId::new);
    let beyond = || ["up", "t"].map(|name| net.transition_named(name).unwrap());
    board.witness_reporter("TEST").report_reached(reach, beyond().into_iter().collect());
    board.witness_reporter("TEST").report_reached(max, beyond().into_iter().collect());
    let (sequence, proof) = (beyond().into_iter().collect(), Proof::searched(1, false));
    board.home_reporter("TEST").report_lost_after(home, sequence, proof);
    assert_eq!((board.faults(), board.overflowed()), (0, true));
    assert_eq!((board.open_count(), board.largest_seen(max)), (3, None));
}

#[test]
fn a_lasso_beyond_the_limits_of_the_replay_is_no_fault() {
    let net = text::parse("place p 9223372036854775807\ntransition up: -> p").unwrap();
    let p = net.place_named("p").unwrap();
    let mut formulas = Ltl::default();
    let atom = formulas.atom(AtomId(0));
    let formula = formulas.eventually(Linear, atom);
    let atoms = vec![RunAtom::Holds(Predicate::at_least(p, 1))];
    let goals = vec![Goal::Run(Box::new(RunProperty::new(&formulas, formula, &atoms)))];
    let board = Board::new(&net, goals);
    let goal = GoalId::new(0);
    let up = |count| {
        let mut firings = FiringSequence::new();
        firings.push(net.transition_named("up").unwrap(), count);
        firings
    };
    for (count, overflowed) in [(100_000_000, false), (2, true)] {
        let run = LassoRun { prefix: up(count), end: RunEnd::Anything };
        board.run_reporter("TEST").report_run(goal, run);
        assert_eq!((board.faults(), board.overflowed()), (0, overflowed));
    }
    assert!(board.is_open(goal));
}

#[test]
fn bounds_by_claimed_units_do_not_mention_place_invariants() {
    let reason = |rests_on| Argument::bounds(rests_on).to_string();
    assert_eq!(reason(Provenance::Arcs), "structural bounds exclude it");
    assert_eq!(reason(Provenance::Flows), "place invariants and structural bounds exclude it");
    assert_eq!(
        reason(Provenance::UnitsClaimed),
        "structural bounds exclude it, given the model's safe units (NUPN)"
    );
}

#[test]
fn only_the_last_sighting_of_a_rising_maximum_is_translated() {
    let net = net();
    let board = Board::new(&net, goals(&net));
    let max = GoalId::new(1);
    let sightings = [1, 2].map(|firings| Observation { goal: max, firings });
    let times = report_through(&board, Ok(Some(())), |witness_reporter| {
        witness_reporter.report_reached_along(twice(), sightings.to_vec());
    });
    assert_eq!((board.largest_seen(max), times), (Some(2), 1));
}

#[test]
fn listeners_hear_of_every_settlement_once() {
    let net = net();
    let (send, receive) = std::sync::mpsc::channel();
    let board = Board::new(&net, goals(&net)).with_listener(send);
    let two = GoalId::new(0);
    board.witness_reporter("TEST").report_reached(two, twice());
    board.witness_reporter("TEST").report_reached(two, twice());
    board.abandon(GoalId::new(2));
    assert_eq!(receive.try_iter().collect::<Vec<_>>(), [two]);
    assert_eq!(board.open_count(), 1);
}
