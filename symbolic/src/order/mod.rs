//! Orders of places: the assignment of places to levels.
//!
//! No method finds a good order reliably. Several methods therefore propose orders, and a [`score`]
//! ranks these by the causes of large diagrams: the number of levels that transitions span, and the
//! number of place invariants open at a level. Callers try the best order first, in time slices
//! that grow.
//!
//! | method | file |
//! |---|---|
//! | the order of the net; its units, depth first | `groups` |
//! | the places of an invariant together, and these groups ordered by their transitions | `groups` |
//! | one place at a time, the one with most of its neighbourhood placed | `greedy` |
//! | along invariants from one end of the net to the other | `gradient` |
//! | each of these improved so that transitions become short | `force` |
//!
//! Sources: Noack, "A ZBDD package for efficient model checking of Petri nets", 1999; Aloul,
//! Markov, Sakallah, "FORCE: a fast and easy-to-implement variable-ordering heuristic", GLSVLSI
//! 2003; Amparore, Donatelli, Beccuti, Garbi, Miner, "Decision diagrams for Petri nets: a
//! comparison of variable ordering algorithms", ToPNoC 2018; Amparore, Ciardo, Donatelli, Miner,
//! "iRank: a variable order metric for DEDS subject to linear invariants", TACAS 2019.

mod force;
mod gradient;
mod greedy;
mod groups;
pub mod score;

/// The structure of a net that orders are computed from. Places are numbers below `places`.
#[derive(Clone, Debug, Default)]
pub struct NetShape {
    /// Number of places.
    pub places: usize,
    /// Input places and output places of each transition.
    pub transitions: Vec<(Vec<u32>, Vec<u32>)>,
    /// The support of each place invariant without negative weights.
    pub flows: Vec<Vec<u32>>,
    /// Groups of places that belong together: the net's units, depth first. Empty if there are no
    /// units.
    pub units: Vec<Vec<u32>>,
}

/// An order with a score.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelOrder {
    /// Name of the method.
    pub method: &'static str,
    /// The place at each level, from the top.
    pub places: Vec<u32>,
    /// The score; lower is better.
    pub score: f64,
}

/// Returns different orders, best score first. If `stop` returns true, the orders found so far are
/// returned.
pub fn candidates(shape: &NetShape, stop: &dyn Fn() -> bool) -> Vec<LevelOrder> {
    let natural: Vec<u32> = (0..shape.places as u32).collect();
    let mut found_orders: Vec<(&'static str, Vec<u32>)> = vec![("net", natural.clone())];
    let improved_by_force = |order: &[u32]| force::places(shape, order, stop);
    if !shape.units.is_empty() {
        let depth_first = groups::flat(&shape.units, shape.places);
        let drawn = groups::arranged(shape, &shape.units, stop);
        found_orders.extend([("units", depth_first), ("units+FORCE", drawn)]);
    }
    if !shape.flows.is_empty() && !stop() {
        let flow_groups = groups::by_flows(shape);
        found_orders.push(("invariants+FORCE", groups::arranged(shape, &flow_groups, stop)));
        let by_gradient = gradient::along_flows(shape, stop);
        found_orders.push(("gradient+FORCE", improved_by_force(&by_gradient)));
        found_orders.push(("gradient", by_gradient));
    }
    if !stop() {
        let greedy = greedy::tovchigrechko(shape, stop);
        found_orders.push(("Tovchigrechko+FORCE", improved_by_force(&greedy)));
        found_orders.push(("Tovchigrechko", greedy));
        found_orders.push(("FORCE", improved_by_force(&natural)));
    }
    let mut orders: Vec<LevelOrder> = Vec::new();
    for (idea, places) in found_orders {
        if orders.len() > 1 && stop() {
            break;
        }
        debug_assert!(is_order(&places, shape.places), "{idea}");
        // In the reversed order, transitions span as many levels as before, but the upper ends of
        // the spans differ, and so does the score.
        let reversed: Vec<u32> = places.iter().rev().copied().collect();
        let scored = |places: Vec<u32>| LevelOrder {
            method: idea,
            score: score::of(shape, &places),
            places,
        };
        let (forward, backward) = (scored(places), scored(reversed));
        let better_order = if backward.score < forward.score { backward } else { forward };
        if orders.iter().all(|order| order.places != better_order.places) {
            orders.push(better_order);
        }
    }
    orders.sort_by(|a, b| a.score.total_cmp(&b.score));
    orders
}

/// Returns true if every place occurs exactly once.
fn is_order(order: &[u32], places: usize) -> bool {
    let mut sorted = order.to_vec();
    sorted.sort_unstable();
    sorted.iter().copied().eq(0..places as u32)
}

/// Returns the position of each place in an order.
fn positions(order: &[u32]) -> Vec<u32> {
    let mut position = vec![0; order.len()];
    for (level, &place) in order.iter().enumerate() {
        position[place as usize] = level as u32;
    }
    position
}
