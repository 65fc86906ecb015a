//! Lemmas in reasons, against all reachable markings.

use crate::support::oracle::{OracleLimits, explore};
use crate::support::scale::scaled;
use fastrand::Rng;
use parikh::answer::Plan;
use parikh::board::{Knowledge, LemmaSum, ReachKnowledge, why_never};
use parikh::net::{Goal, PlaceId, Predicate, text};
use parikh::run::{Event, RunConfig, run_net};
use parikh::solvers::Budget;
use parikh_generate::{Shape, random};
use std::time::Duration;

#[test]
fn lemmas_about_exclusive_places_are_true() {
    let mut said = 0;
    let config = RunConfig { threads: 1, keep_certificates: true, ..RunConfig::default() };
    for seed in 0..scaled(300) {
        let net = random(seed, &Shape::small(seed));
        let Some(space) = explore(&net, OracleLimits { states: 300, tokens: 60 }) else { continue };
        let mut rng = Rng::with_seed(seed);
        let goals: Vec<Goal> = (0..6)
            .map(|_| {
                let place = |rng: &mut Rng| PlaceId::new(rng.usize(..net.place_count()));
                let parts = [0, 1].map(|_| Predicate::at_least(place(&mut rng), rng.u64(1..3)));
                Goal::Reach(Predicate::and(parts))
            })
            .collect();
        let budget = Budget::unlimited().slice(Duration::from_millis(300));
        run_net(&net, Plan::of_goals(goals), &config, &budget, |event| {
            let Event::Settled {
                goal: Goal::Reach(predicate),
                knowledge: Knowledge::Reach(ReachKnowledge::Unreachable { proof, .. }),
                ..
            } = event
            else {
                return;
            };
            let Some(never) = why_never(&net, predicate, proof) else { return };
            said += 1;
            let together = never.together.iter();
            let all = Predicate::and(together.map(|&(p, tokens)| Predicate::at_least(p, tokens)));
            assert!(!space.reaches(&all), "net {seed}: {never:?}");
            if let LemmaSum::Short { sum, most } = &never.sum {
                assert_eq!(sum.value(net.initial()), *most, "net {seed}: {never:?}");
            }
        });
    }
    assert!(said >= 20, "{said}");
}

#[test]
fn a_long_sum_with_weights_is_called_so() {
    // A ring on which one token becomes two and two become one.
    let mut net = "net ring\nplace a0 1\nplace b0\n".to_owned();
    for at in 1..10 {
        net += &format!("place a{at}\nplace b{at}\n");
    }
    for at in 0..10 {
        let next = (at + 1) % 10;
        net +=
            &format!("transition s{at}: a{at} -> 2*b{at}\ntransition m{at}: 2*b{at} -> a{next}\n");
    }
    let net = text::parse(&net).unwrap();
    let [a, b] = ["a3", "b7"].map(|name| Predicate::at_least(net.place_named(name).unwrap(), 1));
    let goal = Goal::Reach(Predicate::and([a, b]));
    let engines = parikh::run::engines_named(&["state-equation".to_owned()]);
    let config = RunConfig { threads: 1, keep_certificates: true, engines, ..RunConfig::default() };
    let mut sum = None;
    run_net(&net, Plan::of_goals([goal]), &config, &Budget::unlimited(), |event| {
        if let Event::Settled {
            goal: Goal::Reach(predicate),
            knowledge: Knowledge::Reach(ReachKnowledge::Unreachable { proof, .. }),
            ..
        } = event
        {
            sum = why_never(&net, predicate, proof).map(|never| never.sum);
        }
    });
    assert!(matches!(sum, Some(LemmaSum::Long { places: 13.. })), "{sum:?}");
}
