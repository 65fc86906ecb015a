//! Bounds: how few and how many tokens a place may hold, step by step, until the claims follow.
//!
//! The simplest reason why something never happens is that some place never holds enough tokens
//! for it, or always too many. This kind of certificate derives such bounds and says no more; a
//! claim follows when its predicate is false of every marking within them.
//!
//! # Steps
//! Each step adds bounds to those that are *known*, at first: no place holds less than 0 tokens.
//!
//! - *Inductive*: bounds that hold in m₀ and that no firing breaks. A transition that some known
//!   upper bound (or one of this step) keeps from ever being enabled is left out; every other one
//!   must not raise a place that is bounded from above here, and must leave enough tokens on a place
//!   that it lowers and that is bounded from below here: post(t,p) ≥ bound.
//! - *Weighted*: weights w with w·(post(t) − pre(t)) ≤ 0 for every transition, as in a
//!   [lemma](super::Lemma); then w·m ≤ w·m₀, and the known bounds of all places but one leave for
//!   that one no more (w(p) > 0) or no less (w(p) < 0) than the rounded rest divided by its weight.
//! - *Safe units*: places that hold one token at most because the model claims that its units are
//!   safe (NUPN), which the certificate then says it assumes.
//!
//! # Soundness
//! Inductive: by induction along a firing sequence. A transition enabled in a marking within the
//! bounds is not one of those left out, so it raises no place that is bounded from above; one that
//! it lowers holds post(t,p) after it, at least. Weighted: no firing increases w·m; each term but
//! one is at least what its bound makes it. A step may use the bounds of those before it, and only
//! an inductive step its own.
//!
//! # Source
//! Intervals and induction are folklore of abstract interpretation (P. and R. Cousot, POPL 1977);
//! bounds by place invariants: G. Memmi, G. Roucairol, *Linear algebra in net theory*, 1980.

use super::claim::{Claim, NoSuchNode};
use parikh_net::{Atom, Net, PlaceId, Predicate, TransitionId};
use std::collections::BTreeMap;

/// Bounds with their derivation, and what follows from them. Plain data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// What is proved.
    pub claims: Vec<Claim>,
    /// Whether steps may use that the model's units are safe (NUPN).
    pub assumes_units: bool,
    /// The derivation.
    pub steps: Vec<Inference>,
}

/// One bound on the tokens of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bound {
    /// The place.
    pub place: PlaceId,
    /// Whether from above.
    pub upper: bool,
    /// Tokens.
    pub tokens: u64,
}

/// A step of the derivation. See the module for when it is right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inference {
    /// Bounds that no firing breaks.
    Inductive(Vec<Bound>),
    /// Bounds by a weighted sum of tokens that no firing raises.
    Weighted {
        /// w; 0 where not listed.
        weights: Vec<(PlaceId, i128)>,
        /// What follows, each by itself.
        bounds: Vec<Bound>,
    },
    /// At most one token on each of these, as the model claims.
    SafeUnits(Vec<PlaceId>),
}

/// Why a derivation is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BoundsFlaw {
    /// The claim names nodes that do not exist.
    #[error("{0}")]
    Name(#[from] NoSuchNode),
    /// A place that the net does not have.
    #[error("step {0}: place {place} does not exist", place = .1.index())]
    NoSuchPlace(usize, PlaceId),
    /// A bound does not hold initially.
    #[error("step {0}: the initial marking breaks the bound on {1:?}")]
    Initially(usize, PlaceId),
    /// A firing may break a bound.
    #[error("step {0}: a firing of {2:?} may break the bound on {1:?}")]
    Breaks(usize, PlaceId, TransitionId),
    /// A firing raises the weighted sum.
    #[error("step {0}: a firing of {1:?} raises the weighted sum")]
    Increases(usize, TransitionId),
    /// The weighted sum gives a weaker bound than is said, or none.
    #[error("step {0}: the weighted sum does not give the bound on {1:?}")]
    DoesNotFollow(usize, PlaceId),
    /// Units are used but not assumed, or the net claims no safe ones.
    #[error("step {0} uses safe units, which the certificate does not assume or the net not claim")]
    Units(usize),
    /// The bounds do not contradict a claim that is listed.
    #[error("claim {0} does not follow from the bounds")]
    NotRefuted(usize),
    /// A number beyond 127 bits.
    #[error("numbers beyond 127 bits")]
    Overflow,
}

