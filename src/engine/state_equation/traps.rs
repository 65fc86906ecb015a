//! Marked traps that a candidate marking leaves empty.
//!
//! A trap is a set of places such that whoever takes from it also puts into it; marked once, it
//! stays marked. The union of traps is a trap, so among the empty places of a marking there is a
//! largest one, found by throwing out places that can be emptied until nothing changes. If it
//! contains an initially marked place, the marking is unreachable. The smaller a trap, the more
//! markings it excludes, so one is grown inside the largest from a single marked place and then
//! thinned out.
//!
//! # Cost
//! The largest trap is linear in the arcs; growing one is linear in the arcs it meets; thinning is
//! quadratic and stops at a fixed amount of work.
//!
//! # Sources
//! J. Esparza, S. Melzer, *Verification of safety properties using integer programming: beyond the
//! state equation*, FMSD 16, 2000.

use parikh_net::{Net, PlaceId};

/// About how many arcs are looked at to make one trap smaller.
const THINNING_WORK: usize = 2_000_000;

/// Up to `most` different small initially marked traps whose places all satisfy `empty`.
pub(super) fn empty_marked_traps(
    net: &Net,
    empty: impl Fn(PlaceId) -> bool,
    most: usize,
) -> Vec<Vec<PlaceId>> {
    let mut inside: Vec<bool> = net.places().map(empty).collect();
    let marked = |place: &PlaceId| net.initial()[*place] > 0;
    if !net.places().any(|place| inside[place.index()] && marked(&place)) {
        return Vec::new();
    }
    let all: Vec<PlaceId> = net.places().collect();
    shrink(net, &all, &mut inside);
    let mut found: Vec<Vec<PlaceId>> = Vec::new();
    let mut covered = vec![false; net.place_count()];
    for seed in net.places().filter(marked) {
        if !inside[seed.index()] || covered[seed.index()] {
            continue;
        }
        let trap = thin(net, grow(net, seed, &inside));
        trap.iter().for_each(|place| covered[place.index()] = true);
        if !found.contains(&trap) {
            found.push(trap);
        }
        if found.len() == most {
            break;
        }
    }
    found
}

/// Throws places out of `inside` until what is left is a trap: the largest in it. `places` are all
/// that are inside.
fn shrink(net: &Net, places: &[PlaceId], inside: &mut [bool]) {
    // Per transition how many arcs it has into the set.
    let mut returns: std::collections::HashMap<u32, u32> = Default::default();
    for &place in places.iter().filter(|place| inside[place.index()]) {
        for arc in net.producers(place) {
            *returns.entry(arc.transition.index() as u32).or_default() += 1;
        }
    }
    let escapes = |returns: &std::collections::HashMap<u32, u32>, place: PlaceId| {
        let mut takers = net.consumers(place).iter();
        takers.any(|arc| !returns.contains_key(&(arc.transition.index() as u32)))
    };
    let mut waiting: Vec<PlaceId> =
        places.iter().copied().filter(|&p| inside[p.index()] && escapes(&returns, p)).collect();
    waiting.iter().for_each(|place| inside[place.index()] = false);
    while let Some(place) = waiting.pop() {
        for arc in net.producers(place) {
            let key = arc.transition.index() as u32;
            let Some(count) = returns.get_mut(&key) else { continue };
            *count -= 1;
            if *count > 0 {
                continue;
            }
            returns.remove(&key);
            for input in net.pre(arc.transition) {
                if std::mem::replace(&mut inside[input.place.index()], false) {
                    waiting.push(input.place);
                }
            }
        }
    }
}

/// A trap around `seed` inside the trap `inside`: for each transition that takes and does not give
/// back, one place that it fills is added.
fn grow(net: &Net, seed: PlaceId, inside: &[bool]) -> Vec<PlaceId> {
    let mut trap = vec![seed];
    let mut member = std::collections::HashSet::from([seed]);
    let mut next = 0;
    while next < trap.len() {
        let place = trap[next];
        next += 1;
        for taker in net.consumers(place) {
            let outputs = net.post(taker.transition);
            if outputs.iter().any(|arc| member.contains(&arc.place)) {
                continue;
            }
            let inner = outputs.iter().map(|arc| arc.place).filter(|p| inside[p.index()]);
            // There is one, because `inside` is a trap. Few consumers mean little to repair.
            if let Some(added) = inner.min_by_key(|&p| net.consumers(p).len()) {
                member.insert(added);
                trap.push(added);
            }
        }
    }
    trap
}

/// A trap inside `trap` that is still initially marked and loses its mark or its property with any
/// further place, as far as the work allows. Sorted.
fn thin(net: &Net, mut trap: Vec<PlaceId>) -> Vec<PlaceId> {
    trap.sort_unstable();
    let arcs = |trap: &[PlaceId]| -> usize {
        trap.iter().map(|&p| 1 + net.consumers(p).len() + net.producers(p).len()).sum()
    };
    let mut inside = vec![false; net.place_count()];
    let mut work = 0;
    let mut next = 0;
    while next < trap.len() && work < THINNING_WORK {
        work += arcs(&trap);
        trap.iter().for_each(|place| inside[place.index()] = true);
        inside[trap[next].index()] = false;
        shrink(net, &trap, &mut inside);
        let left: Vec<PlaceId> = trap.iter().copied().filter(|p| inside[p.index()]).collect();
        trap.iter().for_each(|place| inside[place.index()] = false);
        if left.iter().any(|&place| net.initial()[place] > 0) {
            // Places before `next` were needed and still are: less is left to do without them.
            next = left.partition_point(|&place| place < trap[next]);
            trap = left;
        } else {
            next += 1;
        }
    }
    trap
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::generate::{Shape, random};

    fn is_trap(net: &Net, trap: &[PlaceId]) -> bool {
        trap.iter().all(|&place| {
            net.consumers(place).iter().all(|arc| {
                net.post(arc.transition).iter().any(|output| trap.contains(&output.place))
            })
        })
    }

    /// Whether some subset of the empty places is an initially marked trap, by trying all.
    fn some_trap(net: &Net, empty: &[PlaceId]) -> bool {
        (1u32..1 << empty.len()).any(|bits| {
            let subset: Vec<PlaceId> =
                (0..empty.len()).filter(|i| bits >> i & 1 == 1).map(|i| empty[i]).collect();
            is_trap(net, &subset) && subset.iter().any(|&p| net.initial()[p] > 0)
        })
    }

    #[test]
    fn a_trap_is_found_whenever_there_is_one_and_what_is_found_is_one() {
        let mut rng = fastrand::Rng::with_seed(7);
        let mut found = 0;
        for seed in 0..600 {
            let net = random(seed, &Shape::small(seed));
            let empty: Vec<PlaceId> = net.places().filter(|_| rng.u32(0..3) > 0).take(10).collect();
            let traps = empty_marked_traps(&net, |place| empty.contains(&place), 3);
            assert_eq!(!traps.is_empty(), some_trap(&net, &empty), "net {seed}");
            for trap in traps {
                found += 1;
                assert!(is_trap(&net, &trap) && trap.iter().all(|place| empty.contains(place)));
                assert!(trap.iter().any(|&place| net.initial()[place] > 0));
                for place in &trap {
                    let less: Vec<_> = trap.iter().copied().filter(|p| p != place).collect();
                    let still = is_trap(&net, &less);
                    assert!(!still || less.iter().all(|&p| net.initial()[p] == 0), "net {seed}");
                }
            }
        }
        assert!(found > 100, "{found}");
    }
}
