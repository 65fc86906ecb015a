//! The run that a cycle is a part of: a prefix with as many tokens as the cycle needs.

use super::product::CoverabilityProduct;
use crate::coverability::runs::{TokenDemand, run};
use crate::coverability::tree::{Acceleration, Node, Tree};
use parikh_net::lasso::{LassoRun, RunEnd};
use parikh_net::run_property::RunAtom;
use parikh_net::{Atom, Predicate, TransitionId};
use parikh_structure::graph::omega::OMEGA;

/// The run that goes to the node where these firings begin, and repeats them. Firings of nothing
/// say that the marking there is dead.
pub(super) fn pumped(
    product: &CoverabilityProduct<'_>,
    node: u32,
    cycle: &[Option<TransitionId>],
) -> Option<LassoRun> {
    let net = product.net;
    let mut demand = large(product);
    let firings: Option<Vec<TransitionId>> = cycle.iter().copied().collect();
    // In a dead marking nothing moves.
    let is_dead = cycle.iter().all(Option::is_none);
    for (at, high) in product.nodes()[node as usize].high.iter().enumerate() {
        if high.is_some() || is_dead {
            continue;
        }
        let place = parikh_net::PlaceId::new(at);
        let (mut sum, mut least) = (0i128, 0i128);
        for &t in firings.as_ref()? {
            least = least.max(i128::from(net.pre_weight(t, place)) - sum);
            sum += i128::from(net.post_weight(t, place)) - i128::from(net.pre_weight(t, place));
            least = least.max(-sum);
        }
        *demand.entry(place).or_default() += least;
    }
    let tree = tree(product, node)?;
    let last = tree.nodes.len() - 1;
    let prefix = run(&tree, last as u32, tree.nodes[last].accelerations.len(), demand)?;
    let end = match is_dead {
        true => RunEnd::Dead,
        false => RunEnd::Repeats(firings?.into_iter().collect()),
    };
    Some(LassoRun { prefix, end })
}

/// By place how many tokens make all comparisons what they are with as many as anybody likes.
fn large(product: &CoverabilityProduct<'_>) -> TokenDemand {
    fn visit(predicate: &Predicate, product: &CoverabilityProduct<'_>, demand: &mut TokenDemand) {
        match predicate {
            Predicate::And(parts) | Predicate::Or(parts) => {
                parts.iter().for_each(|part| visit(part, product, demand));
            }
            Predicate::Enabled(t) | Predicate::Disabled(t) => {
                for arc in product.net.pre(*t) {
                    let most = demand.entry(arc.place).or_default();
                    *most = (*most).max(arc.weight.into());
                }
            }
            Predicate::Atom(Atom { sum, bound }) => {
                for &(place, _) in sum.terms() {
                    let most = demand.entry(place).or_default();
                    *most = (*most).max(i128::from(bound.unsigned_abs()) + 1);
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

/// The nodes on the way to this one as a tree of a single branch. Firings of nothing, by which a
/// dead marking stays, are only followed by others, so they are left out.
fn tree<'n>(product: &CoverabilityProduct<'n>, node: u32) -> Option<Tree<'n>> {
    let mut way = vec![node];
    while let Some((before, _)) = product.came(way[way.len() - 1]) {
        way.push(before);
    }
    way.reverse();
    let mut numbers = Vec::with_capacity(way.len());
    let mut nodes: Vec<Node> = Vec::new();
    for &at in &way {
        let (came, is_new) = match product.came(at) {
            None => (None, true),
            Some((_, Some(t))) => (Some((*numbers.last()?, t)), true),
            Some((_, None)) => (None, false),
        };
        if is_new {
            let high = &product.nodes()[at as usize].high;
            let tokens = high.iter().map(|high| high.unwrap_or(OMEGA)).collect();
            let grown = product.grown(at).iter().map(|grown| {
                let since = way.iter().position(|&other| other == grown.start)?;
                Some(Acceleration { start: numbers[since], places: grown.places.clone() })
            });
            nodes.push(Node::new(tokens, came, grown.collect::<Option<Vec<_>>>()?));
        }
        numbers.push((nodes.len() - 1) as u32);
    }
    Some(Tree::from_nodes(product.net, nodes))
}
