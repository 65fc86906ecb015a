//! The search for places whose changes are proportional to those of another place, a case of
//! [redundant places](parikh_evidence::reduction::rules::redundant_places).
//!
//! ```text
//! # markings
//! place p 1
//! place q
//! place pair 3
//! transition a: p -> q + 2*pair
//! transition b: q + 2*pair -> p
//! # becomes
//! place p 1
//! place q
//! transition a: p -> q
//! transition b: q -> p
//! ```
//!
//! # Back-translation
//! None.
//!
//! # Cost
//! For each changed place, a hash of its changes divided by their gcd, and comparisons with at most
//! [`MOST`] other places with this hash.

use crate::buckets::Buckets;
use crate::candidate;
use crate::hashes::scrambled;
use crate::journal::ChangedNodes;
use crate::search::CandidateSearch;
use parikh_evidence::reduction::rules::gcd_scaling::gcd;
use parikh_evidence::reduction::{Candidate, WorkNet};
use parikh_net::PlaceId;

/// Limit on the places with the same proportion that a place is compared with.
const MOST: usize = 16;

pub(super) struct ProportionalPlaces {
    kept: Vec<PlaceId>,
    by_changes: Buckets,
}

impl ProportionalPlaces {
    /// Creates the search; the places in `kept` are not removed.
    pub(super) fn new(kept: Vec<PlaceId>) -> Self {
        ProportionalPlaces { kept, by_changes: Buckets::default() }
    }
}

impl CandidateSearch for ProportionalPlaces {
    fn forget(&mut self) {
        self.by_changes = Buckets::default();
    }

    fn find(&mut self, net: &WorkNet, dirty: &ChangedNodes, candidates: &mut Vec<Candidate>) {
        for p in dirty.places_around(net) {
            let (divisor, hash) = changes(net, p);
            if divisor == 0 {
                continue;
            }
            let other = |id: usize| id != p.index() && net.has_place(PlaceId::new(id));
            for q in self.by_changes.of(hash, MOST, other).into_iter().map(PlaceId::new) {
                // The place may have changed since its hash was stored.
                let (theirs, same) = changes(net, q);
                if same != hash {
                    continue;
                }
                let common = gcd(divisor, theirs);
                let (mine, theirs) = (divisor / common, theirs / common);
                let (Ok(mine), Ok(theirs)) = (u32::try_from(mine), u32::try_from(theirs)) else {
                    continue;
                };
                for (goes, k, stays, y) in [(p, theirs, q, mine), (q, mine, p, theirs)] {
                    if !self.kept.contains(&goes) && !net.in_support(goes) {
                        candidates.push(candidate::weighted([(goes, k), (stays, y)], []));
                    }
                }
            }
            self.by_changes.insert(hash, p.index());
        }
    }
}

/// Returns the greatest common divisor of all changes at a place (0 without changes), and a hash of
/// the changes divided by it.
fn changes(net: &WorkNet, p: PlaceId) -> (u64, u64) {
    let around = net.neighbours(p);
    let effects =
        || around.iter().map(|&t| (t, net.effect(t, p))).filter(|&(_, change)| change != 0);
    let divisor = effects().fold(0, |divisor, (_, change)| gcd(divisor, change.unsigned_abs()));
    let hash = effects().fold(0u64, |sum, (t, change)| {
        // The divisor is not 0, because there is a change, and it is below 2⁶³.
        let share = change / divisor as i64;
        sum.wrapping_add(scrambled(t.index() as u64).wrapping_mul(share as u64))
    });
    (divisor, hash)
}
