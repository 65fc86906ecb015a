//! Rules of both logics for ∧, ∨, and pairs of operators that can be merged.

use crate::formula::{Formula, Formulas, Node};
use crate::paths::Paths;

/// Limit on the number of operands that are compared pairwise.
const COMPARED: usize = 24;

/// Returns the operands, and true for ∧ or false for ∨.
fn operands<P: Paths>(
    formulas: &Formulas<P>,
    formula: Formula<P>,
) -> Option<(Vec<Formula<P>>, bool)> {
    match formulas.node(formula) {
        Node::And(all) => Some((all.to_vec(), true)),
        Node::Or(all) => Some((all.to_vec(), false)),
        _ => None,
    }
}

fn join<P: Paths>(formulas: &mut Formulas<P>, all: Vec<Formula<P>>, and: bool) -> Formula<P> {
    if and { formulas.and(all) } else { formulas.or(all) }
}

/// φ ∧ ψ = φ and φ ∨ ψ = ψ if φ ⇒ ψ.
pub(super) fn implied_operand<P: Paths>(
    formulas: &mut Formulas<P>,
    formula: Formula<P>,
) -> Option<Formula<P>> {
    let (mut all, and) = operands(formulas, formula)?;
    let before = all.len();
    if before > COMPARED {
        return None;
    }
    let mut at = 0;
    while at < all.len() {
        let goes = (0..all.len()).any(|other| {
            let (one, two) = if and { (all[other], all[at]) } else { (all[at], all[other]) };
            other != at && formulas.implies(one, two)
        });
        if goes {
            all.remove(at);
        } else {
            at += 1;
        }
    }
    (all.len() < before).then(|| join(formulas, all, and))
}

/// φ ∧ ψ = false if φ ⇒ ¬ψ, and φ ∨ ψ = true if ¬φ ⇒ ψ.
pub(super) fn opposite_operands<P: Paths>(
    formulas: &mut Formulas<P>,
    formula: Formula<P>,
) -> Option<Formula<P>> {
    let (all, and) = operands(formulas, formula)?;
    if all.len() > COMPARED {
        return None;
    }
    for (at, &one) in all.iter().enumerate() {
        let negation = formulas.negate(one);
        for &other in all.iter().take(at) {
            let is_opposite = if and {
                formulas.implies(other, negation)
            } else {
                formulas.implies(negation, other)
            };
            if is_opposite {
                return Some(formulas.constant(!and));
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
    let (all, and) = operands(formulas, formula)?;
    if all.len() > COMPARED {
        return None;
    }
    for (at, &choice) in all.iter().enumerate() {
        let Some((inner, _)) =
            operands(formulas, choice).filter(|(inner, of)| *of != and && inner.len() <= COMPARED)
        else {
            continue;
        };
        for (other, &fact) in all.iter().enumerate() {
            if other == at {
                continue;
            }
            let negation = formulas.negate(fact);
            let stays = |&part: &Formula<P>| {
                !(if and {
                    formulas.implies(part, negation)
                } else {
                    formulas.implies(negation, part)
                })
            };
            let left: Vec<_> = inner.iter().copied().filter(stays).collect();
            if left.len() < inner.len() {
                let mut new = all.clone();
                new[at] = join(formulas, left, !and);
                return Some(join(formulas, new, and));
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
    let (all, and) = operands(formulas, formula)?;
    for (at, &one) in all.iter().enumerate() {
        for (before, &other) in all.iter().enumerate().take(at) {
            let (first, second) = (formulas.node(other).clone(), formulas.node(one).clone());
            let together = match (first, second) {
                (Node::Next(p, a), Node::Next(q, b)) if p == q && p.moves_out_of(and) => {
                    let both = join(formulas, vec![a, b], and);
                    formulas.next(p, both)
                }
                (Node::Until(p, a, b), Node::Until(q, c, d)) if p == q && p.moves_out_of(and) => {
                    match and {
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
                    if p == q && p.moves_out_of(and) =>
                {
                    match and {
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
            let mut new = all.clone();
            new[at] = together;
            new.remove(before);
            return Some(join(formulas, new, and));
        }
    }
    None
}
