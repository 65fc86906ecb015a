//! Rules of both logics for U and R.
//!
//! Each rule is stated for U. The rule for R is its dual: the negation of one side is the negation
//! of the other. q ≤ q' states that a property of q's paths implies the property of the paths of
//! q': on all paths ≤ on some path.

use crate::formula::{Formula, Formulas, Node};
use crate::paths::Paths;

/// φ U ψ = ψ if φ ⇒ ψ: a state in which φ waits for ψ satisfies ψ already. φ R ψ = ψ if ψ ⇒ φ.
pub(super) fn waits_for_nothing<P: Paths>(
    formulas: &mut Formulas<P>,
    formula: Formula<P>,
) -> Option<Formula<P>> {
    match *formulas.node(formula) {
        Node::Until(_, left, right) if formulas.implies(left, right) => Some(right),
        Node::Release(_, left, right) if formulas.implies(right, left) => Some(right),
        _ => None,
    }
}

/// φ U ψ = F ψ if ¬ψ ⇒ φ: before the first ψ, φ holds anyway. φ R ψ = G ψ if φ ⇒ ¬ψ: ψ is never
/// released.
pub(super) fn waits_anyway<P: Paths>(
    formulas: &mut Formulas<P>,
    formula: Formula<P>,
) -> Option<Formula<P>> {
    match *formulas.node(formula) {
        Node::Until(paths, left, right) if !formulas.is(left, true) => {
            let negation = formulas.negate(right);
            formulas.implies(negation, left).then(|| formulas.eventually(paths, right))
        }
        Node::Release(paths, left, right) if !formulas.is(left, false) => {
            let negation = formulas.negate(right);
            formulas.implies(left, negation).then(|| formulas.always(paths, right))
        }
        _ => None,
    }
}

/// φ U (χ U' ψ) = χ U' ψ if φ ⇒ χ and q ≤ q', where q and q' are the path quantifiers of U and U'.
/// When the inner until becomes true, χ has held before, on every path or on the one path that is
/// needed. φ R (χ R' ψ) = χ R' ψ if χ ⇒ φ and q' ≤ q.
///
/// With χ = true this is φ U F ψ = F ψ, AF EF ψ = EF ψ, and their duals.
pub(super) fn inner_alone<P: Paths>(
    formulas: &mut Formulas<P>,
    formula: Formula<P>,
) -> Option<Formula<P>> {
    match *formulas.node(formula) {
        Node::Until(outer, left, inner) => match *formulas.node(inner) {
            Node::Until(paths, inner_left, _)
                if outer.imply(paths) && formulas.implies(left, inner_left) =>
            {
                Some(inner)
            }
            _ => None,
        },
        Node::Release(outer, left, inner) => match *formulas.node(inner) {
            Node::Release(paths, inner_left, _)
                if outer.dual().imply(paths.dual()) && formulas.implies(inner_left, left) =>
            {
                Some(inner)
            }
            _ => None,
        },
        _ => None,
    }
}

/// F (φ ∨ (χ U' ψ)) = F (φ ∨ ψ), except if F is AF and U' is an existential until. The code tests
/// that the dual of q ≤ the dual of q', where q and q' are the path quantifiers of F and U'. From
/// a state with χ U' ψ, some path (for EF) or every path (for AF) leads to ψ, and ψ implies χ U' ψ.
/// The dual: G (φ ∧ (χ R' ψ)) = G (φ ∧ ψ) if q ≤ q'.
///
/// With φ = false this is F (χ U ψ) = F ψ, EF AF ψ = EF ψ, AG EG ψ = AG ψ.
pub(super) fn inner_target<P: Paths>(
    formulas: &mut Formulas<P>,
    formula: Formula<P>,
) -> Option<Formula<P>> {
    match *formulas.node(formula) {
        Node::Until(outer, left, body) if formulas.is(left, true) => {
            let parts = match formulas.node(body) {
                Node::Or(operands) => operands.to_vec(),
                _ => vec![body],
            };
            let target = |part: Formula<P>| match *formulas.node(part) {
                Node::Until(paths, _, right) if outer.dual().imply(paths.dual()) => right,
                _ => part,
            };
            let targets: Vec<_> = parts.iter().map(|&part| target(part)).collect();
            (targets != parts).then(|| {
                let either = formulas.or(targets);
                formulas.eventually(outer, either)
            })
        }
        Node::Release(outer, left, body) if formulas.is(left, false) => {
            let parts = match formulas.node(body) {
                Node::And(operands) => operands.to_vec(),
                _ => vec![body],
            };
            let target = |part: Formula<P>| match *formulas.node(part) {
                Node::Release(paths, _, right) if outer.imply(paths) => right,
                _ => part,
            };
            let targets: Vec<_> = parts.iter().map(|&part| target(part)).collect();
            (targets != parts).then(|| {
                let both = formulas.and(targets);
                formulas.always(outer, both)
            })
        }
        _ => None,
    }
}
