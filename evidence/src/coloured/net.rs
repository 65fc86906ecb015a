//! Reads the nodes and arcs of a symmetric net from PNML.

use super::elements::meaningful_elements;
use super::sorts::{Declarations, SortStructure, not_known};
use super::terms::{GuardTerm, MultisetTerm, TermReader};
use crate::reader::allowed_attributes::check_attributes_and_texts;
use crate::reader::pipe::check_tagged;
use crate::reader::pnml::{check_plain_arc, has_content, node_label, only_net};
use crate::reader::references::{references, resolve};
use crate::reader::timing::{NetTiming, TimeTreatment, is_timing_element};
use crate::reader::{
    Unreadable, attribute, decode, elements, name, only_element, optional_attribute, parse_xml,
    trimmed,
};
use parikh_net::Assumption;
use parikh_net::printable::Quoted;
use roxmltree::Node;
use std::collections::HashMap;

/// A coloured net as given in its file.
#[derive(Debug)]
pub struct ColouredModel {
    /// The name of the net.
    pub(super) name: String,
    /// The sorts and variables.
    pub(super) declarations: Declarations,
    /// The places, in the order of the file.
    pub(super) places: Vec<SortedPlace>,
    /// The transitions, in the order of the file.
    pub(super) transitions: Vec<GuardedTransition>,
    /// The assumptions about the model.
    pub(super) assumptions: Vec<Assumption>,
}

/// A place with the sort of its tokens and its initial multiset.
#[derive(Debug)]
pub(super) struct SortedPlace {
    pub(super) id: String,
    /// The text of the place's last `name` element, which may be empty. `None` if there is no such
    /// element.
    pub(super) label: Option<String>,
    /// The index of the sort of its tokens.
    pub(super) sort: usize,
    pub(super) initial: MultisetTerm,
}

/// A transition with its guard and its arcs.
#[derive(Debug)]
pub(super) struct GuardedTransition {
    pub(super) id: String,
    /// The text of the transition's last `name` element, which may be empty. `None` if there is no
    /// such element.
    pub(super) label: Option<String>,
    /// Indices of the variables in the guard and on the arcs, in the order of their declaration.
    pub(super) variables: Vec<usize>,
    pub(super) guard: GuardTerm,
    /// The input places, each with the multiset of tokens that a firing takes.
    pub(super) inputs: Vec<(usize, MultisetTerm)>,
    /// The output places, each with the multiset of tokens that a firing produces.
    pub(super) outputs: Vec<(usize, MultisetTerm)>,
}

/// Returns true if a file is a coloured net. The type of the net says so. TAPAAL writes the type of
/// plain nets for both, so labels and declarations that plain nets do not have count as well.
/// Returns false for a file that cannot be read as a net.
pub fn is_coloured(bytes: &[u8]) -> bool {
    let Ok(text) = decode(bytes) else { return false };
    let Ok(tree) = parse_xml(&text) else { return false };
    let Ok(net) = only_net(&tree) else { return false };
    let kind = optional_attribute(net, "type").unwrap_or("").to_ascii_lowercase();
    if ["symmetricnet", "highlevelnet", "hlpn"].iter().any(|it| kind.contains(it)) {
        return true;
    }
    let is_label = |label: Node<'_, '_>| match name(label) {
        "hlinitialMarking" | "hlinscription" => true,
        "condition" => has_content(label),
        "type" => elements(label).any(|inside| name(inside) == "structure"),
        _ => false,
    };
    let mut worklist = vec![net];
    while let Some(parent) = worklist.pop() {
        for node in elements(parent) {
            match name(node) {
                "page" => worklist.push(node),
                "declaration" if has_content(node) => return true,
                "place" | "transition" | "arc" if elements(node).any(is_label) => return true,
                _ => {}
            }
        }
    }
    false
}

/// The elements of a net by kind, each in the order of the file.
#[derive(Default)]
struct ColouredElements<'a, 'i> {
    /// The declarations of sorts and variables.
    declared: Vec<Node<'a, 'i>>,
    /// Place and transition elements.
    nodes: Vec<Node<'a, 'i>>,
    /// Reference places and reference transitions.
    aliases: Vec<Node<'a, 'i>>,
    arcs: Vec<Node<'a, 'i>>,
}

