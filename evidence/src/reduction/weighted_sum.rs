//! Weighted sums of the tokens of places, in exact arithmetic.

use super::work::WorkNet;
use parikh_net::{PlaceId, TransitionId};
use std::collections::BTreeMap;

/// A weighted sum of the tokens on the places of a candidate, where y(p) is the multiplicity
/// (weight) of p. No sum overflows: multiplicities have 32 bits, weights and tokens 63, and there
/// are fewer than 2³² places.
pub struct WeightedSum {
    /// The initial value Σ y(p)·m₀(p).
    pub tokens: i128,
    /// For each transition t adjacent to one of the places: Σ y(p)·pre(t,p), and Σ y(p)·Δ(t,p),
    /// where Δ is the change by firing t.
    pub transition_effects: BTreeMap<TransitionId, (i128, i128)>,
}

impl WeightedSum {
    /// Computes the sum over `places`, which are distinct and have their multiplicities.
    pub fn of(net: &WorkNet, places: impl IntoIterator<Item = (PlaceId, u32)>) -> WeightedSum {
        let mut sum = WeightedSum { tokens: 0, transition_effects: BTreeMap::new() };
        for (p, weight) in places {
            let weight = i128::from(weight);
            sum.tokens += weight * i128::from(net.tokens(p));
            for t in net.neighbours(p) {
                let (need, change) = sum.transition_effects.entry(t).or_default();
                *need += weight * i128::from(net.pre_weight(t, p));
                *change += weight * i128::from(net.effect(t, p));
            }
        }
        sum
    }

    /// Returns Σ y(p)·pre(t,p), the weighted tokens that `t` takes.
    pub fn required_tokens(&self, t: TransitionId) -> i128 {
        self.transition_effects.get(&t).map_or(0, |&(need, _)| need)
    }
}
