//! Reads PNML: the place/transition nets of ISO/IEC 15909-2, as far as they determine the initial
//! marking and firing.
//!
//! # Meaning
//! - The `id` identifies a node. The `name` is a label, which textual formulas may use. Places and
//!   transitions share one set of ids, and all ids are different.
//! - Pages only group nodes. Nodes on a page, at any depth, belong to the net.
//! - A `referencePlace` or `referenceTransition` represents the node that it refers to, perhaps
//!   through other references.
//! - A place without `initialMarking` is empty. An arc without `inscription` has weight 1. The
//!   weights of parallel arcs are added.
//! - `graphics` and the `toolspecific` parts of other tools have no meaning. The module `units`
//!   reads those of NUPN, which only add a claim of the model.
//! - `finalmarkings`, and `finalMarking` in places, define the end of runs. They do not change the
//!   set of reachable markings.
//! - Arcs from a place to a transition may have the type `inhibitor`, `read` (or `test`) or
//!   `reset`.
//! - The module `pipe` reads PIPE's additions, and `timing` reads times, priorities and tool data.
//! - Everything else may have a meaning and is refused: colours, capacities, other types.
//!
//! The order of elements does not matter: nodes are read first, then arcs.

use super::allowed_attributes::check_attributes_and_texts;
use super::references::{references, resolve};
use super::timing::{NetTiming, TimeTreatment};
use super::{
    Unreadable, attribute, decode, elements, finals, name, number_in_text, only_element,
    optional_attribute, parse_xml, pipe, trimmed, units, unknown_element,
};
use parikh_net::builder::NetNode;
use parikh_net::printable::Quoted;
use parikh_net::{BuildError, ExtendedBuilder, ExtendedNet, Net};
use roxmltree::{Document, Node};

/// A net that may have inhibitor and reset arcs, with a note on the reading.
#[derive(Debug)]
pub struct ExtendedModel {
    /// The net.
    pub net: ExtendedNet,
    /// The reason why nested units were left out, if they were.
    pub note: Option<String>,
}

/// A net, with a note on the reading.
#[derive(Debug)]
pub struct PlainModel {
    /// The net.
    pub net: Net,
    /// The reason why nested units were left out, if they were.
    pub note: Option<String>,
}

/// The elements of a net, as XML.
#[derive(Default)]
struct NetElements<'a, 'input> {
    places: Vec<Node<'a, 'input>>,
    transitions: Vec<Node<'a, 'input>>,
    /// The reference places and reference transitions.
    references: Vec<Node<'a, 'input>>,
    arcs: Vec<Node<'a, 'input>>,
    /// The `toolspecific` elements of NUPN, which declare nested units.
    units: Vec<Node<'a, 'input>>,
    /// The sections with final markings.
    finals: Vec<Node<'a, 'input>>,
}

/// Reads a place/transition net without inhibitor and reset arcs, times and priorities.
///
/// # Errors
/// A syntax error, an unsupported element, or an error of the net such as an id that two nodes
/// have.
pub fn read(bytes: &[u8]) -> Result<PlainModel, Unreadable> {
    let ExtendedModel { net, note } = read_extended(bytes, TimeTreatment::Refused)?;
    match net.into_plain() {
        Ok(net) => Ok(PlainModel { net, note }),
        Err(_) => {
            let what = "expected a net of plain arcs, found an inhibitor or reset arc";
            Err(Unreadable { line: 1, what: what.to_owned() })
        }
    }
}

/// Types of plain nets as tools write them, in lower case.
const PLAIN_NET_TYPES: [&str; 5] = ["", "p/t net", "pt-net", "petri net", "petrinet"];

/// Words in lower case with which a part of the address of a plain type begins.
const PLAIN_TYPE_WORDS: [&str; 4] = ["ptnet", "pnmlcore", "epnml", "basicpnml"];

/// Returns true if the `type` of a net denotes plain place/transition nets. A word in front, as in
/// `TimedPTNet`, names another kind of nets.
fn is_plain(net_type: &str) -> bool {
    let lower = net_type.to_ascii_lowercase();
    let begins_with_word = |part: &str| PLAIN_TYPE_WORDS.iter().any(|it| part.starts_with(it));
    PLAIN_NET_TYPES.contains(&lower.as_str())
        || lower.ends_with("/p/t net")
        || lower.ends_with("tina/tpn")
        // The address of PNML itself, which names no extension.
        || lower.ends_with("grammar/pnml")
        || lower.split(['/', '#']).any(begins_with_word)
}

