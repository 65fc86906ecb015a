//! Bounds: lower and upper bounds on the tokens of places, derived step by step.
//!
//! The simplest reason that something never happens is that some place never holds enough tokens,
//! or always too many. This kind of certificate derives such bounds. It refutes a predicate that is
//! false of every marking within the bounds.
//!
//! # Steps
//! Each step adds bounds to the *known* bounds. Initially, every place is known to hold at least 0
//! tokens.
//!
//! - *Inductive*: bounds that hold in m₀ and that no firing violates. A transition is ignored if a
//!   known upper bound (or one of this step) prevents it from ever being enabled. Every other
//!   transition must not increase a place with an upper bound in this step. If it decreases a place
//!   with a lower bound in this step, it must leave enough tokens there: post(t,p) ≥ bound.
//! - *Weighted*: weights w with w·(post(t) − pre(t)) ≤ 0 for every transition, as in a
//!   [lemma](super::Lemma). Then w·m ≤ w·m₀. Subtracting the least values of all other terms by the
//!   known bounds leaves an upper bound (w(p) > 0) or a lower bound (w(p) < 0) on w(p)·m(p), which
//!   is divided by w(p) and rounded.
//! - *Safe units*: places that hold at most one token because the model claims that its units are
//!   safe (NUPN). The certificate then states this assumption.
//!
//! # Soundness
//! Inductive: by induction along a firing sequence. A transition that is enabled in a marking
//! within the bounds is not ignored. So it increases no place with an upper bound, and a place that
//! it decreases holds at least post(t,p) tokens after it. Weighted: no firing increases w·m, and
//! each term but one is at least its least value by the known bounds. A step may use the bounds of
//! earlier steps, and only an inductive step its own bounds.
//!
//! # Source
//! Intervals and induction are folklore of abstract interpretation (P. and R. Cousot, POPL 1977);
//! bounds by place invariants: G. Memmi, G. Roucairol, *Linear algebra in net theory*, 1980.

use super::flaw::{Flaw, check_places};
use super::sum::{WeightedTokens, add, product};
use parikh_net::{Atom, Net, PlaceId, Predicate, TransitionId};
use serde::{Deserialize, Serialize};

/// Bounds with their derivation. Plain data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoundsCertificate<P = PlaceId> {
    /// True if steps may assume that the model's units are safe (NUPN).
    pub assumes_units: bool,
    /// The steps of the derivation.
    pub steps: Vec<BoundStep<P>>,
}

impl<P> Default for BoundsCertificate<P> {
    fn default() -> Self {
        BoundsCertificate { assumes_units: false, steps: Vec::new() }
    }
}

impl<P> BoundsCertificate<P> {
    /// Returns true if the derivation has no steps.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }
}

/// One bound on the tokens of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TokenBound<P = PlaceId> {
    /// The place.
    pub place: P,
    /// True for an upper bound, false for a lower bound.
    pub upper: bool,
    /// The number of tokens.
    pub tokens: u64,
}

/// A step of the derivation. The module documentation states the conditions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BoundStep<P = PlaceId> {
    /// Bounds that hold initially and that no firing violates.
    Inductive(Vec<TokenBound<P>>),
    /// Bounds that follow from a weighted sum of tokens that no firing increases.
    Weighted {
        /// Places with the weights w; the weight of other places is 0.
        weights: Vec<(P, i128)>,
        /// The bounds, each of which follows from the sum and the earlier bounds.
        bounds: Vec<TokenBound<P>>,
    },
    /// Places with at most one token, by the model's claim that its units are safe.
    SafeUnits(Vec<P>),
}

