//! The searches of the rules, one per file, and the table of all rules.
//!
//! What a rule's candidates are and when they may be applied stands with its conditions in
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
use super::search::{ChangedPlaces, ChangedTransitions, PlacesAround, Rule, Search};
use parikh_evidence::reduction::{Conditions, WorkNet};

pub use parikh_evidence::reduction::rules::{ALL, named};
use parikh_net::{PlaceId, TransitionId};

/// Caps on what a single application may add.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The most transitions that an n × m agglomeration with n, m > 1 makes. Default 32.
    pub product: usize,
    /// The most arcs that an agglomeration may add to those it removes. Default 64.
    pub more_arcs: usize,
    /// Places that stay although others tell what they hold. Default none.
    pub kept: Vec<PlaceId>,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { product: 32, more_arcs: 64, kept: Vec::new() }
    }
}

/// The names of all searches. Some have the conditions of a rule in common.
pub fn names() -> impl Iterator<Item = &'static str> {
    all(&Limits::default()).into_iter().map(|rule| rule.name)
}

/// The searches by what they do to a net, for those who compare: dead nodes go; so does what the
/// goals do not depend on; places, and transitions, that others make superfluous; places become
/// one; firings become one.
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

/// What a name stands for: a search, those of a family, or `all` of them.
///
/// # Errors
/// With the names there are, where there is none like it.
pub fn called(name: &str) -> Result<Vec<&'static str>, String> {
    if name == "all" {
        return Ok(names().collect());
    }
    if let Some((_, members)) = FAMILIES.iter().find(|(family, _)| *family == name) {
        return Ok(members.to_vec());
    }
    let families: Vec<&str> = FAMILIES.iter().map(|(family, _)| *family).collect();
    let one = names().find(|own| *own == name).map(|own| vec![own]);
    one.ok_or_else(|| {
        let rules: Vec<&str> = names().collect();
        let (families, rules) = (families.join(", "), rules.join(", "));
        format!("there are the families {families}, all of them as `all`, and the rules {rules}")
    })
}

/// The rule whose conditions the candidates of a search are held against.
pub fn rule_of(search: &str) -> Option<&'static Conditions> {
    let searches = all(&Limits::default()).into_iter();
    searches
        .map(|rule| (rule.name, rule.conditions))
        .find(|(name, _)| *name == search)
        .map(|it| it.1)
}

/// All searches in the order they run within their phase: each with the rule for whose candidates
/// it looks.
pub(super) fn all(limits: &Limits) -> Vec<Rule> {
    let kept = &limits.kept;
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
    let table: Vec<(&str, &str, Phase, Box<dyn Search>)> = vec![
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
        ("constant-places", "constant-places", Cheap, Box::new(PlacesAround(balanced))),
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
            Box::new(proportional_places::ProportionalPlaces::new(kept.clone())),
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
                kept.clone(),
            )),
        ),
    ];
    // That each second name is one of the rules' is tested.
    let rule = |(name, conditions, phase, search)| {
        Some(Rule { name, conditions: named(conditions)?, phase, search })
    };
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
    fn every_rule_has_a_search_and_every_search_a_rule_and_a_name() {
        let searches = all(&Limits::default());
        for rule in ALL {
            assert!(searches.iter().any(|search| search.conditions.name == rule.name));
        }
        let mut names: Vec<_> = super::names().collect();
        assert_eq!(names.len(), 29, "one for each line of the table");
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 29);
    }

    #[test]
    fn every_search_is_in_one_family() {
        let mut members: Vec<_> = FAMILIES.iter().flat_map(|(_, members)| *members).collect();
        let mut names: Vec<_> = super::names().collect();
        members.sort_unstable();
        names.sort_unstable();
        assert_eq!(members, names.iter().collect::<Vec<_>>());
        assert_eq!(called("all").unwrap().len(), names.len());
        assert_eq!(called("dead").unwrap(), ["dead-transitions", "unmarkable-presets"]);
        assert_eq!(called("gcd-scaling").unwrap(), ["gcd-scaling"]);
        assert!(called("deaf").unwrap_err().contains("dead, irrelevant, places"));
    }

    #[test]
    fn the_examples_of_the_headers() {
        // Those of searches for an instance of a rule stand with the search.
        for folder in ["evidence/reduction/rules", "src/reduction/rules"] {
            for name in names() {
                let root = env!("CARGO_MANIFEST_DIR");
                let file = format!("{root}/{folder}/{}.rs", name.replace('-', "_"));
                let source = std::fs::read_to_string(&file).unwrap_or_default();
                if source.contains("//! ```text") {
                    example::check(name, &source);
                }
            }
        }
    }

    #[test]
    fn places_from_which_nobody_takes_go() {
        let net = "# deadlock\nplace p 1\nplace done\ntransition a: p -> 3*done";
        example::reduces("sink-places", net, "place p 1\ntransition a: p ->");
    }

    #[test]
    fn transitions_that_only_lose_tokens_go() {
        let net = "# reachability over q\nplace p 1\nplace q\nplace r\n\
                   transition a: p -> q + r\ntransition b: q + 2*r -> q + r";
        let after = "place p 1\nplace q\nplace r\ntransition a: p -> q + r";
        example::reduces("lossy-transitions", net, after);
    }
}
