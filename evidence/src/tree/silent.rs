//! Finds silent transitions, whose firings a formula without EX and AX cannot observe. The markings
//! before and after them satisfy the same subformulas.
//!
//! # Conditions
//! 1. The formula has neither EX nor AX, and no atom mentions deadness.
//! 2. The transition has input places, and no other transition consumes from them: p• = {t} for all
//!    p ∈ •t.
//! 3. It changes no place that an atom reads.
//!
//! Firings that continue forever would lead to no listed marking. So for each cycle of transitions
//! that feed each other, one transition counts as not silent.
//!
//! # Soundness
//! Let t be such a transition and m →t m'. Then m and m' satisfy the same formulas of CTL* without
//! next. By (3), they agree on all atoms. By (2), t stays enabled until it fires, whatever else
//! fires, and every other transition that is enabled together with t is still enabled after t. A
//! maximal path from m is one of three kinds. A path that begins with t is a path from m' with one
//! more marking in front, which satisfies the same atoms. A path that fires t later, after u₁ … uₖ,
//! is matched from m' by u₁ … uₖ, whose markings agree on the atoms one by one, and then continues
//! equally. A path that never fires t is infinite, since a marking that enables t is not dead, and
//! is matched from m' by the same firings. Conversely, a maximal path from m' is a path from m with
//! t in front. In each case the two paths are equal up to repetitions of markings that agree on the
//! atoms, both are finite or both are infinite, and matched markings are related again: equal, or
//! one firing of t apart. This is a stuttering bisimulation that respects maximal paths, including
//! finite ones.
//!
//! # For labellings
//! So a claim about m' represents the claim about m. If a firing leads to m, the checker uses any
//! listed marking that m reaches by such firings. For untils, ranks decrease to the listed marking,
//! and truth carries over. For A(φ R ψ), a violation from m of k firings is matched by a violation
//! from m' of at most k firings, by the argument above. So the shortest violation from a listed
//! marking leads to a shorter one from another listed marking. For E(φ R ψ), the firings to the
//! listed marking are part of the path.
//!
//! Source: conditions (2) and (3) are those of Gerth, Kuiper, Peled and Penczek, *A Partial Order
//! Approach to Branching Time Logic Model Checking*, Information and Computation 1999, where a
//! single transition is taken. Here markings are identified, so no condition on cycles is needed.

use parikh_net::{Net, TransitionId, TreeProperty};
use parikh_temporal::Node;

/// Returns transitions whose firings the property cannot observe, ascending. Some are left out, so
/// that no infinite firing sequence consists of the returned transitions only.
pub fn silent(net: &Net, property: &TreeProperty) -> Vec<TransitionId> {
    let formulas = property.formulas();
    let subformulas = formulas.subformulas(property.formula());
    // Condition (1): the formula has neither EX nor AX, and no atom mentions deadness.
    if subformulas.iter().any(|&part| matches!(formulas.node(part), Node::Next(..)))
        || property.atoms().iter().any(|atom| atom.mentions_deadness())
    {
        return Vec::new();
    }
    let mut is_observed = vec![false; net.place_count()];
    property.support(net).into_iter().for_each(|place| is_observed[place.index()] = true);
    let is_silent = |&t: &TransitionId| {
        let is_only_consumer = |arc: &parikh_net::Arc| net.consumers(arc.place).len() == 1;
        // Condition (2): `t` has input places, and is their only consumer.
        !net.pre(t).is_empty()
            && net.pre(t).iter().all(is_only_consumer)
            // A firing without effect leads to the same marking, so treating `t` as silent would
            // gain nothing.
            && !net.delta(t).is_empty()
            // Condition (3): `t` changes no place that an atom reads.
            && net.delta(t).iter().all(|change| !is_observed[change.place.index()])
    };
    without_cycles(net, net.transitions().filter(is_silent).collect())
}

