//! Weighted sums of tokens with a constant, in checked integer arithmetic.

use super::flaw::{Flaw, check_places};
use parikh_net::{Net, PlaceId, TransitionId};
use std::collections::BTreeMap;

/// A linear expression: coefficients of places and a constant.
#[derive(Clone, Debug, Default)]
pub(super) struct WeightedTokens {
    /// The coefficients of places; the coefficient of a place without an entry is 0.
    pub(super) coefficients: BTreeMap<PlaceId, i128>,
    /// The constant.
    pub(super) constant: i128,
}

impl WeightedTokens {
    /// Returns the sum with the given weights w and the constant w·m₀, if no firing increases it:
    /// Σ_p w(p)·(post(t,p) − pre(t,p)) ≤ 0 for every transition t. Then w·m ≤ w·m₀ for every
    /// reachable m. `index` is the number of the lemma or step, for messages.
    pub(super) fn never_raised(
        net: &Net,
        index: usize,
        weights: &[(PlaceId, i128)],
    ) -> Result<WeightedTokens, Flaw> {
        check_places(net, weights.iter().map(|&(place, _)| place))?;
        let mut sum = WeightedTokens::default();
        // Transitions without an arc to a weighted place do not change the sum.
        let mut gains: BTreeMap<TransitionId, i128> = BTreeMap::new();
        for &(place, weight) in weights {
            sum.add(place, weight)?;
            sum.add_constant(product(weight, net.initial()[place].into())?)?;
            for arc in net.producers(place) {
                let gain = product(weight, arc.weight.into())?;
                add(gains.entry(arc.transition).or_default(), gain)?;
            }
            for arc in net.consumers(place) {
                let loss = product(weight, -i128::from(arc.weight))?;
                add(gains.entry(arc.transition).or_default(), loss)?;
            }
        }
        match gains.into_iter().find(|&(_, gain)| gain > 0) {
            Some((t, _)) => Err(Flaw::Increases(index, t)),
            None => Ok(sum),
        }
    }

    /// Adds `value` to the coefficient of a place.
    pub(super) fn add(&mut self, place: PlaceId, value: i128) -> Result<(), Flaw> {
        add(self.coefficients.entry(place).or_default(), value)
    }

    /// Adds `value` to the constant.
    pub(super) fn add_constant(&mut self, value: i128) -> Result<(), Flaw> {
        add(&mut self.constant, value)
    }
}

/// Adds `value` to `total`, or returns an error on overflow.
pub(super) fn add(total: &mut i128, value: i128) -> Result<(), Flaw> {
    *total = total.checked_add(value).ok_or(Flaw::Overflow)?;
    Ok(())
}

/// Returns the product, or an error on overflow.
pub(super) fn product(a: i128, b: i128) -> Result<i128, Flaw> {
    a.checked_mul(b).ok_or(Flaw::Overflow)
}
