//! Formulas of LTL between which a formula of CTL lies.
//!
//! Few formulas of CTL say the same as one of LTL (`linear_form`). But of each there are two that
//! say a little more and a little less, and one of these is often enough: a run that goes round with
//! what is sought shows EG φ, whatever else φ asks of other runs.
//!
//! # The three formulas of a part
//! Of each part φ, in negation normal form, from those of its parts, where `dead` is true of states
//! without successor and c(φ) are conditions that the caller knows:
//!
//! | φ | along(φ) | all(φ) | some(φ) |
//! |---|---|---|---|
//! | literal | φ | φ | φ |
//! | φ ∧ ψ | along ∧ along | all ∧ all | some(φ) ∧ all(ψ) |
//! | φ ∨ ψ | along ∨ along | all ∨ all | some ∨ some |
//! | EX φ | ¬dead ∧ X along(φ) | ¬dead ∧ c | ¬dead ∧ X some(φ) |
//! | E(φ U ψ) | along U along | all(φ) ∨ all(ψ) | all(φ) U some(ψ) |
//! | E(φ R ψ) | along R along | all(ψ) | G all(ψ) ∨ all(ψ) U some(φ ∧ ψ) |
//! | AX φ | dead ∨ c | dead ∨ X all(φ) | all |
//! | A(φ U ψ) | along(ψ) | all U all | all |
//! | A(φ R ψ) | along(ψ) ∧ (along(φ) ∨ dead) | all R all | all |
//!
//! Of a run from a state s that goes on from a dead state by repeating it:
//!
//! 1. If it satisfies along(φ), s satisfies φ. What E asks for, the run itself is; what A asks for is
//!    only taken where s alone shows it.
//! 2. If s satisfies φ, every run from s satisfies all(φ). This is the dual: all(φ) = ¬along(¬φ).
//! 3. If s satisfies φ, some run from s satisfies some(φ). Up to where E(φ U ψ) has come to ψ, all
//!    that may be said of its run is what holds of every run; from there on it may be one that ψ
//!    asks for. Of a conjunction, one part has the run.
//!
//! So what some run with along(φ) shows is true, and what no run with some(φ) shows is false.

use crate::atom::{Atom, Literal};
use crate::formula::{Ctl, Formula, Ltl, Node};
use crate::parts::Values;
use crate::paths::{Linear, Quantifier};

/// The two formulas of LTL around a formula of CTL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinearBounds {
    /// A state from which some run satisfies this satisfies the formula.
    pub shown_by: Formula<Linear>,
    /// From a state that satisfies the formula, some run satisfies this.
    pub shows: Formula<Linear>,
}

/// What is known of a part; see the module.
#[derive(Clone, Copy)]
struct Part {
    along: Formula<Linear>,
    all: Formula<Linear>,
    some: Formula<Linear>,
}

impl Ctl {
    /// The formulas of LTL around `formula`. The atom `dead` is true of states without successor;
    /// `next` has conditions on states: of AX φ one that implies it, of EX φ one that it implies.
    pub fn linear_bounds(
        &self,
        formula: Formula<Quantifier>,
        to: &mut Ltl,
        dead: Atom,
        next: &dyn Fn(Formula<Quantifier>) -> Option<Literal>,
    ) -> LinearBounds {
        let whole = self.fold(formula, |part, node, value: &Values<Quantifier, Part>| {
            let condition = next_condition(part, node, next, to);
            part_of(node, value, condition, to, dead)
        });
        LinearBounds { shown_by: whole.along, shows: whole.some }
    }
}

/// What the caller knows of a part that begins with EX or AX; else what says nothing.
fn next_condition(
    part: Formula<Quantifier>,
    node: &Node<Quantifier>,
    next: &dyn Fn(Formula<Quantifier>) -> Option<Literal>,
    to: &mut Ltl,
) -> Formula<Linear> {
    let Node::Next(paths, _) = node else { return to.constant(false) };
    match next(part) {
        Some(literal) => to.literal(literal),
        None => to.constant(*paths == Quantifier::Exists),
    }
}

fn part_of(
    node: &Node<Quantifier>,
    value: &Values<Quantifier, Part>,
    condition: Formula<Linear>,
    to: &mut Ltl,
    dead: Atom,
) -> Part {
    let same = |formula| Part { along: formula, all: formula, some: formula };
    let is_dead = to.literal(Literal::positive(dead));
    let goes_on = to.literal(Literal::negative(dead));
    match node {
        Node::True => same(to.constant(true)),
        Node::False => same(to.constant(false)),
        Node::Literal(literal) => same(to.literal(*literal)),
        Node::And(parts) => {
            let along = to.and(parts.iter().map(|&part| value[part].along));
            let all = to.and(parts.iter().map(|&part| value[part].all));
            // The first of which more is known of some run than of all.
            let one = parts.iter().position(|&part| value[part].some != value[part].all);
            let some = to.and(parts.iter().enumerate().map(|(at, &part)| {
                if Some(at) == one { value[part].some } else { value[part].all }
            }));
            Part { along, all, some }
        }
        Node::Or(parts) => Part {
            along: to.or(parts.iter().map(|&part| value[part].along)),
            all: to.or(parts.iter().map(|&part| value[part].all)),
            some: to.or(parts.iter().map(|&part| value[part].some)),
        },
        Node::Next(Quantifier::Exists, inner) => {
            let mut after = |inner| {
                let next = to.next(Linear, inner);
                to.and([goes_on, next])
            };
            let Part { along, some, .. } = value[*inner];
            let (along, some) = (after(along), after(some));
            Part { along, all: to.and([goes_on, condition]), some }
        }
        Node::Next(Quantifier::All, inner) => {
            let next = to.next(Linear, value[*inner].all);
            let all = to.or([is_dead, next]);
            Part { along: to.or([is_dead, condition]), all, some: all }
        }
        Node::Until(Quantifier::Exists, left, right) => {
            let (left, right) = (value[*left], value[*right]);
            Part {
                along: to.until(Linear, left.along, right.along),
                all: to.or([left.all, right.all]),
                some: to.until(Linear, left.all, right.some),
            }
        }
        Node::Until(Quantifier::All, left, right) => {
            let all = to.until(Linear, value[*left].all, value[*right].all);
            Part { along: value[*right].along, all, some: all }
        }
        Node::Release(Quantifier::Exists, left, right) => {
            let (left, right) = (value[*left], value[*right]);
            let both = match right.some == right.all {
                true => to.and([left.some, right.all]),
                false => to.and([left.all, right.some]),
            };
            let (for_ever, up_to) =
                (to.always(Linear, right.all), to.until(Linear, right.all, both));
            Part {
                along: to.release(Linear, left.along, right.along),
                all: right.all,
                some: to.or([for_ever, up_to]),
            }
        }
        Node::Release(Quantifier::All, left, right) => {
            let (left, right) = (value[*left], value[*right]);
            let ends = to.or([left.along, is_dead]);
            let all = to.release(Linear, left.all, right.all);
            Part { along: to.and([right.along, ends]), all, some: all }
        }
    }
}
