//! A diagram held against the checker: no firing leaves it, so that no marking is missing.
//!
//! That settles one side, and the one where saturation could go wrong unnoticed: markings that were
//! not found. That every member can be reached stays the word of the search.

use super::Reached;
use crate::evidence::certificate::closed_set::{ClosedSet, ClosedSetFlaw};
use num_bigint::BigUint;
use parikh_net::{Net, PlaceId};
use parikh_solvers::Budget;
use parikh_symbolic::{Diagrams, Set};
use std::time::Duration;

/// The most nodes that are handed to the checker.
const MOST_NODES: usize = 2_000_000;

/// How long it may take.
const LONGEST: Duration = Duration::from_secs(2);

/// The diagram of all markings as the checker reads it.
pub fn closed_set(reached: &Reached<'_, '_>) -> ClosedSet {
    closed(reached, reached.set)
}

/// The same of a set that begins elsewhere.
pub(crate) fn closed(reached: &Reached<'_, '_>, set: Set) -> ClosedSet {
    let diagrams: &Diagrams<'_> = reached.diagrams;
    let diagram = diagrams.export(set, reached.level_of.len() as u32);
    let order = reached.order.places.iter().map(|&place| PlaceId::new(place as usize)).collect();
    ClosedSet { order, nodes: diagram.nodes, root: diagram.root }
}

/// Whether the checker finds that there are no more than so many `markings`; `false` where that
/// would take too long.
///
/// # Errors
/// When it finds that the set is wrong.
pub(super) fn confirm(
    net: &Net,
    reached: &Reached<'_, '_>,
    markings: &BigUint,
) -> Result<bool, ClosedSetFlaw> {
    if reached.diagrams.nodes_of(reached.set) > MOST_NODES {
        return Ok(false);
    }
    let set = closed_set(reached);
    let budget = Budget::lasting(LONGEST);
    let checked = set.check(net, &mut || !budget.is_exhausted());
    let flaw = match checked {
        Ok(checked) if checked.markings() == *markings => return Ok(true),
        Err(ClosedSetFlaw::Work | ClosedSetFlaw::Pairs) => return Ok(false),
        Ok(_) => ClosedSetFlaw::Root, // other vectors than those that were counted
        Err(flaw) => flaw,
    };
    tracing::error!("internal error: a diagram of {} is refused: {flaw}", net.name());
    Err(flaw)
}