/// Reads a model that may have inhibitor and reset arcs. `times` says whether a net with times or
/// priorities is refused, or read without them.
///
/// # Errors
/// A syntax error, an unsupported element, or an error of the net such as an id that two nodes
/// have.
pub fn read_extended(bytes: &[u8], times: TimeTreatment) -> Result<ExtendedModel, Unreadable> {
    let text = decode(bytes)?;
    let tree = parse_xml(&text)?;
    let net = only_net(&tree)?;
    if let Some(kind) = optional_attribute(net, "type")
        && !is_plain(kind)
    {
        let what = format!("expected a place/transition net, found one of type {}", Quoted(kind));
        return Err(Unreadable::at(net, what));
    }
    check_attributes_and_texts(net)?;
    let mut net_elements = collect_elements(net)?;
    for beside in finals_beside(&tree) {
        check_attributes_and_texts(beside)?;
        net_elements.finals.push(beside);
    }
    net_elements.finals.sort_by_key(|it| it.range().start);
    let ExtendedModel { net: built, note } = build(net, &net_elements)?;
    let assumptions = NetTiming::of(net).assumptions(times)?;
    Ok(ExtendedModel { net: built.assuming(assumptions), note })
}

/// Returns the only net of a file. The net stands directly inside `pnml`, or in modules that only
/// contain a net.
///
/// # Errors
/// When there is no net, a second net at any depth, or another element that may have a meaning.
pub(crate) fn only_net<'a, 'input>(
    tree: &'a Document<'input>,
) -> Result<Node<'a, 'input>, Unreadable> {
    let root = tree.root_element();
    if name(root) != "pnml" {
        return Err(Unreadable::at(root, format!("expected `pnml`, found `{}`", name(root))));
    }
    let net = only_element(root, root.descendants().filter(|node| name(*node) == "net"), "`net`")?;
    let enclosing = net.ancestors().skip(1).filter(|it| it.is_element() && *it != root);
    for module in enclosing {
        if name(module) != "module" {
            return Err(unknown_element(net, module));
        }
    }
    // Modules are opened only directly inside `pnml` or another module.
    let is_known = |it: &Node<'_, '_>| {
        let known = ["net", "module", "finalmarkings", "name", "graphics", "toolspecific"];
        known.contains(&name(*it))
    };
    let mut worklist = vec![root];
    while let Some(container) = worklist.pop() {
        if let Some(part) = elements(container).find(|it| !is_known(it)) {
            return Err(unknown_element(part, container));
        }
        worklist.extend(elements(container).filter(|it| name(*it) == "module"));
    }
    Ok(net)
}

/// Returns the elements `finalmarkings` inside `pnml` or a module of a file, but outside the net.
fn finals_beside<'a, 'input>(tree: &'a Document<'input>) -> Vec<Node<'a, 'input>> {
    let (mut finals, mut worklist) = (Vec::new(), vec![tree.root_element()]);
    while let Some(container) = worklist.pop() {
        finals.extend(elements(container).filter(|it| name(*it) == "finalmarkings"));
        worklist.extend(elements(container).filter(|it| name(*it) == "module"));
    }
    finals
}

/// Collects the elements of a net and its pages. A list of unopened pages replaces recursion, so
/// any nesting depth is fine.
fn collect_elements<'a, 'input>(
    net: Node<'a, 'input>,
) -> Result<NetElements<'a, 'input>, Unreadable> {
    let mut net_elements = NetElements::default();
    let mut worklist = vec![net];
    while let Some(container) = worklist.pop() {
        for node in elements(container) {
            match name(node) {
                "page" => worklist.push(node),
                "place" => net_elements.places.push(node),
                "transition" => net_elements.transitions.push(node),
                "referencePlace" | "referenceTransition" => net_elements.references.push(node),
                "arc" => net_elements.arcs.push(node),
                "toolspecific" if optional_attribute(node, "tool") == Some("nupn") => {
                    net_elements.units.push(node)
                }
                "finalmarkings" => net_elements.finals.push(node),
                "toolspecific" | "name" | "graphics" => {}
                "declaration" => check_type(node)?,
                _ if pipe::is_ignored(node, container) => {}
                _ => return Err(unknown_element(node, container)),
            }
        }
    }
    Ok(net_elements)
}

