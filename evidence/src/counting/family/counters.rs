//! Counters of firings: places that count how often a transition has fired.
//!
//! Place invariants alone may not describe the reachable markings. In an acyclic net, for example,
//! tokens disappear or multiply, and a place may be covered by no invariant with positive weights.
//! The markings together with numbers of firings often have more invariants.
//!
//! The *counted net* of a net N and of some transitions has one more place for each of these
//! transitions, its *counter*. The counter is empty at first, and each firing of the transition
//! adds a token. Nothing takes tokens from a counter, so it disables no transition.
//!
//! # Theorem
//! Suppose that each counted transition t has integer weights u of the places of N such that a
//! firing of t changes the weighted sum by a number d ≠ 0, and no firing of another transition
//! changes the sum. Then N and the counted net have the same numbers of reachable markings and of
//! firings.
//!
//! *Proof.* Both nets have the same firing sequences. So leaving out the counters maps the
//! reachable markings of the counted net onto those of N, and a transition is enabled in a marking
//! if and only if it is enabled in its image. Let σ lead to the marking m of N. By the weights of
//! t, σ fires t exactly (u·m − u·m₀) / d times. So m determines the tokens of all counters, and the
//! map is a bijection. ∎
//!
//! # Equations
//! The weights of the counters follow from the weights w ≥ 0 of the places of N. The sum is
//! invariant if and only if the weight of the counter of t is −w·Δ(t). So an equation is written
//! without counters. It is a sum that counted transitions may decrease, and no transition
//! increases.
//!
//! # Sources
//! T. Murata, *Petri nets: properties, analysis and applications*, Proc. IEEE 77, 1989 (the state
//! equation of acyclic nets).

use super::FamilyError;
use parikh_net::{Net, NetBuilder, PlaceId, TransitionId};

/// A counted transition, with the weights of the places by which a marking determines the number of
/// its firings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FiringCounter {
    /// The transition.
    pub transition: TransitionId,
    /// The weights u of the theorem.
    pub weights: Vec<(PlaceId, i64)>,
}

/// A net with counters. The places and transitions of the original net have the same ids; the
/// counters are further places.
#[derive(Clone, Debug)]
pub struct CountedNet {
    net: Net,
    /// The number of places of the original net. The counters follow.
    original_places: usize,
    /// For each counter, the transition whose firings it counts.
    counted: Vec<TransitionId>,
}

impl CountedNet {
    /// Checks the condition of the theorem, and adds the counters to `net`.
    ///
    /// # Errors
    /// [`FamilyError::NotDetermined`] for a counter without suitable weights or given twice, an
    /// unknown place or transition, or a number that is too large.
    pub fn new(net: &Net, counters: &[FiringCounter]) -> Result<CountedNet, FamilyError> {
        let mut builder = NetBuilder::of(net).map_err(|_| FamilyError::TooLarge)?;
        let mut counted = Vec::with_capacity(counters.len());
        for counter in counters {
            let t = counter.transition;
            if t.index() >= net.transition_count() {
                return Err(FamilyError::NoSuchTransition);
            }
            if counted.contains(&t) || !determines(net, counter)? {
                return Err(FamilyError::NotDetermined(t));
            }
            let mut name = format!("firings of {}", net.transition_name(t));
            while builder.node(&name).is_some() {
                name.push('\'');
            }
            let place = builder.place(&name, 0).map_err(|_| FamilyError::TooLarge)?;
            builder.put(t, place, 1).map_err(|_| FamilyError::TooLarge)?;
            counted.push(t);
        }
        let extended = builder.build().map_err(|_| FamilyError::TooLarge)?;
        Ok(CountedNet { net: extended, original_places: net.place_count(), counted })
    }

    /// Returns the net with the counters.
    pub fn net(&self) -> &Net {
        &self.net
    }

    /// Returns the places of the original net.
    pub fn original_places(&self) -> impl ExactSizeIterator<Item = PlaceId> + use<> {
        (0..self.original_places).map(PlaceId::new)
    }

