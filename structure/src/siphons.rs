//! Siphons: an empty siphon stays empty, and every transition that takes from it stays dead.
//!
//! ```text
//! place p                      # p and q only feed each other: {p, q} is a siphon.
//! place q                      # It is empty initially, so neither place is ever marked,
//! place r 1                    # and neither transition ever fires.
//! transition a: p -> q
//! transition b: q + r -> p + r
//! ```

use super::closed::{ClosureKind, is_closed, largest};
use parikh_net::{Net, PlaceId, TransitionId};

/// Returns the largest siphon within `within`, ascending; possibly empty.
pub fn largest_siphon(net: &Net, within: &[PlaceId]) -> Vec<PlaceId> {
    largest(net, ClosureKind::Siphon, within)
}

/// Returns true if every transition that produces tokens in `set` consumes tokens from `set`.
pub fn is_siphon(net: &Net, set: &[PlaceId]) -> bool {
    is_closed(net, ClosureKind::Siphon, set)
}

/// Returns the largest initially empty siphon: its places are never marked.
pub fn unmarked_siphon(net: &Net) -> Vec<PlaceId> {
    let empty: Vec<PlaceId> = net.places().filter(|&p| net.initial()[p] == 0).collect();
    largest_siphon(net, &empty)
}

/// Returns the transitions that take from `unmarked`, an initially empty siphon, ascending. These
/// transitions never fire.
pub fn starved_by(net: &Net, unmarked: &[PlaceId]) -> Vec<TransitionId> {
    let consumers = unmarked.iter().flat_map(|&p| net.consumers(p));
    let mut starved: Vec<TransitionId> = consumers.map(|arc| arc.transition).collect();
    starved.sort_unstable();
    starved.dedup();
    starved
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    #[test]
    fn an_unmarked_siphon_starves_its_consumers() {
        let net = text::parse(
            "place p\nplace q\nplace r 1\ntransition a: p -> q\ntransition b: q + r -> p + r",
        )
        .unwrap();
        let siphon = unmarked_siphon(&net);
        assert_eq!(siphon, [0, 1].map(PlaceId::new));
        assert!(is_siphon(&net, &siphon));
        assert_eq!(starved_by(&net, &siphon), [0, 1].map(TransitionId::new));
    }

    #[test]
    fn a_source_transition_leaves_no_siphon_behind_it() {
        let net =
            text::parse("place p\nplace q\ntransition s: -> p\ntransition t: p -> q").unwrap();
        assert_eq!(unmarked_siphon(&net), []);
    }
}
