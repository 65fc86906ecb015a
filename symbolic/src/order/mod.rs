//! Orders of places: the assignment of places to levels.
//!
//! No method finds a good order reliably. Several methods therefore propose orders, each in both
//! directions. Callers try a few orders, in time slices that grow. A caller needs orders that
//! succeed where its other orders fail, and [`RANKING`] lists the methods accordingly. A [`score`]
//! ranks the methods that the list leaves out, by the causes of large diagrams: the number of
//! levels that transitions span, and the number of place invariants open at a level.
//!
//! | method | file |
//! |---|---|
//! | the order of the net; its units, depth first | `groups` |
//! | the places of an invariant together, and these groups ordered by their transitions | `groups` |
//! | one place at a time, the one with most of its neighbourhood placed | `greedy` |
//! | along invariants from one end of the net to the other | `gradient` |
//! | groups of places with many transitions inside and few between them | `louvain` |
//! | from one end of the net to the other, with few active places at a time | `sloan` |
//! | some of these improved so that transitions become short | `force` |
//!
//! Sources: Noack, "A ZBDD package for efficient model checking of Petri nets", 1999; Aloul,
//! Markov, Sakallah, "FORCE: a fast and easy-to-implement variable-ordering heuristic", GLSVLSI
//! 2003; Amparore, Donatelli, Beccuti, Garbi, Miner, "Decision diagrams for Petri nets: a
//! comparison of variable ordering algorithms", ToPNoC 2018; Amparore, Ciardo, Donatelli, Miner,
//! "iRank: a variable order metric for DEDS subject to linear invariants", TACAS 2019.

mod force;
mod gradient;
mod graph;
mod greedy;
mod groups;
mod louvain;
pub mod score;
mod sloan;

use graph::PlaceGraph;
use std::cell::OnceCell;
use std::fmt;

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

/// A method that proposes orders, and the direction of the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OrderMethod {
    /// Name of the method.
    pub name: &'static str,
    /// True if the last place of the method's order comes first. In the reversed order, transitions
    /// span as many levels as before, but the upper ends of the spans differ.
    pub is_reversed: bool,
}

impl fmt::Display for OrderMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let direction = if self.is_reversed { " reversed" } else { "" };
        write!(f, "{}{direction}", self.name)
    }
}

/// An order with a score.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelOrder {
    /// The method that proposes the order.
    pub method: OrderMethod,
    /// The place at each level, from the top.
    pub places: Vec<u32>,
    /// The score; lower is better.
    pub score: f64,
}

/// Returns different orders, the most promising first. If `stop` returns true, the orders found so
/// far are returned.
pub fn candidates(shape: &NetShape, stop: &dyn Fn() -> bool) -> Vec<LevelOrder> {
    let proposals = proposals(shape, stop);
    let mut orders: Vec<LevelOrder> = Vec::new();
    for is_reversed in [false, true] {
        for (name, places) in &proposals {
            if is_reversed && stop() {
                break;
            }
            let mut places = places.clone();
            if is_reversed {
                places.reverse();
            }
            let method = OrderMethod { name, is_reversed };
            debug_assert!(is_order(&places, shape.places), "{method}");
            match orders.iter_mut().find(|order| order.places == places) {
                Some(equal) if rank(method) < rank(equal.method) => equal.method = method,
                Some(_) => {}
                None => {
                    orders.push(LevelOrder { method, score: score::of(shape, &places), places });
                }
            }
        }
    }
    orders.sort_by(|a, b| rank(a.method).cmp(&rank(b.method)).then(a.score.total_cmp(&b.score)));
    orders
}

