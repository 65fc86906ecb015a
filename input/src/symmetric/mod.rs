//! The reader of symmetric nets (ISO/IEC 15909-2), the coloured nets of the contest.
//!
//! Declarations may come after their uses, sorts after sorts made of them, and arcs before their
//! nodes. So one pass reads everything into lists, with terms in postfix order. The lists become a
//! [`ColouredNet`] at the end. The reader reads `<structure>`, or the term itself if a tool omits
//! `<structure>`. It ignores `<text>` beside a term, and refuses a label that has only a text. The
//! test `tests/coloured/styles.rs` lists the tools and their variants.
//!
//! Nesting depth is limited, with an error beyond the limits. Sorts and terms may be nested to
//! 50,000 elements, including wrappers and sums. After flattening, products, tuples, differences
//! and conditions may have 200 levels. Tuples may have 200 components, counting the components of
//! components.

mod conversions;
mod declarations;
mod product;
mod raw;
mod resolve;
mod scope;
mod settle;
mod sorts;

use super::colour_problem::ColourProblem;
use super::document::{DocumentPart, in_page};
use super::error::InputError;
use super::format::{ModelFormat, ReadFailure};
use super::known_markup::{CHECKED_ELEMENTS, OF_ARC, OF_NET, OF_TRANSITION};
use super::labels::PnmlChild;
use super::source::{TextPosition, may_be_xml};
use super::timing::{NetUrgency, TransitionUrgency};
use super::xml::{XmlItem, XmlReader, trimmed};
use declarations::Declarations;
use parikh_net::BuildError;
use parikh_net::coloured::ColouredNet;
use raw::RawTerm;
use std::collections::HashMap;
use std::io::BufRead;

/// Coloured nets in PNML.
pub(super) const FORMAT: ModelFormat = ModelFormat {
    name: "PNML of a symmetric net (coloured)",
    begins: may_be_xml,
    read: |reader, name| match read_with_time(reader, name)? {
        (net, None) => Ok(net.into()),
        (net, Some(refusal)) => Err(ReadFailure::Timed(Box::new((net.into(), refusal)))),
    },
};

/// Reads a coloured net from `reader`. Messages use `name` for the file.
///
/// # Errors
/// [`InputError`] if the text cannot be read, is no coloured net, or is one that cannot be
/// represented. Also if the net has times or priorities.
pub fn read_coloured_from(reader: impl BufRead, name: &str) -> Result<ColouredNet, InputError> {
    match read_with_time(reader, name)? {
        (net, None) => Ok(net),
        (_, Some(refusal)) => Err(refusal),
    }
}

/// Reads a coloured net without its times and priorities. Also returns the error that refuses times
/// and priorities, or `None` if the net has neither.
fn read_with_time(
    reader: impl BufRead,
    name: &str,
) -> Result<(ColouredNet, Option<InputError>), InputError> {
    let (parts, urgencies) = (SymmetricParts::default(), NetUrgency::default());
    let mut document =
        SymmetricReader { xml: XmlReader::new(reader, name)?, net_parts: parts, urgencies };
    document.read()?;
    let file: Box<str> = document.xml.file().into();
    if !document.net_parts.has_net {
        return Err(InputError::NoNet { file });
    }
    let mut net = document.net_parts.settle(&file)?;
    let (assumptions, refusal) = document.urgencies.finish();
    assumptions.into_iter().for_each(|it| net.assume(it));
    Ok((net, refusal))
}

struct SymmetricPlace {
    id: String,
    /// The label, shown to people instead of the id.
    label: Option<String>,
    position: TextPosition,
    /// The sort of the tokens; `None` for black tokens.
    sort: Option<RawTerm>,
    /// The initial marking; `None` if the place is empty.
    initial: Option<RawTerm>,
}

struct SymmetricTransition {
    id: String,
    /// The label, shown to people instead of the id.
    label: Option<String>,
    position: TextPosition,
    /// The guard; `None` if the guard is true.
    guard: Option<RawTerm>,
}

