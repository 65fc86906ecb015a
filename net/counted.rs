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
//! The firing sequences are those of the original net, with the same names. So "t fires on some way
//! to the marking m", a property of firing sequences, becomes a property of markings: m with a
//! token on #t.

use crate::builder::{BuildError, NetBuilder};
use crate::id::PlaceId;
use crate::marking::Marking;
use crate::net::Net;

/// Returns the net with its firings counted: its places, then one place per transition in order,
/// named `#t` (with more `#` if that name is taken). The counters start at 0; in final markings
/// they are 0 and do not matter.
///
/// # Errors
/// If there are too many nodes.
pub fn counted(net: &Net) -> Result<Net, BuildError> {
    let mut builder = NetBuilder::of(net)?;
    for t in net.transitions() {
        let mut name = format!("#{}", net.transition_name(t));
        while builder.node(&name).is_some() {
            name.insert(0, '#');
        }
        let counter = builder.place(&name, 0)?;
        builder.put(t, counter, 1)?;
    }
    let finals = net.final_markings().iter().map(|marking| {
        let mut tokens = marking.tokens().to_vec();
        tokens.resize(net.place_count() + net.transition_count(), 0);
        Marking::new(tokens)
    });
    let finals = finals.collect();
    Ok(builder.build()?.with_final_markings(finals))
}

/// Returns the net with one more transition, the last one, which takes `last` and puts the initial
/// marking.
///
/// # Errors
/// If there are too many nodes.
pub fn closed(net: &Net, last: &Marking) -> Result<Net, BuildError> {
    let mut builder = NetBuilder::of(net)?;
    let mut name = "again".to_owned();
    while builder.node(&name).is_some() {
        name.push('\'');
    }
    let again = builder.transition(&name)?;
    last.marked().try_for_each(|(place, tokens)| builder.take(again, place, tokens))?;
    net.initial().marked().try_for_each(|(place, tokens)| builder.put(again, place, tokens))?;
    builder.build()
}

/// Returns the places of a [`counted`] net that belong to the original net, given the number of
/// transitions.
pub fn uncounted_places(net: &Net) -> impl Iterator<Item = PlaceId> + use<> {
    (0..net.place_count() - net.transition_count().min(net.place_count())).map(PlaceId::new)
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
        let counted = counted(&net).unwrap();
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
    fn what_is_done_begins_anew() {
        let net = text::parse("place a 2\nplace b\ntransition again: 2*a -> 3*b").unwrap();
        let closed = closed(&net, &Marking::new(vec![0, 3])).unwrap();
        let mut marking = closed.initial().clone();
        for name in ["again", "again'", "again"] {
            closed.fire(&mut marking, closed.transition_named(name).unwrap()).unwrap();
        }
        assert_eq!(marking.tokens(), [0, 3]);
    }
}
