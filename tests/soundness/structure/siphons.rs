//! Siphons, traps and the siphon-trap property, against all subsets and all reachable markings.

use super::plain::*;
use parikh::net::{Net, PlaceId, text};
use parikh::solvers::Budget;
use parikh::structure::closed::ClosureKind;
use parikh::structure::commoner::{
    SiphonTrap, SiphonTrapProperty, consumes_single_tokens, siphon_trap,
};
use parikh::structure::minimal::minimal_sets;
use parikh::structure::siphons::{is_siphon, largest_siphon, starved_by, unmarked_siphon};
use parikh::structure::traps::{is_trap, largest_trap, small_marked_trap, small_marked_traps};

/// Returns true if the set is a siphon or trap by definition: each transition with an effect on the
/// set has the required arc.
fn closed(net: &Net, kind: ClosureKind, set: &[PlaceId]) -> bool {
    net.transitions().all(|t| {
        let takes = net.pre(t).iter().any(|arc| set.contains(&arc.place));
        let puts = net.post(t).iter().any(|arc| set.contains(&arc.place));
        match kind {
            ClosureKind::Siphon => takes || !puts,
            ClosureKind::Trap => puts || !takes,
        }
    })
}

fn all_closed(net: &Net, kind: ClosureKind) -> Vec<Vec<PlaceId>> {
    let sets = subsets(net.place_count()).map(|set| places(&set));
    sets.filter(|set| !set.is_empty() && closed(net, kind, set)).collect()
}

fn within(part: &[PlaceId], whole: &[PlaceId]) -> bool {
    part.iter().all(|p| whole.contains(p))
}

fn marked(net: &Net, set: &[PlaceId]) -> bool {
    set.iter().any(|&p| net.initial()[p] > 0)
}

#[test]
fn the_largest_siphon_and_trap_are_unions_of_all_within() {
    for net in nets(11, 600, RandomShape { nodes: 5, weight: 2 }) {
        for kind in [ClosureKind::Siphon, ClosureKind::Trap] {
            let all = all_closed(&net, kind);
            for set in subsets(net.place_count()).map(|set| places(&set)) {
                let inside: Vec<_> = all.iter().filter(|closed| within(closed, &set)).collect();
                let mut union: Vec<PlaceId> =
                    inside.iter().flat_map(|s| s.iter().copied()).collect();
                union.sort();
                union.dedup();
                let (largest, is_closed) = match kind {
                    ClosureKind::Siphon => (largest_siphon(&net, &set), is_siphon(&net, &set)),
                    ClosureKind::Trap => (largest_trap(&net, &set), is_trap(&net, &set)),
                };
                assert_eq!(largest, union, "{} {kind:?} in {set:?}", text::print(&net));
                assert_eq!(is_closed, closed(&net, kind, &set), "{}", text::print(&net));
            }
        }
    }
}

#[test]
fn minimal_siphons_and_traps_are_all_found() {
    for net in nets(12, 800, RandomShape { nodes: 6, weight: 2 }) {
        for kind in [ClosureKind::Siphon, ClosureKind::Trap] {
            let all = all_closed(&net, kind);
            let minimal =
                |set: &&Vec<PlaceId>| all.iter().all(|other| other == *set || !within(other, set));
            let mut expected: Vec<_> = all.iter().filter(minimal).cloned().collect();
            expected.sort();
            let found = minimal_sets(&net, kind, 1000, &Budget::unlimited());
            assert!(found.is_complete());
            assert_eq!(found.sets, expected, "{} {kind:?}", text::print(&net));
            let some = minimal_sets(&net, kind, 1, &Budget::unlimited());
            assert!(some.sets.iter().all(|set| expected.contains(set)));
        }
    }
}

#[test]
fn small_marked_traps_are_found_exactly_if_one_exists() {
    for net in nets(13, 600, RandomShape { nodes: 5, weight: 2 }) {
        let traps = all_closed(&net, ClosureKind::Trap);
        for set in subsets(net.place_count()).map(|set| places(&set)) {
            let exists = traps.iter().any(|trap| within(trap, &set) && marked(&net, trap));
            let one = small_marked_trap(&net, &set);
            let several = small_marked_traps(&net, &set, 3);
            assert_eq!((one.is_some(), !several.is_empty()), (exists, exists), "{set:?}");
            assert!(several.len() <= 3 && several.is_sorted_by(|a, b| a != b));
            for trap in one.into_iter().chain(several) {
                assert!(within(&trap, &set) && marked(&net, &trap));
                assert!(closed(&net, ClosureKind::Trap, &trap), "{}", text::print(&net));
                let smaller = |other: &Vec<PlaceId>| {
                    *other != trap && within(other, &trap) && marked(&net, other)
                };
                assert!(!traps.iter().any(smaller), "{} {trap:?}", text::print(&net));
            }
        }
    }
}

