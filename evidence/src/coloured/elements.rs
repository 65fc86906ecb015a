//! Elements that tools put around terms and sorts and that have no meaning.
//!
//! An operand is in a `subterm`, sometimes in several nested ones; the term of a label is in a
//! `structure`. A tuple of one component is that component, and a product of one sort is that sort:
//! GreatSPN writes every token as a tuple. A `multisetsort` says that places hold multisets, which
//! is always the case. `graphics` and `toolspecific` may occur in any element.

use crate::reader::{Unreadable, elements, name, only_element};
use roxmltree::Node;

/// The limit of depth: for the nesting of sorts, terms and conditions, for meaningless elements
/// around one of them, and for the components of tuples, counted recursively. So recursive
/// functions over these do not overflow the stack.
pub(super) const MAX_DEPTH: usize = 2_000;

pub(super) fn too_deep(node: Node<'_, '_>) -> Unreadable {
    let what =
        format!("sorts, terms and conditions nested deeper than {MAX_DEPTH} are not supported");
    Unreadable::at(node, what)
}

/// Iterates over the child elements of `node` except `graphics` and `toolspecific`, which have no
/// meaning.
pub(super) fn meaningful_elements<'a, 'i>(
    node: Node<'a, 'i>,
) -> impl Iterator<Item = Node<'a, 'i>> {
    elements(node).filter(|&inside| !matches!(name(inside), "graphics" | "toolspecific"))
}

/// Returns the term at `node` without wrappers, that is, without `subterm` and `structure` elements
/// and tuples of one component around it.
///
/// # Errors
/// When a `subterm` or `structure` does not have exactly one meaningful element, or the wrappers
/// are nested too deep.
pub(super) fn bare_term<'a, 'i>(node: Node<'a, 'i>) -> Result<Node<'a, 'i>, Unreadable> {
    without_wrappers(node, &["subterm", "structure"], "tuple")
}

/// Returns the sort at `node` without wrappers, that is, without `subterm`, `structure` and
/// `multisetsort` elements and products of one sort around it.
///
/// # Errors
/// When a wrapper does not have exactly one meaningful element, or the wrappers are nested too
/// deep.
pub(super) fn bare_sort<'a, 'i>(node: Node<'a, 'i>) -> Result<Node<'a, 'i>, Unreadable> {
    without_wrappers(node, &["subterm", "structure", "multisetsort"], "productsort")
}

/// Descends from `node` into the only child as long as the element is one of `wrappers`, or is
/// named `of_one` and has a single child.
///
/// # Errors
/// When a wrapper does not have exactly one meaningful element, or more than [`MAX_DEPTH`] elements
/// are nested.
fn without_wrappers<'a, 'i>(
    mut node: Node<'a, 'i>,
    wrappers: &[&str],
    of_one: &str,
) -> Result<Node<'a, 'i>, Unreadable> {
    for _ in 0..=MAX_DEPTH {
        let mut children = meaningful_elements(node);
        node = match name(node) {
            wrapper if wrappers.contains(&wrapper) => only_element(node, children, "term")?,
            element if element == of_one => match (children.next(), children.next()) {
                (Some(one), None) => one,
                _ => return Ok(node),
            },
            _ => return Ok(node),
        };
    }
    Err(too_deep(node))
}
