//! Constraints of safe units (NUPN): a chain of nested units has at most one token.
//!
//! This is a claim of the model, which is not proved. It is used only if the model makes it, and
//! every certificate that needs the claim names it.

use super::RowForm;
use parikh_encodings::StateEquation;
use parikh_net::{LinearSum, Net, PlaceId, UnitId};
use parikh_solvers::linear_program::{Interval, LinearProgram, ProgramError};

/// Returns the places of a unit and of all units that contain it.
pub(super) fn places(net: &Net, unit: UnitId) -> impl Iterator<Item = PlaceId> {
    let units = net.units();
    let parent_of = move |unit: &UnitId| units.and_then(|units| units.get(*unit).parent);
    let chain = std::iter::successors(Some(unit), parent_of);
    chain.flat_map(move |unit| {
        units.into_iter().flat_map(move |u| u.get(unit).places.iter().copied())
    })
}

/// Adds the constraints that follow from safe units. Each place of a unit gets the upper bound 1 in
/// its own row. A chain consists of the places of an innermost unit and of all units that contain
/// it. Each chain of at least two places gets a row with the upper bound 1. Chains are left out if
/// the rows would have too many terms in total, or if a number does not fit 64 bits.
pub(super) fn add(
    net: &Net,
    equation: &StateEquation,
    program: &mut LinearProgram,
    forms: &mut Vec<RowForm>,
) -> Result<(), ProgramError> {
    let Some(units) = net.safe_units() else { return Ok(()) };
    let mut is_innermost = vec![true; units.len()];
    for (_, unit) in units.iter() {
        if let Some(parent) = unit.parent {
            is_innermost[parent.index()] = false;
        }
    }
    // Every place of a unit has at most one token. The row of a chain implies this for its places,
    // but bounds on single rows cost the simplex method nothing.
    for place in net.places().filter(|&place| units.covers(place)) {
        let interval = StateEquation::token_interval(net, place, 0, Some(1));
        program.set_row_bounds(StateEquation::row(place), interval)?;
    }
    // Limit on the total number of terms in the rows of chains.
    let mut terms_left = 20 * net.place_count() + 1000;
    for (id, _) in units.iter().filter(|(id, _)| is_innermost[id.index()]) {
        let places: Vec<PlaceId> = places(net, id).collect();
        if places.len() < 2 || places.len() > terms_left {
            continue;
        }
        terms_left -= places.len();
        let Ok(sum) = LinearSum::new(places.iter().map(|&place| (place, 1))) else { continue };
        let Some(firings) = equation.firing_sum(net, &sum) else { continue };
        let Ok(upper) = i64::try_from(1 - firings.constant) else { continue };
        program.add_row(Interval::at_most(upper), firings.coefficients)?;
        forms.push(RowForm::Chain(id));
    }
    Ok(())
}
