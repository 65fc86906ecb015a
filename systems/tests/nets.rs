//! Systems and their nets: the number of markings equals the number of joint states, also for dead
//! ones.

use parikh_net::{Marking, Net};
use parikh_systems::generate::random_system;
use parikh_systems::{JointStateSpace, net, read};
use std::collections::HashSet;

/// Returns the number of reachable markings, and the number of dead ones.
fn markings(net: &Net) -> (usize, usize) {
    let mut seen = HashSet::from([net.initial().clone()]);
    let mut open: Vec<Marking> = vec![net.initial().clone()];
    let mut dead = 0;
    while let Some(marking) = open.pop() {
        let mut has_enabled = false;
        for t in net.transitions().filter(|&t| net.is_enabled(&marking, t)) {
            has_enabled = true;
            let mut next = marking.clone();
            net.fire(&mut next, t).unwrap();
            if seen.insert(next.clone()) {
                open.push(next);
            }
        }
        dead += usize::from(!has_enabled);
    }
    (seen.len(), dead)
}

#[test]
fn the_net_of_a_system_has_its_joint_states() {
    let mut random = fastrand::Rng::with_seed(5);
    for _ in 0..300 {
        let system = random_system(&mut random);
        let space = JointStateSpace::visit(&system, 1 << 20, &mut || true).unwrap();
        let net = net(&system, 1 << 20).unwrap();
        let has_roots = system.components().iter().any(|it| it.starts().len() > 1);
        let (all, dead) = markings(&net);
        assert_eq!((all - usize::from(has_roots), dead), (space.states(), space.deadlocks()));
        let units = net.safe_units().unwrap();
        assert_eq!(units.len(), system.components().len() + 1);
        let fired: HashSet<&str> =
            net.transitions().filter_map(|t| net.transition_label(t)).collect();
        for label in system.labels().filter(|label| !space.dead_labels().contains(label)) {
            assert!(fired.contains(system.label(label)));
        }
    }
}

#[test]
fn a_net_has_the_sizes_that_the_challenge_says() {
    // Two components with two edges each for one label: four combinations, and the joint first
    // step.
    let text = "digraph G { subgraph a { 0->1 [label=\"\"]; 1->2 [label=x]; 1->1 [label=x]; }
                subgraph b { 3->4 [label=\"\"]; 4->5 [label=x]; 5->4 [label=x]; } }";
    let system = read::dot(text, "two").unwrap();
    let small = net(&system, 100).unwrap();
    assert_eq!((small.place_count(), small.transition_count(), small.arc_count()), (6, 5, 20));
    assert!(net(&system, 4).is_err());
}