/// Builds the net of the collected elements.
fn build(
    net: Node<'_, '_>,
    net_elements: &NetElements<'_, '_>,
) -> Result<ExtendedModel, Unreadable> {
    let refused = |node, error: BuildError| Unreadable::at(node, error.to_string());
    let mut builder = ExtendedBuilder::new(optional_attribute(net, "id").unwrap_or(""));
    for &node in &net_elements.places {
        let tokens = number_of_label(node, "initialMarking", 0)?;
        let id = attribute(node, "id")?;
        let p = builder.core.place(id, tokens).map_err(|error| refused(node, error))?;
        if let Some(label) = node_label(node) {
            builder.core.label_place(p, &label);
        }
    }
    let labelled_final_marking = finals::final_marking_of_places(&net_elements.places)?;
    for &node in &net_elements.transitions {
        // A transition has no label with a number, so this only checks its labels.
        number_of_label(node, "", 0)?;
        let id = attribute(node, "id")?;
        let t = builder.core.transition(id).map_err(|error| refused(node, error))?;
        if let Some(name) = node_label(node) {
            builder.core.label_transition(t, &name);
        }
    }
    let references = references(&net_elements.references, |id| {
        builder.core.node(id).map(|node| matches!(node, NetNode::Place(_)))
    })?;
    for &node in &net_elements.arcs {
        let kind = arc_kind(node)?;
        let weight = number_of_label(node, "inscription", 1)?;
        let find_end = |key| -> Result<NetNode, Unreadable> {
            let id = resolve(node, attribute(node, key)?, &references)?;
            let known = builder.core.node(id);
            known.ok_or_else(|| Unreadable::at(node, format!("the net has no node {}", Quoted(id))))
        };
        let added = match (find_end("source")?, find_end("target")?) {
            (NetNode::Place(p), NetNode::Transition(t)) => match kind {
                ArcKind::Plain => builder.core.take(t, p, weight),
                ArcKind::Read => builder.read(t, p, weight),
                ArcKind::Inhibitor => builder.inhibit(t, p, weight),
                ArcKind::Reset if weight == 1 => {
                    builder.reset(t, p);
                    Ok(())
                }
                ArcKind::Reset => {
                    return Err(Unreadable::at(
                        node,
                        "expected no weight, because a reset arc takes all tokens",
                    ));
                }
            },
            (NetNode::Transition(t), NetNode::Place(p)) if kind == ArcKind::Plain => {
                builder.core.put(t, p, weight)
            }
            (NetNode::Transition(_), NetNode::Place(_)) => {
                return Err(Unreadable::at(node, "expected a plain arc from a transition"));
            }
            _ => return Err(Unreadable::at(node, "an arc between two nodes of one kind")),
        };
        added.map_err(|error| refused(node, error))?;
    }
    let sizes = (net_elements.transitions.len(), net_elements.arcs.len());
    let units = units::read(&builder.core, &net_elements.units, sizes);
    let describe_omission = |error| format!("the model's nested units are ignored: {error}");
    let note = units.as_ref().err().map(describe_omission);
    if let Ok(Some(units)) = units {
        builder.core.set_units(units);
    }
    let finals =
        finals::read(&net_elements.finals, labelled_final_marking, &builder.core, &references)?;
    let net = builder.build().map_err(|error| refused(net, error))?;
    Ok(ExtendedModel { net: net.with_final_markings(finals), note })
}

/// Returns the number in the label `key` of a node or arc, or `default` if the label or its text is
/// missing. Returns an error for a second label `key`, for an unknown label, and for a known label
/// with an unsupported content.
fn number_of_label(node: Node<'_, '_>, key: &str, default: u64) -> Result<u64, Unreadable> {
    let mut value = None;
    for inside in elements(node) {
        match name(inside) {
            "name" | "graphics" | "toolspecific" => {}
            "type" | "arctype" if name(node) == "arc" => {} // `arc_kind` reads it
            "capacity" if name(node) == "place" => pipe::check_capacity(inside)?,
            "type" if name(node) == "place" => check_type(inside)?,
            "label" if ["place", "transition"].contains(&name(node)) => {} // TINA's second name
            "player" if name(node) == "transition" => pipe::check_player(inside)?,
            "condition" if name(node) == "transition" && !has_content(inside) => {}
            "tagged" => pipe::check_tagged(inside)?,
            "finalMarking" if name(node) == "place" => {} // `finals` reads it
            _ if pipe::is_ignored(inside, node) => {}
            found if found == key => {
                if value.replace(number_in_text(inside, default)?).is_some() {
                    return Err(Unreadable::at(inside, format!("a second `{key}`")));
                }
            }
            _ => return Err(unknown_element(inside, node)),
        }
    }
    Ok(value.unwrap_or(default))
}