    /// Returns the equation of the counted net with these weights of the places of the original
    /// net.
    ///
    /// # Errors
    /// An unknown place, or a number that is too large.
    pub fn equation(&self, weights: &[(PlaceId, i64)]) -> Result<Vec<(PlaceId, i64)>, FamilyError> {
        let mut terms = weights.to_vec();
        let weights = dense(&self.net, weights)?;
        for (index, &t) in self.counted.iter().enumerate() {
            let change = change_of(&self.net, &weights, t)?;
            let weight = i64::try_from(-change).map_err(|_| FamilyError::TooLarge)?;
            if weight != 0 {
                terms.push((PlaceId::new(self.original_places + index), weight));
            }
        }
        Ok(terms)
    }
}

/// Returns true if firings of the counted transition change the weighted sum, and firings of other
/// transitions do not.
fn determines(net: &Net, counter: &FiringCounter) -> Result<bool, FamilyError> {
    let weights = dense(net, &counter.weights)?;
    for t in net.transitions() {
        let changes = change_of(net, &weights, t)? != 0;
        if changes != (t == counter.transition) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns the weight of each place. If a place occurs several times, its weights add up.
fn dense(net: &Net, weights: &[(PlaceId, i64)]) -> Result<Vec<i128>, FamilyError> {
    let mut dense = vec![0i128; net.place_count()];
    for &(p, weight) in weights {
        *dense.get_mut(p.index()).ok_or(FamilyError::NoSuchPlace)? += i128::from(weight);
    }
    Ok(dense)
}

/// Returns the change of the weighted sum by a firing of `t`.
fn change_of(net: &Net, weights: &[i128], t: TransitionId) -> Result<i128, FamilyError> {
    let change = net.delta(t).iter().try_fold(0i128, |change, it| {
        let term = weights[it.place.index()].checked_mul(it.delta.into())?;
        change.checked_add(term)
    });
    change.ok_or(FamilyError::TooLarge)
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    fn counter(net: &Net, t: &str, weights: &[(&str, i64)]) -> FiringCounter {
        let weights = weights.iter().map(|&(p, k)| (net.place_named(p).unwrap(), k)).collect();
        FiringCounter { transition: net.transition_named(t).unwrap(), weights }
    }

    #[test]
    fn a_marking_must_determine_the_number_of_firings() {
        let net = text::parse(
            "place p 3\nplace q\nplace r\ntransition t: p -> q + r\ntransition u: q ->",
        )
        .unwrap();
        let [t, u] = ["t", "u"].map(|it| net.transition_named(it).unwrap());
        let good = [counter(&net, "t", &[("p", 1)]), counter(&net, "u", &[("q", 1), ("r", -1)])];
        let counted = CountedNet::new(&net, &good).unwrap();
        assert_eq!((counted.net().place_count(), counted.net().post(u).len()), (5, 1));
        // p + firings of t = 3, and p + q + firings of u = 3.
        let p = (PlaceId::new(0), 1);
        assert_eq!(counted.equation(&[p]), Ok(vec![p, (PlaceId::new(3), 1)]));
        let q = (PlaceId::new(1), 1);
        assert_eq!(counted.equation(&[p, q]), Ok(vec![p, q, (PlaceId::new(4), 1)]));
        let refused = |counter: FiringCounter| CountedNet::new(&net, &[counter]).err();
        assert_eq!(refused(counter(&net, "t", &[])), Some(FamilyError::NotDetermined(t)));
        let both = counter(&net, "t", &[("q", 1)]);
        assert_eq!(refused(both), Some(FamilyError::NotDetermined(t)));
        let twice = [good[0].clone(), good[0].clone()];
        assert_eq!(CountedNet::new(&net, &twice).err(), Some(FamilyError::NotDetermined(t)));
    }

    #[test]
    fn names_of_counters_do_not_clash() {
        let net =
            text::parse("place p 1\nplace \"firings of t\"\ntransition t: p -> \"firings of t\"")
                .unwrap();
        let counted = CountedNet::new(&net, &[counter(&net, "t", &[("p", 1)])]).unwrap();
        assert_eq!(counted.net().place_count(), 3);
    }
}
