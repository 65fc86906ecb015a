//! The conditions of the rules, one rule a file.
//!
//! Throughout: S is the support, with the virtual places of protected transitions; Δ(t,p) is what
//! firing t changes on p; t *touches* S when Δ(t,p) ≠ 0 for some p in S. pre(t,p) and post(t,p) are
//! arc weights, m₀ the initial marking of the net at hand. R, D and L stand for the three classes
//! of [`Preserve`](super::Preserve): reachability over S, dead markings over S, liveness of
//! protected transitions.

pub mod composed_transitions;
pub mod constant_places;
pub mod dead_transitions;
pub mod equal_futures;
pub mod free_agglomeration;
pub mod fused_cycles;
pub mod gcd_scaling;
pub mod implicit_places;
pub mod lossy_transitions;
pub mod neutral_transitions;
pub mod parallel_places;
pub mod partial_post_agglomeration;
pub mod post_agglomeration;
pub mod pre_agglomeration;
pub mod redundant_arcs;
pub mod relevance;
pub mod same_effect;
pub mod sink_places;
pub mod source_transitions;
pub mod structurally_implicit_places;
pub mod token_prefiring;
pub mod unmarkable_presets;
pub mod weaker_transitions;

use super::change::Edit;
use super::compose::Composite;
use super::conditions::Conditions;
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
    sink_places::RULE,
    neutral_transitions::RULE,
    lossy_transitions::RULE,
    same_effect::RULE,
    parallel_places::RULE,
    gcd_scaling::RULE,
    post_agglomeration::RULE,
    pre_agglomeration::RULE,
    free_agglomeration::RULE,
    implicit_places::RULE,
    equal_futures::RULE,
    weaker_transitions::RULE,
    composed_transitions::RULE,
    post_agglomeration::PRODUCT_RULE,
    pre_agglomeration::PRODUCT_RULE,
    free_agglomeration::PRODUCT_RULE,
    partial_post_agglomeration::RULE,
    token_prefiring::RULE,
    unmarkable_presets::RULE,
    structurally_implicit_places::RULE,
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

/// The transition for `first` and then `times` firings of `second`; `None` on overflow.
fn merged(net: &WorkNet, first: TransitionId, second: TransitionId, times: u64) -> Option<Edit> {
    let next = Composite::of(net, second).repeated(times)?;
    let both = Composite::of(net, first).then(&next)?;
    let stands_for =
        vec![Step { transition: first, count: 1 }, Step { transition: second, count: times }];
    Some(Edit::AddTransition { pre: both.pre(), post: both.post(), stands_for })
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
