//! Counts with one value per group of places, against enumeration: on diagrams whose levels
//! represent groups, and by visits of markings that are words with a field per group.
//!
//! The nets consist of parts whose places are groups ([`random_parts`]). Both the nets and their
//! reductions are counted. The checker confirms each diagram with a level per place, so it checks
//! the translation of groups to places, too.

use crate::support::oracle::{OracleLimits, explore};
use crate::support::scale::scaled;
use fastrand::Rng;
use parikh::engine::diagrams::OrderThreads;
use parikh::engine::explicit::{self, StopRule};
use parikh::net::{Facts, text};
use parikh::run::{CountMethod, ReducedCount};
use parikh::solvers::Budget;
use parikh_generate::random_parts;

#[test]
fn counts_on_groups_of_places_are_those_of_enumeration() {
    let mut rng = Rng::with_seed(47);
    let (mut counted, mut large) = (0, 0);
    let rules: Vec<&'static str> = parikh::reduction::rules::names().collect();
    for _ in 0..scaled(4_000) {
        let net = random_parts(&mut rng);
        let Some(space) = explore(&net, OracleLimits { states: 2_000, tokens: 50 }) else {
            continue;
        };
        let context = || text::print(&net);
        for without_rules in [&rules[..], &[]] {
            let mut count =
                ReducedCount::prepare(&net, without_rules, &Budget::unlimited()).unwrap();
            let by_diagrams = CountMethod::Diagrams(OrderThreads::new(1));
            let found = count.continue_count(&by_diagrams, &Budget::unlimited());
            let found = found.unwrap_or_else(|why| panic!("{why}:\n{}", context()));
            assert_eq!(found.figures.states, space.states().into(), "{}", context());
            assert_eq!(found.figures.transitions, space.firings().into(), "{}", context());
            assert!(found.diagrams_closed, "{}", context());
        }
        counted += 1;
        large += usize::from(space.states() > 20);
    }
    println!("{counted} nets, {large} with more than 20 markings");
    assert!(large > 200 && counted > 1_000, "{counted} {large}");
}

#[test]
fn visits_of_words_give_the_figures_of_enumeration() {
    let mut rng = Rng::with_seed(48);
    let (mut counted, mut large) = (0, 0);
    let rules: Vec<&'static str> = parikh::reduction::rules::names().collect();
    for _ in 0..scaled(4_000) {
        let net = random_parts(&mut rng);
        let Some(space) = explore(&net, OracleLimits { states: 2_000, tokens: 50 }) else {
            continue;
        };
        let context = || text::print(&net);
        let (threads, budget) = (rng.usize(1..=3), Budget::unlimited());
        let found = explicit::count(&net, &Facts::empty(&net), threads, &budget).unwrap();
        assert_eq!(found.states, space.states() as u128, "{}", context());
        assert_eq!(found.firings, space.firings() as u128, "{}", context());
        assert_eq!(found.max_tokens_in_place, space.most_in_place().into(), "{}", context());
        assert_eq!(found.max_tokens_per_marking, space.most_in_marking(), "{}", context());
        for without_rules in [&rules[..], &[]] {
            let mut count = ReducedCount::prepare(&net, without_rules, &budget).unwrap();
            let by_visits = CountMethod::Visiting(threads, StopRule::AtBudgetEnd);
            let found = count.continue_count(&by_visits, &budget);
            let found = found.unwrap_or_else(|why| panic!("{why}:\n{}", context()));
            assert_eq!(found.figures.states, space.states().into(), "{}", context());
            assert_eq!(found.figures.transitions, space.firings().into(), "{}", context());
        }
        counted += 1;
        // More markings than the general representation visits in debug builds.
        large += usize::from(space.states() > 60);
    }
    println!("{counted} nets, {large} with more than 60 markings");
    assert!(large > 100 && counted > 1_000, "{counted} {large}");
}
