//! Traps: a marked trap stays marked, so it contains a marked place in every reachable marking.
//!
//! ```text
//! place p 1                    # Every transition that takes from {p, q} puts into it: a marked trap.
//! place q                      # So p + q >= 1 always, although p + q is no invariant.
//! transition a: p -> 2*q
//! transition b: 2*q -> p
//! ```
//!
//! [`small_marked_trap`] and [`small_marked_traps`] prefer small traps, which give stronger
//! constraints Σ m(p) ≥ 1.
//!
//! # Sources
//! J. Esparza, S. Melzer, *Verification of safety properties using integer programming: beyond the
//! state equation*, FMSD 16, 2000.

use super::closed::{ClosureKind, is_closed, largest, minimise};
use parikh_net::{Net, PlaceId};

/// Returns the largest trap within `within`, ascending; possibly empty.
pub fn largest_trap(net: &Net, within: &[PlaceId]) -> Vec<PlaceId> {
    largest(net, ClosureKind::Trap, within)
}

/// Returns true if every transition that consumes tokens from `set` produces tokens in `set`.
pub fn is_trap(net: &Net, set: &[PlaceId]) -> bool {
    is_closed(net, ClosureKind::Trap, set)
}

/// Returns true if a place of `set` is marked initially.
pub fn is_marked(net: &Net, set: &[PlaceId]) -> bool {
    set.iter().any(|&p| net.initial()[p] > 0)
}

/// Returns an initially marked trap within `within` that contains no smaller initially marked trap.
/// Returns `None` if there is no marked trap.
///
/// The largest trap decides existence. Then a small trap is grown from each of a few marked places.
/// For each transition that takes from the trap, an output with few consumers is added. The
/// smallest of these is minimised.
pub fn small_marked_trap(net: &Net, within: &[PlaceId]) -> Option<Vec<PlaceId>> {
    /// Number of marked places from which a trap is grown. Growing takes time linear in the trap,
    /// and more of these places rarely give smaller traps.
    const SEEDS: usize = 4;
    let largest = largest_trap(net, within);
    let marked = largest.iter().copied().filter(|&p| net.initial()[p] > 0);
    let mut seeds: Vec<PlaceId> = marked.collect();
    seeds.sort_by_key(|&p| net.consumers(p).len());
    let mut in_largest = vec![false; net.place_count()];
    largest.iter().for_each(|p| in_largest[p.index()] = true);
    let candidates = seeds.into_iter().take(SEEDS);
    let candidates = candidates.filter_map(|seed| grow(net, seed, &in_largest, usize::MAX));
    let smallest = candidates.min_by_key(Vec::len)?;
    Some(minimise(net, ClosureKind::Trap, &smallest, |p| net.initial()[p] > 0))
}

/// Returns at most `max_traps` initially marked traps within `within` that contain no smaller
/// initially marked trap. One trap is searched for each marked place that no earlier trap contains.
pub fn small_marked_traps(net: &Net, within: &[PlaceId], max_traps: usize) -> Vec<Vec<PlaceId>> {
    small_traps(net, within, |p| net.initial()[p] > 0, max_traps, usize::MAX)
}

/// Returns traps like [`small_marked_traps`], around the places that `is_wanted` accepts. Traps
/// that grow beyond `max_places` places are dropped. The search ends when more than `max_traps`
/// traps were dropped.
pub fn small_traps(
    net: &Net,
    within: &[PlaceId],
    is_wanted: impl Fn(PlaceId) -> bool,
    max_traps: usize,
    max_places: usize,
) -> Vec<Vec<PlaceId>> {
    if !within.iter().any(|&p| is_wanted(p)) {
        return Vec::new();
    }
    let largest = largest_trap(net, within);
    let mut in_largest = vec![false; net.place_count()];
    largest.iter().for_each(|p| in_largest[p.index()] = true);
    let mut traps: Vec<Vec<PlaceId>> = Vec::new();
    let mut covered = vec![false; net.place_count()];
    let mut given_up = 0;
    for &seed in largest.iter().filter(|&&p| is_wanted(p)) {
        if traps.len() == max_traps || given_up > max_traps {
            break;
        }
        if !covered[seed.index()] {
            let Some(grown) = grow(net, seed, &in_largest, max_places) else {
                given_up += 1;
                continue;
            };
            let trap = minimise(net, ClosureKind::Trap, &grown, &is_wanted);
            trap.iter().for_each(|p| covered[p.index()] = true);
            if !traps.contains(&trap) {
                traps.push(trap);
            }
        }
    }
    traps
}

/// Grows a trap that contains `seed` inside the trap `in_trap`. Returns `None` if it has more than
/// `max_places` places.
fn grow(net: &Net, seed: PlaceId, in_trap: &[bool], max_places: usize) -> Option<Vec<PlaceId>> {
    let mut trap = std::collections::BTreeSet::from([seed]);
    let mut pending = vec![seed];
    while let Some(p) = pending.pop() {
        if trap.len() > max_places {
            return None;
        }
        for arc in net.consumers(p) {
            let outputs = || net.post(arc.transition).iter().map(|arc| arc.place);
            if outputs().any(|q| trap.contains(&q)) {
                continue;
            }
            // `in_trap` is a trap that contains p, so there is such an output.
            let allowed = outputs().filter(|q| in_trap[q.index()]);
            if let Some(q) = allowed.min_by_key(|&q| (net.consumers(q).len(), q)) {
                trap.insert(q);
                pending.push(q);
            }
        }
    }
    Some(trap.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    #[test]
    fn a_trap_need_not_be_an_invariant() {
        let net = text::parse("place p 1\nplace q\ntransition a: p -> 2*q\ntransition b: 2*q -> p")
            .unwrap();
        let all: Vec<PlaceId> = net.places().collect();
        assert_eq!(small_marked_trap(&net, &all), Some(all.clone()));
        assert!(is_trap(&net, &all) && is_marked(&net, &all));
        assert_eq!(small_marked_trap(&net, &all[..1]), None);
    }

    #[test]
    fn small_traps_have_no_unnecessary_places() {
        let net = text::parse(
            "place p 1\nplace q\nplace r\nplace s 1\n\
             transition a: p -> q + r\ntransition b: q -> p\ntransition c: r -> p + q",
        )
        .unwrap();
        let all: Vec<PlaceId> = net.places().collect();
        // s has no consumer, so it is a trap by itself.
        assert_eq!(small_marked_trap(&net, &all), Some(vec![PlaceId::new(3)]));
        assert_eq!(small_marked_trap(&net, &all[..3]), Some(all[..2].to_vec()));
    }
}