impl Bounds {
    /// Accepts the derivation if every step and every claim follows for `net`.
    ///
    /// # Errors
    /// The first flaw found; it says nothing about the claims.
    pub fn check(&self, net: &Net) -> Result<(), BoundsFlaw> {
        let known = self.check_steps(net)?;
        for (index, claim) in self.claims.iter().enumerate() {
            if !known.proves(net, claim)? {
                return Err(BoundsFlaw::NotRefuted(index));
            }
        }
        Ok(())
    }

    /// Checks the derivation, and gives the bounds that it comes to.
    pub(super) fn check_steps(&self, net: &Net) -> Result<Known, BoundsFlaw> {
        let mut known = Known::new(net);
        for (index, step) in self.steps.iter().enumerate() {
            match step {
                Inference::Inductive(bounds) => known.inductive(net, index, bounds)?,
                Inference::Weighted { weights, bounds } => {
                    known.weighted(net, index, weights, bounds)?;
                }
                Inference::SafeUnits(places) => {
                    if !self.assumes_units || !net.units().is_some_and(|units| units.safe()) {
                        return Err(BoundsFlaw::Units(index));
                    }
                    for &place in places {
                        exists(net, index, place)?;
                        known.add(Bound { place, upper: true, tokens: 1 });
                    }
                }
            }
        }
        Ok(known)
    }
}

fn exists(net: &Net, index: usize, place: PlaceId) -> Result<(), BoundsFlaw> {
    let known = place.index() < net.place_count();
    if known { Ok(()) } else { Err(BoundsFlaw::NoSuchPlace(index, place)) }
}

/// The bounds derived so far.
#[derive(Clone, Debug)]
pub(super) struct Known {
    low: Vec<u64>,
    /// `None` is no bound.
    high: Vec<Option<u64>>,
}

impl Known {
    fn new(net: &Net) -> Known {
        Known { low: vec![0; net.place_count()], high: vec![None; net.place_count()] }
    }

    fn add(&mut self, bound: Bound) {
        let at = bound.place.index();
        if bound.upper {
            let better = self.high[at].is_none_or(|known| bound.tokens < known);
            self.high[at] = if better { Some(bound.tokens) } else { self.high[at] };
        } else {
            self.low[at] = self.low[at].max(bound.tokens);
        }
    }

    /// Whether some upper bound keeps `t` from being enabled, ever.
    fn blocks(&self, net: &Net, t: TransitionId) -> bool {
        net.pre(t).iter().any(|arc| self.high[arc.place.index()].is_some_and(|n| n < arc.weight))
    }

    fn inductive(&mut self, net: &Net, index: usize, bounds: &[Bound]) -> Result<(), BoundsFlaw> {
        for &bound in bounds {
            exists(net, index, bound.place)?;
            let initially = net.initial()[bound.place];
            let holds =
                if bound.upper { initially <= bound.tokens } else { initially >= bound.tokens };
            if !holds {
                return Err(BoundsFlaw::Initially(index, bound.place));
            }
        }
        // From here on they are assumed; nothing of it is used unless all of them turn out right.
        bounds.iter().for_each(|&bound| self.add(bound));
        for bound in bounds {
            let place = bound.place;
            let producers = net.producers(place).iter();
            let around = producers.chain(net.consumers(place)).map(|arc| arc.transition);
            for t in around {
                let (pre, post) = (net.pre_weight(t, place), net.post_weight(t, place));
                let harmless =
                    if bound.upper { post <= pre } else { post >= pre || post >= bound.tokens };
                if !harmless && !self.blocks(net, t) {
                    return Err(BoundsFlaw::Breaks(index, place, t));
                }
            }
        }
        Ok(())
    }