struct SymmetricArc {
    name: String,
    position: TextPosition,
    source: String,
    target: String,
    /// The inscription; `None` stands for a single black token, and is an error at a coloured
    /// place.
    inscription: Option<RawTerm>,
}

struct SymmetricReader<R> {
    xml: XmlReader<R>,
    net_parts: SymmetricParts,
    urgencies: NetUrgency,
}

/// The content of the file, in order.
#[derive(Default)]
struct SymmetricParts {
    has_net: bool,
    name: String,
    /// The name of the net for people.
    label: String,
    declarations: Declarations,
    places: Vec<SymmetricPlace>,
    transitions: Vec<SymmetricTransition>,
    arcs: Vec<SymmetricArc>,
    /// The reference nodes by id.
    references: HashMap<String, SymmetricReference>,
}

/// The target of a reference node.
struct SymmetricReference {
    position: TextPosition,
    target: String,
}

impl<R: BufRead> SymmetricReader<R> {
    fn read(&mut self) -> Result<(), InputError> {
        self.xml.root("pnml")?;
        while let Some(part) = self.xml.next_part()? {
            match part {
                DocumentPart::Net(net) => {
                    (self.net_parts.has_net, self.net_parts.name) = (true, net.id);
                    self.net()?;
                }
                DocumentPart::FinalMarkings(at) => {
                    return Err(InputError::Unsupported {
                        at: at.of(self.xml.file()),
                        found: "an element `finalmarkings` of a coloured net".to_owned(),
                        advice: "final markings are supported for nets without colours: remove it",
                    });
                }
            }
        }
        Ok(())
    }

    /// Reads the content of the net, including pages at any depth.
    fn net(&mut self) -> Result<(), InputError> {
        let mut pages = Vec::new();
        loop {
            let tag = match self.xml.markup().map_err(|error| in_page(error, &pages))? {
                XmlItem::Open(tag) => tag,
                XmlItem::Close => match pages.pop() {
                    Some(_) => continue,
                    None => return Ok(()),
                },
                XmlItem::Text(_) | XmlItem::Nothing | XmlItem::EndOfFile => continue,
            };
            let at = tag.position;
            if CHECKED_ELEMENTS.contains(&tag.name()) {
                tag.check_attributes()?;
            }
            match tag.name() {
                "page" => {
                    let [id] = tag.attributes(["id"])?;
                    pages.push(id.unwrap_or_default());
                }
                // The name of a page is ignored.
                "name" if pages.is_empty() => self.net_parts.label = self.xml.net_name()?,
                "declaration" => self.net_parts.declarations.read(&mut self.xml)?,
                "place" => {
                    let [id] = tag.attributes(["id"])?;
                    let id = tag.required(id, "place", "id")?;
                    self.place(id, at)?;
                }
                "transition" => {
                    let [id, distribution] = tag.attributes(["id", "distribution"])?;
                    if distribution.is_some() {
                        self.urgencies.rate();
                    }
                    let id = tag.required(id, "transition", "id")?;
                    self.transition(id, at)?;
                }
                "arc" => {
                    let [id, source, target, kind] =
                        tag.attributes(["id", "source", "target", "type"])?;
                    let source = tag.required(source, "arc", "source")?;
                    let target = tag.required(target, "arc", "target")?;
                    let name = id.unwrap_or_else(|| format!("{source} -> {target}"));
                    self.arc(
                        SymmetricArc { name, position: at, source, target, inscription: None },
                        kind,
                    )?;
                }
                name @ ("referencePlace" | "referenceTransition") => {
                    let element = match name {
                        "referencePlace" => "referencePlace",
                        _ => "referenceTransition",
                    };
                    let [id, target] = tag.attributes(["id", "ref"])?;
                    let id = tag.required(id, element, "id")?;
                    let target = tag.required(target, element, "ref")?;
                    let reference = SymmetricReference { position: at, target };
                    if self.net_parts.references.insert(id.clone(), reference).is_some() {
                        let at = at.of(self.xml.file());
                        return Err(InputError::Net { at, problem: BuildError::DuplicateId(id) });
                    }
                    self.xml.decorations()?;
                }
                "toolspecific" => {
                    let [tool] = tag.attributes(["tool"])?;
                    match tool.as_deref() {
                        Some("nupn") => self.xml.skip()?,
                        _ => {
                            let attributes = tag.all_attributes()?;
                            let data = self.xml.tool_data(attributes)?;
                            self.urgencies.add_tool_data(&data, "the net", at, self.xml.file());
                        }
                    }
                }
                _ => {
                    tag.check_passed_over(OF_NET)?;
                    self.xml.skip()?;
                }
            }
        }
    }