/// Returns the orders of all methods, not reversed. A method that `stop` interrupts proposes
/// nothing, because its order would be a bad one.
fn proposals(shape: &NetShape, stop: &dyn Fn() -> bool) -> Vec<(&'static str, Vec<u32>)> {
    let natural: Vec<u32> = (0..shape.places as u32).collect();
    let mut proposals: Vec<(&'static str, Vec<u32>)> = vec![("net", natural.clone())];
    let mut propose = |name: &'static str, method: &dyn Fn() -> Vec<u32>| {
        if !stop() {
            let places = method();
            if !stop() {
                proposals.push((name, places));
            }
        }
    };
    let improved_by_force = |order: &[u32]| force::places(shape, order, stop);
    if !shape.units.is_empty() {
        propose("units", &|| groups::flat(&shape.units, shape.places));
        propose("units+FORCE", &|| groups::arranged(shape, &shape.units, stop));
    }
    let greedy = OnceCell::new();
    let greedy = || greedy.get_or_init(|| greedy::tovchigrechko(shape, stop));
    propose("Tovchigrechko", &|| greedy().clone());
    propose("Tovchigrechko+FORCE", &|| improved_by_force(greedy()));
    propose("FORCE", &|| improved_by_force(&natural));
    if !shape.flows.is_empty() {
        let gradient = OnceCell::new();
        let gradient = || gradient.get_or_init(|| gradient::along_flows(shape, stop));
        propose("gradient", &|| gradient().clone());
        propose("gradient+FORCE", &|| improved_by_force(gradient()));
        let flow_groups = || groups::by_flows(shape);
        propose("invariants+FORCE", &|| groups::arranged(shape, &flow_groups(), stop));
    }
    let graph = OnceCell::new();
    let graph = || graph.get_or_init(|| PlaceGraph::of_places(shape));
    propose("Louvain", &|| louvain::by_communities(shape, graph(), stop));
    propose("Sloan", &|| sloan::by_profile(shape, graph(), stop));
    proposals
}

/// Methods by what each adds to the methods before it: the number of nets whose reachable set it
/// completes, then the time that it saves. The second entry is true for the reversed order. The
/// command `parikh-bench orders` makes this list. The order by units is added, which pays on nets
/// whose parts are nested units.
pub const RANKING: [(&str, bool); 9] = [
    ("Louvain", true),
    ("Tovchigrechko+FORCE", false),
    ("net", true),
    ("Tovchigrechko", true),
    ("units+FORCE", true),
    ("Louvain", false),
    ("net", false),
    ("gradient+FORCE", false),
    ("Sloan", false),
];

/// Returns the position of a method in [`RANKING`]. Methods that are not in the list come last.
fn rank(method: OrderMethod) -> usize {
    let is_method = |listed: &(&str, bool)| *listed == (method.name, method.is_reversed);
    RANKING.iter().position(is_method).unwrap_or(RANKING.len())
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A net with random arcs, and with random groups as its invariants and units.
    fn random_shape(rng: &mut fastrand::Rng) -> NetShape {
        let places = rng.usize(1..20);
        let group = |rng: &mut fastrand::Rng, most: usize| {
            let mut group: Vec<u32> =
                (0..rng.usize(..=most)).map(|_| rng.u32(..places as u32)).collect();
            group.sort_unstable();
            group.dedup();
            group
        };
        let transitions = (0..rng.usize(..20)).map(|_| (group(rng, 3), group(rng, 3))).collect();
        let flows = (0..rng.usize(..4)).map(|_| group(rng, 6)).filter(|it| it.len() > 1).collect();
        let unit_count = rng.usize(1..4);
        let mut units = vec![Vec::new(); unit_count];
        (0..places as u32).for_each(|place| units[rng.usize(..unit_count)].push(place));
        units.retain(|unit| !unit.is_empty());
        NetShape { places, transitions, flows, units }
    }

    #[test]
    fn every_method_proposes_different_orders_of_all_places() {
        let mut rng = fastrand::Rng::with_seed(1);
        let mut methods = std::collections::BTreeSet::new();
        for _ in 0..300 {
            let shape = random_shape(&mut rng);
            let orders = candidates(&shape, &|| false);
            assert_eq!(orders, candidates(&shape, &|| false), "the same orders again");
            for (index, order) in orders.iter().enumerate() {
                assert!(is_order(&order.places, shape.places), "{order:?}");
                assert!(orders[..index].iter().all(|other| other.places != order.places));
                methods.insert(order.method.to_string());
            }
            let ranks: Vec<usize> = orders.iter().map(|order| rank(order.method)).collect();
            assert!(ranks.is_sorted(), "{ranks:?}");
        }
        // The list names existing methods.
        for (name, is_reversed) in RANKING {
            let method = OrderMethod { name, is_reversed }.to_string();
            assert!(methods.contains(&method), "{method} is not among {methods:?}");
        }
    }

    #[test]
    fn a_stopped_search_has_the_order_of_the_net() {
        let shape = random_shape(&mut fastrand::Rng::with_seed(2));
        let orders = candidates(&shape, &|| true);
        assert!(orders.iter().all(|order| is_order(&order.places, shape.places)));
        assert!(orders.iter().any(|order| order.method.name == "net"));
    }
}
