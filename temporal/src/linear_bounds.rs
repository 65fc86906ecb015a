//! Formulas of LTL that imply, or are implied by, a formula of CTL.
//!
//! Few formulas of CTL are equivalent to a formula of LTL (`linear_form`). But each has an LTL
//! formula that is stronger and others that are weaker, and one of these is often enough. For
//! example, a lasso with the right letters shows EG φ, whatever other runs φ refers to.
//!
//! That universal formulas of CTL are preserved by systems with fewer runs is shown in E. M.
//! Clarke, O. Grumberg and D. E. Long, *Model checking and abstraction*, TOPLAS 16 (1994). Which of
//! them are formulas of LTL is shown in M. Maidl, *The common fragment of CTL and LTL*, FOCS 2000.
//! The table below is ours.
//!
//! # The formulas of a part
//! For each part φ, in negation normal form, formulas are built from those of its parts. The atom
//! `dead` is true at states without successor. The caller provides a condition c on states for each
//! next operator: c implies AX φ, and EX φ implies c.
//!
//! | φ | along(φ) | all(φ) | some(φ), in conjunction with all(φ) |
//! |---|---|---|---|
//! | literal | φ | φ | φ |
//! | φ ∧ ψ | along ∧ along | all ∧ all | some(φ) ∧ all(ψ), or all(φ) ∧ some(ψ) |
//! | φ ∨ ψ | along ∨ along | all ∨ all | some ∨ some |
//! | EX φ | ¬dead ∧ X along(φ) | ¬dead ∧ c | ¬dead ∧ X some(φ) |
//! | E(φ U ψ) | along U along | all(ψ) ∨ ¬dead ∧ all(φ) | all(φ) U some(ψ) |
//! | E(φ R ψ) | along R along | all(ψ) | G all(ψ) ∨ all(ψ) U some(φ ∧ ψ) |
//! | AX φ | dead ∨ c | dead ∨ X all(φ) | all |
//! | A(φ U ψ) | along(ψ) | all U all | all |
//! | A(φ R ψ) | along(ψ) ∧ (along(φ) ∨ dead) | all R all | all |
//!
//! For the runs from a state s, where a run that reaches a dead state repeats it:
//!
//! 1. If some run satisfies along(φ), s satisfies φ. For E, this run is the witness. For A, the
//!    formula is used only if s alone shows it.
//! 2. If s satisfies φ, every run satisfies all(φ). This is the dual: all(φ) = ¬along(¬φ).
//! 3. If s satisfies φ, some run satisfies some(φ). A run that leads from φ to ψ in E(φ U ψ) can
//!    continue as ψ requires; before that, only properties of all runs are used. In a conjunction,
//!    only one part may choose the run; the others contribute properties of all runs. There is one
//!    formula for each choice.
//!
//! So φ is true if some run satisfies along(φ), and false if no run satisfies one of the some(φ).

use crate::atom::{AtomId, Literal};
use crate::formula::{Ctl, Formula, Ltl, Node};
use crate::parts::PartValues;
use crate::paths::{Linear, Quantifier};

/// Limit on the number of some-formulas of one part.
const CHOICES: usize = 8;

/// The formulas of LTL that bound a formula of CTL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinearBounds {
    /// A state from which some run satisfies this formula satisfies the CTL formula.
    pub shown_by: Formula<Linear>,
    /// For each of these formulas (at least one): a state that satisfies the CTL formula has a run
    /// that satisfies it.
    pub shows: Vec<Formula<Linear>>,
}

/// The formulas of a part; see the module documentation.
#[derive(Clone)]
struct PartBounds {
    along: Formula<Linear>,
    all: Formula<Linear>,
    /// The alternatives for some(φ). If nothing better is known, the only entry is `all`.
    some: Vec<Formula<Linear>>,
}

impl Ctl {
    /// Returns the LTL formulas that bound `formula`. The atom `dead` is true at states without
    /// successor. `next` returns a condition on states for a formula AX φ or EX φ: one that implies
    /// AX φ, or is implied by EX φ.
    pub fn linear_bounds(
        &self,
        formula: Formula<Quantifier>,
        to: &mut Ltl,
        dead: AtomId,
        next: &dyn Fn(Formula<Quantifier>) -> Option<Literal>,
    ) -> LinearBounds {
        let whole = self.fold(formula, |part, node, value: &PartValues<Quantifier, PartBounds>| {
            let condition = next_condition(part, node, next, to);
            part_of(node, value, condition, to, dead)
        });
        LinearBounds { shown_by: whole.along, shows: whole.some }
    }
}

