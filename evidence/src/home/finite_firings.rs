//! An argument by weights w ≥ 0 of places such that no firing increases the weighted sum w·m of the
//! tokens. A transition that decreases w·m fires at most w·m₀ times in total. So it is not live,
//! because a live transition can fire infinitely often. The same holds for a set of such
//! transitions.
//!
//! # Source
//! G. Memmi, G. Roucairol, *Linear algebra in net theory*, 1980 (the dual: repetitive sequences).

use super::HomeFlaw;
use super::liveness::enabled_transitions;
use parikh_net::{Net, PlaceId, Predicate, TransitionId};

/// Checks that some reachable marking can never reach `wanted`. `wanted` must say that one of
/// several transitions is enabled. The weights must prove that these transitions fire only finitely
/// often.
///
/// # Errors
/// The first flaw of the argument.
pub fn check_finite_firings(
    net: &Net,
    weights: &[(PlaceId, u64)],
    wanted: &Predicate,
) -> Result<(), HomeFlaw> {
    find_finite_firings(net, weights)?.check(wanted)
}

/// One flag per transition, by index. The flag is true if the transition decreases a weighted sum
/// that no transition increases, and so fires only finitely often.
pub struct FiniteFirings(Vec<bool>);

/// Returns the transitions that decrease the weighted sum of the tokens. Places without an entry in
/// `weights` have weight 0.
///
/// # Errors
/// When some transition increases the sum, a place does not exist, or a number overflows.
pub fn find_finite_firings(
    net: &Net,
    weights: &[(PlaceId, u64)],
) -> Result<FiniteFirings, HomeFlaw> {
    let mut weight = vec![0u64; net.place_count()];
    for &(place, w) in weights {
        *weight.get_mut(place.index()).ok_or(HomeFlaw::Weights)? = w;
    }
    let mut decreases = vec![false; net.transition_count()];
    for t in net.transitions() {
        let sum = |arcs: &[parikh_net::Arc]| {
            let term = |arc: &parikh_net::Arc| {
                i128::from(weight[arc.place.index()]).checked_mul(i128::from(arc.weight))
            };
            arcs.iter().try_fold(0i128, |sum, arc| sum.checked_add(term(arc)?))
        };
        let (taken, put) = (sum(net.pre(t)), sum(net.post(t)));
        let (taken, put) = (taken.ok_or(HomeFlaw::Weights)?, put.ok_or(HomeFlaw::Weights)?);
        if put > taken {
            return Err(HomeFlaw::MayFireForever(t));
        }
        decreases[t.index()] = put < taken;
    }
    Ok(FiniteFirings(decreases))
}

impl FiniteFirings {
    /// Checks that all transitions of `wanted` fire finitely often. `wanted` must say that one of
    /// several transitions is enabled.
    ///
    /// # Errors
    /// The first transition that may fire infinitely often, or [`HomeFlaw::NotLiveness`] if
    /// `wanted` says anything else.
    pub fn check(&self, wanted: &Predicate) -> Result<(), HomeFlaw> {
        let decreases =
            |t: &TransitionId| self.0.get(t.index()).is_some_and(|&decreases| decreases);
        match enabled_transitions(wanted)
            .ok_or(HomeFlaw::NotLiveness)?
            .into_iter()
            .find(|t| !decreases(t))
        {
            Some(t) => Err(HomeFlaw::MayFireForever(t)),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    fn enabled(net: &Net, name: &str) -> Predicate {
        Predicate::Enabled(net.transition_named(name).unwrap())
    }

    #[test]
    fn weights_must_fall() {
        let net = text::parse(
            "place a 2\nplace b\ntransition t: a -> b\ntransition u: b -> b\ntransition s: -> b",
        )
        .unwrap();
        let is_proved = |a, b| {
            let weights = [(PlaceId::new(0), a), (PlaceId::new(1), b)];
            check_finite_firings(&net, &weights, &enabled(&net, "t")).is_ok()
        };
        assert!(is_proved(1, 0) && !is_proved(0, 0) && !is_proved(2, 1) && !is_proved(1, 1));
        let is_finite = |name| {
            check_finite_firings(&net, &[(PlaceId::new(0), 1)], &enabled(&net, name)).is_ok()
        };
        assert!(is_finite("t") && !is_finite("u") && !is_finite("s"));
        let either = Predicate::or([enabled(&net, "t"), enabled(&net, "u")]);
        assert!(check_finite_firings(&net, &[(PlaceId::new(0), 1)], &either).is_err());
        let beyond = [(PlaceId::new(2), 1)];
        assert!(check_finite_firings(&net, &beyond, &enabled(&net, "t")).is_err());
    }
}
