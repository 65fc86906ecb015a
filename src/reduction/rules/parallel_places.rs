//! The search for candidates of [parallel places](parikh_evidence::reduction::rules::parallel_places).
//!
//! # Back-translation
//! None.
//!
//! # Cost
//! For a changed place, the other inputs of one of its consumers; each comparison reads both rows.

use crate::reduction::journal::Dirty;
use crate::reduction::search::Search;
use parikh_evidence::reduction::{Candidate, WorkNet};
use parikh_net::PlaceId;

/// A place with more consumers is not tried as the one that stays when it changes.
const MOST: usize = 16;

pub(super) struct ParallelPlaces;

impl Search for ParallelPlaces {
    fn find(&mut self, net: &WorkNet, dirty: &Dirty, candidates: &mut Vec<Candidate>) {
        let mut consider = |kept: PlaceId, p: PlaceId| {
            let may = kept != p
                && !net.in_support(p)
                && net.consumer_count(p) <= net.consumer_count(kept)
                && net.producer_count(kept) <= net.producer_count(p);
            if may {
                candidates.push(Candidate::places([kept, p]));
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

#[cfg(test)]
mod tests {
    use crate::reduction::example;
    use parikh_evidence::reduction::rules::parallel_places::NAME;

    #[test]
    fn the_place_with_more_tokens_goes() {
        example::reduces(
            NAME,
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
        example::reduces(NAME, net, net);
        let fed = net.replace("-> p + q\n             transition b", "-> p + 2*q\n transition b");
        let fed = fed.replace("transition c: p -> p + q", "transition c: p -> p + 2*q");
        example::reduces(NAME, &fed, result);
    }
}
