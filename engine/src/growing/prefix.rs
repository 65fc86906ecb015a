//! The run with a given cycle: a prefix that produces as many tokens as the cycle needs.

use super::product::CoverabilityProduct;
use crate::coverability::firing_sequences::{TokenDemand, sequence_to_node};
use crate::coverability::tree::{Acceleration, Node, Tree};
use parikh_net::lasso::{LassoRun, RunEnd};
use parikh_net::run_property::RunAtom;
use parikh_net::{Atom, Predicate, TransitionId};
use parikh_structure::graph::omega::OMEGA;

/// Returns the run that reaches `node` of the product and then repeats the transitions of `cycle`.
/// If all entries of `cycle` are `None`, the run ends in a dead marking. Returns `None` if only
/// some entries are `None`, or if no prefix with enough tokens for the cycle is found.
pub(super) fn run_with_cycle(
    product: &CoverabilityProduct<'_>,
    node: u32,
    cycle: &[Option<TransitionId>],
) -> Option<LassoRun> {
    let net = product.net;
    let mut demand = demand_of_comparisons(product);
    let firings: Option<Vec<TransitionId>> = cycle.iter().copied().collect();
    // If a dead marking repeats, no transition fires, so no more tokens are needed.
    let is_dead = cycle.iter().all(Option::is_none);
    for (index, high) in product.nodes()[node as usize].high.iter().enumerate() {
        if high.is_some() || is_dead {
            continue;
        }
        let place = parikh_net::PlaceId::new(index);
        let (mut change, mut demand_of_place) = (0i128, 0i128);
        for &t in firings.as_ref()? {
            demand_of_place = demand_of_place.max(i128::from(net.pre_weight(t, place)) - change);
            change += i128::from(net.post_weight(t, place)) - i128::from(net.pre_weight(t, place));
            demand_of_place = demand_of_place.max(-change);
        }
        // The tokens that the cycle needs are added to the number that counts as arbitrarily many.
        // So the place keeps this number of tokens throughout the cycle.
        *demand.entry(place).or_default() += demand_of_place;
    }
    let tree = path_tree(product, node)?;
    let last = tree.nodes.len() - 1;
    let prefix =
        sequence_to_node(&tree, last as u32, tree.nodes[last].accelerations.len(), demand)?;
    let end = match is_dead {
        true => RunEnd::Dead,
        false => RunEnd::Repeats(firings?.into_iter().collect()),
    };
    Some(LassoRun { prefix, end })
}

/// Returns, for each place that the property mentions, a number of tokens that counts as
/// arbitrarily many. It is at least the input weight in each enabledness condition, and exceeds the
/// absolute value of each comparison's bound. A comparison of a sum with coefficients of both signs
/// may still change its value beyond this number.
fn demand_of_comparisons(product: &CoverabilityProduct<'_>) -> TokenDemand {
    fn visit(predicate: &Predicate, product: &CoverabilityProduct<'_>, demand: &mut TokenDemand) {
        match predicate {
            Predicate::And(parts) | Predicate::Or(parts) => {
                parts.iter().for_each(|part| visit(part, product, demand));
            }
            Predicate::Enabled(t) | Predicate::Disabled(t) => {
                for arc in product.net.pre(*t) {
                    let max_demand = demand.entry(arc.place).or_default();
                    *max_demand = (*max_demand).max(arc.weight.into());
                }
            }
            Predicate::Atom(Atom { sum, bound }) => {
                for &(place, _) in sum.terms() {
                    let max_demand = demand.entry(place).or_default();
                    *max_demand = (*max_demand).max(i128::from(bound.unsigned_abs()) + 1);
                }
            }
            _ => {}
        }
    }
    let mut demand = TokenDemand::new();
    for atom in product.property.atoms() {
        if let RunAtom::Holds(predicate) = atom {
            visit(predicate, product, &mut demand);
        }
    }
    demand
}

/// Returns the nodes on the path to a node, as a coverability tree with a single branch.
/// Repetitions of a dead marking are left out, because no transition fires there. Returns `None` if
/// an acceleration does not begin on the path.
fn path_tree<'n>(product: &CoverabilityProduct<'n>, node: u32) -> Option<Tree<'n>> {
    let mut path = vec![node];
    while let Some((predecessor, _)) = product.predecessor_of(path[path.len() - 1]) {
        path.push(predecessor);
    }
    path.reverse();
    let mut tree_indices = Vec::with_capacity(path.len());
    let mut nodes: Vec<Node> = Vec::new();
    for &path_node in &path {
        let (incoming, is_new) = match product.predecessor_of(path_node) {
            None => (None, true),
            Some((_, Some(t))) => (Some((*tree_indices.last()?, t)), true),
            Some((_, None)) => (None, false),
        };
        if is_new {
            let high = &product.nodes()[path_node as usize].high;
            let tokens = high.iter().map(|high| high.unwrap_or(OMEGA)).collect();
            let accelerations = product.accelerations_at(path_node).iter().map(|acceleration| {
                let start_position = path.iter().position(|&other| other == acceleration.start)?;
                Some(Acceleration {
                    start: tree_indices[start_position],
                    places: acceleration.places.clone(),
                })
            });
            nodes.push(Node::new(tokens, incoming, accelerations.collect::<Option<Vec<_>>>()?));
        }
        tree_indices.push((nodes.len() - 1) as u32);
    }
    Some(Tree::from_nodes(product.net, nodes))
}
