//! Nested units (NUPN) that the model claims to be safe: among the places of a unit and of all
//! units around it, at most one place holds a token, and only one token.
//!
//! One inequality per innermost unit covers all units around it. Without a claim there are no
//! constraints. The claim is the model's: results that use it are correct only if the claim is.
//!
//! # Sources
//! H. Garavel, *Nested-unit Petri nets*, JLAMP 104, 2019.

use crate::variables::Variables;
use parikh_net::{LinearSum, PlaceId, UnitId};
use parikh_solvers::term::Term;

/// Returns one inequality per innermost unit: the places of the unit and of all units around it
/// hold at most one token. Returns no inequality if the model does not claim that its units are
/// safe.
pub fn constraints(variables: &mut Variables<'_>) -> Vec<Term> {
    let Some(units) = variables.net.safe_units() else { return Vec::new() };
    let mut innermost = vec![true; units.len()];
    for (_, unit) in units.iter() {
        if let Some(parent) = unit.parent {
            innermost[parent.index()] = false;
        }
    }
    let mut chains = Vec::new();
    let is_innermost = |&(id, _): &(UnitId, _)| innermost[UnitId::index(id)];
    for (id, _) in units.iter().filter(is_innermost) {
        let chain = std::iter::successors(Some(id), |&unit| units.get(unit).parent);
        let places = chain.flat_map(|unit| units.get(unit).places.iter().copied());
        let unit_terms: Vec<(PlaceId, i64)> = places.map(|place| (place, 1)).collect();
        // The sum of ones over places does not overflow.
        if let Ok(sum) = LinearSum::new(unit_terms) {
            let sum = variables.sum(&sum);
            chains.push(variables.terms.at_most(sum, 1));
        }
    }
    chains
}
