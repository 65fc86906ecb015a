//! Numbers of markings and firings on diagrams whose levels represent groups of places, against
//! enumeration.
//!
//! The [nets](net_of_parts) consist of state machines with one token, and pairs of places with a
//! constant weighted sum. Both the nets and their reductions are counted. The checker confirms each
//! diagram with a level per place, so it checks the translation of groups to places, too.

use crate::support::oracle::{OracleLimits, explore};
use crate::support::scale::scaled;
use fastrand::Rng;
use parikh::engine::diagrams::OrderThreads;
use parikh::net::{Net, text};
use parikh::run::{CountMethod, ReducedCount};
use parikh::solvers::Budget;
use parikh_generate::net_of_parts;

#[test]
fn counts_on_groups_of_places_are_those_of_enumeration() {
    let mut rng = Rng::with_seed(47);
    let (mut counted, mut large) = (0, 0);
    let rules: Vec<&'static str> = parikh::reduction::rules::names().collect();
    for _ in 0..scaled(4_000) {
        let net = net_of_parts(&mut rng);
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
