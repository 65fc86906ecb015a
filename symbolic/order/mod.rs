//! Orders of places: which one is at which level.
//!
//! Nobody knows a good order beforehand, so several are made, each by its own idea, and scored by
//! what makes diagrams large ([`score`]): how many levels transitions span, and how many place
//! invariants are open at a level. Whoever uses them tries the best first, in slices of time that
//! grow.
//!
//! | idea | file |
//! |---|---|
//! | the order of the net, and its units depth first | `groups` |
//! | places that are tied by an invariant together, and such groups by what transitions tie together | `groups` |
//! | places one by one, next whichever has most of its neighbourhood placed | `greedy` |
//! | along invariants from one end of the net to the other | `gradient` |
//! | each of these drawn together by its transitions | `force` |
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

/// What orders are made from. Places are numbers below `places`.
#[derive(Clone, Debug, Default)]
pub struct Shape {
    /// How many places there are.
    pub places: usize,
    /// The places that each transition needs tokens of, and those it puts tokens to.
    pub transitions: Vec<(Vec<u32>, Vec<u32>)>,
    /// The places of each invariant without negative weights.
    pub flows: Vec<Vec<u32>>,
    /// Groups of places that belong together, in the order of the net's units depth first; none if
    /// there are no units.
    pub units: Vec<Vec<u32>>,
}

/// An order with its score.
#[derive(Clone, Debug, PartialEq)]
pub struct Order {
    /// What it was made by.
    pub idea: &'static str,
    /// The place of each level, from the top.
    pub places: Vec<u32>,
    /// Low is good.
    pub score: f64,
}

/// Orders that differ, best score first. `stop` is asked now and then: what there is by then is the
/// answer.
pub fn candidates(shape: &Shape, stop: &dyn Fn() -> bool) -> Vec<Order> {
    let natural: Vec<u32> = (0..shape.places as u32).collect();
    let mut found: Vec<(&'static str, Vec<u32>)> = vec![("net", natural.clone())];
    let forced = |order: &[u32]| force::places(shape, order, stop);
    if !shape.units.is_empty() {
        let depth_first = groups::flat(&shape.units, shape.places);
        let drawn = groups::drawn(shape, &shape.units, stop);
        found.extend([("units", depth_first), ("units+FORCE", drawn)]);
    }
    if !shape.flows.is_empty() && !stop() {
        let tied = groups::by_flows(shape);
        found.push(("invariants+FORCE", groups::drawn(shape, &tied, stop)));
        let along = gradient::along_flows(shape, stop);
        found.push(("gradient+FORCE", forced(&along)));
        found.push(("gradient", along));
    }
    if !stop() {
        let greedy = greedy::tovchigrechko(shape, stop);
        found.push(("Tovchigrechko+FORCE", forced(&greedy)));
        found.push(("Tovchigrechko", greedy));
        found.push(("FORCE", forced(&natural)));
    }
    let mut orders: Vec<Order> = Vec::new();
    for (idea, places) in found {
        if orders.len() > 1 && stop() {
            break;
        }
        debug_assert!(is_order(&places, shape.places), "{idea}");
        // Upside down the spans are the same, but not where their upper ends are.
        let turned: Vec<u32> = places.iter().rev().copied().collect();
        let scored = |places: Vec<u32>| Order { idea, score: score::of(shape, &places), places };
        let (one, other) = (scored(places), scored(turned));
        let better = if other.score < one.score { other } else { one };
        if orders.iter().all(|order| order.places != better.places) {
            orders.push(better);
        }
    }
    orders.sort_by(|a, b| a.score.total_cmp(&b.score));
    orders
}

/// Whether every place occurs once.
fn is_order(order: &[u32], places: usize) -> bool {
    let mut sorted = order.to_vec();
    sorted.sort_unstable();
    sorted.iter().copied().eq(0..places as u32)
}

/// Where each place is in an order.
fn positions(order: &[u32]) -> Vec<u32> {
    let mut position = vec![0; order.len()];
    for (level, &place) in order.iter().enumerate() {
        position[place as usize] = level as u32;
    }
    position
}
