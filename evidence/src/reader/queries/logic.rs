//! Reads the logical operators of formulas in XML, and returns conjunctions and disjunctions of
//! leaves.
//!
//! A flag pushes negation down to the leaves. A list of open operands replaces recursion, so nested
//! formulas do not overflow the call stack. Formulas nested deeper than `MAX_DEPTH` are refused.

use super::{MAX_DEPTH, read_leaf};
use crate::reader::{Unreadable, elements, name};
use parikh_net::{Net, Predicate};
use roxmltree::Node;

/// A conjunction or disjunction under construction.
struct OpenJunction<'a, 'input, T> {
    /// True for a disjunction.
    is_disjunction: bool,
    /// The operands still to be read, in reverse order.
    open_operands: Vec<UnreadOperand<'a, 'input>>,
    /// The results of the operands read so far.
    results: Vec<T>,
    /// The number of nesting levels that this junction has in the file: 1, or 0 for one of the two
    /// cases of an equivalence.
    levels: usize,
}

/// A part of a formula still to be read.
#[derive(Clone, Copy)]
pub(super) enum UnreadOperand<'a, 'input> {
    /// The formula at a node, negated if the boolean is true.
    Formula(Node<'a, 'input>, bool),
    /// The conjunction of two formulas, each negated if its boolean is true.
    Conjunction([(Node<'a, 'input>, bool); 2]),
}

/// Reads a state formula, negated if `negated`, as a sorted predicate. Formulas that only differ in
/// the order of operands give equal predicates.
pub(super) fn read_predicate(
    net: &Net,
    node: Node<'_, '_>,
    negated: bool,
) -> Result<Predicate, Unreadable> {
    let signed_leaf = |node, negated| {
        let leaf = read_leaf(net, node)?;
        Ok(if negated { leaf.negated() } else { leaf })
    };
    let join = |is_disjunction, parts| {
        if is_disjunction { Predicate::or(parts) } else { Predicate::and(parts) }
    };
    Ok(fold_junctions(node, negated, &signed_leaf, &join)?.sorted())
}

/// The maximum number of leaves read for one formula is this number plus four times its XML nodes,
/// that is, elements, texts and comments. An equivalence reads each operand twice, and a nested one
/// four times.
const ADDITIONAL_LEAVES: usize = 100_000;

/// Reads a formula, and combines the results for its parts. If `negated` is true, reads its
/// negation. The function `leaf` converts a leaf, or the negation of the leaf if the boolean is
/// true. The function `join` makes a disjunction if its boolean is true, and a conjunction
/// otherwise.
pub(super) fn fold_junctions<'a, 'input, T>(
    node: Node<'a, 'input>,
    negated: bool,
    leaf: &dyn Fn(Node<'a, 'input>, bool) -> Result<T, Unreadable>,
    join: &dyn Fn(bool, Vec<T>) -> T,
) -> Result<T, Unreadable> {
    let mut open_junctions: Vec<OpenJunction<'a, 'input, T>> = Vec::new();
    let mut next = UnreadOperand::Formula(node, negated);
    let (mut leaf_count, mut depth) = (0, 0);
    let max_leaves = ADDITIONAL_LEAVES + 4 * node.descendants().count();
    loop {
        let mut result = match operands(next)? {
            Some((is_disjunction, open_operands)) => {
                let levels = usize::from(matches!(next, UnreadOperand::Formula(..)));
                open_junctions.push(OpenJunction {
                    is_disjunction,
                    open_operands,
                    results: Vec::new(),
                    levels,
                });
                depth += levels;
                if depth > MAX_DEPTH {
                    let what = format!("formulas nested deeper than {MAX_DEPTH} are not supported");
                    return Err(Unreadable::at(node, what));
                }
                None
            }
            None => {
                leaf_count += 1;
                let UnreadOperand::Formula(node, negated) = next else {
                    return Err(Unreadable::at(node, "expected a formula"));
                };
                if leaf_count > max_leaves {
                    return Err(Unreadable::at(node, "the formula has too many equivalences"));
                }
                Some(leaf(node, negated)?)
            }
        };
        // Closes complete junctions, and goes on with the next operand.
        loop {
            let Some(junction) = open_junctions.last_mut() else {
                match result {
                    // No junction is open, so this is the result.
                    Some(result) => return Ok(result),
                    None => break,
                }
            };
            junction.results.extend(result.take());
            if let Some(operand) = junction.open_operands.pop() {
                next = operand;
                break;
            }
            result = Some(join(junction.is_disjunction, std::mem::take(&mut junction.results)));
            depth -= junction.levels;
            open_junctions.pop();
        }
    }
}

