//! The search for parallel places, a case of [implicit
//! places](parikh_evidence::reduction::rules::implicit_places): of two places, p never has fewer
//! tokens (up to a factor) than the other.
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
//! For a changed place, the other inputs of one of its consumers; each comparison reads both rows.

use crate::candidate;
use crate::journal::ChangedNodes;
use crate::search::CandidateSearch;
use parikh_evidence::reduction::rules::gcd_scaling::gcd;
use parikh_evidence::reduction::{Candidate, WorkNet};
use parikh_net::{PlaceId, TransitionId};

/// Limit on the consumers of a changed place that is tried as the place to keep.
const MOST: usize = 16;

pub(super) struct ParallelPlaces;

impl CandidateSearch for ParallelPlaces {
    fn find(&mut self, net: &WorkNet, dirty: &ChangedNodes, candidates: &mut Vec<Candidate>) {
        let mut consider = |kept: PlaceId, p: PlaceId| {
            let may = kept != p
                && !net.in_support(p)
                && net.consumer_count(p) <= net.consumer_count(kept)
                && net.producer_count(kept) <= net.producer_count(p);
            if may && let Some((k, y)) = multiplicities(net, kept, p) {
                candidates.push(candidate::weighted([(p, k), (kept, y)], []));
            }
        };
        for p in dirty.places_around(net) {
            let narrow = net.consumers(p).take(MOST).min_by_key(|&t| net.pre(t).len());
            let Some(narrow) = narrow else { continue };
            net.pre(narrow).iter().for_each(|arc| consider(arc.place, p));
            if net.consumer_count(p) <= MOST {
                let mut others: Vec<PlaceId> =
                    net.consumers(p).flat_map(|t| net.pre(t)).map(|arc| arc.place).collect();
                others.sort_unstable();
                others.dedup();
                others.into_iter().for_each(|other| consider(p, other));
            }
        }
    }
}

/// Returns multiplicities with which `kept` makes p implicit. Let d be the largest pre(t,p) /
/// pre(t,kept) over the transitions t that take from p, all of which must take from kept. The
/// conditions are post(t,p) ≥ d·post(t,kept) for every t, and m₀(p) ≥ d·m₀(kept).
fn multiplicities(net: &WorkNet, kept: PlaceId, p: PlaceId) -> Option<(u32, u32)> {
    let product = |a: u64, b: u64| u128::from(a) * u128::from(b);
    // The fraction d as (numerator, denominator).
    let mut d: Option<(u64, u64)> = None;
    for t in net.consumers(p) {
        let (mine, theirs) = (net.pre_weight(t, p), net.pre_weight(t, kept));
        if theirs == 0 {
            return None;
        }
        if d.is_none_or(|d| product(mine, d.1) > product(d.0, theirs)) {
            d = Some((mine, theirs));
        }
    }
    let (numerator, denominator) = d?;
    let enough = |mine: u64, theirs: u64| product(mine, denominator) >= product(theirs, numerator);
    let fed = |t: TransitionId| enough(net.post_weight(t, p), net.post_weight(t, kept));
    if !net.producers(kept).all(fed) || !enough(net.tokens(p), net.tokens(kept)) {
        return None;
    }
    let divisor = gcd(numerator, denominator);
    let small = |number: u64| u32::try_from(number / divisor).ok();
    Some((small(denominator)?, small(numerator)?))
}

#[cfg(test)]
mod tests {
    use crate::example;

    #[test]
    fn the_place_with_more_tokens_goes() {
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
    fn the_ratio_of_the_hungriest_consumer_counts() {
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
