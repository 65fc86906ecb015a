//! The conditions of the rules, one rule per file.
//!
//! Notation: S is the support, that is, the places whose tokens matter to the questions. It
//! includes the virtual places of protected transitions. Δ(t,p) is the change of p by firing t; t
//! *touches* S if Δ(t,p) ≠ 0 for some p in S. pre(t,p) and post(t,p) are arc weights, and m₀ is the
//! initial marking of the current net. R, D, L and M are the four classes of [`Preserve`]:
//! reachability over S, dead markings over S, liveness of protected transitions, and every marking
//! up to equations.

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
use parikh_net::{FiringStep, PlaceId, TransitionId};

/// The conditions of the reduction rules, to which logs refer by name.
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

/// Returns the conditions of the rule with this name, or `None` if there is no such rule.
pub fn rule_named(name: &str) -> Option<&'static Conditions> {
    ALL.iter().find(|rule| rule.name == name)
}

/// Returns true if `p` is the only input place of `t`. Returns false if `t` has no input place.
pub fn takes_only_from(net: &WorkNet, t: TransitionId, p: PlaceId) -> bool {
    matches!(net.pre(t), [arc] if arc.place == p)
}

/// Returns true if `p` is the only output place of `t`. Returns false if `t` has no output place.
pub fn puts_only_to(net: &WorkNet, t: TransitionId, p: PlaceId) -> bool {
    matches!(net.post(t), [arc] if arc.place == p)
}

/// Returns true if `p` is the only output place of `h` and not an input place.
pub fn feeds_only(net: &WorkNet, h: TransitionId, p: PlaceId) -> bool {
    puts_only_to(net, h, p) && net.pre_weight(h, p) == 0
}

/// The maximum number of transition ids, including the ids of removed transitions, after an
/// agglomeration. Each agglomeration may multiply the transitions of earlier agglomerations, so a
/// log of ten lines could otherwise exhaust any memory.
const MAX_TRANSITION_IDS: usize = 1 << 23;

/// Returns the common edits of agglomerations. For each h of `first` and each f of `second`, they
/// add a transition for h followed by `times(h)` firings of f. Then they remove all transitions of
/// `removed`. Returns `None` on overflow, and if there would be too many transitions.
fn agglomerate(
    net: &WorkNet,
    first: &[TransitionId],
    second: &[TransitionId],
    times: impl Fn(TransitionId) -> u64,
    removed: &[&[TransitionId]],
) -> Option<Vec<Edit>> {
    let composed_count = first.len().saturating_mul(second.len());
    if net.transition_ids().saturating_add(composed_count) > MAX_TRANSITION_IDS {
        return None;
    }
    let mut edits = Vec::new();
    for &h in first {
        for &f in second {
            let count = times(h);
            let composite = Composite::of(net, h).then(&Composite::of(net, f).repeated(count)?)?;
            let stands_for =
                vec![FiringStep { transition: h, count: 1 }, FiringStep { transition: f, count }];
            edits.push(Edit::AddTransition {
                pre: composite.pre(),
                post: composite.post(),
                stands_for,
            });
        }
    }
    let mut removed = removed.concat();
    removed.sort_unstable();
    removed.dedup();
    edits.extend(removed.into_iter().map(Edit::RemoveTransition));
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
