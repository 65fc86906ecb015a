//! The simple enumerator against known numbers of the generated families: two independent
//! computations of the same numbers.

use crate::support::oracle::{GoalTruth, OracleLimits, explore};
use parikh_generate::{self as generate, KnownCount, RandomKind, Shape};
use parikh_net::{Goal, LinearSum, Predicate, text};

#[test]
fn every_family_has_the_answers_it_documents() {
    for generate::KnownNet { net, known } in generate::specimens() {
        let name = net.name();
        let Some(space) = explore(&net, OracleLimits::default()) else {
            assert_eq!(known.states, KnownCount::Infinite, "{name}");
            continue;
        };
        assert_eq!(known.states, KnownCount::Exactly(space.states() as u128), "{name}: states");
        assert_eq!(known.firings, KnownCount::Exactly(space.firings() as u128), "{name}: firings");
        assert_eq!(known.max_in_place, Some(space.most_in_place()), "{name}: place");
        let most_in_marking = known.max_in_marking.map(u128::from);
        assert_eq!(most_in_marking, Some(space.most_in_marking()), "{name}: marking");
        assert_eq!(known.has_deadlock, space.deadlock(), "{name}: deadlock");
        assert_eq!(known.is_quasi_live, net.transitions().all(|t| space.fires(t)), "{name}: quasi");
        assert_eq!(known.has_stable_place, space.stable_place(), "{name}: stable");
        if space.states() <= 300 {
            assert_eq!(known.is_live, space.live(), "{name}: live");
        }
    }
}

#[test]
fn goals_are_answered_from_the_reachable_markings() {
    let net = generate::mutual_exclusion(3, 2).net;
    let space = explore(&net, OracleLimits::default()).unwrap();
    let critical: Vec<_> =
        (0..3).map(|i| net.place_named(&format!("critical_{i}")).unwrap()).collect();
    let all = LinearSum::new(critical.iter().map(|&p| (p, 1))).unwrap();
    assert_eq!(space.answer(&Goal::Maximise(all)), GoalTruth::Maximum(2));
    let both =
        |a: usize, b: usize| Predicate::and([a, b].map(|i| Predicate::at_least(critical[i], 1)));
    assert_eq!(space.answer(&Goal::Reach(both(0, 2))), GoalTruth::Reachable(true));
    let three = Predicate::and([both(0, 1), both(1, 2)]);
    assert_eq!(space.answer(&Goal::Reach(three)), GoalTruth::Reachable(false));
}

#[test]
fn unbounded_and_large_nets_exceed_the_limits() {
    let unbounded = generate::counters(1).net;
    assert!(explore(&unbounded, OracleLimits::default()).is_none());
    let large = generate::cycles(4, 6, false).net;
    assert!(explore(&large, OracleLimits { states: 1_295, tokens: 1 }).is_none());
    assert!(explore(&large, OracleLimits { states: 1_296, tokens: 1 }).is_some());
    let overflow = text::parse("place p 9223372036854775807\ntransition t: -> p").unwrap();
    let no_limit = OracleLimits { states: 10, tokens: u64::MAX };
    assert!(explore(&overflow, no_limit).is_none());
}

#[test]
fn random_nets_have_the_properties_of_their_kind() {
    let (mut lively, mut large) = (0, 0);
    for seed in 0..300 {
        let shape = Shape::small(seed);
        let net = generate::random(seed, &shape);
        match (shape.kind, explore(&net, OracleLimits::default())) {
            (RandomKind::OneSafe, Some(space)) => {
                assert!(space.most_in_place() <= 1, "{seed}");
                lively += usize::from(space.states() > 3);
            }
            (RandomKind::OneSafe, None) => panic!("{seed}: 5 components of 5 places at most"),
            (RandomKind::Bounded, None) => large += 1,
            (_, space) => lively += usize::from(space.is_some_and(|space| space.states() > 3)),
        }
    }
    assert!(lively > 120, "only {lively} nets have more than three markings");
    assert!(large < 6, "{large} bounded nets are too large to explore");
}
