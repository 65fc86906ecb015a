//! The searches of the rules, one per file, and the table of all rules.
//!
//! What a rule's candidates are and when they may be applied stands with its conditions in
//! [`parikh_evidence::reduction::rules`].

mod composed_transitions;
mod dead_transitions;
mod equal_futures;
mod free_agglomeration;
mod fused_cycles;
mod implicit_places;
mod parallel_places;
mod partial_post_agglomeration;
mod post_agglomeration;
mod pre_agglomeration;
mod relevance;
mod same_effect;
mod source_transitions;
mod structurally_implicit_places;
mod token_prefiring;
mod unmarkable_presets;
mod weaker_transitions;

use super::search::Phase::{self, Agglomeration, Cheap, Global, Linear, Product};
use super::search::{ChangedPlaces, ChangedTransitions, PlacesAround, Rule, Search};
use parikh_evidence::reduction::WorkNet;

pub use parikh_evidence::reduction::rules::{ALL, named};
use parikh_net::TransitionId;

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
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|rule| rule.name)
}

/// All rules in the order they run within their phase: each with the search for its candidates.
pub(super) fn all(limits: &Limits) -> Vec<Rule> {
    let limits = || limits.clone();
    let post = |product| post_agglomeration::PostAgglomeration { product, limits: limits() };
    let pre = |product| pre_agglomeration::PreAgglomeration { product, limits: limits() };
    let free = |product| free_agglomeration::FreeAgglomeration { product, limits: limits() };
    let partial = partial_post_agglomeration::PartialPostAgglomeration { limits: limits() };
    // Constant places have as many producers as consumers.
    let balanced = |net: &WorkNet, p| net.consumer_count(p) == net.producer_count(p);
    let is_read = |net: &WorkNet, p| {
        net.tokens(p) > 0 && net.consumer_count(p) > 0 && net.producer_count(p) > 0
    };
    let is_sink = |net: &WorkNet, p| !net.in_support(p) && net.consumer_count(p) == 0;
    let is_free = |net: &WorkNet, p| !net.in_support(p);
    let puts_as_often = |net: &WorkNet, t| net.pre(t).len() == net.post(t).len();
    let puts_no_more_often = |net: &WorkNet, t| net.post(t).len() <= net.pre(t).len();
    let table: Vec<(&str, Phase, Box<dyn Search>)> = vec![
        ("source-transitions", Global, Box::new(source_transitions::SourceTransitions)),
        ("dead-transitions", Global, Box::new(dead_transitions::DeadTransitions)),
        ("relevance", Global, Box::new(relevance::Relevance)),
        ("fused-cycles", Cheap, Box::<fused_cycles::FusedCycles>::default()),
        ("constant-places", Cheap, Box::new(PlacesAround(balanced))),
        ("redundant-arcs", Cheap, Box::new(PlacesAround(is_read))),
        ("sink-places", Cheap, Box::new(ChangedPlaces(is_sink))),
        ("neutral-transitions", Cheap, Box::new(ChangedTransitions(puts_as_often))),
        ("lossy-transitions", Cheap, Box::new(ChangedTransitions(puts_no_more_often))),
        ("same-effect", Cheap, Box::<same_effect::SameEffect>::default()),
        ("parallel-places", Cheap, Box::new(parallel_places::ParallelPlaces)),
        ("gcd-scaling", Cheap, Box::new(PlacesAround(is_free))),
        ("post-agglomeration", Agglomeration, Box::new(post(false))),
        ("pre-agglomeration", Agglomeration, Box::new(pre(false))),
        ("free-agglomeration", Agglomeration, Box::new(free(false))),
        ("implicit-places", Product, Box::new(implicit_places::ImplicitPlaces)),
        ("equal-futures", Product, Box::<equal_futures::EqualFutures>::default()),
        ("weaker-transitions", Product, Box::new(weaker_transitions::WeakerTransitions)),
        (
            "composed-transitions",
            Product,
            Box::<composed_transitions::ComposedTransitions>::default(),
        ),
        ("post-agglomeration-product", Product, Box::new(post(true))),
        ("pre-agglomeration-product", Product, Box::new(pre(true))),
        ("free-agglomeration-product", Product, Box::new(free(true))),
        ("partial-post-agglomeration", Product, Box::new(partial)),
        ("token-prefiring", Product, Box::<token_prefiring::TokenPrefiring>::default()),
        ("unmarkable-presets", Linear, Box::<unmarkable_presets::UnmarkablePresets>::default()),
        (
            "structurally-implicit-places",
            Linear,
            Box::<structurally_implicit_places::StructurallyImplicitPlaces>::default(),
        ),
    ];
    // That each name is one of the rules' is tested.
    let rule = |(name, phase, search)| Some(Rule { conditions: named(name)?, phase, search });
    table.into_iter().filter_map(rule).collect()
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
    use crate::reduction::example;

    #[test]
    fn every_rule_has_one_search() {
        let mut names: Vec<_> =
            all(&Limits::default()).iter().map(|rule| rule.conditions.name).collect();
        names.sort_unstable();
        let mut expected: Vec<_> = super::names().collect();
        expected.sort_unstable();
        assert_eq!(names, expected);
    }

    #[test]
    fn the_examples_of_the_headers() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/evidence/reduction/rules");
        for name in names().filter(|name| !name.ends_with("-product")) {
            let file = format!("{folder}/{}.rs", name.replace('-', "_"));
            let source = std::fs::read_to_string(&file).expect("named after its rule");
            example::check(name, &source);
        }
    }
}
