//! The searches of the rules, one per file, and the table of all rules.
//!
//! The form of a rule's candidates and the conditions of its application are documented in
//! [`parikh_evidence::reduction::rules`].

mod chained_places;
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
mod proportional_places;
mod relevance;
mod same_effect;
mod source_transitions;
mod structurally_implicit_places;
mod token_prefiring;
mod unmarkable_presets;
mod weaker_transitions;

use super::search::Phase::{self, Agglomeration, Cheap, Global, Linear, Product};
use super::search::{CandidateSearch, ChangedPlaces, ChangedTransitions, PlacesAround, SearchRule};
use parikh_evidence::reduction::{Conditions, WorkNet};

pub use parikh_evidence::reduction::rules::{ALL, rule_named};
use parikh_net::{PlaceId, TransitionId};

/// Limits on the growth of the net by a single application of a rule, and the places that rules
/// keep.
#[derive(Clone, Debug)]
pub struct GrowthLimits {
    /// Limit on the number of transitions that an n × m agglomeration with n, m > 1 creates.
    /// Default 32.
    pub max_product: usize,
    /// Limit on the number of arcs that an agglomeration may add beyond the arcs it removes.
    /// Default 64.
    pub max_added_arcs: usize,
    /// Places that are kept although other places determine their tokens. No place by default.
    pub kept_places: Vec<PlaceId>,
}

impl Default for GrowthLimits {
    fn default() -> Self {
        GrowthLimits { max_product: 32, max_added_arcs: 64, kept_places: Vec::new() }
    }
}

/// Iterates over the names of all searches. Several searches may share the conditions of a rule.
pub fn names() -> impl Iterator<Item = &'static str> {
    all_searches(&GrowthLimits::default()).into_iter().map(|rule| rule.name)
}

/// Pairs of the name of a family and the names of its searches, for comparisons. A family has one
/// purpose. The first four families, in this order, remove dead nodes, nodes that the goals do not
/// depend on, superfluous places and arcs, and superfluous transitions. The fifth family fuses
/// places and fires transitions at the start. The sixth family merges firings.
pub const FAMILIES: [(&str, &[&str]); 6] = [
    ("dead", &["dead-transitions", "unmarkable-presets"]),
    ("irrelevant", &["source-transitions", "relevance", "sink-places", "lossy-transitions"]),
    (
        "places",
        &[
            "constant-places",
            "redundant-arcs",
            "parallel-places",
            "proportional-places",
            "gcd-scaling",
            "implicit-places",
            "structurally-implicit-places",
            "redundant-places",
        ],
    ),
    (
        "transitions",
        &["neutral-transitions", "same-effect", "weaker-transitions", "composed-transitions"],
    ),
    ("fusion", &["fused-cycles", "chained-places", "equal-futures", "token-prefiring"]),
    (
        "agglomeration",
        &[
            "post-agglomeration",
            "pre-agglomeration",
            "free-agglomeration",
            "post-agglomeration-product",
            "pre-agglomeration-product",
            "free-agglomeration-product",
            "partial-post-agglomeration",
        ],
    ),
];

/// Returns the searches that a name denotes: one search, a family, or `all`.
///
/// # Errors
/// Returns the list of known names if the name is unknown.
pub fn searches_named(name: &str) -> Result<Vec<&'static str>, String> {
    if name == "all" {
        return Ok(names().collect());
    }
    if let Some((_, members)) = FAMILIES.iter().find(|(family, _)| *family == name) {
        return Ok(members.to_vec());
    }
    let families: Vec<&str> = FAMILIES.iter().map(|(family, _)| *family).collect();
    let search =
        names().find(|search_name| *search_name == name).map(|search_name| vec![search_name]);
    search.ok_or_else(|| {
        let rules: Vec<&str> = names().collect();
        let (families, rules) = (families.join(", "), rules.join(", "));
        format!("expected one of the families {families}, `all`, or one of the rules {rules}")
    })
}

/// Returns the rule whose conditions are checked for the candidates of a search, or `None` if no
/// search has this name.
pub fn conditions_of(search: &str) -> Option<&'static Conditions> {
    let searches = all_searches(&GrowthLimits::default()).into_iter();
    searches
        .map(|rule| (rule.name, rule.conditions))
        .find(|(name, _)| *name == search)
        .map(|entry| entry.1)
}