/// Returns a subset of `silent` without cycles, so that no infinite sequence of firings is silent.
/// `silent` must be ascending and satisfy (2). t *feeds* u if it produces into a place from which u
/// consumes. Repeatedly, a transition that feeds no remaining transition, or is fed by none, is
/// kept. A transition may feed itself. If no transition can be kept, the first remaining transition
/// is left out.
fn without_cycles(net: &Net, silent: Vec<TransitionId>) -> Vec<TransitionId> {
    let mut remains = vec![false; net.transition_count()];
    silent.iter().for_each(|t| remains[t.index()] = true);
    // By (2), a place with several consumers feeds no silent transition. Such places may have very
    // many consumers.
    let feeds = |t: TransitionId| {
        net.post(t).iter().filter_map(|arc| match net.consumers(arc.place) {
            [consumer] => Some(consumer.transition),
            _ => None,
        })
    };
    // For each transition, the number of remaining transitions that it feeds.
    let mut fed_count = vec![0u32; net.transition_count()];
    let mut feeders: Vec<Vec<TransitionId>> = vec![Vec::new(); net.transition_count()];
    for &t in &silent {
        for u in feeds(t).filter(|u| remains[u.index()]) {
            fed_count[t.index()] += 1;
            feeders[u.index()].push(t);
        }
    }
    // For each transition, the number of remaining transitions that feed it.
    let mut feeder_count: Vec<u32> =
        feeders.iter().map(|transitions| transitions.len() as u32).collect();
    let mut kept = Vec::with_capacity(silent.len());
    let mut candidates: Vec<TransitionId> = silent.clone();
    let mut unexamined = silent.iter();
    loop {
        let (t, is_kept) = match candidates.pop() {
            Some(t) => {
                let is_off_cycles = feeder_count[t.index()] == 0 || fed_count[t.index()] == 0;
                if !remains[t.index()] || !is_off_cycles {
                    continue;
                }
                (t, true)
            }
            None => match unexamined.find(|t| remains[t.index()]) {
                Some(&t) => (t, false),
                None => break,
            },
        };
        remains[t.index()] = false;
        if is_kept {
            kept.push(t);
        }
        for u in feeds(t).filter(|u| remains[u.index()]) {
            feeder_count[u.index()] -= 1;
            candidates.push(u);
        }
        for &u in feeders[t.index()].iter().filter(|u| remains[u.index()]) {
            fed_count[u.index()] -= 1;
            candidates.push(u);
        }
    }
    kept.sort_unstable();
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_generate::{Shape, random};
    use parikh_net::text;

    #[test]
    fn every_cycle_has_a_visible_transition() {
        let net = text::parse(
            "place a 1\nplace b\nplace c 1\nplace d\nplace e\n\
             transition ab: a -> b\ntransition ba: b -> a\n\
             transition into: c -> a + d\ntransition out: d -> e",
        )
        .unwrap();
        let all =
            |names: &[&str]| names.iter().map(|it| net.transition_named(it).unwrap()).collect();
        let every: Vec<TransitionId> = net.transitions().collect();
        assert_eq!(without_cycles(&net, every), all(&["ba", "into", "out"]));
        let few: Vec<TransitionId> = all(&["ab", "into"]);
        assert_eq!(without_cycles(&net, few.clone()), few);
    }

    #[test]
    fn invisible_transitions_have_no_infinite_run() {
        let mut cycles = 0;
        for seed in 0..2_000 {
            let net = random(seed, &Shape::small(seed));
            let alone = |arc: &parikh_net::Arc| net.consumers(arc.place).len() == 1;
            let is_alone = |t: &TransitionId| net.pre(*t).iter().all(alone);
            let every: Vec<TransitionId> = net.transitions().filter(is_alone).collect();
            let remaining = without_cycles(&net, every.clone());
            cycles += usize::from(remaining.len() < every.len());
            // Repeatedly remove the transitions that no remaining transition feeds.
            let mut unordered = remaining;
            while !unordered.is_empty() {
                let is_fed = |t: &TransitionId| {
                    let feeds = |u: &&TransitionId| {
                        net.pre(*t).iter().any(|arc| net.post_weight(**u, arc.place) > 0)
                    };
                    unordered.iter().any(|u| feeds(&u))
                };
                let next: Vec<_> = unordered.iter().copied().filter(is_fed).collect();
                assert!(next.len() < unordered.len(), "net {seed}: a cycle is left");
                unordered = next;
            }
        }
        assert!(cycles > 200, "{cycles}");
    }
}
