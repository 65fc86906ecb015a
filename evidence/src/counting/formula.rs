//! The sums over the markings of the reduced net that give the figures of the state space.
//!
//! Each marking of the reduced net corresponds to a number of original markings, which is a product
//! with one factor per place ([`MarkingFactors`]). STATES is the sum of these products. An original
//! transition is enabled in those original markings that have enough tokens on its input places.
//! This condition changes some factors of the product. TRANSITIONS is the sum over all transitions
//! and all markings. It depends on the equations only, not on the arcs of the reduced net.
//!
//! The reduced net may consist of components without common transitions. Their markings combine
//! freely, so sums over the whole net are products of sums over the components.

use super::equations::{Equations, NodeId, TokenEquation};
use super::weights::{Demands, FunctionId, MarkingFactors, WeightError};
use num_bigint::BigUint;
use parikh_net::{BuildError, Net, PlaceId, TransitionId};
use std::collections::{BTreeMap, HashMap};

/// The sums over the markings of the components of a reduced net. The numbers of original markings
/// and firings are expressed by these sums.
#[derive(Clone, Debug)]
pub struct CountingFormula {
    /// The components of the reduced net.
    pub components: Vec<CountedComponent>,
    /// The functions from the tokens of a place to a factor. Products refer to them by
    /// [`FunctionId`].
    pub factors: MarkingFactors,
    /// The part of the number of original markings per reduced marking that is the same for every
    /// reduced marking.
    factor: BigUint,
    /// Groups of original transitions whose firings are counted by the same products. Each group
    /// has the sum of the constant factors of its transitions. Its pairs are the index of a
    /// component, and the index of the product of this component that is used. Components without a
    /// pair use product 0.
    groups: Vec<(BigUint, Vec<(usize, usize)>)>,
}

/// A component of the reduced net that shares no transition with the others.
#[derive(Clone, Debug)]
pub struct CountedComponent {
    /// The component as a net.
    pub net: Net,
    /// For places in ascending order, the function from their tokens to their factor in the number
    /// of original markings. The factor of other places is 1.
    pub factors: Vec<(PlaceId, FunctionId)>,
    /// The products that are summed over the markings of the component. Product 0 is the
    /// component's factor in the number of original markings of a reduced marking. The other
    /// products count only original markings with enough tokens for certain transitions.
    pub products: Vec<FactorProduct>,
}

/// A product with one factor per place, given by its differences from
/// [`CountedComponent::factors`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct FactorProduct {
    /// Lower bounds on places, ascending. The product is 0 if a place holds less.
    pub lower_bounds: Vec<(PlaceId, u64)>,
    /// Places with a function that replaces their function in [`CountedComponent::factors`],
    /// ascending.
    pub changed: Vec<(PlaceId, FunctionId)>,
}

/// The numbers of markings and firings of a state space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateSpaceFigures {
    /// The number of reachable markings.
    pub states: BigUint,
    /// The number of pairs of a reachable marking and a transition enabled in it.
    pub transitions: BigUint,
}

