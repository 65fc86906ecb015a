//! Final markings: the markings in which a run of the model may end. Tools for process mining write
//! them into the net, in an element of their own:
//!
//! ```xml
//! <finalmarkings><marking><place idref="end"><text>1</text></place></marking></finalmarkings>
//! ```
//!
//! Each `marking` is a final marking. A place that is not named has no tokens, and the numbers of a
//! place named twice are added. A marking may be empty, and equal markings count once.
//!
//! Other tools write `<finalMarking><text>1</text></finalMarking>` into places, beside the initial
//! marking. All places together make one final marking, which comes after the others. It is ignored
//! if it has no token.

use super::references::resolve;
use super::{Unreadable, attribute, elements, name, number_in_text, unknown_element};
use parikh_net::builder::NetNode;
use parikh_net::printable::Quoted;
use parikh_net::{Marking, NetBuilder};
use roxmltree::Node;
use std::collections::HashMap;

/// The largest number of token counts in the final markings of the sections: the number of markings
/// times the number of places.
const MAX_TOKEN_ENTRIES: usize = 1 << 24;

/// Reads the tokens in the `finalMarking` of each of these places, with 0 for a place without this
/// label. Returns `None` if no place has the label.
pub(super) fn final_marking_of_places(
    places: &[Node<'_, '_>],
) -> Result<Option<Vec<u64>>, Unreadable> {
    let (mut tokens_by_place, mut has_label) = (Vec::new(), false);
    for &place in places {
        let mut tokens = None;
        for label in elements(place).filter(|inside| name(*inside) == "finalMarking") {
            if tokens.replace(number_in_text(label, 0)?).is_some() {
                return Err(Unreadable::at(label, "a second `finalMarking`"));
            }
        }
        has_label |= tokens.is_some();
        tokens_by_place.push(tokens.unwrap_or(0));
    }
    Ok(has_label.then_some(tokens_by_place))
}

/// Reads the final markings in the sections, over the places of `builder`. The marking
/// `marking_in_places` from the labels of places comes last, unless it has no token or is already
/// listed. `references` are the reference nodes of the net.
pub(super) fn read<'a>(
    sections: &[Node<'a, '_>],
    marking_in_places: Option<Vec<u64>>,
    builder: &NetBuilder,
    references: &HashMap<&'a str, &'a str>,
) -> Result<Vec<Marking>, Unreadable> {
    let mut finals: Vec<Marking> = Vec::new();
    let mut entry_count = 0;
    for section in sections {
        for node in elements(*section) {
            if name(node) != "marking" {
                return Err(unknown_element(node, *section));
            }
            entry_count += builder.place_count();
            if entry_count > MAX_TOKEN_ENTRIES {
                let what = format!("the final markings have more than {MAX_TOKEN_ENTRIES} numbers");
                return Err(Unreadable::at(node, what));
            }
            let mut tokens = vec![0u64; builder.place_count()];
            for place in elements(node) {
                if name(place) != "place" {
                    return Err(unknown_element(place, node));
                }
                let id = resolve(place, attribute(place, "idref")?, references)?;
                let Some(NetNode::Place(p)) = builder.node(id) else {
                    return Err(Unreadable::at(
                        place,
                        format!("the net has no place {}", Quoted(id)),
                    ));
                };
                let sum = tokens[p.index()].checked_add(number_in_text(place, 0)?);
                let sum = sum.filter(|&sum| sum <= Marking::MAX_TOKENS);
                tokens[p.index()] =
                    sum.ok_or_else(|| Unreadable::at(place, "more than 2^63 - 1 tokens"))?;
            }
            let marking = Marking::new(tokens);
            if !finals.contains(&marking) {
                finals.push(marking);
            }
        }
    }
    if let Some(marking) = marking_in_places.map(Marking::new)
        && marking.total() > 0
        && !finals.contains(&marking)
    {
        finals.push(marking);
    }
    Ok(finals)
}