    /// Reads the term of the label opened last. Returns `None` for an empty label, and an error for
    /// a label with a text only.
    fn label(&mut self, at: TextPosition, owner: &str) -> Result<Option<RawTerm>, InputError> {
        match self.xml.coloured_label()? {
            (None, true) => {
                let at = at.of(self.xml.file());
                let problem = Box::new(ColourProblem::NoStructure);
                Err(InputError::Colours { at, owner: owner.to_owned(), problem })
            }
            (term, _) => Ok(term),
        }
    }

    /// Stores the term of a label in `slot`. Does nothing if `term` is `None`. Returns an error if
    /// `term` is given and `slot` has a term already, because the label then occurs twice.
    fn set(
        &self,
        slot: &mut Option<RawTerm>,
        term: Option<RawTerm>,
        at: TextPosition,
        owner: &str,
        label: &'static str,
    ) -> Result<(), InputError> {
        match term {
            Some(_) if slot.is_some() => Err(InputError::Repeated {
                at: at.of(self.xml.file()),
                owner: owner.to_owned(),
                label,
            }),
            Some(term) => {
                *slot = Some(term);
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn place(&mut self, id: String, at: TextPosition) -> Result<(), InputError> {
        let (mut sort, mut initial, mut label) = (None, None, None);
        let owner = format!("place `{id}`");
        let handled_elements =
            ["name", "type", "hlinitialMarking", "initialMarking", "capacity", "tagged"];
        while let Some((child, at)) = self.xml.child(&handled_elements, &[])? {
            match child {
                PnmlChild::Name => label = Some(self.xml.label(at)?.text),
                PnmlChild::Type(_) => {
                    let term = self.label(at, &owner)?;
                    self.set(&mut sort, term, at, &owner, "type")?;
                }
                PnmlChild::Coloured => {
                    let term = self.label(at, &owner)?;
                    self.set(&mut initial, term, at, &owner, "hlinitialMarking")?;
                }
                PnmlChild::Tagged => self.xml.untagged(at, "place", &id)?,
                PnmlChild::InitialMarking => {
                    if self.xml.label(at)?.has_content() {
                        return Err(InputError::Unsupported {
                            at: at.of(self.xml.file()),
                            found: format!("an `initialMarking` of {owner} in a coloured net"),
                            advice: "write it as an `hlinitialMarking`",
                        });
                    }
                }
                PnmlChild::Capacity => {
                    let label = self.xml.label(at)?;
                    if label.structured || !matches!(label.text.as_str(), "" | "0") {
                        return Err(InputError::Unsupported {
                            at: at.of(self.xml.file()),
                            found: format!("a capacity of {owner}"),
                            advice: "express it by a complementary place",
                        });
                    }
                }
                PnmlChild::Timing(name, attributes) => {
                    let data = self.xml.timing_element(&name, attributes)?;
                    self.urgencies.add_data(&data, &owner, at, self.xml.file());
                }
                PnmlChild::ToolSpecific(attributes) => {
                    let data = self.xml.tool_data(attributes)?;
                    self.urgencies.add_tool_data(&data, &owner, at, self.xml.file());
                }
                _ => self.xml.skip()?,
            }
        }
        self.net_parts.places.push(SymmetricPlace { id, label, position: at, sort, initial });
        Ok(())
    }

    fn transition(&mut self, id: String, at: TextPosition) -> Result<(), InputError> {
        let (mut guard, mut label, mut urgency) = (None, None, TransitionUrgency::default());
        let owner = format!("transition `{id}`");
        let handled_elements = ["name", "condition", "rate", "tagged"];
        while let Some((child, at)) = self.xml.child(&handled_elements, OF_TRANSITION)? {
            match child {
                PnmlChild::Tagged => self.xml.untagged(at, "transition", &id)?,
                PnmlChild::Name => label = Some(self.xml.label(at)?.text),
                PnmlChild::Condition => {
                    let term = self.label(at, &owner)?;
                    self.set(&mut guard, term, at, &owner, "condition")?;
                }
                PnmlChild::Timing(name, attributes) => {
                    urgency.add_data(&self.xml.timing_element(&name, attributes)?);
                }
                PnmlChild::ToolSpecific(attributes) => {
                    let data = self.xml.tool_data(attributes)?;
                    urgency.add_data(&data);
                    self.urgencies.add_tool(&data);
                }
                _ => self.xml.skip()?,
            }
        }
        self.urgencies.add(urgency, &id, at, self.xml.file());
        self.net_parts.transitions.push(SymmetricTransition { id, label, position: at, guard });
        Ok(())
    }

    fn arc(&mut self, mut arc: SymmetricArc, kind: Option<String>) -> Result<(), InputError> {
        let owner = format!("arc `{}`", arc.name);
        let mut kinds: Vec<String> = kind.into_iter().collect();
        let (mut inscription, mut plain_inscription) = (None, None);
        let handled_elements = ["hlinscription", "inscription", "type", "arctype", "tagged"];
        while let Some((child, at)) = self.xml.child(&handled_elements, OF_ARC)? {
            match child {
                PnmlChild::Coloured => {
                    let term = self.label(at, &owner)?;
                    self.set(&mut inscription, term, at, &owner, "hlinscription")?;
                }
                PnmlChild::Inscription => {
                    if self.xml.label(at)?.has_content() {
                        plain_inscription = Some(at);
                    }
                }
                PnmlChild::Tagged => self.xml.untagged(at, "arc", &arc.name)?,
                PnmlChild::Type(value) => {
                    let label = self.xml.label(at)?;
                    kinds.push(value.unwrap_or(label.text));
                }
                PnmlChild::Timing(name, attributes) => {
                    let data = self.xml.timing_element(&name, attributes)?;
                    self.urgencies.add_data(&data, &owner, at, self.xml.file());
                }
                PnmlChild::ToolSpecific(attributes) => {
                    let data = self.xml.tool_data(attributes)?;
                    self.urgencies.add_tool_data(&data, &owner, at, self.xml.file());
                }
                _ => self.xml.skip()?,
            }
        }
        // The type is checked before the weight, so an inhibitor arc is refused in any spelling of
        // its weight.
        let is_plain = |kind: &&str| {
            ["", "normal", "ordinary"].iter().any(|plain| kind.eq_ignore_ascii_case(plain))
        };
        if let Some(kind) = kinds.iter().map(|kind| trimmed(kind)).find(|kind| !is_plain(kind)) {
            return Err(InputError::ColouredArc {
                at: arc.position.of(self.xml.file()),
                arc: arc.name,
                found: kind.to_owned(),
            });
        }
        if let Some(at) = plain_inscription {
            return Err(InputError::Unsupported {
                at: at.of(self.xml.file()),
                found: format!("an `inscription` of {owner} in a coloured net"),
                advice: "write it as an `hlinscription`",
            });
        }
        arc.inscription = inscription;
        self.net_parts.arcs.push(arc);
        Ok(())
    }
}