/// The reason that there is no formula.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoFormula {
    /// The number of original markings, or of their firings, depends on these places of the working
    /// net. Each of these places follows from several other places.
    #[error("the number of markings depends on several places at once")]
    Coupled(Vec<PlaceId>),
    /// A factor cannot be computed.
    #[error(transparent)]
    Weight(#[from] WeightError),
    /// A component cannot be built as a net.
    #[error(transparent)]
    Net(#[from] BuildError),
}

/// For each node (a variable for the tokens of a place), the least number of tokens with which a
/// transition can be enabled.
type NodeBounds = HashMap<NodeId, u64>;

impl CountingFormula {
    /// Builds the formula. `equations` relate the markings of `original` to those of `reduced`.
    /// `places` has the id in the working net of each place of `reduced`.
    pub(super) fn of(
        original: &Net,
        mut equations: Equations,
        reduced: &Net,
        places: &[PlaceId],
    ) -> Result<CountingFormula, NoFormula> {
        equations.substitute();
        let mut factors = MarkingFactors::new(&equations);
        let mut coupled: Vec<PlaceId> = Vec::new();
        let mut factor = BigUint::from(1u8);
        for (node, it) in equations.nodes.iter().enumerate() {
            let TokenEquation::Follows(equation) = &it.tokens else { continue };
            if equation.sum.len() > 1 && factors.has_factor(node) {
                coupled.push(it.place);
            } else if equation.sum.is_empty() && factors.has_factor(node) {
                factor *= factors.constant(&equations, node, Vec::new())?;
            }
        }
        // The component of each place of the reduced net, and the id of the place in the component.
        let (mut components, mut location_of) =
            (Vec::new(), vec![(0, PlaceId::new(0)); reduced.place_count()]);
        // A component without places has only transitions without arcs. These do not change the
        // marking.
        for part in reduced.subnets()?.into_iter().filter(|part| !part.places.is_empty()) {
            for (part_place, p) in part.net.places().zip(&part.places) {
                location_of[p.index()] = (components.len(), part_place);
            }
            let products = vec![FactorProduct::default()];
            components.push(CountedComponent { net: part.net, factors: Vec::new(), products });
        }
        // The component of each node that is a place of the reduced net, and the id of the place in
        // the component.
        let mut node_at: HashMap<NodeId, (usize, PlaceId)> = HashMap::new();
        for (p, &place) in reduced.places().zip(places) {
            let node = equations.node(place);
            let (part, part_place_id) = location_of[p.index()];
            node_at.insert(node, (part, part_place_id));
            if factors.has_factor(node) {
                let function = factors.function(node, Vec::new());
                components[part].factors.push((part_place_id, function));
            }
        }
        let mut formula = CountingFormula { components, factors, factor, groups: Vec::new() };
        let groups = formula.firings(original, &equations, &node_at, &mut coupled)?;
        if !coupled.is_empty() {
            coupled.sort_unstable();
            coupled.dedup();
            return Err(NoFormula::Coupled(coupled));
        }
        formula.groups = groups.into_iter().map(|(key, times)| (times, key)).collect();
        Ok(formula)
    }

    /// Groups the transitions of `original` by the products that count their firings. Returns, for
    /// each combination of products, the sum of the constant factors of its transitions. A
    /// combination consists of pairs of a component's index and the index of its product. If
    /// several places determine a number of firings together, these places are added to `coupled`,
    /// and the result is incomplete.
    fn firings(
        &mut self,
        original: &Net,
        equations: &Equations,
        node_at: &HashMap<NodeId, (usize, PlaceId)>,
        coupled: &mut Vec<PlaceId>,
    ) -> Result<HashMap<Vec<(usize, usize)>, BigUint>, NoFormula> {
        let mut product_indices = vec![HashMap::new(); self.components.len()];
        let mut groups: HashMap<Vec<(usize, usize)>, BigUint> = HashMap::new();
        let mut is_dead = vec![false; original.transition_count()];
        equations.dead.iter().for_each(|t| is_dead[t.index()] = true);
        for t in original.transitions().filter(|t| !is_dead[t.index()]) {
            let Some(demands) = demands(original, t, equations, &self.factors, coupled) else {
                continue;
            };
            if !coupled.is_empty() {
                continue;
            }
            let mut constant_factor = self.factor.clone();
            let mut products: BTreeMap<usize, FactorProduct> = BTreeMap::new();
            for (node, (least, demands)) in demands {
                match node_at.get(&node) {
                    None => {
                        let weights = &mut self.factors;
                        constant_factor /= weights.constant(equations, node, Vec::new())?;
                        constant_factor *= weights.constant(equations, node, demands)?;
                    }
                    Some(&(part, place)) => {
                        let product = products.entry(part).or_default();
                        if least > 0 {
                            product.lower_bounds.push((place, least));
                        }
                        if self.factors.has_factor(node) {
                            let function = self.factors.function(node, demands);
                            product.changed.push((place, function));
                        }
                    }
                }
            }
            let mut combination = Vec::with_capacity(products.len());
            for (part, mut product) in products {
                product.lower_bounds.sort_unstable();
                product.changed.sort_unstable();
                if product == FactorProduct::default() {
                    continue;
                }
                let products_of_part = &mut self.components[part].products;
                let product_index =
                    *product_indices[part].entry(product).or_insert_with_key(|product| {
                        products_of_part.push(product.clone());
                        products_of_part.len() - 1
                    });
                combination.push((part, product_index));
            }
            *groups.entry(combination).or_default() += constant_factor;
        }
        Ok(groups)
    }

    /// Returns the numbers of reachable markings and of firings of the original net. `sums[i][j]`
    /// is the sum of product j of component i over all markings of this component.
    pub fn figures(&self, sums: &[Vec<BigUint>]) -> StateSpaceFigures {
        let unconditional_sum = |(index, _): (usize, &CountedComponent)| &sums[index][0];
        let markings: BigUint = self.components.iter().enumerate().map(unconditional_sum).product();
        let mut transitions = BigUint::ZERO;
        for (times, products) in &self.groups {
            let mut sum = &markings * times;
            for &(part, product) in products {
                // The division is exact and not by 0: every component has a marking, and every
                // factor is positive.
                sum /= &sums[part][0];
                sum *= &sums[part][product];
            }
            transitions += sum;
        }
        StateSpaceFigures { states: markings * &self.factor, transitions }
    }
}

impl CountedComponent {
    /// Returns a text that is equal for two components only if they are equal up to names.
    pub fn fingerprint(&self) -> String {
        let net = &self.net;
        let rows = net.transitions().map(|t| (net.pre(t), net.post(t)));
        let rows: Vec<_> = rows.collect();
        format!("{:?} {rows:?} {:?} {:?}", net.initial(), self.factors, self.products)
    }
}

impl MarkingFactors {
    /// Returns the factor of a constant node under `demands`.
    ///
    /// # Errors
    /// [`WeightError::NotWhole`] if the node is not constant, and the errors of `value`.
    fn constant(
        &mut self,
        equations: &Equations,
        node: NodeId,
        demands: Demands,
    ) -> Result<BigUint, WeightError> {
        let tokens = equations.constant(node).ok_or(WeightError::NotWhole)?;
        let function = self.function(node, demands);
        self.value(function, tokens)
    }
}

/// Returns the roots of the forest of equations from which `t` consumes tokens, directly or through
/// their descendants. Each root has its lower bound, and the demands (lower bounds) on the nodes
/// below it. A root is a node that is no summand and does not follow from exactly one node. Returns
/// `None` if `t` never fires, because a constant node has too few tokens.
///
/// Constant roots with the factor 1 are left out. Roots that follow from several nodes are left
/// out, too. They are added to `coupled` if their lower bounds do not follow from the bounds on
/// other nodes.
fn demands(
    original: &Net,
    t: TransitionId,
    equations: &Equations,
    weights: &MarkingFactors,
    coupled: &mut Vec<PlaceId>,
) -> Option<BTreeMap<NodeId, (u64, Demands)>> {
    let nodes = &equations.nodes;
    // From the leaves upwards: descendants come later in the order of the forest.
    let mut queue: BTreeMap<std::cmp::Reverse<usize>, NodeId> = BTreeMap::new();
    let mut bounds = NodeBounds::new();
    let mut demands_below: HashMap<NodeId, Demands> = HashMap::new();
    for arc in original.pre(t) {
        let leaf = arc.place.index();
        bounds.insert(leaf, arc.weight);
        demands_below.insert(leaf, vec![(weights.position(leaf), arc.weight)]);
        queue.insert(std::cmp::Reverse(weights.position(leaf)), leaf);
    }
    let mut roots: BTreeMap<NodeId, (u64, Demands)> = BTreeMap::new();
    while let Some((_, node)) = queue.pop_first() {
        let bound = bounds.get(&node).copied().unwrap_or(0);
        let demands = demands_below.remove(&node).unwrap_or_default();
        let parent = match &nodes[node].tokens {
            TokenEquation::SummandOf(sum_node) => {
                let sum = bounds.entry(*sum_node).or_default();
                *sum = sum.saturating_add(bound);
                *sum_node
            }
            TokenEquation::Follows(equation) if equation.sum.len() == 1 => {
                let (source, _) = equation.sum[0];
                let least = equation.min_other(bound);
                let source_bound = bounds.entry(source).or_default();
                *source_bound = least.max(*source_bound);
                source
            }
            _ => {
                roots.insert(node, (bound, demands));
                continue;
            }
        };
        demands_below.entry(parent).or_default().extend(demands);
        queue.insert(std::cmp::Reverse(weights.position(parent)), parent);
    }
    let (mut can_fire, mut cache) = (true, HashMap::new());
    roots.retain(|&root, (bound, _)| match &nodes[root].tokens {
        TokenEquation::Follows(equation) if equation.sum.len() > 1 => {
            if min_value(equations, root, &bounds, MAX_DEPTH, &mut cache) < *bound {
                coupled.push(nodes[root].place);
            }
            false
        }
        TokenEquation::Follows(_) => {
            can_fire &= equations.constant(root).is_some_and(|tokens| tokens >= *bound);
            // A node with the constant factor 1 meets its demand in every marking.
            weights.has_factor(root)
        }
        _ => true,
    });
    can_fire.then_some(roots)
}

/// The maximum depth to which [`min_value`] follows equations.
const MAX_DEPTH: usize = 16;

/// Returns a lower bound on a node by its equation, given the bounds on other nodes. The function
/// follows equations to the depth `max_depth`, and returns 0 for a node without an equation.
/// `cache` keeps the results by node and remaining depth, because the number of paths to a node may
/// be exponential.
fn min_value(
    equations: &Equations,
    node: NodeId,
    bounds: &NodeBounds,
    max_depth: usize,
    cache: &mut HashMap<(NodeId, usize), u64>,
) -> u64 {
    let TokenEquation::Follows(equation) = &equations.nodes[node].tokens else { return 0 };
    if max_depth == 0 {
        return 0;
    }
    let mut sum = 0i128;
    for &(other, weight) in &equation.sum {
        let key = (other, max_depth - 1);
        let least = match cache.get(&key) {
            Some(&least) => least,
            None => {
                let bound = bounds.get(&other).copied().unwrap_or(0);
                let least = min_value(equations, other, bounds, max_depth - 1, cache).max(bound);
                cache.insert(key, least);
                least
            }
        };
        sum = sum.saturating_add(i128::from(weight).saturating_mul(least.into()));
    }
    equation.min_value(sum)
}
