//! Resolves the reference places and reference transitions of PNML, which represent other places
//! and transitions.

use super::{Unreadable, attribute, elements, name, unknown_element};
use parikh_net::printable::Quoted;
use roxmltree::Node;
use std::collections::HashMap;

/// Returns the id of the node that each reference represents, by the id of the reference.
/// `is_place` returns true for the id of a place, false for the id of a transition, and `None` for
/// other ids.
///
/// # Errors
/// When a reference has the id of a node, so that arcs would be ambiguous. Also when two references
/// have the same id, or when references form a cycle. Also when a reference leads to no node of its
/// kind, lacks an attribute, or contains an unknown element.
pub(crate) fn references<'a>(
    nodes: &[Node<'a, '_>],
    is_place: impl Fn(&str) -> Option<bool>,
) -> Result<HashMap<&'a str, &'a str>, Unreadable> {
    let mut targets = HashMap::new();
    for &node in nodes {
        let id = attribute(node, "id")?;
        let has_meaning =
            |it: &Node<'_, '_>| !matches!(name(*it), "name" | "graphics" | "toolspecific");
        if let Some(inside) = elements(node).find(has_meaning) {
            return Err(unknown_element(inside, node));
        }
        if is_place(id).is_some() {
            return Err(Unreadable::at(node, "this reference has the same id as a node"));
        }
        if targets.insert(id, attribute(node, "ref")?).is_some() {
            return Err(Unreadable::at(node, "the id of this reference is used twice"));
        }
    }
    let final_targets = resolve_chains(targets);
    for &node in nodes {
        let final_target = resolve(node, attribute(node, "id")?, &final_targets)?;
        let kind = match name(node) {
            "referencePlace" => "place",
            _ => "transition",
        };
        if is_place(final_target) != Some(kind == "place") {
            return Err(Unreadable::at(
                node,
                format!("this refers to {}, which is not a {kind}", Quoted(final_target)),
            ));
        }
    }
    Ok(final_targets)
}

/// Replaces the target of each reference by the end of its chain of references. A reference whose
/// chain leads into a cycle becomes its own target. Each chain is followed only once.
fn resolve_chains<'a>(targets: HashMap<&'a str, &'a str>) -> HashMap<&'a str, &'a str> {
    let mut final_targets: HashMap<&str, &str> = HashMap::with_capacity(targets.len());
    for &first in targets.keys() {
        let (mut chain, mut id) = (Vec::new(), first);
        let final_target = loop {
            match (final_targets.get(id), targets.get(id)) {
                (Some(&final_target), _) => {
                    // A reference that is its own target leads into a cycle.
                    break Some(final_target).filter(|final_target| *final_target != id);
                }
                (None, None) => break Some(id),
                // A chain with more links than there are references has entered a cycle.
                (None, Some(_)) if chain.len() > targets.len() => break None,
                (None, Some(&next)) => {
                    chain.push(id);
                    id = next;
                }
            }
        };
        chain.into_iter().for_each(|id| _ = final_targets.insert(id, final_target.unwrap_or(id)));
    }
    final_targets
}

/// Returns the id of the node that `id` represents, which is `id` itself if it is no reference.
/// Returns an error at `element` if the references form a cycle.
pub(crate) fn resolve<'a>(
    element: Node<'a, '_>,
    id: &'a str,
    references: &HashMap<&'a str, &'a str>,
) -> Result<&'a str, Unreadable> {
    match references.get(id) {
        None => Ok(id),
        Some(&target) if target != id => Ok(target),
        Some(_) => {
            Err(Unreadable::at(element, format!("the reference {} refers to itself", Quoted(id))))
        }
    }
}
