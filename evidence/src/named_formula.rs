//! Temporal formulas in files: a list of nodes, each of which refers to earlier nodes by number.

use parikh_temporal::{Formula, Formulas, Literal, Paths};

/// A node of a formula. Its operands are numbers of earlier nodes.
pub(crate) enum NamedNode<'l, P> {
    /// The constant true or false.
    Constant(bool),
    /// An atom, numbered from 1, or its negation as a negative number.
    Literal(i64),
    /// A conjunction.
    And(&'l [usize]),
    /// A disjunction.
    Or(&'l [usize]),
    /// The operand holds at the next position.
    Next(P, usize),
    /// The second operand holds at some position, and the first operand at all positions before it.
    Until(P, usize, usize),
    /// The second operand holds up to and including the first position where the first operand
    /// holds, or forever.
    Release(P, usize, usize),
}

/// Builds the nodes as formulas of `store`, with `atoms` as the atoms. Returns one formula per
/// node.
///
/// # Errors
/// When a number is not the number of an atom, or of an earlier node.
pub(crate) fn build<'l, P: Paths>(
    nodes: impl IntoIterator<Item = NamedNode<'l, P>>,
    store: &mut Formulas<P>,
    atoms: &[Formula<P>],
) -> Result<Vec<Formula<P>>, String> {
    let mut built: Vec<Formula<P>> = Vec::new();
    for (number, node) in nodes.into_iter().enumerate() {
        let operand = |earlier_number: usize| {
            let earlier = built.get(earlier_number).copied();
            earlier.ok_or_else(|| format!("formula {number} refers to a later formula"))
        };
        let operands =
            |all: &[usize]| all.iter().map(|&it| operand(it)).collect::<Result<Vec<_>, _>>();
        let formula = match node {
            NamedNode::Constant(value) => store.constant(value),
            NamedNode::Literal(literal) => {
                let index = (literal.unsigned_abs() as usize).checked_sub(1);
                let atom =
                    index.and_then(|index| atoms.get(index)).ok_or("there is no such atom")?;
                if literal > 0 { *atom } else { store.negate(*atom) }
            }
            NamedNode::And(all) => store.and(operands(all)?),
            NamedNode::Or(any) => store.or(operands(any)?),
            NamedNode::Next(paths, inner) => store.next(paths, operand(inner)?),
            NamedNode::Until(paths, left, right) => {
                store.until(paths, operand(left)?, operand(right)?)
            }
            NamedNode::Release(paths, left, right) => {
                store.release(paths, operand(left)?, operand(right)?)
            }
        };
        built.push(formula);
    }
    Ok(built)
}

/// Returns a literal as a number: atoms from 1, negative for a negation.
pub(crate) fn signed(literal: Literal) -> i64 {
    let number = i64::from(literal.atom.0) + 1;
    if literal.positive { number } else { -number }
}
