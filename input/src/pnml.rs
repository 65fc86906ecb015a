//! The reader of place/transition nets in PNML (ISO/IEC 15909-2), including the variants that tools
//! write. Examples are nested pages or none, children in any order, reference nodes, arcs before
//! their nodes, `<value>` in place of `<text>`, and any encoding. The reader makes one pass and
//! never holds the whole file.
//!
//! Arcs may be inhibitor, read or reset arcs, in the spellings of TAPAAL (an attribute `type`) and
//! PM4Py (an element `arctype`). The additions of PIPE are in [`super::pipe`].
//!
//! The reader refuses everything that may change the meaning of the net and is not supported:
//! colours, other types of arcs, capacities. Graphics and other tools' data have no meaning and are
//! skipped. Ids of arcs only serve messages, so they may be missing or repeated.

use super::document::{DocumentPart, in_page};
use super::error::InputError;
use super::finals::{self, FinalMarking};
use super::format::{ModelFormat, ReadFailure, translated};
use super::graph::{ArcKind, ArcText, PnmlGraph, PnmlNodeKind};
use super::known_markup::{
    ABOUT_PLAYERS, CHECKED_ELEMENTS, OF_ARC, OF_NET, OF_PLACE, OF_TRANSITION,
};
use super::labels::{PnmlChild, PnmlLabel};
use super::nupn::{self, NupnError, UnitTree};
use super::pipe::plain_tokens;
use super::source::{TextPosition, may_be_xml};
use super::timing::{NetUrgency, TransitionUrgency};
use super::xml::{XmlItem, XmlReader, digits, trimmed};
use parikh_net::{BuildError, ExtendedNet, Marking, Net};
use std::io::BufRead;
use std::path::Path;

/// Place/transition nets in PNML. Coloured nets are a format of their own.
pub(super) const FORMAT: ModelFormat = ModelFormat {
    name: "PNML of a place/transition net (ISO/IEC 15909-2), with nested units (NUPN) or without",
    begins: may_be_xml,
    read: |reader, name| match read_extended_from(reader, name) {
        Ok((net, None)) => Ok(net.into()),
        Ok((net, Some(refusal))) => Err(ReadFailure::Timed(Box::new((net.into(), refusal)))),
        Err(colours @ InputError::Coloured { .. }) => Err(ReadFailure::AnotherFormat(colours)),
        Err(broken) => Err(ReadFailure::Broken(broken)),
    },
};

/// Reads the net of a PNML file, with its nested units (NUPN) if they are valid. Invalid units give
/// a warning, and the net is read without units.
///
/// # Errors
/// When the file cannot be read, is not PNML, or contains an invalid net, a coloured net or
/// unsupported elements such as capacities. Also when the net has times or priorities, or when its
/// inhibitor and reset arcs cannot be translated. An error in the text of the file has its
/// position.
pub fn read_net(path: &Path) -> Result<Net, InputError> {
    let (reader, file) = super::open(path)?;
    read_net_from(reader, &file)
}

/// Reads a net in PNML from `reader`. Messages use `name` for the file.
///
/// # Errors
/// The errors of [`read_net`].
pub fn read_net_from(reader: impl BufRead, name: &str) -> Result<Net, InputError> {
    match read_extended_from(reader, name)? {
        (net, None) => translated(net, name, false),
        (_, Some(refusal)) => Err(refusal),
    }
}

/// Reads a net in PNML, perhaps with inhibitor and reset arcs, without its times and priorities.
/// Also returns the error that refuses times and priorities, if the net has any. Messages use
/// `name` for the file.
///
/// # Errors
/// The errors of [`read_net`], except those of the translation of arcs.
fn read_extended_from(
    reader: impl BufRead,
    name: &str,
) -> Result<(ExtendedNet, Option<InputError>), InputError> {
    let mut pnml = PnmlReader {
        xml: XmlReader::new(reader, name)?,
        graph: PnmlGraph::new(name),
        net_at: None,
        units: Vec::new(),
        finals: Vec::new(),
        place_finals: FinalMarking::default(),
        urgencies: NetUrgency::default(),
    };
    pnml.document()?;
    pnml.finish()
}

