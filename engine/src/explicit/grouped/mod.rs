//! Counting of markings that fit in one 64-bit word, by place invariants.
//!
//! Place invariants divide the places into groups ([`LevelGroups`]): state machines with one token,
//! pairs of places with a constant weighted sum, and single places. A reachable marking is
//! determined by one value per group, for example by the index of the marked place. These values
//! are bit fields of a word ([`layout`]). A marking of 500 places in four state machines needs 28
//! bits instead of 500.
//!
//! The transitions become masks and numbers to add ([`steps`]). The visited markings are in hash
//! tables without pointers, numbers or parents ([`shard`]): 5 to 7 bytes per marking for words of
//! up to 40 bits, otherwise 9 to 14 bytes. Several threads expand markings and insert successors in
//! turns ([`exploration`]).
//!
//! Only counts are possible, because no firing sequences are kept. Nets whose groups do not fit in
//! a word use the [general set of markings](super::space).
//!
//! # Soundness
//! The invariants of the groups and the bounds from semiflows are checked on the net by exact
//! arithmetic (`PlaceFlow::holds`). They hold in every reachable marking, so each condition and
//! effect of a transition on the groups agrees with the net in reachable markings. A place without
//! such a bound has a claimed bound. A firing beyond it ends the exploration, and the general set
//! of markings is used instead.

mod exploration;
mod layout;
mod scatter;
mod shard;
mod steps;
mod tokens;

use super::progress::{ExplorationError, ProgressTest};
use crate::diagrams::level_groups::LevelGroups;
use exploration::{ExplorationEnd, ExplorationFindings, explore};
use layout::WordLayout;
use parikh_net::{Facts, Net};
use parikh_solvers::Budget;
use parikh_structure::semiflows::place_semiflows;
use std::time::Duration;
use steps::CompiledTransitions;
use tokens::GroupTokens;

/// The number of stored markings from which a count should use words. For fewer markings, place
/// invariants take longer than they save. In debug builds the number is small, so that tests cover
/// both representations.
pub(super) const MIN_MARKINGS: u32 = if cfg!(debug_assertions) { 60 } else { 1 << 17 };

/// Limit on the number of semiflows.
const MAX_SEMIFLOWS: usize = 5_000;

/// Time limit for computing semiflows.
const SEMIFLOW_TIME: Duration = Duration::from_millis(500);

/// Share of the time for computing semiflows, in [0, 1].
const SEMIFLOW_SHARE: f64 = 0.2;

/// The figures of a set of reachable markings.
#[derive(Debug)]
pub(super) struct GroupedCounts {
    /// Number of reachable markings.
    pub(super) markings: u64,
    /// For each transition, by index: the number of reachable markings that enable it.
    pub(super) enabled_in: Vec<u64>,
    /// Maximum number of tokens on one place.
    pub(super) max_tokens_in_place: u64,
    /// Maximum total number of tokens.
    pub(super) max_tokens_per_marking: u128,
}

/// Counts the reachable markings of `net` from the start, with words. Returns `None` if the
/// markings do not fit in words.
///
/// # Errors
/// Returns an error if the budget is exhausted, memory is short, or `progress` ends the count.
pub(super) fn count(
    net: &Net,
    facts: &Facts,
    threads: usize,
    progress: &ProgressTest,
    budget: &Budget,
) -> Result<Option<GroupedCounts>, ExplorationError> {
    let semiflow_budget = budget.share(SEMIFLOW_SHARE).slice(SEMIFLOW_TIME);
    let flows = place_semiflows(net, MAX_SEMIFLOWS, &semiflow_budget).flows;
    let groups = LevelGroups::by_flows(net, &flows);
    let Some(layout) = WordLayout::new(net, &groups, &flows, facts) else {
        tracing::debug!("markings in groups: {} groups need too many bits", groups.groups.len());
        return Ok(None);
    };
    let steps = CompiledTransitions::new(net, &groups, &layout);
    let tokens = GroupTokens::new(net, &groups, &layout);
    tracing::debug!("markings in groups: {} bits", layout.bits());
    // The time of an earlier visit says nothing about the rate of this one.
    let progress = progress.restarted();
    let findings = explore(&layout, &steps, &tokens, threads, &progress, budget);
    let ExplorationFindings { markings, enabled_in, max_total, value_ranges } = match findings {
        Ok(findings) => findings,
        Err(ExplorationEnd::FieldOverflow) => return Ok(None),
        Err(ExplorationEnd::Error(error)) => return Err(error),
    };
    Ok(Some(GroupedCounts {
        markings,
        enabled_in,
        max_tokens_in_place: tokens.max_in_place(&value_ranges),
        max_tokens_per_marking: max_total,
    }))
}

