//! Rules of both logics for ∧, ∨, and pairs of operators that can be merged.

use crate::formula::{Formula, Formulas, Node};
use crate::paths::Paths;

/// Limit on the number of operands that are compared pairwise.
const MAX_COMPARED_OPERANDS: usize = 24;

/// Returns the operands of a conjunction (with `true`) or disjunction (with `false`). Returns
/// `None` for other formulas.
fn operands<P: Paths>(
    formulas: &Formulas<P>,
    formula: Formula<P>,
) -> Option<(Vec<Formula<P>>, bool)> {
    match formulas.node(formula) {
        Node::And(inner) => Some((inner.to_vec(), true)),
        Node::Or(inner) => Some((inner.to_vec(), false)),
        _ => None,
    }
}

/// Returns the conjunction of the operands if `is_conjunction` is true, otherwise their
/// disjunction.
fn join<P: Paths>(
    formulas: &mut Formulas<P>,
    operands: Vec<Formula<P>>,
    is_conjunction: bool,
) -> Formula<P> {
    if is_conjunction { formulas.and(operands) } else { formulas.or(operands) }
}

/// φ ∧ ψ = φ and φ ∨ ψ = ψ if φ ⇒ ψ.
pub(super) fn implied_operand<P: Paths>(
    formulas: &mut Formulas<P>,
    formula: Formula<P>,
) -> Option<Formula<P>> {
    let (mut kept_operands, is_conjunction) = operands(formulas, formula)?;
    let count_before = kept_operands.len();
    if count_before > MAX_COMPARED_OPERANDS {
        return None;
    }
    let mut index = 0;
    while index < kept_operands.len() {
        let is_superfluous = (0..kept_operands.len()).any(|other| {
            let (one, two) = if is_conjunction {
                (kept_operands[other], kept_operands[index])
            } else {
                (kept_operands[index], kept_operands[other])
            };
            other != index && formulas.implies(one, two)
        });
        if is_superfluous {
            kept_operands.remove(index);
        } else {
            index += 1;
        }
    }
    (kept_operands.len() < count_before).then(|| join(formulas, kept_operands, is_conjunction))
}

/// φ ∧ ψ = false if φ ⇒ ¬ψ, and φ ∨ ψ = true if ¬φ ⇒ ψ.
pub(super) fn opposite_operands<P: Paths>(
    formulas: &mut Formulas<P>,
    formula: Formula<P>,
) -> Option<Formula<P>> {
    let (all_operands, is_conjunction) = operands(formulas, formula)?;
    if all_operands.len() > MAX_COMPARED_OPERANDS {
        return None;
    }
    for (index, &one) in all_operands.iter().enumerate() {
        let negation = formulas.negate(one);
        for &other in all_operands.iter().take(index) {
            let is_opposite = if is_conjunction {
                formulas.implies(other, negation)
            } else {
                formulas.implies(negation, other)
            };
            if is_opposite {
                return Some(formulas.constant(!is_conjunction));
            }
        }
    }
    None
}

/// φ ∧ (ψ ∨ χ) = φ ∧ χ if ψ ⇒ ¬φ, and φ ∨ (ψ ∧ χ) = φ ∨ χ if ¬φ ⇒ ψ: an alternative that
/// contradicts φ is removed.
pub(super) fn excluded_choice<P: Paths>(
    formulas: &mut Formulas<P>,
    formula: Formula<P>,
) -> Option<Formula<P>> {
    let (all_operands, is_conjunction) = operands(formulas, formula)?;
    if all_operands.len() > MAX_COMPARED_OPERANDS {
        return None;
    }
    for (index, &choice) in all_operands.iter().enumerate() {
        let Some((inner, _)) =
            operands(formulas, choice).filter(|(inner, is_inner_conjunction)| {
                *is_inner_conjunction != is_conjunction && inner.len() <= MAX_COMPARED_OPERANDS
            })
        else {
            continue;
        };
        for (fact_index, &fact) in all_operands.iter().enumerate() {
            if fact_index == index {
                continue;
            }
            let negation = formulas.negate(fact);
            let is_possible = |&part: &Formula<P>| {
                !(if is_conjunction {
                    formulas.implies(part, negation)
                } else {
                    formulas.implies(negation, part)
                })
            };
            let remaining: Vec<_> = inner.iter().copied().filter(is_possible).collect();
            if remaining.len() < inner.len() {
                let mut new_operands = all_operands.clone();
                new_operands[index] = join(formulas, remaining, !is_conjunction);
                return Some(join(formulas, new_operands, is_conjunction));
            }
        }
    }
    None
}

/// Merges operators, path by path:
///
/// ```text
/// X φ ∧ X ψ = X (φ ∧ ψ)                     on one path and on all
/// X φ ∨ X ψ = X (φ ∨ ψ)                     on one path and on some
/// φ U ψ ∨ φ U χ = φ U (ψ ∨ χ)               on one path and on some
/// φ U χ ∧ ψ U χ = (φ ∧ ψ) U χ               on one path and on all
/// φ R ψ ∧ φ R χ = φ R (ψ ∧ χ)               on one path and on all
/// φ R χ ∨ ψ R χ = (φ ∨ ψ) R χ               on one path and on some
/// ```
///
/// On one path: in the third line, the first ψ or χ decides; in the fourth line, both left sides
/// hold up to the first χ; the others are their duals. "All" distributes over ∧, "some" over ∨.
pub(super) fn joined_operators<P: Paths>(
    formulas: &mut Formulas<P>,
    formula: Formula<P>,
) -> Option<Formula<P>> {
    let (all_operands, is_conjunction) = operands(formulas, formula)?;
    for (index, &one) in all_operands.iter().enumerate() {
        for (earlier_index, &other) in all_operands.iter().enumerate().take(index) {
            let (first, second) = (formulas.node(other).clone(), formulas.node(one).clone());
            let merged = match (first, second) {
                (Node::Next(p, a), Node::Next(q, b))
                    if p == q && p.next_distributes_over(is_conjunction) =>
                {
                    let both = join(formulas, vec![a, b], is_conjunction);
                    formulas.next(p, both)
                }
                (Node::Until(p, a, b), Node::Until(q, c, d))
                    if p == q && p.next_distributes_over(is_conjunction) =>
                {
                    match is_conjunction {
                        false if a == c => {
                            let either = formulas.or([b, d]);
                            formulas.until(p, a, either)
                        }
                        true if b == d => {
                            let both = formulas.and([a, c]);
                            formulas.until(p, both, b)
                        }
                        _ => continue,
                    }
                }
                (Node::Release(p, a, b), Node::Release(q, c, d))
                    if p == q && p.next_distributes_over(is_conjunction) =>
                {
                    match is_conjunction {
                        true if a == c => {
                            let both = formulas.and([b, d]);
                            formulas.release(p, a, both)
                        }
                        false if b == d => {
                            let either = formulas.or([a, c]);
                            formulas.release(p, either, b)
                        }
                        _ => continue,
                    }
                }
                _ => continue,
            };
            let mut new_operands = all_operands.clone();
            new_operands[index] = merged;
            new_operands.remove(earlier_index);
            return Some(join(formulas, new_operands, is_conjunction));
        }
    }
    None
}
