//! Refutations of predicates by the facts of an explainer.

use super::super::propagation::BoundLiteral;
use super::UNCHECKED;
use super::explainer::{ClauseOrigin, Draft, Explainer, NotWritten, TermMeaning};
use super::fact::{Conclusion, Derivation, Fact, Numbering};
use super::formula::Formula;
use parikh_net::{Atom, Predicate};

/// The maximum number of literals that are chosen for a case distinction.
const MAX_CASES: usize = 2_000;

/// Returns the derivation that a predicate, whose leaves are comparisons, contradicts the facts of
/// an explainer. `literals` has the literal of each variable of `steps`, except for the
/// conjunctions and disjunctions of the predicate, which are added here. Comparisons for which
/// `is_covered` is false count as true. Returns `None` if no derivation is found.
pub(super) fn refute(
    explainer: &mut Explainer,
    predicate: &Predicate,
    mut literals: Vec<BoundLiteral>,
    is_covered: &dyn Fn(&Atom) -> bool,
    steps: &[Vec<i32>],
) -> Result<Option<Derivation>, NotWritten> {
    let mut draft = Draft::new(Numbering::local(0));
    let formula = Formula::of(predicate).ok_or(UNCHECKED)?;
    let fact = draft.numbering.push(&formula);
    if let (Fact::Any(number, _), Predicate::False) = (&fact, predicate) {
        return Ok(Some(Conclusion::Cases(*number, Vec::new()).into()));
    }
    let mut clauses = Vec::new();
    // The predicate becomes clauses over one truth value for each conjunction and disjunction.
    let root = assume(explainer, predicate, &mut literals, is_covered, &mut clauses)?;
    let Some(root) = root else { return Ok(None) };
    clauses.push((vec![root], ClauseOrigin::Fact(fact)));
    for (clause, origin) in clauses {
        if explainer.add(clause, origin) {
            return explainer.conclude(draft).map(Some);
        }
    }
    // Steps that do not follow are skipped.
    for step in steps {
        let Ok(step) = resolve(step, &literals) else { continue };
        let formula = explainer.clause_formula(&step);
        let negated: Vec<BoundLiteral> = step.iter().map(|literal| literal.negated()).collect();
        let Some(derivation) = explainer.refute(Some(&mut draft), &formula.negated(), &negated)?
        else {
            continue;
        };
        let fact = draft.prove(formula, derivation);
        if explainer.add(step, ClauseOrigin::Fact(fact)) {
            return explainer.conclude(draft).map(Some);
        }
    }
    if explainer.propagator.assume_all([]) {
        return explainer.conclude(draft).map(Some);
    }
    explainer.refute_by_cases(draft, &literals, &mut MAX_CASES.clone())
}

/// Adds the terms of a predicate, and the clauses that relate it to its parts. Returns its literal,
/// or `None` if the predicate counts as true. The order of the terms is that of
/// [`Skeleton`](super::super::skeleton::Skeleton).
fn assume(
    explainer: &mut Explainer,
    predicate: &Predicate,
    literals: &mut Vec<BoundLiteral>,
    is_covered: &dyn Fn(&Atom) -> bool,
    clauses: &mut Vec<(Vec<BoundLiteral>, ClauseOrigin)>,
) -> Result<Option<BoundLiteral>, NotWritten> {
    let parts = match predicate {
        Predicate::Atom(atom) if is_covered(atom) => {
            let literal = explainer.propagator.literal(atom);
            explainer.record_new_sums();
            return Ok(Some(literal));
        }
        Predicate::And(parts) | Predicate::Or(parts) => parts,
        _ => return Ok(None),
    };
    let term = explainer.propagator.add_term(Some(0), Some(1));
    explainer.terms.push(TermMeaning::Truth(Formula::of(predicate).ok_or(UNCHECKED)?));
    let whole = BoundLiteral { term, upper: false, bound: 1 };
    literals.push(whole);
    if matches!(predicate, Predicate::And(_)) {
        let mut is_constrained = false;
        for (index, part) in parts.iter().enumerate() {
            if let Some(part) = assume(explainer, part, literals, is_covered, clauses)? {
                clauses.push((vec![whole.negated(), part], ClauseOrigin::Part(index)));
                is_constrained = true;
            }
        }
        return Ok(is_constrained.then_some(whole));
    }
    let mut clause = vec![whole.negated()];
    for part in parts {
        match assume(explainer, part, literals, is_covered, clauses)? {
            Some(part) => clause.push(part),
            None => return Ok(None),
        }
    }
    clauses.push((clause, ClauseOrigin::Parts));
    Ok(Some(whole))
}

/// Returns the literals of a clause, whose variables are numbered from 1.
pub(super) fn resolve(
    clause: &[i32],
    literals: &[BoundLiteral],
) -> Result<Vec<BoundLiteral>, NotWritten> {
    let literal = |&variable: &i32| {
        let index = (variable.unsigned_abs() as usize).checked_sub(1)?;
        let literal = *literals.get(index)?;
        Some(if variable > 0 { literal } else { literal.negated() })
    };
    clause.iter().map(literal).collect::<Option<Vec<_>>>().ok_or(UNCHECKED)
}
