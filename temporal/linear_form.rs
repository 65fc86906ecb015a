//! Formulas of CTL that say the same as a formula of LTL.
//!
//! Of a formula all of whose quantifiers are A, leave them out: if it is true of a state, every
//! path from there satisfies what is left. The converse holds where no choice depends on what comes
//! later. Such formulas are, with *conditions* c, which are formulas without operators of time,
//!
//! ```text
//! φ ::= c | φ ∧ φ | c ∨ φ | AX φ | A(φ U c) | A(c R φ)
//! ```
//!
//! For assume that a state does not satisfy φ. Then some path from there violates what is left of
//! it:
//!
//! - of φ ∧ ψ, one that violates the part that is not satisfied;
//! - of c ∨ φ, one that violates φ: c does not hold in its first state;
//! - of AX φ, one to the successor that does not satisfy φ, and on as that violates it;
//! - of A(φ U c), some path never has c, or has not had it where φ is not satisfied, from where it
//!   goes on as that violates it, and c has not come yet;
//! - of A(c R φ), some path has a state that does not satisfy φ, and no c before: on from there.
//!
//! In a state without successor, AX φ is true; the linear path repeats that state for ever. So AX φ
//! becomes `dead ∨ X φ`. The other operators do not see the difference.
//!
//! Source: M. Maidl, *The common fragment of CTL and LTL*, FOCS 2000, of which this is a part.

use crate::atom::Atom;
use crate::formula::{Ctl, Formula, Ltl, Node};
use crate::parts::Values;
use crate::paths::{Linear, Quantifier};

/// What a part of a formula is.
#[derive(Clone, Copy)]
enum Part {
    /// Without operators of time.
    Condition(Formula<Linear>),
    /// True where all paths satisfy this.
    All(Formula<Linear>),
    /// Neither.
    Other,
}

impl Part {
    fn linear(self) -> Option<Formula<Linear>> {
        match self {
            Part::Condition(formula) | Part::All(formula) => Some(formula),
            Part::Other => None,
        }
    }
}

impl Ctl {
    /// A linear formula that all paths from a state satisfy exactly if the state satisfies
    /// `formula`; `None` where none is seen. The atom `dead` is true of states without successor.
    pub fn on_all_paths(
        &self,
        formula: Formula<Quantifier>,
        to: &mut Ltl,
        dead: Atom,
    ) -> Option<Formula<Linear>> {
        let whole = self.fold(formula, |_, node, value: &Values<Quantifier, Part>| {
            self.linear_part(node, value, to, dead)
        });
        whole.linear()
    }

    fn linear_part(
        &self,
        node: &Node<Quantifier>,
        value: &Values<Quantifier, Part>,
        to: &mut Ltl,
        dead: Atom,
    ) -> Part {
        let is_condition = |part: &Formula<Quantifier>| matches!(value[*part], Part::Condition(_));
        let part = match node {
            Node::True => return Part::Condition(to.constant(true)),
            Node::False => return Part::Condition(to.constant(false)),
            Node::Literal(literal) => return Part::Condition(to.literal(*literal)),
            Node::And(all) => {
                let parts: Option<Vec<_>> = all.iter().map(|&part| value[part].linear()).collect();
                let Some(parts) = parts else { return Part::Other };
                let both = to.and(parts);
                return match all.iter().all(is_condition) {
                    true => Part::Condition(both),
                    false => Part::All(both),
                };
            }
            Node::Or(any) => {
                let parts: Option<Vec<_>> = any.iter().map(|&part| value[part].linear()).collect();
                let Some(parts) = parts else { return Part::Other };
                let conditions = any.iter().filter(|&part| is_condition(part)).count();
                let either = to.or(parts);
                return match any.len() - conditions {
                    0 => Part::Condition(either),
                    1 => Part::All(either),
                    _ => Part::Other,
                };
            }
            Node::Next(Quantifier::All, inner) => value[*inner].linear().map(|inner| {
                let next = to.next(Linear, inner);
                let dead = to.atom(dead);
                to.or([dead, next])
            }),
            Node::Until(Quantifier::All, left, right) if is_condition(right) => {
                let both = value[*left].linear().zip(value[*right].linear());
                both.map(|(left, right)| to.until(Linear, left, right))
            }
            Node::Release(Quantifier::All, left, right) if is_condition(left) => {
                let both = value[*left].linear().zip(value[*right].linear());
                both.map(|(left, right)| to.release(Linear, left, right))
            }
            _ => None,
        };
        part.map_or(Part::Other, Part::All)
    }
}
