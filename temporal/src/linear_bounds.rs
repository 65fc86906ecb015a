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
//! For each part φ, in negation normal form, formulas are built from those of its parts. The
//! literal `dead` is true at states without successor. The caller provides a condition c on states
//! for each next operator: c implies AX φ, and EX φ implies c.
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
//! 1. If some run satisfies along(φ), s satisfies φ. For E, this run is the witness. For A,
//!    along(φ) demands only what shows φ at s itself, whatever the other runs do.
//! 2. If s satisfies φ, every run satisfies all(φ). This is the dual: all(φ) = ¬along(¬φ).
//! 3. If s satisfies φ, some run satisfies some(φ). A run that leads from φ to ψ in E(φ U ψ) can
//!    continue as ψ requires; before that, only properties of all runs are used. In a conjunction,
//!    only one part may choose the run; the others contribute properties of all runs. There is one
//!    formula for each choice.
//!
//! So φ is true if some run satisfies along(φ), and false if no run satisfies one of the some(φ).

use crate::atom::Literal;
use crate::formula::{Ctl, Formula, Ltl, Node};
use crate::paths::{Linear, Quantifier};
use crate::subformulas::PartValues;

/// Limit on the number of alternatives for some(φ) of one subformula φ.
const MAX_ALTERNATIVES: usize = 8;

/// The formulas of LTL that bound a formula of CTL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinearBounds {
    /// A state from which some run satisfies this formula satisfies the CTL formula.
    pub sufficient: Formula<Linear>,
    /// For each of these formulas (at least one): a state that satisfies the CTL formula has a run
    /// that satisfies it.
    pub necessary: Vec<Formula<Linear>>,
}

/// The LTL formulas along(φ), all(φ) and some(φ) of a subformula φ of CTL; see the module
/// documentation. A run with along(φ) shows φ. If φ holds, every run satisfies all(φ), and each
/// alternative of some(φ) is satisfied by at least one run.
#[derive(Clone)]
struct PartBounds {
    /// The formula along(φ).
    along: Formula<Linear>,
    /// The formula all(φ).
    all: Formula<Linear>,
    /// The alternatives for some(φ). If nothing better is known, the only entry is `all`.
    some: Vec<Formula<Linear>>,
}

impl Ctl {
    /// Returns the LTL formulas that bound `formula`. The literal `dead` is true at states without
    /// successor, and only there. `condition_of_next` returns a condition on states for a formula
    /// AX φ or EX φ: one that implies AX φ, or is implied by EX φ. It returns `None` if no
    /// condition is known.
    pub fn linear_bounds(
        &self,
        formula: Formula<Quantifier>,
        store: &mut Ltl,
        dead: Literal,
        condition_of_next: &dyn Fn(Formula<Quantifier>) -> Option<Literal>,
    ) -> LinearBounds {
        let bounds =
            self.fold(formula, |part, node, value: &PartValues<Quantifier, PartBounds>| {
                let condition = next_condition(part, node, condition_of_next, store);
                bounds_of_node(node, value, condition, store, dead)
            });
        LinearBounds { sufficient: bounds.along, necessary: bounds.some }
    }
}

/// Returns the caller's condition for a part that begins with EX or AX. Without a condition,
/// returns true for EX and false for AX. For other parts, returns false, which is not used.
fn next_condition(
    part: Formula<Quantifier>,
    node: &Node<Quantifier>,
    condition_of_next: &dyn Fn(Formula<Quantifier>) -> Option<Literal>,
    store: &mut Ltl,
) -> Formula<Linear> {
    let Node::Next(paths, _) = node else { return store.constant(false) };
    match condition_of_next(part) {
        Some(literal) => store.literal(literal),
        None => store.constant(*paths == Quantifier::Exists),
    }
}

