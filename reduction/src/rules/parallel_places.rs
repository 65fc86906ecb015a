//! The search for parallel places, a case of [implicit
//! places](parikh_evidence::reduction::rules::implicit_places): one of two places never has fewer
//! tokens, up to a factor, than the other.
//!
//! ```text
//! # deadlock
//! place p 1
//! place slow 1
//! place fast 3
//! place q
//! transition a: p -> slow + 2*fast + q
//! transition b: slow + 2*fast -> p
//! transition c: fast ->
//! transition d: slow -> fast
//! # becomes
//! place p 1
//! place slow 1
//! place fast 3
//! place q
//! transition a: p -> slow + 2*fast + q
//! transition b: slow + 2*fast -> p
//! transition c: fast ->
//! transition d: slow -> fast
//! ```
//!
//! Nothing is removed here, because c takes from fast alone. Without c, fast would hold at least
//! twice as much as slow and would be removed.
//!
//! # Back-translation
//! None.
//!
//! # Cost
//! For a changed place, the other inputs of its consumers; each comparison reads the arcs of both
//! places.

use crate::candidate;
use crate::journal::ChangedNodes;
use crate::search::CandidateSearch;
use parikh_evidence::reduction::rules::gcd_scaling::gcd;
use parikh_evidence::reduction::{Candidate, WorkNet};
use parikh_net::{PlaceId, TransitionId};

/// Limit on the number of consumers of a changed place that is tried as the place to keep. As the
/// place to remove, only this many of its consumers are searched for the one with the fewest
/// inputs.
const MAX_CONSUMERS: usize = 16;

/// The search for places that one other place makes implicit.
pub(super) struct ParallelPlaces;

impl CandidateSearch for ParallelPlaces {
    fn find(&mut self, net: &WorkNet, dirty: &ChangedNodes, candidates: &mut Vec<Candidate>) {
        let mut consider = |kept: PlaceId, p: PlaceId| {
            let is_possible = kept != p
                && !net.in_support(p)
                && net.consumer_count(p) <= net.consumer_count(kept)
                && net.producer_count(kept) <= net.producer_count(p);
            if is_possible && let Some((k, y)) = implicit_multiplicities(net, kept, p) {
                candidates.push(candidate::weighted([(p, k), (kept, y)], []));
            }
        };
        for p in dirty.places_around(net) {
            let narrowest = net.consumers(p).take(MAX_CONSUMERS).min_by_key(|&t| net.pre(t).len());
            let Some(narrowest) = narrowest else { continue };
            net.pre(narrowest).iter().for_each(|arc| consider(arc.place, p));
            if net.consumer_count(p) <= MAX_CONSUMERS {
                let mut neighbours: Vec<PlaceId> =
                    net.consumers(p).flat_map(|t| net.pre(t)).map(|arc| arc.place).collect();
                neighbours.sort_unstable();
                neighbours.dedup();
                neighbours.into_iter().for_each(|neighbour| consider(p, neighbour));
            }
        }
    }
}

/// Returns multiplicities, of p and of `kept`, with which `kept` makes p implicit. Let d be the
/// largest pre(t,p) / pre(t,kept) over the transitions t that take from p, all of which must take
/// from kept. The conditions are post(t,p) ≥ d·post(t,kept) for every t, and m₀(p) ≥ d·m₀(kept).
/// Returns `None` if a condition is violated, a multiplicity is too large, or no transition takes
/// from p.
fn implicit_multiplicities(net: &WorkNet, kept: PlaceId, p: PlaceId) -> Option<(u32, u32)> {
    let product = |a: u64, b: u64| u128::from(a) * u128::from(b);
    // The fraction d as (numerator, denominator).
    let mut max_ratio: Option<(u64, u64)> = None;
    for t in net.consumers(p) {
        let (weight, kept_weight) = (net.pre_weight(t, p), net.pre_weight(t, kept));
        if kept_weight == 0 {
            return None;
        }
        if max_ratio.is_none_or(|max_ratio| {
            product(weight, max_ratio.1) > product(max_ratio.0, kept_weight)
        }) {
            max_ratio = Some((weight, kept_weight));
        }
    }
    let (numerator, denominator) = max_ratio?;
    let is_at_least = |weight: u64, kept_weight: u64| {
        product(weight, denominator) >= product(kept_weight, numerator)
    };
    let is_fed_enough =
        |t: TransitionId| is_at_least(net.post_weight(t, p), net.post_weight(t, kept));
    if !net.producers(kept).all(is_fed_enough) || !is_at_least(net.tokens(p), net.tokens(kept)) {
        return None;
    }
    let divisor = gcd(numerator, denominator);
    let to_small = |number: u64| u32::try_from(number / divisor).ok();
    Some((to_small(denominator)?, to_small(numerator)?))
}

#[cfg(test)]
mod tests {
    use crate::example;

    #[test]
    fn the_place_with_more_tokens_is_removed() {
        example::reduces(
            "parallel-places",
            "# deadlock
             place p 1
             place q 2
             place r
             transition a: p + q -> r
             transition b: r -> p + q",
            "place p 1
             place r
             transition a: p -> r
             transition b: r -> p",
        );
    }

    #[test]
    fn the_largest_ratio_of_a_consumer_decides() {
        let net = "# deadlock
             place p 1
             place q 2
             transition a: p + 2*q -> p + q
             transition b: p + q -> p + 2*q
             transition c: p -> p + q";
        let result = "place p 1
             transition a: p -> p
             transition b: p -> p
             transition c: p -> p";
        // post(a,q) = 1 < 2·post(a,p).
        example::reduces("parallel-places", net, net);
        let fed = net.replace("-> p + q\n             transition b", "-> p + 2*q\n transition b");
        let fed = fed.replace("transition c: p -> p + q", "transition c: p -> p + 2*q");
        example::reduces("parallel-places", &fed, result);
    }
}
