//! Compares walks with a naive product of the whole graph and the automaton: on small nets walks
//! find existing runs, and never find a run that does not exist.

use super::{Atoms, ProductWalk};
use crate::lasso::tests::{property, system};
use fastrand::Rng;
use parikh_evidence::lasso::check_lasso;
use parikh_generate::{RandomKind, Shape, random};
use parikh_net::run_property::{RunAtom, RunProperty};
use parikh_net::{FiringSequence, Predicate, text};
use parikh_solvers::Budget;
use parikh_temporal::{AtomId, Automaton, AutomatonLimits, Linear, Ltl};

/// Returns the indices of the properties for which the given number of rounds finds a run.
fn found(net: &parikh_net::Net, properties: &[RunProperty], seed: u64, rounds: u32) -> Vec<usize> {
    let (atoms, budget) = (Atoms::new(net, properties), Budget::unlimited());
    let mut walk = ProductWalk::new(net, &atoms, properties, seed, &budget);
    let mut found = Vec::new();
    for _ in 0..rounds {
        let mut take = |at: usize, run| {
            assert_eq!(check_lasso(net, &properties[at], &run, &mut || true), Ok(()));
            found.push(at);
            true
        };
        if !walk.run_round(&budget, &|_| true, &mut take) {
            break;
        }
    }
    found
}

#[test]
fn existing_runs_are_found() {
    let (mut missed, mut all, mut none) = (0, 0, 0);
    for seed in 0..300 {
        let mut rng = Rng::with_seed(seed);
        let kind = [RandomKind::Bounded, RandomKind::OneSafe][rng.usize(..2)];
        let net = random(seed, &Shape { kind, ..Shape::small(seed) });
        let properties: Vec<RunProperty> = (0..4).map(|_| property(&mut rng, &net)).collect();
        let found = found(&net, &properties, seed, 12);
        for (at, property) in properties.iter().enumerate() {
            let Some(system) = system(&net, property, 300) else { continue };
            let mut formulas = property.formulas().clone();
            let automaton =
                Automaton::of(&mut formulas, property.formula(), AutomatonLimits::default())
                    .unwrap();
            let nothing = system.and(&automaton, AutomatonLimits::default()).unwrap().is_empty();
            match (found.contains(&at), nothing) {
                (true, true) => panic!("seed {seed}: a run where there is none"),
                (false, true) => none += 1,
                (true, false) => all += 1,
                (false, false) => missed += 1,
            }
        }
    }
    assert!(all > 300 && none > 300 && missed * 50 < all, "{all} {none} {missed}");
}

#[test]
fn cycles_that_add_tokens_to_unread_places_are_found() {
    let net = text::parse(
        "place p 1\nplace q\nplace made\ntransition t: p -> q\ntransition u: q -> p + made",
    )
    .unwrap();
    let q = RunAtom::Holds(Predicate::at_least(net.place_named("q").unwrap(), 1));
    let mut formulas = Ltl::default();
    let q_now = formulas.atom(AtomId(0));
    let some = formulas.eventually(Linear, q_now);
    let again = formulas.always(Linear, some);
    let property = RunProperty::new(&formulas, again, &[q]);
    assert_eq!(found(&net, &[property], 1, 10), [0]);
}

/// After the end of a firing sequence, the walk continues for one of several properties. It ends
/// when this property can no longer hold, although others still can.
#[test]
fn a_walk_ends_when_its_target_property_can_no_longer_hold() {
    let net = text::parse(
        "place p 1\nplace q\ntransition t: p -> q\ntransition stay: q -> q\n\
         transition back: q -> p",
    )
    .unwrap();
    let p = RunAtom::Holds(Predicate::at_least(net.place_named("p").unwrap(), 1));
    let mut formulas = Ltl::default();
    let now = formulas.atom(AtomId(0));
    let always = formulas.always(Linear, now);
    let some = formulas.eventually(Linear, now);
    let again = formulas.always(Linear, some);
    let properties =
        [always, again].map(|it| RunProperty::new(&formulas, it, std::slice::from_ref(&p)));
    let (atoms, budget) = (Atoms::new(&net, &properties), Budget::unlimited());
    let mut found = [0, 0];
    for seed in 0..200 {
        let mut walk = ProductWalk::new(&net, &atoms, &properties, seed, &budget);
        let mut take = |at: usize, run| {
            assert_eq!(check_lasso(&net, &properties[at], &run, &mut || true), Ok(()));
            found[at] += 1;
            false
        };
        walk.follow_sequence(&FiringSequence::new(), &budget, &|_| true, &mut take);
    }
    assert!(found[0] == 0 && found[1] > 0, "{found:?}");
}
