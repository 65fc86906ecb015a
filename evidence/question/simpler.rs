//! Properties of runs in simpler forms, each of which is seen to say the same.
//!
//! Whoever argues about a property may have rewritten it, with what the initial marking says of its
//! first letter, and taken it apart. The rules of LTL do the same here, and automata show that the
//! forms before and after imply each other as far as that matters ([`implies`]).

use crate::no_run::implied::{implies, implies_one_of};
use parikh_net::property::condition;
use parikh_net::run_property::{RunAtom, RunProperty};
use parikh_net::{Net, Predicate};
use parikh_temporal::{Atom, Formula, LINEAR_RULES, Linear, Ltl, Node};

/// Steps of rewriting a property.
const MOST_STEPS: usize = 1_000;

/// The most cases that a property is taken apart into.
const MOST_CASES: usize = 32;

/// The property of runs from the initial marking in a simpler form. Nothing checks that it says the
/// same: whoever uses it has to.
fn simplified(net: &Net, property: &RunProperty) -> (Ltl, Formula<Linear>) {
    let mut formulas = property.formulas().clone();
    let initially = RunAtom::all_initially(property.atoms(), net);
    let here = |atom: Atom| initially[atom.0 as usize];
    let given = formulas.given_here(property.formula(), here);
    let (simple, _) = formulas.rewritten(given, LINEAR_RULES, MOST_STEPS);
    // Rewriting may bring to the first letter what was said of a later one.
    let simple = formulas.given_here(simple, here);
    (formulas, simple)
}

/// The cases of a property in its simpler form: the parts of a disjunction, or the simpler form as
/// the only case; none where the form is no simpler. Where `some` run is to be shown, it is seen
/// that each case implies the property; where there is none, that the property implies one of the
/// cases.
pub(super) fn cases(net: &Net, property: &RunProperty, some: bool) -> Vec<RunProperty> {
    let (formulas, simple) = simplified(net, property);
    let parts = match formulas.node(simple) {
        Node::Or(parts) => parts.to_vec(),
        _ if simple == property.formula() => return Vec::new(),
        _ => vec![simple],
    };
    if parts.len() > MOST_CASES {
        return Vec::new();
    }
    let case = |&part: &_| {
        let case = RunProperty::new(&formulas, part, property.atoms());
        case.under(property.fairness().clone())
    };
    let cases: Vec<RunProperty> = parts.iter().map(case).collect();
    let is_that = match some {
        true => cases.iter().all(|case| implies(net, case, property, &[]).is_ok()),
        false => {
            let all: Vec<&RunProperty> = cases.iter().collect();
            implies_one_of(net, property, &all, &[]).is_ok()
        }
    };
    if is_that { cases } else { Vec::new() }
}

/// φ, where a run has the property just when it meets a marking with φ. Rules, and what the initial
/// marking says of the first letter, say which φ that might be; it is then seen that F φ and the
/// property imply each other in runs from there.
pub(super) fn met_somewhere(net: &Net, property: &RunProperty) -> Option<Predicate> {
    let (formulas, simple) = simplified(net, property);
    let Node::Until(_, always, met) = *formulas.node(simple) else { return None };
    if !formulas.is(always, true) {
        return None;
    }
    let met = condition(&formulas, met, property.atoms(), RunAtom::condition)?;
    let eventually = RunProperty::new(&formulas, simple, property.atoms());
    // Whatever was reached, a run goes on fairly.
    let eventually = eventually.under(property.fairness().clone());
    let is_that = implies(net, &eventually, property, &[]).is_ok()
        && implies(net, property, &eventually, &[]).is_ok();
    is_that.then(|| met.sorted())
}
