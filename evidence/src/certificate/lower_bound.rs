//! Lower bounds: weighted sums of tokens that never fall below a number.
//!
//! ```text
//! place stock 2                                # no firing leaves fewer than 2 tokens on stock:
//! place taken                                  # stock >= 2 in every reachable marking,
//! transition take: 3*stock -> 2*stock + taken  # which the state equation does not imply
//! ```
//!
//! # Conditions
//! A lower bound has weights w ≥ 0 and a number k. It is accepted if
//!
//! 1. w·low ≥ k, where low(p) is the lower bound on the tokens of p by the certificate's bounds; or
//! 2. w·m₀ ≥ k, and for every transition t that these bounds do not block, w·post(t) ≥ w·pre(t) or
//!    w·post(t) ≥ k.
//!
//! # Soundness
//! Under (1), m ≥ low in every reachable marking m. Under (2), by induction along a firing
//! sequence: let w·m ≥ k and t lead from m to m'. If w·post(t) ≥ w·pre(t), then w·m' ≥ w·m ≥ k.
//! Otherwise m' ≥ post(t) because m ≥ pre(t), so w·m' ≥ w·post(t) ≥ k.
//!
//! A marked trap is the special case of weights 0 and 1 and k = 1.
//!
//! # Source
//! J. Esparza, S. Melzer, *Verification of safety properties using integer programming: beyond the
//! state equation*, FMSD 16, 2000 (traps). The weights are our generalisation.

use super::bounds::DerivedBounds;
use super::flaw::{Flaw, check_places};
use super::sum::{add, product};
use parikh_net::{Arc, Net, PlaceId, TransitionId};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The statement that Σ weight·m(place) ≥ tokens in every reachable marking m.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LowerBound<P = PlaceId> {
    /// Places with their weights w; the weight of other places is 0.
    pub weights: Vec<(P, u64)>,
    /// The lower bound on the weighted sum.
    pub tokens: u64,
}

impl LowerBound {
    /// Checks that one of the two conditions of the module documentation is satisfied. `index` is
    /// the number of the lower bound, for messages. `derived` are the bounds on places that the
    /// certificate has derived.
    pub(super) fn check(
        &self,
        net: &Net,
        index: usize,
        derived: &DerivedBounds,
    ) -> Result<(), Flaw> {
        check_places(net, self.weights.iter().map(|&(place, _)| place))?;
        let mut weights: BTreeMap<PlaceId, i128> = BTreeMap::new();
        for &(place, weight) in &self.weights {
            add(weights.entry(place).or_default(), weight.into())?;
        }
        let (min_tokens, needed) = (|place| derived.interval(place).0, i128::from(self.tokens));
        if marking_sum(&weights, min_tokens)? >= needed {
            return Ok(()); // 1
        }
        if marking_sum(&weights, |place| net.initial()[place])? < needed {
            return Err(Flaw::LowAtFirst(index));
        }
        let consuming = weights.keys().flat_map(|&place| net.consumers(place));
        let consuming: BTreeSet<TransitionId> = consuming.map(|arc| arc.transition).collect();
        for t in consuming.into_iter().filter(|&t| !derived.disables(net, t)) {
            let (consumed, produced) =
                (arc_sum(&weights, net.pre(t))?, arc_sum(&weights, net.post(t))?);
            if produced < consumed && produced < needed {
                return Err(Flaw::FallsBelow(index, t)); // 2
            }
        }
        Ok(())
    }
}

/// Returns w·m for a marking m with `tokens` of each place.
fn marking_sum(
    weights: &BTreeMap<PlaceId, i128>,
    tokens: impl Fn(PlaceId) -> u64,
) -> Result<i128, Flaw> {
    let mut sum = 0;
    for (&place, &weight) in weights {
        add(&mut sum, product(weight, tokens(place).into())?)?;
    }
    Ok(sum)
}

/// Returns w·pre(t) or w·post(t), given the input arcs or the output arcs of t.
fn arc_sum(weights: &BTreeMap<PlaceId, i128>, arcs: &[Arc]) -> Result<i128, Flaw> {
    let mut sum = 0;
    for arc in arcs {
        let weight = weights.get(&arc.place).copied().unwrap_or(0);
        add(&mut sum, product(weight, arc.weight.into())?)?;
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certificate::bounds::{BoundStep, BoundsCertificate, TokenBound};
    use parikh_net::text;

    /// Checks one lower bound on a net, given upper bounds of 0 on some places.
    fn check(net: &Net, weights: &[(&str, u64)], tokens: u64, empty: &[&str]) -> Result<(), Flaw> {
        let place = |name: &str| net.place_named(name).unwrap();
        let never = |name: &&str| TokenBound { place: place(name), upper: true, tokens: 0 };
        let steps = vec![BoundStep::Inductive(empty.iter().map(never).collect())];
        let known = BoundsCertificate { assumes_units: false, steps }.check(net, &mut || true)?;
        let weights = weights.iter().map(|&(name, weight)| (place(name), weight)).collect();
        LowerBound { weights, tokens }.check(net, 0, &known)
    }

    #[test]
    fn the_tokens_left_by_a_firing_are_a_lower_bound() {
        let net = text::parse("place p 5\nplace q\ntransition t: 3*p -> 2*p + q").unwrap();
        let t = net.transition_named("t").unwrap();
        assert_eq!(check(&net, &[("p", 1)], 2, &[]), Ok(()));
        assert_eq!(check(&net, &[("p", 1)], 3, &[]), Err(Flaw::FallsBelow(0, t)));
        assert_eq!(check(&net, &[("p", 1), ("q", 1)], 5, &[]), Ok(()));
        assert_eq!(check(&net, &[("p", 1), ("q", 1)], 6, &[]), Err(Flaw::LowAtFirst(0)));
        // The weights of a place that is listed twice are added up.
        assert_eq!(check(&net, &[("p", 1), ("p", 1)], 4, &[]), Ok(()));
        assert_eq!(check(&net, &[("p", u64::MAX), ("p", u64::MAX)], 4, &[]), Ok(()));
    }

    #[test]
    fn a_weighted_trap_keeps_more_than_one_token() {
        let net = text::parse(
            "place p 2\nplace q\ntransition t: 4*p -> q + p\ntransition u: 2*q -> 3*p
             transition v: p -> q",
        )
        .unwrap();
        assert_eq!(check(&net, &[("p", 1), ("q", 1)], 2, &[]), Ok(()));
        assert_eq!(check(&net, &[("p", 1), ("q", 3)], 2, &[]), Ok(()));
        assert_eq!(check(&net, &[("p", 2), ("q", 6)], 5, &[]), Err(Flaw::LowAtFirst(0)));
        assert_eq!(
            check(&net, &[("p", 1)], 1, &[]),
            Err(Flaw::FallsBelow(0, net.transition_named("v").unwrap()))
        );
        assert_eq!(check(&net, &[("q", 1)], 0, &[]), Ok(()));
    }

    #[test]
    fn a_transition_that_never_fires_is_left_out_if_the_bounds_block_it() {
        let net = text::parse(
            "place p 3\nplace never\ntransition t: p + never -> never\ntransition u: 2*p -> p",
        )
        .unwrap();
        let t = net.transition_named("t").unwrap();
        assert_eq!(check(&net, &[("p", 1)], 1, &[]), Err(Flaw::FallsBelow(0, t)));
        assert_eq!(check(&net, &[("p", 1)], 1, &["never"]), Ok(()));
    }
}
