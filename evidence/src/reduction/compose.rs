//! Composes a sequence of transitions into one equivalent transition.
//!
//! The composed transition consumes from each place the least number of tokens with which the
//! sequence is enabled (its *hurdle*). It produces the rest of the hurdle plus the net gain of the
//! sequence. Firing it is exactly firing the sequence at once, for any weights and self-loops.

use super::work::WorkNet;
use parikh_net::{Arc, Marking, PlaceId, TransitionId};

/// The consumed and the produced tokens of a sequence, by place. Places ascend, and no entry has
/// both numbers 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Composite(Vec<(PlaceId, u64, u64)>);

impl Composite {
    /// Returns the composite of one firing of `t`.
    pub(super) fn of(net: &WorkNet, t: TransitionId) -> Composite {
        Composite(net.arcs(t).collect())
    }

    /// Returns the composite of `times` repetitions. Returns `None` for no repetition or on
    /// overflow.
    pub(super) fn repeated(&self, times: u64) -> Option<Composite> {
        let other_rounds = times.checked_sub(1)?;
        let arc = |&(p, taken, put): &(PlaceId, u64, u64)| {
            let (net_loss, net_gain) = (taken.saturating_sub(put), put.saturating_sub(taken));
            let taken = checked_tokens(taken.checked_add(net_loss.checked_mul(other_rounds)?)?)?;
            let put = checked_tokens(put.checked_add(net_gain.checked_mul(other_rounds)?)?)?;
            Some((p, taken, put))
        };
        self.0.iter().map(arc).collect::<Option<_>>().map(Composite)
    }

    /// Returns the composite of this sequence followed by `next`, or `None` on overflow.
    pub(super) fn then(&self, next: &Composite) -> Option<Composite> {
        let mut arcs = Vec::with_capacity(self.0.len() + next.0.len());
        let (mut own_arcs, mut next_arcs) = (self.0.iter().peekable(), next.0.iter().peekable());
        loop {
            let place = match (own_arcs.peek(), next_arcs.peek()) {
                (Some(a), Some(b)) => a.0.min(b.0),
                (Some(a), None) => a.0,
                (None, Some(b)) => b.0,
                (None, None) => return Some(Composite(arcs)),
            };
            let none = &(place, 0, 0);
            let &(_, taken, put) = own_arcs.next_if(|arc| arc.0 == place).unwrap_or(none);
            let &(_, taken_next, put_next) =
                next_arcs.next_if(|arc| arc.0 == place).unwrap_or(none);
            // The tokens that this sequence produces serve the needs of `next` first.
            let missing = taken_next.saturating_sub(put);
            let unused = put.saturating_sub(taken_next);
            let taken = checked_tokens(taken.checked_add(missing)?)?;
            let put = checked_tokens(put_next.checked_add(unused)?)?;
            if taken > 0 || put > 0 {
                arcs.push((place, taken, put));
            }
        }
    }

    /// Returns the consumed tokens, ascending by place.
    pub(super) fn pre(&self) -> Vec<Arc> {
        let arcs = self.0.iter().filter(|arc| arc.1 > 0);
        arcs.map(|&(place, weight, _)| Arc { place, weight }).collect()
    }

    /// Returns the produced tokens, ascending by place.
    pub(super) fn post(&self) -> Vec<Arc> {
        let arcs = self.0.iter().filter(|arc| arc.2 > 0);
        arcs.map(|&(place, _, weight)| Arc { place, weight }).collect()
    }

    /// Returns the changes of the tokens by the sequence, ascending by place, without zeros.
    pub(super) fn changes(&self) -> impl Iterator<Item = (PlaceId, i64)> {
        let difference = |&(p, taken, put): &(PlaceId, u64, u64)| (p, put as i64 - taken as i64);
        self.0.iter().map(difference).filter(|&(_, change)| change != 0)
    }

    /// Returns true if the composite is enabled wherever `t` is.
    pub(super) fn fires_with(&self, net: &WorkNet, t: TransitionId) -> bool {
        self.0.iter().all(|&(p, taken, _)| taken <= net.pre_weight(t, p))
    }
}

/// Returns the sum, or `None` if it exceeds the maximum number of tokens.
fn checked_tokens(sum: u64) -> Option<u64> {
    (sum <= Marking::MAX_TOKENS).then_some(sum)
}