impl BoundsCertificate {
    /// Checks the derivation, and returns the derived bounds.
    pub(super) fn check(
        &self,
        net: &Net,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<DerivedBounds, Flaw> {
        let mut derived = DerivedBounds::new(net);
        for (index, step) in self.steps.iter().enumerate() {
            if !goes_on() {
                return Err(Flaw::Stopped);
            }
            match step {
                BoundStep::Inductive(bounds) => derived.add_inductive(net, index, bounds)?,
                BoundStep::Weighted { weights, bounds } => {
                    derived.add_weighted(net, index, weights, bounds)?;
                }
                BoundStep::SafeUnits(places) => {
                    let units = net.safe_units().filter(|_| self.assumes_units);
                    let units = units.ok_or(Flaw::UnitsNotAssumed(index))?;
                    check_places(net, places.iter().copied())?;
                    if !places.iter().all(|&place| units.covers(place)) {
                        return Err(Flaw::UnitsNotAssumed(index));
                    }
                    for &place in places {
                        derived.add(TokenBound { place, upper: true, tokens: 1 });
                    }
                }
            }
        }
        Ok(derived)
    }
}

/// The lower and upper bounds on places that a derivation has reached so far.
#[derive(Clone, Debug)]
pub(super) struct DerivedBounds {
    /// The lower bound of each place, by place index.
    low: Vec<u64>,
    /// The upper bound of each place, by place index; `None` means unbounded.
    high: Vec<Option<u64>>,
}

impl DerivedBounds {
    /// Returns the bounds 0 and unbounded for every place.
    fn new(net: &Net) -> DerivedBounds {
        DerivedBounds { low: vec![0; net.place_count()], high: vec![None; net.place_count()] }
    }

    /// Returns the lower and the upper bound of a place.
    pub(super) fn interval(&self, place: PlaceId) -> (u64, Option<u64>) {
        (self.low[place.index()], self.high[place.index()])
    }

    /// Adds a bound, unless the known bound is tighter.
    fn add(&mut self, bound: TokenBound) {
        let place_index = bound.place.index();
        if bound.upper {
            let is_tighter = self.high[place_index].is_none_or(|current| bound.tokens < current);
            self.high[place_index] =
                if is_tighter { Some(bound.tokens) } else { self.high[place_index] };
        } else {
            self.low[place_index] = self.low[place_index].max(bound.tokens);
        }
    }

    /// Returns true if an upper bound prevents `t` from ever being enabled.
    pub(super) fn disables(&self, net: &Net, t: TransitionId) -> bool {
        net.pre(t).iter().any(|arc| self.high[arc.place.index()].is_some_and(|n| n < arc.weight))
    }

    /// Checks the conditions of an inductive step, and adds its bounds. `index` is the index of the
    /// step. After an error the bounds are not valid and must be discarded.
    fn add_inductive(
        &mut self,
        net: &Net,
        index: usize,
        bounds: &[TokenBound],
    ) -> Result<(), Flaw> {
        check_places(net, bounds.iter().map(|bound| bound.place))?;
        for &bound in bounds {
            let initially = net.initial()[bound.place];
            let holds =
                if bound.upper { initially <= bound.tokens } else { initially >= bound.tokens };
            if !holds {
                return Err(Flaw::BoundFalseInitially(index, bound.place));
            }
        }
        // From here on the new bounds are assumed. The result is discarded if one of them is not
        // inductive.
        bounds.iter().for_each(|&bound| self.add(bound));
        for bound in bounds {
            let place = bound.place;
            let producers = net.producers(place).iter();
            let adjacent = producers.chain(net.consumers(place)).map(|arc| arc.transition);
            for t in adjacent {
                let (pre, post) = (net.pre_weight(t, place), net.post_weight(t, place));
                let is_preserved =
                    if bound.upper { post <= pre } else { post >= pre || post >= bound.tokens };
                if !is_preserved && !self.disables(net, t) {
                    return Err(Flaw::MayViolateBound(index, place, t));
                }
            }
        }
        Ok(())
    }