/// Returns the formulas of a node from the formulas of its operands. `condition` is the caller's
/// condition for a next operator.
fn bounds_of_node(
    node: &Node<Quantifier>,
    bounds_of: &PartValues<Quantifier, PartBounds>,
    condition: Formula<Linear>,
    store: &mut Ltl,
    dead: Literal,
) -> PartBounds {
    let without_operators =
        |formula| PartBounds { along: formula, all: formula, some: vec![formula] };
    let without_alternatives = |along, all| PartBounds { along, all, some: vec![all] };
    let is_dead = store.literal(dead);
    let is_not_dead = store.literal(dead.negated());
    match node {
        Node::True => without_operators(store.constant(true)),
        Node::False => without_operators(store.constant(false)),
        Node::Literal(literal) => without_operators(store.literal(*literal)),
        Node::And(operands) => {
            let operand_bounds: Vec<&PartBounds> =
                operands.iter().map(|&part| &bounds_of[part]).collect();
            let along = store.and(operand_bounds.iter().map(|part| part.along));
            conjunction(along, &operand_bounds, store)
        }
        Node::Or(operands) => {
            let mut alternatives = vec![store.constant(false)];
            for part in operands.iter() {
                alternatives = join_pairs(&alternatives, &bounds_of[*part].some, |one, other| {
                    store.or([one, other])
                });
            }
            PartBounds {
                along: store.or(operands.iter().map(|&part| bounds_of[part].along)),
                all: store.or(operands.iter().map(|&part| bounds_of[part].all)),
                some: alternatives,
            }
        }
        Node::Next(Quantifier::Exists, inner) => {
            let mut holding_next = |inner| {
                let next = store.next(Linear, inner);
                store.and([is_not_dead, next])
            };
            let along = holding_next(bounds_of[*inner].along);
            let some = bounds_of[*inner].some.iter().map(|&some| holding_next(some)).collect();
            let all = store.and([is_not_dead, condition]);
            strengthen_alternatives(PartBounds { along, all, some }, store)
        }
        Node::Next(Quantifier::All, inner) => {
            let next = store.next(Linear, bounds_of[*inner].all);
            without_alternatives(store.or([is_dead, condition]), store.or([is_dead, next]))
        }
        Node::Until(Quantifier::Exists, left, right) => {
            let (left, right) = (&bounds_of[*left], &bounds_of[*right]);
            let left_before = store.and([is_not_dead, left.all]);
            let until_alternative = |&some: &_| store.until(Linear, left.all, some);
            let some = right.some.iter().map(until_alternative).collect();
            let along = store.until(Linear, left.along, right.along);
            strengthen_alternatives(
                PartBounds { along, all: store.or([right.all, left_before]), some },
                store,
            )
        }
        Node::Until(Quantifier::All, left, right) => without_alternatives(
            bounds_of[*right].along,
            store.until(Linear, bounds_of[*left].all, bounds_of[*right].all),
        ),
        Node::Release(Quantifier::Exists, left, right) => {
            let (left, right) = (&bounds_of[*left], &bounds_of[*right]);
            let both = conjunction(right.along, &[left, right], store);
            let right_forever = store.always(Linear, right.all);
            let right_until = |&alternative: &_| {
                let right_until = store.until(Linear, right.all, alternative);
                store.or([right_forever, right_until])
            };
            let some = both.some.iter().map(right_until).collect();
            PartBounds {
                along: store.release(Linear, left.along, right.along),
                all: right.all,
                some,
            }
        }
        Node::Release(Quantifier::All, left, right) => {
            let (left, right) = (&bounds_of[*left], &bounds_of[*right]);
            let left_or_dead = store.or([left.along, is_dead]);
            let all = store.release(Linear, left.all, right.all);
            without_alternatives(store.and([right.along, left_or_dead]), all)
        }
    }
}

/// Combines the formulas of the operands of a conjunction. The formula `along` of the conjunction
/// is given.
fn conjunction(
    along: Formula<Linear>,
    operand_bounds: &[&PartBounds],
    store: &mut Ltl,
) -> PartBounds {
    let all = store.and(operand_bounds.iter().map(|part| part.all));
    let mut some = Vec::new();
    for part in operand_bounds {
        some.extend(part.some.iter().filter(|&&some| some != part.all));
    }
    some.truncate(MAX_ALTERNATIVES);
    if some.is_empty() {
        some.push(all);
    }
    strengthen_alternatives(PartBounds { along, all, some }, store)
}

/// Adds the formula `all` to each alternative in `some`: every run satisfies `all`, and so does the
/// run that satisfies the alternative.
fn strengthen_alternatives(part: PartBounds, store: &mut Ltl) -> PartBounds {
    let mut some: Vec<_> = part.some.iter().map(|&some| store.and([some, part.all])).collect();
    some.sort_unstable();
    some.dedup();
    PartBounds { some, ..part }
}

/// Returns the combinations of one formula of each list, up to the limit.
fn join_pairs(
    lefts: &[Formula<Linear>],
    rights: &[Formula<Linear>],
    mut join: impl FnMut(Formula<Linear>, Formula<Linear>) -> Formula<Linear>,
) -> Vec<Formula<Linear>> {
    let combinations = lefts.iter().flat_map(|&one| rights.iter().map(move |&other| (one, other)));
    combinations.take(MAX_ALTERNATIVES).map(|(one, other)| join(one, other)).collect()
}