#[cfg(test)]
mod tests {
    use super::super::StopRule;
    use super::*;
    use fastrand::Rng;
    use parikh_generate::{
        Automata, RandomKind, Shape, random, random_parts, synchronised_automata,
    };
    use parikh_net::{Marking, Provenance, text};
    use std::collections::HashSet;

    /// Visits all markings one by one. Returns `None` if there are more than `limit`.
    fn enumerate(net: &Net, limit: usize) -> Option<GroupedCounts> {
        let mut known: HashSet<Marking> = HashSet::from([net.initial().clone()]);
        let mut waiting = vec![net.initial().clone()];
        let mut counts = GroupedCounts {
            markings: 0,
            enabled_in: vec![0; net.transition_count()],
            max_tokens_in_place: 0,
            max_tokens_per_marking: 0,
        };
        while let Some(marking) = waiting.pop() {
            if known.len() > limit {
                return None;
            }
            counts.markings += 1;
            counts.max_tokens_in_place = counts.max_tokens_in_place.max(marking.largest());
            counts.max_tokens_per_marking = counts.max_tokens_per_marking.max(marking.total());
            for t in net.transitions().filter(|&t| net.is_enabled(&marking, t)) {
                counts.enabled_in[t.index()] += 1;
                let mut next = marking.clone();
                net.fire(&mut next, t).ok()?;
                if known.insert(next.clone()) {
                    waiting.push(next);
                }
            }
        }
        Some(counts)
    }

    /// Counts with words, and compares the figures with those of enumeration. Returns the number of
    /// markings, or `None` if there are too many, or they do not fit in words.
    fn check(net: &Net, facts: &Facts, threads: usize) -> Option<u64> {
        let expected = enumerate(net, 3000)?;
        let progress = ProgressTest::new(StopRule::AtBudgetEnd);
        let found = count(net, facts, threads, &progress, &Budget::unlimited()).unwrap()?;
        let figures = |it: &GroupedCounts| {
            let most = (it.max_tokens_in_place, it.max_tokens_per_marking);
            (it.markings, it.enabled_in.clone(), most)
        };
        assert_eq!(figures(&found), figures(&expected), "{}", text::print(net));
        Some(found.markings)
    }

    /// Returns facts with random bounds of some places. Many are wrong.
    fn random_facts(net: &Net, rng: &mut Rng) -> Facts {
        let mut facts = Facts::empty(net);
        for p in net.places() {
            if rng.u8(0..4) > 0 {
                facts.bound_above(p, rng.u64(0..12), Provenance::UnitsClaimed);
            }
        }
        facts
    }

    #[test]
    fn words_of_machines_pairs_and_single_places_give_the_figures_of_enumeration() {
        let mut rng = Rng::with_seed(147);
        let (mut counted, mut large) = (0, 0);
        for _ in 0..3000 {
            let net = random_parts(&mut rng);
            let facts = random_facts(&net, &mut rng);
            let markings = check(&net, &facts, rng.usize(1..=3));
            counted += usize::from(markings.is_some());
            large += usize::from(markings > Some(50));
        }
        println!("{counted} nets, {large} with more than 50 markings");
        assert!(counted > 500 && large > 100, "{counted} {large}");
    }

    #[test]
    fn words_of_random_nets_give_the_figures_of_enumeration() {
        let mut rng = Rng::with_seed(148);
        let (mut counted, mut large) = (0, 0);
        for seed in 0..6000 {
            let kind = if rng.bool() { RandomKind::OneSafe } else { RandomKind::Bounded };
            let net = random(seed, &Shape { kind, ..Shape::small(seed) });
            let facts = random_facts(&net, &mut rng);
            let markings = check(&net, &facts, rng.usize(1..=3));
            counted += usize::from(markings.is_some());
            large += usize::from(markings > Some(50));
        }
        println!("{counted} nets, {large} with more than 50 markings");
        assert!(counted > 1000 && large > 50, "{counted} {large}");
    }

    #[test]
    fn words_of_synchronised_automata_give_the_figures_of_enumeration() {
        let mut large = 0;
        for seed in 0..100 {
            let mut rng = Rng::with_seed(seed);
            let size = Automata {
                automata: rng.u32(2..=4),
                states: rng.u32(3..=7),
                transitions: rng.u32(50..=400),
                targets: rng.u32(4..=12),
            };
            let net = synchronised_automata(seed, size);
            let markings = check(&net, &Facts::empty(&net), rng.usize(1..=3));
            large += usize::from(markings > Some(100));
        }
        assert!(large > 20, "{large}");
    }
}
