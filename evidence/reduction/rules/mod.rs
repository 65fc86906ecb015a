//! The conditions of the rules, one rule a file.
//!
//! Throughout: S is the support, with the virtual places of protected transitions; Δ(t,p) is what
//! firing t changes on p; t *touches* S when Δ(t,p) ≠ 0 for some p in S. pre(t,p) and post(t,p) are
//! arc weights, m₀ the initial marking of the net at hand. R, D, L and M stand for the four classes
//! of [`Preserve`]: reachability over S, dead markings over S, liveness of
//! protected transitions, every marking up to equations.

pub mod chained_places;
pub mod constant_places;
pub mod dead_transitions;
pub mod equal_futures;
pub mod free_agglomeration;
pub mod fused_cycles;
pub mod gcd_scaling;
pub mod implicit_places;
pub mod neutral_transitions;
pub mod partial_post_agglomeration;
pub mod post_agglomeration;
pub mod pre_agglomeration;
pub mod redundant_arcs;
pub mod redundant_places;
pub mod relevance;
pub mod same_effect;
pub mod source_transitions;
pub mod token_prefiring;
pub mod unmarkable_presets;
pub mod weaker_transitions;

use super::change::Edit;
use super::compose::Composite;
use super::conditions::{Candidate, Conditions, Context};
use super::needs::Preserve;
use super::weighted_sum::WeightedSum;
use super::work::WorkNet;
use parikh_net::{PlaceId, Step, TransitionId};

/// The conditions of all rules.
pub static ALL: &[Conditions] = &[
    source_transitions::RULE,
    dead_transitions::RULE,
    relevance::RULE,
    fused_cycles::RULE,
    constant_places::RULE,
    redundant_arcs::RULE,
    neutral_transitions::RULE,
    same_effect::RULE,
    gcd_scaling::RULE,
    post_agglomeration::RULE,
    pre_agglomeration::RULE,
    free_agglomeration::RULE,
    implicit_places::RULE,
    equal_futures::RULE,
    weaker_transitions::RULE,
    partial_post_agglomeration::RULE,
    token_prefiring::RULE,
    unmarkable_presets::RULE,
    chained_places::RULE,
    redundant_places::RULE,
];

/// Those of the rule of this name.
pub fn named(name: &str) -> Option<&'static Conditions> {
    ALL.iter().find(|rule| rule.name == name)
}

/// Whether `t` takes from nothing but `p`.
pub fn takes_only_from(net: &WorkNet, t: TransitionId, p: PlaceId) -> bool {
    matches!(net.pre(t), [arc] if arc.place == p)
}

/// Whether `t` puts to nothing but `p`.
pub fn puts_only_to(net: &WorkNet, t: TransitionId, p: PlaceId) -> bool {
    matches!(net.post(t), [arc] if arc.place == p)
}

/// Whether `h` puts to `p` only and takes nothing from it.
pub fn feeds_only(net: &WorkNet, h: TransitionId, p: PlaceId) -> bool {
    puts_only_to(net, h, p) && net.pre_weight(h, p) == 0
}

/// The most transitions that agglomerations make, one after the other: each may multiply what the
/// one before made, so that a log of ten lines asks for more than any memory holds.
const MOST_COMPOSED: usize = 1 << 23;

/// The heart of agglomerations: a transition for each h of `first` with so many firings of each of
/// `second` right behind it; then all of `gone` go. `None` on overflow, and when they would be too
/// many.
fn merge_all(
    net: &WorkNet,
    first: &[TransitionId],
    second: &[TransitionId],
    times: impl Fn(TransitionId) -> u64,
    gone: &[&[TransitionId]],
) -> Option<Vec<Edit>> {
    let composed = first.len().saturating_mul(second.len());
    if net.transition_ids().saturating_add(composed) > MOST_COMPOSED {
        return None;
    }
    let mut edits = Vec::new();
    for &h in first {
        for &f in second {
            let count = times(h);
            let both = Composite::of(net, h).then(&Composite::of(net, f).repeated(count)?)?;
            let stands_for = vec![Step { transition: h, count: 1 }, Step { transition: f, count }];
            edits.push(Edit::AddTransition { pre: both.pre(), post: both.post(), stands_for });
        }
    }
    let mut gone = gone.concat();
    gone.sort_unstable();
    gone.dedup();
    edits.extend(gone.into_iter().map(Edit::RemoveTransition));
    Some(edits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduction::Preserve;

    #[test]
    fn every_rule_has_a_name_of_its_own_preserves_something_and_has_conditions() {
        for (at, rule) in ALL.iter().enumerate() {
            assert!(ALL[..at].iter().all(|other| other.name != rule.name), "{}", rule.name);
            assert!(rule.preserves != Preserve::NOTHING, "{}", rule.name);
            assert!(rule.conditions > 0, "{}", rule.name);
        }
    }
}
