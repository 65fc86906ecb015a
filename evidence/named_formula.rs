//! Temporal formulas as they stand in files: a list of parts, each of which refers to parts before
//! it.

use parikh_temporal::{Formula, Formulas, Literal, Paths};

/// A part, by the numbers of its own parts.
pub(crate) enum NamedNode<'l, P> {
    /// Always of this value.
    Constant(bool),
    /// An atom from 1, or its negation.
    Literal(i64),
    /// All of these.
    And(&'l [usize]),
    /// One of these.
    Or(&'l [usize]),
    /// After one step.
    Next(P, usize),
    /// The first until the second.
    Until(P, usize, usize),
    /// The first releases the second.
    Release(P, usize, usize),
}

/// The parts as formulas, with these in place of atoms.
///
/// # Errors
/// When a number is not that of an atom, or of a part before.
pub(crate) fn build<'l, P: Paths>(
    nodes: impl IntoIterator<Item = NamedNode<'l, P>>,
    store: &mut Formulas<P>,
    atoms: &[Formula<P>],
) -> Result<Vec<Formula<P>>, String> {
    let mut built: Vec<Formula<P>> = Vec::new();
    for (number, node) in nodes.into_iter().enumerate() {
        let part = |part: usize| {
            let before = built.get(part).copied();
            before.ok_or_else(|| format!("formula {number} refers to one that is not before it"))
        };
        let parts = |all: &[usize]| all.iter().map(|&it| part(it)).collect::<Result<Vec<_>, _>>();
        let formula = match node {
            NamedNode::Constant(value) => store.constant(value),
            NamedNode::Literal(literal) => {
                let atom = (literal.unsigned_abs() as usize).checked_sub(1);
                let atom = atom.and_then(|atom| atoms.get(atom)).ok_or("there is no such atom")?;
                if literal > 0 { *atom } else { store.negate(*atom) }
            }
            NamedNode::And(all) => store.and(parts(all)?),
            NamedNode::Or(any) => store.or(parts(any)?),
            NamedNode::Next(paths, inner) => store.next(paths, part(inner)?),
            NamedNode::Until(paths, left, right) => store.until(paths, part(left)?, part(right)?),
            NamedNode::Release(paths, left, right) => {
                store.release(paths, part(left)?, part(right)?)
            }
        };
        built.push(formula);
    }
    Ok(built)
}

/// A literal as a number: atoms from 1, negative for a negation.
pub(crate) fn signed(literal: Literal) -> i64 {
    let number = i64::from(literal.atom.0) + 1;
    if literal.positive { number } else { -number }
}
