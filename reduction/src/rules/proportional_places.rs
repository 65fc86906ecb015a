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
//! [`MAX_COMPARED`] other places with this hash.

use crate::buckets::Buckets;
use crate::candidate;
use crate::hashes::scrambled;
use crate::journal::ChangedNodes;
use crate::search::CandidateSearch;
use parikh_evidence::reduction::rules::gcd_scaling::gcd;
use parikh_evidence::reduction::{Candidate, WorkNet};
use parikh_net::PlaceId;

/// Limit on the number of places with proportional changes that one place is compared with.
const MAX_COMPARED: usize = 16;

/// The search for places whose changes are proportional to those of another place.
pub(super) struct ProportionalPlaces {
    /// The places that the questions mention, which are never removed.
    protected_places: Vec<PlaceId>,
    /// Place ids by the hash of their changes Δ(·,p), divided by the greatest common divisor of the
    /// changes.
    by_changes: Buckets,
}

impl ProportionalPlaces {
    /// Creates the search. The places in `protected_places` are not removed.
    pub(super) fn new(protected_places: Vec<PlaceId>) -> Self {
        ProportionalPlaces { protected_places, by_changes: Buckets::default() }
    }
}

impl CandidateSearch for ProportionalPlaces {
    fn reset(&mut self) {
        self.by_changes = Buckets::default();
    }

    fn find(&mut self, net: &WorkNet, dirty: &ChangedNodes, candidates: &mut Vec<Candidate>) {
        for p in dirty.places_around(net) {
            let (divisor, hash) = divisor_and_hash(net, p);
            if divisor == 0 {
                continue;
            }
            let is_other = |id: usize| id != p.index() && net.has_place(PlaceId::new(id));
            for q in self.by_changes.ids(hash, MAX_COMPARED, is_other).into_iter().map(PlaceId::new)
            {
                // The place may have changed since its hash was stored.
                let (other_divisor, other_hash) = divisor_and_hash(net, q);
                if other_hash != hash {
                    continue;
                }
                let common_divisor = gcd(divisor, other_divisor);
                let (divisor_of_p, other_divisor) =
                    (divisor / common_divisor, other_divisor / common_divisor);
                let (Ok(divisor_of_p), Ok(other_divisor)) =
                    (u32::try_from(divisor_of_p), u32::try_from(other_divisor))
                else {
                    continue;
                };
                for (removed, removed_factor, remaining, kept_factor) in
                    [(p, other_divisor, q, divisor_of_p), (q, divisor_of_p, p, other_divisor)]
                {
                    if !self.protected_places.contains(&removed) && !net.in_support(removed) {
                        candidates.push(candidate::weighted(
                            [(removed, removed_factor), (remaining, kept_factor)],
                            [],
                        ));
                    }
                }
            }
            self.by_changes.insert(hash, p.index());
        }
    }
}

/// Returns the greatest common divisor of all changes at a place (0 without changes), and a hash of
/// the changes divided by it.
fn divisor_and_hash(net: &WorkNet, p: PlaceId) -> (u64, u64) {
    let adjacent = net.neighbours(p);
    let effects =
        || adjacent.iter().map(|&t| (t, net.effect(t, p))).filter(|&(_, change)| change != 0);
    let divisor = effects().fold(0, |divisor, (_, change)| gcd(divisor, change.unsigned_abs()));
    let hash = effects().fold(0u64, |sum, (t, change)| {
        // The divisor is not 0, because there is a change, and it is below 2⁶³.
        let scaled_change = change / divisor as i64;
        sum.wrapping_add(scrambled(t.index() as u64).wrapping_mul(scaled_change as u64))
    });
    (divisor, hash)
}
