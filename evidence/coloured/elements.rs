//! What tools put around terms and sorts that means nothing.
//!
//! An operand stands in a `subterm`, sometimes in several, one in the other; a label's term in a
//! `structure`. A tuple of one component is that component, and a product of one sort that sort:
//! GreatSPN writes every token as a tuple. A `multisetsort` says that places hold multisets, which
//! they all do. `graphics` and `toolspecific` may be in anything.

use crate::reader::{Unreadable, elements, name, only};
use roxmltree::Node;

/// The one limit to depth: so deep sorts, terms and conditions may be nested, so many of the
/// elements that mean nothing may be around one of them, and so many components may tuples have,
/// those of components counted. Whatever walks over any of these by recursion does not overflow the
/// stack.
pub(super) const DEEPEST: usize = 2_000;

pub(super) fn too_deep(node: Node<'_, '_>) -> Unreadable {
    let what = format!("sorts, terms and conditions nested deeper than {DEEPEST} are not read");
    Unreadable::at(node, what)
}

/// The elements inside `node` that may mean something.
pub(super) fn said<'a, 'i>(node: Node<'a, 'i>) -> impl Iterator<Item = Node<'a, 'i>> {
    elements(node).filter(|&inside| !matches!(name(inside), "graphics" | "toolspecific"))
}

/// The term at `node` or inside of what only wraps it.
pub(super) fn bare_term<'a, 'i>(node: Node<'a, 'i>) -> Result<Node<'a, 'i>, Unreadable> {
    bare(node, &["subterm", "structure"], "tuple")
}

/// The sort at `node` or inside of what only wraps it.
pub(super) fn bare_sort<'a, 'i>(node: Node<'a, 'i>) -> Result<Node<'a, 'i>, Unreadable> {
    bare(node, &["subterm", "structure", "multisetsort"], "productsort")
}

/// Goes into wrappers, and into elements `of_one` that have one element in them.
fn bare<'a, 'i>(
    mut node: Node<'a, 'i>,
    wrappers: &[&str],
    of_one: &str,
) -> Result<Node<'a, 'i>, Unreadable> {
    for _ in 0..=DEEPEST {
        let mut inside = said(node);
        node = match name(node) {
            wrapper if wrappers.contains(&wrapper) => only(node, inside, "term")?,
            found if found == of_one => match (inside.next(), inside.next()) {
                (Some(one), None) => one,
                _ => return Ok(node),
            },
            _ => return Ok(node),
        };
    }
    Err(too_deep(node))
}
