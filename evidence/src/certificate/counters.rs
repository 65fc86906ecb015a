//! Counters: places without output transitions that count the firings of some transitions.
//!
//! Some facts follow only from the number of firings and not from the tokens of the net's own
//! places: firings come in whole numbers, and a transition can fire only after another one. A
//! certificate may list sets of transitions. Then its lemmas are about the net with one more place
//! per set, initially empty, on which each transition of the set produces a token. No transition
//! consumes from a counter, so every firing sequence of the net is a firing sequence of the net
//! with counters. A predicate that no reachable marking of the net with counters satisfies is
//! therefore unreachable in the net, too.

use super::flaw::Flaw;
use parikh_net::{Net, NetBuilder, PlaceId, TransitionId};
use std::borrow::Cow;

/// Returns the net with one counter per set of transitions in `counters`. The counters follow the
/// net's own places, in the order of the list.
///
/// # Errors
/// When a transition does not exist, or the net becomes too large.
pub fn count<'n>(net: &'n Net, counters: &[Vec<TransitionId>]) -> Result<Cow<'n, Net>, Flaw> {
    if counters.is_empty() {
        return Ok(Cow::Borrowed(net));
    }
    let unknown = counters.iter().flatten().find(|t| t.index() >= net.transition_count());
    if let Some(&transition) = unknown {
        return Err(Flaw::NoSuchTransition(transition));
    }
    build(net, counters).map(Cow::Owned).map_err(|error| Flaw::TooLarge(error.to_string()))
}

/// Builds the net with one counter per set.
fn build(net: &Net, counters: &[Vec<TransitionId>]) -> Result<Net, parikh_net::BuildError> {
    let mut builder = NetBuilder::new(net.name());
    for place in net.places() {
        builder.place(net.place_name(place), net.initial()[place])?;
    }
    for transition in net.transitions() {
        builder.transition(net.transition_name(transition))?;
        for arc in net.pre(transition) {
            builder.take(transition, arc.place, arc.weight)?;
        }
        for arc in net.post(transition) {
            builder.put(transition, arc.place, arc.weight)?;
        }
    }
    // The names of counters depend only on the net and the number of sets, so the writer and the
    // reader of a certificate agree.
    let mut prefix = "firings".to_owned();
    while (0..counters.len()).any(|k| builder.node(&format!("{prefix}#{k}")).is_some()) {
        prefix.push('#');
    }
    for (k, counter) in counters.iter().enumerate() {
        let place: PlaceId = builder.place(&format!("{prefix}#{k}"), 0)?;
        let mut counted = counter.clone();
        counted.sort_unstable();
        counted.dedup();
        counted.into_iter().try_for_each(|transition| builder.put(transition, place, 1))?;
    }
    if let Some(units) = net.units() {
        builder.set_units(units.clone());
    }
    builder.build()
}
