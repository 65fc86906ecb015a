//! Operators of logic in formulas: from the XML to junctions of what has none.
//!
//! Negation is pushed inside with a flag, so that it ends at the leaves. A list holds the operands
//! that are still to be read: no depth of a file costs stack.

use super::{DEEPEST, leaf};
use crate::reader::{Unreadable, elements, name};
use parikh_net::{Net, Predicate};
use roxmltree::Node;

/// A junction that is being put together.
struct Open<'a, 'input, T> {
    /// Whether one part is enough.
    any: bool,
    /// The operands still to be looked at, the last one first.
    left: Vec<Operand<'a, 'input>>,
    /// Those that are done.
    done: Vec<T>,
    /// How many levels of the file the junction is: none for the two operands of an equivalence.
    levels: usize,
}

/// A part of a formula that is still to be looked at.
#[derive(Clone, Copy)]
pub(super) enum Operand<'a, 'input> {
    /// The formula at a node, or its negation.
    Formula(Node<'a, 'input>, bool),
    /// The conjunction of two, each with whether it is negated.
    Both([(Node<'a, 'input>, bool); 2]),
}

/// A state formula, or its negation, as a predicate in sorted form: formulas that differ in no more
/// than the order of their operands are equal.
pub(super) fn predicate(
    net: &Net,
    node: Node<'_, '_>,
    negated: bool,
) -> Result<Predicate, Unreadable> {
    let part = |node, negated| {
        let leaf = leaf(net, node)?;
        Ok(if negated { leaf.negated() } else { leaf })
    };
    let join = |any, parts| if any { Predicate::or(parts) } else { Predicate::and(parts) };
    Ok(junctions(node, negated, &part, &join)?.sorted())
}

/// Leaves that are read for one formula beyond four times its elements. An equivalence reads each
/// of its operands twice, and one inside of another four times.
const SPARE_LEAVES: usize = 100_000;

/// A formula, or its negation, from what is made of its leaves, each with whether it is negated, by
/// joining them: one part is enough, or all are wanted.
pub(super) fn junctions<'a, 'input, T>(
    node: Node<'a, 'input>,
    negated: bool,
    leaf: &dyn Fn(Node<'a, 'input>, bool) -> Result<T, Unreadable>,
    join: &dyn Fn(bool, Vec<T>) -> T,
) -> Result<T, Unreadable> {
    let mut open: Vec<Open<'a, 'input, T>> = Vec::new();
    let mut next = Operand::Formula(node, negated);
    let (mut leaves, mut depth) = (0, 0);
    let most = SPARE_LEAVES + 4 * node.descendants().count();
    loop {
        let mut made = match operands(next)? {
            Some((any, left)) => {
                let levels = usize::from(matches!(next, Operand::Formula(..)));
                open.push(Open { any, left, done: Vec::new(), levels });
                depth += levels;
                if depth > DEEPEST {
                    let what = format!("formulas nested deeper than {DEEPEST} are not read");
                    return Err(Unreadable::at(node, what));
                }
                None
            }
            None => {
                leaves += 1;
                let Operand::Formula(node, negated) = next else {
                    return Err(Unreadable::at(node, "expected a formula"));
                };
                if leaves > most {
                    return Err(Unreadable::at(node, "the formula has too many equivalences"));
                }
                Some(leaf(node, negated)?)
            }
        };
        // Closes what is complete, and goes on with what is not.
        loop {
            let Some(junction) = open.last_mut() else {
                match made {
                    // Nothing is open: what was made is the whole.
                    Some(made) => return Ok(made),
                    None => break,
                }
            };
            junction.done.extend(made.take());
            if let Some(operand) = junction.left.pop() {
                next = operand;
                break;
            }
            made = Some(join(junction.any, std::mem::take(&mut junction.done)));
            depth -= junction.levels;
            open.pop();
        }
    }
}

/// Whether one operand is enough, and the operands, the last one first.
pub(super) type Operands<'a, 'input> = (bool, Vec<Operand<'a, 'input>>);

/// The operands of a formula, negated where the whole is; `None` for a leaf. ¬(a ∧ b) = ¬a ∨ ¬b,
/// ¬(a ∨ b) = ¬a ∧ ¬b, a → b = ¬a ∨ b, and a ↔ b = (a ∧ b) ∨ (¬a ∧ ¬b).
pub(super) fn operands<'a, 'input>(
    whole: Operand<'a, 'input>,
) -> Result<Option<Operands<'a, 'input>>, Unreadable> {
    let (node, negated) = match whole {
        Operand::Formula(node, negated) => (node, negated),
        Operand::Both(both) => {
            let both =
                both.into_iter().rev().map(|(node, negated)| Operand::Formula(node, negated));
            return Ok(Some((false, both.collect())));
        }
    };
    let Some(connective) = Connective::of(node)? else { return Ok(None) };
    let mut parts: Vec<_> = elements(node).map(|operand| (operand, negated)).collect();
    let any = match connective {
        Connective::And => negated,
        Connective::Or => !negated,
        Connective::Not => {
            parts[0].1 = !negated;
            true
        }
        Connective::Implies => {
            parts[0].1 = !negated;
            !negated
        }
        Connective::Alike(alike) => {
            let (a, b) = (parts[0].0, parts[1].0);
            let differ = alike == negated;
            let cases = [[(a, true), (b, !differ)], [(a, false), (b, differ)]];
            return Ok(Some((true, cases.map(Operand::Both).to_vec())));
        }
    };
    let parts = parts.into_iter().rev();
    Ok(Some((any, parts.map(|(node, negated)| Operand::Formula(node, negated)).collect())))
}

/// An operator of logic.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Connective {
    And,
    Or,
    Not,
    Implies,
    /// Both or neither, or its negation.
    Alike(bool),
}

impl Connective {
    /// The operator at `node`, which has as many operands as it takes; `None` for other elements.
    ///
    /// # Errors
    /// Where the number of operands is another.
    pub(super) fn of(node: Node<'_, '_>) -> Result<Option<Connective>, Unreadable> {
        let (connective, counts) = match name(node) {
            "conjunction" | "and" => (Connective::And, 1..=usize::MAX),
            "disjunction" | "or" => (Connective::Or, 1..=usize::MAX),
            "negation" | "not" => (Connective::Not, 1..=1),
            "implication" => (Connective::Implies, 2..=2),
            "equivalence" => (Connective::Alike(true), 2..=2),
            "exclusive-disjunction" | "xor" => (Connective::Alike(false), 2..=2),
            _ => return Ok(None),
        };
        let found = elements(node).count();
        match counts.contains(&found) {
            true => Ok(Some(connective)),
            false => {
                let what = format!("`{}` of {found} operands", name(node));
                Err(Unreadable::at(node, what))
            }
        }
    }
}
