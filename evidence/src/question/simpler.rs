//! Simpler forms of properties of runs, each checked to be equivalent as far as necessary.
//!
//! The author of a proof may have rewritten the property, evaluated its atoms about the first
//! position in the initial marking, and split it into cases. This module does the same with rules
//! of LTL, and checks with automata that the old and the new form imply each other as far as
//! necessary ([`implies`]).

use crate::no_run::implied::{implies, implies_one_of};
use parikh_net::property::condition;
use parikh_net::run_property::{RunAtom, RunProperty};
use parikh_net::{Net, Predicate};
use parikh_temporal::{AtomId, Formula, LINEAR_RULES, Linear, Ltl, Node};

/// The maximum number of rewriting steps.
const MAX_REWRITE_STEPS: usize = 1_000;

/// The maximum number of cases of a property.
const MAX_CASES: usize = 32;

/// Returns a simpler form of the property for runs from the initial marking. The result is not
/// checked; callers must check that it is equivalent.
fn simplified(net: &Net, property: &RunProperty) -> (Ltl, Formula<Linear>) {
    let mut formulas = property.formulas().clone();
    let initial_values = RunAtom::initial_values(property.atoms(), net);
    let initial_value = |atom: AtomId| initial_values[atom.0 as usize];
    let evaluated = formulas.simplify_here(property.formula(), initial_value);
    let (simple, _) = formulas.rewritten(evaluated, LINEAR_RULES, MAX_REWRITE_STEPS);
    // Rewriting may turn a condition on a later marking into a condition on the first marking.
    let simple = formulas.simplify_here(simple, initial_value);
    (formulas, simple)
}

/// Returns the cases of a property in its simpler form: the parts of a disjunction, or the simpler
/// form as the only case. If `exists` is true, checks that each case implies the property.
/// Otherwise checks that the property implies the disjunction of the cases. Returns no cases if the
/// check fails, or if a disjunction has more than 32 parts. Also returns no cases if the form is
/// not a disjunction and equals the property's formula.
pub(super) fn cases(net: &Net, property: &RunProperty, exists: bool) -> Vec<RunProperty> {
    let (formulas, simple) = simplified(net, property);
    let parts = match formulas.node(simple) {
        Node::Or(parts) => parts.to_vec(),
        _ if simple == property.formula() => return Vec::new(),
        _ => vec![simple],
    };
    if parts.len() > MAX_CASES {
        return Vec::new();
    }
    let case = |&part: &_| {
        let case = RunProperty::new(&formulas, part, property.atoms());
        case.with_fairness(property.fairness().clone())
    };
    let cases: Vec<RunProperty> = parts.iter().map(case).collect();
    let are_valid = match exists {
        true => cases.iter().all(|case| implies(net, case, property, &[]).is_ok()),
        false => {
            let disjuncts: Vec<&RunProperty> = cases.iter().collect();
            implies_one_of(net, property, &disjuncts, &[]).is_ok()
        }
    };
    if are_valid { cases } else { Vec::new() }
}

/// Returns a predicate φ such that a fair run has the property exactly if it visits a marking that
/// satisfies φ. Returns `None` if no such φ is found. Rewriting rules and the values of the atoms
/// in the initial marking propose φ. Then F φ and the property are checked to imply each other on
/// fair runs from the initial marking.
pub(super) fn equivalent_goal(net: &Net, property: &RunProperty) -> Option<Predicate> {
    let (formulas, simple) = simplified(net, property);
    let Node::Until(_, until_left, goal) = *formulas.node(simple) else { return None };
    if !formulas.is(until_left, true) {
        return None;
    }
    let goal = condition(&formulas, goal, property.atoms(), RunAtom::condition)?;
    let eventually = RunProperty::new(&formulas, simple, property.atoms());
    // Every finite firing sequence has a fair continuation.
    let eventually = eventually.with_fairness(property.fairness().clone());
    let is_equivalent = implies(net, &eventually, property, &[]).is_ok()
        && implies(net, property, &eventually, &[]).is_ok();
    is_equivalent.then(|| goal.sorted())
}