/// Returns the caller's condition for a part that begins with EX or AX, or the trivial condition.
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
    value: &PartValues<Quantifier, PartBounds>,
    condition: Formula<Linear>,
    to: &mut Ltl,
    dead: AtomId,
) -> PartBounds {
    let same = |formula| PartBounds { along: formula, all: formula, some: vec![formula] };
    let of_all = |along, all| PartBounds { along, all, some: vec![all] };
    let is_dead = to.literal(Literal::positive(dead));
    let goes_on = to.literal(Literal::negative(dead));
    match node {
        Node::True => same(to.constant(true)),
        Node::False => same(to.constant(false)),
        Node::Literal(literal) => same(to.literal(*literal)),
        Node::And(parts) => {
            let parts: Vec<&PartBounds> = parts.iter().map(|&part| &value[part]).collect();
            let along = to.and(parts.iter().map(|part| part.along));
            conjunction(along, &parts, to)
        }
        Node::Or(parts) => {
            let mut choices = vec![to.constant(false)];
            for part in parts.iter() {
                choices = pairs(&choices, &value[*part].some, |one, other| to.or([one, other]));
            }
            PartBounds {
                along: to.or(parts.iter().map(|&part| value[part].along)),
                all: to.or(parts.iter().map(|&part| value[part].all)),
                some: choices,
            }
        }
        Node::Next(Quantifier::Exists, inner) => {
            let mut after = |inner| {
                let next = to.next(Linear, inner);
                to.and([goes_on, next])
            };
            let along = after(value[*inner].along);
            let some = value[*inner].some.iter().map(|&some| after(some)).collect();
            let all = to.and([goes_on, condition]);
            beside_all(PartBounds { along, all, some }, to)
        }
        Node::Next(Quantifier::All, inner) => {
            let next = to.next(Linear, value[*inner].all);
            of_all(to.or([is_dead, condition]), to.or([is_dead, next]))
        }
        Node::Until(Quantifier::Exists, left, right) => {
            let (left, right) = (&value[*left], &value[*right]);
            let before = to.and([goes_on, left.all]);
            let until = |&some: &_| to.until(Linear, left.all, some);
            let some = right.some.iter().map(until).collect();
            let along = to.until(Linear, left.along, right.along);
            beside_all(PartBounds { along, all: to.or([right.all, before]), some }, to)
        }
        Node::Until(Quantifier::All, left, right) => {
            of_all(value[*right].along, to.until(Linear, value[*left].all, value[*right].all))
        }
        Node::Release(Quantifier::Exists, left, right) => {
            let (left, right) = (&value[*left], &value[*right]);
            let both = conjunction(right.along, &[left, right], to);
            let for_ever = to.always(Linear, right.all);
            let up_to = |&both: &_| {
                let up_to = to.until(Linear, right.all, both);
                to.or([for_ever, up_to])
            };
            let some = both.some.iter().map(up_to).collect();
            PartBounds { along: to.release(Linear, left.along, right.along), all: right.all, some }
        }
        Node::Release(Quantifier::All, left, right) => {
            let (left, right) = (&value[*left], &value[*right]);
            let ends = to.or([left.along, is_dead]);
            let all = to.release(Linear, left.all, right.all);
            of_all(to.and([right.along, ends]), all)
        }
    }
}

/// Combines the formulas of several parts of a conjunction; `along` is given.
fn conjunction(along: Formula<Linear>, parts: &[&PartBounds], to: &mut Ltl) -> PartBounds {
    let all = to.and(parts.iter().map(|part| part.all));
    let mut some = Vec::new();
    for part in parts {
        some.extend(part.some.iter().filter(|&&some| some != part.all));
    }
    some.truncate(CHOICES);
    if some.is_empty() {
        some.push(all);
    }
    beside_all(PartBounds { along, all, some }, to)
}

/// Adds `all` to each alternative: the chosen run also satisfies the properties of all runs.
fn beside_all(part: PartBounds, to: &mut Ltl) -> PartBounds {
    let mut some: Vec<_> = part.some.iter().map(|&some| to.and([some, part.all])).collect();
    some.sort_unstable();
    some.dedup();
    PartBounds { some, ..part }
}

/// Returns the combinations of one formula of each list, up to the limit.
fn pairs(
    ones: &[Formula<Linear>],
    others: &[Formula<Linear>],
    mut join: impl FnMut(Formula<Linear>, Formula<Linear>) -> Formula<Linear>,
) -> Vec<Formula<Linear>> {
    let all = ones.iter().flat_map(|&one| others.iter().map(move |&other| (one, other)));
    all.take(CHOICES).map(|(one, other)| join(one, other)).collect()
}
