//! Nets derived from a net and a marking: with a transition back to the initial marking, or with
//! firings counted.
//!
//! To count firings, the derived net gets one place per transition, which gains a token at each
//! firing and never loses one.
//!
//! ```text
//! transition t: a -> b        ⇒        place #t      transition t: a -> b + #t
//! ```
//!
//! The firing sequences are those of the original net, with the same names. So "some firing
//! sequence to the marking m fires t" becomes a property of markings: m with a token on #t.

use crate::builder::{BuildError, NetBuilder};
use crate::id::{PlaceId, TransitionId};
use crate::marking::Marking;
use crate::net::Net;

/// Returns the net with a counter for each transition: a place whose tokens are the number of
/// firings of the transition. The counters come after all places of `net`, in the order of the
/// transitions. They are called `#t`, with more `#` if a node has that name.
///
/// Initial and final markings are those of `net`, with 0 tokens on all counters. A comparison with
/// a final marking must ignore the counters, because a run that reaches it has raised them.
///
/// A net that represents a model with inhibitor or reset arcs keeps its translation. It has one
/// counter per transition of the model: all copies of a transition produce a token on the same
/// counter.
///
/// # Errors
/// If there are too many nodes or arcs, or the names need too much memory.
pub fn with_counters(net: &Net) -> Result<Net, BuildError> {
    let mut builder = NetBuilder::of(net)?;
    for (index, copies) in net.model_transitions().enumerate() {
        let transition_id = match net.translation() {
            Some(translation) => translation.transition_name(TransitionId::new(index)),
            None => net.transition_name(TransitionId::new(index)),
        };
        let mut name = format!("#{transition_id}");
        while builder.node(&name).is_some() {
            name.insert(0, '#');
        }
        let counter = builder.place(&name, 0)?;
        copies.into_iter().try_for_each(|copy| builder.put(copy, counter, 1))?;
    }
    if let Some(translation) = net.translation() {
        builder.set_translation(translation.clone());
    }
    let counted = builder.build()?;
    let places = counted.place_count();
    let finals = net.final_markings().iter().map(|marking| marking.padded(places)).collect();
    Ok(counted.with_final_markings(finals))
}

/// Returns the net with a transition that restarts it. The new transition comes last. It consumes
/// the tokens of the marking `last`, and produces the tokens of the initial marking. It is called
/// `again`, with `'` appended as long as a node has that name.
///
/// # Errors
/// If there are too many nodes or arcs, or the names need too much memory.
pub fn with_restart(net: &Net, last: &Marking) -> Result<Net, BuildError> {
    let mut builder = NetBuilder::of(net)?;
    let mut name = "again".to_owned();
    while builder.node(&name).is_some() {
        name.push('\'');
    }
    let restart = builder.transition(&name)?;
    last.marked().try_for_each(|(place, tokens)| builder.take(restart, place, tokens))?;
    net.initial().marked().try_for_each(|(place, tokens)| builder.put(restart, place, tokens))?;
    builder.build()
}

/// Returns the counters of a net made by [`with_counters`], one for each transition of the model,
/// in order.
pub fn counters(net: &Net) -> impl Iterator<Item = PlaceId> + use<> {
    let transitions = net.model_transitions().count();
    (net.place_count().saturating_sub(transitions)..net.place_count()).map(PlaceId::new)
}

/// Returns the places of a net made by [`with_counters`] that are places of the model. Counters and
/// places that a translation added are left out.
pub fn uncounted_places(net: &Net) -> impl Iterator<Item = PlaceId> + use<> {
    let transitions = net.model_transitions().count();
    let uncounted = net.place_count().saturating_sub(transitions);
    (0..uncounted.min(net.model_places().len())).map(PlaceId::new)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text;

    #[test]
    fn every_firing_adds_a_token_to_a_place_of_its_own() {
        let net =
            text::parse("place a 2\nplace \"#t\"\ntransition t: a -> \"#t\"\ntransition u: a -> a");
        let net = net.unwrap().with_final_markings(vec![Marking::new(vec![0, 2])]);
        let counted = with_counters(&net).unwrap();
        let mut marking = counted.initial().clone();
        for name in ["t", "u", "u", "t"] {
            counted.fire(&mut marking, counted.transition_named(name).unwrap()).unwrap();
        }
        assert_eq!(marking.tokens(), [0, 2, 2, 2]);
        assert_eq!(counted.place_name(PlaceId::new(2)), "##t");
        assert_eq!(counted.final_markings()[0].tokens(), [0, 2, 0, 0]);
        assert_eq!(uncounted_places(&counted).count(), 2);
    }

    #[test]
    fn the_restart_transition_restores_the_initial_marking() {
        let net = text::parse("place a 2\nplace b\ntransition again: 2*a -> 3*b").unwrap();
        let closed = with_restart(&net, &Marking::new(vec![0, 3])).unwrap();
        let mut marking = closed.initial().clone();
        for name in ["again", "again'", "again"] {
            closed.fire(&mut marking, closed.transition_named(name).unwrap()).unwrap();
        }
        assert_eq!(marking.tokens(), [0, 3]);
    }
}
