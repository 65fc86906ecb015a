//! Bounds: m(p) ≤ u(p) for every place with a known bound.
//!
//! Bounds that come from flows follow from the state equation over the reals; rounded ones, those
//! of integer reasoning and those that the model claims do not.

use crate::variables::Variables;
use parikh_net::Facts;
use parikh_solvers::term::Term;

/// One inequality per bounded place.
pub fn constraints(variables: &mut Variables<'_>, facts: &Facts) -> Vec<Term> {
    let mut bounds = Vec::new();
    for place in variables.net.places() {
        if let Some(bound) = facts.upper_bound(place) {
            let tokens = variables.tokens(place);
            bounds.push(variables.terms.at_most(tokens, bound));
        }
    }
    bounds
}
