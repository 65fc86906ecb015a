//! Markings with ω: a place with ω holds as many tokens as anybody likes.

use super::reachability::NoGraph;
use parikh_net::{Marking, Net, TransitionId};

/// ω among token counts, which are smaller.
pub const OMEGA: u64 = u64::MAX;

/// A firing, with ω − n = ω + n = ω; `None` where it is not enabled.
///
/// # Errors
/// [`NoGraph::Overflow`] where a place would hold more tokens than are counted.
pub fn fire(net: &Net, tokens: &[u64], t: TransitionId) -> Result<Option<Vec<u64>>, NoGraph> {
    if net.pre(t).iter().any(|arc| tokens[arc.place.index()] < arc.weight) {
        return Ok(None);
    }
    let mut next = tokens.to_vec();
    for change in net.delta(t) {
        let held = &mut next[change.place.index()];
        if *held != OMEGA {
            let sum = held.checked_add_signed(change.delta);
            *held = sum.filter(|&sum| sum <= Marking::MAX_TOKENS).ok_or(NoGraph::Overflow)?;
        }
    }
    Ok(Some(next))
}

/// Whether `one` has no more tokens than `other` on any place.
pub fn is_covered(one: &[u64], other: &[u64]) -> bool {
    one.iter().zip(other).all(|(a, b)| a <= b)
}