/// Returns an error if the type of a place, or a declaration, contains other elements than texts,
/// drawings and tool data.
fn check_type(kind: Node<'_, '_>) -> Result<(), Unreadable> {
    match elements(kind).find(|it| !["text", "graphics", "toolspecific"].contains(&name(*it))) {
        None => Ok(()),
        Some(structure) => Err(unknown_element(structure, kind)),
    }
}

/// Returns true if a label has a text or a term. Tools write empty labels of coloured nets into
/// plain nets.
pub(crate) fn has_content(label: Node<'_, '_>) -> bool {
    let has_text = |node: Node<'_, '_>| {
        node.children().any(|it| it.is_text() && !trimmed(it.text().unwrap_or_default()).is_empty())
    };
    let is_term = |it: Node<'_, '_>| {
        !matches!(name(it), "text" | "value" | "name" | "graphics" | "toolspecific")
    };
    let is_text = |it: Node<'_, '_>| matches!(name(it), "text" | "value");
    has_text(label) || elements(label).any(|it| is_term(it) || is_text(it) && has_text(it))
}

/// Returns a node's label: the text of its last `name`, which may be empty. Returns `None` if the
/// node has no `name`.
pub(crate) fn node_label(node: Node<'_, '_>) -> Option<String> {
    let label = elements(node).filter(|element| name(*element) == "name").last()?;
    let trimmed_text = |node: Node<'_, '_>| -> String {
        let pieces = node.children().filter(Node::is_text).filter_map(|piece| piece.text());
        trimmed(&pieces.collect::<String>()).to_owned()
    };
    let text_element = elements(label).filter(|it| ["text", "value"].contains(&name(*it))).last();
    let text = text_element.map(trimmed_text).filter(|text| !text.is_empty());
    Some(text.unwrap_or_else(|| trimmed_text(label)))
}

/// The effect of an arc.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArcKind {
    Plain,
    Read,
    Inhibitor,
    Reset,
}

/// Reads the type of an arc, from an attribute (TAPAAL) or an element inside (PM4Py).
fn arc_kind(arc: Node<'_, '_>) -> Result<ArcKind, Unreadable> {
    // Each written type, with true if it stands in an element and false if it stands in an
    // attribute.
    let mut kinds: Vec<(String, bool)> =
        optional_attribute(arc, "type").map(|kind| (kind.to_owned(), false)).into_iter().collect();
    for type_element in
        elements(arc).filter(|&element| ["type", "arctype"].contains(&name(element)))
    {
        match optional_attribute(type_element, "value") {
            Some(value) => kinds.push((value.to_owned(), true)),
            None => {
                let pieces = type_element.descendants().filter(Node::is_text);
                kinds.push((pieces.filter_map(|piece| piece.text()).collect(), true));
            }
        }
    }
    let mut kind = ArcKind::Plain;
    for (written_type, is_element) in &kinds {
        if *is_element && trimmed(written_type).is_empty() {
            return Err(Unreadable::at(arc, "an empty type of an arc"));
        }
        let written_kind = match trimmed(written_type).to_ascii_lowercase().as_str() {
            // Renew writes `ordinary`.
            "" | "normal" | "ordinary" => ArcKind::Plain,
            "read" | "readarc" | "test" | "testarc" => ArcKind::Read,
            "inhibitor" | "inhibitorarc" => ArcKind::Inhibitor,
            "reset" | "resetarc" => ArcKind::Reset,
            _ => {
                let what = format!("expected a plain arc, found {}", Quoted(written_type));
                return Err(Unreadable::at(arc, what));
            }
        };
        if kind != ArcKind::Plain && written_kind != kind {
            return Err(Unreadable::at(arc, "an arc with two types"));
        }
        // PM4Py ignores the weight of an inhibitor arc whose type is an element.
        if *is_element
            && written_kind == ArcKind::Inhibitor
            && number_of_label(arc, "inscription", 1)? != 1
        {
            return Err(Unreadable::at(
                arc,
                "expected no weight, because tools disagree on its meaning",
            ));
        }
        kind = written_kind;
    }
    Ok(kind)
}

/// Returns an error for a read, inhibitor or reset arc.
pub(crate) fn check_plain_arc(arc: Node<'_, '_>) -> Result<(), Unreadable> {
    match arc_kind(arc)? {
        ArcKind::Plain => Ok(()),
        _ => Err(Unreadable::at(arc, "expected a plain arc, found a test or reset arc")),
    }
}
