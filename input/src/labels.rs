//! The labels of PNML nodes and arcs. The standard has `<initialMarking><text>3</text>…`. Older
//! tools write `<value>` for `<text>`, or the number without an element around it. Graphics and
//! tool data may come before or after the number.

use super::error::InputError;
use super::source::TextPosition;
use super::timing::is_timing_element;
use super::xml::{XmlItem, XmlReader, trimmed};
use std::io::BufRead;

/// The kinds of child elements of nodes and arcs.
pub(super) enum PnmlChild {
    Name,
    InitialMarking,
    /// The tokens of a place in a final marking.
    FinalMarking,
    Inscription,
    Capacity,
    /// The element `type` or `arctype`: the sort of a place, or the kind of an arc. Contains the
    /// attribute `value`; `None` if the element has no such attribute.
    Type(Option<String>),
    Condition,
    /// An element with a time, a priority or a rate. Contains its name, and the names and values of
    /// its attributes.
    Timing(String, Vec<(String, String)>),
    /// The player who owns a transition, in games of TAPAAL.
    Player,
    /// The element `toolspecific`, with the names and values of its attributes.
    ToolSpecific(Vec<(String, String)>),
    /// PIPE's element `tagged`. It says that a place holds the token to follow through the net, or
    /// that an arc moves only this token.
    Tagged,
    /// The initial marking of a place, or the inscription of an arc, as in coloured nets
    /// (`hlinitialMarking`, `hlinscription`).
    Coloured,
    /// Another child, such as graphics, which the caller skips.
    Other,
}

/// The content of a label.
pub(super) struct PnmlLabel {
    pub(super) position: TextPosition,
    /// The text without surrounding blanks.
    pub(super) text: String,
    /// True if the label has a `<structure>`, as in coloured nets, or another element that may have
    /// a meaning.
    pub(super) structured: bool,
    /// True if the label has several different texts, or elements split its text.
    pub(super) contradictory: bool,
}

impl PnmlLabel {
    pub(super) fn has_content(&self) -> bool {
        self.structured || !self.text.is_empty()
    }
}

impl<R: BufRead> XmlReader<R> {
    /// Returns the next child of the current element with its position. The caller reads or skips
    /// the child. Returns `None` when the element ends. The children are those named in `handled`,
    /// names, graphics and tool data, and times and priorities unless `handled` is empty. Elements
    /// in `meaningless` are skipped, and all other elements are an error.
    pub(super) fn child(
        &mut self,
        handled: &[&str],
        meaningless: &[&str],
    ) -> Result<Option<(PnmlChild, TextPosition)>, InputError> {
        loop {
            let tag = match self.markup()? {
                XmlItem::Open(tag) => tag,
                XmlItem::Close | XmlItem::EndOfFile => return Ok(None),
                XmlItem::Text(_) | XmlItem::Nothing => continue,
            };
            match tag.name() {
                "rate" if handled.contains(&"rate") => {
                    let timing = PnmlChild::Timing(tag.name().to_owned(), tag.all_attributes()?);
                    return Ok(Some((timing, tag.position)));
                }
                known if handled.contains(&known) => tag.check_attributes()?,
                word if !handled.is_empty() && is_timing_element(word) => {
                    let timing = PnmlChild::Timing(tag.name().to_owned(), tag.all_attributes()?);
                    return Ok(Some((timing, tag.position)));
                }
                // Every node and arc may contain the data of tools.
                "toolspecific" => {
                    let attributes = tag.all_attributes()?;
                    return Ok(Some((PnmlChild::ToolSpecific(attributes), tag.position)));
                }
                "name" | "graphics" => {}
                _ => {
                    tag.check_passed_over(meaningless)?;
                    self.skip()?;
                    continue;
                }
            }
            let child = match tag.name() {
                other if !handled.contains(&other) => PnmlChild::Other,
                "name" => PnmlChild::Name,
                "initialMarking" => PnmlChild::InitialMarking,
                "finalMarking" => PnmlChild::FinalMarking,
                "inscription" => PnmlChild::Inscription,
                "capacity" => PnmlChild::Capacity,
                "type" | "arctype" => {
                    let [value] = tag.attributes(["value"])?;
                    PnmlChild::Type(value)
                }
                "condition" => PnmlChild::Condition,
                "player" => PnmlChild::Player,
                "tagged" => PnmlChild::Tagged,
                "hlinitialMarking" | "hlinscription" => PnmlChild::Coloured,
                _ => PnmlChild::Other,
            };
            return Ok(Some((child, tag.position)));
        }
    }

    /// Skips to the end of the element opened last, which may only contain names, graphics and tool
    /// data.
    pub(super) fn decorations(&mut self) -> Result<(), InputError> {
        while self.child(&[], &[])?.is_some() {
            self.skip()?;
        }
        Ok(())
    }

    /// Reads the name of the net, whose element was opened last. Content without text is ignored.
    pub(super) fn net_name(&mut self) -> Result<String, InputError> {
        let (mut inner, mut direct) = (String::new(), String::new());
        loop {
            match self.next()? {
                XmlItem::Open(tag) if matches!(tag.name(), "text" | "value") => {
                    self.text(&mut inner)?;
                }
                XmlItem::Open(_) => self.skip()?,
                XmlItem::Text(text) => direct.push_str(&text),
                XmlItem::Close | XmlItem::EndOfFile => break,
                XmlItem::Nothing => {}
            }
        }
        Ok(if inner.trim().is_empty() { direct } else { inner })
    }

    /// Reads the label that was opened last at the position `at`.
    pub(super) fn label(&mut self, at: TextPosition) -> Result<PnmlLabel, InputError> {
        let mut inner = String::new();
        let mut direct = String::new();
        let (mut structured, mut contradictory) = (false, false);
        loop {
            match self.next()? {
                XmlItem::Open(tag) => match tag.name() {
                    "text" | "value" => {
                        tag.check_attributes()?;
                        let text_before = std::mem::take(&mut inner);
                        let has_elements = self.text(&mut inner)?;
                        let text_before = trimmed(&text_before);
                        contradictory |= has_elements
                            || !text_before.is_empty() && text_before != trimmed(&inner);
                    }
                    name => {
                        structured |= !matches!(name, "name" | "graphics" | "toolspecific");
                        self.skip()?;
                    }
                },
                XmlItem::Text(text) => direct.push_str(&text),
                XmlItem::Close | XmlItem::EndOfFile => break,
                XmlItem::Nothing => {}
            }
        }
        let (inner, direct) = (trimmed(&inner), trimmed(&direct));
        // Some writers leave a stray `>` behind, which is not a second text.
        contradictory |= !inner.is_empty() && !matches!(direct, "" | ">") && direct != inner;
        let text = if inner.is_empty() { direct } else { inner };
        Ok(PnmlLabel { position: at, text: text.to_owned(), structured, contradictory })
    }
}
