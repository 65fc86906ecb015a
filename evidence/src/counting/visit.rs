//! Computes the sums over the markings of a component by visiting each marking.

use super::{CountError, CountedComponent, FunctionId, MarkingFactors, NoFormula};
use crate::certificate::markings::visit;
use num_bigint::BigUint;
use parikh_net::{Marking, PlaceId};

/// Returns the sum of each product over all markings of the component, and the number of markings,
/// at most `max_markings`. Calls `goes_on` at every marking.
///
/// # Errors
/// When there are more markings or too many for the memory limit, a place overflows, a factor
/// cannot be computed, or `goes_on` returns false.
pub fn sums(
    component: &CountedComponent,
    factors: &mut MarkingFactors,
    max_markings: u64,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<(Vec<BigUint>, u64), CountError> {
    let mut sums = vec![BigUint::ZERO; component.products.len()];
    let mut failed = None;
    let visited = visit(&component.net, max_markings, |marking| {
        let added = add(component, factors, marking, &mut sums);
        failed = added.err();
        failed.is_none() && goes_on()
    });
    match (failed, visited) {
        (Some(error), _) => Err(NoFormula::Weight(error).into()),
        (None, Ok(visited)) => Ok((sums, visited.count())),
        (None, Err(flaw)) => Err(flaw.into()),
    }
}

/// Adds the products at one marking to the sums.
fn add(
    component: &CountedComponent,
    factors: &mut MarkingFactors,
    marking: &Marking,
    sums: &mut [BigUint],
) -> Result<(), super::WeightError> {
    let mut factor =
        |(place, function): (PlaceId, FunctionId)| factors.value(function, marking[place]);
    for (product, sum) in component.products.iter().zip(sums) {
        if product.lower_bounds.iter().any(|&(place, least)| marking[place] < least) {
            continue;
        }
        let mut changed = product.changed.iter().copied().peekable();
        let mut value = BigUint::from(1u8);
        for &(place, function) in &component.factors {
            let other = changed.next_if(|it| it.0 == place);
            value *= factor(other.unwrap_or((place, function)))?;
        }
        *sum += value;
    }
    Ok(())
}
