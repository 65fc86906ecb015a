//! The nodes and arcs of a symmetric net, read from PNML.

use super::sorts::{Declarations, not_known};
use super::terms::{Guard, Reader, Term};
use crate::reader::pnml::{plain_arc, references, resolve, the_net};
use crate::reader::{Unreadable, attribute, child, decode, elements, name, only, tree};
use roxmltree::Node;
use std::collections::HashMap;

/// A coloured net as its file has it.
#[derive(Debug)]
pub struct ColouredModel {
    pub(super) name: String,
    pub(super) declarations: Declarations,
    pub(super) places: Vec<Place>,
    pub(super) transitions: Vec<Transition>,
}

#[derive(Debug)]
pub(super) struct Place {
    pub(super) id: String,
    pub(super) sort: usize,
    pub(super) initial: Term,
}

#[derive(Debug)]
pub(super) struct Transition {
    pub(super) id: String,
    /// In the order of their declaration.
    pub(super) variables: Vec<usize>,
    pub(super) guard: Guard,
    /// Places with what is taken from them, and what is put.
    pub(super) takes: Vec<(usize, Term)>,
    pub(super) puts: Vec<(usize, Term)>,
}

/// Whether a file is one of a coloured net; how it is to be read is for its reader to say.
pub fn is_coloured(bytes: &[u8]) -> bool {
    let kind = |text: &str| -> Option<bool> {
        let tree = tree(text).ok()?;
        let kind = the_net(&tree).ok()?.attribute("type")?.to_ascii_lowercase();
        Some(kind.contains("symmetricnet"))
    };
    decode(bytes).is_ok_and(|text| kind(&text) == Some(true))
}

/// Reads a coloured net.
///
/// # Errors
/// With the line and what was expected there.
pub fn read(bytes: &[u8]) -> Result<ColouredModel, Unreadable> {
    let text = decode(bytes)?;
    let tree = tree(&text)?;
    let net = the_net(&tree)?;
    let (mut declared, mut nodes, mut aliases, mut arcs) = (vec![], vec![], vec![], vec![]);
    let mut unopened = vec![net];
    while let Some(around) = unopened.pop() {
        for node in elements(around) {
            match name(node) {
                "page" => unopened.push(node),
                "declaration" => {
                    let structure = child(node, "structure")?;
                    declared.extend(elements(child(structure, "declarations")?));
                }
                "place" | "transition" => nodes.push(node),
                "referencePlace" | "referenceTransition" => aliases.push(node),
                "arc" => arcs.push(node),
                "toolspecific" | "name" | "graphics" => {}
                _ => return Err(not_known(node)),
            }
        }
    }
    let mut model = ColouredModel {
        name: net.attribute("id").unwrap_or("").to_owned(),
        declarations: Declarations::read(declared)?,
        places: Vec::new(),
        transitions: Vec::new(),
    };
    let mut ids = HashMap::new();
    for node in nodes {
        let id = attribute(node, "id")?;
        let is_place = name(node) == "place";
        let at = if is_place { model.places.len() } else { model.transitions.len() };
        if ids.insert(id, (is_place, at)).is_some() {
            return Err(Unreadable::at(node, format!("two nodes are called `{id}`")));
        }
        let mut reader = Reader { declarations: &mut model.declarations, depth: 0 };
        if is_place {
            let sort = label(node, "type", &["hlinitialMarking"])?;
            let sort = sort.ok_or_else(|| Unreadable::at(node, "this place has no `type`"))?;
            let sort = reader.declarations.sort(sort)?;
            let initial = match label(node, "hlinitialMarking", &["type"])? {
                Some(term) => reader.term(term, sort)?,
                None => Term::Sum(Vec::new()),
            };
            let mut variables = Vec::new();
            initial.variables(&mut variables);
            if !variables.is_empty() {
                return Err(Unreadable::at(node, "a variable in an initial marking"));
            }
            model.places.push(Place { id: id.to_owned(), sort, initial });
        } else {
            let guard = match label(node, "condition", &[])? {
                Some(term) => reader.guard(term)?,
                None => Guard::All(Vec::new()),
            };
            let (variables, takes, puts) = (Vec::new(), Vec::new(), Vec::new());
            let id = id.to_owned();
            model.transitions.push(Transition { id, variables, guard, takes, puts });
        }
    }
    let references = references(&aliases)?;
    for node in arcs {
        plain_arc(node)?;
        let end = |key| {
            let id = resolve(node, attribute(node, key)?, &references)?;
            let known = ids.get(id).copied();
            known.ok_or_else(|| Unreadable::at(node, format!("the net has no node `{id}`")))
        };
        let (place, transition, takes) = match (end("source")?, end("target")?) {
            ((true, place), (false, transition)) => (place, transition, true),
            ((false, transition), (true, place)) => (place, transition, false),
            _ => return Err(Unreadable::at(node, "an arc between two nodes of one kind")),
        };
        let term = label(node, "hlinscription", &["type"])?;
        let term = term.ok_or_else(|| Unreadable::at(node, "this arc has no `hlinscription`"))?;
        let mut reader = Reader { declarations: &mut model.declarations, depth: 0 };
        let term = reader.term(term, model.places[place].sort)?;
        let transition = &mut model.transitions[transition];
        let arcs = if takes { &mut transition.takes } else { &mut transition.puts };
        arcs.push((place, term));
    }
    for transition in &mut model.transitions {
        let variables = &mut transition.variables;
        transition.guard.variables(variables);
        transition.takes.iter().for_each(|(_, term)| term.variables(variables));
        transition.puts.iter().for_each(|(_, term)| term.variables(variables));
        variables.sort_unstable();
        variables.dedup();
    }
    Ok(model)
}

/// The term in the `structure` of the label `key`, where `node` has one. Labels that are not known are
/// refused on the way.
fn label<'a, 'i>(
    node: Node<'a, 'i>,
    key: &str,
    others: &[&str],
) -> Result<Option<Node<'a, 'i>>, Unreadable> {
    let mut term = None;
    for inside in elements(node) {
        match name(inside) {
            "name" | "graphics" | "toolspecific" => {}
            other if others.contains(&other) => {}
            found if found == key => {
                let structure = child(inside, "structure")?;
                if term.replace(only(structure, elements(structure), "term")?).is_some() {
                    return Err(Unreadable::at(inside, format!("a second `{key}`")));
                }
            }
            _ => return Err(not_known(inside)),
        }
    }
    Ok(term)
}