    /// Checks the conditions of a weighted step, and then adds its bounds. `index` is the index of
    /// the step.
    fn add_weighted(
        &mut self,
        net: &Net,
        index: usize,
        weights: &[(PlaceId, i128)],
        bounds: &[TokenBound],
    ) -> Result<(), Flaw> {
        let sum = WeightedTokens::never_raised(net, index, weights)?;
        check_places(net, bounds.iter().map(|bound| bound.place))?;
        // The sum of the least values of all terms that have one, and the number of terms that have
        // none.
        let (mut min_sum, mut unbounded) = (0i128, 0usize);
        for (&place, &weight) in &sum.coefficients {
            match self.min_product(place, weight)? {
                Some(term) => add(&mut min_sum, term)?,
                None => unbounded += 1,
            }
        }
        for &bound in bounds {
            let no_bound = || Flaw::NoBound(index, bound.place);
            let weight = sum.coefficients.get(&bound.place).copied().unwrap_or(0);
            if weight == 0 || (weight > 0) != bound.upper {
                return Err(no_bound());
            }
            // The sum of the least values of the other terms exists only if each of them has one.
            let other_minimum = match (self.min_product(bound.place, weight)?, unbounded) {
                (Some(own), 0) => min_sum.checked_sub(own),
                (None, 1) => Some(min_sum),
                _ => return Err(no_bound()),
            };
            // The inequality weight·m(p) ≤ w·m₀ − Σ least values of the other terms.
            let max_term =
                other_minimum.and_then(|other_minimum| sum.constant.checked_sub(other_minimum));
            let max_term = max_term.ok_or(Flaw::Overflow)?;
            // One token beyond the bound must violate the inequality.
            let violating_tokens = i128::from(bound.tokens) + if bound.upper { 1 } else { -1 };
            let is_possible =
                violating_tokens >= 0 && product(weight, violating_tokens)? <= max_term;
            if is_possible {
                return Err(no_bound());
            }
        }
        bounds.iter().for_each(|&bound| self.add(bound));
        Ok(())
    }

    /// Returns the least value of `factor`·m(place), or `None` if it is unbounded.
    fn min_product(&self, place: PlaceId, factor: i128) -> Result<Option<i128>, Flaw> {
        let place_index = place.index();
        let tokens = if factor >= 0 { Some(self.low[place_index]) } else { self.high[place_index] };
        tokens.map(|tokens| product(factor, tokens.into())).transpose()
    }