impl<'a, 'i> ColouredElements<'a, 'i> {
    /// Collects the elements of a net, including those on pages.
    fn of(net: Node<'a, 'i>) -> Result<Self, Unreadable> {
        let mut elements_by_kind = ColouredElements::default();
        let mut worklist: Vec<_> = elements(net).collect();
        worklist.reverse();
        while let Some(node) = worklist.pop() {
            match name(node) {
                "page" => {
                    let first_child = worklist.len();
                    worklist.extend(elements(node));
                    worklist[first_child..].reverse();
                }
                "declaration" => declarations(node, &mut elements_by_kind.declared),
                "place" | "transition" => elements_by_kind.nodes.push(node),
                "referencePlace" | "referenceTransition" => elements_by_kind.aliases.push(node),
                "arc" => elements_by_kind.arcs.push(node),
                "toolspecific" | "name" | "graphics" => {}
                _ => return Err(not_known(node)),
            }
        }
        Ok(elements_by_kind)
    }
}

/// Reads a coloured net. Its places and transitions are in the order of the file, like those of an
/// unfolding.
///
/// # Errors
/// The line, and what was expected there.
pub fn read(bytes: &[u8]) -> Result<ColouredModel, Unreadable> {
    read_as(bytes, TimeTreatment::Refused)
}

/// Reads a coloured net like [`read`], and rejects or ignores times and priorities according to
/// `times`.
///
/// # Errors
/// The errors of [`read`].
pub fn read_as(bytes: &[u8], times: TimeTreatment) -> Result<ColouredModel, Unreadable> {
    let text = decode(bytes)?;
    let tree = parse_xml(&text)?;
    let net = only_net(&tree)?;
    check_attributes_and_texts(net)?;
    let ColouredElements { declared, nodes, aliases, arcs } = ColouredElements::of(net)?;
    let mut model = ColouredModel {
        name: optional_attribute(net, "id").unwrap_or("").to_owned(),
        declarations: Declarations::read(declared)?,
        places: Vec::new(),
        transitions: Vec::new(),
        assumptions: NetTiming::of(net).assumptions(times)?,
    };
    let mut ids = HashMap::new();
    for node in nodes {
        let id = attribute(node, "id")?;
        let is_place = name(node) == "place";
        let index = if is_place { model.places.len() } else { model.transitions.len() };
        if ids.insert(id, (is_place, index)).is_some() {
            return Err(Unreadable::at(node, format!("two nodes have the name {}", Quoted(id))));
        }
        match is_place {
            true => model.add_place(node, id)?,
            false => model.add_transition(node, id)?,
        }
    }
    let is_place = |id: &str| ids.get(id).map(|&(is_place, _)| is_place);
    let references = references(&aliases, is_place)?;
    for node in arcs {
        check_plain_arc(node)?;
        let node_at = |key| {
            let id = resolve(node, attribute(node, key)?, &references)?;
            let known = ids.get(id).copied();
            known.ok_or_else(|| Unreadable::at(node, format!("the net has no node {}", Quoted(id))))
        };
        match (node_at("source")?, node_at("target")?) {
            ((true, place), (false, transition)) => {
                let term = model.read_inscription(node, place)?;
                model.transitions[transition].inputs.push((place, term));
            }
            ((false, transition), (true, place)) => {
                let term = model.read_inscription(node, place)?;
                model.transitions[transition].outputs.push((place, term));
            }
            _ => return Err(Unreadable::at(node, "an arc between two nodes of one kind")),
        }
    }
    for transition in &mut model.transitions {
        let variables = &mut transition.variables;
        transition.guard.variables(variables);
        transition.inputs.iter().for_each(|(_, term)| term.variables(variables));
        transition.outputs.iter().for_each(|(_, term)| term.variables(variables));
        variables.sort_unstable();
        variables.dedup();
    }
    Ok(model)
}

