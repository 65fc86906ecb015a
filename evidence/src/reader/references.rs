//! Reference nodes, which represent other nodes of a model.

use super::{Unreadable, attribute, elements, name, unknown};
use parikh_net::printable::Quoted;
use roxmltree::Node;
use std::collections::HashMap;

/// Returns the node that each reference represents, by id. `is_place` returns true for the id of a
/// place, false for the id of a transition, and `None` for other ids.
///
/// # Errors
/// When a reference has the id of a node, so that arcs would be ambiguous. Also when two references
/// have the same id, or when one leads to no node of its kind.
pub(crate) fn references<'a>(
    nodes: &[Node<'a, '_>],
    is_place: impl Fn(&str) -> Option<bool>,
) -> Result<HashMap<&'a str, &'a str>, Unreadable> {
    let mut targets = HashMap::new();
    for &node in nodes {
        let id = attribute(node, "id")?;
        let means = |it: &Node<'_, '_>| !matches!(name(*it), "name" | "graphics" | "toolspecific");
        if let Some(inside) = elements(node).find(means) {
            return Err(unknown(inside, node));
        }
        if is_place(id).is_some() {
            return Err(Unreadable::at(node, "this reference has the same id as a node"));
        }
        if targets.insert(id, attribute(node, "ref")?).is_some() {
            return Err(Unreadable::at(node, "the id of this reference is used twice"));
        }
    }
    let ends = shortened(targets);
    for &node in nodes {
        let end = resolve(node, attribute(node, "id")?, &ends)?;
        let kind = match name(node) {
            "referencePlace" => "place",
            _ => "transition",
        };
        if is_place(end) != Some(kind == "place") {
            return Err(Unreadable::at(
                node,
                format!("this refers to {}, which is not a {kind}", Quoted(end)),
            ));
        }
    }
    Ok(ends)
}

/// Replaces each target by the end of its chain of references, or by the reference itself if the
/// chain is a cycle. Each chain is followed only once.
fn shortened<'a>(targets: HashMap<&'a str, &'a str>) -> HashMap<&'a str, &'a str> {
    let mut ends: HashMap<&str, &str> = HashMap::with_capacity(targets.len());
    for &first in targets.keys() {
        let (mut way, mut id) = (Vec::new(), first);
        let end = loop {
            match (ends.get(id), targets.get(id)) {
                (Some(&end), _) => break Some(end).filter(|end| *end != id),
                (None, None) => break Some(id),
                (None, Some(_)) if way.len() > targets.len() => break None,
                (None, Some(&next)) => {
                    way.push(id);
                    id = next;
                }
            }
        };
        way.into_iter().for_each(|id| _ = ends.insert(id, end.unwrap_or(id)));
    }
    ends
}

/// Returns the id of the node that `id` represents, or an error if the references form a cycle.
pub(crate) fn resolve<'a>(
    arc: Node<'a, '_>,
    id: &'a str,
    references: &HashMap<&'a str, &'a str>,
) -> Result<&'a str, Unreadable> {
    match references.get(id) {
        None => Ok(id),
        Some(&end) if end != id => Ok(end),
        Some(_) => {
            Err(Unreadable::at(arc, format!("the reference {} refers to itself", Quoted(id))))
        }
    }
}