/// Returns true if a net type, in lower case, is that of place/transition nets or is empty. Older
/// tools use addresses of their own. So the type counts as plain if some part of the address
/// between `/` and `#` begins with a known word. A part like `timedptnet` names other nets.
fn is_plain_type(kind: &str) -> bool {
    let words = ["ptnet", "pnmlcore", "epnml", "basicpnml"];
    let mut parts = kind.split(['/', '#']);
    matches!(kind, "" | "p/t net" | "pt-net" | "petri net" | "petrinet")
        // TINA gives untimed nets the address of timed nets. Some tools give the address of the
        // language, which names no extension.
        || ["/p/t net", "tina/tpn", "grammar/pnml"].iter().any(|end| kind.ends_with(end))
        || parts.any(|part| words.iter().any(|word| part.starts_with(word)))
}

struct PnmlReader<R> {
    xml: XmlReader<R>,
    graph: PnmlGraph,
    /// The position where the net begins; `None` until the reader reaches the net.
    net_at: Option<TextPosition>,
    /// The sections of nested units, each with its position. The net is read without units if there
    /// is more than one section.
    units: Vec<(TextPosition, UnitTree)>,
    finals: Vec<FinalMarking>,
    /// The final marking that the labels `finalMarking` of places describe.
    place_finals: FinalMarking,
    /// The times and priorities found so far.
    urgencies: NetUrgency,
}

impl<R: BufRead> PnmlReader<R> {
    fn document(&mut self) -> Result<(), InputError> {
        self.xml.root("pnml")?;
        while let Some(part) = self.xml.next_part()? {
            match part {
                DocumentPart::Net(net) => {
                    self.net_at = Some(net.position);
                    self.check_kind(net.position, &net.kind)?;
                    self.graph.builder.core.set_name(net.id);
                    self.net()?;
                }
                DocumentPart::FinalMarkings(_) => finals::read(&mut self.xml, &mut self.finals)?,
            }
        }
        Ok(())
    }

    /// Checks the type of the net. A coloured type is recognised by the last part of the address.
    fn check_kind(&self, at: TextPosition, kind: &str) -> Result<(), InputError> {
        let last_part = kind.rsplit(['/', '#']).next().unwrap_or_default().to_lowercase();
        let coloured = ["symmetricnet", "highlevel", "hlpn", "hlnet", "hlcore", "colo"];
        if coloured.iter().any(|part| last_part.contains(part)) {
            return Err(self.coloured(at, format!("the net type `{kind}`")));
        }
        if !is_plain_type(&kind.to_lowercase()) {
            return Err(InputError::Unsupported {
                at: at.of(self.xml.file()),
                found: format!("the net type `{kind}`"),
                advice: "expected a place/transition net, of type \
                         http://www.pnml.org/version-2009/grammar/ptnet: export it as one",
            });
        }
        Ok(())
    }

