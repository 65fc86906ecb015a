//! Checks that a run that repeats a cycle of firings satisfies fairness constraints.
//!
//! A transition that occurs in the cycle fires infinitely often. For the other transitions, the
//! check looks at the markings of the cycle. If tokens grow from round to round, a transition that
//! is disabled in one round may be enabled in a later one. So it counts as disabled only if it
//! lacks tokens on a place that the cycle does not change: then it is disabled at this position in
//! every round. Weak fairness requires one such marking in the cycle; strong fairness requires that
//! all markings are such.

use super::LassoFlaw;
use crate::replay::Replayer;
use parikh_net::{Fairness, FiringSequence, FiringStep, Marking, Net, TransitionId};
use std::collections::HashSet;

/// Checks that the run that repeats `cycle` forever from the marking `begin` satisfies `fairness`.
/// The caller has checked that the cycle can fire and decreases the tokens of no place.
///
/// # Errors
/// [`LassoFlaw::Unfair`] with a transition to which the run is not known to be fair.
pub(super) fn check(
    net: &Net,
    fairness: &Fairness,
    begin: &Marking,
    cycle: &FiringSequence,
) -> Result<(), LassoFlaw> {
    let fired: HashSet<TransitionId> =
        cycle.steps().iter().filter(|step| step.count > 0).map(|step| step.transition).collect();
    let never_fired = |transitions: &[TransitionId]| -> Vec<TransitionId> {
        transitions.iter().copied().filter(|t| !fired.contains(t)).collect()
    };
    let (mut weak, strong) = (never_fired(fairness.weak()), never_fired(fairness.strong()));
    if weak.is_empty() && strong.is_empty() {
        return Ok(());
    }
    let mut replayer = Replayer::from_marking(net, begin.clone());
    cycle.steps().iter().try_for_each(|step| replayer.fire(*step))?;
    let end = replayer.marking();
    let is_disabled = |marking: &Marking, t: TransitionId| {
        let is_unchanged = |place| begin[place] == end[place];
        net.pre(t).iter().any(|arc| marking[arc.place] < arc.weight && is_unchanged(arc.place))
    };
    let unfair = |kind, t| {
        let transition = net.transition_name(t).to_owned();
        Err(LassoFlaw::Unfair { kind, transition })
    };
    let mut replayer = Replayer::from_marking(net, begin.clone());
    for step in cycle.steps() {
        for _ in 0..step.count {
            let marking = replayer.marking();
            if let Some(&t) = strong.iter().find(|&&t| !is_disabled(marking, t)) {
                return unfair("strongly", t);
            }
            weak.retain(|&t| !is_disabled(marking, t));
            if weak.is_empty() && strong.is_empty() {
                return Ok(());
            }
            replayer.fire(FiringStep { count: 1, ..*step })?;
        }
    }
    weak.first().map_or(Ok(()), |&t| unfair("weakly", t))
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    #[test]
    fn unfired_must_be_disabled() {
        let net = text::parse(
            "place p 1\nplace q\nplace made\nplace rare
             transition t: p -> q\ntransition u: q -> p + made
             transition p_only: p -> p\ntransition many: 2*made + p -> p\ntransition never: rare -> rare",
        )
        .unwrap();
        let cycle: FiringSequence =
            ["t", "u"].into_iter().map(|name| net.transition_named(name).unwrap()).collect();
        let fair = |weak: &[&str], strong: &[&str]| {
            let ids = |names: &[&str]| -> Vec<TransitionId> {
                names.iter().map(|name| net.transition_named(name).unwrap()).collect()
            };
            let fairness = Fairness::new(ids(weak), ids(strong));
            check(&net, &fairness, net.initial(), &cycle).is_ok()
        };
        assert!(fair(&["t", "u"], &[]) && fair(&[], &["t", "u"]));
        // p_only is disabled while q is marked, and enabled otherwise.
        assert!(fair(&["p_only"], &[]) && !fair(&[], &["p_only"]));
        // many is disabled in the first rounds, and whenever p is empty.
        assert!(fair(&["many"], &[]) && !fair(&[], &["many"]));
        assert!(fair(&[], &["never"]));
        let self_loop_cycle: FiringSequence =
            [net.transition_named("p_only").unwrap()].into_iter().collect();
        let fairness = Fairness::new(net.transitions().take(1), []);
        let flaw = check(&net, &fairness, net.initial(), &self_loop_cycle).unwrap_err();
        assert_eq!(flaw.to_string(), "the run is not weakly fair to transition `t`");
    }
}