/// Returns all searches with their rules. Within a phase, they run in this order.
pub(super) fn all_searches(limits: &GrowthLimits) -> Vec<SearchRule> {
    let kept_places = &limits.kept_places;
    let limits = || limits.clone();
    let post = |product| post_agglomeration::PostAgglomeration {
        handles_products: product,
        limits: limits(),
    };
    let pre = |product| pre_agglomeration::PreAgglomeration {
        handles_products: product,
        limits: limits(),
    };
    let free = |product| free_agglomeration::FreeAgglomeration {
        handles_products: product,
        limits: limits(),
    };
    let partial = partial_post_agglomeration::PartialPostAgglomeration { limits: limits() };
    // Every transition next to a constant place both consumes from it and produces on it, so the
    // place has as many producers as consumers.
    let has_balanced_arcs = |net: &WorkNet, p| net.consumer_count(p) == net.producer_count(p);
    let is_read = |net: &WorkNet, p| {
        net.tokens(p) > 0 && net.consumer_count(p) > 0 && net.producer_count(p) > 0
    };
    let is_sink = |net: &WorkNet, p| !net.in_support(p) && net.consumer_count(p) == 0;
    let is_free = |net: &WorkNet, p| !net.in_support(p);
    let puts_as_often = |net: &WorkNet, t| net.pre(t).len() == net.post(t).len();
    let puts_no_more_often = |net: &WorkNet, t| net.post(t).len() <= net.pre(t).len();
    // The name of each search, the name of the rule whose conditions are checked, the phase, and
    // the search.
    let table: Vec<(&str, &str, Phase, Box<dyn CandidateSearch>)> = vec![
        (
            "source-transitions",
            "source-transitions",
            Global,
            Box::new(source_transitions::SourceTransitions),
        ),
        (
            "dead-transitions",
            "dead-transitions",
            Global,
            Box::new(dead_transitions::DeadTransitions),
        ),
        ("relevance", "relevance", Global, Box::new(relevance::Relevance)),
        ("fused-cycles", "fused-cycles", Cheap, Box::<fused_cycles::FusedCycles>::default()),
        ("constant-places", "constant-places", Cheap, Box::new(PlacesAround(has_balanced_arcs))),
        ("redundant-arcs", "redundant-arcs", Cheap, Box::new(PlacesAround(is_read))),
        ("sink-places", "implicit-places", Cheap, Box::new(ChangedPlaces(is_sink))),
        (
            "neutral-transitions",
            "neutral-transitions",
            Cheap,
            Box::new(ChangedTransitions(puts_as_often)),
        ),
        ("lossy-transitions", "relevance", Cheap, Box::new(ChangedTransitions(puts_no_more_often))),
        ("same-effect", "same-effect", Cheap, Box::<same_effect::SameEffect>::default()),
        ("parallel-places", "implicit-places", Cheap, Box::new(parallel_places::ParallelPlaces)),
        ("chained-places", "chained-places", Cheap, Box::new(chained_places::ChainedPlaces)),
        (
            "proportional-places",
            "redundant-places",
            Cheap,
            Box::new(proportional_places::ProportionalPlaces::new(kept_places.clone())),
        ),
        ("gcd-scaling", "gcd-scaling", Cheap, Box::new(PlacesAround(is_free))),
        ("post-agglomeration", "post-agglomeration", Agglomeration, Box::new(post(false))),
        ("pre-agglomeration", "pre-agglomeration", Agglomeration, Box::new(pre(false))),
        ("free-agglomeration", "free-agglomeration", Agglomeration, Box::new(free(false))),
        ("implicit-places", "implicit-places", Product, Box::new(implicit_places::ImplicitPlaces)),
        ("equal-futures", "equal-futures", Product, Box::<equal_futures::EqualFutures>::default()),
        (
            "weaker-transitions",
            "weaker-transitions",
            Product,
            Box::new(weaker_transitions::WeakerTransitions),
        ),
        (
            "composed-transitions",
            "same-effect",
            Product,
            Box::<composed_transitions::ComposedTransitions>::default(),
        ),
        ("post-agglomeration-product", "post-agglomeration", Product, Box::new(post(true))),
        ("pre-agglomeration-product", "pre-agglomeration", Product, Box::new(pre(true))),
        ("free-agglomeration-product", "free-agglomeration", Product, Box::new(free(true))),
        ("partial-post-agglomeration", "partial-post-agglomeration", Product, Box::new(partial)),
        (
            "token-prefiring",
            "token-prefiring",
            Product,
            Box::<token_prefiring::TokenPrefiring>::default(),
        ),
        (
            "unmarkable-presets",
            "unmarkable-presets",
            Linear,
            Box::<unmarkable_presets::UnmarkablePresets>::default(),
        ),
        (
            "structurally-implicit-places",
            "implicit-places",
            Linear,
            Box::<structurally_implicit_places::StructurallyImplicitPlaces>::default(),
        ),
        (
            "redundant-places",
            "redundant-places",
            Linear,
            Box::new(structurally_implicit_places::StructurallyImplicitPlaces::exactly(
                kept_places.clone(),
            )),
        ),
    ];
    // A test checks that each second name in the table is the name of a rule, so no entry is
    // dropped.
    let rule = |(name, conditions, phase, search)| {
        Some(SearchRule { name, conditions: rule_named(conditions)?, phase, search })
    };
    table.into_iter().filter_map(rule).collect()
}

