//! Bounds: m(p) ≤ u(p) for every place with a known bound.
//!
//! Bounds that come from flows follow from the state equation over the reals; rounded ones, those
//! of integer reasoning do not. What the model merely claims is left to the part about its units.

use crate::variables::Variables;
use parikh_net::{Facts, Provenance};
use parikh_solvers::term::Term;

/// One inequality per place whose bound is proved.
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
