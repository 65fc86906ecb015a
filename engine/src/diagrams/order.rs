//! Orders of a net's places for diagrams: computes the semiflows, and passes them with the net's
//! arcs and units to [`parikh_symbolic::order`].

use parikh_net::{Net, UnitId};
use parikh_solvers::Budget;
use parikh_structure::flows::PlaceFlow;
use parikh_structure::semiflows::place_semiflows;
use parikh_symbolic::order::{self, LevelOrder, NetShape};

/// Limit on the number of semiflows that are computed for finding orders of places.
const MAX_SEMIFLOWS: usize = 5_000;

/// Returns orders of the places of `net`, the most promising first, at least one.
pub fn candidates(net: &Net, budget: &Budget) -> Vec<LevelOrder> {
    order::candidates(&shape(net, budget).0, &|| budget.is_exhausted())
}

/// Returns the structure of the net for orders of its places, and its semiflows. Semiflows may be
/// missing if there are many or the budget ends.
pub(super) fn shape(net: &Net, budget: &Budget) -> (NetShape, Vec<PlaceFlow>) {
    let index = |place: parikh_net::PlaceId| place.index() as u32;
    let place_indices =
        |arcs: &[parikh_net::Arc]| arcs.iter().map(|arc| index(arc.place)).collect();
    let semiflows = place_semiflows(net, MAX_SEMIFLOWS, &budget.share(0.3));
    let flows = semiflows.flows.iter();
    let flows = flows.map(|flow| flow.terms().iter().map(|&(place, _)| index(place)).collect());
    let shape = NetShape {
        places: net.place_count(),
        transitions: net
            .transitions()
            .map(|t| (place_indices(net.pre(t)), place_indices(net.post(t))))
            .collect(),
        flows: flows.filter(|flow: &Vec<u32>| flow.len() > 1).collect(),
        units: units(net),
    };
    (shape, semiflows.flows)
}

/// Returns the places of each unit, without those of its subunits, in depth-first order of the
/// units. Units without own places are left out. Returns no group if the net has no units or the
/// groups contain no information.
fn units(net: &Net) -> Vec<Vec<u32>> {
    let Some(units) = net.units() else { return Vec::new() };
    let mut children: Vec<Vec<UnitId>> = vec![Vec::new(); units.len()];
    for (id, unit) in units.iter() {
        if let Some(parent) = unit.parent {
            children[parent.index()].push(id);
        }
    }
    let mut groups = Vec::new();
    let mut pending = vec![units.root()];
    while let Some(id) = pending.pop() {
        let places = &units.get(id).places;
        if !places.is_empty() {
            groups.push(places.iter().map(|place| place.index() as u32).collect());
        }
        pending.extend(children[id.index()].iter().rev());
    }
    // A single unit, or one unit per place, contains no information.
    match groups.len() > 1 && groups.len() < net.place_count() {
        true => groups,
        false => Vec::new(),
    }
}
