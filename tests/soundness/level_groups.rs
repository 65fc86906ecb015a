//! Counts with one value per group of places, against enumeration: on diagrams whose levels
//! represent groups, and by visits of markings that are words with a field per group.
//!
//! The nets consist of parts whose places are groups ([`random_parts`]). Both the nets and their
//! reductions are counted. The checker confirms each diagram with a level per place, so it checks
//! the translation of groups to places, too.

use crate::support::oracle::{OracleLimits, StateSpace, explore};
use crate::support::scale::scaled;
use fastrand::Rng;
use parikh::engine::diagrams::OrderThreads;
use parikh::engine::explicit::{self, StopRule};
use parikh::net::{Facts, Net, text};
use parikh::run::{CountMethod, ReducedCount};
use parikh::solvers::Budget;
use parikh_generate::random_parts;

/// Calls `check` with random nets, their state spaces, and rules to leave out: all rules, so that
/// the net itself is counted, and no rule. Returns the number of nets, and of those with more than
/// `large` markings.
fn for_each_net(
    seed: u64,
    large: usize,
    mut check: impl FnMut(&mut Rng, &Net, &StateSpace<'_>, [&[&'static str]; 2]),
) -> (usize, usize) {
    let mut rng = Rng::with_seed(seed);
    let (mut net_count, mut large_count) = (0, 0);
    let rules: Vec<&'static str> = parikh::reduction::rules::names().collect();
    for _ in 0..scaled(4_000) {
        let net = random_parts(&mut rng);
        let Some(space) = explore(&net, OracleLimits { states: 2_000, tokens: 50 }) else {
            continue;
        };
        check(&mut rng, &net, &space, [&rules[..], &[]]);
        net_count += 1;
        large_count += usize::from(space.states() > large);
    }
    println!("{net_count} nets, {large_count} with more than {large} markings");
    (net_count, large_count)
}

#[test]
fn counts_on_groups_of_places_are_those_of_enumeration() {
    let (nets, large) = for_each_net(47, 20, |_, net, space, left_out| {
        let context = || text::print(net);
        for without_rules in left_out {
            let mut count =
                ReducedCount::prepare(net, without_rules, &Budget::unlimited()).unwrap();
            let by_diagrams = CountMethod::Diagrams(OrderThreads::new(1));
            let found = count.continue_count(&by_diagrams, &Budget::unlimited());
            let found = found.unwrap_or_else(|why| panic!("{why}:\n{}", context()));
            assert_eq!(found.figures.states, space.states().into(), "{}", context());
            assert_eq!(found.figures.transitions, space.firings().into(), "{}", context());
            assert!(found.diagrams_closed, "{}", context());
        }
    });
    assert!(large > 200 && nets > 1_000, "{nets} {large}");
}

/// In builds with debug assertions, words are used from 60 markings on.
#[test]
fn visits_of_words_give_the_figures_of_enumeration() {
    let (nets, large) = for_each_net(48, 60, |rng, net, space, left_out| {
        let context = || text::print(net);
        let (threads, budget) = (rng.usize(1..=3), Budget::unlimited());
        let found = explicit::count(net, &Facts::empty(net), threads, &budget).unwrap();
        assert_eq!(found.states, space.states() as u128, "{}", context());
        assert_eq!(found.firings, space.firings() as u128, "{}", context());
        assert_eq!(found.max_tokens_in_place, space.most_in_place().into(), "{}", context());
        assert_eq!(found.max_tokens_per_marking, space.most_in_marking(), "{}", context());
        for without_rules in left_out {
            let mut count = ReducedCount::prepare(net, without_rules, &budget).unwrap();
            let by_visits = CountMethod::Visiting(threads, StopRule::AtBudgetEnd);
            let found = count.continue_count(&by_visits, &budget);
            let found = found.unwrap_or_else(|why| panic!("{why}:\n{}", context()));
            assert_eq!(found.figures.states, space.states().into(), "{}", context());
            assert_eq!(found.figures.transitions, space.firings().into(), "{}", context());
        }
    });
    assert!(large > 100 && nets > 1_000, "{nets} {large}");
}