    fn coloured(&self, at: TextPosition, found: String) -> InputError {
        InputError::Coloured { at: at.of(self.xml.file()), found }
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
                "name" if pages.is_empty() => {
                    self.graph.builder.core.set_label(&self.xml.net_name()?);
                }
                "place" => {
                    let [id] = tag.attributes(["id"])?;
                    let id = tag.required(id, "place", "id")?;
                    self.place(&id, at)?;
                }
                "transition" => {
                    let [id, distribution] = tag.attributes(["id", "distribution"])?;
                    let id = tag.required(id, "transition", "id")?;
                    if distribution.is_some() {
                        self.urgencies.rate();
                    }
                    self.transition(&id, at)?;
                }
                "arc" => {
                    let [id, source, target, kind] =
                        tag.attributes(["id", "source", "target", "type"])?;
                    let source = tag.required(source, "arc", "source")?;
                    let target = tag.required(target, "arc", "target")?;
                    let arc = ArcKind::Normal;
                    self.arc(
                        ArcText { id, source, target, weight: 1, kind: arc, position: at },
                        kind,
                    )?;
                }
                "referencePlace" => {
                    let [id, target] = tag.attributes(["id", "ref"])?;
                    let id = tag.required(id, "referencePlace", "id")?;
                    let target = tag.required(target, "referencePlace", "ref")?;
                    self.graph.reference(id, target, PnmlNodeKind::Place, at)?;
                    self.xml.decorations()?;
                }
                "referenceTransition" => {
                    let [id, target] = tag.attributes(["id", "ref"])?;
                    let id = tag.required(id, "referenceTransition", "id")?;
                    let target = tag.required(target, "referenceTransition", "ref")?;
                    self.graph.reference(id, target, PnmlNodeKind::Transition, at)?;
                    self.xml.decorations()?;
                }
                "toolspecific" => {
                    let [tool] = tag.attributes(["tool"])?;
                    match tool.as_deref() {
                        Some("nupn") => self.units.push((at, nupn::read(&mut self.xml)?)),
                        _ => {
                            let attributes = tag.all_attributes()?;
                            let data = self.xml.tool_data(attributes)?;
                            self.urgencies.add_tool_data(&data, "the net", at, self.xml.file());
                        }
                    }
                }
                "finalmarkings" => finals::read(&mut self.xml, &mut self.finals)?,
                "declaration" => {
                    if self.xml.label(at)?.has_content() {
                        return Err(self.coloured(at, "a `<declaration>`".into()));
                    }
                }
                _ => {
                    tag.check_passed_over(OF_NET)?;
                    self.xml.skip()?;
                }
            }
        }
    }

    fn place(&mut self, id: &str, at: TextPosition) -> Result<(), InputError> {
        let (mut name, mut marking, mut final_tokens) = (None, None, None);
        let handled_elements = [
            "name",
            "initialMarking",
            "finalMarking",
            "capacity",
            "type",
            "hlinitialMarking",
            "tagged",
        ];
        while let Some((child, at)) = self.xml.child(&handled_elements, OF_PLACE)? {
            match child {
                PnmlChild::Name => name = Some(self.xml.label(at)?.text),
                PnmlChild::InitialMarking => {
                    if marking.replace(self.xml.label(at)?).is_some() {
                        return Err(self.repeated(at, format!("place `{id}`"), "initialMarking"));
                    }
                }
                PnmlChild::FinalMarking => {
                    if final_tokens.replace(self.xml.label(at)?).is_some() {
                        return Err(self.repeated(at, format!("place `{id}`"), "finalMarking"));
                    }
                }
                PnmlChild::Capacity => {
                    let label = self.xml.label(at)?;
                    if label.structured || !matches!(label.text.as_str(), "" | "0") {
                        return Err(InputError::Unsupported {
                            at: at.of(self.xml.file()),
                            found: format!("the capacity `{}` of place `{id}`", label.text),
                            advice: "express it by a complementary place",
                        });
                    }
                }
                PnmlChild::Tagged => self.xml.untagged(at, "place", id)?,
                PnmlChild::Type(_) => {
                    if self.xml.label(at)?.structured {
                        return Err(self.coloured(at, format!("the type of place `{id}`")));
                    }
                }
                PnmlChild::Coloured => {
                    return Err(self.coloured(at, format!("the marking of place `{id}`")));
                }
                PnmlChild::Timing(name, attributes) => {
                    let data = self.xml.timing_element(&name, attributes)?;
                    self.urgencies.add_data(&data, &format!("place `{id}`"), at, self.xml.file());
                }
                PnmlChild::ToolSpecific(attributes) => {
                    let data = self.xml.tool_data(attributes)?;
                    let owner = format!("place `{id}`");
                    self.urgencies.add_tool_data(&data, &owner, at, self.xml.file());
                }
                _ => self.xml.skip()?,
            }
        }
        if let Some(final_tokens) = final_tokens {
            self.place_finals.add(id, final_tokens);
        }
        let owner = || format!("initial marking of place `{id}`");
        let tokens = marking.map_or(Ok(0), |label| self.number(&label, 0, owner))?;
        self.graph.place(id, tokens, name.as_deref(), at)
    }

    fn transition(&mut self, id: &str, at: TextPosition) -> Result<(), InputError> {
        let (mut name, mut urgency) = (None, TransitionUrgency::default());
        let handled_elements = ["name", "condition", "rate", "tagged", "player"];
        while let Some((child, at)) = self.xml.child(&handled_elements, OF_TRANSITION)? {
            match child {
                PnmlChild::Timing(name, attributes) => {
                    urgency.add_data(&self.xml.timing_element(&name, attributes)?);
                }
                PnmlChild::ToolSpecific(attributes) => {
                    let data = self.xml.tool_data(attributes)?;
                    urgency.add_data(&data);
                    self.urgencies.add_tool(&data);
                }
                PnmlChild::Tagged => self.xml.untagged(at, "transition", id)?,
                PnmlChild::Player => {
                    let label = self.xml.label(at)?;
                    if label.structured || label.contradictory || label.text != "0" {
                        return Err(InputError::Unsupported {
                            at: at.of(self.xml.file()),
                            found: format!("the player `{}` of transition `{id}`", label.text),
                            advice: ABOUT_PLAYERS,
                        });
                    }
                }
                PnmlChild::Name => name = Some(self.xml.label(at)?.text),
                PnmlChild::Condition => {
                    let label = self.xml.label(at)?;
                    if label.structured {
                        return Err(self.coloured(at, format!("the guard of transition `{id}`")));
                    }
                    // No reader supports a guard that is only a text.
                    if label.has_content() {
                        return Err(InputError::Unsupported {
                            at: at.of(self.xml.file()),
                            found: format!("the guard `{}` of transition `{id}`", label.text),
                            advice: "expected no guard, or in a coloured net a `<structure>`",
                        });
                    }
                }
                _ => self.xml.skip()?,
            }
        }
        self.urgencies.add(urgency, id, at, self.xml.file());
        self.graph.transition(id, name.as_deref(), at)
    }

    fn arc(&mut self, mut arc: ArcText, kind: Option<String>) -> Result<(), InputError> {
        let mut inscription = None;
        arc.kind = self.arc_kind(&arc, arc.position, kind.as_deref().unwrap_or_default())?;
        // PM4Py writes the type in an element, instead of or beside the attribute.
        let mut is_typed_by_element = false;
        let handled_elements = ["inscription", "type", "arctype", "hlinscription", "tagged"];
        while let Some((child, at)) = self.xml.child(&handled_elements, OF_ARC)? {
            match child {
                PnmlChild::Inscription => {
                    if inscription.replace(self.xml.label(at)?).is_some() {
                        let owner = format!("arc `{}`", arc.name());
                        return Err(self.repeated(at, owner, "inscription"));
                    }
                }
                PnmlChild::Type(value) => {
                    let label = self.xml.label(at)?;
                    let type_text = value.as_deref().unwrap_or(&label.text);
                    if trimmed(type_text).is_empty() {
                        return Err(InputError::Unsupported {
                            at: at.of(self.xml.file()),
                            found: format!("an empty type of arc `{}`", arc.name()),
                            advice: "write the type as an attribute `type` of the arc, or remove it",
                        });
                    }
                    let kind = self.arc_kind(&arc, at, type_text)?;
                    if arc.kind != ArcKind::Normal && kind != arc.kind {
                        return Err(self.repeated(at, format!("arc `{}`", arc.name()), "type"));
                    }
                    is_typed_by_element = kind != ArcKind::Normal;
                    arc.kind = kind;
                }
                PnmlChild::Tagged => self.xml.untagged(at, "arc", &arc.name())?,
                PnmlChild::Coloured => {
                    let found = format!("the inscription of arc `{}`", arc.name());
                    return Err(self.coloured(at, found));
                }
                PnmlChild::Timing(name, attributes) => {
                    let data = self.xml.timing_element(&name, attributes)?;
                    self.urgencies.add_data(
                        &data,
                        &format!("arc `{}`", arc.name()),
                        at,
                        self.xml.file(),
                    );
                }
                PnmlChild::ToolSpecific(attributes) => {
                    let data = self.xml.tool_data(attributes)?;
                    let owner = format!("arc `{}`", arc.name());
                    self.urgencies.add_tool_data(&data, &owner, at, self.xml.file());
                }
                _ => self.xml.skip()?,
            }
        }
        let owner = || format!("weight of arc `{}`", arc.name());
        arc.weight = inscription.map_or(Ok(1), |label| self.number(&label, 1, owner))?;
        // TAPAAL's inhibitor arcs have weights. PM4Py, which writes the type in an element, ignores
        // weights.
        if arc.weight > 1
            && (arc.kind == ArcKind::Reset || is_typed_by_element && arc.kind == ArcKind::Inhibitor)
        {
            return Err(InputError::Unsupported {
                at: arc.position.of(self.xml.file()),
                found: format!("the weight of arc `{}`, which moves no tokens,", arc.name()),
                advice: "tools disagree on its meaning; use the weight 1, or state the type of the \
                         arc by an attribute `type`",
            });
        }
        self.graph.arc(arc)
    }

    /// Returns the effect of an arc from its type, in any known spelling.
    fn arc_kind(&self, arc: &ArcText, at: TextPosition, kind: &str) -> Result<ArcKind, InputError> {
        match trimmed(kind).to_ascii_lowercase().as_str() {
            // Renew writes `ordinary`.
            "" | "normal" | "ordinary" => Ok(ArcKind::Normal),
            "inhibitor" | "inhibitorarc" => Ok(ArcKind::Inhibitor),
            "read" | "readarc" | "test" | "testarc" => Ok(ArcKind::Read),
            "reset" | "resetarc" => Ok(ArcKind::Reset),
            _ => {
                let found = trimmed(kind).to_owned();
                Err(InputError::UnsupportedArc {
                    at: at.of(self.xml.file()),
                    arc: arc.name(),
                    found,
                })
            }
        }
    }

    fn repeated(&self, at: TextPosition, owner: String, label: &'static str) -> InputError {
        InputError::Repeated { at: at.of(self.xml.file()), owner, label }
    }

    /// Returns the number in a label. An empty label gives `default`: tools write `<text/>` where
    /// they mean no label. Returns an error if the label has several texts, is no number, or has a
    /// number below `default` or above 2⁶³ − 1.
    fn number(
        &self,
        label: &PnmlLabel,
        default: u64,
        owner: impl Fn() -> String,
    ) -> Result<u64, InputError> {
        if label.contradictory {
            return Err(self.repeated(label.position, owner(), "text"));
        }
        if label.text.is_empty() && !label.structured {
            return Ok(default);
        }
        if label.text.starts_with(['[', '(']) && label.text.contains(',') {
            return Err(InputError::Unsupported {
                at: label.position.of(self.xml.file()),
                found: format!("the {} with the time interval `{}`", owner(), label.text),
                advice: "arcs with times, as of TAPAAL, are refused even with --untimed: export \
                         the net without times",
            });
        }
        let Some(plain_text) = plain_tokens(&label.text) else {
            return Err(InputError::Unsupported {
                at: label.position.of(self.xml.file()),
                found: format!("the {} in several classes, `{}`,", owner(), label.text),
                advice: "nets of PIPE are supported if all tokens have the class `Default`",
            });
        };
        let number = if label.structured { None } else { digits(plain_text) };
        // The defaults, 0 tokens and weight 1, are also the smallest allowed numbers.
        let fits = |&number: &u64| (default..=Marking::MAX_TOKENS).contains(&number);
        number.filter(fits).ok_or_else(|| InputError::BadNumber {
            at: label.position.of(self.xml.file()),
            owner: owner(),
            found: label.text.clone(),
            least: default,
        })
    }

    /// Resolves references, nested units and final markings, and builds the net. Also returns the
    /// error that refuses times and priorities, if the net has any.
    fn finish(mut self) -> Result<(ExtendedNet, Option<InputError>), InputError> {
        let file = self.xml.file();
        let at = self.net_at.ok_or_else(|| InputError::NoNet { file: file.into() })?;
        self.graph.resolve_all()?;
        let sections = self.units.len();
        if let Some((at, tree)) = self.units.pop() {
            let units = match sections {
                1 => tree.check(&self.graph),
                _ => Err(NupnError::SecondSection),
            };
            match units {
                Ok(units) => self.graph.builder.core.set_units(units),
                Err(problem) => tracing::warn!(
                    "{}: the nested units (NUPN) are ignored: {problem}",
                    at.of(file)
                ),
            }
        }
        let finals = finals::resolve(self.finals, self.place_finals, &self.graph, file)?;
        let (assumptions, refusal) = self.urgencies.finish();
        let invalid_net = |problem: BuildError| InputError::Net { at: at.of(file), problem };
        let net = self.graph.builder.build().map_err(invalid_net)?.with_final_markings(finals);
        Ok((net.assuming(assumptions), refusal))
    }
}