impl GrowthLimits {
    /// Returns true if merging each of `producers` with each of `consumers` at a place stays within
    /// the limits. With `product`, both lists must have at least two elements. Without `product`,
    /// one of the lists must have at most one element.
    fn allow(
        &self,
        net: &WorkNet,
        product: bool,
        producers: &[TransitionId],
        consumers: &[TransitionId],
    ) -> bool {
        let (n, m) = (producers.len(), consumers.len());
        if product != (n > 1 && m > 1) || (product && n * m > self.max_product) {
            return false;
        }
        let arcs = |transitions: &[TransitionId]| -> usize {
            transitions.iter().map(|&t| net.pre(t).len() + net.post(t).len()).sum()
        };
        let (producer_arcs, consumer_arcs) = (arcs(producers), arcs(consumers));
        // Each merged pair loses the arcs at the place.
        let new_arcs = (producer_arcs * m + consumer_arcs * n).saturating_sub(2 * n * m);
        new_arcs <= producer_arcs + consumer_arcs + self.max_added_arcs
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example;

    #[test]
    fn every_rule_has_a_search_and_every_search_a_rule_and_a_name() {
        let searches = all_searches(&GrowthLimits::default());
        for rule in ALL {
            assert!(searches.iter().any(|search| search.conditions.name == rule.name));
        }
        let mut names: Vec<_> = super::names().collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count, "two searches have the same name");
    }

    #[test]
    fn every_search_is_in_one_family() {
        let mut members: Vec<_> = FAMILIES.iter().flat_map(|(_, members)| *members).collect();
        let mut names: Vec<_> = super::names().collect();
        members.sort_unstable();
        names.sort_unstable();
        assert_eq!(members, names.iter().collect::<Vec<_>>());
        assert_eq!(searches_named("all").unwrap().len(), names.len());
        assert_eq!(searches_named("dead").unwrap(), ["dead-transitions", "unmarkable-presets"]);
        assert_eq!(searches_named("gcd-scaling").unwrap(), ["gcd-scaling"]);
        assert!(searches_named("deaf").unwrap_err().contains("dead, irrelevant, places"));
    }

    #[test]
    fn the_examples_of_the_headers() {
        // The examples of searches for special cases of a rule are in the file of the search.
        for folder in ["evidence/src/reduction/rules", "reduction/src/rules"] {
            for name in names() {
                let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
                let file = format!("{root}/{folder}/{}.rs", name.replace('-', "_"));
                let source = std::fs::read_to_string(&file).unwrap_or_default();
                if source.contains("//! ```text") {
                    example::check(name, &source);
                }
            }
        }
    }

    #[test]
    fn places_without_consumers_are_removed() {
        let net = "# deadlock\nplace p 1\nplace done\ntransition a: p -> 3*done";
        example::reduces("sink-places", net, "place p 1\ntransition a: p ->");
    }

    #[test]
    fn transitions_that_only_lose_tokens_are_removed() {
        let net = "# reachability over q\nplace p 1\nplace q\nplace r\n\
                   transition a: p -> q + r\ntransition b: q + 2*r -> q + r";
        let after = "place p 1\nplace q\nplace r\ntransition a: p -> q + r";
        example::reduces("lossy-transitions", net, after);
    }
}
