//! Numbers of markings and firings on diagrams whose levels represent groups of places, against
//! enumeration.
//!
//! The nets consist of state machines with one token, and pairs of places with a constant weighted
//! sum. Transitions move, read and mix them, so they have conditions on several groups, and some
//! contradict an invariant. Both the nets and their reductions are counted. The checker confirms
//! each diagram with a level per place, so it checks the translation of groups to places, too.

use crate::support::oracle::{OracleLimits, explore};
use crate::support::scale::scaled;
use fastrand::Rng;
use parikh::engine::diagrams::OrderThreads;
use parikh::net::{Net, NetBuilder, PlaceId, TransitionId, text};
use parikh::run::{CountMethod, ReducedCount};
use parikh::solvers::Budget;

/// A part of a net, with the invariant that makes its places a group.
enum Part {
    /// Places with one token in total.
    Machine(Vec<PlaceId>),
    /// Places p and q with the invariant a·p + b·q = constant, and the weights b and a: a move
    /// takes b tokens from p and puts a tokens to q, or back.
    Pair([PlaceId; 2], [u64; 2]),
    /// A place without an invariant.
    Free(PlaceId),
}

impl Part {
    fn new(rng: &mut Rng, net: &mut NetBuilder, number: usize) -> Part {
        let mut place = |name: String, tokens| net.place(&name, tokens).unwrap();
        match rng.u32(0..8) {
            0..=4 => {
                let size = rng.usize(2..=5);
                let marked = rng.usize(0..size);
                let place = |i| place(format!("m{number}_{i}"), u64::from(i == marked));
                Part::Machine((0..size).map(place).collect())
            }
            5 | 6 => {
                let tokens = [rng.u64(0..=4), rng.u64(0..=4)];
                let p = place(format!("p{number}"), tokens[0]);
                let q = place(format!("q{number}"), tokens[1]);
                Part::Pair([p, q], [rng.u64(1..=2), rng.u64(1..=2)])
            }
            _ => Part::Free(place(format!("f{number}"), rng.u64(0..=2))),
        }
    }

    /// Adds arcs between `t` and the places of the part.
    fn connect(&self, rng: &mut Rng, net: &mut NetBuilder, t: TransitionId) {
        match self {
            Part::Machine(places) => {
                let mut some = || places[rng.usize(0..places.len())];
                let (from, to, read) = (some(), some(), some());
                net.take(t, from, 1).unwrap();
                net.put(t, to, 1).unwrap();
                if rng.u32(0..8) == 0 {
                    // Usually a second place of the machine, so the transition is never enabled.
                    net.take(t, read, 1).unwrap();
                    net.put(t, read, 1).unwrap();
                }
            }
            Part::Pair(places, weights) => {
                let from = rng.usize(0..2);
                if rng.u32(0..3) > 0 {
                    net.take(t, places[from], weights[from]).unwrap();
                    net.put(t, places[1 - from], weights[1 - from]).unwrap();
                }
                if rng.u32(0..3) == 0 {
                    let (read, tokens) = (places[rng.usize(0..2)], rng.u64(1..=3));
                    net.take(t, read, tokens).unwrap();
                    net.put(t, read, tokens).unwrap();
                }
            }
            Part::Free(place) => match rng.bool() {
                true => net.take(t, *place, rng.u64(1..=2)).unwrap(),
                false => net.put(t, *place, 1).unwrap(),
            },
        }
    }
}

fn net_of_parts(rng: &mut Rng) -> Net {
    let mut net = NetBuilder::new("parts");
    let parts: Vec<Part> = (0..rng.usize(2..=5)).map(|i| Part::new(rng, &mut net, i)).collect();
    for number in 0..rng.usize(8..=24) {
        let t = net.transition(&format!("t{number}")).unwrap();
        // Mostly one or two parts.
        let share = parts.len().min([1, 1, 1, 2, 2, 3][rng.usize(0..6)]);
        for part in rng.choose_multiple(&parts, share) {
            part.connect(rng, &mut net, t);
        }
    }
    // The steps of a counter: they do the same to another part, so they become one transition.
    if let (Some(Part::Machine(places)), other) = (parts.first(), &parts[1]) {
        let seed = rng.u64(..);
        for (number, step) in places.windows(2).enumerate() {
            let t = net.transition(&format!("step{number}")).unwrap();
            net.take(t, step[0], 1).unwrap();
            net.put(t, step[1], 1).unwrap();
            other.connect(&mut Rng::with_seed(seed), &mut net, t);
        }
    }
    net.build().unwrap()
}

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
