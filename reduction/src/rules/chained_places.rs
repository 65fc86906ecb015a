//! The search for candidates of [chained
//! places](parikh_evidence::reduction::rules::chained_places).
//!
//! # Back-translation
//! None is needed: firing sequences are not translated through reductions that preserve every
//! marking.
//!
//! # Cost
//! Linear in the changes.

use crate::candidate;
use crate::journal::ChangedNodes;
use crate::search::CandidateSearch;
use parikh_evidence::reduction::rules::fused_cycles::move_of;
use parikh_evidence::reduction::{Candidate, WorkNet};

/// The search for chained places: the only producer of a place without initial tokens moves one
/// token to it from another place and does nothing else.
pub(super) struct ChainedPlaces;

impl CandidateSearch for ChainedPlaces {
    fn find(&mut self, net: &WorkNet, dirty: &ChangedNodes, candidates: &mut Vec<Candidate>) {
        let fed_once = dirty.places_around(net).into_iter().filter(|&q| net.producer_count(q) == 1);
        for t in fed_once.flat_map(|q| net.producers(q)) {
            let Some((p, q)) = move_of(net, t) else { continue };
            if p != q && net.producer_count(q) == 1 && net.tokens(q) == 0 {
                candidates.push(candidate::weighted([(p, 1), (q, 1)], [t]));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::example;

    #[test]
    fn a_place_that_is_read_is_not_merged() {
        let net = "# markings\nplace p 1\nplace q\nplace r 1\n\
                   transition t: p -> q\ntransition u: q + r -> q";
        let same = net.lines().skip(1).collect::<Vec<_>>().join("\n");
        example::reduces("chained-places", net, &same);
    }
}