/// The operands of a junction in reverse order; the boolean is true for a disjunction.
pub(super) type JunctionOperands<'a, 'input> = (bool, Vec<UnreadOperand<'a, 'input>>);

/// Returns the operands of a formula in reverse order, negated if the formula is negated, or `None`
/// for a leaf. ¬(a ∧ b) = ¬a ∨ ¬b, ¬(a ∨ b) = ¬a ∧ ¬b, a → b = ¬a ∨ b, and a ↔ b = (a ∧ b) ∨ (¬a ∧
/// ¬b).
pub(super) fn operands<'a, 'input>(
    formula: UnreadOperand<'a, 'input>,
) -> Result<Option<JunctionOperands<'a, 'input>>, Unreadable> {
    let (node, negated) = match formula {
        UnreadOperand::Formula(node, negated) => (node, negated),
        UnreadOperand::Conjunction(two_formulas) => {
            let two_formulas = two_formulas
                .into_iter()
                .rev()
                .map(|(node, negated)| UnreadOperand::Formula(node, negated));
            return Ok(Some((false, two_formulas.collect())));
        }
    };
    let Some(connective) = Connective::of(node)? else { return Ok(None) };
    let mut signed_operands: Vec<_> = elements(node).map(|operand| (operand, negated)).collect();
    let is_disjunction = match connective {
        Connective::And => negated,
        Connective::Or => !negated,
        Connective::Not => {
            signed_operands[0].1 = !negated;
            // A disjunction of one operand is that operand.
            true
        }
        Connective::Implies => {
            signed_operands[0].1 = !negated;
            !negated
        }
        Connective::Equivalence(is_equivalence) => {
            let (a, b) = (signed_operands[0].0, signed_operands[1].0);
            let is_exclusive_or = is_equivalence == negated;
            let cases = [[(a, true), (b, !is_exclusive_or)], [(a, false), (b, is_exclusive_or)]];
            return Ok(Some((true, cases.map(UnreadOperand::Conjunction).to_vec())));
        }
    };
    let signed_operands = signed_operands.into_iter().rev();
    Ok(Some((
        is_disjunction,
        signed_operands.map(|(node, negated)| UnreadOperand::Formula(node, negated)).collect(),
    )))
}

/// A logical operator.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Connective {
    And,
    Or,
    Not,
    Implies,
    /// An equivalence if true, an exclusive or if false.
    Equivalence(bool),
}

impl Connective {
    /// Returns the logical operator at `node`, or `None` for other elements.
    ///
    /// # Errors
    /// When the number of operands is wrong.
    pub(super) fn of(node: Node<'_, '_>) -> Result<Option<Connective>, Unreadable> {
        let (connective, counts) = match name(node) {
            "conjunction" | "and" => (Connective::And, 1..=usize::MAX),
            "disjunction" | "or" => (Connective::Or, 1..=usize::MAX),
            "negation" | "not" => (Connective::Not, 1..=1),
            "implication" => (Connective::Implies, 2..=2),
            "equivalence" => (Connective::Equivalence(true), 2..=2),
            "exclusive-disjunction" | "xor" => (Connective::Equivalence(false), 2..=2),
            _ => return Ok(None),
        };
        let operand_count = elements(node).count();
        match counts.contains(&operand_count) {
            true => Ok(Some(connective)),
            false => {
                let what = format!("`{}` of {operand_count} operands", name(node));
                Err(Unreadable::at(node, what))
            }
        }
    }
}
