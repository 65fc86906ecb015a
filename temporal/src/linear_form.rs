//! Formulas of CTL that are equivalent to a formula of LTL.
//!
//! Take a formula whose quantifiers are all A, and remove them. If the formula is true at a state,
//! every path from there satisfies the result. The converse holds if no choice depends on the
//! future. The following formulas have this property; *conditions* c are formulas without temporal
//! operators:
//!
//! ```text
//! φ ::= c | φ ∧ φ | c ∨ φ | AX φ | A(φ U c) | A(c R φ)
//! ```
//!
//! Proof of the converse: assume that a state does not satisfy φ. Then some path from there
//! violates the formula without quantifiers:
//!
//! - φ ∧ ψ: a path that violates the part that is not satisfied;
//! - c ∨ φ: a path that violates φ, since c does not hold in its first state;
//! - AX φ: a path to the successor that does not satisfy φ, continued as a violation of φ;
//! - A(φ U c): some path never reaches c, or reaches a state without φ before c; it continues from
//!   there as a violation of φ, and c has not occurred yet;
//! - A(c R φ): some path reaches a state that does not satisfy φ, without c before; it continues as
//!   a violation of φ.
//!
//! At a state without successor, AX φ is true, while the linear path repeats that state forever. So
//! AX φ becomes `dead ∨ X φ`. The other operators are not affected.
//!
//! Source: M. Maidl, *The common fragment of CTL and LTL*, FOCS 2000; this is a part of that
//! fragment.

use crate::atom::Literal;
use crate::formula::{Ctl, Formula, Ltl, Node};
use crate::paths::{Linear, Quantifier};
use crate::subformulas::PartValues;

/// The classification of a part of a formula.
#[derive(Clone, Copy)]
enum LinearPart {
    /// A condition: no temporal operators.
    Condition(Formula<Linear>),
    /// A part that is true at a state if and only if all paths from there satisfy this formula.
    OnAllPaths(Formula<Linear>),
    /// A part for which no equivalent LTL formula is found.
    Other,
}

impl LinearPart {
    /// Returns the LTL formula of the part, or `None` for [`LinearPart::Other`].
    fn linear(self) -> Option<Formula<Linear>> {
        match self {
            LinearPart::Condition(formula) | LinearPart::OnAllPaths(formula) => Some(formula),
            LinearPart::Other => None,
        }
    }
}

impl Ctl {
    /// Returns a linear formula such that a state satisfies `formula` if and only if all paths from
    /// it satisfy the linear formula. Returns `None` if none is found. The literal `dead` is true
    /// at states without successor, and only there.
    pub fn on_all_paths(
        &self,
        formula: Formula<Quantifier>,
        store: &mut Ltl,
        dead: Literal,
    ) -> Option<Formula<Linear>> {
        let classified =
            self.fold(formula, |_, node, value: &PartValues<Quantifier, LinearPart>| {
                self.linear_part(node, value, store, dead)
            });
        classified.linear()
    }

    /// Classifies a node from the classes of its operands.
    fn linear_part(
        &self,
        node: &Node<Quantifier>,
        class_of: &PartValues<Quantifier, LinearPart>,
        store: &mut Ltl,
        dead: Literal,
    ) -> LinearPart {
        let is_condition =
            |part: &Formula<Quantifier>| matches!(class_of[*part], LinearPart::Condition(_));
        let part = match node {
            Node::True => return LinearPart::Condition(store.constant(true)),
            Node::False => return LinearPart::Condition(store.constant(false)),
            Node::Literal(literal) => return LinearPart::Condition(store.literal(*literal)),
            Node::And(conjuncts) => {
                let linear_operands: Option<Vec<_>> =
                    conjuncts.iter().map(|&part| class_of[part].linear()).collect();
                let Some(linear_operands) = linear_operands else { return LinearPart::Other };
                let both = store.and(linear_operands);
                return match conjuncts.iter().all(is_condition) {
                    true => LinearPart::Condition(both),
                    false => LinearPart::OnAllPaths(both),
                };
            }
            Node::Or(disjuncts) => {
                let linear_operands: Option<Vec<_>> =
                    disjuncts.iter().map(|&part| class_of[part].linear()).collect();
                let Some(linear_operands) = linear_operands else { return LinearPart::Other };
                let conditions = disjuncts.iter().filter(|&part| is_condition(part)).count();
                let either = store.or(linear_operands);
                return match disjuncts.len() - conditions {
                    0 => LinearPart::Condition(either),
                    1 => LinearPart::OnAllPaths(either),
                    _ => LinearPart::Other,
                };
            }
            Node::Next(Quantifier::All, inner) => class_of[*inner].linear().map(|inner| {
                let next = store.next(Linear, inner);
                let dead = store.literal(dead);
                store.or([dead, next])
            }),
            Node::Until(Quantifier::All, left, right) if is_condition(right) => {
                let both = class_of[*left].linear().zip(class_of[*right].linear());
                both.map(|(left, right)| store.until(Linear, left, right))
            }
            Node::Release(Quantifier::All, left, right) if is_condition(left) => {
                let both = class_of[*left].linear().zip(class_of[*right].linear());
                both.map(|(left, right)| store.release(Linear, left, right))
            }
            _ => None,
        };
        part.map_or(LinearPart::Other, LinearPart::OnAllPaths)
    }
}
