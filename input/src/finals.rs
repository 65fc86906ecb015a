//! Final markings, in the format of tools for process mining (ProM, PM4Py):
//!
//! ```xml
//! <finalmarkings>
//!   <marking><place idref="end"><text>1</text></place></marking>
//! </finalmarkings>
//! ```
//!
//! A place without a number, or not named, has no tokens. The empty marking is a final marking like
//! any other, and answers about cases point it out. Equal final markings count once.
//!
//! Other tools write the final tokens into the places, beside the initial marking. The labels of
//! all places together make one final marking, which comes after those of `<finalmarkings>`. Such
//! tools write 0 where no final marking is meant. So if no label has a token, there is no such
//! marking:
//!
//! ```xml
//! <place id="end"><finalMarking><text>1</text></finalMarking></place>
//! ```

use super::error::InputError;
use super::graph::PnmlGraph;
use super::labels::PnmlLabel;
use super::xml::{XmlItem, XmlReader, digits};
use parikh_net::Marking;
use std::io::BufRead;

/// A final marking before resolution: pairs of a place id and the label with its number of tokens.
/// A place may be declared later in the file.
#[derive(Default)]
pub(super) struct FinalMarking(Vec<(String, PnmlLabel)>);

impl FinalMarking {
    /// Adds the tokens of a place.
    pub(super) fn add(&mut self, place: &str, tokens: PnmlLabel) {
        self.0.push((place.to_owned(), tokens));
    }
}

/// Reads the content of the element `<finalmarkings>` that was opened last.
pub(super) fn read(
    xml: &mut XmlReader<impl BufRead>,
    finals: &mut Vec<FinalMarking>,
) -> Result<(), InputError> {
    loop {
        match xml.markup()? {
            XmlItem::Open(tag) if tag.name() == "marking" => {
                tag.check_attributes()?;
                finals.push(FinalMarking(places(xml)?));
            }
            XmlItem::Open(tag) => {
                tag.check_passed_over(&[])?;
                xml.skip()?;
            }
            XmlItem::Close | XmlItem::EndOfFile => return Ok(()),
            XmlItem::Text(_) | XmlItem::Nothing => {}
        }
    }
}

fn places(xml: &mut XmlReader<impl BufRead>) -> Result<Vec<(String, PnmlLabel)>, InputError> {
    let mut places = Vec::new();
    loop {
        match xml.markup()? {
            XmlItem::Open(tag) if tag.name() == "place" => {
                let at = tag.position;
                tag.check_attributes()?;
                let [id] = tag.attributes(["idref"])?;
                let id = tag.required(id, "place", "idref")?;
                places.push((id, xml.label(at)?));
            }
            XmlItem::Open(tag) => {
                tag.check_passed_over(&[])?;
                xml.skip()?;
            }
            XmlItem::Close | XmlItem::EndOfFile => return Ok(places),
            XmlItem::Text(_) | XmlItem::Nothing => {}
        }
    }
}

/// Resolves the place ids of the markings, once all places are known and references are resolved.
/// The marking `in_places` from the labels of places comes last, unless it has no token. Equal
/// markings are returned once. Returns an error for an unknown place, for a label with
/// contradictory texts, or for an invalid number of tokens.
pub(super) fn resolve(
    finals: Vec<FinalMarking>,
    in_places: FinalMarking,
    graph: &PnmlGraph,
    file: &str,
) -> Result<Vec<Marking>, InputError> {
    let mut markings: Vec<Marking> = Vec::new();
    let section_count = finals.len();
    for (index, FinalMarking(places)) in finals.into_iter().chain([in_places]).enumerate() {
        let mut marking = Marking::empty(graph.builder.core.place_count());
        for (id, label) in places {
            let at = label.position;
            let Some(place) = graph.place_named(&id) else {
                let (node, target) = ("final marking".to_owned(), id);
                let at = at.of(file);
                return Err(InputError::UnknownReference { at, node, target, kind: "place" });
            };
            let owner = || format!("final marking of place `{id}`");
            if label.contradictory {
                let (at, owner) = (at.of(file), owner());
                return Err(InputError::Repeated { at, owner, label: "text" });
            }
            let number = match label.text.as_str() {
                _ if label.structured => None,
                "" => Some(0),
                text => digits(text),
            };
            let sum = number.and_then(|tokens: u64| marking[place].checked_add(tokens));
            marking[place] =
                sum.filter(|&tokens| tokens <= Marking::MAX_TOKENS).ok_or_else(|| {
                    let (at, found) = (at.of(file), label.text.clone());
                    InputError::BadNumber { at, owner: owner(), found, least: 0 }
                })?;
        }
        // The last marking comes from the labels of places. Without any token it means no marking.
        let is_absent = index == section_count && marking.total() == 0;
        if !is_absent && !markings.contains(&marking) {
            markings.push(marking);
        }
    }
    Ok(markings)
}
