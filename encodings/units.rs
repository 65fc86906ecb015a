//! Nested units (NUPN), where the model claims that they are safe: of the places of a unit and of
//! all units around it, together at most one holds a token, and only one.
//!
//! One inequality per innermost unit covers those around it. Nothing is said where the model claims
//! nothing. The claim is the model's, not ours: what rests on it is true if the claim is.
//!
//! # Sources
//! H. Garavel, *Nested-unit Petri nets*, JLAMP 104, 2019.

use crate::variables::Variables;
use parikh_net::{LinearSum, PlaceId, UnitId};
use parikh_solvers::term::Term;

/// One inequality per chain of units from an innermost one to the root.
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
        let ones: Vec<(PlaceId, i64)> = places.map(|place| (place, 1)).collect();
        // As many ones as places: they do add up.
        if let Ok(sum) = LinearSum::new(ones) {
            let sum = variables.sum(&sum);
            chains.push(variables.terms.at_most(sum, 1));
        }
    }
    chains
}
