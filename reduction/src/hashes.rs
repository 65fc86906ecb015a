//! Hashes of the arcs and effects of transitions, for rules that look for similar transitions.

use parikh_net::{Arc, PlaceId};

/// Returns an additive hash of an effect: the hash of a sum of effects is the sum of the hashes.
pub(super) fn effect_hash(changes: impl Iterator<Item = (PlaceId, i64)>) -> u64 {
    changes.fold(0, |sum, (p, change)| {
        sum.wrapping_add(scrambled(p.index() as u64).wrapping_mul(change as u64))
    })
}

/// Returns a hash of a list of arcs, independent of their order.
pub(super) fn row_hash(row: &[Arc]) -> u64 {
    row.iter().fold(0, |sum, arc| {
        sum.wrapping_add(scrambled(scrambled(arc.place.index() as u64) ^ arc.weight))
    })
}

/// The finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
pub(super) fn scrambled(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
