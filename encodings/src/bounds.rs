//! Bounds: m(p) ≤ u(p) for every place with a known bound.
//!
//! Bounds that come from flows follow from the state equation over the reals. Bounds that integer
//! reasoning has rounded do not. Bounds that the model only claims belong to the part about units.

use crate::variables::Variables;
use parikh_net::{Facts, Provenance};
use parikh_solvers::term::Term;

/// Returns one inequality per place with a proved bound.
pub fn constraints(variables: &mut Variables<'_>, facts: &Facts) -> Vec<Term> {
    let mut bounds = Vec::new();
    for place in variables.net.places() {
        if let Some(bound) = facts.upper_bound_within(place, Provenance::PROVED) {
            let tokens = variables.tokens(place);
            bounds.push(variables.terms.at_most(tokens, bound));
        }
    }
    bounds
}