impl ColouredModel {
    fn add_place(&mut self, node: Node<'_, '_>, id: &str) -> Result<(), Unreadable> {
        let mut reader = TermReader { declarations: &mut self.declarations, depth: 0 };
        // A place without a type holds black tokens, as in a plain net.
        let sort = match label(node, "type", &["hlinitialMarking"])? {
            Some(sort) => reader.declarations.sort(sort)?,
            None => reader.declarations.dot(node)?,
        };
        let initial = match label(node, "hlinitialMarking", &["type"])? {
            Some(term) => reader.term(term, sort)?,
            None => MultisetTerm::Sum(Vec::new()),
        };
        let mut variables = Vec::new();
        initial.variables(&mut variables);
        if !variables.is_empty() {
            return Err(Unreadable::at(node, "a variable in an initial marking"));
        }
        self.places.push(SortedPlace { id: id.to_owned(), label: node_label(node), sort, initial });
        Ok(())
    }

    fn add_transition(&mut self, node: Node<'_, '_>, id: &str) -> Result<(), Unreadable> {
        let mut reader = TermReader { declarations: &mut self.declarations, depth: 0 };
        let guard = match label(node, "condition", &["rate"])? {
            Some(term) => reader.guard(term)?,
            None => GuardTerm::All(Vec::new()),
        };
        let (variables, takes, puts) = (Vec::new(), Vec::new(), Vec::new());
        let (id, label) = (id.to_owned(), node_label(node));
        self.transitions.push(GuardedTransition {
            id,
            label,
            variables,
            guard,
            inputs: takes,
            outputs: puts,
        });
        Ok(())
    }

    /// Reads the multiset that an arc at a place moves.
    fn read_inscription(
        &mut self,
        node: Node<'_, '_>,
        place: usize,
    ) -> Result<MultisetTerm, Unreadable> {
        let sort = self.places[place].sort;
        match label(node, "hlinscription", &["type", "arctype"])? {
            Some(term) => {
                TermReader { declarations: &mut self.declarations, depth: 0 }.term(term, sort)
            }
            // Without an inscription, an arc at a place of black tokens moves one token.
            None if *self.declarations.kind(sort) == SortStructure::Dot => {
                Ok(MultisetTerm::Constant(0))
            }
            None => {
                let what = "this arc has no `hlinscription`, but its place has colours";
                Err(Unreadable::at(node, what))
            }
        }
    }
}

/// Collects the declarations in a `declaration`, with or without `structure` and `declarations`
/// around them.
fn declarations<'a, 'i>(node: Node<'a, 'i>, into: &mut Vec<Node<'a, 'i>>) {
    let mut worklist = vec![node];
    while let Some(node) = worklist.pop() {
        for inside in meaningful_elements(node) {
            match name(inside) {
                "structure" | "declarations" => worklist.push(inside),
                "text" | "name" => {}
                _ => into.push(inside),
            }
        }
    }
}

/// Returns the content of the label `key` of `node`: its `structure`, or the term directly in it.
/// Returns `None` if this label is missing or empty. Ignores names, graphics, data of tools, valid
/// `tagged` elements, times and priorities, and the labels `other_labels`. Rejects all further
/// labels, a second label `key`, and a label with only a text.
fn label<'a, 'i>(
    node: Node<'a, 'i>,
    key: &str,
    other_labels: &[&str],
) -> Result<Option<Node<'a, 'i>>, Unreadable> {
    let mut term = None;
    for inside in meaningful_elements(node) {
        match name(inside) {
            "name" => {}
            "tagged" => check_tagged(inside)?,
            other if other_labels.contains(&other) || is_timing_element(other) => {}
            found if found == key => {
                let (texts, terms): (Vec<_>, Vec<_>) = meaningful_elements(inside)
                    .partition(|&it| matches!(name(it), "text" | "name"));
                let has_text = |text: &Node<'_, '_>| {
                    let piece =
                        |node: Node<'_, '_>| node.text().is_some_and(|it| !trimmed(it).is_empty());
                    name(*text) == "text" && text.descendants().any(piece)
                };
                if terms.is_empty() {
                    if texts.iter().any(has_text) {
                        let what = format!("a `{key}` with text only; expected a `structure`");
                        return Err(Unreadable::at(inside, what));
                    }
                    continue;
                }
                let single = only_element(inside, terms.into_iter(), "term")?;
                if term.replace(single).is_some() {
                    return Err(Unreadable::at(inside, format!("a second `{key}`")));
                }
            }
            _ => return Err(not_known(inside)),
        }
    }
    Ok(term)
}
