//! The search for candidates of [implicit
//! places](parikh_evidence::reduction::rules::implicit_places).
//!
//! # Back-translation
//! None.
//!
//! # Cost
//! For each place that changed or is next to a changed transition, a search of at most
//! [`MAX_INCREASES`] steps without backtracking. A transition that violates condition (2) or (3) of
//! the rule is repaired by increasing the multiplicity of one of its inputs. The check reads the
//! arcs of all places of the candidate.

use crate::candidate;
use crate::journal::ChangedNodes;
use crate::search::CandidateSearch;
use parikh_evidence::reduction::{Candidate, WorkNet};
use parikh_net::{PlaceId, TransitionId};
use std::collections::BTreeMap;

/// Limit on the number of increases of multiplicities in one search.
const MAX_INCREASES: usize = 16;

/// Limit on the number of arcs of a place, both for removed places and for places that imply them.
const MAX_ARCS_OF_PLACE: usize = 16;

/// The search for places that a sum of other places makes implicit.
pub(super) struct ImplicitPlaces;

impl CandidateSearch for ImplicitPlaces {
    fn find(&mut self, net: &WorkNet, dirty: &ChangedNodes, candidates: &mut Vec<Candidate>) {
        for p in dirty.places_around(net) {
            if !net.in_support(p) && net.consumer_count(p) > 0 && is_small(net, p) {
                candidates.extend(ImplicitPlaceSearch::new(net, p).run());
            }
        }
    }
}

/// Returns true if the place has at most [`MAX_ARCS_OF_PLACE`] arcs.
fn is_small(net: &WorkNet, p: PlaceId) -> bool {
    net.consumer_count(p) + net.producer_count(p) <= MAX_ARCS_OF_PLACE
}

/// The search for places that make `p` implicit.
struct ImplicitPlaceSearch<'n> {
    net: &'n WorkNet,
    /// The place to remove.
    p: PlaceId,
    /// The places that imply `p`. A place occurs as often as its multiplicity says.
    implying_places: Vec<PlaceId>,
    /// The margin m₀(p) − Σ y(q)·m₀(q), in tokens.
    initial_margin: i128,
    /// For each transition next to p or to an implying place q, two sums: Δ(t,p) − Σ y(q)·Δ(t,q),
    /// and Σ y(q)·pre(t,q).
    margins: BTreeMap<TransitionId, (i128, i128)>,
}

impl<'n> ImplicitPlaceSearch<'n> {
    fn new(net: &'n WorkNet, p: PlaceId) -> Self {
        let own_effect = |t: TransitionId| (t, (i128::from(net.effect(t, p)), 0));
        let margins = net.neighbours(p).into_iter().map(own_effect).collect();
        let initial_margin = i128::from(net.tokens(p));
        ImplicitPlaceSearch { net, p, implying_places: Vec::new(), initial_margin, margins }
    }

    /// Returns `p` together with places and multiplicities that make it implicit. Returns `None` if
    /// the search finds none.
    fn run(mut self) -> Option<Candidate> {
        for _ in 0..MAX_INCREASES {
            let Some((violated, by_effect)) = self.find_violation() else {
                self.implying_places.sort_unstable();
                let equal = self.implying_places.chunk_by(|a, b| a == b);
                let implying = equal.map(|equal| (equal[0], equal.len() as u32));
                return Some(candidate::weighted([(self.p, 1)].into_iter().chain(implying), []));
            };
            let q = self.best_input(violated, by_effect)?;
            self.increase(q);
        }
        None
    }

    /// Returns a transition that violates condition (2) or (3) of [implicit
    /// places](parikh_evidence::reduction::rules::implicit_places). The flag is true for condition
    /// (2), which is about effects, and false for condition (3), which is about tokens taken.
    /// Returns `None` if no transition violates either condition.
    fn find_violation(&self) -> Option<(TransitionId, bool)> {
        let by_effect = self.margins.iter().find(|(_, (effect_margin, _))| *effect_margin < 0);
        if let Some((&t, _)) = by_effect {
            return Some((t, true));
        }
        let is_short = |t: &TransitionId| {
            let tokens_taken = i128::from(self.net.pre_weight(*t, self.p));
            tokens_taken > 0
                && tokens_taken
                    > self.margins.get(t).map_or(0, |&(_, combined_need)| combined_need)
                        + self.initial_margin
        };
        self.net.consumers(self.p).find(is_short).map(|t| (t, false))
    }

    /// Returns the input place of `t` whose multiplicity should be increased. It is the input of
    /// which the fewest producers violate condition (2) of the rule after the increase, and among
    /// such inputs one with the fewest tokens. An input is usable if it is not `p` and has few
    /// arcs. If `by_effect`, a firing of `t` must also remove tokens from it. Returns `None` if no
    /// input is usable.
    fn best_input(&self, t: TransitionId, by_effect: bool) -> Option<PlaceId> {
        let net = self.net;
        let inputs = net.pre(t).iter().map(|arc| arc.place);
        let is_helpful = |q: &PlaceId| {
            *q != self.p && is_small(net, *q) && (!by_effect || net.effect(t, *q) < 0)
        };
        inputs.filter(is_helpful).min_by_key(|&q| {
            let becomes_negative = |u: &TransitionId| {
                let margin = self.margins.get(u).map_or(0, |&(margin, _)| margin);
                margin < i128::from(net.effect(*u, q))
            };
            (net.producers(q).filter(becomes_negative).count(), net.tokens(q), q)
        })
    }

    /// Increases the multiplicity of `q` by one.
    fn increase(&mut self, q: PlaceId) {
        self.implying_places.push(q);
        self.initial_margin -= i128::from(self.net.tokens(q));
        for t in self.net.neighbours(q) {
            let (effect_margin, combined_need) = self.margins.entry(t).or_default();
            *effect_margin -= i128::from(self.net.effect(t, q));
            *combined_need += i128::from(self.net.pre_weight(t, q));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::example;

    #[test]
    fn multiplicities_are_found_too() {
        let net = "# deadlock; reachability over q\nplace p 1\nplace q 0\nplace two 0\n\
                   transition a: p -> q + 2*two\ntransition b: q + 2*two -> p\n";
        let after = "place p 1\nplace q 0\ntransition a: p -> q\ntransition b: q -> p";
        example::reduces("implicit-places", net, after);
    }

    #[test]
    fn a_place_that_starts_with_less_than_the_others_stays() {
        let net = "# deadlock\nplace p\nplace q 1\nplace r 1\n\
                   transition a: p -> q + r\ntransition b: q + r -> p\n";
        // r makes q implicit; afterwards q makes no other place implicit.
        let after = "place p\nplace r 1\ntransition a: p -> r\ntransition b: r -> p";
        example::reduces("implicit-places", net, after);
        let fewer = net.replace("place r 1", "place r");
        // Now q has one token more than r: q is removed and r must stay.
        let after = "place p\nplace r\ntransition a: p -> r\ntransition b: r -> p";
        example::reduces("implicit-places", &fewer, after);
    }
}