#[test]
fn traps_stay_marked_and_unmarked_siphons_stay_empty() {
    for net in nets(14, 600, RandomShape { nodes: 5, weight: 3 }) {
        let (markings, _) = reachable(&net, 200);
        let siphon = unmarked_siphon(&net);
        for t in starved_by(&net, &siphon) {
            assert!(markings.iter().all(|m| !net.is_enabled(m, t)), "{}", text::print(&net));
        }
        let every: Vec<PlaceId> = net.places().collect();
        let trap = small_marked_trap(&net, &every);
        for m in &markings {
            assert!(siphon.iter().all(|&p| m[p] == 0), "{}", text::print(&net));
            let trap = trap.as_deref();
            assert!(trap.is_none_or(|trap| trap.iter().any(|&p| m[p] > 0)));
        }
    }
}

/// Evaluates the siphon-trap property by definition, over all subsets.
fn every_set_has_a_marked_trap(net: &Net, question: SiphonTrapProperty) -> bool {
    let traps = all_closed(net, ClosureKind::Trap);
    let concerned = |set: &[PlaceId]| match question {
        SiphonTrapProperty::EverySiphon => !set.is_empty() && closed(net, ClosureKind::Siphon, set),
        SiphonTrapProperty::DeadMarkings => net.transitions().all(|t| {
            let arcs = net.pre(t);
            arcs.iter().any(|arc| arc.weight > 1) || arcs.iter().any(|arc| set.contains(&arc.place))
        }),
    };
    subsets(net.place_count())
        .map(|set| places(&set))
        .filter(|set| concerned(set))
        .all(|set| traps.iter().any(|trap| within(trap, &set) && marked(net, trap)))
}

#[test]
fn the_siphon_trap_argument_is_decided_right_and_never_contradicts_a_deadlock() {
    let (mut excluded, mut only_by_dead_markings) = (0, 0);
    let shapes =
        [(15, RandomShape { nodes: 5, weight: 1 }), (16, RandomShape { nodes: 5, weight: 2 })];
    for (seed, shape) in shapes {
        for net in nets(seed, 4000, shape) {
            let mut proved = Vec::new();
            for question in [SiphonTrapProperty::EverySiphon, SiphonTrapProperty::DeadMarkings] {
                let expected = every_set_has_a_marked_trap(&net, question);
                match siphon_trap(&net, question, &Budget::unlimited()).unwrap() {
                    SiphonTrap::Holds(certificate) => {
                        assert!(expected, "{} {question:?}", text::print(&net));
                        assert_eq!(certificate.check(&net, &Budget::unlimited()), Ok(()));
                        proved.push(certificate.excludes_deadlocks(&net));
                    }
                    SiphonTrap::Fails(set) => {
                        assert!(!expected, "{} {question:?}", text::print(&net));
                        let traps = all_closed(&net, ClosureKind::Trap);
                        let inside = |trap: &Vec<PlaceId>| within(trap, &set) && marked(&net, trap);
                        assert!(!traps.iter().any(inside), "{} {set:?}", text::print(&net));
                        let siphon = closed(&net, ClosureKind::Siphon, &set) && !set.is_empty();
                        assert!(question == SiphonTrapProperty::DeadMarkings || siphon);
                        proved.push(false);
                    }
                }
            }
            if proved.contains(&true) {
                excluded += 1;
                let (markings, _) = reachable(&net, 300);
                assert!(!markings.iter().any(|m| net.is_dead(m)), "{}", text::print(&net));
            }
            // The second variant considers fewer sets if Commoner's theorem applies.
            assert!(!proved[0] || proved[1] || !consumes_single_tokens(&net));
            only_by_dead_markings += usize::from(proved == [false, true]);
        }
    }
    assert!(excluded > 500 && only_by_dead_markings > 50, "{excluded} {only_by_dead_markings}");
}