    fn weighted(
        &mut self,
        net: &Net,
        index: usize,
        weights: &[(PlaceId, i128)],
        bounds: &[Bound],
    ) -> Result<(), BoundsFlaw> {
        let mut weight_of: BTreeMap<PlaceId, i128> = BTreeMap::new();
        for &(place, weight) in weights {
            exists(net, index, place)?;
            add(weight_of.entry(place).or_default(), weight)?;
        }
        let mut gains: BTreeMap<TransitionId, i128> = BTreeMap::new();
        let mut total = 0i128;
        for (&place, &weight) in &weight_of {
            add(&mut total, product(weight, net.initial()[place].into())?)?;
            for arc in net.producers(place) {
                add(gains.entry(arc.transition).or_default(), product(weight, arc.weight.into())?)?;
            }
            for arc in net.consumers(place) {
                let loss = product(weight, -i128::from(arc.weight))?;
                add(gains.entry(arc.transition).or_default(), loss)?;
            }
        }
        if let Some((&t, _)) = gains.iter().find(|&(_, &gain)| gain > 0) {
            return Err(BoundsFlaw::Increases(index, t));
        }
        // The least that all terms together may come to, but for those that have no least.
        let (mut least, mut unbounded) = (0i128, 0usize);
        for (&place, &weight) in &weight_of {
            match self.least(place, weight)? {
                Some(term) => add(&mut least, term)?,
                None => unbounded += 1,
            }
        }
        let mut derived = Vec::new();
        for &bound in bounds {
            exists(net, index, bound.place)?;
            let fails = || BoundsFlaw::DoesNotFollow(index, bound.place);
            let weight = weight_of.get(&bound.place).copied().unwrap_or(0);
            if weight == 0 || (weight > 0) != bound.upper {
                return Err(fails());
            }
            let others = match (self.least(bound.place, weight)?, unbounded) {
                (Some(own), 0) => least.checked_sub(own),
                (None, 1) => Some(least),
                _ => return Err(fails()),
            };
            // weight·m(p) ≤ w·m₀ − the least that the other terms may come to.
            let rest = others.and_then(|others| total.checked_sub(others));
            let rest = rest.ok_or(BoundsFlaw::Overflow)?;
            // One token beyond the bound must break the inequality.
            let beyond = i128::from(bound.tokens) + if bound.upper { 1 } else { -1 };
            let possible = beyond >= 0 && product(weight, beyond)? <= rest;
            if possible {
                return Err(fails());
            }
            derived.push(bound);
        }
        derived.into_iter().for_each(|bound| self.add(bound));
        Ok(())
    }

    /// The least value of `factor`·m(place); `None` when nothing bounds it.
    fn least(&self, place: PlaceId, factor: i128) -> Result<Option<i128>, BoundsFlaw> {
        let at = place.index();
        let tokens = if factor >= 0 { Some(self.low[at]) } else { self.high[at] };
        tokens.map(|tokens| product(factor, tokens.into())).transpose()
    }

    /// Whether the claim follows from the bounds.
    pub(super) fn proves(&self, net: &Net, claim: &Claim) -> Result<bool, BoundsFlaw> {
        claim.check_names(net)?;
        self.refutes(&claim.refuted().to_atoms(net))
    }

