//! The structural properties against their literal definitions.

use super::plain::*;
use parikh::net::{Net, PlaceId, TransitionId, text};
use parikh::structure::keys::{Key, structural_keys};

fn inputs(net: &Net, t: TransitionId) -> Vec<PlaceId> {
    net.pre(t).iter().map(|arc| arc.place).collect()
}

fn outputs(net: &Net, t: TransitionId) -> Vec<PlaceId> {
    net.post(t).iter().map(|arc| arc.place).collect()
}

/// Computes reach[a][b], true if there is a path from a to b, by the Floyd-Warshall algorithm.
/// Places come first, then transitions.
fn paths(net: &Net, directed: bool) -> Vec<Vec<bool>> {
    let places = net.place_count();
    let count = places + net.transition_count();
    let mut reach: Vec<Vec<bool>> =
        (0..count).map(|a| (0..count).map(|b| a == b).collect()).collect();
    for t in net.transitions() {
        let node = places + t.index();
        for (from, to) in (inputs(net, t).iter().map(|p| (p.index(), node)))
            .chain(outputs(net, t).iter().map(|p| (node, p.index())))
        {
            reach[from][to] = true;
            reach[to][from] |= !directed;
        }
    }
    for via in 0..count {
        for from in 0..count {
            for to in 0..count {
                reach[from][to] |= reach[from][via] && reach[via][to];
            }
        }
    }
    reach
}

fn by_definition(net: &Net, key: Key) -> bool {
    let arcs = || net.transitions().flat_map(|t| net.pre(t).iter().chain(net.post(t)));
    let ordinary = arcs().all(|arc| arc.weight == 1);
    let pairs = || net.transitions().flat_map(|t| net.transitions().map(move |u| (t, u)));
    let share = |t, u| inputs(net, t).iter().any(|p| inputs(net, u).contains(p));
    let tokens = |arcs: &[parikh::net::Arc]| arcs.iter().map(|arc| arc.weight).sum::<u64>();
    let full = |directed| paths(net, directed).iter().all(|row| row.iter().all(|&met| met));
    match key {
        Key::Ordinary => ordinary,
        Key::SimpleFreeChoice => {
            ordinary && pairs().all(|(t, u)| t == u || !share(t, u) || inputs(net, t).len() == 1)
        }
        Key::ExtendedFreeChoice => {
            ordinary && pairs().all(|(t, u)| !share(t, u) || inputs(net, t) == inputs(net, u))
        }
        Key::StateMachine => {
            ordinary && net.transitions().all(|t| net.pre(t).len() == 1 && net.post(t).len() == 1)
        }
        Key::MarkedGraph => {
            let one = |p: PlaceId, ends: &dyn Fn(TransitionId) -> Vec<PlaceId>| {
                net.transitions().filter(|&t| ends(t).contains(&p)).count() == 1
            };
            ordinary
                && net.places().all(|p| one(p, &|t| inputs(net, t)) && one(p, &|t| outputs(net, t)))
        }
        Key::Connected => full(false),
        Key::StronglyConnected => full(true),
        Key::SourcePlace => {
            net.places().any(|p| net.transitions().all(|t| !outputs(net, t).contains(&p)))
        }
        Key::SinkPlace => {
            net.places().any(|p| net.transitions().all(|t| !inputs(net, t).contains(&p)))
        }
        Key::SourceTransition => net.transitions().any(|t| inputs(net, t).is_empty()),
        Key::SinkTransition => net.transitions().any(|t| outputs(net, t).is_empty()),
        Key::LoopFree => {
            net.transitions().all(|t| inputs(net, t).iter().all(|p| !outputs(net, t).contains(p)))
        }
        Key::Conservative => net.transitions().all(|t| tokens(net.pre(t)) == tokens(net.post(t))),
        Key::Subconservative => {
            net.transitions().all(|t| tokens(net.pre(t)) >= tokens(net.post(t)))
        }
        Key::NestedUnits => net.units().is_some(),
    }
}

#[test]
fn keys_agree_with_their_definitions() {
    let mut random = fastrand::Rng::with_seed(21);
    let mut seen = std::collections::HashSet::new();
    for round in 0..4000 {
        let shape = RandomShape { nodes: 1 + round % 5, weight: 1 + (round % 2) as u64 };
        let net = random_net(&mut random, &shape);
        let verdicts = structural_keys(&net);
        assert_eq!(verdicts.iter().map(|verdict| verdict.key).collect::<Vec<_>>(), Key::ALL);
        for verdict in verdicts {
            let expected = by_definition(&net, verdict.key);
            assert_eq!(verdict.value, expected, "{} {verdict:?}", text::print(&net));
            seen.insert((verdict.key, verdict.value));
        }
    }
    // Every property was both true and false for some net, except those of units, which the text
    // format lacks.
    assert_eq!(seen.len(), 29);
}
