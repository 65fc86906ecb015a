//! Markings with ω. A place with ω holds arbitrarily many tokens.

use super::reachability::NoGraph;
use parikh_net::{Marking, Net, TransitionId};

/// The token count ω, larger than all other token counts.
pub const OMEGA: u64 = u64::MAX;

/// Fires a transition, with ω − n = ω + n = ω. Returns `None` if the transition is disabled.
///
/// # Errors
/// [`NoGraph::Overflow`] if a place would hold more tokens than can be counted.
pub fn fire(net: &Net, tokens: &[u64], t: TransitionId) -> Result<Option<Vec<u64>>, NoGraph> {
    if net.pre(t).iter().any(|arc| tokens[arc.place.index()] < arc.weight) {
        return Ok(None);
    }
    let mut next = tokens.to_vec();
    for change in net.delta(t) {
        let count = &mut next[change.place.index()];
        if *count != OMEGA {
            let sum = count.checked_add_signed(change.delta);
            *count = sum.filter(|&sum| sum <= Marking::MAX_TOKENS).ok_or(NoGraph::Overflow)?;
        }
    }
    Ok(Some(next))
}

/// Returns true if `smaller` has at most as many tokens as `larger` on every place.
pub fn is_covered(smaller: &[u64], larger: &[u64]) -> bool {
    smaller.iter().zip(larger).all(|(a, b)| a <= b)
}