    /// Whether no marking within the bounds satisfies `predicate`, which has linear comparisons as
    /// its only leaves.
    fn refutes(&self, predicate: &Predicate) -> Result<bool, BoundsFlaw> {
        match predicate {
            Predicate::False => Ok(true),
            Predicate::Atom(Atom { sum, bound }) => {
                let mut least = 0i128;
                for &(place, factor) in sum.terms() {
                    match self.least(place, factor.into())? {
                        Some(term) => add(&mut least, term)?,
                        None => return Ok(false),
                    }
                }
                Ok(least > i128::from(*bound))
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

fn add(total: &mut i128, value: i128) -> Result<(), BoundsFlaw> {
    *total = total.checked_add(value).ok_or(BoundsFlaw::Overflow)?;
    Ok(())
}

fn product(a: i128, b: i128) -> Result<i128, BoundsFlaw> {
    a.checked_mul(b).ok_or(BoundsFlaw::Overflow)
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::{LinearSum, text};

    /// Tokens go round p and q; `starved` never fires; `log` never falls below 2.
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

    fn bound(net: &Net, name: &str, upper: bool, tokens: u64) -> Bound {
        Bound { place: net.place_named(name).unwrap(), upper, tokens }
    }

    fn more(net: &Net, name: &str, tokens: u64) -> Claim {
        Claim::Unreachable(Predicate::at_least(net.place_named(name).unwrap(), tokens))
    }

    #[test]
    fn inductive_bounds_need_each_other_and_the_initial_marking() {
        let net = net();
        let starved = net.transition_named("starved").unwrap();
        let claim = Claim::Unreachable(Predicate::Enabled(starved));
        let step = |bounds| vec![Inference::Inductive(bounds)];
        let check =
            |steps| Bounds { claims: vec![claim.clone()], assumes_units: false, steps }.check(&net);
        assert_eq!(check(step(vec![bound(&net, "never", true, 0)])), Ok(()));
        assert_eq!(
            check(step(vec![bound(&net, "never", true, 1)])),
            Err(BoundsFlaw::NotRefuted(0))
        );
        assert_eq!(check(vec![]), Err(BoundsFlaw::NotRefuted(0)));
        let p = bound(&net, "p", true, 2);
        assert_eq!(check(step(vec![p])), Err(BoundsFlaw::Initially(0, p.place)));
        let p = bound(&net, "p", true, 3);
        let u = net.transition_named("u").unwrap();
        assert_eq!(check(step(vec![p])), Err(BoundsFlaw::Breaks(0, p.place, u)));
        let log = bound(&net, "log", false, 3);
        let trim = net.transition_named("trim").unwrap();
        assert_eq!(check(step(vec![log])), Err(BoundsFlaw::Breaks(0, log.place, trim)));
        let log = bound(&net, "log", false, 2);
        assert_eq!(check(step(vec![log, bound(&net, "never", true, 0)])), Ok(()));
    }

    #[test]
    fn weights_bound_by_what_the_others_leave() {
        let net = net();
        let weights =
            |factor: i128| ["p", "q"].map(|name| (net.place_named(name).unwrap(), factor)).to_vec();
        let check = |weights: Vec<(PlaceId, i128)>, tokens, claimed, first: bool| {
            let bounds = vec![bound(&net, "q", true, tokens)];
            let mut steps = vec![Inference::Weighted { weights, bounds }];
            if first {
                steps.insert(0, Inference::Inductive(vec![bound(&net, "never", true, 0)]));
            }
            Bounds { claims: vec![more(&net, "q", claimed)], assumes_units: false, steps }
                .check(&net)
        };
        // `starved` would raise the sum; that it never fires is not looked at here.
        let starved = net.transition_named("starved").unwrap();
        assert_eq!(check(weights(1), 3, 4, false), Err(BoundsFlaw::Increases(0, starved)));
        assert_eq!(check(weights(1), 3, 4, true), Err(BoundsFlaw::Increases(1, starved)));

        let net =
            text::parse("place p 3\nplace q\ntransition t: p -> q\ntransition u: q -> p").unwrap();
        let [p, q] = ["p", "q"].map(|name| net.place_named(name).unwrap());
        let check = |weights: &[(PlaceId, i128)], bounds: Vec<Bound>, claim: Claim| {
            let steps = vec![Inference::Weighted { weights: weights.to_vec(), bounds }];
            Bounds { claims: vec![claim], assumes_units: false, steps }.check(&net)
        };
        let most = |tokens| Bound { place: q, upper: true, tokens };
        let at_most = |tokens| Claim::AtMost(LinearSum::place(q), tokens);
        assert_eq!(check(&[(p, 1), (q, 1)], vec![most(3)], at_most(3)), Ok(()));
        assert_eq!(
            check(&[(p, 1), (q, 1)], vec![most(3)], at_most(2)),
            Err(BoundsFlaw::NotRefuted(0))
        );
        assert_eq!(
            check(&[(p, 1), (q, 1)], vec![most(2)], at_most(3)),
            Err(BoundsFlaw::DoesNotFollow(0, q))
        );
        assert_eq!(
            check(&[(p, -1), (q, -1)], vec![most(3)], at_most(3)),
            Err(BoundsFlaw::DoesNotFollow(0, q))
        );
        let nowhere = PlaceId::new(9);
        assert_eq!(
            check(&[(nowhere, 1)], vec![], at_most(3)),
            Err(BoundsFlaw::NoSuchPlace(0, nowhere))
        );
        assert_eq!(check(&[(p, i128::MAX), (q, 1)], vec![], at_most(3)), Err(BoundsFlaw::Overflow));
    }
}
