//! The rules, one per file.
//!
//! Throughout: S is the support, with the virtual places of protected transitions; Δ(t,p) is what
//! firing t changes on p; t *touches* S when Δ(t,p) ≠ 0 for some p in S. pre(t,p) and post(t,p) are
//! arc weights, m₀ the initial marking of the net at hand. R, D and L stand for the three classes
//! of [`Preserve`]: reachability over S, dead markings over S, liveness of
//! protected transitions.

mod composed_transitions;
mod constant_places;
mod dead_transitions;
mod equal_futures;
mod free_agglomeration;
mod fused_cycles;
mod gcd_scaling;
mod implicit_places;
mod lossy_transitions;
mod neutral_transitions;
mod parallel_places;
mod partial_post_agglomeration;
mod post_agglomeration;
mod pre_agglomeration;
mod redundant_arcs;
mod relevance;
mod same_effect;
mod sink_places;
mod source_transitions;
mod structurally_implicit_places;
mod token_prefiring;
mod unmarkable_presets;
mod weaker_transitions;

use super::change::Edit;
use super::compose::Composite;
use super::needs::Preserve;
use super::rule::Rule;
use super::work::WorkNet;
use crate::net::{PlaceId, Step, TransitionId};

/// Caps on what a single application may add.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The most transitions that an n × m agglomeration with n, m > 1 makes. Default 32.
    pub product: usize,
    /// The most arcs that an agglomeration may add to those it removes. Default 64.
    pub more_arcs: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { product: 32, more_arcs: 64 }
    }
}

/// The names of all rules.
pub const NAMES: &[&str] = &[
    dead_transitions::NAME,
    relevance::NAME,
    fused_cycles::NAME,
    source_transitions::NAME,
    constant_places::NAME,
    redundant_arcs::NAME,
    sink_places::NAME,
    neutral_transitions::NAME,
    lossy_transitions::NAME,
    same_effect::NAME,
    parallel_places::NAME,
    gcd_scaling::NAME,
    post_agglomeration::NAME,
    pre_agglomeration::NAME,
    free_agglomeration::NAME,
    post_agglomeration::PRODUCT,
    pre_agglomeration::PRODUCT,
    free_agglomeration::PRODUCT,
    weaker_transitions::NAME,
    composed_transitions::NAME,
    equal_futures::NAME,
    partial_post_agglomeration::NAME,
    token_prefiring::NAME,
    implicit_places::NAME,
    unmarkable_presets::NAME,
    structurally_implicit_places::NAME,
];

/// All rules in the order they run within their stage.
pub(super) fn all(limits: &Limits) -> Vec<Box<dyn Rule>> {
    vec![
        // Global.
        Box::new(source_transitions::SourceTransitions),
        Box::new(dead_transitions::DeadTransitions),
        Box::new(relevance::Relevance),
        // Cheap.
        Box::new(fused_cycles::FusedCycles::default()),
        Box::new(constant_places::ConstantPlaces),
        Box::new(redundant_arcs::RedundantArcs),
        Box::new(sink_places::SinkPlaces),
        Box::new(neutral_transitions::NeutralTransitions),
        Box::new(lossy_transitions::LossyTransitions),
        Box::new(same_effect::SameEffect::default()),
        Box::new(parallel_places::ParallelPlaces),
        Box::new(gcd_scaling::GcdScaling),
        // Agglomerations.
        Box::new(post_agglomeration::PostAgglomeration { product: false, limits: limits.clone() }),
        Box::new(pre_agglomeration::PreAgglomeration { product: false, limits: limits.clone() }),
        Box::new(free_agglomeration::FreeAgglomeration { product: false, limits: limits.clone() }),
        // Products and expensive ones.
        Box::new(implicit_places::ImplicitPlaces),
        Box::new(equal_futures::EqualFutures::default()),
        Box::new(weaker_transitions::WeakerTransitions),
        Box::new(composed_transitions::ComposedTransitions::default()),
        Box::new(post_agglomeration::PostAgglomeration { product: true, limits: limits.clone() }),
        Box::new(pre_agglomeration::PreAgglomeration { product: true, limits: limits.clone() }),
        Box::new(free_agglomeration::FreeAgglomeration { product: true, limits: limits.clone() }),
        Box::new(partial_post_agglomeration::PartialPostAgglomeration { limits: limits.clone() }),
        Box::new(token_prefiring::TokenPrefiring::default()),
        // With linear programs.
        Box::new(unmarkable_presets::UnmarkablePresets::default()),
        Box::new(structurally_implicit_places::StructurallyImplicitPlaces::default()),
    ]
}

/// The classes that the rule of this name preserves.
pub fn preserves(name: &str) -> Option<Preserve> {
    all(&Limits::default()).iter().find(|rule| rule.name() == name).map(|rule| rule.preserves())
}

/// How many numbered conditions the rule of this name has.
pub fn conditions(name: &str) -> Option<u8> {
    all(&Limits::default()).iter().find(|rule| rule.name() == name).map(|rule| rule.conditions())
}

/// Whether `t` takes from nothing but `p`.
fn takes_only_from(net: &WorkNet, t: TransitionId, p: PlaceId) -> bool {
    matches!(net.pre(t), [arc] if arc.place == p)
}

/// Whether `t` puts to nothing but `p`.
fn puts_only_to(net: &WorkNet, t: TransitionId, p: PlaceId) -> bool {
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

impl Limits {
    /// Whether merging each of `producers` with each of `consumers` at a place keeps within the
    /// caps; `product` asks for a proper product, its absence for none.
    fn allow(
        &self,
        net: &WorkNet,
        product: bool,
        producers: &[TransitionId],
        consumers: &[TransitionId],
    ) -> bool {
        let (n, m) = (producers.len(), consumers.len());
        if product != (n > 1 && m > 1) || (product && n * m > self.product) {
            return false;
        }
        let arcs = |all: &[TransitionId]| -> usize {
            all.iter().map(|&t| net.pre(t).len() + net.post(t).len()).sum()
        };
        let (before, after) = (arcs(producers), arcs(consumers));
        // Each meeting loses the arcs at the place.
        let made = (before * m + after * n).saturating_sub(2 * n * m);
        made <= before + after + self.more_arcs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_one_name_in_the_list() {
        let mut names: Vec<_> = all(&Limits::default()).iter().map(|rule| rule.name()).collect();
        let mut listed = NAMES.to_vec();
        names.sort_unstable();
        listed.sort_unstable();
        assert_eq!(names, listed);
    }

    #[test]
    fn every_rule_preserves_something_and_has_conditions() {
        for rule in all(&Limits::default()) {
            assert!(rule.preserves() != crate::reduction::Preserve::NOTHING, "{}", rule.name());
            assert!(rule.conditions() > 0, "{}", rule.name());
        }
    }
}