    /// Returns true if the bounds alone exclude `predicate`, whose only leaves are linear
    /// comparisons and constants. The result false does not mean that a marking within the bounds
    /// satisfies it: each comparison is checked alone.
    pub(super) fn refutes(&self, predicate: &Predicate) -> Result<bool, Flaw> {
        match predicate {
            Predicate::False => Ok(true),
            Predicate::Atom(Atom { sum, bound }) => {
                let mut min_sum = 0i128;
                for &(place, factor) in sum.terms() {
                    match self.min_product(place, factor.into())? {
                        Some(term) => add(&mut min_sum, term)?,
                        None => return Ok(false),
                    }
                }
                Ok(min_sum > i128::from(*bound))
            }
            Predicate::And(parts) => {
                for part in parts {
                    if self.refutes(part)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Predicate::Or(parts) => {
                for part in parts {
                    if !self.refutes(part)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            _ => Ok(false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Document;
    use parikh_net::{LinearSum, text};

    fn check(net: &Net, steps: Vec<BoundStep>, refuted: &Predicate) -> Result<(), Flaw> {
        let goes_on = &mut || true;
        let document = Document::Bounds(BoundsCertificate { assumes_units: false, steps });
        document.check(net, goes_on)?.refutes(refuted, goes_on)
    }

    /// A net where tokens circulate between p and q, `starved` is dead, and `log` never falls below
    /// 2.
    fn net() -> Net {
        text::parse(
            "place p 3
             place q
             place never
             place log 5
             transition t: p -> q
             transition u: q -> p
             transition starved: never -> p + never
             transition trim: 3*log -> 2*log",
        )
        .unwrap()
    }

    fn bound(net: &Net, name: &str, upper: bool, tokens: u64) -> TokenBound {
        TokenBound { place: net.place_named(name).unwrap(), upper, tokens }
    }

    fn more(net: &Net, name: &str, tokens: u64) -> Predicate {
        Predicate::at_least(net.place_named(name).unwrap(), tokens)
    }

    #[test]
    fn inductive_bounds_need_each_other_and_the_initial_marking() {
        let net = net();
        let starved = net.transition_named("starved").unwrap();
        let refuted = Predicate::Enabled(starved);
        let step = |bounds| vec![BoundStep::Inductive(bounds)];
        let check = |steps| check(&net, steps, &refuted);
        assert_eq!(check(step(vec![bound(&net, "never", true, 0)])), Ok(()));
        assert_eq!(check(step(vec![bound(&net, "never", true, 1)])), Err(Flaw::DoesNotFollow));
        assert_eq!(check(vec![]), Err(Flaw::DoesNotFollow));
        let p = bound(&net, "p", true, 2);
        assert_eq!(check(step(vec![p])), Err(Flaw::BoundFalseInitially(0, p.place)));
        let p = bound(&net, "p", true, 3);
        let u = net.transition_named("u").unwrap();
        assert_eq!(check(step(vec![p])), Err(Flaw::MayViolateBound(0, p.place, u)));
        let log = bound(&net, "log", false, 3);
        let trim = net.transition_named("trim").unwrap();
        assert_eq!(check(step(vec![log])), Err(Flaw::MayViolateBound(0, log.place, trim)));
        let log = bound(&net, "log", false, 2);
        assert_eq!(check(step(vec![log, bound(&net, "never", true, 0)])), Ok(()));
    }

    #[test]
    fn weighted_sums_and_other_bounds_imply_bounds() {
        let net = net();
        let weights =
            |factor: i128| ["p", "q"].map(|name| (net.place_named(name).unwrap(), factor)).to_vec();
        let check = |weights: Vec<(PlaceId, i128)>, tokens, claimed, first: bool| {
            let bounds = vec![bound(&net, "q", true, tokens)];
            let mut steps = vec![BoundStep::Weighted { weights, bounds }];
            if first {
                steps.insert(0, BoundStep::Inductive(vec![bound(&net, "never", true, 0)]));
            }
            super::tests::check(&net, steps, &more(&net, "q", claimed))
        };
        // `starved` would increase the sum. The check of the sum ignores that `starved` is dead.
        let starved = net.transition_named("starved").unwrap();
        assert_eq!(check(weights(1), 3, 4, false), Err(Flaw::Increases(0, starved)));
        assert_eq!(check(weights(1), 3, 4, true), Err(Flaw::Increases(1, starved)));

        let net =
            text::parse("place p 3\nplace q\ntransition t: p -> q\ntransition u: q -> p").unwrap();
        let [p, q] = ["p", "q"].map(|name| net.place_named(name).unwrap());
        let check = |weights: &[(PlaceId, i128)], bounds: Vec<TokenBound>, refuted: Predicate| {
            let steps = vec![BoundStep::Weighted { weights: weights.to_vec(), bounds }];
            super::tests::check(&net, steps, &refuted)
        };
        let most = |tokens| TokenBound { place: q, upper: true, tokens };
        let above = |tokens| Predicate::at_most(LinearSum::place(q), tokens).negated();
        assert_eq!(check(&[(p, 1), (q, 1)], vec![most(3)], above(3)), Ok(()));
        assert_eq!(check(&[(p, 1), (q, 1)], vec![most(3)], above(2)), Err(Flaw::DoesNotFollow));
        assert_eq!(check(&[(p, 1), (q, 1)], vec![most(2)], above(3)), Err(Flaw::NoBound(0, q)));
        assert_eq!(check(&[(p, -1), (q, -1)], vec![most(3)], above(3)), Err(Flaw::NoBound(0, q)));
        let nowhere = PlaceId::new(9);
        assert_eq!(check(&[(nowhere, 1)], vec![], above(3)), Err(Flaw::NoSuchPlace(nowhere)));
        assert_eq!(check(&[(p, i128::MAX), (q, 1)], vec![], above(3)), Err(Flaw::Overflow));
    }
}
