//! Parametric nets with known answers, and random nets and goals by seed: what tests and benchmarks
//! of all crates work on.
//!
//! Engines, rules and encodings are tested on these nets, and benchmarks increase their parameters.
//! There is one file per family; each states the known answers with the argument, and returns them
//! as data beside the net ([`KnownNet`]), so that a test can iterate over all families
//! ([`specimens`]).
//!
//! [`EdgeGraph`] evaluates CTL formulas on finite graphs.
//!
//! Sizes are `u32`; a net with more nodes than the builder accepts (2³² − 1) panics.

mod answers;
mod coloured;
mod counters;
mod cycles;
mod edge_graph;
mod mutual_exclusion;
mod odometer;
mod parts;
mod philosophers;
mod random;
mod random_formula;
mod random_goal;
mod sketch;
mod synchronised;

pub use answers::{Answers, KnownCount, KnownNet};
pub use coloured::random_coloured;
pub use counters::counters;
pub use cycles::cycles;
pub use edge_graph::EdgeGraph;
pub use mutual_exclusion::mutual_exclusion;
pub use odometer::{net as odometer_net, odometer};
pub use parts::random_parts;
pub use philosophers::philosophers;
pub use random::{RandomKind, Shape, random, random_with};
pub use random_formula::{random_ctl, random_fairness, random_ltl};
pub use random_goal::{random_goal, random_goals, random_predicate, random_sum};
pub use synchronised::{Automata, synchronised_automata};

/// Returns every family at small parameters, with at most 10⁴ reachable markings or infinitely
/// many.
pub fn specimens() -> Vec<KnownNet> {
    let mut all = Vec::new();
    all.extend((2..=6).map(philosophers));
    all.extend(
        [(1, 0), (1, 1), (3, 0), (3, 1), (4, 2), (3, 5)].map(|(n, k)| mutual_exclusion(n, k)),
    );
    all.extend((1..=3).map(counters));
    all.extend([(1, 2), (3, 4), (2, 30)].map(|(digits, base)| odometer(digits, base)));
    all.extend([(1, 2), (3, 4), (5, 3)].map(|(n, l)| cycles(n, l, false)));
    all.extend([(1, 2), (3, 4), (5, 3)].map(|(n, l)| cycles(n, l, true)));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;
    use parikh_net::{Predicate, TransitionId};

    #[test]
    fn every_specimen_has_its_own_name() {
        let mut names: Vec<String> =
            specimens().iter().map(|specimen| specimen.net.name().to_owned()).collect();
        let all = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), all);
    }

    /// On random walks, EX φ holds exactly where some firing leads to φ, and AX φ where all firings
    /// do.
    #[test]
    fn preconditions_agree_with_firing() {
        let (mut seen, mut held) = (0, 0);
        for seed in 0..400 {
            let net = random(seed, &Shape::small(seed));
            let mut rng = Rng::with_seed(seed);
            let mut marking = net.initial().clone();
            let all: Vec<Predicate> = (0..4).map(|_| random_predicate(&mut rng, &net, 3)).collect();
            for _ in 0..8 {
                let enabled: Vec<TransitionId> =
                    net.transitions().filter(|&t| net.is_enabled(&marking, t)).collect();
                let after = enabled.iter().filter_map(|&t| {
                    let mut next = marking.clone();
                    net.fire(&mut next, t).is_ok().then_some(next)
                });
                let after: Vec<_> = after.collect();
                for predicate in &all {
                    let Some(some) = predicate.before_some(&net, 10_000) else { continue };
                    let holds = after.iter().any(|it| predicate.holds(&net, it));
                    assert_eq!(some.holds(&net, &marking), holds, "net {seed}: {predicate:?}");
                    let every = predicate.before_all(&net, 10_000).expect("as large");
                    let holds_after_all = after.iter().all(|it| predicate.holds(&net, it));
                    assert_eq!(every.holds(&net, &marking), holds_after_all, "net {seed}");
                    let near = predicate.before_some_near(&net, 10_000).expect("no larger");
                    assert!(holds || !near.holds(&net, &marking), "net {seed}: {predicate:?}");
                    let near = predicate.before_all_near(&net, 10_000).expect("no larger");
                    assert!(holds_after_all || !near.holds(&net, &marking), "net {seed}");
                    seen += 1;
                    held += usize::from(holds);
                }
                let Some(&t) = rng.choice(&enabled) else { break };
                if net.fire(&mut marking, t).is_err() {
                    break;
                }
            }
        }
        assert!(seen > 2000 && held > 400 && held < seen, "{held} of {seen}");
    }
}
