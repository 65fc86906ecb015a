//! Firings that a formula without EX and AX does not see: markings before and after satisfy the
//! same.
//!
//! # Conditions
//! 1. The formula has neither EX nor AX, and no atom speaks of deadness.
//! 2. The transition takes tokens, and no other takes tokens from where it does: p• = {t} for all p
//!    ∈ •t.
//! 3. It changes no place that an atom speaks of.
//!
//! Where such firings could go on for ever, nothing would be gained by going along them. So of each
//! cycle of transitions that give tokens to one another, one is taken for seen ([`ending`]).
//!
//! # Soundness
//! Let t be such a transition and m →t m'. Then m and m' satisfy the same formulas of CTL* without
//! next. Atoms agree on them, by (3). By (2), t stays enabled until it fires, whatever else fires,
//! and what is enabled beside it is enabled after it. So a maximal path from m that begins with t
//! is a path from m' with one marking more in front that looks the same; one that fires t later,
//! after u₁ … uₖ, is matched from m' by u₁ … uₖ, whose markings look the same one by one, and then
//! goes on equally; one that never fires t is infinite, since a marking with t enabled is not dead,
//! and is matched from m' by the same firings. The other way round, a maximal path from m' is one
//! from m with t in front. In each case the two paths are equal up to repetitions of markings that
//! look the same, they end or do not end together, and the markings that are matched are related
//! again: equal, or one firing of t apart. That is a stuttering bisimulation that respects maximal
//! paths, finite ones, too.
//!
//! # For labellings
//! A claim about m' so stands for the claim about m. Where a firing leads to m, the checker takes
//! any listed marking on the way from m along such firings for it. For untils ranks decrease to the
//! listed marking, and truth carries over. For A(φ R ψ), a violation from m of k firings is matched
//! by one from m' of no more, by the argument above, so the shortest violation from a listed
//! marking leads to a shorter one from another. For E(φ R ψ), the firings on the way to the listed
//! marking are part of the path.
//!
//! Source: condition (2) and (3) are those of Gerth, Kuiper, Peled and Penczek, *A Partial Order
//! Approach to Branching Time Logic Model Checking*, Information and Computation 1999, where a
//! single transition is taken; here markings are identified, and nothing has to be said of cycles.

use parikh_net::{Net, TransitionId, TreeProperty};
use parikh_temporal::Node;

/// The transitions whose firings the property does not see, ascending.
pub fn silent(net: &Net, property: &TreeProperty) -> Vec<TransitionId> {
    let formulas = property.formulas();
    let parts = formulas.below(property.formula());
    // 1
    if parts.iter().any(|&part| matches!(formulas.node(part), Node::Next(..)))
        || property.atoms().iter().any(|atom| atom.mentions_deadness())
    {
        return Vec::new();
    }
    let mut is_seen = vec![false; net.place_count()];
    property.support(net).into_iter().for_each(|place| is_seen[place.index()] = true);
    let is_silent = |&t: &TransitionId| {
        let alone = |arc: &parikh_net::Arc| net.consumers(arc.place).len() == 1;
        // 2
        !net.pre(t).is_empty()
            && net.pre(t).iter().all(alone)
            // Where nothing changes, there is nothing to be identified.
            && !net.delta(t).is_empty()
            // 3
            && net.delta(t).iter().all(|change| !is_seen[change.place.index()])
    };
    ending(net, net.transitions().filter(is_silent).collect())
}

/// Those of `silent`, which is ascending and satisfies (2), that are left when in each cycle of
/// them one is left out: no row of their firings goes on for ever. t *feeds* u where it puts tokens
/// to a place that u takes from. As long as there are any, one that feeds none of the others, or is
/// fed by none, is kept; where there is none, the others are on cycles or between them, and the
/// first of them is left out.
fn ending(net: &Net, silent: Vec<TransitionId>) -> Vec<TransitionId> {
    let mut is_left = vec![false; net.transition_count()];
    silent.iter().for_each(|t| is_left[t.index()] = true);
    // By (2), places with several consumers, which may be very many, feed no silent transition.
    let feeds = |t: TransitionId| {
        net.post(t).iter().filter_map(|arc| match net.consumers(arc.place) {
            [only] => Some(only.transition),
            _ => None,
        })
    };
    let mut ahead = vec![0u32; net.transition_count()];
    let mut behind: Vec<Vec<TransitionId>> = vec![Vec::new(); net.transition_count()];
    for &t in &silent {
        for u in feeds(t).filter(|u| is_left[u.index()]) {
            ahead[t.index()] += 1;
            behind[u.index()].push(t);
        }
    }
    let mut waiting: Vec<u32> = behind.iter().map(|those| those.len() as u32).collect();
    let mut kept = Vec::with_capacity(silent.len());
    let mut free: Vec<TransitionId> = silent.clone();
    let mut rest = silent.iter();
    loop {
        let (t, is_kept) = match free.pop() {
            Some(t) => {
                let is_free = waiting[t.index()] == 0 || ahead[t.index()] == 0;
                if !is_left[t.index()] || !is_free {
                    continue;
                }
                (t, true)
            }
            None => match rest.find(|t| is_left[t.index()]) {
                Some(&t) => (t, false),
                None => break,
            },
        };
        is_left[t.index()] = false;
        if is_kept {
            kept.push(t);
        }
        for u in feeds(t).filter(|u| is_left[u.index()]) {
            waiting[u.index()] -= 1;
            free.push(u);
        }
        for &u in behind[t.index()].iter().filter(|u| is_left[u.index()]) {
            ahead[u.index()] -= 1;
            free.push(u);
        }
    }
    kept.sort_unstable();
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::generate::{Shape, random};
    use parikh_net::text;

    #[test]
    fn of_each_cycle_one_is_seen() {
        let net = text::parse(
            "place a 1\nplace b\nplace c 1\nplace d\nplace e\n\
             transition ab: a -> b\ntransition ba: b -> a\n\
             transition into: c -> a + d\ntransition out: d -> e",
        )
        .unwrap();
        let all =
            |names: &[&str]| names.iter().map(|it| net.transition_named(it).unwrap()).collect();
        let every: Vec<TransitionId> = net.transitions().collect();
        assert_eq!(ending(&net, every), all(&["ba", "into", "out"]));
        let few: Vec<TransitionId> = all(&["ab", "into"]);
        assert_eq!(ending(&net, few.clone()), few);
    }

    #[test]
    fn what_is_left_comes_to_an_end() {
        let mut cycles = 0;
        for seed in 0..2_000 {
            let net = random(seed, &Shape::small(seed));
            let alone = |arc: &parikh_net::Arc| net.consumers(arc.place).len() == 1;
            let is_alone = |t: &TransitionId| net.pre(*t).iter().all(alone);
            let every: Vec<TransitionId> = net.transitions().filter(is_alone).collect();
            let left = ending(&net, every.clone());
            cycles += usize::from(left.len() < every.len());
            // By what feeds what, in rounds: each round takes those that nothing left feeds.
            let mut open = left;
            while !open.is_empty() {
                let is_fed = |t: &TransitionId| {
                    let feeds = |u: &&TransitionId| {
                        net.pre(*t).iter().any(|arc| net.post_weight(**u, arc.place) > 0)
                    };
                    open.iter().any(|u| feeds(&u))
                };
                let next: Vec<_> = open.iter().copied().filter(is_fed).collect();
                assert!(next.len() < open.len(), "net {seed}: a cycle is left");
                open = next;
            }
        }
        assert!(cycles > 200, "{cycles}");
    }
}
