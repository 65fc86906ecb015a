//! Verification of a diagram by the checker: no firing leaves the set, so no reachable marking is
//! missing.
//!
//! This check detects missing markings, an error of saturation that would otherwise go unnoticed.
//! It does not detect unreachable members of the set.

use super::level_groups::LevelGroup;
use super::place_levels::by_places;
use super::{DiagramError, ReachableSet};
use num_bigint::BigUint;
use parikh_evidence::certificate::closed_set::{ClosedSet, ClosedSetFlaw};
use parikh_net::{Net, PlaceId};
use parikh_solvers::Budget;
use parikh_symbolic::{Diagrams, Set};
use std::time::Duration;

/// Limit on the number of nodes of a diagram that goes to the checker.
const MAX_CHECKED_NODES: usize = 2_000_000;

/// Time limit for the checker.
const TIME_LIMIT: Duration = Duration::from_secs(2);

/// Returns the reachable set in the checker's format. Each level of `reached` must represent one
/// place.
pub fn closed_set(reached: &ReachableSet<'_, '_>) -> ClosedSet {
    to_closed_set(reached, reached.set)
}

/// Returns the reachable set in the checker's format, whose levels represent places. The levels of
/// `reached` may represent groups of places. Returns `None` if the set needs more than `max_nodes`
/// nodes, or if the budget ends.
pub(super) fn closed_set_within(
    reached: &ReachableSet<'_, '_>,
    max_nodes: usize,
    budget: &Budget,
) -> Option<ClosedSet> {
    let groups = &reached.groups.groups;
    let levels: Vec<&LevelGroup> =
        reached.order.places.iter().map(|&group| &groups[group as usize]).collect();
    let diagram = reached.diagrams.export(reached.set, levels.len() as u32);
    by_places(diagram, &levels, max_nodes, budget)
}

/// Returns a set of the diagram store of `reached` in the checker's format. Each level of `reached`
/// must represent one place. The set must be closed under firing, since the checker accepts no
/// other set.
pub(crate) fn to_closed_set(reached: &ReachableSet<'_, '_>, set: Set) -> ClosedSet {
    let diagrams: &Diagrams<'_> = reached.diagrams;
    let diagram = diagrams.export(set, reached.level_of.len() as u32);
    let order = reached.order.places.iter().map(|&place| PlaceId::new(place as usize)).collect();
    ClosedSet { order, nodes: diagram.nodes, root: diagram.root }
}

/// Returns true if the checker verifies that no firing leaves the set and that the set has
/// `markings` members. Returns false if the diagram is too large, or if the check takes too long or
/// exceeds a limit of the checker.
///
/// # Errors
/// Returns an error if the checker finds that the set is wrong.
pub(super) fn confirm(
    net: &Net,
    reached: &ReachableSet<'_, '_>,
    markings: &BigUint,
) -> Result<bool, DiagramError> {
    if reached.diagrams.nodes_of(reached.set) > MAX_CHECKED_NODES {
        return Ok(false);
    }
    let budget = Budget::lasting(TIME_LIMIT);
    let Some(set) = closed_set_within(reached, MAX_CHECKED_NODES, &budget) else {
        return Ok(false);
    };
    let checked = set.check(net, &mut || !budget.is_exhausted());
    let error = match checked {
        Ok(checked) if checked.markings() == *markings => return Ok(true),
        Err(ClosedSetFlaw::Work | ClosedSetFlaw::TooManyPairs) => return Ok(false),
        Ok(_) => DiagramError::Miscounted,
        Err(flaw) => flaw.into(),
    };
    tracing::error!("a diagram of {}: {error}", net.name());
    Err(error)
}
