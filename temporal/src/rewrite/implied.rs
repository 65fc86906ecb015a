//! Syntactic implication between formulas. A negative answer means "not detected".
//!
//! Each line holds at every position of every word, and at every state of every graph. q and q' are
//! the path quantifiers of the operators; q ≤ q' states that a property of q's paths implies the
//! property of the paths of q'.
//!
//! ```text
//! x ∧ … ⇒ y          if some x ⇒ y                  x ⇒ y ∧ …          if x ⇒ each y
//! x ∨ … ⇒ y          if each x ⇒ y                  x ⇒ y ∨ …          if x ⇒ some y
//! a U b ⇒ y          if a ⇒ y and b ⇒ y             x ⇒ a U b          if x ⇒ b
//! a R b ⇒ y          if b ⇒ y                       x ⇒ a R b          if x ⇒ a and x ⇒ b
//! a U b ⇒ a' U' b'   if q ≤ q', b ⇒ b', and a ⇒ a' or a ⇒ b'
//! a R b ⇒ a' R' b'   if q ≤ q', b ⇒ b', and a ⇒ a' or b ⇒ a'
//! X a ⇒ X' a'        if q = q' and a ⇒ a'
//! G b ⇒ X y          if q = q', G b ⇒ y, for one path and for all paths
//! X x ⇒ F b          if q = q', x ⇒ F b, for one path and for some path
//! ```
//!
//! *Proof.* a U b implies a or b now; a R b implies b now; b implies a U b; a and b together imply
//! a R b. The lines for two untils and two releases hold path by path: up to the first b, a holds,
//! hence a' or already b'. A property that always holds also always holds after one step; a
//! property that eventually holds after one step eventually holds.

use crate::formula::{Formula, Formulas, Node};
use crate::paths::Paths;

/// Limit on the depth of nested comparisons.
const MAX_DEPTH: usize = 12;
/// Limit on the number of compared pairs of formulas.
const MAX_PAIRS: usize = 400;

impl<P: Paths> Formulas<P> {
    /// Returns true if the table in the module documentation shows that `premise` implies
    /// `conclusion`, within limits on the depth and number of comparisons. The result false means
    /// that no implication was found.
    pub fn implies(&self, premise: Formula<P>, conclusion: Formula<P>) -> bool {
        self.implies_within(premise, conclusion, MAX_DEPTH, &mut MAX_PAIRS.clone())
    }

    /// Returns true if the rules of [`implies`](Self::implies) show the implication within `depth`
    /// nested comparisons and `pairs` comparisons in total. Subtracts the comparisons made from
    /// `pairs`.
    fn implies_within(
        &self,
        premise: Formula<P>,
        conclusion: Formula<P>,
        depth: usize,
        pairs: &mut usize,
    ) -> bool {
        if premise == conclusion || self.is(premise, false) || self.is(conclusion, true) {
            return true;
        }
        if depth == 0 || *pairs == 0 || self.is(premise, true) || self.is(conclusion, false) {
            return false;
        }
        *pairs -= 1;
        let mut implies =
            |premise, conclusion| self.implies_within(premise, conclusion, depth - 1, pairs);
        let (left, right) = (self.node(premise), self.node(conclusion));
        // An implication from a disjunction, or to a conjunction, holds if and only if it holds for
        // each operand. These cases come first.
        match (left, right) {
            (Node::Or(operands), _) => {
                return operands.iter().all(|&part| implies(part, conclusion));
            }
            (_, Node::And(operands)) => return operands.iter().all(|&part| implies(premise, part)),
            _ => {}
        }
        let by_operators = match (left, right) {
            (Node::Until(p, a, b), Node::Until(q, c, d)) => {
                p.imply(*q) && implies(*b, *d) && (implies(*a, *c) || implies(*a, *d))
            }
            (Node::Release(p, a, b), Node::Release(q, c, d)) => {
                p.imply(*q) && implies(*b, *d) && (implies(*a, *c) || implies(*b, *c))
            }
            (Node::Next(p, a), Node::Next(q, b)) => p == q && implies(*a, *b),
            (Node::Release(p, a, _), Node::Next(q, b)) if self.is(*a, false) => {
                p == q && p.next_distributes_over(true) && implies(premise, *b)
            }
            (Node::Next(p, a), Node::Until(q, b, _)) if self.is(*b, true) => {
                p == q && p.next_distributes_over(false) && implies(*a, conclusion)
            }
            _ => false,
        };
        let mut by_left = || match left {
            Node::And(operands) => operands.iter().any(|&part| implies(part, conclusion)),
            Node::Until(_, a, b) => implies(*b, conclusion) && implies(*a, conclusion),
            Node::Release(_, _, b) => implies(*b, conclusion),
            _ => false,
        };
        if by_operators || by_left() {
            return true;
        }
        match right {
            Node::Or(operands) => operands.iter().any(|&part| implies(premise, part)),
            Node::Until(_, _, b) => implies(premise, *b),
            Node::Release(_, a, b) => implies(premise, *b) && implies(premise, *a),
            _ => false,
        }
    }
}
